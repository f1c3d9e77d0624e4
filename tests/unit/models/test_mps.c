#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/models/modes.h"

static const struct pt_gpu_model l40s = {
    .name = "l40s", .family = "l40s", .mem_mib = 46068, .mps_clients = 48};
static const struct pt_gpu_model p100 = {
    .name = "p100", .family = "p100", .mem_mib = 16384, .mps_clients = 16};

/* S-26: 60 s of work alone take 60, 120 and 600 s under 1, 2 and 10 replicas. */
Test(mps, alone_a_client_is_held_to_its_cap)
{
    static const uint32_t replicas[] = {1, 2, 9, 10};
    for (size_t i = 0; i < sizeof replicas / sizeof *replicas; i++) {
        struct mode mode;
        struct company company = {0};
        char params[32];
        snprintf(params, sizeof params, "replicas=%u", (unsigned)replicas[i]);
        mode_must(&mode, "mps", &l40s, params);
        mode_join(&company, &mode, PT_NONE, PT_NONE, 1);
        mode_share(&company, &mode);
        mode_has(&company, 0, 1, replicas[i]);
        cr_assert_eq(company.needs[0].capped, replicas[i] > 1);
        cr_assert_eq(company.needs[0].as_asked, replicas[i] == 1);
        cr_assert_eq(company.needs[0].asked_share, 1);
    }
}

Test(mps, a_fraction_that_was_asked_for_runs_at_full_speed)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "mps", &l40s, "replicas=3");
    mode_join(&company, &mode, 300000, PT_NONE, 1);
    mode_share(&company, &mode);
    mode_has(&company, 0, 1, 1);
    cr_assert(company.needs[0].as_asked);
    cr_assert_float_eq(company.needs[0].asked_share, 0.3, 1e-12);
    mode_join(&company, &mode, 300000, PT_NONE, 1);
    mode_join(&company, &mode, PT_NONE, PT_NONE, 1); /* 0.3 + 0.3 + 1/3 < 1 */
    mode_share(&company, &mode);
    mode_has(&company, 1, 1, 1);
    mode_has(&company, 2, 1, 3);
}

/* Caps reserve nothing: above 1 in sum they are scaled down together. */
Test(mps, caps_above_one_are_scaled_down)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "mps", &l40s, "replicas=4");
    mode_join(&company, &mode, 800000, PT_NONE, 1);
    mode_join(&company, &mode, 500000, PT_NONE, 1);
    mode_join(&company, &mode, PT_NONE, PT_NONE, 1);
    mode_share(&company, &mode); /* caps sum to 1.55 */
    mode_has(&company, 0, 100, 155);
    mode_has(&company, 1, 100, 155);
    mode_has(&company, 2, 25, 155);
}

Test(mps, ninths_are_ninths)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "mps", &l40s, "replicas=9");
    for (int i = 0; i < 9; i++)
        mode_join(&company, &mode, PT_NONE, PT_NONE, 1);
    mode_share(&company, &mode);
    for (uint32_t i = 0; i < 9; i++)
        mode_has(&company, i, 1, 9);
}

/* S-26: 46068 MiB in tenths are 4606, in ninths 5118. S-27: the limit is of a process, and a job
 * holds the memory of all its processes. */
Test(mps, memory_has_a_limit_per_process)
{
    struct mode mode;
    struct pt_need need;
    mode_must(&mode, "mps", &l40s, "replicas=10");
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 4606, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 4607, 1), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 5000, 1), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, 200000, 5000, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, 200000, 9214, 1), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 1000, 2), PT_REASON_NONE);
    cr_assert_eq(need.mem_mib, 2000);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 4606, 2), PT_REASON_NONE);
    cr_assert_eq(need.mem_mib, 9212);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 4607, 2), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 1000, 2), PT_REASON_NONE);
    cr_assert_eq(need.clients, 2);
    mode_must(&mode, "mps", &l40s, "replicas=9");
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 5118, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 5119, 1), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, 900000, 23100, 2), PT_REASON_GPU_MEMORY); /* in sum */
    cr_assert_eq(mode_need(&need, &mode, 1000000, PT_NONE - 1, 9), PT_REASON_GPU_MEMORY);
}

Test(mps, a_process_is_a_client)
{
    struct mode mode;
    struct pt_need need;
    struct company company = {0};
    mode_must(&mode, "mps", &l40s, "replicas=4");
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, PT_NONE, 5), PT_REASON_CLIENTS);
    mode_join(&company, &mode, PT_NONE, PT_NONE, 3);
    cr_assert_eq(company.needs[0].capacity, 3);
    mode_share(&company, &mode); /* three of four quarters */
    mode_has(&company, 0, 3, 4);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, PT_NONE, 4), PT_REASON_NONE);
    cr_assert_not(need.capped);
}

Test(mps, refuses_more_clients_than_the_gpu_takes)
{
    struct mode mode;
    mode_must(&mode, "mps", &l40s, "replicas=48");
    mode_must(&mode, "mps", &l40s, "replicas=60 driver=r590");
    mode_must(&mode, "mps", &p100, "replicas=16");
    mode_refuses("mps", &l40s, "replicas=49",
                 "replicas: 49 are more than the 48 MPS clients that l40s takes (60 with driver: "
                 "r590)");
    mode_refuses("mps", &l40s, "replicas=61 driver=r615",
                 "replicas: 61 are more than the 60 MPS clients that l40s takes: fewer, or another "
                 "GPU or mode");
    mode_refuses("mps", &p100, "replicas=17 driver=r590",
                 "replicas: 17 are more than the 16 MPS clients that p100 takes: fewer, or another "
                 "GPU or mode");
    mode_refuses("mps", &l40s, "replicas=4 driver=590",
                 "driver: '590' is no release (r580, r590, r615)");
    mode_refuses("mps", &l40s, "replicas=4 driver=r59",
                 "driver: 'r59' is no release (r580, r590, r615)");
}

Test(mps, may_refuse_more_than_one_unit)
{
    struct mode mode;
    struct pt_need need;
    struct pt_ask ask = {PT_NONE, PT_NONE, 1, 2, NULL};
    mode_must(&mode, "mps", &l40s, "replicas=4 fail_requests_greater_than_one=true");
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_MORE_THAN_ONE);
    mode_must(&mode, "mps", &l40s, "replicas=4");
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_NONE);
}
