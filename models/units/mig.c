#include "models/units/mig.h"

#include <string.h>

#include "models/units/units.h"

/* MIG: the GPU cut into instances, each with its own SMs, memory and fault domain (models.md 2).
 * A unit is an instance of one profile, or, with `inside`, a slot of one. Under `interference:
 * none` an instance's share of the GPU is its compute slices / the GPU's. */

enum {
    PARAM_LAYOUT,
    PARAM_RECONFIGURE,
    PARAM_RECONFIGURE_S,
    PARAM_OPERATOR,
    PARAM_PROBABILITY,
    PARAM_ATTEMPTS,
    PARAM_BACKOFF,
    PARAM_DURATION,
    PARAM_START,
    PARAM_TAX,
    PARAM_SPEEDUP,
    PARAM_INSIDE,
    PARAM_REPLICAS,
    PARAM_SWITCH_LOSS
};

/* In the order of the enumerations of mig.h. */
static const char *const change_choices[] = {"static", "when_gpu_idle", "partial", NULL};
static const char *const start_choices[] = {"best", "first", "driver", NULL};
static const char *const inside_choices[] = {"none", "time_slice", "mps", NULL};

static const struct pt_param params[] = {
    [PARAM_LAYOUT] = {"layout", PT_PARAM_WORDS, "", "", NULL, NULL, NULL,
                      "instances of each GPU: a list of profiles in any order, or all-PROFILE, "
                      "all-1g, all-balanced; with reconfigure the ones it begins with"},
    [PARAM_RECONFIGURE] = {"reconfigure", PT_PARAM_CHOICE, "", "static", NULL, NULL, change_choices,
                           "static: the layout stays; when_gpu_idle: all of a GPU's instances are "
                           "made anew while no job is on it; partial: idle ones make room one by "
                           "one"},
    [PARAM_RECONFIGURE_S] = {"reconfigure_s", PT_PARAM_DURATION, "s", "", "0", NULL, NULL,
                             "from the decision until new instances serve (absent: 7.5 s, with "
                             "operator 110 s, both measured)"},
    [PARAM_OPERATOR] = {"operator", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                        "changes go through the Kubernetes GPU operator, which holds the whole "
                        "node meanwhile"},
    [PARAM_PROBABILITY] = {"reconfigure_failures.probability", PT_PARAM_NUMBER, "", "0", "0", "1",
                           NULL, "chance that an attempt to change a GPU's instances fails"},
    [PARAM_ATTEMPTS] = {"reconfigure_failures.attempts", PT_PARAM_INT, "", "3", "1", "1000", NULL,
                        "failed attempts after which the GPU is out of service"},
    [PARAM_BACKOFF] = {"reconfigure_failures.backoff", PT_PARAM_DURATION, "s", "30s", "0", NULL,
                       NULL, "between a failed attempt and the next"},
    [PARAM_DURATION] = {"reconfigure_failures.duration", PT_PARAM_DURATION, "s", "", "0", NULL,
                        NULL, "length of an attempt that fails (absent: as one that works)"},
    [PARAM_START] = {"start", PT_PARAM_CHOICE, "", "best", NULL, NULL, start_choices,
                     "where a new instance goes: best: where most other instances stay possible; "
                     "first: lowest; driver: highest, as real cards were seen to choose"},
    [PARAM_TAX] = {"mig_mode_tax", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                   "shares are of all SMs of the GPU, not of those that MIG mode leaves (A100: 98 "
                   "of 108), for jobs that asked for no profile"},
    [PARAM_SPEEDUP] = {"allow_speedup", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                       "a job on more than it asked for may run faster than that"},
    [PARAM_INSIDE] = {"inside.mode", PT_PARAM_CHOICE, "", "none", NULL, NULL, inside_choices,
                      "how jobs share one instance"},
    [PARAM_REPLICAS] = {"inside.replicas", PT_PARAM_INT, "", "1", "1", "128", NULL,
                        "slots of an instance: jobs under time_slice, processes under mps; each "
                        "has that part of its memory"},
    [PARAM_SWITCH_LOSS] = {"inside.switch_loss", PT_PARAM_NUMBER, "", "0.11", "0", "100", NULL,
                           "as time_slice's, when several share an instance in turns"},
    {0}};

/* ---- configuration ---- */

/* MPS clients that every instance there may be takes: a GPU's, in proportion to the compute slices
 * of the smallest (assumed; the guide says that the limit goes down with the instance's size). */
static uint32_t clients_inside(const struct pt_gpu_model *gpu, const struct pt__mig_layout *layout,
                               bool is_static)
{
    const struct pt_mig *mig = gpu->mig;
    uint32_t least = mig->profiles[0].compute;
    if (is_static) least = mig->compute;
    for (unsigned start = 0; is_static && start < PT_MIG_SLICES_MAX; start++)
        if ((layout->starts >> start & 1) && mig->profiles[layout->profile[start]].compute < least)
            least = mig->profiles[layout->profile[start]].compute;
    return gpu->mps_clients * least / mig->compute;
}

static enum pt_status check_inside(const struct pt_gpu_model *gpu, const struct pt_value *values,
                                   uint32_t clients, struct pt_error *error)
{
    int64_t inside = values[PARAM_INSIDE].integer, replicas = values[PARAM_REPLICAS].integer;
    if (inside == PT__MIG_ALONE && replicas > 1)
        return pt_fail(error, PT_ERR_INPUT,
                       "inside.replicas is %lld, but inside.mode is none: choose time_slice or mps",
                       (long long)replicas);
    if (inside == PT__MIG_CLIENTS && replicas > (int64_t)clients)
        return pt_fail(error, PT_ERR_INPUT,
                       "inside.replicas is %lld: MPS takes at most %u clients on the smallest "
                       "instance (%u on the whole of %.64s)",
                       (long long)replicas, clients, gpu->mps_clients, gpu->name);
    return PT_OK;
}

static struct pt_reconfigure reconfigure(const struct pt_value *values)
{
    bool node_wide = values[PARAM_OPERATOR].integer != 0;
    int64_t cost_ns = node_wide ? 110 * PT_NS_PER_S : 15 * PT_NS_PER_S / 2;
    if (values[PARAM_RECONFIGURE_S].text) cost_ns = values[PARAM_RECONFIGURE_S].integer;
    const struct pt_value *failed = &values[PARAM_DURATION];
    return (struct pt_reconfigure){.cost_ns = cost_ns,
                                   .node_wide = node_wide,
                                   .failure_ppm = (uint32_t)values[PARAM_PROBABILITY].ppm,
                                   .attempts = (uint32_t)values[PARAM_ATTEMPTS].integer,
                                   .backoff_ns = values[PARAM_BACKOFF].integer,
                                   .failed_ns = failed->text ? failed->integer : cost_ns};
}

static void keep_layout(struct pt_unit_shape *shape, const struct pt__mig_layout *layout,
                        bool is_static)
{
    uint64_t offered = 0, profiles = 0;
    for (unsigned start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(layout->starts >> start & 1)) continue;
        offered |= UINT64_C(1) << layout->profile[start];
        profiles |= (uint64_t)layout->profile[start] << (4 * start);
    }
    if (!is_static) offered = (UINT64_C(1) << shape->gpu->mig->profile_count) - 1;
    shape->own[PT__MIG_OWN_STARTS] = layout->starts;
    shape->own[PT__MIG_OWN_PROFILES] = profiles;
    shape->own[PT__MIG_OWN_OFFERED] = offered;
}

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *values, struct pt_error *error)
{
    static const enum pt_sharing sharing[] = {PT_SHARING_ALONE, PT_SHARING_TURNS, PT_SHARING_SMS};
    const struct pt_mig *mig = gpu->mig;
    struct pt__mig_layout layout;
    bool is_static = values[PARAM_RECONFIGURE].integer == PT__MIG_STATIC;
    if (mig == NULL)
        return pt_fail(error, PT_ERR_INPUT,
                       "%.64s has no MIG, so its pool can't have 'mode: mig'; GPUs with MIG: A100, "
                       "A30, H100, H200, GH200, B200, GB200, RTX PRO 6000 (others share by "
                       "time_slice, mps, fractional or vgpu)",
                       gpu->name);
    PT_TRY(pt__mig_parse_layout(&layout, gpu, values[PARAM_LAYOUT].text, error));
    if (is_static && layout.starts == 0)
        return pt_fail(error, PT_ERR_INPUT,
                       "reconfigure: static needs a layout, since no instance is ever made (say "
                       "layout: all-%.24s, or reconfigure: partial)",
                       mig->profiles[0].name);
    PT_TRY(check_inside(gpu, values, clients_inside(gpu, &layout, is_static), error));
    uint32_t slots = (uint32_t)values[PARAM_REPLICAS].integer;
    bool tax = values[PARAM_TAX].integer != 0;
    *shape = (struct pt_unit_shape){.gpu = gpu,
                                    .capacity = mig->compute * slots,
                                    .residents_max = PT_NONE,
                                    .levels = mig->compute * slots <= PT_LEVELS_MAX,
                                    .distinct = slots > 1, /* as replicas: two ranks, two GPUs */
                                    .memory_admits = true,
                                    .fault_spreads = true,
                                    .sharing = sharing[values[PARAM_INSIDE].integer],
                                    .allow_speedup = values[PARAM_SPEEDUP].integer != 0,
                                    .slots = slots,
                                    .switch_loss = values[PARAM_SWITCH_LOSS].number,
                                    .switch_loss_ppm = (uint32_t)values[PARAM_SWITCH_LOSS].ppm,
                                    .whole_sms = tax ? gpu->sms : mig->profiles[mig->full].sms,
                                    .reconfigure = reconfigure(values)};
    keep_layout(shape, &layout, is_static);
    shape->own[PT__MIG_OWN_CHANGE] = (uint64_t)values[PARAM_RECONFIGURE].integer;
    shape->own[PT__MIG_OWN_RULE] = (uint64_t)values[PARAM_START].integer;
    shape->own[PT__MIG_OWN_INSIDE] = (uint64_t)values[PARAM_INSIDE].integer;
    return PT_OK;
}

/* ---- what a job takes ---- */

/* Whether an instance, or the job's slots of it, holds the job's memory. */
static bool holds(const struct pt_mig_profile *profile, const struct pt_unit_shape *shape,
                  const struct pt_ask *ask)
{
    if (ask->gpu_mem_mib == PT_NONE) return true;
    uint64_t each = ask->gpu_mem_mib, limit = profile->mem_mib / shape->slots;
    bool per_process = shape->own[PT__MIG_OWN_INSIDE] == PT__MIG_CLIENTS;
    return (per_process ? each : each * ask->processes) <= limit;
}

/* The smallest profile on offer that does for a job without a profile's name. */
static enum pt_reason smallest(uint32_t *index, const struct pt_unit_shape *shape,
                               const struct pt_ask *ask)
{
    const struct pt_mig *mig = shape->gpu->mig;
    uint64_t wanted = ask->gpu_frac_ppm == PT_NONE ? PT_PPM_ONE : ask->gpu_frac_ppm;
    bool large_enough = false;
    if (ask->mig != NULL) wanted = 0; /* auto */
    for (uint32_t i = 0; i < mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &mig->profiles[i];
        bool offered = shape->own[PT__MIG_OWN_OFFERED] >> i & 1;
        if (!offered || profile->media) continue;
        if ((uint64_t)profile->compute * PT_PPM_ONE < wanted * mig->compute) continue;
        large_enough = true;
        if (!holds(profile, shape, ask)) continue;
        *index = i;
        return PT_REASON_NONE;
    }
    return large_enough ? PT_REASON_GPU_MEMORY : PT_REASON_MIG_PROFILE;
}

static enum pt_reason choose_profile(uint32_t *index, const struct pt_unit_shape *shape,
                                     const struct pt_ask *ask)
{
    const struct pt_mig *mig = shape->gpu->mig;
    if (ask->mig == NULL || strcmp(ask->mig, "auto") == 0) return smallest(index, shape, ask);
    *index = pt_mig_find(mig, ask->mig);
    if (*index == PT_NONE || !(shape->own[PT__MIG_OWN_OFFERED] >> *index & 1))
        return PT_REASON_MIG_PROFILE;
    return holds(&mig->profiles[*index], shape, ask) ? PT_REASON_NONE : PT_REASON_GPU_MEMORY;
}

/* An instance's share of the GPU under textbook shares: compute slices, and of all SMs where MIG
 * mode's loss of some is counted. */
static struct pt_ratio textbook_share(const struct pt_unit_shape *shape,
                                      const struct pt_mig_profile *profile)
{
    const struct pt_mig *mig = shape->gpu->mig;
    uint32_t mig_sms = mig->profiles[mig->full].sms;
    if (shape->whole_sms == mig_sms) return (struct pt_ratio){profile->compute, mig->compute};
    return (struct pt_ratio){(uint64_t)profile->compute * mig_sms,
                             (uint64_t)mig->compute * shape->whole_sms};
}

static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    const struct pt_mig *mig = shape->gpu->mig;
    bool is_named = ask->mig != NULL && strcmp(ask->mig, "auto") != 0;
    bool clients = shape->own[PT__MIG_OWN_INSIDE] == PT__MIG_CLIENTS;
    uint32_t index = 0, slots = clients ? ask->processes : 1;
    enum pt_reason reason = choose_profile(&index, shape, ask);
    if (reason != PT_REASON_NONE) return reason;
    if (slots > shape->slots) return PT_REASON_CLIENTS;
    const struct pt_mig_profile *profile = &mig->profiles[index];
    uint64_t mib = ask->gpu_mem_mib == PT_NONE ? 0 : (uint64_t)ask->gpu_mem_mib * ask->processes;
    struct pt_ratio share = textbook_share(shape, profile);
    *need = (struct pt_need){.capacity = profile->compute * slots,
                             .mem_mib = (uint32_t)mib,
                             .clients = ask->processes,
                             .profile = (uint8_t)index,
                             .capped = clients,
                             .cap = {clients ? slots : 1, clients ? shape->slots : 1},
                             .asked = {1, 1},
                             .asked_share = 1};
    if (is_named) {
        need->asked = share;
        need->asked_share = (double)profile->sms / shape->whole_sms;
    } else if (ask->mig == NULL && ask->gpu_frac_ppm != PT_NONE) {
        need->asked = (struct pt_ratio){ask->gpu_frac_ppm, PT_PPM_ONE};
        need->asked_share = (double)ask->gpu_frac_ppm / PT_PPM_ONE;
    }
    bool whole_cap = need->cap.numerator == need->cap.denominator;
    need->as_asked = whole_cap && need->asked.numerator * share.denominator ==
                                      share.numerator * need->asked.denominator;
    return PT_REASON_NONE;
}

/* ---- shares ---- */

/* A quotient of two numbers > 0 in 64 bits each. Sane figures are exact; a catalogue with billions
 * of SMs loses the last bits. */
static struct pt_ratio reduce(pt_u128 numerator, pt_u128 denominator)
{
    if (numerator <= UINT64_MAX && denominator <= UINT64_MAX)
        return (struct pt_ratio){(uint64_t)numerator, (uint64_t)denominator};
    pt_u128 a = numerator, b = denominator;
    while (b != 0) {
        pt_u128 rest = a % b;
        a = b;
        b = rest;
    }
    numerator /= a;
    denominator /= a;
    while (numerator > UINT64_MAX || denominator > UINT64_MAX) {
        numerator >>= 1;
        denominator >>= 1;
    }
    return (struct pt_ratio){(uint64_t)numerator, (uint64_t)denominator};
}

/* What a resident gets of the GPU, relative to what it asked for. */
static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    const struct pt_unit_shape *shape = facts->shape;
    struct pt_ratio whole = textbook_share(shape, facts->instance), turn = {1, 1};
    if (shape->sharing == PT_SHARING_TURNS) turn = pt__share_turns(shape, facts->count);
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct pt_need *need = facts->residents[i].need;
        struct pt_ratio inside = need->capped ? need->cap : turn;
        pt_u128 got = (pt_u128)whole.numerator * inside.numerator * need->asked.denominator;
        pt_u128 asked = (pt_u128)whole.denominator * inside.denominator * need->asked.numerator;
        if (got == asked || (got > asked && !shape->allow_speedup))
            out[i] = (struct pt_ratio){1, 1};
        else
            out[i] = reduce(got, asked);
    }
}

const struct pt_unit_ops pt__mig = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "mig",
    .summary = "GPUs cut into instances with SMs, memory and faults of their own",
    .source = "placements as nvidia-smi mig -lgipp prints them; costs: measured on A100 with and "
              "without the GPU operator (models.md 2)",
    .params = params,
    .configure = configure,
    .need = need,
    .shares = shares,
    .nested = &pt__mig_nested,
};
