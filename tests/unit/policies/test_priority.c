#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "partita/random.h"
#include "tests/support/rig.h"

#define S PT_NS_PER_S

enum { LOW, HIGH, NEVER, FIRM };
static const struct pt_rank ranks[] = {[LOW] = {0, true, true},
                                       [HIGH] = {10, true, true},
                                       [NEVER] = {10, false, true},
                                       [FIRM] = {0, true, false}};
static const char *const words[] = {"low", "high", "never", "firm"};
static struct pt_rank rank_of_word[4]; /* words are numbered by first appearance */

static pt_job add(struct rig *rig, int64_t submit_s, int64_t work_s, uint32_t gpus, int rank)
{
    pt_job job = rig_add_job(rig, submit_s * S, work_s * S, gpus);
    rig_set_cell(rig, job, PT_COL_PRIORITY, words[rank]);
    rank_of_word[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)] = ranks[rank];
    return job;
}

static void world(struct rig *rig, enum pt_preemption_mode mode, const char *params, uint32_t nodes,
                  uint32_t gpus)
{
    rig_init(rig);
    rig->world.check = true;
    rig->world.preemption.mode = mode;
    rig->world.rank_of_word = rank_of_word;
    rig_add_pool(rig, &rig_h100, nodes, gpus, "exclusive", "");
    rig_set_policy(rig, "priority", params, "first_fit");
}

static double ends_s(const struct rig *rig, pt_job job)
{
    return pt_seconds(rig->results[job].end_ns);
}
static double starts_s(const struct rig *rig, pt_job job)
{
    return pt_seconds(rig->results[job].start_ns);
}

/* S-31: a victim does not jump back, and goes on where it was, at a cost, or anew. */
Test(priority, victim_goes_on)
{
    static const struct {
        enum pt_preemption_mode mode;
        int64_t restore_s;
        double end_s;
    } cases[] = {{PT_PREEMPTION_SUSPEND, 0, 110},
                 {PT_PREEMPTION_SUSPEND, 10, 120},
                 {PT_PREEMPTION_KILL, 0, 115},
                 {PT_PREEMPTION_CHECKPOINT, 0, 115}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct rig rig;
        world(&rig, cases[i].mode, "", 1, 2);
        rig.world.restore.base_ns = cases[i].restore_s * S;
        pt_job low = add(&rig, 0, 100, 2, LOW), high = add(&rig, 5, 10, 2, HIGH);
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        cr_assert_float_eq(starts_s(&rig, high), 5, 1e-9);
        cr_assert_float_eq(ends_s(&rig, high), 15, 1e-9);
        cr_assert_float_eq(ends_s(&rig, low), cases[i].end_s, 1e-9, "case %zu: %g", i,
                           ends_s(&rig, low));
        cr_assert_eq(rig.results[low].preemptions, 1);
        rig_fini(&rig);
    }
}

/* S-33: who was stopped takes its old place in the queue. */
Test(priority, victim_keeps_its_place)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "", 1, 1);
    pt_job a = add(&rig, 0, 100, 1, LOW), b = add(&rig, 1, 10, 1, LOW);
    pt_job high = add(&rig, 10, 20, 1, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_float_eq(ends_s(&rig, high), 30, 1e-9);
    cr_assert_float_eq(ends_s(&rig, a), 120, 1e-9);
    cr_assert_float_eq(ends_s(&rig, b), 130, 1e-9);
    rig_fini(&rig);
}

/* S-41: a gang is stopped whole, though half of it would do. */
Test(priority, gangs_are_stopped_whole)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "", 1, 8);
    pt_job low = add(&rig, 0, 100, 8, LOW), high = add(&rig, 10, 20, 4, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_float_eq(ends_s(&rig, high), 30, 1e-9);
    cr_assert_float_eq(ends_s(&rig, low), 120, 1e-9);
    cr_assert_eq(rig.results[low].preemptions, 1);
    rig_fini(&rig);
}

/* Nothing is stopped by default, and never by those whose class says so, nor those whose does. */
Test(priority, some_stop_nobody_and_some_are_never_stopped)
{
    static const struct {
        enum pt_preemption_mode mode;
        int low, high;
        double start_s;
    } cases[] = {{PT_PREEMPTION_NONE, LOW, HIGH, 100},
                 {PT_PREEMPTION_SUSPEND, LOW, NEVER, 100},
                 {PT_PREEMPTION_SUSPEND, FIRM, HIGH, 100},
                 {PT_PREEMPTION_SUSPEND, LOW, HIGH, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct rig rig;
        world(&rig, cases[i].mode, "", 1, 2);
        add(&rig, 0, 100, 2, cases[i].low);
        pt_job second = add(&rig, 1, 10, 2, LOW), high = add(&rig, 5, 10, 2, cases[i].high);
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        cr_assert_float_eq(starts_s(&rig, high), cases[i].start_s, 1e-9, "case %zu", i);
        cr_assert_gt(starts_s(&rig, second), starts_s(&rig, high), "it goes ahead all the same");
        rig_fini(&rig);
    }
}

/* Skip: one that stops nobody does not keep another that asks for the same from stopping. */
Test(priority, one_that_stops_nobody_holds_back_nobody)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "blocking=skip", 1, 2);
    add(&rig, 0, 100, 2, LOW);
    pt_job never = add(&rig, 4, 10, 2, NEVER), high = add(&rig, 5, 10, 2, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_float_eq(starts_s(&rig, high), 5, 1e-9);
    cr_assert_float_eq(starts_s(&rig, never), 15, 1e-9);
    rig_fini(&rig);
}

/* A job started at an instant may be stopped at it, and counts as preempted. */
Test(priority, a_job_started_now_may_be_a_victim_now)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "", 1, 4);
    pt_job first = add(&rig, 0, 10, 3, HIGH), big = add(&rig, 1, 10, 4, LOW);
    pt_job high = add(&rig, 10, 5, 4, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_float_eq(ends_s(&rig, first), 10, 1e-9);
    cr_assert_float_eq(starts_s(&rig, high), 10, 1e-9);
    cr_assert_float_eq(ends_s(&rig, big), 25, 1e-9);
    rig_fini(&rig);
}

/* Nobody is stopped in vain: what could be freed is too little. */
Test(priority, nobody_is_stopped_in_vain)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "", 1, 4);
    pt_job low = add(&rig, 0, 50, 2, LOW), firm = add(&rig, 0, 100, 2, FIRM);
    pt_job high = add(&rig, 10, 5, 4, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_eq(rig.results[low].preemptions, 0);
    cr_assert_float_eq(ends_s(&rig, firm), 100, 1e-9);
    cr_assert_float_eq(starts_s(&rig, high), 100, 1e-9);
    rig_fini(&rig);
}

/* The preemptor waits until its victim is saved, and nobody takes its place meanwhile. */
Test(priority, victims_are_saved_first)
{
    static struct rig rig;
    world(&rig, PT_PREEMPTION_SUSPEND, "", 1, 2);
    rig.world.preemption.save_base_ns = 3 * S;
    pt_job low = add(&rig, 0, 100, 2, LOW), high = add(&rig, 5, 10, 2, HIGH);
    pt_job other = add(&rig, 6, 10, 2, HIGH);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_float_eq(starts_s(&rig, high), 8, 1e-9);
    cr_assert_float_eq(starts_s(&rig, other), 18, 1e-9);
    cr_assert_float_eq(ends_s(&rig, low), 123, 1e-9);
    rig_fini(&rig);
}

/* Bounded churn: each start of a job stops another at most once, and only a lower one. */
Test(priority, nobody_is_stopped_for_ever, .timeout = 100)
{
    uint64_t stops = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static struct rig rig;
        static int priority[80];
        gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
        pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 11);
        world(&rig, (enum pt_preemption_mode)(1 + seed % 3), "blocking=skip", 3, 4);
        if (seed % 2 == 0) rig.world.preemption.save_base_ns = 2 * S;
        rig.world.preemption.victims = (enum pt_victims)(seed % 3);
        for (int j = 0; j < 80; j++) {
            char text[8];
            pt_job job = rig_add_job(&rig, (int64_t)gsl_rng_uniform_int(rng, 100) * S,
                                     (1 + (int64_t)gsl_rng_uniform_int(rng, 30)) * S,
                                     1 + (uint32_t)gsl_rng_uniform_int(rng, 6));
            snprintf(text, sizeof text, "%d", (int)gsl_rng_uniform_int(rng, 4));
            rig_set_cell(&rig, job, PT_COL_PRIORITY, text);
            rank_of_word[pt_trace_u32(&rig.trace, PT_COL_PRIORITY, job)] =
                (struct pt_rank){text[0] - '0', true, true};
        }
        gsl_rng_free(rng);
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        for (pt_job job = 0; job < 80; job++)
            priority[job] = (int)rank_of_word[pt_trace_u32(&rig.trace, PT_COL_PRIORITY, job)].value;
        for (pt_job job = 0; job < 80; job++) {
            uint32_t starts = 0;
            for (pt_job other = 0; other < 80; other++)
                if (priority[other] > priority[job]) starts += 1 + rig.results[other].preemptions;
            cr_assert_eq(rig.results[job].state, PT_STATE_DONE);
            cr_assert_leq(rig.results[job].preemptions, starts);
            stops += rig.results[job].preemptions;
        }
        rig_fini(&rig);
    }
    cr_assert_gt(stops, 500);
}
