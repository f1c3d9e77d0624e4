#include "partita/trace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static enum pt_status set(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                          const char *text, struct pt_error *error)
{
    return pt_trace_set(trace, row, column, text, strlen(text), error);
}

/* A row from texts; NULL id, gpus or after = not written. */
static pt_job add(struct pt_trace *trace, const char *id, const char *submit_s, const char *work_s,
                  const char *after)
{
    pt_job row = PT_NONE;
    cr_assert_eq(pt_trace_add(trace, &row, NULL), PT_OK);
    if (id != NULL) cr_assert_eq(set(trace, row, PT_COL_ID, id, NULL), PT_OK);
    cr_assert_eq(set(trace, row, PT_COL_SUBMIT, submit_s, NULL), PT_OK);
    cr_assert_eq(set(trace, row, PT_COL_WORK, work_s, NULL), PT_OK);
    if (after != NULL) cr_assert_eq(set(trace, row, PT_COL_AFTER, after, NULL), PT_OK);
    return row;
}

static void finish(struct pt_trace *trace)
{
    pt_job bad = 0;
    struct pt_error error = {0};
    cr_assert_eq(pt_trace_finish(trace, &bad, &error), PT_OK, "%s", error.message);
    cr_assert_eq(bad, PT_NONE);
}

static const char *finish_error(struct pt_trace *trace, pt_job *bad)
{
    static struct pt_error error;
    cr_assert_eq(pt_trace_finish(trace, bad, &error), PT_ERR_INPUT);
    return error.message;
}

static const char *set_error(enum pt_column_id column, const char *text)
{
    static struct pt_error error;
    struct pt_trace trace = {0};
    pt_job row = 0;
    cr_assert_eq(pt_trace_add(&trace, &row, NULL), PT_OK);
    cr_assert_eq(set(&trace, row, column, text, &error), PT_ERR_INPUT, "%s", text);
    pt_trace_fini(&trace);
    return error.message;
}

Test(trace, the_table_is_what_the_code_relies_on)
{
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
        const struct pt_column_info *info = &pt_columns[c];
        cr_assert_eq(pt_column_find(info->name, strlen(info->name)), c);
        cr_assert_not_null(info->help);
        if (info->type == PT_COLUMN_TIME)
            cr_assert(info->fallback == NULL || info->fallback[0] == '\0', "%s", info->name);
        else
            cr_assert_not_null(info->fallback, "%s", info->name);
        if (info->fallback != NULL && info->fallback[0] >= '0' && info->fallback[0] <= '9')
            cr_assert_eq(strlen(info->fallback), 1, "%s: defaults of numbers are one digit",
                         info->name);
    }
    cr_assert_eq(pt_column_find("submit", 6), PT_COLUMN_COUNT_);
    cr_assert_eq(pt_column_find("gpus_", 4), PT_COL_GPUS);
}

Test(trace, a_row_has_the_defaults)
{
    struct pt_trace trace;
    pt_trace_init(&trace);
    pt_job job = add(&trace, NULL, "1", "2", NULL);
    cr_assert_eq(pt_trace_time(&trace, PT_COL_SUBMIT, job), PT_NS_PER_S);
    cr_assert_eq(pt_trace_time(&trace, PT_COL_WORK, job), 2 * PT_NS_PER_S);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPUS, job), 1);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPU_FRAC, job), PT_NONE);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_CPUS, job), 0);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_MEM, job), 0);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_PROCESSES, job), 1);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_TENANT, job), PT_NONE);
    cr_assert_eq(pt_trace_bool(&trace, PT_COL_DISTINCT, job), PT_BOOL_ABSENT);
    cr_assert_eq(pt_trace_bool(&trace, PT_COL_PREEMPTIBLE, job), 1);
    cr_assert_eq(pt_trace_time(&trace, PT_COL_DEADLINE, job), PT_TIME_ABSENT);
    cr_assert_str_eq(pt_trace_word(&trace, PT_COL_TENANT, job), "default");
    cr_assert_str_eq(pt_trace_word(&trace, PT_COL_KIND, job), "training");
    cr_assert_null(pt_trace_word(&trace, PT_COL_MIG, job));
    cr_assert_null(pt_trace_word(&trace, PT_COL_ID, job));
    char buffer[PT_ID_BUFFER];
    cr_assert_str_eq(pt_trace_id(&trace, job, buffer), "0");
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        cr_assert((trace.column[c] != NULL) == (c == PT_COL_SUBMIT || c == PT_COL_WORK));
    pt_trace_fini(&trace);
}

Test(trace, writing_a_default_costs_no_memory)
{
    struct pt_trace trace = {0};
    add(&trace, "0", "0", "1", NULL);
    pt_job job = add(&trace, "1", "0", "1", NULL);
    cr_assert_eq(set(&trace, job, PT_COL_GPUS, "1", NULL), PT_OK);
    cr_assert_eq(set(&trace, job, PT_COL_TENANT, "default", NULL), PT_OK);
    cr_assert_eq(set(&trace, job, PT_COL_PREEMPTIBLE, "true", NULL), PT_OK);
    cr_assert_eq(set(&trace, job, PT_COL_KIND, "", NULL), PT_OK);
    cr_assert_null(trace.column[PT_COL_ID]);
    cr_assert_null(trace.column[PT_COL_GPUS]);
    cr_assert_null(trace.column[PT_COL_TENANT]);
    cr_assert_null(trace.column[PT_COL_PREEMPTIBLE]);
    pt_trace_fini(&trace);
}

Test(trace, a_late_column_has_the_default_in_earlier_rows)
{
    struct pt_trace trace = {0};
    enum { N = 10000 };
    for (int i = 0; i < N; i++)
        add(&trace, NULL, "0", "1", NULL);
    cr_assert_eq(set(&trace, N - 1, PT_COL_GPUS, "8", NULL), PT_OK);
    cr_assert_eq(set(&trace, N - 1, PT_COL_TENANT, "acme", NULL), PT_OK);
    cr_assert_eq(set(&trace, N - 1, PT_COL_DISTINCT, "false", NULL), PT_OK);
    add(&trace, NULL, "0", "1", NULL);
    for (pt_job job = 0; job <= N; job++) {
        bool last = job == N - 1;
        cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPUS, job), last ? 8 : 1);
        cr_assert_str_eq(pt_trace_word(&trace, PT_COL_TENANT, job), last ? "acme" : "default");
        cr_assert_eq(pt_trace_bool(&trace, PT_COL_DISTINCT, job), last ? 0 : PT_BOOL_ABSENT);
    }
    pt_trace_fini(&trace);
}

Test(trace, a_dropped_row_leaves_nothing_behind)
{
    struct pt_trace trace = {0};
    pt_job job = add(&trace, "odd", "5", "6", NULL);
    cr_assert_eq(set(&trace, job, PT_COL_GPUS, "8", NULL), PT_OK);
    pt_trace_drop_last(&trace);
    cr_assert_eq(trace.job_count, 0);
    cr_assert_eq(pt_trace_add(&trace, &job, NULL), PT_OK);
    enum pt_column_id column = PT_COLUMN_COUNT_;
    cr_assert_eq(pt_trace_check_row(&trace, job, &column, NULL), PT_ERR_INPUT);
    cr_assert_eq(column, PT_COL_SUBMIT);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPUS, job), 1);
    cr_assert_null(pt_trace_word(&trace, PT_COL_ID, job));
    pt_trace_fini(&trace);
}

Test(trace, empty_text_brings_the_default_back)
{
    struct pt_trace trace = {0};
    pt_job job = add(&trace, NULL, "0", "1", NULL);
    cr_assert_eq(set(&trace, job, PT_COL_GPU_FRAC, "0.5", NULL), PT_OK);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPU_FRAC, job), 500000);
    cr_assert_eq(set(&trace, job, PT_COL_GPU_FRAC, "", NULL), PT_OK);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_GPU_FRAC, job), PT_NONE);
    pt_trace_fini(&trace);
}

Test(trace, errors_name_the_column_and_the_text)
{
    cr_expect_str_eq(set_error(PT_COL_WORK, "-1"), "work_s is negative: '-1'");
    cr_expect_str_eq(set_error(PT_COL_WORK, "12:30"), "work_s is not a number: '12:30'");
    cr_expect_str_eq(set_error(PT_COL_WORK, "inf"), "work_s is not a number: 'inf'");
    cr_expect_str_eq(set_error(PT_COL_SUBMIT, "1e400"),
                     "submit_s is longer than 292 years: '1e400'");
    cr_expect_str_eq(set_error(PT_COL_GPUS, "2.5"), "gpus is not a whole number: '2.5'");
    cr_expect_str_eq(set_error(PT_COL_GPUS, "4294967295"),
                     "gpus is not between 0 and 4294967294: '4294967295'");
    cr_expect_str_eq(set_error(PT_COL_GPU_FRAC, "0,5"), "gpu_frac is not a number: '0,5'");
    cr_expect_str_eq(set_error(PT_COL_GPU_FRAC, "NaN"), "gpu_frac is not a number: 'NaN'");
    cr_expect_str_eq(set_error(PT_COL_GPU_MEM, "x"), "gpu_mem_gib is not a number: 'x'");
    cr_expect_str_eq(set_error(PT_COL_CPUS, "-2"), "cpus is negative: '-2'");
    cr_expect_str_eq(set_error(PT_COL_SM_UTIL, "1.5"), "sm_util is above 1: '1.5'");
    cr_expect_str_eq(set_error(PT_COL_KIND, "train"),
                     "kind is none of training, batch, interactive, inference: 'train'");
    cr_expect_str_eq(set_error(PT_COL_DISTINCT, "yes"),
                     "distinct is neither true nor false: 'yes'");
    cr_expect_str_eq(set_error(PT_COL_ID, "a|b"), "id holds '|', which stands between ids: 'a|b'");
    cr_expect_str_eq(set_error(PT_COL_TENANT, "a\tb"), "tenant holds a control character: 'a?b'");
    cr_expect_str_eq(set_error(PT_COL_TENANT, "a\xff"), "tenant is not UTF-8: 'a\xff'");
    cr_expect_str_eq(set_error(PT_COL_WORK, "0123456789012345678901234567890123456789x"),
                     "work_s is not a number: '0123456789012345678901234567890123456789...'");
}

Test(trace, texts_are_utf8)
{
    static const char *const good[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                       "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",         "\xc0\x80",         "\xc3",
                                      "\xe0\x80\x80", "\xed\xa0\x80",     "\xe2\x82",
                                      "\xf5\x80\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"};
    struct pt_trace trace = {0};
    pt_job row = add(&trace, NULL, "0", "1", NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(set(&trace, row, PT_COL_NAME, good[i], NULL), PT_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(set(&trace, row, PT_COL_NAME, bad[i], NULL), PT_ERR_INPUT);
    pt_trace_fini(&trace);
}

Test(trace, only_checkpoint_may_be_infinite)
{
    struct pt_trace trace = {0};
    pt_job row = add(&trace, NULL, "0", "1", NULL);
    cr_assert_eq(set(&trace, row, PT_COL_CHECKPOINT, "inf", NULL), PT_OK);
    cr_assert_eq(pt_trace_time(&trace, PT_COL_CHECKPOINT, row), PT_NEVER);
    cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_ESTIMATE, PT_NEVER, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_ESTIMATE, -1, NULL), PT_ERR_INPUT);
    pt_trace_fini(&trace);
}

Test(trace, numbers_are_checked_like_texts)
{
    struct pt_trace trace = {0};
    pt_job row = add(&trace, NULL, "0", "1", NULL);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_GPUS, 3, NULL), PT_OK);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_GPU_FRAC, 0, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_GPU_FRAC, 1000001, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_SM_UTIL, 1000001, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_DISTINCT, 1, NULL), PT_OK);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_DISTINCT, 3, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_TENANT, 0, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_WORK, 1, NULL), PT_ERR_ARGUMENT);
    cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_AFTER, 1, NULL), PT_ERR_ARGUMENT);
    cr_assert_eq(pt_trace_set_u32(&trace, row + 1, PT_COL_GPUS, 1, NULL), PT_ERR_ARGUMENT);
    cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_GPUS, 1, NULL), PT_ERR_ARGUMENT);
    cr_assert_eq(set(&trace, row + 1, PT_COL_GPUS, "1", NULL), PT_ERR_ARGUMENT);
    pt_trace_fini(&trace);
}

Test(trace, a_row_needs_its_required_cells_and_must_end_in_time)
{
    struct pt_trace trace = {0};
    struct pt_error error = {0};
    enum pt_column_id column = PT_COLUMN_COUNT_;
    pt_job row = 0;
    cr_assert_eq(pt_trace_add(&trace, &row, NULL), PT_OK);
    cr_assert_eq(set(&trace, row, PT_COL_SUBMIT, "9e9", NULL), PT_OK);
    cr_assert_eq(pt_trace_check_row(&trace, row, &column, &error), PT_ERR_INPUT);
    cr_assert_eq(column, PT_COL_WORK);
    cr_assert_str_eq(error.message, "work_s is missing");
    cr_assert_eq(set(&trace, row, PT_COL_WORK, "9e9", NULL), PT_OK);
    cr_assert_eq(pt_trace_check_row(&trace, row, &column, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "submit_s + work_s is longer than 292 years");
    cr_assert_eq(set(&trace, row, PT_COL_WORK, "1", NULL), PT_OK);
    cr_assert_eq(pt_trace_check_row(&trace, row, &column, &error), PT_OK);
    pt_trace_fini(&trace);
}

Test(trace, words_are_numbered_by_first_appearance)
{
    struct pt_trace trace = {0};
    char word[32];
    enum { N = 3000 };
    for (uint32_t i = 0; i < 3 * N; i++) {
        pt_job row = add(&trace, NULL, "0", "1", NULL);
        snprintf(word, sizeof word, "user-with-a-long-name-%u", i % N);
        cr_assert_eq(set(&trace, row, PT_COL_USER, word, NULL), PT_OK);
        cr_assert_eq(pt_trace_u32(&trace, PT_COL_USER, row), i % N);
        cr_assert_str_eq(pt_trace_word(&trace, PT_COL_USER, row), word);
    }
    cr_assert_eq(trace.words[PT_COL_USER].count, N);
    pt_trace_fini(&trace);
}

Test(trace, rows_are_sorted_by_submit_time_and_ties_keep_their_order)
{
    struct pt_trace trace = {0};
    uint64_t x = 88172645463325252u;
    enum { N = 5000 };
    for (uint32_t i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        char submit_s[32];
        snprintf(submit_s, sizeof submit_s, "%u", (unsigned)(x % 100));
        pt_job row = add(&trace, NULL, submit_s, "1", NULL);
        cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_GPUS, i, NULL), PT_OK);
        cr_assert_eq(pt_trace_set_u32(&trace, row, PT_COL_DISTINCT, i % 2, NULL), PT_OK);
    }
    finish(&trace);
    cr_assert_not(trace.was_sorted);
    const int64_t *submit_ns = pt_trace_submit_ns(&trace);
    for (pt_job job = 0; job < N; job++) {
        uint32_t row = pt_trace_u32(&trace, PT_COL_GPUS, job);
        cr_assert_eq(pt_trace_bool(&trace, PT_COL_DISTINCT, job), row % 2);
        cr_assert_eq(trace.origin[job], row);
        char id[16], buffer[PT_ID_BUFFER];
        snprintf(id, sizeof id, "%u", row);
        cr_assert_str_eq(pt_trace_id(&trace, job, buffer), id, "ids are original row numbers");
        if (job == 0) continue;
        cr_assert(submit_ns[job - 1] < submit_ns[job] ||
                  (submit_ns[job - 1] == submit_ns[job] &&
                   pt_trace_u32(&trace, PT_COL_GPUS, job - 1) < row));
    }
    pt_trace_fini(&trace);
}

Test(trace, a_sorted_trace_stays_as_it_is)
{
    struct pt_trace trace = {0};
    finish(&trace);
    cr_assert(trace.was_sorted);
    for (int i = 0; i < 3; i++)
        add(&trace, NULL, "7", "1", NULL);
    finish(&trace);
    cr_assert(trace.was_sorted);
    cr_assert_null(trace.origin);
    pt_trace_fini(&trace);
}

Test(trace, jobs_are_found_by_id)
{
    struct pt_trace trace = {0};
    add(&trace, "late", "9", "1", NULL);
    add(&trace, NULL, "5", "1", NULL);
    add(&trace, "early", "1", "1", NULL);
    finish(&trace);
    cr_assert_eq(pt_trace_find(&trace, "early"), 0);
    cr_assert_eq(pt_trace_find(&trace, "1"), 1);
    cr_assert_eq(pt_trace_find(&trace, "late"), 2);
    cr_assert_eq(pt_trace_find(&trace, "2"), PT_NONE);
    pt_trace_fini(&trace);
}

Test(trace, ids_are_unique)
{
    struct pt_trace trace = {0};
    pt_job bad = 0;
    add(&trace, "a", "3", "1", NULL);
    add(&trace, "b", "2", "1", NULL);
    add(&trace, "a", "1", "1", NULL);
    cr_assert_str_eq(finish_error(&trace, &bad), "id is not unique: 'a' (also job 0)");
    cr_assert_eq(bad, 2, "the later row is to blame, whatever the order of submission");
    pt_trace_fini(&trace);

    add(&trace, "1", "0", "1", NULL);
    add(&trace, NULL, "0", "1", NULL);
    cr_assert_str_eq(finish_error(&trace, &bad), "id is not unique: '1' (also job 0)");
    cr_assert_eq(bad, 1);
    pt_trace_fini(&trace);

    /* Row numbers of jobs that have another name, or written otherwise, are free. */
    add(&trace, "1", "0", "1", NULL);
    add(&trace, "x", "0", "1", NULL);
    add(&trace, "01", "0", "1", NULL);
    finish(&trace);
    pt_trace_fini(&trace);
}

static void note_line(void *ctx, const struct pt_error *error)
{
    char *lines = ctx;
    snprintf(lines + strlen(lines), 64 - strlen(lines), "%s:%u ", error->file, error->line);
}

Test(trace, later_rows_of_an_id_can_be_dropped)
{
    /* Row 4 is named by its number, which row 1 has taken; row 5 keeps the name 5. */
    static const char *const ids[] = {"a", "4", "a", "b", "", ""};
    struct pt_trace trace;
    struct pt_error error = {0};
    char lines[64] = "", buffer[PT_ID_BUFFER];
    uint32_t dropped = 0;
    pt_job row = 0, bad;
    pt_trace_init(&trace);
    for (uint32_t i = 0; i < 6; i++) {
        cr_assert_eq(pt_trace_add(&trace, &row, &error), PT_OK);
        cr_assert_eq(pt_trace_set(&trace, row, PT_COL_ID, ids[i], strlen(ids[i]), &error), PT_OK);
        cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_SUBMIT, 10 - i, &error), PT_OK);
        cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_WORK, i, &error), PT_OK);
        cr_assert_eq(pt_trace_mark_line(&trace, row, 2 * i + 2, &error), PT_OK);
    }
    cr_assert_eq(pt_trace_drop_duplicates(&trace, "t.csv", &dropped, note_line, lines, &error),
                 PT_OK);
    cr_assert_eq(dropped, 2);
    cr_assert_str_eq(lines, "t.csv:10 t.csv:6 ");
    cr_assert_eq(trace.job_count, 4);
    static const uint32_t kept[] = {0, 1, 3, 5};
    static const char *const names[] = {"a", "4", "b", "5"};
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_str_eq(pt_trace_id(&trace, i, buffer), names[i]);
        cr_assert_eq(pt_trace_work_ns(&trace)[i], kept[i]);
        cr_assert_eq(pt_trace_line(&trace, i), 2 * kept[i] + 2);
    }
    cr_assert_eq(pt_trace_add(&trace, &row, &error), PT_OK);
    cr_assert_null(pt_trace_word(&trace, PT_COL_ID, row), "a new row is not a clean one");
    pt_trace_drop_last(&trace);
    cr_assert_eq(pt_trace_finish(&trace, &bad, &error), PT_OK);
    pt_trace_fini(&trace);
}

Test(trace, after_becomes_successors)
{
    struct pt_trace trace = {0};
    add(&trace, "c", "5", "1", "a|b|a");
    add(&trace, "a", "0", "1", NULL);
    add(&trace, "b", "1", "1", "a");
    add(&trace, NULL, "6", "1", "c");
    add(&trace, NULL, "7", "1", "3");
    finish(&trace);
    pt_job a = 0, b = 1, c = 2, d = 3, e = 4;
    const uint32_t predecessors[] = {0, 1, 2, 1, 1};
    cr_assert_arr_eq(trace.predecessor_count, predecessors, sizeof predecessors);
    const uint32_t first[] = {0, 2, 3, 4, 5, 5};
    cr_assert_arr_eq(trace.successor_first, first, sizeof first);
    const uint32_t successor[] = {b, c, c, d, e};
    cr_assert_arr_eq(trace.successor, successor, sizeof successor);
    cr_assert_eq(a, 0);
    pt_trace_fini(&trace);
}

Test(trace, after_must_name_jobs)
{
    struct pt_trace trace = {0};
    pt_job bad = 0;
    add(&trace, NULL, "0", "1", NULL);
    add(&trace, NULL, "0", "1", "7");
    cr_assert_str_eq(finish_error(&trace, &bad), "after names '7', and there is no such job");
    cr_assert_eq(bad, 1);
    pt_trace_fini(&trace);
    add(&trace, NULL, "0", "1", NULL);
    add(&trace, NULL, "0", "1", "0||0");
    cr_assert_str_eq(finish_error(&trace, &bad), "after holds an empty id: '0||0'");
    pt_trace_fini(&trace);
}

Test(trace, after_may_not_go_in_a_circle)
{
    struct pt_trace trace = {0};
    pt_job bad = 0;
    add(&trace, "A", "0", "1", "A");
    cr_assert_str_eq(finish_error(&trace, &bad), "after goes in a circle: 'A' after 'A'");
    pt_trace_fini(&trace);

    add(&trace, "free", "0", "1", NULL);
    add(&trace, "tail", "0", "1", "A");
    add(&trace, "A", "0", "1", "free|C");
    add(&trace, "B", "0", "1", "A");
    add(&trace, "C", "0", "1", "B");
    const char *message = finish_error(&trace, &bad);
    cr_assert(strcmp(message, "after goes in a circle: 'A' after 'C' after 'B' after 'A'") == 0 ||
                  strcmp(message, "after goes in a circle: 'B' after 'A' after 'C' after 'B'") ==
                      0 ||
                  strcmp(message, "after goes in a circle: 'C' after 'B' after 'A' after 'C'") == 0,
              "%s", message);
    cr_assert_geq(bad, 2);
    pt_trace_fini(&trace);

    for (int i = 0; i < 100; i++) {
        char after[8];
        snprintf(after, sizeof after, "%d", (i + 1) % 100);
        add(&trace, NULL, "0", "1", after);
    }
    cr_assert_not_null(strstr(finish_error(&trace, &bad), "... after '"));
    pt_trace_fini(&trace);
}

Test(trace, lines_follow_rows)
{
    struct pt_trace trace = {0};
    struct pt_error error = {0};
    const uint32_t lines[] = {2, 3, 4, 7, 8, 20};
    for (uint32_t i = 0; i < 6; i++) {
        pt_job row = add(&trace, i >= 4 ? "twin" : NULL, "0", "1", NULL);
        cr_assert_eq(pt_trace_mark_line(&trace, row, lines[i], NULL), PT_OK);
    }
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_eq(pt_trace_line(&trace, i), lines[i]);
    cr_assert_eq(trace.place_count, 3);
    /* A dropped row's line goes with it. */
    pt_trace_drop_last(&trace);
    pt_job row = add(&trace, "twin", "0", "1", NULL);
    cr_assert_eq(pt_trace_mark_line(&trace, row, 30, NULL), PT_OK);
    cr_assert_eq(pt_trace_line(&trace, row), 30);
    cr_assert_eq(trace.place_count, 3);
    pt_job bad = 0;
    cr_assert_eq(pt_trace_finish(&trace, &bad, &error), PT_ERR_INPUT);
    cr_assert_eq(error.line, 30);
    cr_assert_str_eq(error.message, "id is not unique: 'twin' (also in line 8)");
    pt_trace_fini(&trace);
    cr_assert_eq(pt_trace_line(&trace, 0), 0);
}
