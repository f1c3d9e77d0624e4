#include "tests/bench/policies.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/bench/figures.h"
#include "tests/property/worlds.h"

/* 1,000 GPUs in nodes of 8 at load 1.0, so that there is always a queue. Jobs come as a Poisson
 * stream, work an exponential hour on average on 1, 2, 4 or 8 GPUs, belong to one of eight tenants
 * of unlike weight and quota, and have an estimate, most of them a deadline, and a priority by
 * their tenant. */

#define NODES 125u
#define GPUS_PER_NODE 8u
#define WORK_MEAN_S 3600.0
#define LOAD 1.0
#define TENANTS 8u
#define RUNS 2

static const char *const sizes[] = {"1", "1", "1", "1", "1", "1", "1", "2", "4", "8"};
#define MEAN_GPUS 2.1

static struct pt_tenant_facts facts[TENANTS];
static struct pt_rank ranks[TENANTS];
static uint32_t tenant_of_word[TENANTS];

static double exponential(struct draw *draw, double mean)
{
    return -log(((double)(draw_bits(draw) >> 11) + 0.5) * 0x1p-53) * mean;
}

static void set_seconds(struct rig *rig, pt_job job, enum pt_column_id column, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", seconds);
    rig_set_cell(rig, job, column, text);
}

static void add_jobs(struct rig *rig, uint32_t jobs, bool gangs)
{
    static const char *const tenants[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
    static const char *const users[] = {"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"};
    double mean_gpus = gangs ? MEAN_GPUS : 1, at_s = 0;
    double gap_s = WORK_MEAN_S * mean_gpus / (LOAD * NODES * GPUS_PER_NODE);
    struct draw draw = {5};
    for (uint32_t j = 0; j < jobs; j++) {
        at_s += exponential(&draw, gap_s);
        double work_s = exponential(&draw, WORK_MEAN_S);
        pt_job job = rig_add_job(rig, (int64_t)(at_s * 1e9), (int64_t)(work_s * 1e9), 1);
        if (gangs) rig_set_cell(rig, job, PT_COL_GPUS, sizes[draw_below(&draw, 10)]);
        rig_set_cell(rig, job, PT_COL_TENANT, tenants[draw_below(&draw, TENANTS)]);
        rig_set_cell(rig, job, PT_COL_USER, users[draw_below(&draw, 10)]);
        set_seconds(rig, job, PT_COL_ESTIMATE, work_s * (1 + draw_below(&draw, 4)) + 1);
        if (draw_chance(&draw, 80))
            set_seconds(rig, job, PT_COL_DEADLINE, work_s * (2 + draw_below(&draw, 8)));
    }
}

static void add_tenants(struct rig *rig)
{
    pt_job bad_row;
    if (pt_trace_finish(&rig->trace, &bad_row, &rig->error) != PT_OK)
        rig_die("%s", rig->error.message);
    rig->trace_finished = true;
    const struct pt_words *words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t t = 0; t < TENANTS; t++) {
        facts[t] = (struct pt_tenant_facts){.name = "tenant",
                                            .parent = PT_NONE,
                                            .weight = 1 + t % 3,
                                            .over_quota_weight = 1 + t % 2,
                                            .quota = UINT64_C(1000000) * (75 + 25 * (t % 3)),
                                            .limit = PT_QUOTA_NONE,
                                            .borrowing_limit = PT_QUOTA_NONE,
                                            .lending_limit = PT_QUOTA_NONE};
        ranks[t] = (struct pt_rank){t % 4, true, true};
        if (t < words->count) tenant_of_word[t] = (uint32_t)(words->words[t][1] - '0');
    }
    rig->world.tenants = facts;
    rig->world.tenant_count = TENANTS;
    rig->world.tenant_of_word = tenant_of_word;
    rig->world.rank_of_tenant = ranks;
}

static enum pt_status take_series(void *ctx, const struct pt_series_row *row,
                                  struct pt_error *error)
{
    (void)ctx, (void)row, (void)error;
    return PT_OK;
}

static void build(struct rig *rig, const char *policy, uint32_t jobs, bool gangs)
{
    rig_init(rig);
    rig->world.check = false;
    rig->world.interval_ns = 3600 * PT_NS_PER_S;
    rig->world.recorder.series = take_series;
    rig_add_pool(rig, &rig_h100, NODES, GPUS_PER_NODE, "exclusive", "");
    rig_set_policy(rig, policy, "", "first_fit");
    add_jobs(rig, jobs, gangs);
    add_tenants(rig);
}

static void say(const char *policy, bool gangs, const char *what, double value, const char *unit,
                const char *limit)
{
    char key[96];
    snprintf(key, sizeof key, "policy_%s_%s_%s", policy, gangs ? "gangs" : "single", what);
    figures_add(key, value, unit, limit);
}

static void time_one(const char *policy, uint32_t jobs, bool gangs)
{
    struct rig rig;
    struct pt_sim_stats stats = {0};
    double best_s = INFINITY;
    build(&rig, policy, jobs, gangs);
    for (int i = 0; i <= RUNS; i++) { /* the last one measures decisions */
        rig.world.measure = i == RUNS;
        rig_start(&rig);
        double from = figures_cpu_s();
        if (rig_run(&rig) != PT_OK) rig_die("%s: %s", policy, rig.error.message);
        double took = figures_cpu_s() - from;
        if (i < RUNS && took < best_s) best_s = took;
        pt_sim_get_stats(rig.sim, &stats);
        rig_reset(&rig);
    }
    rig_fini(&rig);
    bool fast = strcmp(policy, "srtf") == 0 || strcmp(policy, "fair_share") == 0;
    say(policy, gangs, "jobs_per_s", jobs / best_s, "1/s",
        fast ? "goal: >= 200,000" : "goal: >= 20,000");
    say(policy, gangs, "decision_p50_ns", (double)stats.decision_p50_ns, "ns", NULL);
    say(policy, gangs, "decision_p99_ns", (double)stats.decision_p99_ns, "ns", NULL);
    say(policy, gangs, "preemptions_per_job", (double)stats.preemptions / jobs, "", NULL);
    say(policy, gangs, "queue_length_max", (double)stats.queue_length_max, "", NULL);
}

void policies_time(const char *name, uint32_t jobs)
{
    char title[128];
    snprintf(title, sizeof title, "Policies: %u jobs on 1,000 GPUs in nodes of 8, load %g", jobs,
             LOAD);
    figures_title(title);
    for (size_t i = 0; pt_policies[i] != NULL; i++) {
        if (name != NULL && strcmp(pt_policies[i]->name, name) != 0) continue;
        time_one(pt_policies[i]->name, jobs, false);
        time_one(pt_policies[i]->name, jobs, true);
    }
}
