/* What every registered policy must keep in every world that it can meet: no job is lost, nothing
 * is over-committed (every invariant after every instant), the same bytes twice, and an end.
 *
 *   conformance POLICY [SEEDS]     the last line has a digest of all runs, for compilers.sh
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/property/worlds.h"

#define JOBS_MAX 40
#define TENANTS 4

struct mode {
    const char *name, *params;
};

static const struct mode modes[] = {
    {"exclusive", ""},
    {"time_slice", "replicas=3 memory=admit"},
    {"time_slice", "replicas=2"},
    {"mps", "replicas=4"},
    {"fractional", "compute=time_slicing"},
    {"fractional", "compute=none"},
    {"vgpu", "replicas=2 scheduler=equal_share"},
    {"mig", "layout=all-balanced"},
    {"mig", "reconfigure=partial reconfigure_s=2"},
    {"mig", "reconfigure=when_gpu_idle layout=all-1g reconfigure_s=0"},
};
#define MODES (sizeof modes / sizeof *modes)

/* The situations, each of which some scheduler somewhere has been seen to die of. */
enum situation { CROWDED, NO_JOBS, TOO_LARGE, ALL_AT_ONCE, NODES_FAIL, TIGHT, SITUATIONS };
static const char *const situation_names[] = {"crowded",     "no jobs",    "a job too large",
                                              "all at once", "nodes fail", "limits and hosts"};

static struct pt_rank rank_of_word[8], rank_of_tenant[TENANTS];
static struct pt_tenant_facts tenants[TENANTS];
static uint32_t tenant_of_word[TENANTS];
static const char *const tenant_names[TENANTS] = {"t0", "t1", "t2", "t3"};

static void set_number(struct rig *rig, pt_job row, enum pt_column_id column, uint32_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu32, number);
    rig_set_cell(rig, row, column, text);
}

static void draw_job(struct rig *rig, struct draw *draw, enum situation situation, bool mig)
{
    static const char *const fractions[] = {"0.1", "0.25", "0.333333", "0.5", "0.7", "1"};
    static const char *const profiles[] = {"1g.10gb", "2g.20gb", "3g.40gb", "auto"};
    static const char *const kinds[] = {"training", "batch", "interactive", "inference"};
    int64_t submit_ns = situation == ALL_AT_ONCE ? 0 : (int64_t)draw_below(draw, 60) * PT_NS_PER_S;
    int64_t work_ns = (int64_t)draw_below(draw, 30) * PT_NS_PER_S;
    if (draw_chance(draw, 40)) work_ns += draw_below(draw, 1000000007);
    uint32_t gpus = draw_chance(draw, 30) ? 1 + draw_below(draw, 5) : 1;
    if (situation == TOO_LARGE && draw_chance(draw, 30)) gpus = 1000;
    if (draw_chance(draw, 3)) gpus = 0;
    pt_job row = rig_add_job(rig, submit_ns, work_ns, gpus);
    if (draw_chance(draw, 30))
        rig_set_cell(rig, row, PT_COL_GPU_FRAC, fractions[draw_below(draw, 6)]);
    if (draw_chance(draw, 30)) set_number(rig, row, PT_COL_GPU_MEM, 1 + draw_below(draw, 30));
    if (mig && draw_chance(draw, 50))
        rig_set_cell(rig, row, PT_COL_MIG, profiles[draw_below(draw, 4)]);
    if (draw_chance(draw, 60)) set_number(rig, row, PT_COL_ESTIMATE, 1 + draw_below(draw, 40));
    if (draw_chance(draw, 40)) set_number(rig, row, PT_COL_DEADLINE, draw_below(draw, 90));
    if (draw_chance(draw, 60)) set_number(rig, row, PT_COL_PRIORITY, draw_below(draw, 3) * 60);
    if (draw_chance(draw, 10)) rig_set_cell(rig, row, PT_COL_PREEMPTIBLE, "false");
    if (draw_chance(draw, 30)) set_number(rig, row, PT_COL_NODES_MAX, 1 + draw_below(draw, 2));
    if (draw_chance(draw, 30)) set_number(rig, row, PT_COL_CHECKPOINT, draw_below(draw, 5));
    if (situation == TIGHT && draw_chance(draw, 50))
        set_number(rig, row, PT_COL_CPUS, 1 + draw_below(draw, 12));
    rig_set_cell(rig, row, PT_COL_TENANT, tenant_names[draw_below(draw, TENANTS)]);
    rig_set_cell(rig, row, PT_COL_KIND, kinds[draw_below(draw, 4)]);
    if (draw_chance(draw, 50))
        rig_set_cell(rig, row, PT_COL_USER, tenant_names[draw_below(draw, TENANTS)]);
}

static void draw_tenants(struct rig *rig, struct draw *draw, enum situation situation)
{
    for (uint32_t t = 0; t < TENANTS; t++) {
        uint64_t quota =
            draw_chance(draw, 60) ? draw_below(draw, 5) * UINT64_C(1000000) : PT_QUOTA_NONE;
        bool limited = situation == TIGHT && draw_chance(draw, 60);
        uint64_t limit = limited ? (1 + draw_below(draw, 4)) * UINT64_C(1000000) : PT_QUOTA_NONE;
        uint32_t parent = t > 1 && draw_chance(draw, 40) ? 1 : PT_NONE;
        double weight = 1 + draw_below(draw, 3), over = draw_below(draw, 3);
        int64_t priority = draw_below(draw, 2);
        rank_of_tenant[t] = (struct pt_rank){priority, !draw_chance(draw, 20), true};
        tenants[t] = (struct pt_tenant_facts){.name = tenant_names[t],
                                              .parent = parent,
                                              .weight = weight,
                                              .over_quota_weight = over,
                                              .priority = priority,
                                              .quota = quota,
                                              .limit = limit,
                                              .borrowing_limit = PT_QUOTA_NONE,
                                              .lending_limit = PT_QUOTA_NONE};
    }
    rig->world.tenants = tenants;
    rig->world.tenant_count = TENANTS;
}

static void read_words(struct rig *rig)
{
    pt_job bad_row;
    if (pt_trace_finish(&rig->trace, &bad_row, &rig->error) != PT_OK)
        rig_die("trace: %s", rig->error.message);
    rig->trace_finished = true;
    const struct pt_words *words = &rig->trace.words[PT_COL_PRIORITY];
    for (uint32_t w = 0; w < words->count && w < 8; w++)
        rank_of_word[w] = (struct pt_rank){strtoll(words->words[w], NULL, 10), w % 3 != 2, true};
    words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t w = 0; w < words->count; w++)
        tenant_of_word[w] = (uint32_t)strtoul(words->words[w] + 1, NULL, 10);
    rig->world.rank_of_word = rank_of_word;
    rig->world.rank_of_tenant = rank_of_tenant;
    rig->world.tenant_of_word = tenant_of_word;
}

/* Parameters of the policy with one of its choices or switches set otherwise than by default. */
static void draw_params(char *text, size_t size, const struct pt_param *params, struct draw *draw)
{
    text[0] = '\0';
    for (; params != NULL && params->name != NULL; params++) {
        size_t used = strlen(text);
        if (!draw_chance(draw, 40)) continue;
        if (params->type == PT_PARAM_BOOL)
            snprintf(text + used, size - used, "%s=%s ", params->name,
                     draw_chance(draw, 50) ? "true" : "false");
        if (params->type != PT_PARAM_CHOICE) continue;
        uint32_t count = 0;
        while (params->choices[count] != NULL)
            count++;
        snprintf(text + used, size - used, "%s=%s ", params->name,
                 params->choices[draw_below(draw, count)]);
    }
}

static const char *draw_policy(struct rig *rig, struct draw *draw, const char *policy)
{
    static char params[2048];
    uint32_t placements = 0;
    while (pt_placements[placements] != NULL)
        placements++;
    const char *placement = pt_placements[draw_below(draw, placements)]->name;
    draw_params(params, sizeof params, pt_policy_find(policy)->params, draw);
    rig_set_policy(rig, policy, params, placement);
    if (draw_chance(draw, 50)) return params; /* stopping as the policy itself has it */
    rig->world.preemption.mode = (enum pt_preemption_mode)draw_below(draw, 4);
    rig->world.preemption.victims = (enum pt_victims)draw_below(draw, 3);
    if (draw_chance(draw, 50)) rig->world.restore.base_ns = PT_NS_PER_S;
    if (draw_chance(draw, 40)) rig->world.preemption.save_base_ns = 3 * PT_NS_PER_S / 2;
    if (draw_chance(draw, 40)) rig->world.preemption.save_per_gib_ns = PT_NS_PER_S / 5;
    return params;
}

static void build(struct rig *rig, const char *policy, uint64_t seed, enum situation situation,
                  const struct mode *mode, const char **params)
{
    struct draw draw = {seed * SITUATIONS + situation};
    uint32_t jobs = situation == NO_JOBS ? 0 : 1 + draw_below(&draw, JOBS_MAX);
    uint32_t nodes = 1 + draw_below(&draw, 3), gpus = 1 + draw_below(&draw, 4);
    rig_init(rig);
    rig->world.check = true;
    rig->world.seed = seed;
    rig->world.retries.oom = 2;
    struct pt_pool *first = rig_add_pool(rig, &rig_h100, nodes, gpus, mode->name, mode->params);
    if (situation == TIGHT) first->cpus_milli_per_node = 16000;
    if (draw_chance(&draw, 40)) rig_add_pool(rig, &rig_a100_80, 2, 2, "exclusive", "");
    *params = draw_policy(rig, &draw, policy);
    draw_tenants(rig, &draw, situation);
    for (uint32_t j = 0; j < jobs; j++)
        draw_job(rig, &draw, situation, strcmp(mode->name, "mig") == 0);
    if (situation == NODES_FAIL) {
        rig->down[0][0] = (struct pt_down_window){5 * PT_NS_PER_S, 12 * PT_NS_PER_S};
        rig->down[0][1] = (struct pt_down_window){20 * PT_NS_PER_S, 21 * PT_NS_PER_S};
        rig->nodes[0].down = rig->down[0];
        rig->nodes[0].down_count = 2;
        rig->world.faults.gpu_mtbf_ns = 200 * PT_NS_PER_S;
        rig->world.horizon_ns = 2000 * PT_NS_PER_S;
    }
    read_words(rig);
}

/* Runs it; false, and it is said, where something does not hold. */
static bool holds(const char *policy, uint64_t seed, enum situation situation,
                  const struct mode *mode, char digest[33])
{
    static struct rig rig;
    const char *params;
    build(&rig, policy, seed, situation, mode, &params);
    enum pt_status status = rig_run(&rig);
    char message[1024];
    snprintf(message, sizeof message, "%s", rig.error.message);
    const char *wrong = status == PT_OK ? NULL : message;
    /* who loses all at each stop may never get anywhere: that is told, and no fault of a policy */
    if (wrong != NULL && strstr(message, "without letting it get anywhere") != NULL) {
        rig_fini(&rig);
        digest[0] = '\0';
        return true;
    }
    if (wrong != NULL && pt_sim_abandon(rig.sim, &rig.error) != PT_OK) wrong = rig.error.message;
    for (pt_job job = 0; job < rig.trace.job_count && wrong == NULL; job++) {
        enum pt_job_state state = (enum pt_job_state)rig.results[job].state;
        if (state == PT_STATE_COUNT)
            wrong = "a job is lost";
        else if (!pt_job_state_is_final(state) && rig.world.horizon_ns == PT_NEVER)
            wrong = "a job does not end";
    }
    if (wrong != NULL)
        printf("%s %s, %s (%s %s), seed %" PRIu64 ", placement %s, preemption %d: %s\n", policy,
               params, situation_names[situation], mode->name, mode->params, seed,
               rig.world.placement->name, (int)rig.world.preemption.mode, wrong);
    memcpy(digest, rig.digest, 33);
    rig_fini(&rig);
    return wrong == NULL;
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 5, runs = 0, sum = 0;
    if (argc < 2 || pt_policy_find(argv[1]) == NULL) rig_die("conformance POLICY [SEEDS]");
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (int s = 0; s < SITUATIONS; s++)
            for (size_t m = 0; m < MODES; m++) {
                char once[33], twice[33];
                if (!holds(argv[1], seed, (enum situation)s, &modes[m], once)) return 1;
                if (!holds(argv[1], seed, (enum situation)s, &modes[m], twice)) return 1;
                runs += 2;
                for (const char *c = once; *c != '\0'; c++)
                    sum = (sum ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001b3);
                if (strcmp(once, twice) == 0) continue;
                printf("%s: %s is not the same twice, seed %" PRIu64 "\n", argv[1],
                       situation_names[s], seed);
                return 1;
            }
    printf("%s: %" PRIu64 " runs, %016" PRIx64 "\n", argv[1], runs, sum);
    return 0;
}
