/* Philly as a flat CSV (timestamp, duration, num_gpus, gpu_time, cluster): Microsoft 2017, Jeon et
 * al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", ATC 2019;
 * data CC-BY-4.0. Rows are not in order of time; the earliest timestamp becomes time 0.
 */
#include "traces/format.h"
#include "traces/readers.h"

enum { TIMESTAMP, DURATION, NUM_GPUS, GPU_TIME, CLUSTER, CELLS };

const char *const pt__philly_columns[] = {"timestamp", "duration", "num_gpus",
                                          "gpu_time",  "cluster",  NULL};

/* The digits at text as a number; -1 if one of them is none. */
static int digits(const char *text, size_t count)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar; the year begins in March, so that the
 * leap day comes last (Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_from_date(int year, int month, int day)
{
    int y = month <= 2 ? year - 1 : year;
    int era = y / 400, year_of_era = y - era * 400;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * 146097 + day_of_era - 719468;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* "YYYY-MM-DD HH:MM:SS", no zone, every day of 24 hours -> ns since 1970. */
static enum pt_status parse_timestamp(int64_t *ns, const struct pt__cell *cell,
                                      struct pt_error *error)
{
    const char *t = cell->text;
    if (cell->length != 19 || t[4] != '-' || t[7] != '-' || t[10] != ' ' || t[13] != ':' ||
        t[16] != ':')
        return pt_fail(error, PT_ERR_INPUT, "timestamp is not of the form YYYY-MM-DD HH:MM:SS");
    int year = digits(t, 4), month = digits(t + 5, 2), day = digits(t + 8, 2);
    int hour = digits(t + 11, 2), minute = digits(t + 14, 2), second = digits(t + 17, 2);
    if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59)
        return pt_fail(error, PT_ERR_INPUT, "timestamp is no date and time: '%.19s'", t);
    int64_t seconds = days_from_date(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *ns = seconds * PT_NS_PER_S;
    return PT_OK;
}

static enum pt_status take(struct pt_trace *trace, uint32_t *bad, pt_job row,
                           const struct pt__cell *cells, void *ctx, struct pt_error *error)
{
    static const struct {
        uint32_t cell;
        enum pt_column_id column;
    } targets[] = {{DURATION, PT_COL_WORK}, {NUM_GPUS, PT_COL_GPUS}, {CLUSTER, PT_COL_TENANT}};
    (void)ctx;
    int64_t ns = 0;
    *bad = TIMESTAMP;
    PT_TRY(parse_timestamp(&ns, &cells[TIMESTAMP], error));
    PT_TRY(pt_trace_set_time(trace, row, PT_COL_SUBMIT, ns, error));
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        *bad = targets[i].cell;
        const struct pt__cell *cell = &cells[*bad];
        PT_TRY(pt_trace_set(trace, row, targets[i].column, cell->text, cell->length, error));
    }
    return PT_OK;
}

/* Makes the earliest of the rows from `first` on time 0. */
static void shift_to_zero(struct pt_trace *trace, pt_job first)
{
    int64_t *submit_ns = trace->column[PT_COL_SUBMIT];
    int64_t earliest = PT_NEVER;
    for (pt_job row = first; row < trace->job_count; row++)
        if (submit_ns[row] < earliest) earliest = submit_ns[row];
    for (pt_job row = first; row < trace->job_count; row++)
        submit_ns[row] -= earliest;
}

static enum pt_status read_file(struct pt_trace *trace, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    static const struct pt__format format = {.names = pt__philly_columns,
                                             .has_ids = false,
                                             .submit = TIMESTAMP,
                                             .work = DURATION,
                                             .take = take};
    pt_job first = trace->job_count;
    PT_TRY(pt__format_read(trace, report, request, &format, NULL, error));
    shift_to_zero(trace, first);
    return PT_OK;
}

const struct pt_reader_ops pt__reader_philly = {
    .abi = PT_READER_ABI,
    .size = sizeof(struct pt_reader_ops),
    .name = "philly",
    .summary = "Philly (Microsoft, 2017) as timestamp,duration,num_gpus,gpu_time,cluster",
    .source = "Jeon et al., ATC 2019; msr-fiddle/philly-traces, flattened; CC-BY-4.0",
    .needs_path = true,
    .columns = "timestamp -> submit_s, from the earliest one\n"
               "duration -> work_s\n"
               "num_gpus -> gpus\n"
               "cluster -> tenant",
    .unmapped = "gpu_time is duration x num_gpus and is not used\n"
                "ids are row numbers\n"
                "no user, status or attempts; failed and killed jobs can't be told apart\n"
                "the timestamps' zone is not known: every day has 24 hours",
    .params = pt__no_params,
    .read = read_file,
};
