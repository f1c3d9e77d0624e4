/* Keys of what happens to jobs from outside: cold starts, restores, faults. */
#include "sim/experiment/rows.h"

#define KIND(name)                                                                                 \
    VALUE(name, DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,                                   \
          "of jobs of this kind; default 0s, of jobs with a profile of an LLM server 60s")

static const struct pt_row cold_start_rows[] = {KIND("training"), KIND("batch"),
                                                KIND("interactive"), KIND("inference"), END};
const struct pt_schema pt__schema_cold_start = {"cold start", cold_start_rows, false, NULL, NULL};

static const struct pt_row restore_rows[] = {
    VALUE("base", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "time that a job with kept work needs to come back; default 0s, or the preset's"),
    VALUE("per_gib", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "more time for each GiB of its device memory; default 0s, or the preset's"),
    END};
static const struct pt_schema restore = {"restore", restore_rows, false, NULL, NULL};

static const char *const presets[] = {"none", "cuda_checkpoint", NULL};

static const struct pt_row preemption_rows[] = {
    {.param = {"preset", PT_PARAM_CHOICE, "", "none", NULL, NULL, presets,
               "costs that were measured: cuda_checkpoint restores in 3.8s + 0.25s a GiB"},
     .shape = PT_SHAPE_SCALAR},
    VALUE("checkpoint", DURATION, "s", "0s", "0", "inf", 0,
          "work between checkpoints of jobs without a `checkpoint_s`: 0 = a fault loses all, inf = "
          "nothing"),
    INNER("restore", MAP, "", NULL, NULL, 0, &restore, "coming back with kept work"),
    END};
const struct pt_schema pt__schema_preemption = {"preemption", preemption_rows, false, NULL, NULL};

static const struct pt_row event_rows[] = {
    VALUE("at", DURATION, "s", NULL, "0", NULL, 0, "when its residents fail; it stays up"),
    VALUE("node", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "the node, with all its GPUs"),
    VALUE("gpu", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "the GPU, as NODE:INDEX (the first of node main-0 is main-0:0)"),
    END};
static const struct pt_schema event = {"fault", event_rows, false, NULL, NULL};

static const struct pt_row fault_rows[] = {
    VALUE("gpu_mtbf", DURATION, "s", "0s", "0", NULL, 0,
          "mean time between faults of one GPU, exponential; 0 = none"),
    INNER("events", LIST, "", NULL, NULL, 0, &event, "faults at given times"), END};
const struct pt_schema pt__schema_faults = {"faults", fault_rows, false, NULL, NULL};
