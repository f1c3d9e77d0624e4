#include "models/units/presets.h"

#include <stddef.h>
#include <string.h>

/* Facts: hardware.md 2.1, 3, 5.1, 5.2, 5.4. */
const struct pt_preset pt_presets[] = {
    {.name = "kai",
     .mode = "fractional",
     .summary = "KAI's default: fractions are books alone, nobody enforces compute or memory on "
                "the GPU; memory requests admit (packing and queues are the policy's)",
     .source = "KAI-Scheduler, docs/gpu-sharing; NvFractions of v0.18 are compute: time_slicing or "
               "sm_sharing",
     .values = {{"compute", "none"}, {"memory", "admit"}}},
    {.name = "runai_strict",
     .mode = "fractional",
     .summary = "Run:ai time slicing, strict: a slice in proportion to the fraction, idle time is "
                "not given away (the rule is commonly told, the documentation read does not give "
                "it; its lease of 250 ms, also told, is not modelled)",
     .source = "Run:ai documentation v3.0, compute modes and fractions",
     .values = {{"compute", "time_slicing"}, {"strict", "true"}, {"memory", "admit"}}},
    {.name = "runai_fair",
     .mode = "fractional",
     .summary = "Run:ai time slicing, fair: what is unused goes to those that run, by fraction "
                "here (commonly told as an equal split; the documentation read does not give the "
                "rule)",
     .source = "Run:ai documentation v3.0, compute modes and fractions",
     .values = {{"compute", "time_slicing"}, {"strict", "false"}, {"memory", "admit"}}},
    {.name = "hami",
     .mode = "fractional",
     .summary = "HAMi: memory and per cent of cores capped by throttling launches, at most 10 jobs "
                "a GPU (a cap holds on average only; what throttled launches cost is not modelled)",
     .source = "Project-HAMi, deviceSplitCount 10, gpucores in per cent",
     .values = {{"compute", "time_slicing"},
                {"strict", "true"},
                {"replicas", "100"},
                {"jobs_per_gpu", "10"},
                {"memory", "admit"}}},
    {.name = "slurm_shard",
     .mode = "fractional",
     .summary = "Slurm gres/shard: a count of shares with no fence and no memory limit, all of a "
                "job's on one GPU; replicas = the count, which Slurm leaves to the site (without "
                "it fractions are exact)",
     .source = "Slurm, gres.conf and gres.html",
     .values = {{"compute", "none"},
                {"memory", "unchecked"},
                {"fail_requests_greater_than_one", "true"}}},
    {.name = "slurm_mps",
     .mode = "fractional",
     .summary = "Slurm gres/mps: 100 shares of a GPU, each a per cent of its SMs as a cap, no "
                "memory limit, one GPU a job (in life one a node)",
     .source = "Slurm, gres.html: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is set from the shares",
     .values = {{"compute", "sm_sharing"},
                {"strict", "true"},
                {"replicas", "100"},
                {"memory", "unchecked"},
                {"fail_requests_greater_than_one", "true"}}},
    {.name = "k8s_time_slicing",
     .mode = "time_slice",
     .summary = "the NVIDIA device plugin's time slicing: references to a GPU, handed out blindly, "
                "no limits; give replicas (fail_requests_greater_than_one is false there by "
                "default, and recommended)",
     .source = "k8s-device-plugin README, sharing.timeSlicing",
     .values = {{"memory", "unchecked"},
                {"distinct", "false"},
                {"fail_requests_greater_than_one", "false"}}},
    {.name = "k8s_mps",
     .mode = "mps",
     .summary = "the NVIDIA device plugin's MPS: total/replicas of memory and 1/replicas of the "
                "SMs each, one replica a job; give replicas",
     .source = "k8s-device-plugin README, sharing.mps; api/config/v1/config.go sets "
               "failRequestsGreaterThanOne",
     .values = {{"fail_requests_greater_than_one", "true"}}},
    {.name = NULL}};

const char *const pt_preset_names[] = {"kai",         "runai_strict", "runai_fair",       "hami",
                                       "slurm_shard", "slurm_mps",    "k8s_time_slicing", "k8s_mps",
                                       NULL};

const struct pt_preset *pt_preset_find(const char *name)
{
    for (const struct pt_preset *preset = pt_presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0) return preset;
    return NULL;
}

const char *pt_preset_value(const struct pt_preset *preset, const char *key)
{
    if (strcmp(key, "mode") == 0) return preset->mode;
    for (size_t i = 0; i < PT_PRESET_VALUES_MAX && preset->values[i].key; i++)
        if (strcmp(preset->values[i].key, key) == 0) return preset->values[i].value;
    return NULL;
}
