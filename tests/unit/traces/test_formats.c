#include "reading.h"

static struct reading *read_bytes_as(const char *reader, const char *text, bool skip)
{
    const char *path = write_file(text, strlen(text));
    struct reading *reading = read_path(reader, path, skip);
    unlink(path);
    return reading;
}

Test(formats, readers_are_listed_and_complete)
{
    for (size_t i = 0; pt_readers[i] != NULL; i++) {
        const struct pt_reader_ops *reader = pt_readers[i];
        cr_assert_eq(reader->abi, PT_READER_ABI);
        cr_assert_eq(reader->size, sizeof *reader);
        cr_assert_eq(pt_reader_find(reader->name), reader);
        cr_assert_not_null(reader->summary);
        cr_assert_not_null(reader->source);
        cr_assert_not_null(reader->columns);
        cr_assert_not_null(reader->unmapped);
        cr_assert_not_null(reader->params);
        cr_assert_not_null(reader->read);
        for (const struct pt_param *p = reader->params; p->name != NULL; p++) {
            cr_assert_not_null(p->help);
            cr_assert_not_null(p->unit);
            cr_assert_eq(p->choices != NULL, p->type == PT_PARAM_CHOICE);
        }
    }
    cr_assert_null(pt_reader_find("nobody"));
}

/* What every reader of files promises, whatever its format. */
Test(formats, every_reader_of_files_keeps_the_common_promises)
{
    for (size_t i = 0; pt_readers[i] != NULL; i++) {
        if (!pt_readers[i]->needs_path) continue;
        const char *name = pt_readers[i]->name;
        struct reading *reading = read_path(name, "/nowhere/at/all.csv", true);
        cr_expect_eq(reading->status, PT_ERR_INPUT, "%s", name);
        cr_expect_str_eq(reading->error.file, "/nowhere/at/all.csv");
        end_reading(reading);
        reading = read_bytes_as(name, "", true);
        cr_expect_eq(reading->status, PT_ERR_INPUT, "%s", name);
        cr_expect_eq(reading->report.rows, 0);
        end_reading(reading);

        char path[256];
        const char *source = getenv("PARTITA_SOURCE");
        snprintf(path, sizeof path, "%s/traces/samples/%s.csv", source == NULL ? "." : source,
                 name);
        reading = read_path(name, path, false);
        cr_assert_eq(reading->status, PT_OK, "%s: %s", path, reading->error.message);
        cr_expect_geq(reading->trace.job_count, 40);
        cr_expect_eq(reading->report.rows, reading->trace.job_count);
        cr_expect_eq(reading->report.bad_rows, 0);
        end_reading(reading);

        struct reading limited = {0};
        struct pt_read_request request = request_for(&limited, false);
        request.path = path;
        request.limit = 7;
        cr_assert_eq(pt_readers[i]->read(&limited.trace, &limited.report, &request, NULL), PT_OK);
        cr_expect_eq(limited.trace.job_count, 7);
        cr_expect_eq(limited.report.accepted, 7);
        pt_trace_fini(&limited.trace);
    }
}

Test(formats, helios_rows_become_jobs)
{
    struct reading *reading = read_bytes_as("helios",
                                            "job_id,arrival_s,service_sec,gpu_count\n"
                                            "20000#7,5,100.5,8\n"
                                            "20001#8,5,172800,1\n",
                                            false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    cr_assert_eq(reading->trace.job_count, 2);
    char buffer[PT_ID_BUFFER];
    cr_assert_str_eq(pt_trace_id(&reading->trace, 0, buffer), "20000#7");
    cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, 0), 5 * PT_NS_PER_S);
    cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_WORK, 0), INT64_C(100500000000));
    cr_assert_eq(pt_trace_u32(&reading->trace, PT_COL_GPUS, 0), 8);
    end_reading(reading);
}

Test(formats, helios_refuses_bad_rows_and_other_headers)
{
    struct reading *reading = read_bytes_as("helios",
                                            "gpu_count,job_id,arrival_s,service_sec\n"
                                            "x,a,0,1\n"
                                            "1,b,0,\n"
                                            "1,c,9e9,9e9\n"
                                            "1,d,0\n"
                                            "1,e,0,1\n",
                                            true);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_eq(reading->report.accepted, 1);
    cr_assert_eq(reading->bad_count, 4);
    cr_assert_str_eq(placed(&reading->bad[0]), "2:1: gpus is not a number: 'x'");
    cr_assert_str_eq(placed(&reading->bad[1]), "3:7: service_sec is empty");
    cr_assert_str_eq(placed(&reading->bad[2]), "4:9: submit_s + work_s is longer than 292 years");
    cr_assert_str_eq(placed(&reading->bad[3]), "5:1: the row has 3 cells, the header 4");
    end_reading(reading);

    reading = read_bytes_as("helios", "job_id,arrival_s,service_s,gpu_count\n", false);
    cr_assert_str_eq(placed(&reading->error),
                     "1:18: unknown column 'service_s' (did you mean 'service_sec'?)");
    end_reading(reading);
    reading = read_bytes_as("helios", "job_id,arrival_s,gpu_count\n", false);
    cr_assert_str_eq(placed(&reading->error), "1:0: the header lacks the column 'service_sec'");
    end_reading(reading);
    reading = read_bytes_as("helios", "job_id,job_id\n", false);
    cr_assert_str_eq(placed(&reading->error), "1:8: column named twice: 'job_id'");
    end_reading(reading);
    reading = read_bytes_as("helios", "", false);
    cr_assert_str_eq(placed(&reading->error), "1:0: is empty: it has no header");
    end_reading(reading);
}

Test(formats, philly_rows_become_jobs)
{
    struct reading *reading = read_bytes_as("philly",
                                            "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                            "2017-10-03 00:00:01,60.0,1,60.0,6214e9\n"
                                            "2017-10-02 23:59:59,3600.0,8,28800.0,103959\n"
                                            "2018-01-01 00:00:00,1.0,1,1.0,6214e9\n"
                                            "\n",
                                            false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    const struct pt_trace *trace = &reading->trace;
    cr_assert_eq(trace->job_count, 3);
    cr_assert_not(trace->was_sorted);
    cr_assert_eq(pt_trace_time(trace, PT_COL_SUBMIT, 0), 0);
    cr_assert_eq(pt_trace_time(trace, PT_COL_SUBMIT, 1), 2 * PT_NS_PER_S);
    cr_assert_eq(pt_trace_time(trace, PT_COL_SUBMIT, 2), (90 * 86400 + 1) * PT_NS_PER_S);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPUS, 0), 8);
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_TENANT, 0), "103959");
    char buffer[PT_ID_BUFFER];
    cr_assert_str_eq(pt_trace_id(trace, 0, buffer), "1");
    end_reading(reading);
}

Test(formats, philly_knows_the_calendar)
{
    struct reading *reading = read_bytes_as("philly",
                                            "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                            "2016-02-28 00:00:00,1,1,1,a\n"
                                            "2016-02-29 00:00:00,1,1,1,a\n"
                                            "2016-03-01 00:00:00,1,1,1,a\n"
                                            "2100-03-01 00:00:00,1,1,1,a\n"
                                            "2017-02-29 00:00:00,1,1,1,a\n"
                                            "2100-02-29 00:00:00,1,1,1,a\n"
                                            "2017-13-01 00:00:00,1,1,1,a\n"
                                            "2017-04-31 00:00:00,1,1,1,a\n"
                                            "2017-04-00 00:00:00,1,1,1,a\n"
                                            "2017-04-01 24:00:00,1,1,1,a\n"
                                            "2017-04-01 00:60:00,1,1,1,a\n"
                                            "2017-04-01 00:00:60,1,1,1,a\n"
                                            "2017-04-0x 00:00:00,1,1,1,a\n"
                                            "2017-04-01T00:00:00,1,1,1,a\n"
                                            "2017-04-01,1,1,1,a\n",
                                            true);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_eq(reading->report.accepted, 4);
    cr_assert_eq(reading->report.bad_rows, 11);
    cr_assert_str_eq(placed(&reading->bad[0]),
                     "6:1: timestamp is no date and time: '2017-02-29 00:00:00'");
    cr_assert_str_eq(placed(&reading->bad[10]),
                     "16:1: timestamp is not of the form YYYY-MM-DD HH:MM:SS");
    const int64_t day = 86400 * PT_NS_PER_S;
    cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, 1), day);
    cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, 2), 2 * day);
    /* 84 years, of which 2016 and 20 others have a leap day and 2100 has none. */
    cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, 3), (2 + 84 * 365 + 20) * day);
    end_reading(reading);
}

static const char *shared_file(const char *name)
{
    static char path[4096];
    const char *shared = getenv("PARTITA_SHARED");
    snprintf(path, sizeof path, "%s/%s", shared == NULL ? "../shared" : shared, name);
    if (access(path, R_OK) != 0) cr_skip_test("%s is not there", path);
    return path;
}

/* Figures of the reference data's own README files. */
Test(formats, helios_venus_is_read_whole)
{
    const char *path = shared_file("traces/helios-venus/venus_gpu_jobs_mar_jul_2020.csv.gz");
    struct reading *reading = read_path("helios", path, false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    cr_assert_eq(reading->trace.job_count, 77574);
    cr_assert_eq(reading->report.bytes, 2537419);
    int64_t longest_ns = 0;
    uint32_t most = 0;
    for (pt_job job = 0; job < reading->trace.job_count; job++) {
        int64_t work_ns = pt_trace_work_ns(&reading->trace)[job];
        uint32_t gpus = pt_trace_u32(&reading->trace, PT_COL_GPUS, job);
        if (work_ns > longest_ns) longest_ns = work_ns;
        if (gpus > most) most = gpus;
    }
    cr_assert_eq(longest_ns, 172800 * PT_NS_PER_S);
    cr_assert_leq(most, 200);
    end_reading(reading);
}

Test(formats, philly_is_read_whole)
{
    const char *path = shared_file("traces/philly/philly.csv.gz");
    struct reading *reading = read_path("philly", path, false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    const struct pt_trace *trace = &reading->trace;
    cr_assert_eq(trace->job_count, 82247);
    cr_assert_eq(reading->report.bytes, 3444496);
    cr_assert_eq(trace->words[PT_COL_TENANT].count, 15);
    cr_assert_eq(pt_trace_submit_ns(trace)[0], 0);
    /* 2017-09-04 10:30:41 to 2017-12-22 08:02:11. */
    cr_assert_eq(pt_trace_submit_ns(trace)[trace->job_count - 1],
                 (109 * 86400 - (2 * 3600 + 28 * 60 + 30)) * PT_NS_PER_S);
    int64_t longest_ns = 0;
    for (pt_job job = 0; job < trace->job_count; job++)
        if (pt_trace_work_ns(trace)[job] > longest_ns) longest_ns = pt_trace_work_ns(trace)[job];
    cr_assert_eq(longest_ns, 4628226 * PT_NS_PER_S);
    end_reading(reading);
}
