#include "models/units/units.h"

/* Fractions of a GPU, kept in books by a scheduler (KAI, Run:ai, HAMi, Slurm's shards). The books
 * are one thing, what happens on the GPU another: `compute` says that.
 *
 *   none          nobody enforces a fraction: equal turns between whoever runs
 *   time_slicing  turns by weight; `strict` caps a job at its fraction
 *   sm_sharing    side by side (MPS); `strict` caps a job at its fraction of the SMs
 *
 * Jobs of different modes never share a GPU because a pool has one mode. With `strict: false` a
 * job has f / sum of f of those that compute, so that idle fractions are used.
 *
 * A job with gpu_mem_gib and no gpu_frac is admitted by its memory alone, takes no compute share
 * and runs at its full speed. One with neither takes the whole GPU. Memory is admitted by what is
 * requested; a limit above the request is elastic and not modelled. */

enum {
    PARAM_COMPUTE,
    PARAM_STRICT,
    PARAM_REPLICAS,
    PARAM_JOBS_PER_GPU,
    PARAM_MEMORY,
    PARAM_DISTINCT,
    PARAM_SWITCH_LOSS,
    PARAM_SLICE,
    PARAM_CAP_CONTENTION,
    PARAM_DRIVER,
    PARAM_ONE_ONLY
};
enum { COMPUTE_NONE, COMPUTE_TIME_SLICING, COMPUTE_SM_SHARING };
enum { MEMORY_ADMIT, MEMORY_UNCHECKED };
enum { OWN_COMPUTE, OWN_CLIENTS };

static const char *const compute_choices[] = {"none", "time_slicing", "sm_sharing", NULL};
static const char *const memory_choices[] = {"admit", "unchecked", NULL};

static const struct pt_param params[] = {
    [PARAM_COMPUTE] = {"compute", PT_PARAM_CHOICE, "", "none", NULL, NULL, compute_choices,
                       "none: book-keeping alone, equal turns; time_slicing: turns by fraction; "
                       "sm_sharing: side by side (MPS)"},
    [PARAM_STRICT] = {"strict", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                      "true: a fraction is also a cap; false: a weight, idle fractions are used "
                      "and a job may run faster than asked (nothing to compute: none)"},
    [PARAM_REPLICAS] = {"replicas", PT_PARAM_INT, "", "", "1", "1000000", NULL,
                        "shares a GPU has; fractions round up to a whole number of them (default: "
                        "exact fractions)"},
    [PARAM_JOBS_PER_GPU] = {"jobs_per_gpu", PT_PARAM_INT, "", "", "1", "1000000", NULL,
                            "jobs on one GPU at most, however small (default: as many as fit)"},
    [PARAM_MEMORY] = {"memory", PT_PARAM_CHOICE, "", "admit", NULL, NULL, memory_choices,
                      "admit: a job waits until the memory it asks for is free; unchecked: it "
                      "fails at its start instead, and memory alone admits nobody"},
    [PARAM_DISTINCT] = {"distinct", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                        "whether the fractions of one job sit on distinct GPUs"},
    [PARAM_SWITCH_LOSS] = {"switch_loss", PT_PARAM_NUMBER, "", "0.11", "0", "100", NULL,
                           "time lost to context switches when several run in turns, as a share "
                           "of their work (of compute none and time_slicing)"},
    [PARAM_SLICE] = {"slice_s", PT_PARAM_DURATION, "s", "2ms", "1us", "10s", NULL,
                     "length of a turn, for fidelity: slices alone"},
    [PARAM_CAP_CONTENTION] = {"cap_contention", PT_PARAM_NUMBER, "", "0", "0", "100", NULL,
                              "further slow-down of capped jobs beside each other, 0.1 = 10 % (of "
                              "compute: sm_sharing; assumed: nobody has measured it)"},
    [PARAM_DRIVER] = {"driver", PT_PARAM_TEXT, "", PT__DRIVER_DEFAULT, "1", NULL, NULL,
                      PT__DRIVER_HELP " (of compute: sm_sharing)"},
    [PARAM_ONE_ONLY] = {"fail_requests_greater_than_one", PT_PARAM_BOOL, "", "false", NULL, NULL,
                        NULL, "refuse jobs that ask for fractions of more than one GPU"},
    {0}};

static uint32_t given(const struct pt_value *value, uint32_t otherwise)
{
    return value->text ? (uint32_t)value->integer : otherwise;
}

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *values, struct pt_error *error)
{
    static const enum pt_sharing sharing[] = {[COMPUTE_NONE] = PT_SHARING_TURNS,
                                              [COMPUTE_TIME_SLICING] = PT_SHARING_CAPPED_TURNS,
                                              [COMPUTE_SM_SHARING] = PT_SHARING_SMS};
    int64_t compute = values[PARAM_COMPUTE].integer;
    bool strict = values[PARAM_STRICT].integer != 0;
    uint32_t capacity = given(&values[PARAM_REPLICAS], PT_PPM_ONE), clients;
    uint32_t residents = given(&values[PARAM_JOBS_PER_GPU], PT_NONE);
    PT_TRY(pt__mps_clients(&clients, gpu, values[PARAM_DRIVER].text, error));
    if (values[PARAM_CAP_CONTENTION].ppm != 0 && compute != COMPUTE_SM_SHARING)
        return pt_fail(error, PT_ERR_INPUT,
                       "cap_contention is of compute: sm_sharing, not of compute: %s",
                       compute_choices[compute]);

    *shape = (struct pt_unit_shape){
        .gpu = gpu,
        .capacity = capacity,
        .residents_max = residents,
        .clients_max = compute == COMPUTE_SM_SHARING ? clients : 0,
        .levels = capacity <= PT_LEVELS_MAX,
        .distinct = values[PARAM_DISTINCT].integer != 0,
        .memory_admits = values[PARAM_MEMORY].integer == MEMORY_ADMIT,
        .memory_oom = values[PARAM_MEMORY].integer == MEMORY_UNCHECKED,
        .fault_spreads = true,
        .one_unit_only = values[PARAM_ONE_ONLY].integer != 0,
        .charge = PT_CHARGE_HELD,
        .sharing = sharing[compute],
        .strict = strict,
        .elastic = !strict && compute != COMPUTE_NONE,
        .slots = residents,
        .switch_loss = values[PARAM_SWITCH_LOSS].number,
        .switch_loss_ppm = (uint32_t)values[PARAM_SWITCH_LOSS].ppm,
        .cap_contention = values[PARAM_CAP_CONTENTION].number,
        .slice_ns = values[PARAM_SLICE].integer,
        .own = {[OWN_COMPUTE] = (uint64_t)compute,
                [OWN_CLIENTS] = compute == COMPUTE_SM_SHARING ? clients : PT_NONE}};
    return PT_OK;
}

/* What of the GPU's capacity the job takes: 0 = memory alone admits it. */
static uint32_t capacity_asked(const struct pt_unit_shape *shape, const struct pt_ask *ask)
{
    uint64_t f = ask->gpu_frac_ppm;
    if (f != PT_NONE) return (uint32_t)((f * shape->capacity + PT_PPM_ONE - 1) / PT_PPM_ONE);
    return shape->memory_admits && pt__memory_asked(ask) > 0 ? 0 : shape->capacity;
}

static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    uint64_t memory = pt__memory_asked(ask);
    uint32_t capacity = capacity_asked(shape, ask);
    bool whole = capacity == shape->capacity;
    if (memory > shape->gpu->mem_mib) return PT_REASON_GPU_MEMORY;
    if (shape->one_unit_only && ask->gpus > 1 && !whole) return PT_REASON_MORE_THAN_ONE;
    if (ask->processes > shape->own[OWN_CLIENTS]) return PT_REASON_CLIENTS;
    *need = (struct pt_need){.capacity = capacity,
                             .mem_mib = (uint32_t)memory,
                             .clients = ask->processes,
                             .profile = PT_PROFILE_NONE,
                             .weightless = capacity == 0,
                             .cap = {1, 1},
                             .asked = {1, 1},
                             .asked_share = 1};
    if (shape->own[OWN_COMPUTE] == COMPUTE_NONE || need->weightless || whole) return PT_REASON_NONE;
    need->cap = need->asked = (struct pt_ratio){capacity, shape->capacity};
    need->asked_share = (double)capacity / shape->capacity;
    need->capped = need->as_asked = shape->strict;
    return PT_REASON_NONE;
}

/* Fractions never sum to more than 1 on a GPU, so caps always hold. */
static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    const struct pt_unit_shape *shape = facts->shape;
    struct pt_ratio one = {1, 1};
    uint64_t sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->count; i++) {
        sum += facts->residents[i].need->capacity;
        if (!facts->residents[i].need->weightless) count++;
    }
    if (shape->own[OWN_COMPUTE] == COMPUTE_NONE)
        one = pt__share_turns(shape, count);
    else if (!shape->strict && sum > 0) /* f / sum of f, of the f that was asked for */
        one = (struct pt_ratio){shape->capacity, sum};
    for (uint32_t i = 0; i < facts->count; i++)
        out[i] = facts->residents[i].need->weightless ? (struct pt_ratio){1, 1} : one;
}

const struct pt_unit_ops pt__fractional = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "fractional",
    .summary = "fractions of a GPU kept in books, enforced by nobody, by turns or by SMs; faults "
               "are shared",
    .source = "KAI, Run:ai, HAMi and Slurm gres documentation (hardware.md 5.1, 5.2, 5.4)",
    .params = params,
    .configure = configure,
    .need = need,
    .shares = shares,
};
