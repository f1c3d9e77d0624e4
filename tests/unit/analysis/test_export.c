#include "analysis/export/export.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/analysis/world.h"

/* A result of two jobs, the first with a user that every format must quote. */
static struct pt_results_reader *a_result(bool jobs)
{
    struct world w;
    struct pt_results_writer *writer;
    struct pt_results_reader *reader;
    struct pt_summary *summary;
    struct pt_manifest manifest = {.effective_yaml = "a: \"b\"\n", .version = "1", .digest = "d"};
    char path[] = "export-XXXXXX";
    struct pt_results_options options = {.path = path, .jobs = jobs};
    close(mkstemp(path));
    world_init(&w);
    world_add(&w, 0.1, 3, 1);
    world_add(&w, 7, 1, 1);
    world_ready(&w);
    world_ran(&w, 0, PT_STATE_DONE, 0.1, 3.1, 3, 0);
    world_word(&w, PT_COL_USER, 0, "a,\"b\"\n\\\xff\xc3\xab");
    w.input.sim = NULL;
    cr_assert_eq(pt_results_open(&writer, &options, NULL), PT_OK);
    cr_assert_eq(pt_summary_create(&summary, &w.input, NULL), PT_OK);
    cr_assert_eq(pt_results_close(writer, &w.input, summary, &manifest, NULL), PT_OK);
    cr_assert_eq(pt_results_read(&reader, path, NULL), PT_OK);
    pt_summary_destroy(summary);
    world_fini(&w);
    unlink(path);
    return reader;
}

Test(export, csv_quotes_and_leaves_nulls_empty)
{
    struct pt_results_reader *reader = a_result(true);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pt_export_csv(out, reader, NULL), PT_OK);
    fclose(out);
    cr_assert_str_eq(
        text, "id,tenant,user,kind,priority,pool,node,gpus,state,reason,submit_ns,start_ns,end_ns,"
              "submit_s,start_s,end_s,jct_s,wait_s,queue_s,running_s,slowdown,sharing_increase,sla,"
              "sla_met,attempts,preemptions,cost,work_s\n"
              "0,default,\"a,\"\"b\"\"\n\\\xff\xc3\xab\",training,0,main,main-0,1,done,,100000000,"
              "100000000,3100000000,0.1,0.1,3.1,3,0,0,3,1,0,,,1,0,,3\n"
              "1,default,default,training,0,,,1,pending,,7000000000,,,7,,,,,,0,,,,,0,0,,1\n");
    free(text);
    pt_results_reader_free(reader);
}

Test(export, json_is_json_whatever_the_trace_held)
{
    struct pt_results_reader *reader = a_result(true);
    char *text;
    size_t size;
    json_error_t error;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pt_export_json(out, reader, NULL), PT_OK);
    fclose(out);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s", error.text);
    json_t *jobs = json_object_get(root, "jobs");
    cr_assert_eq(json_array_size(jobs), 2);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(jobs, 0), "user")),
                     "a,\"b\"\n\\\xef\xbf\xbd\xc3\xab");
    cr_assert_float_eq(json_number_value(json_object_get(json_array_get(jobs, 0), "end_s")), 3.1,
                       0);
    cr_assert(json_is_null(json_object_get(json_array_get(jobs, 1), "start_ns")));
    cr_assert_str_eq(json_string_value(json_object_get(root, "effective_yaml")), "a: \"b\"\n");
    json_t *all = json_array_get(json_object_get(root, "summary"), 0);
    cr_assert_eq(json_integer_value(json_object_get(all, "jobs")), 2);
    cr_assert(json_is_null(json_object_get(all, "sla_satisfaction")));
    json_decref(root);
    free(text);
    pt_results_reader_free(reader);
}

Test(export, without_a_job_table)
{
    struct pt_results_reader *reader = a_result(false);
    struct pt_error error;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pt_export_csv(out, reader, &error), PT_ERR_INPUT);
    cr_assert_eq(pt_export_json(out, reader, NULL), PT_OK);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_eq(json_array_size(json_object_get(root, "jobs")), 0);
    json_decref(root);
    free(text);
    pt_results_reader_free(reader);
}

Test(export, says_when_it_can_not_write)
{
    struct pt_results_reader *reader = a_result(true);
    struct pt_error error;
    FILE *out = fopen("/dev/full", "w");
    if (out == NULL) cr_skip_test("no /dev/full here");
    cr_assert_eq(pt_export_csv(out, reader, &error), PT_ERR_IO);
    cr_assert_eq(pt_export_json(out, reader, &error), PT_ERR_IO);
    fclose(out);
    pt_results_reader_free(reader);
}
