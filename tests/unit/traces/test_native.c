#include "reading.h"

static void expect_job(const struct reading *reading, pt_job job, const char *id, double submit_s,
                       double work_s, uint32_t gpus)
{
    char buffer[PT_ID_BUFFER];
    cr_expect_str_eq(pt_trace_id(&reading->trace, job, buffer), id);
    cr_expect_eq(pt_seconds(pt_trace_time(&reading->trace, PT_COL_SUBMIT, job)), submit_s);
    cr_expect_eq(pt_seconds(pt_trace_time(&reading->trace, PT_COL_WORK, job)), work_s);
    cr_expect_eq(pt_trace_u32(&reading->trace, PT_COL_GPUS, job), gpus);
}

/* The read fails with this message at this place. */
static void expect_failure(const char *text, const char *expected)
{
    struct reading *reading = read_string(text, false);
    cr_expect_eq(reading->status, PT_ERR_INPUT, "%s", text);
    cr_expect_str_eq(placed(&reading->error), expected);
    end_reading(reading);
}

Test(native, reads_columns_in_any_order)
{
    struct reading *reading = read_string("gpus,work_s,id,x_note,submit_s\n"
                                          "2,40,A,whatever,0\n"
                                          ",1.5e3,B,,0.25\n",
                                          false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    cr_assert_eq(reading->report.rows, 2);
    cr_assert_eq(reading->report.accepted, 2);
    cr_assert_eq(reading->report.bad_rows, 0);
    cr_assert_eq(reading->report.bytes, 64);
    expect_job(reading, 0, "A", 0, 40, 2);
    expect_job(reading, 1, "B", 0.25, 1500, 1);
    end_reading(reading);
}

Test(native, knows_every_column)
{
    struct reading *reading = read_string(
        "id,submit_s,work_s,gpus,gpu_frac,gpu_mem_gib,mig,gpu_type,pool,nodes_max,cpus,mem_gib,"
        "tenant,user,kind,priority,estimate_s,deadline_s,sla,profile,name,prompt_tokens,"
        "output_tokens,sm_util,membw_util,pcie_util,checkpoint_s,processes,distinct,preemptible,"
        "after,status\n"
        "a,1,2,3,0.5,1.5,1g.10gb,h100|a100,main,1,2.5,10,acme,ann,batch,high,50,60,gold,bert,"
        "train,7,8,0.1,0.2,0.3,inf,2,true,false,b,Pass\n"
        "b,0,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n",
        false);
    const struct pt_trace *trace = &reading->trace;
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    pt_job b = 0, a = 1;
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPUS, a), 3);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPU_FRAC, a), 500000);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPU_MEM, a), 1536);
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_MIG, a), "1g.10gb");
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_GPU_TYPE, a), "h100|a100");
    cr_assert_eq(pt_trace_u32(trace, PT_COL_CPUS, a), 2500);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_MEM, a), 10240);
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_TENANT, a), "acme");
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_KIND, a), "batch");
    cr_assert_eq(pt_trace_time(trace, PT_COL_ESTIMATE, a), 50 * PT_NS_PER_S);
    cr_assert_eq(pt_trace_time(trace, PT_COL_CHECKPOINT, a), PT_NEVER);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_SM_UTIL, a), 100000);
    cr_assert_eq(pt_trace_bool(trace, PT_COL_DISTINCT, a), 1);
    cr_assert_eq(pt_trace_bool(trace, PT_COL_PREEMPTIBLE, a), 0);
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_STATUS, a), "Pass");
    cr_assert_eq(trace->predecessor_count[a], 1);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPUS, b), 1);
    cr_assert_str_eq(pt_trace_word(trace, PT_COL_TENANT, b), "default");
    cr_assert_eq(pt_trace_bool(trace, PT_COL_PREEMPTIBLE, b), 1);
    end_reading(reading);
}

Test(native, takes_crlf_bom_quotes_blank_lines_and_a_missing_last_end)
{
    struct reading *reading = read_string("\xef\xbb\xbfid,submit_s,work_s,name\r\n"
                                          "\r\n"
                                          "\"a,b\",0,\"40\",\"say \"\"hi\"\"\"\r\n"
                                          "\n"
                                          "c,1,2,\"\"\r\n"
                                          "d,2,3,",
                                          false);
    cr_assert_eq(reading->status, PT_OK, "%s", placed(&reading->error));
    cr_assert_eq(reading->trace.job_count, 3);
    expect_job(reading, 0, "a,b", 0, 40, 1);
    cr_assert_str_eq(pt_trace_word(&reading->trace, PT_COL_NAME, 0), "say \"hi\"");
    cr_assert_null(pt_trace_word(&reading->trace, PT_COL_NAME, 1));
    expect_job(reading, 2, "d", 2, 3, 1);
    cr_assert_eq(pt_trace_line(&reading->trace, 0), 3);
    cr_assert_eq(pt_trace_line(&reading->trace, 1), 5);
    cr_assert_eq(pt_trace_line(&reading->trace, 2), 6);
    end_reading(reading);
}

Test(native, takes_a_header_alone)
{
    struct reading *reading = read_string("submit_s,work_s", false);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_eq(reading->trace.job_count, 0);
    end_reading(reading);
}

Test(native, refuses_wrong_headers)
{
    expect_failure("", "1:0: is empty: it has no header");
    expect_failure("\n\r\n", "1:0: is empty: it has no header");
    expect_failure("id,subm,work_s\n",
                   "1:4: unknown column 'subm' (a column to be ignored begins with x_)");
    expect_failure("id,submit_s,wrok_s\n",
                   "1:13: unknown column 'wrok_s' (did you mean 'work_s'?)");
    expect_failure("id;submit_s;work_s\n1;2;3\n",
                   "1:1: unknown column 'id;submit_s;work_s' (columns are separated by commas)");
    expect_failure("submit_s,work_s,submit_s\n", "1:17: column named twice: 'submit_s'");
    expect_failure("id,work_s\n", "1:0: the header lacks the column 'submit_s'");
    expect_failure("id,submit_s\n", "1:0: the header lacks the column 'work_s'");
    expect_failure("submit_s,work_s,\n",
                   "1:17: unknown column '' (a column to be ignored begins with x_)");
    expect_failure("submit_s,\"work_s\"x\n", "1:10: the quotes of this cell don't match");
}

Test(native, names_the_place_of_a_bad_cell)
{
    expect_failure("id,submit_s,work_s\nA,0,1\nB,1,x\n", "3:5: work_s is not a number: 'x'");
    expect_failure("id,submit_s,work_s\nA,0,1\nB,1,\n", "3:5: work_s is missing");
    expect_failure("id,submit_s,work_s\nA,,1\n", "2:3: submit_s is missing");
    expect_failure("submit_s,work_s\n9e9,9e9\n", "2:5: submit_s + work_s is longer than 292 years");
    expect_failure("submit_s,work_s\n1\n", "2:1: the row has 1 cell, the header 2");
    expect_failure("submit_s,work_s\n1,2,3\n", "2:1: the row has 3 cells, the header 2");
    expect_failure("submit_s,work_s\n\"1\n\",2\n", "2:1: submit_s is not a number: '1?'");
    expect_failure("name,submit_s,work_s\n\"a\n",
                   "2:0: a quote opened in this line is never closed");
    expect_failure("submit_s,work_s\n1,2\"\n",
                   "2:3: a quote inside a cell that doesn't begin with one");
    expect_failure("submit_s,work_s\n1,\"2\"3\n", "2:3: the quotes of this cell don't match");
    expect_failure("submit_s,work_s\n1, 2\n", "2:3: work_s is not a number: ' 2'");
}

Test(native, counts_columns_behind_a_line_end_in_quotes)
{
    /* A control character is refused in a text, so the cell stands in a column to be ignored. */
    expect_failure("x_note,submit_s,work_s\n\"two\nlines \"\"quoted\"\"\",0,oops\n",
                   "3:21: work_s is not a number: 'oops'");
}

/* S-55: end before start, equal, missing, an exponent, a clock. */
Test(native, takes_two_of_five_odd_times)
{
    struct reading *reading = read_string("id,submit_s,work_s\n"
                                          "a,0,-1\n"
                                          "b,0,0\n"
                                          "c,0,\n"
                                          "d,0,1.5e3\n"
                                          "e,0,12:30\n",
                                          true);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_eq(reading->report.rows, 5);
    cr_assert_eq(reading->report.accepted, 2);
    cr_assert_eq(reading->report.bad_rows, 3);
    expect_job(reading, 0, "b", 0, 0, 1);
    expect_job(reading, 1, "d", 0, 1500, 1);
    cr_assert_eq(reading->bad_count, 3);
    cr_assert_str_eq(placed(&reading->bad[0]), "2:5: work_s is negative: '-1'");
    cr_assert_str_eq(placed(&reading->bad[1]), "4:5: work_s is missing");
    cr_assert_str_eq(placed(&reading->bad[2]), "6:5: work_s is not a number: '12:30'");
    cr_assert_str_eq(reading->bad[2].file, "t.csv");
    end_reading(reading);
}

Test(native, stops_at_the_first_bad_row_unless_asked_to_skip)
{
    struct reading *reading = read_string("submit_s,work_s\n0,1\n0,-1\n0,x\n", false);
    cr_assert_eq(reading->status, PT_ERR_INPUT);
    cr_assert_eq(reading->bad_count, 1);
    cr_assert_eq(reading->report.rows, 2);
    cr_assert_eq(reading->trace.job_count, 1);
    cr_assert_str_eq(placed(&reading->error), "3:3: work_s is negative: '-1'");
    end_reading(reading);
}

/* S-11. An empty cell is how CSV writes "absent", so it takes the default: a whole GPU. */
Test(native, refuses_odd_fractions)
{
    struct reading *reading = read_string("id,submit_s,work_s,gpu_frac\n"
                                          "g1,0,1,0.5\n"
                                          "b1,0,1,NaN\n"
                                          "b2,0,1,-0.5\n"
                                          "g2,0,1,1\n"
                                          "b3,0,1,1e-400\n"
                                          "b4,0,1,1.5\n"
                                          "g3,0,1,0.000001\n"
                                          "b5,0,1,\"0,5\"\n"
                                          "b6,0,1,0,5\n"
                                          "g4,0,1,2.5e-1\n"
                                          "g5,0,1,\n",
                                          true);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_eq(reading->report.accepted, 5);
    static const char *const expected[] = {
        "3:8: gpu_frac is not a number: 'NaN'",
        "4:8: gpu_frac is negative: '-0.5'",
        "6:8: gpu_frac is finer than a millionth: '1e-400'",
        "7:8: gpu_frac is above 1: '1.5'",
        "9:8: gpu_frac is not a number: '0,5'",
        "10:1: the row has 5 cells, the header 4",
    };
    cr_assert_eq(reading->bad_count, 6);
    for (size_t i = 0; i < 6; i++)
        cr_expect_str_eq(placed(&reading->bad[i]), expected[i]);
    cr_assert_eq(pt_trace_u32(&reading->trace, PT_COL_GPU_FRAC, 3), 250000);
    cr_assert_eq(pt_trace_u32(&reading->trace, PT_COL_GPU_FRAC, 4), PT_NONE);
    end_reading(reading);
}

Test(native, refuses_odd_numbers_on_the_fast_and_the_slow_path)
{
    static const char *const odd[] = {"NaN", "nan", "inf", "1e400", "-1",    "0x1p3",        "1_0",
                                      "1 ",  "--1", ".",   "1..2",  "1.2.3", "9999999999999"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[96];
        for (int quoted = 0; quoted < 2; quoted++) {
            snprintf(text, sizeof text, "submit_s,work_s\n0,%s%s%s\n", quoted ? "\"" : "", odd[i],
                     quoted ? "\"" : "");
            struct reading *reading = read_string(text, true);
            cr_expect_eq(reading->report.bad_rows, 1, "%s", text);
            cr_expect_eq(reading->bad[0].line, 2);
            cr_expect_eq(reading->bad[0].column, 3);
            end_reading(reading);
        }
    }
}

/* Digits are taken eight at a time: every length, at every distance from the end of the file. */
Test(native, reads_runs_of_digits_of_every_length)
{
    for (int whole = 1; whole <= 10; whole++)
        for (int decimals = 0; decimals <= 9; decimals++) {
            char text[192], number[32], id[16];
            int64_t expected = 0;
            snprintf(number, sizeof number, "%.*s%s%.*s", whole, "1234567890",
                     decimals > 0 ? "." : "", decimals, "987654321");
            snprintf(id, sizeof id, "%.*s", whole, "1234567890");
            cr_assert_eq(pt_parse_seconds(&expected, number, strlen(number), NULL), PT_OK);
            snprintf(text, sizeof text, "id,submit_s,work_s\r\n%s,%s,%s\r\n%s9,0,%s", id, number,
                     number, id, number);
            struct reading *reading = read_string(text, false);
            cr_assert_eq(reading->status, PT_OK, "%s: %s", text, reading->error.message);
            cr_expect_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, 1), expected, "%s", text);
            cr_expect_eq(pt_trace_time(&reading->trace, PT_COL_WORK, 0), expected, "%s", text);
            cr_expect_eq(pt_trace_time(&reading->trace, PT_COL_WORK, 1), expected, "%s", text);
            char buffer[PT_ID_BUFFER];
            cr_expect_str_eq(pt_trace_id(&reading->trace, 1, buffer), id);
            end_reading(reading);
        }
}

Test(native, what_follows_a_number_belongs_to_its_cell)
{
    expect_failure("gpus,submit_s,work_s\n1x,0,1\n", "2:1: gpus is not a number: '1x'");
    expect_failure("submit_s,work_s,gpus\n0,1,2 \n", "2:5: gpus is not a number: '2 '");
    expect_failure("submit_s,work_s\n0,1.5s\n", "2:3: work_s is not a number: '1.5s'");
    expect_failure("submit_s,work_s\n0,1\r2\n", "2:3: work_s is not a number: '1?2'");
    expect_failure("submit_s,work_s\n9223372036,0\n9223372037,0\n",
                   "3:1: submit_s is longer than 292 years: '9223372037'");
    struct reading *reading = read_string("id,submit_s,work_s\n0x,0,1\n1 ,0,1\n02,0,1\n", false);
    cr_assert_eq(reading->status, PT_OK);
    expect_job(reading, 0, "0x", 0, 1, 1);
    expect_job(reading, 1, "1 ", 0, 1, 1);
    expect_job(reading, 2, "02", 0, 1, 1);
    end_reading(reading);
}

Test(native, numbers_jobs_by_the_rows_of_the_file)
{
    struct reading *reading = read_string("submit_s,work_s\n0,1\n0,-1\n0,2\n", true);
    char buffer[PT_ID_BUFFER];
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_str_eq(pt_trace_id(&reading->trace, 0, buffer), "0");
    cr_assert_str_eq(pt_trace_id(&reading->trace, 1, buffer), "2");
    end_reading(reading);
}

Test(native, ids_equal_to_row_numbers_take_no_memory)
{
    struct reading *reading = read_string("id,submit_s,work_s,gpus\n0,0,1,1\n1,0,2,1\n", false);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_null(reading->trace.column[PT_COL_ID]);
    cr_assert_null(reading->trace.column[PT_COL_GPUS]);
    end_reading(reading);
    reading = read_string("id,submit_s,work_s\n1,0,1\n0,0,2\n2,0,2\n", false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    expect_job(reading, 0, "1", 0, 1, 1);
    expect_job(reading, 1, "0", 0, 2, 1);
    expect_job(reading, 2, "2", 0, 2, 1);
    end_reading(reading);
}

Test(native, duplicates_and_circles_name_their_line)
{
    expect_failure("id,submit_s,work_s\nA,5,1\n\nB,0,1\nA,1,1\n",
                   "5:0: id is not unique: 'A' (also in line 2)");
    expect_failure("id,submit_s,work_s,after\nA,0,1,B\nB,0,1,Z\n",
                   "3:0: after names 'Z', and there is no such job");
}

Test(native, rows_may_come_unsorted)
{
    struct reading *reading = read_string("submit_s,work_s\n5,1\n3,2\n5,3\n", false);
    cr_assert_eq(reading->status, PT_OK);
    cr_assert_not(reading->trace.was_sorted);
    expect_job(reading, 0, "1", 3, 2, 1);
    expect_job(reading, 1, "0", 5, 1, 1);
    expect_job(reading, 2, "2", 5, 3, 1);
    end_reading(reading);
}

Test(native, stops_at_the_limit)
{
    struct reading reading = {0};
    struct pt_read_request request = request_for(&reading, true);
    request.limit = 2;
    const char *text = "submit_s,work_s\n0,1\n0,-1\n0,2\nnonsense behind the limit\n";
    cr_assert_eq(pt__native_read_memory(&reading.trace, &reading.report, &request, "t.csv", text,
                                        strlen(text), &reading.error),
                 PT_OK);
    cr_assert_eq(reading.report.accepted, 2);
    cr_assert_eq(reading.report.bad_rows, 1);
    pt_trace_fini(&reading.trace);
}

Test(native, refuses_what_is_no_text)
{
    static const char binary[] = "submit_s,work_s\n0,1\n0,\0001\n";
    struct reading *reading = read_text(binary, sizeof binary - 1, true);
    cr_assert_eq(reading->status, PT_ERR_INPUT, "not even with skip");
    cr_assert_str_eq(placed(&reading->error), "3:0: is no text file: it holds a NUL byte");
    end_reading(reading);
}

Test(native, a_line_of_100_mb_is_refused_at_once)
{
    size_t length = 100u << 20;
    char *text = malloc(length);
    memset(text, '7', length);
    memcpy(text, "submit_s,work_s\n0,1\n", 20);
    struct reading *reading = read_text(text, length, true);
    cr_assert_eq(reading->status, PT_ERR_INPUT);
    cr_assert_str_eq(placed(&reading->error), "3:0: the line is longer than 16 MiB, or a quote in "
                                              "it is never closed");
    cr_assert_lt(reading->report.bytes, 17u << 20, "the rest is not even read");
    end_reading(reading);
    free(text);
}

Test(native, rows_across_chunks_are_whole)
{
    /* Some 3 MB, with rows of many lengths, so that every kind of cut happens. */
    enum { N = 100000 };
    char *text = malloc(64 * N + 64), *p = text;
    p += sprintf(p, "submit_s,work_s,name\n");
    for (int i = 0; i < N; i++)
        p += sprintf(p, "%d,%d.%d,%.*s%s\n", i, i % 977, i % 10, i % 17, "abcdefghijklmnopq",
                     i % 7 == 0 ? "" : "x");
    struct reading *reading = read_text(text, (size_t)(p - text), false);
    cr_assert_eq(reading->status, PT_OK, "%s", placed(&reading->error));
    cr_assert_eq(reading->trace.job_count, N);
    for (pt_job job = 0; job < N; job++) {
        cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_SUBMIT, job), job * PT_NS_PER_S);
        cr_assert_eq(pt_trace_time(&reading->trace, PT_COL_WORK, job),
                     (job % 977) * PT_NS_PER_S + (job % 10) * 100000000);
    }
    cr_assert_eq(reading->report.bytes, (uint64_t)(p - text));
    end_reading(reading);
    free(text);
}

Test(native, refuses_too_many_columns)
{
    static char text[8192] = "submit_s,work_s";
    size_t length = strlen(text);
    for (int i = 0; i < 1100; i++)
        length += (size_t)sprintf(text + length, ",x_%d", i % 10);
    expect_failure(text, "1:0: the header has 1102 columns; more than 1024");
}
