#include <criterion/criterion.h>

#include "tests/unit/models/modes.h"

#define FRACTION(percent) ((percent)*10000u)

static const struct pt_gpu_model gpu = {
    .name = "l40s", .family = "l40s", .mem_mib = 46068, .mps_clients = 48};

Test(fractional, strict_fractions_run_at_full_speed)
{
    static const char *const computes[] = {"compute=time_slicing", "compute=sm_sharing"};
    for (size_t i = 0; i < 2; i++) {
        struct mode mode;
        struct company company = {0};
        mode_must(&mode, "fractional", &gpu, computes[i]);
        mode_join(&company, &mode, FRACTION(40), PT_NONE, 1);
        mode_join(&company, &mode, FRACTION(60), PT_NONE, 1);
        mode_share(&company, &mode);
        mode_has(&company, 0, 1, 1);
        mode_has(&company, 1, 1, 1);
        cr_assert_eq(company.needs[0].capacity, 400000);
        cr_assert(company.needs[0].capped);
        cr_assert(company.needs[0].as_asked);
    }
}

/* f / sum of f, of the f that was asked for: 1 / sum. */
Test(fractional, elastic_fractions_use_what_is_idle)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "fractional", &gpu, "strict=false");
    cr_assert_not(mode.shape.elastic); /* books: nobody is held to a fraction anyway */
    mode_must(&mode, "fractional", &gpu, "compute=time_slicing strict=false");
    cr_assert(mode.shape.elastic);
    mode_join(&company, &mode, FRACTION(20), PT_NONE, 1);
    mode_share(&company, &mode);
    mode_has(&company, 0, 5, 1);
    mode_join(&company, &mode, FRACTION(30), PT_NONE, 1);
    mode_share(&company, &mode);
    mode_has(&company, 0, 2, 1);
    mode_has(&company, 1, 2, 1);
    cr_assert_not(company.needs[0].capped);
    struct company alone = {0};
    mode_join(&alone, &mode, PT_NONE, PT_NONE, 1);
    mode_share(&alone, &mode);
    mode_has(&alone, 0, 1, 1);
}

Test(fractional, books_alone_are_turns)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "fractional", &gpu, "switch_loss=0.25");
    mode_join(&company, &mode, FRACTION(10), PT_NONE, 1);
    mode_share(&company, &mode);
    mode_has(&company, 0, 1, 1);
    mode_join(&company, &mode, FRACTION(50), PT_NONE, 1);
    mode_share(&company, &mode); /* equal turns, whatever was asked */
    mode_has(&company, 0, 2, 5); /* 1 / (1.25 x 2) */
    mode_has(&company, 1, 2, 5);
}

/* S-06: memory alone admits, in MiB; such a job takes no share and runs at full speed. */
Test(fractional, memory_alone_admits)
{
    static const char *const computes[] = {"compute=none", "compute=time_slicing",
                                           "compute=sm_sharing strict=false"};
    for (size_t i = 0; i < 3; i++) {
        struct mode mode;
        struct company company = {0};
        struct pt_need need;
        mode_must(&mode, "fractional", &gpu, computes[i]);
        mode_join(&company, &mode, PT_NONE, 2000, 1);
        mode_join(&company, &mode, PT_NONE, PT_NONE, 1); /* the whole GPU, beside it */
        mode_join(&company, &mode, PT_NONE, 2000, 1);
        mode_share(&company, &mode);
        for (uint32_t j = 0; j < 3; j++)
            mode_has(&company, j, 1, 1);
        cr_assert(company.needs[0].weightless);
        cr_assert_eq(company.needs[0].capacity, 0);
        cr_assert_eq(company.needs[1].capacity, PT_PPM_ONE);
        cr_assert_eq(mode_need(&need, &mode, PT_NONE, 46069, 1), PT_REASON_GPU_MEMORY);
        cr_assert_eq(mode_need(&need, &mode, PT_NONE, 46068, 1), PT_REASON_NONE);
        cr_assert_eq(mode_need(&need, &mode, FRACTION(10), 23035, 2), PT_REASON_GPU_MEMORY);
        cr_assert_eq(mode_need(&need, &mode, PT_NONE, 0, 1), PT_REASON_NONE);
        cr_assert_eq(need.capacity, PT_PPM_ONE); /* nothing that could admit it */
        mode_must(&mode, "fractional", &gpu, "memory=unchecked");
        cr_assert_eq(mode_need(&need, &mode, PT_NONE, 2000, 1), PT_REASON_NONE);
        cr_assert_eq(need.capacity, PT_PPM_ONE);
    }
}

/* S-10: ten tenths are exactly the GPU. */
Test(fractional, ten_tenths_are_the_gpu)
{
    struct mode mode;
    struct company company = {0};
    uint32_t sum = 0;
    mode_must(&mode, "fractional", &gpu, "");
    for (uint32_t i = 0; i < 10; i++) {
        mode_join(&company, &mode, FRACTION(10), PT_NONE, 1);
        sum += company.needs[i].capacity;
    }
    cr_assert_eq(sum, mode.shape.capacity);
}

Test(fractional, shares_round_up_to_whole_ones)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "fractional", &gpu, "compute=time_slicing replicas=7");
    cr_assert_eq(mode.shape.capacity, 7);
    cr_assert(mode.shape.levels);
    mode_join(&company, &mode, 142857, PT_NONE, 1); /* a little less than 1/7 */
    mode_join(&company, &mode, 142858, PT_NONE, 1); /* a little more */
    mode_join(&company, &mode, 1, PT_NONE, 1);
    mode_join(&company, &mode, 1000000, PT_NONE, 1);
    cr_assert_eq(company.needs[0].capacity, 1);
    cr_assert_eq(company.needs[1].capacity, 2);
    cr_assert_eq(company.needs[2].capacity, 1);
    cr_assert_eq(company.needs[3].capacity, 7);
    cr_assert_eq(company.needs[1].cap.numerator, 2);
    cr_assert_eq(company.needs[1].cap.denominator, 7);
    mode_must(&mode, "fractional", &gpu, "");
    cr_assert_not(mode.shape.levels);
}

Test(fractional, sm_sharing_has_mps_limits)
{
    struct mode mode;
    struct pt_need need;
    mode_must(&mode, "fractional", &gpu, "compute=sm_sharing");
    cr_assert_eq(mode.shape.clients_max, 48);
    cr_assert_eq(mode_need(&need, &mode, FRACTION(50), PT_NONE, 49), PT_REASON_CLIENTS);
    mode_must(&mode, "fractional", &gpu, "compute=sm_sharing driver=r590");
    cr_assert_eq(mode.shape.clients_max, 60);
    mode_must(&mode, "fractional", &gpu, "compute=sm_sharing jobs_per_gpu=10");
    cr_assert_eq(mode.shape.residents_max, 10);
    mode_must(&mode, "fractional", &gpu, "compute=time_slicing");
    cr_assert_eq(mode.shape.residents_max, PT_NONE);
    cr_assert_eq(mode.shape.clients_max, 0);
    cr_assert_eq(mode_need(&need, &mode, FRACTION(50), PT_NONE, 49), PT_REASON_NONE);
    mode_refuses("fractional", &gpu, "compute=time_slicing cap_contention=0.1",
                 "cap_contention is of compute: sm_sharing, not of compute: time_slicing");
}

Test(fractional, whole_gpus_are_no_fractions_of_more_than_one)
{
    struct mode mode;
    struct pt_need need;
    struct pt_ask ask = {FRACTION(50), PT_NONE, 1, 2, NULL};
    mode_must(&mode, "fractional", &gpu, "fail_requests_greater_than_one=true");
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_MORE_THAN_ONE);
    ask.gpu_frac_ppm = PT_NONE;
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_NONE);
    ask.gpu_mem_mib = 5;
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_MORE_THAN_ONE);
}
