#include "analysis/stats/outcomes.h"

#include <criterion/criterion.h>

#include "tests/unit/analysis/world.h"

Test(outcomes, know_nothing_before_the_run)
{
    struct pt_outcomes *o;
    cr_assert_eq(pt_outcomes_create(&o, 3, NULL), PT_OK);
    for (pt_job job = 0; job < 3; job++) {
        cr_assert_eq(o->start_ns[job], PT_TIME_ABSENT);
        cr_assert_eq(o->end_ns[job], PT_TIME_ABSENT);
        cr_assert_eq(o->running_ns[job], 0);
        cr_assert_eq(o->home_gpu[job], PT_NONE);
        cr_assert_eq(o->state[job], PT_STATE_FUTURE);
        cr_assert_eq(o->attempts[job], 0);
    }
    pt_outcomes_destroy(o);
    pt_outcomes_destroy(NULL);
}

Test(outcomes, of_no_jobs)
{
    struct pt_outcomes *o;
    struct pt_error error;
    struct pt_job_result result = {0};
    cr_assert_eq(pt_outcomes_create(&o, 0, NULL), PT_OK);
    cr_assert_eq(pt_outcomes_record(o, 0, &result, &error), PT_ERR_INVARIANT);
    pt_outcomes_destroy(o);
}

Test(outcomes, derive_times_from_nanoseconds)
{
    struct world w;
    world_init(&w);
    pt_job ran = world_add(&w, 5, 10, 1), gone = world_add(&w, 6, 10, 1);
    world_ready(&w);
    world_ran(&w, ran, PT_STATE_DONE, 7, 30, 20, 0);
    cr_assert_eq(pt_outcomes_jct_ns(w.outcomes, &w.trace, ran), 25 * S);
    cr_assert_eq(pt_outcomes_wait_ns(w.outcomes, &w.trace, ran), 2 * S);
    cr_assert_eq(pt_outcomes_queue_ns(w.outcomes, &w.trace, ran), 5 * S);
    /* withdrawn: an end, but it never ran */
    struct pt_job_result result = {.start_ns = PT_TIME_ABSENT,
                                   .end_ns = 9 * S,
                                   .home_gpu = PT_NONE,
                                   .state = PT_STATE_WITHDRAWN};
    cr_assert_eq(pt_outcomes_record(w.outcomes, gone, &result, NULL), PT_OK);
    cr_assert_eq(pt_outcomes_jct_ns(w.outcomes, &w.trace, gone), PT_TIME_ABSENT);
    cr_assert_eq(pt_outcomes_wait_ns(w.outcomes, &w.trace, gone), PT_TIME_ABSENT);
    cr_assert_eq(pt_outcomes_queue_ns(w.outcomes, &w.trace, gone), PT_TIME_ABSENT);
    world_fini(&w);
}
