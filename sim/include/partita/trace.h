/* A trace in memory: compact columns, one row a job, sorted by submit time (stable).
 *
 * Everything about a column - its name, type, unit, default, meaning - is a row of pt_columns, and
 * this one table serves the native CSV, jobs inline in YAML, the converters, `/jobs` of the result
 * file and the manual. A column nobody wrote takes no memory: its pointer is NULL and every job has
 * the default. 20 bytes a job for submit_s, work_s and gpus.
 *
 * Ownership: the trace owns its columns and texts; borrowed pointers die with it.
 */
#ifndef PARTITA_TRACE_H
#define PARTITA_TRACE_H

#include "partita/number.h"
#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pt_column_type {
    PT_COLUMN_TIME,     /* int64_t ns; absent = PT_TIME_ABSENT; `inf` where the row allows it */
    PT_COLUMN_COUNT,    /* uint32_t; absent = PT_NONE */
    PT_COLUMN_FRACTION, /* uint32_t millionths; absent = PT_NONE */
    PT_COLUMN_GIB,      /* uint32_t MiB, rounded up; absent = PT_NONE */
    PT_COLUMN_MILLI,    /* uint32_t thousandths; absent = PT_NONE */
    PT_COLUMN_UNIT,     /* a number in 0..1, uint32_t millionths (half up); absent = PT_NONE */
    PT_COLUMN_BOOL,     /* uint8_t 0, 1; absent = 2 */
    PT_COLUMN_WORD,     /* uint32_t into the column's dictionary; absent = PT_NONE */
    PT_COLUMN_TEXT      /* text of its own, mostly unique: id, after */
};
#define PT_BOOL_ABSENT 2

/* enum, name, type, unit, default as text ("" = absent), meaning */
#define PT_COLUMN_MAP(X)                                                                           \
    X(ID, "id", TEXT, "", "", "unique name; default: the row number, from 0")                      \
    X(SUBMIT, "submit_s", TIME, "s", NULL, "when it is submitted, from the trace's origin")        \
    X(WORK, "work_s", TIME, "s", NULL,                                                             \
      "run time alone, undisturbed, on what it asks for, on the reference GPU")                    \
    X(GPUS, "gpus", COUNT, "", "1", "GPUs, slices or shares held at once; 0 = CPU-only")           \
    X(GPU_FRAC, "gpu_frac", FRACTION, "GPU", "", "share of each of those GPUs")                    \
    X(GPU_MEM, "gpu_mem_gib", GIB, "GiB", "", "device memory on each")                             \
    X(MIG, "mig", WORD, "", "", "a MIG profile by name, or auto")                                  \
    X(GPU_TYPE, "gpu_type", WORD, "", "", "catalogue names or families, | between them")           \
    X(POOL, "pool", WORD, "", "", "only this pool")                                                \
    X(NODES_MAX, "nodes_max", COUNT, "", "", "spread over at most so many nodes")                  \
    X(CPUS, "cpus", MILLI, "", "0", "CPUs of the whole job")                                       \
    X(MEM, "mem_gib", GIB, "GiB", "0", "host memory of the whole job")                             \
    X(TENANT, "tenant", WORD, "", "default", "who pays")                                           \
    X(USER, "user", WORD, "", "default", "who asked")                                              \
    X(KIND, "kind", WORD, "", "training", "training, batch, interactive or inference")             \
    X(PRIORITY, "priority", WORD, "", "", "a class name or a whole number; higher first")          \
    X(ESTIMATE, "estimate_s", TIME, "s", "", "the user's own estimate (wall-time limit)")          \
    X(DEADLINE, "deadline_s", TIME, "s", "", "deadline, counted from submission")                  \
    X(SLA, "sla", WORD, "", "", "tier name; default: the tenant's, else default")                  \
    X(PROFILE, "profile", WORD, "", "", "interference profile")                                    \
    X(NAME, "name", WORD, "", "", "job name, for estimators")                                      \
    X(PROMPT_TOKENS, "prompt_tokens", COUNT, "", "", "tokens of the prompt of a request")          \
    X(OUTPUT_TOKENS, "output_tokens", COUNT, "", "", "tokens a request generates")                 \
    X(SM_UTIL, "sm_util", UNIT, "", "", "SM utilisation measured alone")                           \
    X(MEMBW_UTIL, "membw_util", UNIT, "", "", "memory-bandwidth utilisation measured alone")       \
    X(PCIE_UTIL, "pcie_util", UNIT, "", "", "PCIe utilisation measured alone")                     \
    X(CHECKPOINT, "checkpoint_s", TIME, "s", "",                                                   \
      "work between checkpoints: 0 = a fault loses all, inf = nothing")                            \
    X(PROCESSES, "processes", COUNT, "", "1", "clients it opens on each GPU")                      \
    X(DISTINCT, "distinct", BOOL, "", "", "replicas on distinct GPUs; default: the pool's")        \
    X(PREEMPTIBLE, "preemptible", BOOL, "", "true", "may be stopped for another job")              \
    X(AFTER, "after", TEXT, "", "", "ids, | between them, that must end well first")               \
    X(STATUS, "status", WORD, "", "", "the trace's own outcome, kept for reports")

enum pt_column_id {
#define PT_COLUMN_ENUM(id, name, type, unit, fallback, help) PT_COL_##id,
    PT_COLUMN_MAP(PT_COLUMN_ENUM)
#undef PT_COLUMN_ENUM
        PT_COLUMN_COUNT_
};

struct pt_column_info {
    const char *name;
    enum pt_column_type type;
    const char *unit;
    const char *fallback; /* NULL = required, "" = absent */
    const char *help;
};
extern const struct pt_column_info pt_columns[PT_COLUMN_COUNT_];

/* The column of this name, or PT_COLUMN_COUNT_. */
enum pt_column_id pt_column_find(const char *name, size_t length);

/* Dictionary of a WORD column: distinct words numbered by first appearance. */
struct pt_words {
    uint32_t count, capacity;
    char **words; /* NUL-terminated */
    uint32_t *slots;
    uint32_t slot_count;
};

/* From row `row` on, row r stands in line `line + r - row` of the file. */
struct pt_trace_place {
    uint32_t row, line;
};

struct pt_trace {
    uint32_t job_count, capacity;
    uint32_t filled;                /* rows whose cells hold defaults or better; private */
    void *column[PT_COLUMN_COUNT_]; /* NULL = every job has the default */
    struct pt_words words[PT_COLUMN_COUNT_];
    char *texts; /* NUL-terminated texts of the TEXT columns, one behind the other */
    size_t texts_length, texts_capacity;
    /* `after`, resolved by pt_trace_finish: the successors of job j are
     * successor[successor_first[j] .. successor_first[j + 1]); NULL without the column. */
    uint32_t *successor_first, *successor, *predecessor_count;
    uint32_t *origin; /* row, in order of pt_trace_add, of each job; NULL = rows came sorted */
    struct pt_trace_place *places; /* where rows stand in their file, if the reader said so */
    uint32_t place_count, place_capacity;
    bool was_sorted; /* false: rows came unsorted by submit time and were sorted */
};

/* An empty trace; {0} does the same. fini frees and zeroes; both take no NULL. */
void pt_trace_init(struct pt_trace *trace);
void pt_trace_fini(struct pt_trace *trace);

/* Makes room for more rows, filled with defaults. At most PT_NONE - 1 rows in all. */
PT_USE_RESULT enum pt_status pt_trace_grow(struct pt_trace *trace, struct pt_error *error);

/* Appends a row with every column at its default (required ones at PT_TIME_ABSENT) and returns it
 * in *row. */
PT_USE_RESULT static inline enum pt_status pt_trace_add(struct pt_trace *trace, pt_job *row,
                                                        struct pt_error *error)
{
    if (trace->job_count == trace->filled) PT_TRY(pt_trace_grow(trace, error));
    *row = trace->job_count++;
    return PT_OK;
}
/* Drops the last row (a bad one that the user chose to skip). */
void pt_trace_drop_last(struct pt_trace *trace);

/* Says in which line of its file a row stands, so that pt_trace_finish can name it. Rows in
 * order; costs memory only where lines and rows don't go in step. */
PT_USE_RESULT enum pt_status pt_trace_mark_line(struct pt_trace *trace, pt_job row, uint32_t line,
                                                struct pt_error *error);
/* The line of a row, 0 = unknown. */
uint32_t pt_trace_line(const struct pt_trace *trace, pt_job row);

/* Sets a cell of the last rows from the user's text; empty text = the default. Checks the column's
 * own rule: range, vocabulary of `kind`, `inf` for checkpoint_s alone. O(1) amortised. */
PT_USE_RESULT enum pt_status pt_trace_set(struct pt_trace *trace, pt_job row,
                                          enum pt_column_id column, const char *text, size_t length,
                                          struct pt_error *error);
/* The same for numbers already parsed; for readers. Ranges as the column's type says. */
PT_USE_RESULT enum pt_status pt_trace_set_time(struct pt_trace *trace, pt_job row,
                                               enum pt_column_id column, int64_t ns,
                                               struct pt_error *error);
PT_USE_RESULT enum pt_status pt_trace_set_u32(struct pt_trace *trace, pt_job row,
                                              enum pt_column_id column, uint32_t value,
                                              struct pt_error *error);

/* Checks what only the whole row tells: required cells are there, submit + work within range.
 * *column is the column at fault. */
PT_USE_RESULT enum pt_status pt_trace_check_row(const struct pt_trace *trace, pt_job row,
                                                enum pt_column_id *column, struct pt_error *error);

/* Before pt_trace_finish, for a user who chose to skip bad rows: drops every row whose id an
 * earlier row has, and tells `bad` (NULL allowed) of each with its line. Rows that are named by
 * their number keep that name. *dropped counts them. O(n). */
PT_USE_RESULT enum pt_status
pt_trace_drop_duplicates(struct pt_trace *trace, const char *file, uint32_t *dropped,
                         void (*bad)(void *ctx, const struct pt_error *error), void *ctx,
                         struct pt_error *error);

/* Closes the trace: stable sort by submit time, unique ids, `after` resolved and free of circles.
 * An error about a job names it through *bad_row, its row number in order of pt_trace_add
 * (PT_NONE when it is about none), and through error->line where the reader gave lines.
 * O(n log n) when unsorted, else O(n). */
PT_USE_RESULT enum pt_status pt_trace_finish(struct pt_trace *trace, pt_job *bad_row,
                                             struct pt_error *error);

/* Cells. The column's default where nobody wrote one. Words are numbers of the column's
 * dictionary; the default word (`tenant`: default) is always PT_NONE, written out or not. */
int64_t pt_trace_time(const struct pt_trace *trace, enum pt_column_id column, pt_job job);
uint32_t pt_trace_u32(const struct pt_trace *trace, enum pt_column_id column, pt_job job);
uint8_t pt_trace_bool(const struct pt_trace *trace, enum pt_column_id column, pt_job job);
/* The word or text of a cell; NULL = absent. `id` of an unnamed job is NULL: use pt_trace_id. */
const char *pt_trace_word(const struct pt_trace *trace, enum pt_column_id column, pt_job job);
/* The job's id: its text, else its original row number written to `buffer`. */
#define PT_ID_BUFFER 12
const char *pt_trace_id(const struct pt_trace *trace, pt_job job, char buffer[PT_ID_BUFFER]);
/* The job with this id, PT_NONE if there is none. O(n) without a prior index: for commands. */
pt_job pt_trace_find(const struct pt_trace *trace, const char *id);

/* The two columns every event needs, without a call. */
static inline const int64_t *pt_trace_submit_ns(const struct pt_trace *trace)
{
    return (const int64_t *)trace->column[PT_COL_SUBMIT];
}
static inline const int64_t *pt_trace_work_ns(const struct pt_trace *trace)
{
    return (const int64_t *)trace->column[PT_COL_WORK];
}

#ifdef __cplusplus
}
#endif
#endif
