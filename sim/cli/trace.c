#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/cli/commands.h"
#include "sim/cli/format.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/scalar.h"
#include "traces/info.h"
#include "traces/locate.h"
#include "traces/registry.h"
#include "traces/write.h"

enum { PARAMS_MAX = 32, BAD_ROWS_SHOWN = 20, ROWS_SHOWN = 12 };

struct session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    const struct pt_reader_ops *reader;
    struct pt_value params[PARAMS_MAX];
    struct pt_trace trace;
    struct pt_read_report report;
    uint64_t bad_rows;
};

/* ---- reading ---- */

static enum pt_status find_reader(struct session *session, struct pt_error *error)
{
    const char *name = pt__args_value(session->args, "source");
    if (!name) name = "native";
    session->reader = pt_reader_find(name);
    if (session->reader) return PT_OK;
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, name, strlen(name));
    for (size_t i = 0; pt_readers[i]; i++)
        pt_suggest_offer(&suggestion, pt_readers[i]->name);
    if (suggestion.best)
        return pt_fail(error, PT_ERR_INPUT, "unknown source '%s' (did you mean '%s'?)", name,
                       suggestion.best);
    return pt_fail(error, PT_ERR_INPUT, "unknown source '%s'; 'partita list sources' shows them",
                   name);
}

/* The text that --param gives for a parameter, NULL = none. */
static const char *given_param(const char *const *values, size_t count, const char *name)
{
    size_t length = strlen(name);
    const char *text = NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(values[i], name, length) == 0 && values[i][length] == '=')
            text = values[i] + length + 1;
    return text;
}

static enum pt_status check_names(const struct pt_param *params, const char *const *values,
                                  size_t count, struct pt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(values[i], "=");
        struct pt_suggestion suggestion;
        pt_suggest_begin(&suggestion, values[i], length);
        bool known = false;
        for (const struct pt_param *param = params; param->name; param++) {
            known |= strlen(param->name) == length && memcmp(param->name, values[i], length) == 0;
            pt_suggest_offer(&suggestion, param->name);
        }
        if (!known && suggestion.best)
            return pt_fail(error, PT_ERR_INPUT,
                           "--param: unknown parameter '%.*s' (did you mean '%s'?)", (int)length,
                           values[i], suggestion.best);
        if (!known)
            return pt_fail(error, PT_ERR_INPUT, "--param: unknown parameter '%.*s'", (int)length,
                           values[i]);
        if (values[i][length] != '=')
            return pt_fail(error, PT_ERR_INPUT, "--param: '%s' is not NAME=VALUE", values[i]);
    }
    return PT_OK;
}

static enum pt_status parse_params(struct session *session, struct pt_error *error)
{
    const struct pt_param *params = session->reader->params;
    const char **values = calloc(session->args->given_count + 1, sizeof *values);
    if (!values) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    size_t count = pt__args_values(session->args, "param", values);
    enum pt_status status = check_names(params, values, count, error);
    for (size_t i = 0; status == PT_OK && i < PARAMS_MAX && params[i].name; i++) {
        const char *text = given_param(values, count, params[i].name);
        if (!text) text = params[i].fallback;
        struct pt_error why = {.status = PT_OK};
        if (!text)
            status = pt_fail(error, PT_ERR_INPUT, "source %s needs --param %s=...",
                             session->reader->name, params[i].name);
        else if (text[0] && pt_scalar_parse(&session->params[i], &params[i], text, strlen(text),
                                            &why) != PT_OK)
            status = pt_fail(error, why.status, "--param %s: '%s' %s", params[i].name, text,
                             why.message);
    }
    free((void *)values);
    return status;
}

static void on_bad_row(void *ctx, const struct pt_error *error)
{
    struct session *session = ctx;
    session->bad_rows++;
    if (session->terminal.quiet) return;
    if (session->bad_rows <= BAD_ROWS_SHOWN || session->terminal.verbose)
        pt__complain(&session->terminal, error);
}

/* The value of an option that takes a whole number; *number stays as it is where it isn't given. */
static enum pt_status whole_number(int64_t *number, const struct session *session, const char *name,
                                   int64_t min, int64_t max, struct pt_error *error)
{
    const char *text = pt__args_value(session->args, name);
    struct pt_error why;
    if (!text || pt_parse_int(number, text, strlen(text), min, max, &why) == PT_OK) return PT_OK;
    return pt_fail(error, PT_ERR_INPUT, "--%s: '%.64s' %s", name, text, why.message);
}

static enum pt_status read_trace(struct session *session, bool skip, struct pt_error *error)
{
    const char *path = session->args->operand_count ? session->args->operands[0] : NULL;
    int64_t limit_rows = PT_NONE, seed_value = 1;
    pt_job bad_row;
    PT_TRY(find_reader(session, error));
    if (session->reader->needs_path && !path)
        return pt_fail(error, PT_ERR_INPUT, "needs an argument: FILE");
    PT_TRY(whole_number(&limit_rows, session, "limit", 1, PT_NONE - 1, error));
    PT_TRY(whole_number(&seed_value, session, "seed", 0, INT64_MAX, error));
    PT_TRY(parse_params(session, error));
    struct pt_read_request request = {.path = path,
                                      .params = session->params,
                                      .seed = (uint64_t)seed_value,
                                      .limit = (uint32_t)limit_rows,
                                      .skip_bad_rows = skip,
                                      .bad = skip ? on_bad_row : NULL,
                                      .ctx = session};
    PT_TRY(session->reader->read(&session->trace, &session->report, &request, error));
    if (skip) {
        uint32_t dropped = 0;
        PT_TRY(
            pt_trace_drop_duplicates(&session->trace, path, &dropped, on_bad_row, session, error));
        session->report.accepted -= dropped;
        session->report.bad_rows += dropped;
    }
    if (session->bad_rows > BAD_ROWS_SHOWN && !session->terminal.verbose &&
        !session->terminal.quiet)
        fprintf(stderr, "partita: ... and %" PRIu64 " more bad rows: --verbose shows all\n",
                session->bad_rows - BAD_ROWS_SHOWN);
    enum pt_status status = pt_trace_finish(&session->trace, &bad_row, error);
    if (status != PT_OK && path && !error->file[0]) {
        snprintf(error->file, sizeof error->file, "%s", path);
        /* what is wrong with a cell begins with its column's name */
        error->column =
            pt_locate_cell(path, error->line, error->message, strcspn(error->message, " "));
    }
    return status;
}

/* ---- check ---- */

static int check(struct session *session, struct pt_error *error)
{
    char rows[PT__TEXT_MAX], bad[PT__TEXT_MAX];
    if (read_trace(session, true, error) != PT_OK) return pt__complain(&session->terminal, error);
    const struct pt_read_report *report = &session->report;
    printf("%s row%s, %s bad%s\n", pt__format_count(rows, report->rows),
           report->rows == 1 ? "" : "s", pt__format_count(bad, report->bad_rows),
           session->trace.was_sorted ? "" : ", not sorted by submit time (a run sorts them)");
    return report->bad_rows ? pt_status_exit_code(PT_ERR_INPUT) : 0;
}

/* ---- info ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *distribution_json(const struct pt_info_distribution *d)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mean", number(d->mean), "cv",
                     number(d->cv), "p10", number(d->p10), "p50", number(d->p50), "p90",
                     number(d->p90), "p99", number(d->p99), "max", number(d->max));
}

static json_t *time_json(int64_t ns)
{
    return ns == PT_TIME_ABSENT ? json_null() : json_real(pt_seconds(ns));
}

static void info_json(const struct session *session, const struct pt_trace_info *info)
{
    json_t *columns = json_array(), *gpus = json_array(), *tenants = json_array();
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        if (info->present[i]) json_array_append_new(columns, json_string(pt_columns[i].name));
    for (uint32_t i = 0; i < info->gpu_count; i++)
        json_array_append_new(gpus,
                              json_pack("{s:I, s:I, s:f}", "gpus", (json_int_t)info->gpus[i].gpus,
                                        "jobs", (json_int_t)info->gpus[i].jobs, "gpu_time_s",
                                        info->gpus[i].gpu_time_s));
    for (uint32_t i = 0; i < info->tenant_count; i++)
        json_array_append_new(tenants, json_pack("{s:s, s:I, s:f}", "tenant", info->tenants[i].name,
                                                 "jobs", (json_int_t)info->tenants[i].jobs,
                                                 "gpu_time_s", info->tenants[i].gpu_time_s));
    json_t *root = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
        "source", session->reader->name, "rows", (json_int_t)session->report.rows, "bad_rows",
        (json_int_t)session->report.bad_rows, "jobs", (json_int_t)info->jobs, "gpu_jobs",
        (json_int_t)info->gpu_jobs, "sorted", info->was_sorted, "first_submit_s",
        time_json(info->first_ns), "last_submit_s", time_json(info->last_ns), "gap_s",
        distribution_json(&info->gap), "same_instant_frac", number(info->same_instant_frac),
        "work_s", distribution_json(&info->work), "gpu_time_s", number(info->gpu_time_s),
        "mean_gpus_busy", number(info->mean_gpus_busy), "columns", columns, "dependent_jobs",
        (json_int_t)info->dependent_jobs, "gpus", gpus, "tenants", tenants);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(root);
}

static void distribution_text(const char *title, const struct pt_info_distribution *d)
{
    char text[PT__TEXT_MAX];
    printf("%-13s", title);
    const double values[] = {d->mean, d->p10, d->p50, d->p90, d->p99, d->max};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        printf("%10s", pt__format_duration(text, values[i]));
    printf("%10s\n", pt__format_ratio(text, d->cv));
}

static void shares_text(const struct pt_trace_info *info)
{
    char name[PT__TEXT_MAX], jobs[PT__TEXT_MAX], share[PT__TEXT_MAX], time[PT__TEXT_MAX];
    printf("\n%-20s%10s%10s%10s\n", "GPUs a job", "jobs", "of jobs", "of work");
    for (uint32_t i = 0; i < info->gpu_count && i < ROWS_SHOWN; i++)
        printf("%-20s%10s%10s%10s\n", pt__format_count(name, info->gpus[i].gpus),
               pt__format_count(jobs, info->gpus[i].jobs),
               pt__format_percent(share, (double)info->gpus[i].jobs / info->jobs),
               pt__format_percent(time, info->gpus[i].gpu_time_s / info->gpu_time_s));
    if (info->gpu_count > ROWS_SHOWN)
        printf("... and %u more: --json has all\n", info->gpu_count - ROWS_SHOWN);
    if (info->tenant_count < 2) return;
    printf("\n%-20s%10s%10s%10s\n", "Tenant", "jobs", "of jobs", "of work");
    for (uint32_t i = 0; i < info->tenant_count && i < ROWS_SHOWN; i++)
        printf("%-20.20s%10s%10s%10s\n", info->tenants[i].name,
               pt__format_count(jobs, info->tenants[i].jobs),
               pt__format_percent(share, (double)info->tenants[i].jobs / info->jobs),
               pt__format_percent(time, info->tenants[i].gpu_time_s / info->gpu_time_s));
    if (info->tenant_count > ROWS_SHOWN)
        printf("... and %u more: --json has all\n", info->tenant_count - ROWS_SHOWN);
}

static void info_text(const struct session *session, const struct pt_trace_info *info)
{
    char a[PT__TEXT_MAX], b[PT__TEXT_MAX];
    printf("Source       %s, %s rows\n", session->reader->name,
           pt__format_count(a, session->report.rows));
    printf("Jobs         %s, %s of them on GPUs%s\n", pt__format_count(a, info->jobs),
           pt__format_count(b, info->gpu_jobs),
           info->was_sorted ? "" : "; rows not sorted by submit time (a run sorts them)");
    fputs("Columns     ", stdout);
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        if (info->present[i]) printf(" %s", pt_columns[i].name);
    putchar('\n');
    if (info->jobs == 0) return;
    printf("Submitted    over %s, from %s on\n",
           pt__format_duration(a, pt_seconds(info->last_ns - info->first_ns)),
           pt__format_duration(b, pt_seconds(info->first_ns)));
    printf("GPU time     %s", pt__format_duration(a, info->gpu_time_s));
    if (isfinite(info->mean_gpus_busy))
        printf(": keeping up takes %s GPUs", pt__format_ratio(a, info->mean_gpus_busy));
    printf("\n\n%13s%10s%10s%10s%10s%10s%10s%10s\n", "", "mean", "p10", "p50", "p90", "p99", "max",
           "cv");
    distribution_text("Work", &info->work);
    distribution_text("Gap", &info->gap);
    shares_text(info);
}

static int info(struct session *session, struct pt_error *error)
{
    struct pt_trace_info *figures = NULL;
    if (read_trace(session, false, error) != PT_OK ||
        pt_trace_info(&figures, &session->trace, error) != PT_OK)
        return pt__complain(&session->terminal, error);
    if (pt__args_has(session->args, "json"))
        info_json(session, figures);
    else
        info_text(session, figures);
    pt_trace_info_free(figures);
    return 0;
}

/* ---- convert ---- */

static int convert(struct session *session, struct pt_error *error)
{
    const char *policy = pt__args_value(session->args, "on-bad-row");
    const char *out = pt__args_value(session->args, "out");
    bool skip = policy && strcmp(policy, "skip") == 0;
    enum pt_status status = read_trace(session, skip, error);
    if (status == PT_OK) {
        char *temporary = pt_trace_write_temporary(out);
        pt__interrupt_removes(temporary);
        status = pt_trace_write(&session->trace, out, error);
        free(temporary);
    }
    return status == PT_OK ? 0 : pt__complain(&session->terminal, error);
}

/* ---- the commands ---- */

static int with_session(const struct pt__args *args,
                        int (*work)(struct session *session, struct pt_error *error))
{
    struct session session = {.args = args};
    struct pt_error error = {.status = PT_OK};
    pt__terminal_init(&session.terminal, args);
    pt_trace_init(&session.trace);
    int code = work(&session, &error);
    pt_trace_fini(&session.trace);
    return pt__finish_stdout(&session.terminal, code);
}

static int run_check(const struct pt__args *args)
{
    return with_session(args, check);
}

static int run_info(const struct pt__args *args)
{
    return with_session(args, info);
}

static int run_convert(const struct pt__args *args)
{
    return with_session(args, convert);
}

static const char *const on_bad_row_words[] = {"stop", "skip", NULL};

#define SOURCE_OPTIONS                                                                             \
    {"source",                                                                                     \
     's',                                                                                          \
     "NAME",                                                                                       \
     NULL,                                                                                         \
     false,                                                                                        \
     PT__COMPLETES_NOTHING,                                                                        \
     "what the file is: native (the default), or what 'partita list sources' shows"},              \
        {"param",                                                                                  \
         'p',                                                                                      \
         "NAME=VALUE",                                                                             \
         NULL,                                                                                     \
         true,                                                                                     \
         PT__COMPLETES_NOTHING,                                                                    \
         "a parameter of the source"},                                                             \
        {"limit",                                                                                  \
         0,                                                                                        \
         "N",                                                                                      \
         NULL,                                                                                     \
         false,                                                                                    \
         PT__COMPLETES_NOTHING,                                                                    \
         "at most so many jobs, the first of the file"},                                           \
    {                                                                                              \
        "seed", 0, "N", NULL, false, PT__COMPLETES_NOTHING, "of sources that draw their jobs"      \
    }

static const struct pt__option check_options[] = {SOURCE_OPTIONS, {0}};

static const struct pt__option info_options[] = {
    SOURCE_OPTIONS,
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print one JSON object"},
    {0}};

static const struct pt__option convert_options[] = {
    SOURCE_OPTIONS,
    {"out", 'o', "FILE.csv", NULL, false, PT__COMPLETES_FILE, "write here instead of to stdout"},
    {"on-bad-row", 0, "WHAT", on_bad_row_words, false, PT__COMPLETES_CHOICE,
     "what to do with a bad row: stop (the default), or skip and count it"},
    {0}};

static const struct pt__command command_check = {
    .name = "check",
    .operands = "FILE",
    .operand_max = 1,
    .summary = "read a trace and say every row that is wrong",
    .details = "Every bad row is said on stderr with its line and column. Exits 2 if there is any.",
    .options = check_options,
    .example = "partita trace check jobs.csv.gz",
    .example_says = "reads a native trace, compressed or not",
    .run = run_check};

static const struct pt__command command_info = {
    .name = "info",
    .operands = "FILE",
    .operand_max = 1,
    .summary = "say what is in a trace",
    .details =
        "How many jobs, over which time, how long, how far apart, how large, whose, and which "
        "columns have values.",
    .options = info_options,
    .example = "partita trace info jobs.csv --json",
    .example_says = "prints the same as one JSON object",
    .run = run_info};

static const struct pt__command command_convert = {
    .name = "convert",
    .operands = "FILE",
    .operand_max = 1,
    .summary = "write a trace of any source as native CSV",
    .details =
        "Rows come sorted by submit time, with the columns that have values. Reading the new "
        "file gives the same jobs. A name that ends in .gz or .zst is compressed so.",
    .options = convert_options,
    .example = "partita trace convert philly.csv.gz --source philly --out philly-native.csv",
    .example_says = "makes a native trace of a public one",
    .run = run_convert};

static const struct pt__command *const inner[] = {&command_check, &command_info, &command_convert,
                                                  NULL};

const struct pt__command pt__command_trace = {
    .name = "trace",
    .inner = inner,
    .summary = "check, describe or convert a trace",
    .details = "Commands that read a trace without running anything.",
    .example = "partita trace info jobs.csv",
    .example_says = "says what is in a native trace"};
