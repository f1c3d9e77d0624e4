#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"
#include "policies/queues/kai.h"
#include "policies/queues/queues.h"
#include "tests/support/rig.h"

/* KAI's queues in random worlds: what the policy counts is what there is, reclaims end, and queues
 * end up with their shares. Hand-worked worlds are in tests/scenarios/kai.yaml. */

#define TENANTS 6u

/* ---- sets of numbers ---- */

Test(kai_bits, find_the_next_and_the_last)
{
    struct pt_kai_bits bits = {0};
    static bool has[300000];
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 1);
    memset(has, 0, sizeof has);
    cr_assert(pt__kai_bits_init(&bits, 300000));
    cr_assert_eq(pt__kai_bits_next(&bits, 0, 300000), PT_NONE);
    cr_assert_eq(pt__kai_bits_last(&bits, 0, 300000), PT_NONE);
    for (int i = 0; i < 3000; i++) {
        uint32_t number = (uint32_t)gsl_rng_uniform_int(rng, 300000);
        if (i % 5 == 0) number = i % 2 == 0 ? 0 : 299999;
        has[number] = !has[number];
        if (has[number])
            pt__kai_bits_add(&bits, number);
        else
            pt__kai_bits_remove(&bits, number);
        cr_assert_eq(pt__kai_bits_has(&bits, number), has[number]);
        uint32_t first = (uint32_t)gsl_rng_uniform_int(rng, 300000), end = first + 1000;
        if (end > 300000) end = 300000;
        uint32_t next = PT_NONE, last = PT_NONE;
        for (uint32_t n = first; n < end; n++) {
            if (!has[n]) continue;
            if (next == PT_NONE) next = n;
            last = n;
        }
        cr_assert_eq(pt__kai_bits_next(&bits, first, end), next);
        cr_assert_eq(pt__kai_bits_last(&bits, first, end), last);
    }
    pt__kai_bits_fini(&bits);
    gsl_rng_free(rng);
}

/* ---- past use ---- */

#define HOUR_NS (3600 * PT_NS_PER_S)

Test(kai_usage, a_window_forgets)
{
    struct pt_kai_usage usage = {0};
    struct pt_error error;
    cr_assert_eq(pt__kai_usage_init(&usage, 1, 168 * HOUR_NS - 168, 0, &error), PT_OK);
    cr_assert_float_eq(pt__kai_usage_of(&usage, 0, 0), 0, 0);
    /* 24 GPU hours of 100 in 10 hours: the documentation's example */
    pt__kai_usage_add(&usage, 0, 8, 3 * HOUR_NS);
    pt__kai_usage_add(&usage, 0, 0, 10 * HOUR_NS);
    pt__kai_usage_add(&usage, 1, 10, 10 * HOUR_NS);
    cr_assert_float_eq(pt__kai_usage_of(&usage, 0, 10 * HOUR_NS), 0.24, 1e-9);
    /* after 169.5 hours, 1.5 of the 3 hours are in the window */
    int64_t later_ns = 169 * HOUR_NS + HOUR_NS / 2;
    pt__kai_usage_add(&usage, 0, 0, later_ns);
    pt__kai_usage_add(&usage, 1, 10, later_ns);
    cr_assert_float_eq(pt__kai_usage_of(&usage, 0, later_ns), 12.0 / 1680, 1e-9);
    later_ns = 1000 * HOUR_NS;
    pt__kai_usage_add(&usage, 0, 0, later_ns);
    pt__kai_usage_add(&usage, 1, 10, later_ns);
    cr_assert_float_eq(pt__kai_usage_of(&usage, 0, later_ns), 0, 0);
    pt__kai_usage_fini(&usage);
}

Test(kai_usage, a_half_life_halves)
{
    struct pt_kai_usage usage = {0};
    struct pt_error error;
    cr_assert_eq(pt__kai_usage_init(&usage, 1, 1, HOUR_NS, &error), PT_OK);
    pt__kai_usage_add(&usage, 0, 4, HOUR_NS);
    pt__kai_usage_add(&usage, 1, 8, HOUR_NS);
    cr_assert_float_eq(pt__kai_usage_of(&usage, 0, HOUR_NS), 0.5, 1e-9);
    double one = usage.sum[0];
    pt__kai_usage_add(&usage, 0, 0, 2 * HOUR_NS);
    cr_assert_float_eq(usage.sum[0], one / 2, one * 1e-9);
    for (int64_t i = 1; i <= 6; i++)
        pt__kai_usage_add(&usage, 0, 0, 2 * HOUR_NS + i * HOUR_NS / 6);
    cr_assert_float_eq(usage.sum[0], one / 4, one * 1e-9);
    pt__kai_usage_fini(&usage);
}

/* ---- random worlds ---- */

/* What the wrapped policy checks after every pass. */
static struct {
    bool shares; /* all jobs want one GPU and may be stopped: shares come out */
    uint64_t passes;
    uint64_t waited;   /* passes that left somebody waiting */
    const char *wrong; /* the first thing that was */
} seen;

static void claim(bool right, const char *what)
{
    if (!right && seen.wrong == NULL) seen.wrong = what;
}

/* Counts per node, from the engine's own word. */
static void recount(const struct pt_kai *kai, const struct pt_ctx *ctx, uint64_t *held,
                    uint64_t *fixed, uint64_t *request, uint32_t *victims)
{
    for (pt_job job = 0; job < kai->jobs.job_count; job++) {
        const struct pt_kai_group *group = &kai->jobs.group[kai->jobs.group_of[job]];
        enum pt_job_state state = pt_view_state(ctx, job);
        uint32_t pool = pt_view_held_pool(ctx, job);
        bool waits = state == PT_STATE_PENDING || state == PT_STATE_PAUSED;
        bool counted = (kai->jobs.pool_of[job] & ~PT_KAI_STOPPED_BEFORE) != 0;
        if (counted) claim(pool != PT_NONE, "somebody counts who holds nothing");
        if (!counted && pool != PT_NONE)
            claim(!pt_view_preemptible(ctx, job), "somebody does not count who runs");
        uint64_t parts = counted ? pt_view_parts(ctx, pool, job) : 0;
        for (uint32_t n = group->leaf; n != PT_NONE; n = kai->tree.node[n].parent) {
            held[n] += parts;
            request[n] += parts + (waits ? group->parts : 0);
            if (group->fixed) fixed[n] += parts;
            victims[n] += counted && !group->fixed;
        }
    }
}

static void check_counts(const struct pt_kai *kai, const struct pt_ctx *ctx)
{
    uint64_t held[2 * TENANTS + 2] = {0}, fixed[2 * TENANTS + 2] = {0};
    uint64_t request[2 * TENANTS + 2] = {0};
    uint32_t victims[2 * TENANTS + 2] = {0};
    recount(kai, ctx, held, fixed, request, victims);
    for (uint32_t n = 0; n < kai->tree.count; n++) {
        claim(held[n] == kai->tree.node[n].held, "what a queue holds");
        claim(fixed[n] == kai->tree.node[n].fixed, "what is held for good");
        claim(request[n] == kai->tree.node[n].request, "what a queue asks for");
        claim(victims[n] == kai->tree.node[n].victims, "how many may be stopped");
        if (kai->tree.node[n].quota_said)
            claim(fixed[n] <= kai->tree.node[n].deserved, "held for good beyond the quota");
    }
}

/* Nobody waits below its fair share while a sibling holds more than its own. */
static void check_shares(const struct pt_kai *kai)
{
    for (uint32_t a = 0; a < kai->tree.count; a++)
        for (uint32_t b = 0; b < kai->tree.count; b++) {
            const struct pt_kai_node *poor = &kai->tree.node[a], *rich = &kai->tree.node[b];
            if (poor->parent != rich->parent || poor->child_count > 0 || poor->waiting == 0)
                continue;
            claim(poor->held + kai->tree.parts_per_gpu > poor->share ||
                      rich->held <= pt__kai_allocatable(rich),
                  "a queue waits below its share beside one above its own");
        }
}

static enum pt_status checked(void *state, struct pt_ctx *ctx)
{
    struct pt_kai *kai = state;
    enum pt_status status = pt__kai.schedule(state, ctx);
    seen.passes++;
    seen.waited += pt_view_pending_count(ctx) > 0;
    check_counts(kai, ctx);
    if (seen.shares) check_shares(kai);
    return status;
}

static struct pt_policy_ops wrapped;
static struct pt_tenant_facts facts[TENANTS];
static uint32_t tenant_of_word[TENANTS + 1];
static const char *const names[TENANTS] = {"t0", "t1", "t2", "t3", "t4", "t5"};

static uint64_t drawn(gsl_rng *rng, unsigned long below)
{
    return gsl_rng_uniform_int(rng, below);
}

/* t0 and t1 may be parents of some of the others. */
static void draw_tenants(gsl_rng *rng, bool limits)
{
    for (uint32_t t = 0; t < TENANTS; t++) {
        bool below = t > 1 && drawn(rng, 2) == 0;
        facts[t] = (struct pt_tenant_facts){
            .name = names[t],
            .parent = below ? (uint32_t)drawn(rng, 2) : PT_NONE,
            .weight = 1,
            .over_quota_weight = (double)drawn(rng, 4),
            .priority = (int64_t)drawn(rng, 2),
            .quota = drawn(rng, 3) == 0 ? PT_QUOTA_NONE : drawn(rng, 5) * PT_PPM_ONE,
            .limit =
                limits && drawn(rng, 3) == 0 ? (3 + drawn(rng, 6)) * PT_PPM_ONE : PT_QUOTA_NONE,
            .borrowing_limit = PT_QUOTA_NONE,
            .lending_limit = PT_QUOTA_NONE};
    }
}

static void finish(struct rig *rig)
{
    static struct pt_rank ranks[16];
    pt_job bad;
    cr_assert_eq(pt_trace_finish(&rig->trace, &bad, &rig->error), PT_OK);
    rig->trace_finished = true;
    const struct pt_words *words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t w = 0; w < words->count; w++)
        tenant_of_word[w] = (uint32_t)(words->words[w][1] - '0');
    words = &rig->trace.words[PT_COL_PRIORITY];
    for (uint32_t w = 0; w < words->count && w < 16; w++)
        ranks[w] = (struct pt_rank){atol(words->words[w]), true, true};
    rig->world.tenant_count = TENANTS;
    rig->world.tenants = facts;
    rig->world.tenant_of_word = tenant_of_word;
    rig->world.rank_of_word = ranks;
    wrapped = pt__kai;
    wrapped.schedule = checked;
    rig->world.policy = &wrapped;
}

static void draw_job(struct rig *rig, gsl_rng *rng, int64_t submit_ns, unsigned mode)
{
    static const char *const priorities[] = {"50", "60", "75", "100"};
    int64_t work_ns = (int64_t)(1 + drawn(rng, 60)) * PT_NS_PER_S;
    uint32_t gpus = 1 + (uint32_t)(drawn(rng, 3) == 0 ? drawn(rng, 5) : 0);
    pt_job job = rig_add_job(rig, submit_ns, work_ns, gpus);
    rig_set_cell(rig, job, PT_COL_TENANT, names[drawn(rng, TENANTS)]);
    rig_set_cell(rig, job, PT_COL_PRIORITY, priorities[drawn(rng, 20) < 19 ? drawn(rng, 3) : 3]);
    if (mode == 1) rig_set_cell(rig, job, PT_COL_GPU_FRAC, drawn(rng, 2) == 0 ? "0.5" : "0.3");
    if (mode == 2) rig_set_cell(rig, job, PT_COL_MIG, drawn(rng, 2) == 0 ? "2g.20gb" : "3g.40gb");
    if (drawn(rng, 4) == 0) rig_set_cell(rig, job, PT_COL_NODES_MAX, "1");
    if (drawn(rng, 15) == 0) rig_set_cell(rig, job, PT_COL_PREEMPTIBLE, "false");
}

static void draw_world(struct rig *rig, gsl_rng *rng, unsigned mode)
{
    static const char *const modes[] = {"exclusive", "fractional", "mig", "time_slice"};
    static const char *const with[] = {"", "", "reconfigure=partial reconfigure_s=3",
                                       "replicas=3 memory=unchecked"};
    static const char *const ways[] = {"",
                                       "reclaim=quota",
                                       "k_value=0.7",
                                       "reclaim_min_runtime=7s preempt_min_runtime=5s",
                                       "usage_half_life=20s k_value=2",
                                       "consolidation=off"};
    rig_init(rig);
    rig->world.check = true;
    rig->world.preemption.mode =
        drawn(rng, 2) == 0 ? PT_PREEMPTION_CHECKPOINT : PT_PREEMPTION_SUSPEND;
    if (drawn(rng, 3) == 0) rig->world.preemption.save_base_ns = 2 * PT_NS_PER_S;
    rig_add_pool(rig, &rig_h100, 2, 4, modes[mode], with[mode]);
    if (drawn(rng, 2) == 0) rig_add_pool(rig, &rig_h100, 1, 4, "exclusive", "");
    if (mode == 2) rig_add_pool(rig, &rig_h100, 1, 2, "mig", with[2]);
    if (drawn(rng, 2) == 0) {
        rig->down[0][0] = (struct pt_down_window){20 * PT_NS_PER_S, 50 * PT_NS_PER_S};
        rig->nodes[1].down = rig->down[0];
        rig->nodes[1].down_count = 1;
    }
    rig_set_policy(rig, "kai", ways[drawn(rng, 6)], "first_fit");
    int64_t submit_ns = 0;
    for (int i = 0; i < 120; i++) {
        submit_ns += (int64_t)drawn(rng, 3) * PT_NS_PER_S;
        draw_job(rig, rng, submit_ns, mode);
    }
}

Test(kai, counts_what_there_is, .timeout = 100)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    uint64_t preemptions = 0, moves = 0;
    for (uint64_t world = 0; world < 400; world++) {
        static struct rig rig;
        struct pt_sim_stats stats;
        pt_rng_seed(rng, 4, PT_PURPOSE_TEST, world);
        draw_tenants(rng, true);
        draw_world(&rig, rng, (unsigned)(world % 4));
        finish(&rig);
        memset(&seen, 0, sizeof seen);
        rig_start(&rig);
        enum pt_status status = rig_run(&rig);
        cr_assert_null(seen.wrong, "world %lu: %s", world, seen.wrong);
        /* a job that can't be stopped and is above its quota waits for ever: a deadlock */
        cr_assert(status == PT_OK || status == PT_ERR_DEADLOCK, "world %lu: %s", world,
                  rig.error.message);
        pt_sim_get_stats(rig.sim, &stats);
        cr_assert_eq(stats.refused, 0, "world %lu", world);
        preemptions += stats.preemptions;
        moves += stats.migrations;
        rig_fini(&rig);
    }
    cr_assert_gt(preemptions, 400);
    cr_assert_gt(moves, 10);
    gsl_rng_free(rng);
}

/* Two waves of jobs, then nothing but passes: who was reclaimed at a wave stays so. */
Test(kai, reclaims_end, .timeout = 100)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    uint64_t reclaimed = 0;
    for (uint64_t world = 0; world < 400; world++) {
        static struct rig rig;
        struct pt_sim_stats before, after;
        bool gangs = world % 2 == 1;
        pt_rng_seed(rng, 7, PT_PURPOSE_TEST, world);
        draw_tenants(rng, false);
        rig_init(&rig);
        rig_add_pool(&rig, &rig_h100, 2, 8, "exclusive", "");
        rig_set_policy(&rig, "kai", "", "first_fit");
        for (int i = 0; i < 40; i++) {
            uint32_t gpus = gangs ? 1 + (uint32_t)drawn(rng, 6) : 1;
            pt_job job = rig_add_job(&rig, i < 24 ? 0 : PT_NS_PER_S, 1000 * PT_NS_PER_S, gpus);
            rig_set_cell(&rig, job, PT_COL_TENANT, names[i < 24 ? drawn(rng, 3) : drawn(rng, 6)]);
        }
        for (int i = 0; i < 20; i++) {
            pt_job job = rig_add_job(&rig, (2 + i) * PT_NS_PER_S, PT_NS_PER_S, 0);
            rig_set_cell(&rig, job, PT_COL_TENANT, names[i % 6]);
        }
        finish(&rig);
        memset(&seen, 0, sizeof seen);
        seen.shares = !gangs;
        rig_start(&rig);
        cr_assert(!rig_advance(&rig, 2));
        pt_sim_get_stats(rig.sim, &before);
        cr_assert(!rig_advance(&rig, 20));
        pt_sim_get_stats(rig.sim, &after);
        cr_assert_null(seen.wrong, "world %lu: %s", world, seen.wrong);
        cr_assert_eq(before.preemptions, after.preemptions, "world %lu", world);
        cr_assert_eq(before.migrations, after.migrations, "world %lu", world);
        cr_assert_leq(after.preemptions, 24, "world %lu", world);
        reclaimed += after.preemptions;
        rig_fini(&rig);
    }
    cr_assert_gt(reclaimed, 400);
    gsl_rng_free(rng);
}
