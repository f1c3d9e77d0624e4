/* The columns of /jobs: which there are, and their cells. */
#ifndef PT_RESULTS_JOB_COLUMNS_H
#define PT_RESULTS_JOB_COLUMNS_H

#include "analysis/results/table.h"
#include "analysis/stats/summary.h"

#define PT__JOB_TEXT_MAX 1024

/* enum, name, unit, type; product.md's order */
#define PT__JOB_COLUMN_MAP(X)                                                                      \
    X(ID, "id", "", TEXT)                                                                          \
    X(TENANT, "tenant", "", TEXT)                                                                  \
    X(USER, "user", "", TEXT)                                                                      \
    X(KIND, "kind", "", TEXT)                                                                      \
    X(PRIORITY, "priority", "", I64)                                                               \
    X(POOL, "pool", "", TEXT)                                                                      \
    X(NODE, "node", "", TEXT)                                                                      \
    X(GPUS, "gpus", "", I64)                                                                       \
    X(STATE, "state", "", TEXT)                                                                    \
    X(REASON, "reason", "", TEXT)                                                                  \
    X(SUBMIT_NS, "submit_ns", "ns", I64)                                                           \
    X(START_NS, "start_ns", "ns", I64)                                                             \
    X(END_NS, "end_ns", "ns", I64)                                                                 \
    X(SUBMIT_S, "submit_s", "s", NUMBER)                                                           \
    X(START_S, "start_s", "s", NUMBER)                                                             \
    X(END_S, "end_s", "s", NUMBER)                                                                 \
    X(JCT_S, "jct_s", "s", NUMBER)                                                                 \
    X(WAIT_S, "wait_s", "s", NUMBER)                                                               \
    X(QUEUE_S, "queue_s", "s", NUMBER)                                                             \
    X(RUNNING_S, "running_s", "s", NUMBER)                                                         \
    X(SLOWDOWN, "slowdown", "", NUMBER)                                                            \
    X(SHARING_INCREASE, "sharing_increase", "", NUMBER)                                            \
    X(SLA, "sla", "", TEXT)                                                                        \
    X(SLA_MET, "sla_met", "", I8)                                                                  \
    X(ATTEMPTS, "attempts", "", I32)                                                               \
    X(PREEMPTIONS, "preemptions", "", I32)                                                         \
    X(COST, "cost", "", NUMBER)

enum pt__job_column_id {
#define PT__JOB_COLUMN_ENUM(id, name, unit, type) PT__JOB_##id,
    PT__JOB_COLUMN_MAP(PT__JOB_COLUMN_ENUM)
#undef PT__JOB_COLUMN_ENUM
        PT__JOB_OWN_COUNT,
    PT__JOB_FROM_TRACE = PT__JOB_OWN_COUNT /* a column of the trace's own */
};

struct pt__job_column {
    enum pt__job_column_id id;
    enum pt_column_id source; /* of PT__JOB_FROM_TRACE */
    /* Texts that cells point at by number, each padded to the column's width: `word_count` of them
     * and one more for an absent cell. NULL: the column is no such one. */
    char *padded;
    uint32_t word_count;
    uint32_t only; /* the one word that all jobs have; PT_NONE = there are several */
};

/* At most this many columns. */
#define PT__JOB_COLUMNS_MAX (PT__JOB_OWN_COUNT + PT_COLUMN_COUNT_)

struct pt__job_columns {
    const struct pt_summary_input *input;
    uint32_t count;
    struct pt__job_column columns[PT__JOB_COLUMNS_MAX];
    struct pt__column cells[PT__JOB_COLUMNS_MAX]; /* for the table */
    char left_out[256];                           /* names of columns too wide, "" = none */
};

/* Chooses the columns, measures the texts, makes the dictionaries. O(jobs x text columns). */
PT_USE_RESULT enum pt_status pt__job_columns_init(struct pt__job_columns *columns,
                                                  const struct pt_summary_input *input,
                                                  struct pt_error *error);
void pt__job_columns_fini(struct pt__job_columns *columns);

/* Fills the cells of one column for jobs first .. first + count - 1 in zeroed rows. */
void pt__job_column_fill(const struct pt__job_columns *columns, uint32_t column, uint8_t *rows,
                         uint32_t row_size, pt_job first, uint32_t count);

/* The number of the text that a job has in a column with `padded` texts. */
uint32_t pt__job_word(const struct pt__job_columns *columns, uint32_t column, pt_job job);
/* The text of a job in a column of texts of its own: borrowed, or written to `buffer`. */
const char *pt__job_text(const struct pt__job_columns *columns, uint32_t column, pt_job job,
                         char buffer[PT_ID_BUFFER]);

#endif
