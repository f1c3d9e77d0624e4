#include "analysis/results/verdicts.h"

#include <stdlib.h>
#include <string.h>

enum { V_TIME_NS, V_TIME_S, V_JOB, V_ID, V_REASON, V_COLUMNS };

struct pt__verdicts {
    struct pt__column columns[V_COLUMNS];
    struct pt__table *table;
    const struct pt_trace *trace;
};

static const struct pt__column columns[V_COLUMNS] = {[V_TIME_NS] = {"time_ns", "ns", PT__I64, 0, 0},
                                                     [V_TIME_S] = {"time_s", "s", PT__NUMBER, 0, 0},
                                                     [V_JOB] = {"job", "", PT__I32, 0, 0},
                                                     [V_ID] = {"id", "", PT__TEXT, 1, 0},
                                                     [V_REASON] = {"reason", "", PT__TEXT, 1, 0}};

static uint32_t longest_id(const struct pt_trace *trace)
{
    char buffer[PT_ID_BUFFER];
    size_t longest = 1;
    for (pt_job job = 0; job < trace->job_count; job++) {
        size_t length = strlen(pt_trace_id(trace, job, buffer));
        if (length > longest) longest = length;
    }
    return (uint32_t)longest;
}

static uint32_t longest_reason(void)
{
    size_t longest = 1;
    for (int reason = 0; reason < PT_REASON_COUNT; reason++) {
        size_t length = strlen(pt_reason_text((enum pt_reason)reason));
        if (length > longest) longest = length;
    }
    return (uint32_t)longest;
}

enum pt_status pt__verdicts_create(struct pt__verdicts **verdicts, hid_t file,
                                   const struct pt_trace *trace, int compression,
                                   struct pt_error *error)
{
    struct pt__verdicts *v = calloc(1, sizeof(*v));
    if (v == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the table of verdicts");
    v->trace = trace;
    memcpy(v->columns, columns, sizeof(columns));
    v->columns[V_ID].width = longest_id(trace);
    v->columns[V_REASON].width = longest_reason();
    const struct pt__table_spec spec = {
        .name = "verdicts",
        .title = "why a pending job did not start, from then on; job is the row of /jobs",
        .columns = v->columns,
        .column_count = V_COLUMNS,
        .compression = compression};
    enum pt_status status = pt__table_create(&v->table, file, &spec, error);
    if (status != PT_OK) {
        free(v);
        v = NULL;
    }
    *verdicts = v;
    return status;
}

enum pt_status pt__verdicts_add(struct pt__verdicts *verdicts, int64_t time_ns, pt_job job,
                                enum pt_reason reason, struct pt_error *error)
{
    const struct pt__column *c = verdicts->columns;
    char buffer[PT_ID_BUFFER];
    uint32_t room, row_size;
    uint8_t *row;
    PT_TRY(pt__table_reserve(verdicts->table, &row, &room, &row_size, error));
    pt__put_i64(row, &c[V_TIME_NS], time_ns);
    pt__put_number(row, &c[V_TIME_S], (double)time_ns / (double)PT_NS_PER_S);
    pt__put_i32(row, &c[V_JOB], (int32_t)job);
    pt__put_text(row, &c[V_ID], pt_trace_id(verdicts->trace, job, buffer));
    pt__put_text(row, &c[V_REASON], pt_reason_text(reason));
    pt__table_commit(verdicts->table, 1);
    return PT_OK;
}

enum pt_status pt__verdicts_close(struct pt__verdicts *verdicts, struct pt_error *error)
{
    enum pt_status status = pt__table_close(verdicts->table, error);
    free(verdicts);
    return status;
}

void pt__verdicts_abandon(struct pt__verdicts *verdicts)
{
    if (verdicts == NULL) return;
    pt__table_abandon(verdicts->table);
    free(verdicts);
}
