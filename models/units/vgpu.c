#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "models/units/units.h"

/* Time-sliced vGPU: a slot of the pool's type for each job, with its own frame buffer and faults.
 *
 *   best_effort  equal turns between those that have work, as time slicing
 *   equal_share  1/N of the GPU for each of N running; idle time is not given away
 *   fixed_share  1/N with N the most the type allows, also when alone
 *
 * A job with gpu_frac asked for that share under equal_share and fixed_share, which cap; without
 * it, and under best_effort, for the whole GPU. Under `interference: none` nothing is lost but the
 * switch loss of best_effort. */

enum {
    PARAM_TYPE,
    PARAM_REPLICAS,
    PARAM_SCHEDULER,
    PARAM_SWITCH_LOSS,
    PARAM_SLICE,
    PARAM_DISTINCT,
    PARAM_ALLOW_SPEEDUP,
    PARAM_ONE_ONLY
};
enum { BEST_EFFORT, EQUAL_SHARE, FIXED_SHARE };
enum { OWN_SCHEDULER, OWN_FRAME_BUFFER };

#define GB_MAX 100000
#define PRODUCT_MAX 32
/* NVIDIA's default: shorter slices where a type has more than 8 vGPUs a GPU (hardware.md 4). */
#define SLICE_FEW (2 * PT_NS_PER_S / 1000)
#define SLICE_MANY (PT_NS_PER_S / 1000)
#define SLICE_MANY_ABOVE 8

static const char *const schedulers[] = {"best_effort", "equal_share", "fixed_share", NULL};

static const struct pt_param params[] = {
    [PARAM_TYPE] = {"type", PT_PARAM_TEXT, "", "", NULL, NULL, NULL,
                    "the vGPU type, such as a100-10c or 10c: its last number is the frame buffer "
                    "in GB, and the GPU's nominal GB / that, rounded down, the slots"},
    [PARAM_REPLICAS] = {"replicas", PT_PARAM_INT, "", "", "1", "1024", NULL,
                        "slots of a GPU, instead of a type; memory is split equally"},
    [PARAM_SCHEDULER] = {"scheduler", PT_PARAM_CHOICE, "", "best_effort", NULL, NULL, schedulers,
                         "best_effort: turns between those with work; equal_share: 1/N of those "
                         "running; fixed_share: 1/slots, also alone"},
    [PARAM_SWITCH_LOSS] = {"switch_loss", PT_PARAM_NUMBER, "", "0.11", "0", "100", NULL,
                           "time lost to context switches when several run, as a share of their "
                           "work (COLFAX measured 0.205 on time-sliced vGPUs of an A30)"},
    [PARAM_SLICE] = {"slice_s", PT_PARAM_DURATION, "s", "", "1us", "10s", NULL,
                     "length of a turn, for fidelity: slices alone (default: 2 ms up to 8 slots, "
                     "else 1 ms)"},
    [PARAM_DISTINCT] = {"distinct", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                        "whether the vGPUs of one job sit on distinct GPUs"},
    [PARAM_ALLOW_SPEEDUP] = {"allow_speedup", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                             "whether a job that asked for less (gpu_frac) than its share of now "
                             "may run faster than asked"},
    [PARAM_ONE_ONLY] = {"fail_requests_greater_than_one", PT_PARAM_BOOL, "", "false", NULL, NULL,
                        NULL, "refuse jobs that ask for more than one vGPU"},
    {0}};

/* Letters and digits alone, in lower case: "RTXA6000" and "rtx-a6000" are one. */
static void plain(char out[PRODUCT_MAX], const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < PRODUCT_MAX; i++)
        if (isalnum((unsigned char)text[i])) out[used++] = (char)tolower((unsigned char)text[i]);
    out[used] = '\0';
}

/* "A100D" is of family a100, "A10" is not. */
static bool is_of_family(const char *product, size_t length, const struct pt_gpu_model *gpu)
{
    char asked[PRODUCT_MAX], family[PRODUCT_MAX];
    plain(asked, product, length);
    plain(family, gpu->family, strlen(gpu->family));
    size_t known = strlen(family);
    return strncmp(asked, family, known) == 0 && !isdigit((unsigned char)asked[known]);
}

/* Frame buffer in GB of a type such as "a100-10c" or "10c". */
static enum pt_status parse_type(uint32_t *gb, const char *type, const struct pt_gpu_model *gpu,
                                 struct pt_error *error)
{
    size_t end = strlen(type), head;
    while (end > 0 && isalpha((unsigned char)type[end - 1]))
        end--;
    for (head = end; head > 0 && isdigit((unsigned char)type[head - 1]);)
        head--;
    long number = strtol(type + head, NULL, 10);
    if (head == end || number < 1 || number > GB_MAX || (head > 0 && type[head - 1] != '-'))
        return pt_fail(error, PT_ERR_INPUT,
                       "type: '%.32s' is no vGPU type (such as %s-10c, or 10c alone)", type,
                       gpu->family);
    *gb = (uint32_t)number;
    if (head == 0) return PT_OK;
    size_t product = head - 1, digits = 0;
    while (digits < product && isdigit((unsigned char)type[product - 1 - digits]))
        digits++;
    if (digits > 0 && digits < product && type[product - 1 - digits] == '-')
        return pt_fail(error, PT_ERR_INPUT,
                       "type: '%.32s' is a MIG-backed vGPU, which is a MIG instance: mode: mig",
                       type);
    if (!is_of_family(type, product, gpu))
        return pt_fail(error, PT_ERR_INPUT, "type: '%.32s' is of another GPU than %s", type,
                       gpu->name);
    return PT_OK;
}

/* The size that the GPU is sold by: what its name ends in ("-80gb"), else its memory rounded up to
 * a multiple of 4 GiB, since what nvidia-smi prints leaves out what the card keeps for itself. */
static uint32_t nominal_gb(const struct pt_gpu_model *gpu)
{
    const char *dash = strrchr(gpu->name, '-');
    size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits > 0 && digits < 6 && strcmp(dash + 1 + digits, "gb") == 0)
        return (uint32_t)strtol(dash + 1, NULL, 10);
    return (uint32_t)(((uint64_t)gpu->mem_mib + 4095) / 4096 * 4);
}

/* Slots of a GPU and the frame buffer of each, in MiB. */
static enum pt_status count_slots(uint32_t *slots, uint64_t *mib, const struct pt_gpu_model *gpu,
                                  const struct pt_value *values, struct pt_error *error)
{
    const char *type = values[PARAM_TYPE].text;
    bool has_type = type[0] != '\0', has_replicas = values[PARAM_REPLICAS].text != NULL;
    uint32_t gb = 0;
    if (has_type && has_replicas)
        return pt_fail(error, PT_ERR_INPUT,
                       "type and replicas: the type says how many slots there are");
    if (!has_type && !has_replicas)
        return pt_fail(error, PT_ERR_INPUT, "mode vgpu needs a type (such as %s-10c) or replicas",
                       gpu->family);
    if (has_replicas) {
        *slots = (uint32_t)values[PARAM_REPLICAS].integer;
        *mib = gpu->mem_mib / *slots;
        return PT_OK;
    }
    PT_TRY(parse_type(&gb, type, gpu, error));
    *slots = gb == 0 ? 0 : nominal_gb(gpu) / gb;
    if (*slots == 0)
        return pt_fail(error, PT_ERR_INPUT, "type: '%.32s' needs %u GB of frame buffer, %s has %u",
                       type, (unsigned)gb, gpu->name, (unsigned)nominal_gb(gpu));
    if (*slots > PT_LEVELS_MAX) *slots = PT_LEVELS_MAX;
    *mib = (uint64_t)gb * 1024;
    if (*mib > gpu->mem_mib / *slots) *mib = gpu->mem_mib / *slots;
    return PT_OK;
}

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *values, struct pt_error *error)
{
    static const enum pt_sharing sharing[] = {[BEST_EFFORT] = PT_SHARING_TURNS,
                                              [EQUAL_SHARE] = PT_SHARING_EQUAL,
                                              [FIXED_SHARE] = PT_SHARING_FIXED};
    int64_t scheduler = values[PARAM_SCHEDULER].integer;
    int64_t slice_ns = values[PARAM_SLICE].integer;
    uint32_t slots = 0;
    uint64_t mib = 0;
    PT_TRY(count_slots(&slots, &mib, gpu, values, error));
    if (!values[PARAM_SLICE].text) slice_ns = slots > SLICE_MANY_ABOVE ? SLICE_MANY : SLICE_FEW;
    *shape = (struct pt_unit_shape){
        .gpu = gpu,
        .capacity = slots,
        .residents_max = slots,
        .levels = true,
        .distinct = values[PARAM_DISTINCT].integer != 0,
        .memory_admits = true,
        .one_unit_only = values[PARAM_ONE_ONLY].integer != 0,
        .charge = PT_CHARGE_HELD,
        .sharing = sharing[scheduler],
        .allow_speedup = values[PARAM_ALLOW_SPEEDUP].integer != 0,
        .slots = slots,
        .switch_loss = values[PARAM_SWITCH_LOSS].number,
        .switch_loss_ppm = (uint32_t)values[PARAM_SWITCH_LOSS].ppm,
        .slice_ns = slice_ns,
        .own = {[OWN_SCHEDULER] = (uint64_t)scheduler, [OWN_FRAME_BUFFER] = mib}};
    return PT_OK;
}

/* The frame buffer is the job's, whatever it uses of it. */
static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    if (pt__memory_asked(ask) > shape->own[OWN_FRAME_BUFFER]) return PT_REASON_GPU_MEMORY;
    enum pt_reason reason = pt__need_slot(need, shape, ask);
    if (reason != PT_REASON_NONE) return reason;
    need->mem_mib = (uint32_t)shape->own[OWN_FRAME_BUFFER];
    if (shape->own[OWN_SCHEDULER] == BEST_EFFORT || ask->gpu_frac_ppm == PT_NONE)
        return PT_REASON_NONE;
    need->asked = (struct pt_ratio){ask->gpu_frac_ppm, PT_PPM_ONE};
    need->asked_share = (double)ask->gpu_frac_ppm / PT_PPM_ONE;
    /* One slot, to the millionth that a fraction is written to. */
    uint64_t slots = shape->slots, all = slots * ask->gpu_frac_ppm;
    need->as_asked = shape->own[OWN_SCHEDULER] == FIXED_SHARE && all + slots > PT_PPM_ONE &&
                     all < PT_PPM_ONE + slots;
    return PT_REASON_NONE;
}

static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    const struct pt_unit_shape *shape = facts->shape;
    uint64_t n = shape->own[OWN_SCHEDULER] == FIXED_SHARE ? shape->slots : facts->count;
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct pt_need *need = facts->residents[i].need;
        const struct pt_ratio *asked = &need->asked;
        struct pt_ratio share = {asked->denominator, n * asked->numerator};
        if (shape->own[OWN_SCHEDULER] == BEST_EFFORT) share = pt__share_turns(shape, facts->count);
        bool above = share.numerator > share.denominator && !shape->allow_speedup;
        out[i] = above || need->as_asked ? (struct pt_ratio){1, 1} : share;
    }
}

const struct pt_unit_ops pt__vgpu_mode = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "vgpu",
    .summary = "time-sliced vGPUs of one type: turns by a scheduler, frame buffer and faults apart",
    .source = "NVIDIA AI Enterprise vGPU user guide, section 7 (hardware.md 4)",
    .params = params,
    .configure = configure,
    .need = need,
    .shares = shares,
};
