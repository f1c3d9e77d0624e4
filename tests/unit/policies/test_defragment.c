#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "partita/random.h"
#include "tests/support/rig.h"

#define S PT_NS_PER_S

/* Two nodes of two GPUs, one job on each; a third asks for both GPUs of a node at 2 s, and once
 * more, when it has ended and the first two lie as before, at 8 s. */
static void world(struct rig *rig, const char *params, const char *preemptible)
{
    rig_init(rig);
    rig->world.check = true;
    rig->world.preemption.mode = PT_PREEMPTION_SUSPEND;
    rig_add_pool(rig, &rig_h100, 2, 2, "exclusive", "");
    rig_set_policy(rig, "fifo", params, "spread");
    for (int i = 0; i < 2; i++) {
        pt_job job = rig_add_job(rig, 0, (20 + 10 * i) * S, 1);
        rig_set_cell(rig, job, PT_COL_PREEMPTIBLE, preemptible);
    }
    pt_job gang = rig_add_job(rig, 2 * S, 3 * S, 2);
    rig_set_cell(rig, gang, PT_COL_NODES_MAX, "1");
}

static double starts_s(const struct rig *rig, pt_job job)
{
    return pt_seconds(rig->results[job].start_ns);
}

static uint64_t moves(const struct rig *rig)
{
    struct pt_sim_stats stats;
    pt_sim_get_stats(rig->sim, &stats);
    return stats.migrations;
}

Test(defragment, happens_where_it_is_asked_for_and_allowed)
{
    static const struct {
        const char *params, *preemptible;
        double start_s;
        uint64_t moves;
    } cases[] = {{"", "true", 20, 0},
                 {"defragment.threshold=0.4", "true", 2, 1},
                 {"defragment.threshold=0.5", "true", 20, 0},
                 {"defragment.threshold=0", "true", 2, 1},
                 {"defragment.threshold=0", "false", 20, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct rig rig;
        world(&rig, cases[i].params, cases[i].preemptible);
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        cr_assert_float_eq(starts_s(&rig, 2), cases[i].start_s, 1e-9, "case %zu", i);
        cr_assert_eq(moves(&rig), cases[i].moves, "case %zu", i);
        rig_fini(&rig);
    }
}

/* After the first gang, one of the two on the first node ends, another comes to the second node:
 * who has moved would have to move back. */
Test(defragment, who_has_moved_rests)
{
    static const struct {
        const char *params;
        double start_s;
    } cases[] = {{"defragment.threshold=0", 20},
                 {"defragment.threshold=0 defragment.cooldown=6s", 8}};
    for (size_t i = 0; i < 2; i++) {
        static struct rig rig;
        rig_init(&rig);
        rig.world.check = true;
        rig.world.preemption.mode = PT_PREEMPTION_SUSPEND;
        rig_add_pool(&rig, &rig_h100, 2, 2, "exclusive", "");
        rig_set_policy(&rig, "fifo", cases[i].params, "spread");
        pt_job mover = rig_add_job(&rig, 0, 20 * S, 1), other = rig_add_job(&rig, 0, 7 * S, 1);
        pt_job first = rig_add_job(&rig, 2 * S, 3 * S, 2);  /* the mover goes to the other */
        pt_job still = rig_add_job(&rig, 6 * S, 30 * S, 1); /* where the first gang was */
        pt_job second = rig_add_job(&rig, 8 * S, 3 * S, 2);
        rig_set_cell(&rig, first, PT_COL_NODES_MAX, "1");
        rig_set_cell(&rig, second, PT_COL_NODES_MAX, "1");
        rig_set_cell(&rig, still, PT_COL_PREEMPTIBLE, "false");
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        cr_assert_float_eq(starts_s(&rig, first), 2, 1e-9);
        cr_assert_float_eq(starts_s(&rig, still), 6, 1e-9);
        cr_assert_float_eq(starts_s(&rig, second), cases[i].start_s, 1e-9, "case %zu: %g", i,
                           starts_s(&rig, second));
        cr_assert_eq(rig.results[mover].preemptions, 0);
        cr_assert_eq(rig.results[other].state, PT_STATE_DONE);
        rig_fini(&rig);
    }
}

Test(defragment, moves_no_more_than_it_may)
{
    static const char *const params[] = {"defragment.threshold=0 defragment.moves=1",
                                         "defragment.threshold=0"};
    static const double start_s[] = {100, 2};
    for (int i = 0; i < 2; i++) {
        static struct rig rig;
        rig_init(&rig);
        rig.world.check = true;
        rig.world.preemption.mode = PT_PREEMPTION_SUSPEND;
        rig_add_pool(&rig, &rig_h100, 3, 4, "exclusive", "");
        rig_set_policy(&rig, "priority", params[i], "spread");
        for (int k = 0; k < 6; k++) /* two on each node, so each has two free */
            rig_add_job(&rig, 0, 100 * S, 1);
        pt_job gang = rig_add_job(&rig, 2 * S, 10 * S, 4);
        rig_set_cell(&rig, gang, PT_COL_NODES_MAX, "1");
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        cr_assert_float_eq(starts_s(&rig, gang), start_s[i], 1e-9);
        cr_assert_eq(moves(&rig), i == 0 ? 0 : 2);
        rig_fini(&rig);
    }
}

Test(defragment, needs_a_way_to_stop_jobs)
{
    static struct rig rig;
    world(&rig, "defragment.threshold=0.1", "true");
    rig.world.preemption.mode = PT_PREEMPTION_NONE;
    struct pt_sim *sim = NULL;
    pt_job bad_row;
    cr_assert_eq(pt_trace_finish(&rig.trace, &bad_row, &rig.error), PT_OK);
    cr_assert_eq(pt_sim_create(&sim, &rig.world, &rig.error), PT_ERR_INPUT);
    cr_assert(strstr(rig.error.message, "preemption") != NULL);
    rig_fini(&rig);
}

/* Crowded nodes, at random: everything ends, the same twice, and nobody is moved for nothing. */
Test(defragment, churn_is_bounded, .timeout = 100)
{
    static const char *const modes[] = {"exclusive", "time_slice", "mig"};
    static const char *const params[] = {"", "replicas=2 memory=admit",
                                         "reconfigure=partial reconfigure_s=1"};
    uint64_t moved = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char digest[2][33];
        for (int k = 0; k < 2; k++) {
            static struct rig rig;
            gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
            pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 9);
            rig_init(&rig);
            rig.world.check = true;
            rig.world.preemption.mode = PT_PREEMPTION_SUSPEND;
            if (seed % 2 == 0) rig.world.preemption.save_base_ns = S;
            rig_add_pool(&rig, &rig_h100, 4, 4, modes[seed % 3], params[seed % 3]);
            rig_set_policy(&rig, seed % 5 < 2 ? "priority" : "fifo",
                           "blocking=skip defragment.threshold=0.1 defragment.cooldown=20s",
                           seed % 2 == 0 ? "spread" : "first_fit");
            for (int j = 0; j < 60; j++) {
                pt_job job = rig_add_job(&rig, (int64_t)gsl_rng_uniform_int(rng, 100) * S,
                                         (1 + (int64_t)gsl_rng_uniform_int(rng, 40)) * S,
                                         1 + (uint32_t)gsl_rng_uniform_int(rng, 4));
                rig_set_cell(&rig, job, PT_COL_NODES_MAX, "1");
                if (seed % 3 == 2) rig_set_cell(&rig, job, PT_COL_GPU_FRAC, "0.4");
            }
            gsl_rng_free(rng);
            cr_assert_eq(rig_run(&rig), PT_OK, "%lu: %s", (unsigned long)seed, rig.error.message);
            for (pt_job job = 0; job < 60; job++)
                cr_assert_eq(rig.results[job].state, PT_STATE_DONE);
            cr_assert_leq(moves(&rig), 4 * 60, "four at most for each that starts");
            moved += moves(&rig);
            memcpy(digest[k], rig.digest, sizeof digest[k]);
            rig_fini(&rig);
        }
        cr_assert_str_eq(digest[0], digest[1]);
    }
    cr_assert_gt(moved, 100, "%lu", (unsigned long)moved);
}
