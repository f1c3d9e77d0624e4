#include "traces/write.h"

#include <sys/stat.h>

#include "reading.h"

static const char everything[] =
    "id,submit_s,work_s,gpus,gpu_frac,gpu_mem_gib,mig,gpu_type,cpus,mem_gib,tenant,estimate_s,"
    "sm_util,checkpoint_s,distinct,preemptible,after\n"
    "\"a,b\",0,40,1,0.5,1.5,1g.10gb,h100|a100,2.5,0.0009765625,acme,,0.333333,inf,true,false,\n"
    "\"say "
    "\"\"hi\"\"\",0.000000001,1700000000.000001,0,,,auto,,0,10.1005859375,default,0.000000001,,0,,"
    "true,\"a,b\"\n"
    "2,5,0,4294967294,1,0,,,0.001,0,\xc3\xa4,600,1,0.5,false,true,\"a,b|say \"\"hi\"\"\"\n";

/* Writes a trace to a file of this name and returns the bytes, NUL-terminated. */
static char *written(const struct pt_trace *trace, const char *path, size_t *length)
{
    struct pt_error error = {0};
    cr_assert_eq(pt_trace_write(trace, path, &error), PT_OK, "%s", error.message);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    char *bytes = calloc(1, 1 << 20);
    *length = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    unlink(path);
    return bytes;
}

Test(write, is_read_back_byte_for_byte)
{
    struct reading *reading = read_string(everything, false);
    cr_assert_eq(reading->status, PT_OK, "%s", placed(&reading->error));
    size_t length = 0;
    const char *path = write_file("", 0);
    char *bytes = written(&reading->trace, path, &length);
    cr_assert_str_eq(bytes, everything);
    free(bytes);
    end_reading(reading);
}

Test(write, jobs_come_sorted_and_keep_their_names)
{
    struct reading *reading = read_string("submit_s,work_s\n5,1\n3,2\n", false);
    size_t length = 0;
    char *bytes = written(&reading->trace, write_file("", 0), &length);
    cr_assert_str_eq(bytes, "id,submit_s,work_s,gpus\n1,3,2,1\n0,5,1,1\n");
    free(bytes);
    end_reading(reading);
}

Test(write, a_trace_without_jobs_is_a_header)
{
    struct pt_trace trace = {0};
    size_t length = 0;
    char *bytes = written(&trace, write_file("", 0), &length);
    cr_assert_str_eq(bytes, "id,submit_s,work_s,gpus\n");
    free(bytes);
}

/* Enough rows to need the buffer more than once. */
Test(write, compresses_by_the_ending_of_the_name)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    enum { N = 20000 };
    struct pt_trace trace = {0};
    for (uint32_t i = 0; i < N; i++) {
        pt_job row = 0;
        cr_assert_eq(pt_trace_add(&trace, &row, NULL), PT_OK);
        cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_SUBMIT, i * INT64_C(1000000007), NULL),
                     PT_OK);
        cr_assert_eq(pt_trace_set_time(&trace, row, PT_COL_WORK, (i * 7919) % 10007, NULL), PT_OK);
    }
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", write_file("", 0), endings[i]);
        struct pt_error error = {0};
        cr_assert_eq(pt_trace_write(&trace, path, &error), PT_OK, "%s", error.message);
        struct stat info;
        cr_assert_eq(stat(path, &info), 0);
        struct reading *reading = read_path("native", path, false);
        cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
        cr_assert_eq(reading->trace.job_count, N);
        cr_assert_arr_eq(pt_trace_submit_ns(&reading->trace), pt_trace_submit_ns(&trace), N * 8);
        cr_assert_arr_eq(pt_trace_work_ns(&reading->trace), pt_trace_work_ns(&trace), N * 8);
        if (i > 0) cr_assert_lt((uint64_t)info.st_size, reading->report.bytes / 2);
        end_reading(reading);
        unlink(path);
        path[strlen(path) - strlen(endings[i])] = '\0';
        unlink(path);
    }
    pt_trace_fini(&trace);
}

Test(write, a_failure_leaves_the_old_file_alone)
{
    struct pt_trace trace = {0};
    struct pt_error error = {0};
    cr_assert_eq(pt_trace_write(&trace, "/nowhere/at/all.csv", &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "cannot be written: No such file or directory");
    cr_assert_eq(pt_trace_write(&trace, "/tmp", &error), PT_ERR_INPUT);
    if (access("/dev/full", W_OK) != 0) cr_skip_test("there is no /dev/full");
    cr_assert_eq(pt_trace_write(&trace, "/dev/full", &error), PT_ERR_IO);
    cr_assert_str_eq(error.message, "cannot be written: No space left on device");
    cr_assert_eq(access("/dev/full", W_OK), 0, "what is no regular file stays");
}
