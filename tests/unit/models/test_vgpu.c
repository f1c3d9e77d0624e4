#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/models/modes.h"

static const struct pt_gpu_model l40s = {
    .name = "l40s", .family = "l40s", .mem_mib = 46068, .mps_clients = 48};
static const struct pt_gpu_model a6000 = {
    .name = "rtx-a6000", .family = "rtx-a6000", .mem_mib = 49140, .mps_clients = 48};
static const struct pt_gpu_model a10 = {
    .name = "a10", .family = "a10", .mem_mib = 23028, .mps_clients = 48};

static uint32_t slots(const struct pt_gpu_model *gpu, const char *type)
{
    struct mode mode;
    char params[64];
    snprintf(params, sizeof params, "type=%s", type);
    mode_must(&mode, "vgpu", gpu, params);
    return mode.shape.slots;
}

/* The frame buffer is a share of what the card is sold by, not of what nvidia-smi prints. */
Test(vgpu, a_type_says_how_many_slots)
{
    cr_assert_eq(slots(&rig_h100, "h100-20c"), 4);
    cr_assert_eq(slots(&rig_h100, "10c"), 8);
    cr_assert_eq(slots(&rig_h100, "H100XM-4C"), 20);
    cr_assert_eq(slots(&rig_h100, "H100-80C"), 1);
    cr_assert_eq(slots(&rig_a100_40, "a100-10c"), 4);
    cr_assert_eq(slots(&rig_a100_80, "A100D-10C"), 8);
    cr_assert_eq(slots(&rig_a100_80, "30"), 2);
    cr_assert_eq(slots(&l40s, "l40s-8q"), 6);
    cr_assert_eq(slots(&l40s, "48q"), 1);
    cr_assert_eq(slots(&a6000, "RTXA6000-12Q"), 4);
    cr_assert_eq(slots(&a10, "a10-24c"), 1);
}

Test(vgpu, refuses_what_is_no_type_of_the_gpu)
{
    mode_refuses("vgpu", &rig_h100, "type=h100-96c",
                 "type: 'h100-96c' needs 96 GB of frame buffer, h100-sxm5-80gb has 80");
    mode_refuses("vgpu", &rig_h100, "type=a100-10c",
                 "type: 'a100-10c' is of another GPU than h100-sxm5-80gb");
    mode_refuses("vgpu", &rig_a100_80, "type=A10-10C",
                 "type: 'A10-10C' is of another GPU than a100-sxm4-80gb");
    mode_refuses("vgpu", &a10, "type=a100-10c", "type: 'a100-10c' is of another GPU than a10");
    mode_refuses("vgpu", &rig_a100_80, "type=a100-1-10c",
                 "type: 'a100-1-10c' is a MIG-backed vGPU, which is a MIG instance: mode: mig");
    static const char *const wrong[] = {"h100", "c", "0c", "h100-c", "10c-", "h100-9999999c"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char params[64], message[120];
        snprintf(params, sizeof params, "type=%s", wrong[i]);
        snprintf(message, sizeof message,
                 "type: '%s' is no vGPU type (such as h100-10c, or 10c alone)", wrong[i]);
        mode_refuses("vgpu", &rig_h100, params, message);
    }
    mode_refuses("vgpu", &rig_h100, "", "mode vgpu needs a type (such as h100-10c) or replicas");
    mode_refuses("vgpu", &rig_h100, "type=10c replicas=4",
                 "type and replicas: the type says how many slots there are");
}

Test(vgpu, the_frame_buffer_is_fixed)
{
    struct mode mode;
    struct pt_need need;
    mode_must(&mode, "vgpu", &rig_a100_80, "type=10c");
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 10240, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 10241, 1), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 5121, 2), PT_REASON_GPU_MEMORY);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, PT_NONE, 3), PT_REASON_NONE);
    cr_assert_eq(need.mem_mib, 10240);
    cr_assert_eq(need.clients, 3);
    cr_assert_eq(need.capacity, 1);
    mode_must(&mode, "vgpu", &rig_h100, "type=10c"); /* 8 x 10 GiB are more than it prints */
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 81559 / 8, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 81559 / 8 + 1, 1), PT_REASON_GPU_MEMORY);
    cr_assert_leq(need.mem_mib * 8, rig_h100.mem_mib);
    mode_must(&mode, "vgpu", &rig_h100, "replicas=7");
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 81559 / 7, 1), PT_REASON_NONE);
    cr_assert_eq(mode_need(&need, &mode, PT_NONE, 81559 / 7 + 1, 1), PT_REASON_GPU_MEMORY);
}

static void assert_shares(const char *params, uint32_t n, uint32_t frac_ppm, uint64_t numerator,
                          uint64_t denominator)
{
    struct mode mode;
    struct company company = {0};
    mode_must(&mode, "vgpu", &rig_a100_80, params);
    for (uint32_t i = 0; i < n; i++)
        mode_join(&company, &mode, frac_ppm, PT_NONE, 1);
    mode_share(&company, &mode);
    for (uint32_t i = 0; i < n; i++)
        mode_has(&company, i, numerator, denominator);
}

Test(vgpu, three_schedulers)
{
    assert_shares("replicas=4 switch_loss=0.25", 1, PT_NONE, 1, 1);
    assert_shares("replicas=4 switch_loss=0.25", 4, PT_NONE, 1, 5);
    assert_shares("replicas=4 switch_loss=0.25", 4, 250000, 1, 5); /* does not cap */
    assert_shares("replicas=4 scheduler=equal_share", 1, PT_NONE, 1, 1);
    assert_shares("replicas=4 scheduler=equal_share", 3, PT_NONE, 1, 3);
    assert_shares("replicas=4 scheduler=fixed_share", 1, PT_NONE, 1, 4);
    assert_shares("replicas=9 scheduler=fixed_share", 3, PT_NONE, 1, 9);
}

Test(vgpu, never_faster_than_asked_unless_allowed)
{
    assert_shares("replicas=4 scheduler=fixed_share", 2, 250000, 1, 1);
    assert_shares("replicas=4 scheduler=fixed_share", 2, 500000, 1, 2);
    assert_shares("replicas=3 scheduler=fixed_share", 2, 333334, 1, 1); /* a third */
    assert_shares("replicas=3 scheduler=fixed_share", 2, 333335, 1000000, 1000005);
    assert_shares("replicas=4 scheduler=equal_share", 2, 250000, 1, 1);
    assert_shares("replicas=4 scheduler=equal_share allow_speedup=true", 2, 250000, 2, 1);
    assert_shares("replicas=4 scheduler=equal_share allow_speedup=true", 4, 250000, 1, 1);
}

Test(vgpu, slices_are_short_where_many_share)
{
    struct mode mode;
    mode_must(&mode, "vgpu", &rig_a100_80, "type=10c");
    cr_assert_eq(mode.shape.slice_ns, 2000000);
    mode_must(&mode, "vgpu", &rig_a100_80, "type=8c");
    cr_assert_eq(mode.shape.slice_ns, 1000000);
    mode_must(&mode, "vgpu", &rig_a100_80, "type=8c slice_s=5ms");
    cr_assert_eq(mode.shape.slice_ns, 5000000);
}
