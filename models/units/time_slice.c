#include "models/units/units.h"

/* Time slicing under `interference: none`: equal turns between the processes on a GPU. With N > 1
 * residents each runs (1 + e) N times slower than alone, e = switch_loss; alone it runs at full
 * speed (models.md, section 4.1; with e = 0 this is textbook processor sharing). Device memory is
 * not partitioned: unchecked, as in life, the process whose allocation does not fit fails. */

enum {
    PARAM_REPLICAS,
    PARAM_SWITCH_LOSS,
    PARAM_MEMORY,
    PARAM_DISTINCT,
    PARAM_SLICE,
    PARAM_ONE_ONLY
};
enum { MEMORY_UNCHECKED, MEMORY_ADMIT };

static const char *const memory_choices[] = {"unchecked", "admit", NULL};

static const struct pt_param params[] = {
    [PARAM_REPLICAS] = {"replicas", PT_PARAM_INT, "", NULL, "1", "1024", NULL,
                        "jobs that may share one GPU"},
    [PARAM_SWITCH_LOSS] = {"switch_loss", PT_PARAM_NUMBER, "", "0.11", "0", "100", NULL,
                           "time lost to context switches when several run, as a share of their "
                           "work (0.11 NOS, 0.205 COLFAX: measured on A100 and A30)"},
    [PARAM_MEMORY] = {"memory", PT_PARAM_CHOICE, "", "unchecked", NULL, NULL, memory_choices,
                      "unchecked: a job whose memory does not fit fails at its start; admit: it "
                      "waits"},
    [PARAM_DISTINCT] = {"distinct", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                        "whether the replicas of one job sit on distinct GPUs"},
    [PARAM_SLICE] = {"slice_s", PT_PARAM_DURATION, "s", "2ms", "1us", "10s", NULL,
                     "length of a turn, for fidelity: slices alone (1 to 2 ms were seen; NVIDIA "
                     "says none)"},
    [PARAM_ONE_ONLY] = {"fail_requests_greater_than_one", PT_PARAM_BOOL, "", "false", NULL, NULL,
                        NULL, "refuse jobs that ask for more than one replica"},
    {0}};

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *values, struct pt_error *error)
{
    (void)error;
    bool admit = values[PARAM_MEMORY].integer == MEMORY_ADMIT;
    uint32_t replicas = (uint32_t)values[PARAM_REPLICAS].integer;
    *shape = (struct pt_unit_shape){.gpu = gpu,
                                    .capacity = replicas,
                                    .residents_max = replicas,
                                    .levels = true,
                                    .uniform = true,
                                    .distinct = values[PARAM_DISTINCT].integer != 0,
                                    .memory_admits = admit,
                                    .memory_oom = !admit,
                                    .fault_spreads = true,
                                    .one_unit_only = values[PARAM_ONE_ONLY].integer != 0,
                                    .charge = PT_CHARGE_SPLIT,
                                    .sharing = PT_SHARING_TURNS,
                                    .slots = replicas,
                                    .switch_loss = values[PARAM_SWITCH_LOSS].number,
                                    .switch_loss_ppm = (uint32_t)values[PARAM_SWITCH_LOSS].ppm,
                                    .slice_ns = values[PARAM_SLICE].integer};
    return PT_OK;
}

static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    return pt__need_slot(need, shape, ask);
}

static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    out[0] = pt__share_turns(facts->shape, facts->count);
}

const struct pt_unit_ops pt__time_slice = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "time_slice",
    .summary = "equal turns between the jobs on a GPU; memory and faults are shared",
    .source = "NVIDIA device plugin time slicing; switch loss: NOS, COLFAX (models.md 4.1)",
    .params = params,
    .configure = configure,
    .need = need,
    .shares = shares,
};
