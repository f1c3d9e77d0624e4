#include "analysis/stats/summary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/unit/analysis/world.h"

static const struct pt_metric_group *group(const struct pt_summary *s, const char *dimension,
                                           const char *label)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct pt_metric_group *g = &s->groups[i];
        if (strcmp(g->dimension, dimension) == 0 && strcmp(g->label, label) == 0) return g;
    }
    return NULL;
}

static double in(const struct pt_metric_group *g, const char *name)
{
    const struct pt_metric *metric = g == NULL ? NULL : pt_summary_find(g, name);
    cr_assert_not_null(metric, "no metric %s", name);
    return metric->value;
}

static double value(const struct pt_summary *s, const char *name)
{
    return in(&s->groups[0], name);
}

static void near(double actual, double expected, const char *what)
{
    cr_assert_float_eq(actual, expected, 1e-12 * (1 + fabs(expected)), "%s is %.17g", what, actual);
}
#define NEAR(actual, expected) near(actual, expected, #actual)

static struct pt_summary *summarise(struct world *w)
{
    struct pt_summary *summary = NULL;
    cr_assert_eq(pt_summary_create(&summary, &w->input, NULL), PT_OK);
    return summary;
}

/* A: 0, 10 s of work, runs 0-10 alone. B: 5, 20 s, waits to 10, runs to 40 with 25 s running. C: 6,
 * no work, starts and ends 16. D: 8, failed 10-12. E: 9, withdrawn. F: 50, still running from 60.
 * G: 70, never. */
static void seven_jobs(struct world *w)
{
    world_init(w);
    world_add(w, 0, 10, 1);
    world_add(w, 5, 20, 2);
    world_add(w, 6, 0, 1);
    world_add(w, 8, 4, 1);
    world_add(w, 9, 4, 1);
    world_add(w, 50, 9, 1);
    world_add(w, 70, 9, 1);
    world_ready(w);
    world_ran(w, 0, PT_STATE_DONE, 0, 10, 10, 0);
    world_ran(w, 1, PT_STATE_DONE, 10, 40, 25, 0);
    world_ran(w, 2, PT_STATE_DONE, 16, 16, 0, 2);
    world_ran(w, 3, PT_STATE_FAILED, 10, 12, 0, 3);
    w->outcomes->end_ns[4] = 100 * S;
    w->outcomes->state[4] = PT_STATE_WITHDRAWN;
    w->outcomes->start_ns[5] = 60 * S;
    w->outcomes->home_gpu[5] = 1;
    w->outcomes->state[5] = PT_STATE_RUNNING;
    w->outcomes->state[6] = PT_STATE_PENDING;
}

Test(summary, of_seven_jobs_by_hand)
{
    struct world w;
    seven_jobs(&w);
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "jobs"), 7);
    NEAR(value(s, "done"), 3);
    NEAR(value(s, "failed"), 1);
    NEAR(value(s, "withdrawn"), 1);
    NEAR(value(s, "running"), 1);
    NEAR(value(s, "pending"), 1);
    NEAR(value(s, "unschedulable"), 0);
    /* 10, 35, 10 */
    NEAR(value(s, "jct_mean_s"), 55.0 / 3);
    NEAR(value(s, "jct_p50_s"), 10);
    NEAR(value(s, "jct_p90_s"), 30); /* rank 1.8 between 10 and 35 */
    NEAR(value(s, "jct_max_s"), 35);
    /* 0, 5, 10, 2 (failed, but started), 10 (running) */
    NEAR(value(s, "wait_mean_s"), 5.4);
    NEAR(value(s, "wait_p50_s"), 5);
    NEAR(value(s, "wait_max_s"), 10);
    cr_assert_eq(pt_summary_find(&s->groups[0], "wait_mean_s")->count, 5);
    /* 0, 10, 10 */
    NEAR(value(s, "queue_mean_s"), 20.0 / 3);
    /* 1, 1.75; C has no slowdown, and bounded 1 */
    NEAR(value(s, "slowdown_mean"), 1.375);
    NEAR(value(s, "slowdown_max"), 1.75);
    NEAR(value(s, "jct_increase_mean"), 0.375);
    NEAR(value(s, "bounded_slowdown_mean"), (1 + 1.75 + 1) / 3);
    cr_assert_eq(pt_summary_find(&s->groups[0], "slowdown_p50")->count, 2);
    NEAR(value(s, "sharing_increase_mean"), 0.125);
    NEAR(value(s, "makespan_s"), 40); /* giving up at 100 is no end of work */
    cr_assert(isnan(value(s, "sla_satisfaction")));
    cr_assert_null(pt_summary_find(&s->groups[0], "tardiness_mean_s"));
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, counts_paused_jobs_as_running_and_reserved_ones_as_pending)
{
    struct world w;
    seven_jobs(&w);
    w.outcomes->state[5] = PT_STATE_PAUSED;
    w.outcomes->preemptions[5] = 2;
    w.outcomes->preemptions[1] = 1;
    w.outcomes->state[6] = PT_STATE_RESERVED;
    w.outcomes->state[3] = PT_STATE_KILLED;
    w.sim.stats.migrations = 4;
    w.input.sim = &w.sim;
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "running"), 1);
    NEAR(value(s, "pending"), 1);
    NEAR(value(s, "killed"), 1);
    NEAR(value(s, "failed"), 0);
    NEAR(value(s, "preemptions"), 3);
    NEAR(value(s, "migrations"), 4);
    NEAR(value(s, "jct_max_s"), 35); /* neither the paused one nor the killed one is in a mean */
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, bounds_short_jobs_by_ten_seconds)
{
    struct world w;
    world_init(&w);
    world_add(&w, 0, 2, 1);
    world_add(&w, 0, 2, 1);
    world_ready(&w);
    world_ran(&w, 0, PT_STATE_DONE, 0, 2, 2, 0);
    world_ran(&w, 1, PT_STATE_DONE, 13, 15, 2, 0);
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "slowdown_max"), 7.5);
    NEAR(value(s, "bounded_slowdown_max"), 1.5);
    NEAR(value(s, "bounded_slowdown_mean"), 1.25);
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, by_pool_kind_and_tenant)
{
    static const char *const names[] = {"acme", "zoo"};
    static const uint32_t of_word[] = {1, 0};
    struct world w;
    seven_jobs(&w);
    for (pt_job job = 0; job < 7; job++) {
        world_word(&w, PT_COL_TENANT, job, job < 2 ? "zoo" : "acme");
    }
    world_word(&w, PT_COL_KIND, 1, "inference");
    w.input.tenant_count = 2;
    w.input.tenant_names = names;
    w.input.tenant_of_word = of_word;
    struct pt_summary *s = summarise(&w);
    NEAR(in(group(s, "tenant", "zoo"), "jct_mean_s"), 22.5);
    NEAR(in(group(s, "tenant", "acme"), "jobs"), 5);
    NEAR(in(group(s, "tenant", "acme"), "jct_mean_s"), 10);
    NEAR(in(group(s, "pool", "main"), "jobs"), 3);
    NEAR(in(group(s, "pool", "main"), "running"), 1);
    NEAR(in(group(s, "pool", "main"), "jct_max_s"), 35);
    NEAR(in(group(s, "pool", "slice"), "failed"), 1);
    NEAR(in(group(s, "pool", "slice"), "jct_mean_s"), 10);
    NEAR(in(group(s, "kind", "inference"), "jct_mean_s"), 35);
    NEAR(in(group(s, "kind", "training"), "jobs"), 6);
    NEAR(in(group(s, "kind", "training"), "makespan_s"), 16);
    cr_assert_null(pt_summary_find(group(s, "tenant", "zoo"), "utilization"));
    cr_assert_null(group(s, "kind", "batch"));
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, of_no_jobs_has_counts_and_makespan_0_and_nothing_else)
{
    struct world w;
    world_init(&w);
    world_ready(&w);
    struct pt_summary *s = summarise(&w);
    for (uint32_t i = 0; i < s->groups[0].count; i++) {
        const struct pt_metric *m = &s->groups[0].metrics[i];
        bool zero = m->is_count || strcmp(m->name, "makespan_s") == 0;
        cr_assert(zero ? m->value == 0 : isnan(m->value), "%s is %g", m->name, m->value);
        cr_assert_eq(m->count, 0);
    }
    cr_assert(isnan(pt_offered_load(&w.input)));
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, leaves_jobs_before_the_warmup_out_of_means_but_not_out_of_counts)
{
    struct world w;
    seven_jobs(&w);
    w.input.warmup_ns = 5 * S; /* A is left out, B, submitted right then, is not */
    struct pt_sla_bounds tier = world_tier("default");
    tier.max_slowdown = 1.5;
    w.input.tiers = &tier;
    w.input.tier_count = 1;
    w.input.default_tier = 0;
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "done"), 3);
    NEAR(value(s, "jct_mean_s"), 22.5);
    NEAR(value(s, "wait_mean_s"), 27.0 / 4);
    NEAR(value(s, "slowdown_mean"), 1.75);
    NEAR(value(s, "sla_satisfaction"), 1.0 / 6); /* C alone, whose slowdown is null */
    pt_summary_destroy(s);
    world_fini(&w);
}

/* 2 GPUs of main there for 100 s, 150 busy; 2 of slice for 100 s, 50 busy, 160 of 400 unit-seconds
 * held. */
Test(summary, of_rates)
{
    struct world w;
    seven_jobs(&w);
    w.sim.pools[0] = (struct pt_pool_totals){.there = (pt_u128)200 * S,
                                             .busy = (pt_u128)150 * S,
                                             .held = (pt_u128)150 * S,
                                             .fragmentation = 0.25};
    w.sim.pools[1] = (struct pt_pool_totals){.there = (pt_u128)200 * S,
                                             .busy = (pt_u128)50 * S,
                                             .held = (pt_u128)160 * S,
                                             .fragmentation = NAN};
    w.sim.all = (struct pt_pool_totals){
        .there = (pt_u128)400 * S, .busy = (pt_u128)200 * S, .fragmentation = 0.1};
    w.sim.stats.oom_events = 3;
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "utilization"), 0.5);
    NEAR(value(s, "allocation"), (150 + 80) / 400.0);
    NEAR(value(s, "fragmentation"), 0.1);
    NEAR(value(s, "goodput"), (10 + 2 * 20) / 400.0);
    NEAR(value(s, "oom_events"), 3);
    NEAR(in(group(s, "pool", "main"), "utilization"), 0.75);
    NEAR(in(group(s, "pool", "main"), "goodput"), 50 / 200.0);
    NEAR(in(group(s, "pool", "slice"), "allocation"), 0.4);
    cr_assert(isnan(in(group(s, "pool", "slice"), "fragmentation")));
    pt_summary_destroy(s);
    /* twice as fast GPUs do twice the work in their time */
    w.pools[0].rate[PT_CLASS_MIXED] = 2 * PT_SPEED_ONE;
    s = summarise(&w);
    NEAR(value(s, "goodput"), 50 / 600.0);
    pt_summary_destroy(s);
    world_fini(&w);
}

/* 2 GPUs of main at 3.60 an hour (0.001 a second) there for 100 s, of which 150 GPU seconds are
 * charged; pool slice has no price. 0.5 kWh in all. */
Test(summary, of_money)
{
    struct world w;
    seven_jobs(&w);
    cr_assert_eq(pt_outcomes_keep_charges(w.outcomes, NULL), PT_OK);
    w.pools[0].price_micro_per_hour = 3600000;
    w.pools[1].price_micro_per_hour = -1;
    w.sim.pools[0] = (struct pt_pool_totals){.there = (pt_u128)200 * S,
                                             .there_run = (pt_u128)200 * S,
                                             .charged = 150,
                                             .energy = (pt_u128)1800000 * 1000000 * S};
    w.sim.pools[1] = (struct pt_pool_totals){.there_run = (pt_u128)200 * S, .charged = 80};
    w.outcomes->cost[0] = 0.11;
    w.outcomes->cost[1] = 0.04;
    struct pt_summary *s = summarise(&w);
    NEAR(in(group(s, "pool", "main"), "cost"), 0.2);
    NEAR(in(group(s, "pool", "main"), "idle_cost"), 0.05);
    NEAR(in(group(s, "pool", "main"), "energy_kwh"), 0.5);
    cr_expect(isnan(in(group(s, "pool", "slice"), "cost")));
    cr_expect(isnan(value(s, "cost")), "a part without a price makes no sum");
    NEAR(value(s, "energy_kwh"), 0.5);
    NEAR(pt_summary_cost_of_job(&w.input, 0), 0.11);
    NEAR(pt_summary_cost_of_job(&w.input, 1), 0.04);
    pt_summary_destroy(s);
    /* charges and the idle line are the price of the time */
    w.pools[1].price_micro_per_hour = 7200000;
    w.input.electricity_price = 0.2;
    s = summarise(&w);
    NEAR(value(s, "idle_cost"), 0.05 + (200 - 80) * 0.002);
    NEAR(value(s, "cost"), 200 * 0.001 + 200 * 0.002 + 0.5 * 0.2);
    NEAR(value(s, "cost_per_job"), value(s, "cost") / value(s, "done"));
    pt_summary_destroy(s);
    /* never idle: no cost of -0.00 from the rounding of shares */
    w.sim.pools[0].charged = w.sim.pools[1].charged = 200 * (1 + 1e-15);
    s = summarise(&w);
    cr_expect_eq(value(s, "idle_cost"), 0);
    pt_summary_destroy(s);
    world_fini(&w);
}

Test(summary, offered_load_leaves_out_what_never_fits)
{
    struct world w;
    seven_jobs(&w); /* 10 + 40 + 0 + 4 + 4 + 9 + 9 = 76 GPU-seconds, 4 GPUs, 70 s */
    NEAR(pt_offered_load(&w.input), 76.0 / 280);
    w.sim.never_fits[1] = PT_REASON_TOO_MANY_GPUS;
    NEAR(pt_offered_load(&w.input), 36.0 / 280);
    w.pools[1].rate[PT_CLASS_MIXED] = PT_SPEED_ONE / 2;
    NEAR(pt_offered_load(&w.input), 36.0 / 210);
    w.sim.half_asked = true; /* work is time on half a GPU: half as much */
    NEAR(pt_offered_load(&w.input), 18.0 / 210);
    world_fini(&w);
}

Test(summary, fairness_is_among_tenants_that_have_jobs)
{
    static const char *const names[] = {"a", "b", "idle"};
    static const double weights[] = {1, 2, 1};
    static const uint32_t of_word[] = {0, 1};
    struct world w;
    seven_jobs(&w);
    for (pt_job job = 0; job < 7; job++)
        world_word(&w, PT_COL_TENANT, job, job < 3 ? "a" : "b");
    w.input.tenant_count = 3;
    w.input.tenant_names = names;
    w.input.tenant_weights = weights;
    w.input.tenant_of_word = of_word;
    w.sim.tenant_held[0][0] = (pt_u128)10 * S;
    w.sim.tenant_held[1][0] = (pt_u128)20 * S; /* halves of GPUs: 10 + 10 = 20 */
    w.sim.tenant_held[0][1] = (pt_u128)80 * S; /* by weight: 40 */
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "jain_fairness"), 60.0 * 60 / (2 * (400 + 1600)));
    /* slowdowns 1 and 1.75 over two tenants, for one tenant's jobs too */
    NEAR(value(s, "finish_time_fairness_mean"), 1.375 / 2);
    NEAR(value(s, "finish_time_fairness_max"), 1.75 / 2);
    NEAR(in(group(s, "tenant", "a"), "finish_time_fairness_mean"), 1.375 / 2);
    pt_summary_destroy(s);
    world_fini(&w);
}

/* Deadlines: A (50 s after 45) misses by 5, B (30 after 40) meets; C has none. */
Test(summary, tardiness_is_past_the_deadline_or_0)
{
    struct world w;
    world_init(&w);
    for (int i = 0; i < 3; i++)
        world_add(&w, 0, 20, 1);
    world_ready(&w);
    w.trace.column[PT_COL_DEADLINE] = w.deadline_ns;
    w.deadline_ns[0] = 45 * S;
    w.deadline_ns[1] = 40 * S;
    world_ran(&w, 0, PT_STATE_DONE, 0, 50, 50, 0);
    world_ran(&w, 1, PT_STATE_DONE, 0, 30, 30, 0);
    world_ran(&w, 2, PT_STATE_DONE, 0, 90, 30, 0);
    struct pt_summary *s = summarise(&w);
    NEAR(value(s, "sla_satisfaction"), 0.5);
    NEAR(value(s, "tardiness_mean_s"), 2.5);
    NEAR(value(s, "tardiness_max_s"), 5);
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), 0);
    cr_assert_eq(pt_summary_sla_met(&w.input, 1), 1);
    cr_assert_eq(pt_summary_sla_met(&w.input, 2), -1);
    pt_summary_destroy(s);
    world_fini(&w);
}

/* One job: 10 s of work, submitted at 0, started at 2, 12 s later done: each bound just met, and
 * just missed. */
Test(summary, sla_bounds_are_met_when_equal)
{
    struct world w;
    world_init(&w);
    world_add(&w, 0, 10, 1);
    world_ready(&w);
    world_ran(&w, 0, PT_STATE_DONE, 2, 12, 11, 0);
    struct pt_sla_bounds tier = world_tier("gold");
    w.input.tiers = &tier;
    w.input.tier_count = 1;
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), -1);
    w.input.default_tier = 0;
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), -1); /* a tier without bounds */
#define MET_AND_MISSED(bound, met, missed)                                                         \
    tier = world_tier("gold");                                                                     \
    tier.bound = met;                                                                              \
    cr_expect_eq(pt_summary_sla_met(&w.input, 0), 1, #bound " not met");                           \
    tier.bound = missed;                                                                           \
    cr_expect_eq(pt_summary_sla_met(&w.input, 0), 0, #bound " not missed")
    MET_AND_MISSED(max_slowdown, 1.2, 1.1999);
    MET_AND_MISSED(max_jct_increase, 0.2, 0.1999);
    MET_AND_MISSED(max_sharing_increase, 0.1, 0.0999);
    MET_AND_MISSED(max_wait_ns, 2 * S, 2 * S - 1);
    MET_AND_MISSED(max_jct_ns, 12 * S, 12 * S - 1);
    tier.max_jct_ns = 12 * S;
    w.outcomes->state[0] = PT_STATE_FAILED;
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), 0); /* whoever did not end well has missed */
    world_fini(&w);
}

Test(summary, a_job_without_work_meets_its_slowdown_bound)
{
    struct world w;
    world_init(&w);
    world_add(&w, 0, 0, 1);
    world_ready(&w);
    world_ran(&w, 0, PT_STATE_DONE, 100, 100, 0, 0);
    struct pt_sla_bounds tier = world_tier("gold");
    tier.max_slowdown = 1.2;
    w.input.tiers = &tier;
    w.input.tier_count = 1;
    w.input.default_tier = 0;
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), 1);
    tier.max_wait_ns = 99 * S;
    cr_assert_eq(pt_summary_sla_met(&w.input, 0), 0);
    world_fini(&w);
}

/* The job's own tier, else its tenant's, else the default one. */
Test(summary, tier_of_a_job)
{
    static const uint32_t of_sla_word[] = {2}, of_tenant[] = {PT_NONE, 1}, of_word[] = {0, 1};
    static const char *const names[] = {"a", "b"};
    struct world w;
    world_init(&w);
    for (int i = 0; i < 3; i++)
        world_add(&w, 0, 1, 1);
    world_ready(&w);
    struct pt_sla_bounds tiers[] = {world_tier("default"), world_tier("gold"), world_tier("own")};
    for (pt_job job = 0; job < 3; job++)
        world_word(&w, PT_COL_TENANT, job, job == 0 ? "a" : "b");
    world_word(&w, PT_COL_SLA, 2, "own");
    w.input.tiers = tiers;
    w.input.tier_count = 3;
    w.input.default_tier = 0;
    w.input.tier_of_sla_word = of_sla_word;
    w.input.tier_of_tenant = of_tenant;
    w.input.tenant_count = 2;
    w.input.tenant_names = names;
    w.input.tenant_of_word = of_word;
    cr_assert_eq(pt_summary_tier_of_job(&w.input, 0), 0);
    cr_assert_eq(pt_summary_tier_of_job(&w.input, 1), 1);
    cr_assert_eq(pt_summary_tier_of_job(&w.input, 2), 2);
    struct pt_summary *s = summarise(&w);
    NEAR(in(group(s, "tier", "own"), "jobs"), 1);
    NEAR(in(group(s, "tier", "gold"), "pending"), 1);
    pt_summary_destroy(s);
    world_fini(&w);
}

/* Every metric that a summary gives is known by name, once, with a sentence. */
Test(summary, names_are_unique_and_explained)
{
    struct world w;
    seven_jobs(&w);
    struct pt_summary *s = summarise(&w);
    for (const struct pt_metric_info *i = pt_metric_infos; i->name != NULL; i++) {
        cr_assert_gt(strlen(i->help), 10);
        for (const struct pt_metric_info *j = i + 1; j->name != NULL; j++) {
            cr_assert_str_neq(i->name, j->name);
        }
    }
    for (uint32_t i = 0; i < s->groups[0].count; i++) {
        const struct pt_metric_info *info = pt_metric_infos;
        while (info->name != NULL && strcmp(info->name, s->groups[0].metrics[i].name) != 0)
            info++;
        cr_assert_not_null(info->name);
    }
    pt_summary_destroy(s);
    world_fini(&w);
}
