#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/order/order.h"
#include "policies/order/queue.h"
#include "tests/support/rig.h"

/* Orders by key, asked after every pass in which they did nothing: whether, by a walk over all
 * pending and all running jobs, there was something to do. In every sharing mode, on two pools. */

static const struct pt_policy_ops *inner;
static bool strict;
static uint64_t changes, looks;

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % n;
}

/* The key by which the order under test goes; ties by job. */
static int64_t key_of(const struct pt_ctx *ctx, pt_job job)
{
    if (inner == &pt__srtf) return pt_view_left_ns(ctx, job);
    if (inner == &pt__sjf) return pt_trace_work_ns(pt_view_trace(ctx))[job];
    uint32_t part = pt_trace_u32(pt_view_trace(ctx), PT_COL_GPU_FRAC, job);
    return pt_view_left_ns(ctx, job) * pt_view_units_wanted(ctx, job) *
           (part == PT_NONE ? 1000000 : part);
}

/* Whether it would fit with everybody gone who has a greater key. */
static bool fits_without_worse(struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    const struct pt_units *units;
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        pt_job other = pt_view_running_at(ctx, i);
        if (pt_view_held_pool(ctx, other) == pool && pt_view_preemptible(ctx, other) &&
            key_of(ctx, other) > key_of(ctx, job))
            cr_assert(pt_ctx_try_lift(ctx, other));
    }
    bool fits = pt_ctx_place(ctx, &units, job, PT_POOL_BIT(pool));
    pt_ctx_try_abort(ctx);
    return fits;
}

static bool goes_before(const struct pt_ctx *ctx, pt_job a, pt_job b)
{
    int64_t of_a = key_of(ctx, a), of_b = key_of(ctx, b);
    return of_a < of_b || (of_a == of_b && a < b);
}

/* The pending jobs in order. */
static uint32_t sorted_queue(const struct pt_ctx *ctx, pt_job *jobs)
{
    uint32_t count = 0;
    for (pt_job j = 0; j < pt_view_trace(ctx)->job_count; j++) {
        enum pt_job_state state = pt_view_state(ctx, j);
        if (state != PT_STATE_PENDING && state != PT_STATE_PAUSED) continue;
        uint32_t i = count++;
        for (; i > 0 && goes_before(ctx, j, jobs[i - 1]); i--)
            jobs[i] = jobs[i - 1];
        jobs[i] = j;
    }
    return count;
}

static void nothing_is_left_to_do(struct pt_ctx *ctx)
{
    pt_job jobs[128];
    uint64_t blocked = 0;
    bool stops = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE;
    uint32_t count = sorted_queue(ctx, jobs);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, jobs[i]));
        for (uint32_t p = 0; p < pt_view_pool_count(ctx); p++) {
            const struct pt_units *units;
            if ((pools & ~blocked & PT_POOL_BIT(p)) == 0 || !pt_view_within_limit(ctx, p, jobs[i]))
                continue;
            cr_assert_not(pt_ctx_place(ctx, &units, jobs[i], PT_POOL_BIT(p)), "job %u fits",
                          jobs[i]);
            cr_assert_not(stops && fits_without_worse(ctx, jobs[i], p), "job %u may stop others",
                          jobs[i]);
            looks++;
        }
        for (uint32_t p = 0; strict && p < pt_view_pool_count(ctx); p++)
            if ((pools & ~blocked) != 0 && pt_view_within_limit(ctx, p, jobs[i]))
                blocked |= pools & PT_POOL_BIT(p);
    }
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    uint64_t before = changes + pt_view_pending_count(ctx);
    enum pt_status status = inner->schedule(state, ctx);
    if (status == PT_OK && before == changes + pt_view_pending_count(ctx))
        nothing_is_left_to_do(ctx);
    return status;
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    changes += 1000;
    inner->on_started(state, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    changes += 1000;
    inner->on_stopped(state, ctx, job, why);
}

struct mode {
    const char *name, *params;
};
static const struct mode modes[] = {
    {"exclusive", ""},
    {"time_slice", "replicas=3 memory=admit switch_loss=0"},
    {"fractional", "compute=none"},
    {"mps", "replicas=4"},
    {"vgpu", "replicas=2 scheduler=equal_share"},
    {"mig", "layout=all-balanced"},
    {"mig", "reconfigure=partial reconfigure_s=2"},
};
#define MODES (sizeof modes / sizeof *modes)

static struct pt_tenant_facts tenants[2];
static uint32_t tenant_of_word[2];
static struct pt_rank no_rank[2];

static void add_limits(struct rig *rig, bool limited)
{
    pt_job bad_row;
    cr_assert_eq(pt_trace_finish(&rig->trace, &bad_row, &rig->error), PT_OK);
    rig->trace_finished = true;
    const struct pt_words *words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t t = 0; t < 2; t++) {
        tenants[t] = (struct pt_tenant_facts){.name = "t",
                                              .parent = PT_NONE,
                                              .weight = 1,
                                              .over_quota_weight = 1,
                                              .quota = PT_QUOTA_NONE,
                                              .limit = limited && t == 0 ? 2000000 : PT_QUOTA_NONE,
                                              .borrowing_limit = PT_QUOTA_NONE,
                                              .lending_limit = PT_QUOTA_NONE};
        no_rank[t] = (struct pt_rank){0, true, true};
        if (t < words->count) tenant_of_word[t] = words->words[t][0] == 'b';
    }
    rig->world.tenants = tenants;
    rig->world.tenant_count = 2;
    rig->world.tenant_of_word = tenant_of_word;
    rig->world.rank_of_tenant = no_rank;
}

static void build(struct rig *rig, uint64_t *draw, const struct mode *mode)
{
    static const char *const fractions[] = {"0.1", "0.25", "0.5", "1"};
    rig_init(rig);
    rig->world.check = true;
    /* drawn one after the other: the order of arguments is the compiler's */
    uint32_t nodes = 1 + below(draw, 2), gpus_per_node = 1 + below(draw, 3);
    rig_add_pool(rig, &rig_h100, nodes, gpus_per_node, mode->name, mode->params);
    if (below(draw, 2)) rig_add_pool(rig, &rig_a100_80, 2, 2, "exclusive", "");
    uint32_t jobs = 1 + below(draw, 40);
    for (uint32_t j = 0; j < jobs; j++) {
        int64_t submit_ns = (int64_t)below(draw, 30) * PT_NS_PER_S;
        int64_t work_ns = (int64_t)below(draw, 12) * PT_NS_PER_S;
        uint32_t gpus = below(draw, 3) ? 1 : 1 + below(draw, 4);
        pt_job job = rig_add_job(rig, submit_ns, work_ns, gpus);
        if (below(draw, 3) == 0) rig_set_cell(rig, job, PT_COL_GPU_FRAC, fractions[below(draw, 4)]);
        if (below(draw, 3) == 0)
            rig_set_cell(rig, job, PT_COL_GPU_MEM, below(draw, 2) ? "9" : "20");
        if (below(draw, 4) == 0) rig_set_cell(rig, job, PT_COL_NODES_MAX, "1");
        if (below(draw, 6) == 0) rig_set_cell(rig, job, PT_COL_POOL, "p0");
        if (below(draw, 8) == 0) rig_set_cell(rig, job, PT_COL_PREEMPTIBLE, "false");
        rig_set_cell(rig, job, PT_COL_TENANT, below(draw, 2) ? "a" : "b");
    }
    strict = below(draw, 2);
    const char *placement = below(draw, 2) ? "first_fit" : "pack";
    rig_set_policy(rig, inner->name, strict ? "blocking=strict" : "blocking=skip", placement);
    rig->world.preemption.mode = below(draw, 3) ? PT_PREEMPTION_SUSPEND : PT_PREEMPTION_NONE;
    if (below(draw, 3) == 0) rig->world.preemption.save_base_ns = PT_NS_PER_S;
    add_limits(rig, below(draw, 3) == 0);
}

static void never_leaves_anything_to_do(const struct pt_policy_ops *order, uint32_t worlds)
{
    uint64_t draw = 88172645463325252u;
    struct pt_policy_ops checked = *order;
    inner = order;
    checked.schedule = schedule;
    checked.on_started = on_started;
    checked.on_stopped = on_stopped;
    changes = looks = 0;
    for (uint32_t world = 0; world < worlds; world++) {
        static struct rig rig;
        build(&rig, &draw, &modes[world % MODES]);
        rig.world.policy = &checked;
        cr_assert_eq(rig_run(&rig), PT_OK, "world %u: %s", world, rig.error.message);
        rig_fini(&rig);
    }
    cr_assert_gt(looks, 10 * worlds);
}

Test(ranked, srtf_leaves_nothing_to_do, .timeout = 100)
{
    never_leaves_anything_to_do(&pt__srtf, 1500);
}

Test(ranked, srsf_leaves_nothing_to_do, .timeout = 100)
{
    never_leaves_anything_to_do(&pt__srsf, 1500);
}

Test(ranked, sjf_leaves_nothing_to_do, .timeout = 100)
{
    never_leaves_anything_to_do(&pt__sjf, 1500);
}

/* Starts of ten jobs that come at once to one GPU, by the seed. */
static void random_starts(int64_t *starts, uint64_t seed)
{
    static struct rig rig;
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, 1, "exclusive", "");
    rig_set_policy(&rig, "random", "", "first_fit");
    rig.world.seed = seed;
    for (int j = 0; j < 10; j++)
        rig_add_job(&rig, 0, PT_NS_PER_S, 1);
    cr_assert_eq(rig_run(&rig), PT_OK);
    for (pt_job j = 0; j < 10; j++)
        starts[j] = rig.results[j].start_ns;
    rig_fini(&rig);
}

Test(ranked, random_draws_by_the_seed)
{
    int64_t one[10], again[10], first_of[10] = {0};
    random_starts(one, 1);
    random_starts(again, 1);
    cr_assert_arr_eq(one, again, sizeof one);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        random_starts(one, seed);
        for (pt_job j = 0; j < 10; j++)
            first_of[j] += one[j] == 0;
    }
    for (pt_job j = 0; j < 10; j++) /* 100 of 1000 each; 5 standard deviations */
        cr_assert(first_of[j] > 52 && first_of[j] < 148, "job %u goes first %d times", j,
                  (int)first_of[j]);
}

/* One pool of whole GPUs, gangs on any nodes, true work, strict: the plan is what happens. */
Test(ranked, edf_keeps_what_it_promised_on_arrival)
{
    uint64_t draw = 2463534242u, met = 0, declined = 0;
    for (int world = 0; world < 400; world++) {
        static struct rig rig;
        rig_init(&rig);
        rig_add_pool(&rig, &rig_h100, 1 + below(&draw, 3), 1 + below(&draw, 3), "exclusive", "");
        rig_set_policy(&rig, "edf", "admission=feasible", "first_fit");
        for (int j = 0; j < 40; j++) {
            char text[16];
            pt_job job = rig_add_job(&rig, (int64_t)below(&draw, 60) * PT_NS_PER_S,
                                     (int64_t)below(&draw, 9) * PT_NS_PER_S, 1 + below(&draw, 4));
            snprintf(text, sizeof text, "%u", below(&draw, 30));
            if (below(&draw, 5)) rig_set_cell(&rig, job, PT_COL_DEADLINE, text);
        }
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        for (pt_job j = 0; j < rig.trace.job_count; j++) {
            int64_t within_ns = pt_trace_time(&rig.trace, PT_COL_DEADLINE, j);
            if (rig.results[j].state == PT_STATE_WITHDRAWN) { /* then and there, never later */
                cr_assert_eq(rig.results[j].end_ns, pt_trace_submit_ns(&rig.trace)[j]);
                declined++;
            }
            if (rig.results[j].state != PT_STATE_DONE || within_ns == PT_TIME_ABSENT) continue;
            met++;
            cr_assert_leq(rig.results[j].end_ns - pt_trace_submit_ns(&rig.trace)[j], within_ns,
                          "world %d: job %u is late", world, j);
        }
        rig_fini(&rig);
    }
    cr_assert(met > 2000 && declined > 1000, "%d met, %d declined", (int)met, (int)declined);
}
