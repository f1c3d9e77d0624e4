#include "tests/support/rig.h"

/* Name, compute slices, memory slices, +me, starts, SMs, MiB (hardware facts as printed by
 * nvidia-smi mig -lgip and -lgipp). */
static const struct pt_mig_profile h100_profiles[] = {
    {"1g.10gb", 1, 1, false, 0x7f, 16, 9984, "test"},
    {"1g.10gb+me", 1, 1, true, 0x7f, 16, 9984, "test"},
    {"1g.20gb", 1, 2, false, 0x55, 26, 20090, "test"},
    {"2g.20gb", 2, 2, false, 0x15, 32, 20090, "test"},
    {"3g.40gb", 3, 4, false, 0x11, 60, 40448, "test"},
    {"4g.40gb", 4, 4, false, 0x01, 64, 40448, "test"},
    {"7g.80gb", 7, 8, false, 0x01, 132, 81152, "test"},
};
static const struct pt_mig h100_mig = {7, 8, 7, 6, h100_profiles};

static const struct pt_mig_profile a100_80_profiles[] = {
    {"1g.10gb", 1, 1, false, 0x7f, 14, 9856, "test"},
    {"1g.10gb+me", 1, 1, true, 0x7f, 14, 9856, "test"},
    {"1g.20gb", 1, 2, false, 0x55, 14, 19968, "test"},
    {"2g.20gb", 2, 2, false, 0x15, 28, 19968, "test"},
    {"3g.40gb", 3, 4, false, 0x11, 42, 40192, "test"},
    {"4g.40gb", 4, 4, false, 0x01, 56, 40192, "test"},
    {"7g.80gb", 7, 8, false, 0x01, 98, 80384, "test"},
};
static const struct pt_mig a100_80_mig = {7, 8, 7, 6, a100_80_profiles};

static const struct pt_mig_profile a100_40_profiles[] = {
    {"1g.5gb", 1, 1, false, 0x7f, 14, 4864, "test"},
    {"1g.5gb+me", 1, 1, true, 0x7f, 14, 4864, "test"},
    {"1g.10gb", 1, 2, false, 0x55, 14, 9850, "test"},
    {"2g.10gb", 2, 2, false, 0x15, 28, 9850, "test"},
    {"3g.20gb", 3, 4, false, 0x11, 42, 19968, "test"},
    {"4g.20gb", 4, 4, false, 0x01, 56, 19968, "test"},
    {"7g.40gb", 7, 8, false, 0x01, 98, 40192, "test"},
};
static const struct pt_mig a100_40_mig = {7, 8, 7, 6, a100_40_profiles};

static const struct pt_mig_profile a30_profiles[] = {
    {"1g.6gb", 1, 1, false, 0x0f, 14, 5949, "test"},
    {"1g.6gb+me", 1, 1, true, 0x0f, 14, 5949, "test"},
    {"2g.12gb", 2, 2, false, 0x05, 28, 11970, "test"},
    {"2g.12gb+me", 2, 2, true, 0x05, 28, 11970, "test"},
    {"4g.24gb", 4, 4, false, 0x01, 56, 24002, "test"},
};
static const struct pt_mig a30_mig = {4, 4, 5, 4, a30_profiles};

const struct pt_gpu_model rig_h100 = {.name = "h100-sxm5-80gb",
                                      .family = "h100",
                                      .sms = 132,
                                      .mem_mib = 81559,
                                      .fp16_tflops = 989.4,
                                      .mem_gb_per_s = 3350,
                                      .tdp_w = 400,
                                      .idle_w = 60,
                                      .pcie_gb_per_s = 25,
                                      .mps_clients = 48,
                                      .mig = &h100_mig,
                                      .source = "test"};
const struct pt_gpu_model rig_a100_80 = {.name = "a100-sxm4-80gb",
                                         .family = "a100",
                                         .sms = 108,
                                         .mem_mib = 81920,
                                         .fp16_tflops = 312,
                                         .mem_gb_per_s = 2039,
                                         .tdp_w = 400,
                                         .idle_w = 60,
                                         .pcie_gb_per_s = 25,
                                         .mps_clients = 48,
                                         .mig = &a100_80_mig,
                                         .source = "test"};
const struct pt_gpu_model rig_a100_40 = {.name = "a100-sxm4-40gb",
                                         .family = "a100",
                                         .sms = 108,
                                         .mem_mib = 40960,
                                         .fp16_tflops = 312,
                                         .mem_gb_per_s = 1555,
                                         .tdp_w = 400,
                                         .idle_w = 60,
                                         .pcie_gb_per_s = 25,
                                         .mps_clients = 48,
                                         .mig = &a100_40_mig,
                                         .source = "test"};
const struct pt_gpu_model rig_a30 = {.name = "a30",
                                     .family = "a30",
                                     .sms = 56,
                                     .mem_mib = 24576,
                                     .fp16_tflops = 165,
                                     .mem_gb_per_s = 933,
                                     .tdp_w = 400,
                                     .idle_w = 60,
                                     .pcie_gb_per_s = 25,
                                     .mps_clients = 48,
                                     .mig = &a30_mig,
                                     .source = "test"};
const struct pt_gpu_model rig_l40s = {.name = "l40s",
                                      .family = "l40s",
                                      .sms = 142,
                                      .mem_mib = 46068,
                                      .fp16_tflops = 362,
                                      .mem_gb_per_s = 864,
                                      .tdp_w = 400,
                                      .idle_w = 60,
                                      .pcie_gb_per_s = 25,
                                      .mps_clients = 48,
                                      .source = "test"};
