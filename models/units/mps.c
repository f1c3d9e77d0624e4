#include "models/units/units.h"

/* MPS: kernels of several processes side by side. A client may use a share of the SMs at most, its
 * cap: a cap reserves nothing, so the caps on a GPU may sum to more than 1 and are then scaled
 * down together. Device memory has a limit per process. A fatal fault ends every client of the GPU.
 *
 * Under `interference: none` a client's share of the GPU is cap / max(1, sum of the caps of those
 * that compute). A job that gives gpu_frac asked for that share; one that does not asked for the
 * whole GPU, and is held to its clients' caps even alone. */

enum { PARAM_REPLICAS, PARAM_DRIVER, PARAM_CAP_CONTENTION, PARAM_DISTINCT, PARAM_ONE_ONLY };

static const struct pt_param params[] = {
    [PARAM_REPLICAS] = {"replicas", PT_PARAM_INT, "", NULL, "1", "1024", NULL,
                        "clients (processes) on one GPU at most; each may use 1/replicas of its "
                        "SMs, or gpu_frac, and 1/replicas of its memory, or gpu_frac of it"},
    [PARAM_DRIVER] = {"driver", PT_PARAM_TEXT, "", PT__DRIVER_DEFAULT, "1", NULL, NULL,
                      PT__DRIVER_HELP},
    [PARAM_CAP_CONTENTION] = {"cap_contention", PT_PARAM_NUMBER, "", "0", "0", "100", NULL,
                              "further slow-down of capped clients beside each other, 0.1 = 10 % "
                              "(assumed: nobody has measured it)"},
    [PARAM_DISTINCT] = {"distinct", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                        "whether the clients of one job's units sit on distinct GPUs"},
    [PARAM_ONE_ONLY] = {"fail_requests_greater_than_one", PT_PARAM_BOOL, "", "false", NULL, NULL,
                        NULL, "refuse jobs that ask for more than one unit"},
    {0}};

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *values, struct pt_error *error)
{
    uint32_t replicas = (uint32_t)values[PARAM_REPLICAS].integer, clients, newer;
    PT_TRY(pt__mps_clients(&clients, gpu, values[PARAM_DRIVER].text, error));
    PT_TRY(pt__mps_clients(&newer, gpu, "r590", error));
    if (replicas > clients)
        return pt_fail(
            error, PT_ERR_INPUT, "replicas: %u are more than the %u MPS clients that %s takes%s",
            (unsigned)replicas, (unsigned)clients, gpu->name,
            newer > clients ? " (60 with driver: r590)" : ": fewer, or another GPU or mode");
    *shape = (struct pt_unit_shape){.gpu = gpu,
                                    .capacity = replicas,
                                    .residents_max = replicas,
                                    .levels = true,
                                    .distinct = values[PARAM_DISTINCT].integer != 0,
                                    .memory_admits = true,
                                    .fault_spreads = true,
                                    .one_unit_only = values[PARAM_ONE_ONLY].integer != 0,
                                    .charge = PT_CHARGE_SPLIT,
                                    .sharing = PT_SHARING_SMS,
                                    .slots = replicas,
                                    .cap_contention = values[PARAM_CAP_CONTENTION].number};
    return PT_OK;
}

/* The limit is each process's own: a job of two processes holds twice what one asks for. Its
 * clients together have the cap: k of `replicas` clients have k / replicas. */
static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    bool has_frac = ask->gpu_frac_ppm != PT_NONE;
    struct pt_ratio cap = {ask->processes, shape->capacity};
    uint64_t total = shape->gpu->mem_mib, limit = total / shape->capacity;
    uint64_t memory = pt__memory_asked(ask);
    if (shape->one_unit_only && ask->gpus > 1) return PT_REASON_MORE_THAN_ONE;
    if (ask->processes > shape->capacity) return PT_REASON_CLIENTS;
    if (has_frac) {
        cap = (struct pt_ratio){ask->gpu_frac_ppm, PT_PPM_ONE};
        limit = total * ask->gpu_frac_ppm / PT_PPM_ONE;
    }
    if (memory > total || memory > limit * ask->processes) return PT_REASON_GPU_MEMORY;
    *need = (struct pt_need){.capacity = ask->processes,
                             .mem_mib = (uint32_t)memory,
                             .clients = ask->processes,
                             .profile = PT_PROFILE_NONE,
                             .capped = cap.numerator < cap.denominator,
                             .as_asked = has_frac || cap.numerator == cap.denominator,
                             .cap = cap,
                             .asked = has_frac ? cap : (struct pt_ratio){1, 1},
                             .asked_share = has_frac ? (double)ask->gpu_frac_ppm / PT_PPM_ONE : 1};
    return PT_REASON_NONE;
}

/* All in units of 1 / (replicas x 10^6), which every cap is a whole number of. */
static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    uint64_t one = (uint64_t)facts->shape->capacity * PT_PPM_ONE, sum = 0;
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct pt_ratio *cap = &facts->residents[i].need->cap;
        sum += cap->numerator * (one / cap->denominator);
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct pt_need *each = facts->residents[i].need;
        uint64_t cap = each->cap.numerator * (one / each->cap.denominator);
        out[i].numerator = each->as_asked ? one : cap;
        out[i].denominator = sum > one ? sum : one;
    }
}

const struct pt_unit_ops pt__mps = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "mps",
    .summary = "processes side by side on the SMs, each up to a cap, with a memory limit each; "
               "faults are shared",
    .source = "NVIDIA MPS documentation: active thread percentage, pinned memory limit, client "
              "limits (hardware.md 3)",
    .params = params,
    .configure = configure,
    .need = need,
    .shares = shares,
};
