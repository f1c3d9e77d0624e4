/* Filling the cells of /jobs, a column at a time. */
#include <math.h>
#include <string.h>

#include "analysis/results/job_columns.h"
#include "analysis/stats/groups.h"

/* One column of consecutive jobs in packed rows. */
struct run {
    const struct pt__job_columns *columns;
    const struct pt_summary_input *input;
    const struct pt__job_column *column;
    const struct pt__column *cell;
    uint32_t index; /* of the column */
    uint8_t *rows;
    uint32_t row_size;
    pt_job first;
    uint32_t count;
};

static uint8_t *row_at(const struct run *run, uint32_t i)
{
    return run->rows + (size_t)i * run->row_size;
}

static void fill_words(const struct run *run)
{
    size_t width = run->cell->width;
    uint8_t *cell = run->rows + run->cell->offset;
    for (uint32_t i = 0; i < run->count; i++, cell += run->row_size) {
        uint32_t word = run->column->only;
        if (word == PT_NONE) word = pt__job_word(run->columns, run->index, run->first + i);
        memcpy(cell, run->column->padded + word * width, width);
    }
}

static void fill_row_numbers(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        char digits[PT_ID_BUFFER];
        size_t at = sizeof(digits);
        pt_job number = run->first + i;
        do {
            digits[--at] = (char)('0' + number % 10);
            number /= 10;
        } while (number > 0);
        memcpy(row_at(run, i) + run->cell->offset, digits + at, sizeof(digits) - at);
    }
}

static void fill_texts(const struct run *run)
{
    const struct pt_trace *trace = run->input->trace;
    char buffer[PT_ID_BUFFER];
    if (run->column->id == PT__JOB_ID && trace->column[PT_COL_ID] == NULL && trace->was_sorted) {
        fill_row_numbers(run);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        pt__put_text(row_at(run, i), run->cell,
                     pt__job_text(run->columns, run->index, run->first + i, buffer));
    }
}

static int64_t priority(const struct pt_summary_input *input, pt_job job)
{
    const uint32_t *cells = input->trace->column[PT_COL_PRIORITY];
    int64_t value = 0;
    if (cells == NULL || cells[job] == PT_NONE) {
        if (input->priority_of_tenant == NULL) return 0;
        return input->priority_of_tenant[pt__tenant_of_job(input, job)];
    }
    if (input->priority_of_word != NULL) return input->priority_of_word[cells[job]];
    const char *word = input->trace->words[PT_COL_PRIORITY].words[cells[job]];
    if (pt_parse_int(&value, word, strlen(word), INT64_MIN, INT64_MAX, NULL) != PT_OK) return 0;
    return value;
}

static int64_t whole_number(const struct run *run, pt_job job)
{
    const struct pt_outcomes *o = run->input->outcomes;
    uint32_t value;
    switch (run->column->id) {
    case PT__JOB_PRIORITY:
        return priority(run->input, job);
    case PT__JOB_SUBMIT_NS:
        return pt_trace_submit_ns(run->input->trace)[job];
    case PT__JOB_START_NS:
        return o->start_ns[job];
    case PT__JOB_END_NS:
        return o->end_ns[job];
    case PT__JOB_GPUS:
        value = pt_trace_u32(run->input->trace, PT_COL_GPUS, job);
        break;
    default:
        value = pt_trace_u32(run->input->trace, run->column->source, job);
    }
    return value == PT_NONE ? INT64_MIN : (int64_t)value;
}

/* Of the columns in seconds; PT_TIME_ABSENT for null. */
static int64_t time_ns(const struct run *run, pt_job job)
{
    const struct pt_outcomes *o = run->input->outcomes;
    const struct pt_trace *trace = run->input->trace;
    switch (run->column->id) {
    case PT__JOB_SUBMIT_S:
        return pt_trace_submit_ns(trace)[job];
    case PT__JOB_START_S:
        return o->start_ns[job];
    case PT__JOB_END_S:
        return o->end_ns[job];
    case PT__JOB_JCT_S:
        return pt_outcomes_jct_ns(o, trace, job);
    case PT__JOB_WAIT_S:
        return pt_outcomes_wait_ns(o, trace, job);
    case PT__JOB_QUEUE_S:
        return pt_outcomes_queue_ns(o, trace, job);
    case PT__JOB_RUNNING_S:
        return o->running_ns[job];
    default:
        return pt_trace_time(trace, run->column->source, job);
    }
}

static double seconds(int64_t ns)
{
    if (ns == PT_TIME_ABSENT) return NAN;
    return ns == PT_NEVER ? INFINITY : pt_seconds(ns);
}

/* Of done jobs that have work to do. */
static double ratio(const struct run *run, pt_job job)
{
    const struct pt_outcomes *o = run->input->outcomes;
    const struct pt_trace *trace = run->input->trace;
    int64_t work_ns = pt_trace_work_ns(trace)[job];
    if (o->state[job] != PT_STATE_DONE || work_ns == 0) return NAN;
    if (run->column->id == PT__JOB_SLOWDOWN) {
        return (double)pt_outcomes_jct_ns(o, trace, job) / (double)work_ns;
    }
    return (double)(o->running_ns[job] - work_ns) / (double)work_ns;
}

static double from_trace(const struct run *run, pt_job job)
{
    enum pt_column_id source = run->column->source;
    double per_unit = pt_columns[source].type == PT_COLUMN_GIB     ? 1024
                      : pt_columns[source].type == PT_COLUMN_MILLI ? 1000
                                                                   : PT_PPM_ONE;
    uint32_t value = pt_trace_u32(run->input->trace, source, job);
    return value == PT_NONE ? NAN : value / per_unit;
}

static double number_of(const struct run *run, pt_job job)
{
    switch (run->column->id) {
    case PT__JOB_SLOWDOWN:
    case PT__JOB_SHARING_INCREASE:
        return ratio(run, job);
    case PT__JOB_COST:
        return pt_summary_cost_of_job(run->input, job);
    case PT__JOB_FROM_TRACE:
        if (pt_columns[run->column->source].type != PT_COLUMN_TIME) return from_trace(run, job);
        return seconds(time_ns(run, job));
    default:
        return seconds(time_ns(run, job));
    }
}

static void fill_numbers(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        pt__put_number(row_at(run, i), run->cell, number_of(run, run->first + i));
}

static void fill_whole_numbers(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        pt__put_i64(row_at(run, i), run->cell, whole_number(run, run->first + i));
    }
}

static void fill_small_numbers(const struct run *run)
{
    const uint16_t *counts = run->column->id == PT__JOB_ATTEMPTS
                                 ? run->input->outcomes->attempts
                                 : run->input->outcomes->preemptions;
    for (uint32_t i = 0; i < run->count; i++) {
        pt__put_i32(row_at(run, i), run->cell, counts[run->first + i]);
    }
}

/* -1 = no bound, or nothing said. */
static void fill_truths(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        int truth = run->column->id == PT__JOB_SLA_MET
                        ? pt_summary_sla_met(run->input, run->first + i)
                        : pt_trace_bool(run->input->trace, run->column->source, run->first + i);
        row_at(run, i)[run->cell->offset] = (uint8_t)(truth == PT_BOOL_ABSENT ? -1 : truth);
    }
}

void pt__job_column_fill(const struct pt__job_columns *columns, uint32_t column, uint8_t *rows,
                         uint32_t row_size, pt_job first, uint32_t count)
{
    struct run run = {.columns = columns,
                      .input = columns->input,
                      .column = &columns->columns[column],
                      .cell = &columns->cells[column],
                      .index = column,
                      .row_size = row_size,
                      .first = first,
                      .count = count};
    run.rows = rows;
    switch (run.cell->type) {
    case PT__TEXT:
        if (run.column->padded != NULL) {
            fill_words(&run);
        } else {
            fill_texts(&run);
        }
        break;
    case PT__NUMBER:
        fill_numbers(&run);
        break;
    case PT__I64:
        fill_whole_numbers(&run);
        break;
    case PT__I32:
        fill_small_numbers(&run);
        break;
    case PT__I8:
        fill_truths(&run);
        break;
    }
}
