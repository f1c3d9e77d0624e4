#include <criterion/criterion.h>

#include "analysis/plot/lanes.h"

static struct pt_bar bar(uint32_t job, uint32_t gpu, double start_s, double end_s)
{
    return (struct pt_bar){.interval = {job, gpu, start_s, end_s}};
}

Test(lanes, those_who_share_are_apart)
{
    struct pt_bar bars[] = {bar(3, 1, 5, 9), bar(0, 1, 0, 10), bar(1, 0, 0, 4), bar(2, 1, 2, 5),
                            bar(4, 1, 6, 7)};
    uint32_t lanes[3] = {7, 7, 7};
    cr_assert_eq(pt_lanes(bars, 5, lanes, 3, NULL), PT_OK);
    cr_assert_eq(lanes[0], 1u);
    cr_assert_eq(lanes[1], 3u);
    cr_assert_eq(lanes[2], 0u);
    /* by GPU, start and job: 1 | 0 2 3 4; the lane of job 2 is free again when job 3 begins */
    const uint32_t jobs[] = {1, 0, 2, 3, 4}, wanted[] = {0, 0, 1, 1, 2};
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(bars[i].interval.job, jobs[i]);
        cr_assert_eq(bars[i].lane, wanted[i]);
    }
}

Test(lanes, nobody_and_unknown_gpus)
{
    struct pt_bar bars[] = {bar(0, PT_NONE, 0, 1), bar(1, 2, 0, 1), bar(2, 0, 0, 1)};
    uint32_t lanes[2];
    cr_assert_eq(pt_lanes(bars, 0, lanes, 2, NULL), PT_OK);
    cr_assert_eq(lanes[0] + lanes[1], 0u);
    cr_assert_eq(pt_lanes(bars, 3, lanes, 2, NULL), PT_OK);
    cr_assert_eq(bars[0].interval.job, 2u);
    cr_assert_eq(lanes[0], 1u);
    cr_assert_eq(lanes[1], 0u);
}

/* Many at random: no two bars of one lane overlap, and no GPU has more lanes than it ever had jobs
 * at a time. */
Test(lanes, never_overlap)
{
    enum { COUNT = 400, GPUS = 5 };
    static struct pt_bar bars[COUNT];
    uint32_t lanes[GPUS], state = 12345;
    for (uint32_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        double start_s = (double)(state >> 20);
        state = state * 1664525u + 1013904223u;
        bars[i] = bar(i, (state >> 8) % GPUS, start_s, start_s + (double)(state >> 24));
    }
    cr_assert_eq(pt_lanes(bars, COUNT, lanes, GPUS, NULL), PT_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct pt_interval *one = &bars[i].interval;
        uint32_t at_a_time = 0;
        for (uint32_t j = 0; j < COUNT; j++) {
            const struct pt_interval *other = &bars[j].interval;
            if (other->gpu != one->gpu) continue;
            at_a_time += other->start_s <= one->start_s && other->end_s > one->start_s ? 1u : 0u;
            bool overlap = one->start_s < other->end_s && other->start_s < one->end_s;
            cr_assert(i == j || !overlap || bars[i].lane != bars[j].lane);
        }
        cr_assert_lt(bars[i].lane, lanes[one->gpu]);
        cr_assert(bars[i].lane == 0 || bars[i].lane < at_a_time + 1u);
    }
}
