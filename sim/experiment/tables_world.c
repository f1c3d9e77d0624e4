/* Keys of what happens to jobs from outside: cold starts, preemption, faults. */
#include "sim/experiment/config.h"
#include "sim/experiment/rows.h"

#define KIND(name)                                                                                 \
    VALUE(name, DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,                                   \
          "of jobs of this kind; default 0s, of jobs with a profile of an LLM server 60s")

static const struct pt_row cold_start_rows[] = {KIND("training"), KIND("batch"),
                                                KIND("interactive"), KIND("inference"), END};
const struct pt_schema pt__schema_cold_start = {"cold start", cold_start_rows, false, NULL, NULL};

/* ---- preemption ---- */

#define COST_ROWS(base_help)                                                                       \
    VALUE("base", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL, base_help),                     \
        VALUE("per_gib", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,                          \
              "more time for each GiB of its device memory; default 0s, or the preset's"),         \
        END

static const struct pt_row save_rows[] = {
    COST_ROWS("time that a job holds its units to be saved before it leaves them; default 0s, or "
              "the preset's")};
static const struct pt_schema save = {"save", save_rows, true, NULL, NULL};

static const struct pt_row restore_rows[] = {
    COST_ROWS("time that a job with kept work needs to come back; default 0s, or the preset's")};
static const struct pt_schema restore = {"restore", restore_rows, true, NULL, NULL};

static const struct pt_row redo_rows[] = {
    VALUE("one_gpu", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "for a job that held one GPU; default 0s"),
    VALUE("one_node", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "for a job that held two to eight; default 0s"),
    VALUE("more", DURATION, "s", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "for a job that held more; default 0s"),
    END};
static const struct pt_schema redo = {"redo", redo_rows, false, NULL, NULL};

static const char *const victims[] = {"least_disruption", "youngest", "lowest_priority", NULL};
static const char *const presets[] = {"none", "cuda_checkpoint", NULL};

#define CHOICE(key, fallback, words, row_flags, help)                                              \
    {                                                                                              \
        .param = {key, PT_PARAM_CHOICE, "", fallback, NULL, NULL, words, help},                    \
        .shape = PT_SHAPE_SCALAR, .flags = (row_flags)                                             \
    }

/* At the top of the file with defaults; inside `policy`, where a key wins over the same key at the
 * top, without. */
#define PREEMPTION_ROWS(row_flags, mode_help, or_nothing)                                          \
    CHOICE("mode", NULL, pt_preemption_mode_names, PT_ROW_OPTIONAL, mode_help),                    \
        VALUE("checkpoint", DURATION, "s", or_nothing("0s"), "0", "inf", row_flags,                \
              "work between checkpoints of jobs without a `checkpoint_s`: 0 = a fault, or mode "   \
              "checkpoint, loses all, inf = nothing"),                                             \
        INNER("save", MAP, or_nothing(""), NULL, NULL, row_flags, &save,                           \
              "leaving with kept work"),                                                           \
        INNER("restore", MAP, or_nothing(""), NULL, NULL, row_flags, &restore,                     \
              "coming back with kept work"),                                                       \
        CHOICE("victims", or_nothing("least_disruption"), victims, row_flags,                      \
               "whom to stop where several could be"),                                             \
        CHOICE("preset", or_nothing("none"), presets, row_flags,                                   \
               "costs that were measured, where `save` and `restore` say nothing: "                \
               "cuda_checkpoint saves in 2s + 0.2s a GiB and restores in 3.8s + 0.25s a GiB"),     \
        INNER("redo", MAP, or_nothing(""), NULL, NULL, row_flags, &redo,                           \
              "work to be done again after each preemption, by the GPUs that the job held"),       \
        END

#define DEFAULT(text) text
#define NOTHING(text) NULL

static const struct pt_row preemption_rows[] = {
    PREEMPTION_ROWS(0,
                    "what is kept of a job that is stopped for others: all (suspend), up to the "
                    "last checkpoint, or nothing (kill); none = nobody is stopped; default: the "
                    "policy's (`partita list policies NAME`)",
                    DEFAULT)};
const struct pt_schema pt__schema_preemption = {"preemption", preemption_rows, true, NULL, NULL};

static const struct pt_row policy_preemption_rows[] = {PREEMPTION_ROWS(
    PT_ROW_OPTIONAL, "as preemption.mode; default: that, else the policy's own", NOTHING)};
const struct pt_schema pt__schema_policy_preemption = {"preemption", policy_preemption_rows, true,
                                                       NULL, NULL};

/* ---- faults ---- */

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
