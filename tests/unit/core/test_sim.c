#include "partita/sim.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/core/engine.h"
#include "tests/support/rig.h"

#define S PT_NS_PER_S

/* Two GPUs; A holds both for 10 s, B waits 4 s and then holds one for 10 s. */
static void two_jobs(struct rig *rig)
{
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, 1, 2, "exclusive", "");
    rig_set_policy(rig, "fifo", "", "first_fit");
    rig_add_job(rig, 0, 10 * S, 2);
    rig_add_job(rig, 6 * S, 10 * S, 1);
}

Test(sim, totals_are_exact_integrals)
{
    static struct rig rig;
    two_jobs(&rig);
    rig_start(&rig);
    cr_assert(rig_advance(&rig, UINT64_MAX));
    struct pt_pool_totals totals;
    pt_sim_pool_totals(rig.sim, 0, &totals);
    cr_assert(totals.there == (pt_u128)40 * S); /* 2 GPUs, 0 .. 20 s */
    cr_assert(totals.busy == (pt_u128)30 * S);
    cr_assert(totals.held == (pt_u128)30 * S);
    cr_assert(pt_sim_tenant_held(rig.sim, 0, 0) == (pt_u128)30 * S);
    struct pt_sim_stats stats;
    pt_sim_get_stats(rig.sim, &stats);
    cr_assert(stats.queue_integral == (pt_u128)4 * S);
    cr_assert_eq(stats.queue_length_max, 1);
    cr_assert_eq(stats.window_to_ns, 20 * S);
    /* Half of the requests want two GPUs; while one is idle (10 .. 20 s), they can't use it. */
    cr_assert_float_eq(totals.fragmentation, 0.5, 1e-12);
    rig_fini(&rig);
}

Test(sim, windows_start_after_the_warmup)
{
    static struct rig rig;
    two_jobs(&rig);
    rig.world.warmup_ns = 8 * S;
    rig_start(&rig);
    cr_assert(rig_advance(&rig, UINT64_MAX));
    struct pt_pool_totals totals;
    pt_sim_pool_totals(rig.sim, PT_NONE, &totals);
    cr_assert(totals.there == (pt_u128)24 * S);
    cr_assert(totals.busy == (pt_u128)14 * S);
    struct pt_sim_stats stats;
    pt_sim_get_stats(rig.sim, &stats);
    cr_assert(stats.queue_integral == (pt_u128)2 * S);
    rig_fini(&rig);
}

struct rows {
    uint32_t count;
    int64_t time_ns[16];
    double queue[16], utilization[16];
};

static enum pt_status keep_row(void *ctx, const struct pt_series_row *row, struct pt_error *error)
{
    (void)error;
    struct rows *rows = ctx;
    rows->time_ns[rows->count] = row->time_ns;
    rows->queue[rows->count] = row->queue_length;
    rows->utilization[rows->count++] = row->utilization[1];
    return PT_OK;
}

Test(sim, series_are_means_and_equal_neighbours_are_stored_once)
{
    static struct rig rig;
    struct rows rows = {0};
    two_jobs(&rig);
    rig.world.interval_ns = 4 * S;
    rig.world.recorder = (struct pt_recorder){.ctx = &rows, .series = keep_row};
    rig_start(&rig);
    cr_assert(rig_advance(&rig, UINT64_MAX));
    /* 0-4: busy 1, queue 0 | 4-8: busy 1, queue 2/4 | 8-12: busy 3/4, queue 2/4 | 12-20: 1/2, 0 */
    static const int64_t time_s[] = {0, 4, 8, 12};
    static const double queue[] = {0, 0.5, 0.5, 0}, utilization[] = {1, 1, 0.75, 0.5};
    cr_assert_eq(rows.count, 4);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(rows.time_ns[i], time_s[i] * S);
        cr_assert_float_eq(rows.queue[i], queue[i], 1e-12, "row %d", i);
        cr_assert_float_eq(rows.utilization[i], utilization[i], 1e-12, "row %d", i);
    }
    rig_fini(&rig);
}

/* The interval of the series decides nothing about the jobs (S-52). */
Test(sim, sampling_does_not_touch_the_ends)
{
    static const int64_t interval_ns[] = {S / 100, S, 1000 * S};
    char digest[33] = "";
    for (int i = 0; i < 3; i++) {
        static struct rig rig;
        two_jobs(&rig);
        rig.world.interval_ns = interval_ns[i];
        cr_assert_eq(rig_run(&rig), PT_OK);
        if (i > 0) cr_assert_str_eq(rig.digest, digest);
        memcpy(digest, rig.digest, sizeof digest);
        rig_fini(&rig);
    }
}

Test(sim, horizon_ends_the_world)
{
    static struct rig rig;
    two_jobs(&rig);
    rig.world.horizon_ns = 10 * S; /* A is due exactly then: done; B stays pending */
    cr_assert_eq(rig_run(&rig), PT_OK);
    cr_assert_eq(rig.results[0].state, PT_STATE_DONE);
    cr_assert_eq(rig.results[1].state, PT_STATE_PENDING);
    cr_assert_eq(rig.results[1].reason, PT_REASON_HORIZON);
    cr_assert_eq(rig.results[1].start_ns, PT_TIME_ABSENT);
    rig_fini(&rig);
}

Test(sim, abandoned_run_reports_what_it_knows)
{
    static struct rig rig;
    two_jobs(&rig);
    rig_start(&rig);
    cr_assert_not(rig_advance(&rig, 1));
    struct pt_error error;
    cr_assert_eq(pt_sim_abandon(rig.sim, &error), PT_OK);
    cr_assert_eq(rig.results[0].state, PT_STATE_RUNNING);
    cr_assert_eq(rig.results[0].reason, PT_REASON_INTERRUPTED);
    cr_assert_eq(rig.results[1].state, PT_STATE_FUTURE);
    bool finished = false;
    cr_assert_eq(pt_sim_advance(rig.sim, 1, &finished, &error), PT_OK);
    cr_assert(finished);
    rig_fini(&rig);
}

static enum pt_status choosy_init(void *state, const struct pt_ctx *ctx,
                                  const struct pt_value *values, struct pt_error *error)
{
    (void)state, (void)ctx, (void)values;
    return pt_fail_param(error, "likes", 3, "nothing");
}

/* A value that a policy or a placement refuses is told of by its key inside of `policy`. */
Test(sim, a_refused_value_has_its_key)
{
    static struct rig rig;
    two_jobs(&rig);
    rig_start(&rig);
    struct pt_world world = rig.world;
    struct pt_policy_ops policy = *rig.world.policy;
    struct pt_placement_ops placement = *rig.world.placement;
    struct pt_sim *sim;
    struct pt_error error;
    policy.init = placement.init = choosy_init;
    world.policy = &policy;
    cr_assert_eq(pt_sim_create(&sim, &world, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.key, "likes");
    world.placement = &placement;
    cr_assert_eq(pt_sim_create(&sim, &world, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.key, "placement.likes");
    cr_assert_str_eq(error.message, "likes: nothing");
    cr_assert_eq(error.word, 3);
    cr_assert_null(sim);
    rig_fini(&rig);
}

/* A run of 10^18 ns at a speed that would end it beyond the clock says so. */
Test(sim, beyond_the_clock_is_an_error)
{
    static struct rig rig;
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, 1, "time_slice", "replicas=16 switch_loss=0");
    rig_set_policy(&rig, "fifo", "", "first_fit");
    for (int i = 0; i < 16; i++)
        rig_add_job(&rig, 0, INT64_C(1000000000000000000), 1);
    cr_assert_eq(rig_run(&rig), PT_ERR_RANGE);
    cr_assert_not_null(strstr(rig.error.message, "292 years"));
    rig_fini(&rig);
}

/* Each check is seen to trip: a healthy world, one fact bent, and the next instant stops. */
static void trips(void (*bend)(struct pt_sim *sim), const char *what)
{
    static struct rig rig;
    two_jobs(&rig);
    rig.world.check = true;
    rig_start(&rig);
    cr_assert_not(rig_advance(&rig, 1));
    cr_assert(pt__check(rig.sim), "%s", rig.sim->error.message);
    bend(rig.sim);
    struct pt_error error = {0};
    bool finished;
    cr_assert_eq(pt_sim_advance(rig.sim, 1, &finished, &error), PT_ERR_INVARIANT, "%s", what);
    cr_assert_not_null(strstr(error.message, what), "'%s' in '%s'", what, error.message);
    rig_fini(&rig);
}

static void bend_memory(struct pt_sim *sim)
{
    sim->gpus[1].mem_used_mib = 7;
}
static void bend_busy(struct pt_sim *sim)
{
    sim->pools[0].busy_ppm--;
}
static void bend_open(struct pt_sim *sim)
{
    pt_bitset_add(&sim->pools[0].open, 1);
}
static void bend_running(struct pt_sim *sim)
{
    sim->running_count++;
}
static void bend_speed(struct pt_sim *sim)
{
    sim->live[0].speed /= 2;
}
static void bend_left(struct pt_sim *sim)
{
    sim->live[0].left *= 4;
}
static void bend_charge(struct pt_sim *sim)
{
    sim->tenant_held[0] += 1000000000;
}
static void bend_queue(struct pt_sim *sim)
{
    sim->pending_count++;
}

Test(sim, every_invariant_trips)
{
    trips(bend_memory, "memory of GPU");
    trips(bend_busy, "busy share of pool");
    trips(bend_open, "open mark of GPU");
    trips(bend_running, "running jobs");
    trips(bend_speed, "speed of job");
    trips(bend_left, "work left of job");
    trips(bend_charge, "unit time charged in pool");
    trips(bend_queue, "pending jobs");
}

Test(sim, deadlocked_jobs_say_so)
{
    static struct rig rig;
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, 1, "exclusive", "");
    rig_set_policy(&rig, "fifo", "", "first_fit");
    rig_add_job(&rig, 0, 10 * S, 1);
    rig.down[0][0] = (struct pt_down_window){5 * S, PT_NEVER};
    rig.nodes[0].down = rig.down[0];
    rig.nodes[0].down_count = 1;
    cr_assert_eq(rig_run(&rig), PT_ERR_DEADLOCK);
    struct pt_error error;
    cr_assert_eq(pt_sim_abandon(rig.sim, &error), PT_OK);
    cr_assert_eq(rig.results[0].state, PT_STATE_PENDING);
    cr_assert_eq(rig.results[0].reason, PT_REASON_DEADLOCK);
    rig_fini(&rig);
}
