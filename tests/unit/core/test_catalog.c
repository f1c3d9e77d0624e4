#include "partita/catalog.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pt_gpu_model a100 = {
    .name = "a100-sxm4-80gb", .fp16_tflops = 312, .mem_gb_per_s = 2039};
static const struct pt_gpu_model h100 = {
    .name = "h100-sxm5-80gb", .fp16_tflops = 989.4, .mem_gb_per_s = 3350};
static const struct pt_gpu_model k80 = {.name = "k80", .fp16_tflops = 4.37, .mem_gb_per_s = 240};

static const double tiny = 1e-12;

Test(catalog, has_a_speed_for_each_class_of_jobs)
{
    double compute = 989.4 / 312, bandwidth = 3350.0 / 2039;
    double mixed = sqrt(compute * bandwidth);
    cr_assert_float_eq(pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_COMPUTE), compute, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_BANDWIDTH), bandwidth, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_MIXED), mixed, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_LIGHT), 1 + 0.3 * (mixed - 1),
                       tiny);
}

/* Measured: 1.7 to 1.9 times for jobs bound by bandwidth, 2.8 to 3.2 for those bound by compute.
 * The ratio of peak bandwidths is 3.4 % below that range. */
Test(catalog, agrees_with_what_was_measured_of_h100_against_a100)
{
    double compute = pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_COMPUTE);
    double bandwidth = pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_BANDWIDTH);
    cr_assert(compute > 2.8 && compute < 3.2, "%g", compute);
    cr_assert(bandwidth > 1.7 * 0.96 && bandwidth < 1.9, "%g", bandwidth);
}

Test(catalog, has_exactly_one_for_the_same_gpu_and_inverse_speeds_both_ways)
{
    for (int c = 0; c < PT_CLASS_COUNT; c++) {
        enum pt_speed_class class_ = (enum pt_speed_class)c;
        cr_assert_eq(pt_gpu_relative_speed(&h100, &h100, class_), PT_SPEED_ONE);
        if (class_ == PT_CLASS_LIGHT) continue;
        cr_assert_float_eq(pt_gpu_speed_ratio(&h100, &a100, class_) *
                               pt_gpu_speed_ratio(&a100, &h100, class_),
                           1, tiny);
    }
}

Test(catalog, takes_a_measured_speed_for_what_it_was_measured_of)
{
    struct pt_gpu_model measured = h100, other = k80;
    measured.speed_against = &a100;
    measured.speed[PT_CLASS_COMPUTE] = 2.9;
    measured.speed[PT_CLASS_BANDWIDTH] = 1.8;
    double mixed = sqrt(2.9 * 1.8);
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &a100, PT_CLASS_COMPUTE), 2.9, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&a100, &measured, PT_CLASS_COMPUTE), 1 / 2.9, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &a100, PT_CLASS_MIXED), mixed, tiny);
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &a100, PT_CLASS_LIGHT), 1 + 0.3 * (mixed - 1),
                       tiny);
    measured.speed[PT_CLASS_LIGHT] = 1.25;
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &a100, PT_CLASS_LIGHT), 1.25, tiny);
    /* against a third, by way of the one it was measured against */
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &k80, PT_CLASS_BANDWIDTH), 1.8 * 2039 / 240,
                       1e-10);
    /* both measured, against two others */
    other.speed_against = &h100;
    other.speed[PT_CLASS_BANDWIDTH] = 0.05;
    cr_assert_float_eq(pt_gpu_speed_ratio(&measured, &other, PT_CLASS_BANDWIDTH),
                       1.8 * (2039.0 / 3350) / 0.05, 1e-10);
    cr_assert_float_eq(pt_gpu_speed_ratio(&other, &measured, PT_CLASS_BANDWIDTH),
                       0.05 * (3350.0 / 2039) / 1.8, tiny);
    cr_assert_eq(pt_gpu_relative_speed(&measured, &measured, PT_CLASS_MIXED), PT_SPEED_ONE);
}

Test(catalog, rounds_speeds_to_40_bits_and_refuses_what_64_bits_do_not_hold)
{
    uint64_t speed = pt_gpu_relative_speed(&h100, &a100, PT_CLASS_MIXED);
    cr_assert_eq(speed & ((UINT64_C(1) << 21) - 1), 0);
    cr_assert_float_eq((double)speed / (double)PT_SPEED_ONE,
                       pt_gpu_speed_ratio(&h100, &a100, PT_CLASS_MIXED), 1e-11);
    struct pt_gpu_model fast = {.fp16_tflops = 15.999, .mem_gb_per_s = 16};
    struct pt_gpu_model slow = {.fp16_tflops = 1, .mem_gb_per_s = 1};
    cr_assert_gt(pt_gpu_relative_speed(&fast, &slow, PT_CLASS_COMPUTE), 15 * PT_SPEED_ONE);
    cr_assert_eq(pt_gpu_relative_speed(&fast, &slow, PT_CLASS_BANDWIDTH), PT_SPEED_TOO_FAST);
    cr_assert_eq(pt_gpu_relative_speed(&h100, &k80, PT_CLASS_COMPUTE), PT_SPEED_TOO_FAST);
    cr_assert_lt(pt_gpu_relative_speed(&fast, &slow, PT_CLASS_COMPUTE), PT_SPEED_TOO_FAST);
    cr_assert_gt(pt_gpu_relative_speed(&k80, &h100, PT_CLASS_COMPUTE), 0);
}

Test(catalog, counts_the_instances_that_a_gpu_holds_of_one_profile)
{
    static const struct pt_mig_profile profiles[] = {
        {.name = "1g", .compute = 1, .size = 1, .starts = 0x7f},
        {.name = "1g+me", .compute = 1, .size = 1, .starts = 0x7f, .media = true},
        {.name = "1g.double", .compute = 1, .size = 2, .starts = 0x55},
        {.name = "2g", .compute = 2, .size = 2, .starts = 0x15},
        {.name = "3g", .compute = 3, .size = 4, .starts = 0x11},
        {.name = "3g everywhere", .compute = 3, .size = 2, .starts = 0x7f},
        {.name = "4g", .compute = 4, .size = 4, .starts = 0x01}};
    static const uint32_t most[] = {7, 1, 4, 3, 2, 2, 1};
    const struct pt_mig mig = {.compute = 7, .memory = 8, .profile_count = 7, .profiles = profiles};
    for (uint32_t i = 0; i < 7; i++)
        cr_assert_eq(pt_mig_most(&mig, i), most[i], "%s", profiles[i].name);
}

Test(catalog, names_the_classes)
{
    cr_assert_str_eq(pt_speed_class_name(PT_CLASS_COMPUTE), "compute");
    cr_assert_str_eq(pt_speed_class_name(PT_CLASS_BANDWIDTH), "bandwidth");
    cr_assert_str_eq(pt_speed_class_name(PT_CLASS_MIXED), "mixed");
    cr_assert_str_eq(pt_speed_class_name(PT_CLASS_LIGHT), "light");
}
