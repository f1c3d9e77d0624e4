#include "analysis/results/results.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif
#endif

#include "tests/unit/analysis/world.h"

static char folder[16];

static void enter_folder(void)
{
    strcpy(folder, "results-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave_folder(void)
{
    char command[128];
    cr_assert_eq(chdir(".."), 0);
    snprintf(command, sizeof(command), "chmod -R u+w %s; rm -r %s", folder, folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(results, .init = enter_folder, .fini = leave_folder);

/* HDF5 1.10 forgets memory of its own where a write fails or a file is damaged: this process is
 * not searched for leaks. */
static void expect_leaks_of_hdf5(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    __lsan_disable();
#endif
#endif
}

/* Two jobs that ran, one that can't, with a tenant, tier, deadline and user of their own. */
static void three_jobs(struct world *w)
{
    static struct pt_sla_bounds tier;
    static const uint32_t of_sla_word[] = {0};
    world_init(w);
    world_add(w, 0, 10, 1);
    world_add(w, 5.5, 20, 2);
    world_add(w, 6, 1, 99);
    world_ready(w);
    world_ran(w, 0, PT_STATE_DONE, 0, 10, 10, 0);
    world_ran(w, 1, PT_STATE_DONE, 10, 40, 25, 3);
    w->outcomes->preemptions[1] = 2;
    w->outcomes->state[2] = PT_STATE_UNSCHEDULABLE;
    w->outcomes->reason[2] = PT_REASON_TOO_MANY_GPUS;
    world_word(w, PT_COL_USER, 0, "zo\xc3\xab");
    world_word(w, PT_COL_SLA, 1, "gold");
    w->trace.column[PT_COL_DEADLINE] = w->deadline_ns;
    w->deadline_ns[0] = 12 * S;
    tier = world_tier("gold");
    tier.max_slowdown = 1.2;
    w->input.tiers = &tier;
    w->input.tier_count = 1;
    w->input.tier_of_sla_word = of_sla_word;
    w->sim.stats.window_to_ns = 40 * S;
}

static struct pt_manifest manifest(void)
{
    static const char *const paths[] = {"traces/a.csv"}, *const digests[] = {"xxh3-128:77"};
    static const char *const assumptions[] = {"interference: none (textbook equal shares)"};
    return (struct pt_manifest){.effective_yaml = "partita: 1\nseed: 42\n",
                                .seed = UINT64_MAX,
                                .version = "0.1.0",
                                .digest = "xxh3-128:0123",
                                .input_count = 1,
                                .input_paths = paths,
                                .input_digests = digests,
                                .assumption_count = 1,
                                .assumptions = assumptions,
                                .directory = "/somewhere",
                                .command_line = "partita run x.yaml",
                                .machine = "m",
                                .wall_s = 1.5};
}

static const struct pt_event some_events[] = {
    {.time_ns = 0, .job = 0, .gpu = PT_NONE, .kind = PT_EVENT_SUBMIT},
    {.time_ns = 0, .job = 0, .gpu = 0, .count = 1, .kind = PT_EVENT_START},
    {.time_ns = 10 * S, .job = 0, .gpu = 0, .count = 1, .kind = PT_EVENT_DONE},
    {.time_ns = 10 * S, .job = 1, .gpu = 2, .count = 2, .kind = PT_EVENT_START},
    {.time_ns = 10 * S, .job = 1, .gpu = 3, .kind = PT_EVENT_UNIT},
    {.time_ns = 20 * S, .job = PT_NONE, .gpu = 0, .kind = PT_EVENT_NODE_DOWN},
    {.time_ns = 40 * S, .job = 1, .gpu = 2, .count = 2, .kind = PT_EVENT_HORIZON}};

static enum pt_status write_compressed(struct world *w, const char *path,
                                       const struct pt_manifest *m, int compression,
                                       struct pt_error *error)
{
    struct pt_results_options options = {.path = path,
                                         .cluster = &w->cluster,
                                         .jobs = true,
                                         .events = true,
                                         .series = true,
                                         .compression = compression};
    struct pt_results_writer *writer = NULL;
    struct pt_summary *summary = NULL;
    double values[] = {0.5, 0.25, 1};
    struct pt_series_row row = {
        .queue_length = 1, .utilization = values, .allocation = values, .fragmentation = values};
    enum pt_status status = pt_results_open(&writer, &options, error);
    if (status != PT_OK) return status;
    cr_assert_eq(pt_summary_create(&summary, &w->input, error), PT_OK);
    status = pt_results_on_events(writer, some_events, 7, error);
    for (int i = 0; status == PT_OK && i < 3; i++) {
        row.time_ns = i * 10 * S;
        status = pt_results_on_series(writer, &row, error);
    }
    if (status == PT_OK) {
        status = pt_results_close(writer, &w->input, summary, m, error);
    } else {
        pt_results_abandon(writer);
    }
    pt_summary_destroy(summary);
    return status;
}

static enum pt_status write_result(struct world *w, const char *path, const struct pt_manifest *m,
                                   struct pt_error *error)
{
    return write_compressed(w, path, m, 0, error);
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static int files_here(void)
{
    int count = 0;
    FILE *list = popen("ls -A | wc -l", "r");
    cr_assert_eq(fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

static struct pt_cell cell(struct pt_results_reader *r, uint64_t row, const char *name)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(r, &fields);
    struct pt_cell found;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) != 0) continue;
        cr_assert_eq(pt_results_job_cell(r, row, i, &found, NULL), PT_OK);
        return found;
    }
    cr_assert_fail("no column %s", name);
    return (struct pt_cell){0};
}

Test(results, are_read_back_as_they_were)
{
    struct world w;
    struct pt_error error = {0};
    struct pt_results_reader *r;
    three_jobs(&w);
    struct pt_manifest m = manifest();
    m.host = true;
    cr_assert_eq(write_result(&w, "out.h5", &m, &error), PT_OK, "%s", error.message);
    cr_assert_eq(files_here(), 1);
    cr_assert_eq(pt_results_read(&r, "out.h5", &error), PT_OK, "%s", error.message);
    cr_assert_eq(pt_results_job_count(r), 3);
    cr_assert_str_eq(cell(r, 1, "id").text, "1");
    cr_assert_str_eq(cell(r, 0, "user").text, "zo\xc3\xab");
    cr_assert_str_eq(cell(r, 1, "user").text, "default");
    cr_assert_str_eq(cell(r, 1, "kind").text, "training");
    cr_assert_str_eq(cell(r, 1, "node").text, "slice-1");
    cr_assert_str_eq(cell(r, 0, "pool").text, "main");
    cr_assert_eq(cell(r, 2, "gpus").integer, 99);
    cr_assert_str_eq(cell(r, 2, "state").text, "unschedulable");
    cr_assert_str_eq(cell(r, 2, "reason").text, pt_reason_text(PT_REASON_TOO_MANY_GPUS));
    cr_assert(cell(r, 0, "reason").absent);
    cr_assert_eq(cell(r, 1, "submit_ns").integer, 5500000000);
    cr_assert_float_eq(cell(r, 1, "submit_s").number, 5.5, 0);
    cr_assert_float_eq(cell(r, 1, "jct_s").number, 34.5, 0);
    cr_assert_float_eq(cell(r, 1, "queue_s").number, 9.5, 0);
    cr_assert_float_eq(cell(r, 1, "slowdown").number, 34.5 / 20, 0);
    cr_assert_float_eq(cell(r, 1, "sharing_increase").number, 0.25, 0);
    cr_assert_float_eq(cell(r, 1, "work_s").number, 20, 0);
    cr_assert_eq(cell(r, 1, "preemptions").integer, 2);
    cr_assert_eq(cell(r, 0, "sla_met").integer, 1);
    cr_assert_eq(cell(r, 1, "sla_met").integer, 0);
    cr_assert_str_eq(cell(r, 1, "sla").text, "gold");
    cr_assert(cell(r, 2, "sla_met").absent);
    cr_assert(cell(r, 2, "start_ns").absent);
    cr_assert(cell(r, 2, "jct_s").absent);
    cr_assert(cell(r, 1, "deadline_s").absent);
    cr_assert_float_eq(cell(r, 0, "deadline_s").number, 12, 0);
    cr_assert_str_eq(pt_results_manifest_text(r, "effective_yaml"), "partita: 1\nseed: 42\n");
    cr_assert_str_eq(pt_results_manifest_text(r, "digest"), "xxh3-128:0123");
    cr_assert_str_eq(pt_results_manifest_text(r, "seed"), "18446744073709551615");
    cr_assert_str_eq(pt_results_manifest_text(r, "host/directory"), "/somewhere");
    cr_assert_str_eq(pt_results_manifest_text(r, "host/command_line"), "partita run x.yaml");
    cr_assert_null(pt_results_manifest_text(r, "nothing"));
    cr_assert_str_eq(pt_results_input_digest(r, "traces/a.csv"), "xxh3-128:77");
    cr_assert_str_eq(pt_results_input_digest(r, "traces/a.csv"), "xxh3-128:77", "asked twice");
    cr_assert_null(pt_results_input_digest(r, "traces/a.csv.gz"));
    pt_results_reader_free(r);
    world_fini(&w);
}

Test(results, keep_the_summary_whole)
{
    struct world w;
    struct pt_error error = {0};
    struct pt_results_reader *r;
    struct pt_summary *written;
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "out.h5", &m, &error), PT_OK, "%s", error.message);
    cr_assert_eq(pt_summary_create(&written, &w.input, NULL), PT_OK);
    cr_assert_eq(pt_results_read(&r, "out.h5", &error), PT_OK, "%s", error.message);
    const struct pt_summary *read = pt_results_summary(r);
    cr_assert_eq(read->group_count, written->group_count);
    for (uint32_t g = 0; g < read->group_count; g++) {
        const struct pt_metric_group *a = &written->groups[g], *b = &read->groups[g];
        cr_assert_str_eq(b->dimension, a->dimension);
        cr_assert_str_eq(b->label, a->label);
        cr_assert_eq(b->count, a->count);
        for (uint32_t i = 0; i < a->count; i++) {
            cr_assert_str_eq(b->metrics[i].name, a->metrics[i].name);
            cr_assert_str_eq(b->metrics[i].unit, a->metrics[i].unit);
            cr_assert_eq(b->metrics[i].count, a->metrics[i].count);
            cr_assert_eq(b->metrics[i].is_count, a->metrics[i].is_count);
            cr_assert(b->metrics[i].value == a->metrics[i].value ||
                      (isnan(b->metrics[i].value) && isnan(a->metrics[i].value)));
        }
    }
    cr_assert_null(pt_results_manifest_text(r, "host/directory"));
    pt_results_reader_free(r);
    pt_summary_destroy(written);
    world_fini(&w);
}

Test(results, of_the_same_inputs_are_the_same_bytes)
{
    struct world w;
    size_t size[2] = {0};
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "a.h5", &m, NULL), PT_OK);
    char *dirty = malloc(1 << 20); /* neither what memory held nor the time of day may matter */
    cr_assert(dirty);
    memset(dirty, 0xa5, 1 << 20);
    free(dirty);
    sleep(1); /* HDF5 counts in seconds */
    cr_assert_eq(write_result(&w, "b.h5", &m, NULL), PT_OK);
    char *a = contents("a.h5", &size[0]), *b = contents("b.h5", &size[1]);
    cr_assert_eq(size[0], size[1]);
    cr_assert_eq(memcmp(a, b, size[0]), 0);
    m.seed = 1;
    cr_assert_eq(write_result(&w, "b.h5", &m, NULL), PT_OK);
    free(b);
    b = contents("b.h5", &size[1]);
    cr_assert(size[0] != size[1] || memcmp(a, b, size[0]) != 0);
    free(a);
    free(b);
    world_fini(&w);
}

Test(results, compressed_ones_say_the_same)
{
    struct world w;
    struct pt_error error = {0};
    struct pt_results_reader *plain, *compressed;
    const struct pt_field *fields;
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "a.h5", &m, &error), PT_OK, "%s", error.message);
    cr_assert_eq(write_compressed(&w, "b.h5", &m, 1, &error), PT_OK, "%s", error.message);
    cr_assert_eq(pt_results_read(&plain, "a.h5", &error), PT_OK);
    cr_assert_eq(pt_results_read(&compressed, "b.h5", &error), PT_OK, "%s", error.message);
    uint32_t count = pt_results_job_fields(plain, &fields);
    cr_assert_eq(pt_results_job_count(compressed), 3);
    for (uint64_t row = 0; row < 3; row++) {
        for (uint32_t field = 0; field < count; field++) {
            struct pt_cell a, b;
            cr_assert_eq(pt_results_job_cell(plain, row, field, &a, NULL), PT_OK);
            cr_assert_eq(pt_results_job_cell(compressed, row, field, &b, NULL), PT_OK);
            cr_assert_eq(a.absent, b.absent);
            cr_assert_eq(a.integer, b.integer);
            cr_assert(a.number == b.number || a.absent);
            cr_assert_str_eq(a.text, b.text);
        }
    }
    pt_results_reader_free(plain);
    pt_results_reader_free(compressed);
    world_fini(&w);
}

/* What a trace may say of a job, in each of the column types. */
Test(results, keep_what_else_the_trace_gave)
{
    static uint32_t frac[] = {PT_NONE, 250000}, mem[] = {1536, PT_NONE}, cpus[] = {2500, 0};
    static uint32_t nodes[] = {PT_NONE, 2}, priority[] = {0, PT_NONE}, tenant[] = {PT_NONE, 0};
    static uint8_t distinct[] = {0, PT_BOOL_ABSENT};
    static int64_t checkpoint[] = {PT_NEVER, PT_TIME_ABSENT};
    static const int64_t of_tenant[] = {7, 70}, of_word[] = {1000};
    static const uint32_t tenant_of_word[] = {1};
    static const char *const names[] = {"default", "acme"};
    static char high[] = "high", acme[] = "acme", *words[] = {high}, *tenants[] = {acme};
    struct world w;
    struct pt_results_reader *r;
    world_init(&w);
    world_add(&w, 0, 1, 1);
    world_add(&w, 0, 1, 1);
    world_ready(&w);
    w.trace.column[PT_COL_GPU_FRAC] = frac;
    w.trace.column[PT_COL_MEM] = mem;
    w.trace.column[PT_COL_CPUS] = cpus;
    w.trace.column[PT_COL_NODES_MAX] = nodes;
    w.trace.column[PT_COL_DISTINCT] = distinct;
    w.trace.column[PT_COL_CHECKPOINT] = checkpoint;
    w.trace.column[PT_COL_PRIORITY] = priority;
    w.trace.column[PT_COL_TENANT] = tenant;
    w.trace.words[PT_COL_PRIORITY] = (struct pt_words){.count = 1, .words = words};
    w.trace.words[PT_COL_TENANT] = (struct pt_words){.count = 1, .words = tenants};
    w.input.priority_of_word = of_word;
    w.input.priority_of_tenant = of_tenant;
    w.input.tenant_of_word = tenant_of_word;
    w.input.tenant_names = names;
    w.input.tenant_count = 2;
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    cr_assert_eq(pt_results_read(&r, "out.h5", NULL), PT_OK);
    cr_assert(cell(r, 0, "gpu_frac").absent);
    cr_assert_float_eq(cell(r, 1, "gpu_frac").number, 0.25, 0);
    cr_assert_float_eq(cell(r, 0, "mem_gib").number, 1.5, 0);
    cr_assert(cell(r, 1, "mem_gib").absent);
    cr_assert_float_eq(cell(r, 0, "cpus").number, 2.5, 0);
    cr_assert(cell(r, 0, "nodes_max").absent);
    cr_assert_eq(cell(r, 1, "nodes_max").integer, 2);
    cr_assert_eq(cell(r, 0, "distinct").integer, 0);
    cr_assert(cell(r, 1, "distinct").absent);
    cr_assert(isinf(cell(r, 0, "checkpoint_s").number));
    cr_assert(cell(r, 1, "checkpoint_s").absent);
    cr_assert_eq(cell(r, 0, "priority").integer, 1000);
    cr_assert_eq(cell(r, 1, "priority").integer, 70);
    cr_assert_str_eq(cell(r, 0, "tenant").text, "default");
    cr_assert_str_eq(cell(r, 1, "tenant").text, "acme");
    pt_results_reader_free(r);
    w.trace.words[PT_COL_PRIORITY] = w.trace.words[PT_COL_TENANT] = (struct pt_words){0};
    world_fini(&w);
}

Test(results, of_no_jobs)
{
    struct world w;
    struct pt_results_reader *r;
    world_init(&w);
    world_ready(&w);
    struct pt_manifest m = {.effective_yaml = ""};
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    cr_assert_eq(pt_results_read(&r, "out.h5", NULL), PT_OK);
    cr_assert_eq(pt_results_job_count(r), 0);
    pt_results_reader_free(r);
    world_fini(&w);
}

Test(results, partial_ones_have_their_own_name)
{
    struct world w;
    char name[32];
    struct stat info;
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    size_t size[2] = {0};
    char *before = contents("out.h5", &size[0]);
    m.partial = true;
    m.seed = 3;
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    char *after = contents("out.h5", &size[1]);
    cr_assert(size[0] == size[1] && memcmp(before, after, size[0]) == 0);
    cr_assert_eq(stat("out.partial.h5", &info), 0);
    free(before);
    free(after);
    pt_results_partial_path(name, sizeof(name), "odd");
    cr_assert_str_eq(name, "odd.partial.h5");
    pt_results_partial_path(name, 5, "odd");
    cr_assert_str_eq(name, "odd.");
    world_fini(&w);
}

static enum pt_status open_only(const char *path, struct pt_error *error)
{
    struct pt_results_options options = {.path = path, .jobs = true};
    struct pt_results_writer *writer = NULL;
    enum pt_status status = pt_results_open(&writer, &options, error);
    if (status == PT_OK) pt_results_abandon(writer);
    return status;
}

Test(results, unwritable_places_are_refused_before_the_run)
{
    struct pt_error error = {0};
    char long_name[400];
    memset(long_name, 'x', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = '\0';
    const char *const places[] = {"",          "missing/out.h5", ".",
                                  "/dev/null", "/proc/out.h5",   long_name,
                                  "file/x.h5", "dangling.h5",    "missing/"};
    cr_assert_eq(system("touch file; ln -s nowhere dangling.h5"), 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        cr_expect_eq(open_only(places[i], &error), PT_ERR_INPUT, "'%s' was taken", places[i]);
    }
    if (geteuid() != 0) {
        cr_assert_eq(system("mkdir closed; chmod a-w closed; chmod a-w file"), 0);
        cr_expect_eq(open_only("closed/out.h5", &error), PT_ERR_INPUT);
        cr_expect_eq(open_only("file", &error), PT_ERR_INPUT);
    }
    cr_assert_eq(open_only("fine.h5", &error), PT_OK);
    cr_assert_eq(system("test ! -e fine.h5"), 0);
}

Test(results, go_through_symbolic_links)
{
    struct world w;
    struct stat info;
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(system("mkdir there; touch there/out.h5; ln -s there/out.h5 link.h5"), 0);
    cr_assert_eq(write_result(&w, "link.h5", &m, NULL), PT_OK);
    cr_assert_eq(lstat("link.h5", &info), 0);
    cr_assert(S_ISLNK(info.st_mode));
    cr_assert_eq(stat("there/out.h5", &info), 0);
    cr_assert_gt(info.st_size, 1000);
    world_fini(&w);
}

/* A disk that fills up after so many bytes: every write may be the one that fails. */
Test(results, a_full_disk_leaves_the_old_result_and_nothing_else, .timeout = 60)
{
    struct world w;
    struct pt_error error = {0};
    size_t size[2] = {0};
    expect_leaks_of_hdf5();
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    char *before = contents("out.h5", &size[0]);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t room = 0; room < size[0]; room += size[0] / 23) {
        struct rlimit limit = {room, RLIM_INFINITY};
        m.seed = room;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        enum pt_status status = write_result(&w, "out.h5", &m, &error);
        limit.rlim_cur = RLIM_INFINITY;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        cr_assert_eq(status, PT_ERR_IO, "%zu bytes of room: %d", room, status);
        cr_assert(strstr(error.message, "File too large") != NULL, "%s", error.message);
        cr_assert(strstr(error.file, "out.h5") != NULL, "%s", error.file);
        char *after = contents("out.h5", &size[1]);
        cr_assert(size[0] == size[1] && memcmp(before, after, size[0]) == 0);
        free(after);
        cr_assert_eq(files_here(), 1);
    }
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    free(before);
    world_fini(&w);
}

/* A file of our own cut short, or with bytes changed: an error or a result, never a crash. */
Test(results, damaged_files_are_refused, .timeout = 60)
{
    struct world w;
    size_t size = 0;
    struct pt_results_reader *r;
    struct pt_error error = {0};
    unsigned state = 5;
    expect_leaks_of_hdf5();
    three_jobs(&w);
    struct pt_manifest m = manifest();
    cr_assert_eq(write_result(&w, "out.h5", &m, NULL), PT_OK);
    char *bytes = contents("out.h5", &size);
    for (int i = 0; i < 400; i++) {
        FILE *file = fopen("bad.h5", "wb");
        state = state * 1664525u + 1013904223u;
        size_t at = (size_t)state % size;
        if (i < 50) {
            fwrite(bytes, 1, at, file);
        } else {
            char old = bytes[at];
            bytes[at] = (char)(bytes[at] + 1 + (int)(state >> 24));
            fwrite(bytes, 1, size, file);
            bytes[at] = old;
        }
        fclose(file);
        if (pt_results_read(&r, "bad.h5", &error) != PT_OK) {
            cr_assert_neq(error.message[0], '\0');
            continue;
        }
        const struct pt_field *fields;
        uint32_t count = pt_results_job_fields(r, &fields);
        for (uint64_t row = 0; row < pt_results_job_count(r) && row < 10; row++) {
            for (uint32_t field = 0; field < count; field++) {
                struct pt_cell ignored;
                if (pt_results_job_cell(r, row, field, &ignored, &error) != PT_OK) break;
            }
        }
        (void)pt_results_manifest_text(r, "effective_yaml");
        pt_results_reader_free(r);
    }
    free(bytes);
    world_fini(&w);
}

Test(results, other_files_are_refused)
{
    struct pt_error error = {0};
    struct pt_results_reader *r;
    cr_assert_eq(pt_results_read(&r, "missing.h5", &error), PT_ERR_INPUT);
    cr_assert_eq(pt_results_read(&r, ".", &error), PT_ERR_INPUT);
    cr_assert_eq(system("echo hello > text.h5; : > empty.h5"), 0);
    cr_assert_eq(pt_results_read(&r, "text.h5", &error), PT_ERR_INPUT);
    cr_assert_eq(pt_results_read(&r, "empty.h5", &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.file, "empty.h5");
}
