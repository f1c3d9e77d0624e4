/* How fast: the engine against a bare loop on its own heap, the readers, the whole program.
 *
 *   bench [--json FILE] [--quick] [--policy NAME] [SECTION...]
 *
 * Sections: hold engine scale csv process memory policies placements; --policy and --placement are
 * for the last two.
 *
 * Engine and loop figures are CPU time of one thread, the least of several runs: the machine may be
 * busy. Whole-program figures are wall time. Nothing here is asserted: it is read by people.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/interference/interference.h"
#include "sim/core/heap.h"
#include "tests/bench/figures.h"
#include "tests/bench/placements.h"
#include "tests/bench/policies.h"
#include "tests/bench/programs.h"
#include "tests/property/worlds.h"
#include "traces/registry.h"

#define DRAWS 65536u
#define WORK_MEAN_S 3600.0
#define LOAD 0.9

static double draws[DRAWS]; /* exponential, mean 1 */
static uint32_t jobs_all = 1000000;
static double hold_ns[6]; /* by log10(n) */

static void make_draws(void)
{
    struct draw draw = {1};
    for (uint32_t i = 0; i < DRAWS; i++)
        draws[i] = -log(((double)(draw_bits(&draw) >> 11) + 0.5) * 0x1p-53);
}

static int log10_of(uint32_t n)
{
    int digits = 0;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* ---- the bare loop: pop the least, push it an exponential time later ---- */

static double hold(uint32_t n)
{
    const uint32_t chunk = 200000, chunks = 15;
    struct pt_heap heap;
    double best = INFINITY;
    uint32_t d = 0;
    if (!pt_heap_init(&heap, n)) rig_die("out of memory");
    for (uint32_t i = 0; i < n; i++)
        pt_heap_set(&heap, pt_heap_key((int64_t)(draws[d++ % DRAWS] * 1e9), i, i));
    for (uint32_t c = 0; c < chunks; c++) {
        double from = figures_cpu_s();
        for (uint32_t i = 0; i < chunk; i++) {
            pt_u128 top = pt_heap_top(&heap);
            uint32_t item = pt_heap_key_item(top);
            int64_t at_ns = pt_heap_key_time(top) + (int64_t)(draws[d++ % DRAWS] * 1e9);
            pt_heap_remove(&heap, item);
            pt_heap_set(&heap, pt_heap_key(at_ns, item, item));
        }
        double took = (figures_cpu_s() - from) / chunk * 1e9;
        if (took < best && c > 0) best = took;
    }
    pt_heap_fini(&heap);
    return best;
}

static void section_hold(void)
{
    figures_title("A bare hold-model loop on the engine's heap: pop the least, push it again");
    for (uint32_t n = 100; n <= 100000; n *= 10) {
        char key[64];
        snprintf(key, sizeof key, "hold_%u_ns", n);
        hold_ns[log10_of(n)] = hold(n);
        figures_add(key, hold_ns[log10_of(n)], "ns", n == 10000 ? "goal: <= 100" : NULL);
    }
}

/* ---- the engine alone ---- */

static enum pt_status take_series(void *ctx, const struct pt_series_row *row,
                                  struct pt_error *error)
{
    (void)ctx, (void)row, (void)error;
    return PT_OK;
}

/* One kind of world: a pool's mode, and what jobs ask for. */
struct kind {
    const char *name, *mode, *params;
    const struct pt_gpu_model *gpu;
    double load;              /* of the GPUs' capacity, counted in what jobs ask for */
    double mean;              /* GPUs that a job takes on average, while it runs at full speed */
    enum pt_column_id column; /* besides: PT_COLUMN_COUNT_ = nothing */
    const char *const values[10]; /* of that column, each a tenth of the jobs */
    bool fitted;                  /* under the measured laws, else textbook shares */
};

/* Slices are 1/7 of a GPU, but all-balanced uses the memory of eight: four instances a GPU. */
static const struct kind kinds[] = {
    {"exclusive", "exclusive", "", &rig_h100, LOAD, 1, PT_COLUMN_COUNT_, {0}, false},
    {"shared_2",
     "time_slice",
     "replicas=2 switch_loss=0",
     &rig_h100,
     LOAD,
     1,
     PT_COLUMN_COUNT_,
     {0},
     false},
    {"gangs",
     "exclusive",
     "",
     &rig_h100,
     LOAD,
     2.1,
     PT_COL_GPUS,
     {"1", "1", "1", "1", "1", "1", "1", "2", "4", "8"},
     false},
    {"shared_2_fitted", "time_slice", "replicas=2", &rig_h100, 0.7, 1, PT_COLUMN_COUNT_, {0}, true},
    {"mps_4", "mps", "replicas=4", &rig_h100, LOAD, 1, PT_COLUMN_COUNT_, {0}, false},
    {"mps_4_fitted", "mps", "replicas=4", &rig_h100, LOAD, 1, PT_COLUMN_COUNT_, {0}, true},
    {"fractional",
     "fractional",
     "compute=time_slicing",
     &rig_h100,
     LOAD,
     0.39,
     PT_COL_GPU_FRAC,
     {"0.1", "0.2", "0.25", "0.25", "0.3", "0.5", "0.5", "0.5", "0.8", "0.5"},
     false},
    {"mig_static",
     "mig",
     "layout=all-balanced",
     &rig_h100,
     LOAD,
     0.25,
     PT_COL_MIG,
     {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "2g.20gb", "2g.20gb", "2g.20gb",
      "3g.40gb", "3g.40gb"},
     false},
    {"mig_dynamic",
     "mig",
     "reconfigure=partial",
     &rig_h100,
     0.7,
     0.271,
     PT_COL_MIG,
     {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "2g.20gb", "2g.20gb", "2g.20gb",
      "3g.40gb", "4g.40gb"},
     false},
};

/* Jobs that differ in how busy they are and how long their kernels take. */
static void traits(struct pt_traits *out, const void *ctx, pt_job job, uint32_t pool)
{
    (void)ctx, (void)pool;
    double u = 0.3 + 0.7 * (job * 2654435761u % 1000) / 1000.0;
    *out = (struct pt_traits){.u = u,
                              .kappa = 0.5 + u,
                              .kappa_g = 0.7 + 0.5 * u,
                              .busy = u,
                              .f_c = NAN,
                              .f_m = NAN,
                              .type = PT_NONE,
                              .p = 2,
                              .rate = PT_SPEED_ONE};
}

static void fitted(struct pt_world *world)
{
    static void *state;
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_interference_inputs inputs = {.seed = 1};
    struct pt_error error;
    if (state == NULL && pt_fitted_prepare(&state, &options, &inputs, &error) != PT_OK)
        rig_die("fitted: %s", error.message);
    world->interference = (struct pt_interference){.ops = &pt_fitted, .state = state};
    world->jobs_model.traits = traits;
}

static void build(struct rig *rig, uint32_t gpus, const struct kind *kind, uint32_t jobs)
{
    double at_s = 0;
    uint32_t d = 17;
    rig_init(rig);
    rig->world.check = false;
    rig->world.interval_ns = 3600 * PT_NS_PER_S;
    rig->world.recorder.series = take_series;
    if (kind->fitted) fitted(&rig->world);
    rig_add_pool(rig, kind->gpu, (gpus + 7) / 8, 8, kind->mode, kind->params);
    double gap_s = WORK_MEAN_S * kind->mean / (kind->load * rig->cluster.gpu_count);
    for (uint32_t j = 0; j < jobs; j++) {
        at_s += draws[d++ % DRAWS] * gap_s;
        double work_s = draws[(d * 7919u) % DRAWS] * WORK_MEAN_S;
        pt_job row = rig_add_job(rig, (int64_t)(at_s * 1e9), (int64_t)(work_s * 1e9), 1);
        if (kind->column != PT_COLUMN_COUNT_)
            rig_set_cell(rig, row, kind->column, kind->values[j * 2654435761u % 10]);
    }
}

struct engine_figures {
    double ns_per_event, ns_per_job, policy_share, create_s;
    uint64_t events;
};

static struct engine_figures run_engine(uint32_t gpus, const struct kind *kind, uint32_t jobs,
                                        int runs)
{
    struct engine_figures best = {.ns_per_event = INFINITY};
    struct rig rig;
    build(&rig, gpus, kind, jobs);
    for (int i = 0; i <= runs; i++) { /* the last one measures the policy's share */
        struct pt_sim_stats stats;
        rig.world.measure = i == runs;
        double from = figures_cpu_s();
        rig_start(&rig);
        double created = figures_cpu_s();
        if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
        double took = figures_cpu_s() - created;
        pt_sim_get_stats(rig.sim, &stats);
        double per_event = took / (double)stats.events * 1e9;
        if (i == runs) {
            best.policy_share = (double)stats.policy_ns * 1e-9 / took;
        } else if (per_event < best.ns_per_event) {
            best.ns_per_event = per_event;
            best.ns_per_job = took / jobs * 1e9;
            best.create_s = created - from;
            best.events = stats.events;
        }
        rig_reset(&rig);
    }
    rig_fini(&rig);
    return best;
}

static double exclusive_ns_per_job;

static void engine_row(const struct kind *kind)
{
    char key[64];
    const char *name = kind->name;
    struct engine_figures f = run_engine(10000, kind, jobs_all, 3);
    if (kind == kinds) exclusive_ns_per_job = f.ns_per_job;
    double bare_ns = hold_ns[4] > 0 ? hold_ns[4] : (hold_ns[4] = hold(10000));
    snprintf(key, sizeof key, "engine_%s_ns_per_event", name);
    figures_add(key, f.ns_per_event, "ns", NULL);
    snprintf(key, sizeof key, "engine_%s_events_per_s", name);
    figures_add(key, 1e9 / f.ns_per_event, "1/s", NULL);
    snprintf(key, sizeof key, "engine_%s_jobs_per_s", name);
    figures_add(key, 1e9 / f.ns_per_job, "1/s", NULL);
    snprintf(key, sizeof key, "engine_%s_event_to_hold", name);
    figures_add(key, f.ns_per_event / bare_ns, "", kind < kinds + 2 ? "goal: <= 5" : NULL);
    snprintf(key, sizeof key, "engine_%s_to_exclusive", name);
    figures_add(key, f.ns_per_job / exclusive_ns_per_job, "", "time of a job; goal: <= 3");
    snprintf(key, sizeof key, "engine_%s_policy_share", name);
    figures_add(key, f.policy_share, "", "wall time in the policy, clock readings included");
    snprintf(key, sizeof key, "engine_%s_create_s", name);
    figures_add(key, f.create_s, "s", NULL);
}

static void section_engine(void)
{
    char title[128];
    snprintf(title, sizeof title,
             "The engine, metrics on: %u jobs on 10,000 GPUs in nodes of 8, load %g", jobs_all,
             LOAD);
    figures_title(title);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        engine_row(&kinds[i]);
}

static void section_scale(void)
{
    figures_title("Cost of an event by number of GPUs, exclusive FIFO; and the bare loop's");
    for (uint32_t gpus = 100; gpus <= 100000; gpus *= 10) {
        char key[64];
        int at = log10_of(gpus);
        struct engine_figures f = run_engine(gpus, kinds, jobs_all, 2);
        if (hold_ns[at] == 0) hold_ns[at] = hold(gpus);
        snprintf(key, sizeof key, "event_%u_gpus_ns", gpus);
        figures_add(key, f.ns_per_event, "ns", NULL);
        snprintf(key, sizeof key, "event_%u_gpus_to_hold", gpus);
        figures_add(key, f.ns_per_event / hold_ns[at], "", NULL);
    }
}

/* ---- reading a trace ---- */

static double csv_read(const char *path, uint64_t *bytes)
{
    const struct pt_reader_ops *reader = pt_reader_find("native");
    struct pt_value values[RIG_VALUES_MAX];
    struct pt_read_report report = {0};
    struct pt_read_request request = {.path = path, .params = values, .limit = PT_NONE};
    struct pt_trace trace;
    struct pt_error error;
    if (reader == NULL) rig_die("no reader native");
    rig_parse_values(values, reader->params, "");
    pt_trace_init(&trace);
    double from = figures_cpu_s();
    if (reader->read(&trace, &report, &request, &error) != PT_OK) rig_die("%s", error.message);
    double took = figures_cpu_s() - from;
    pt_trace_fini(&trace);
    *bytes = report.bytes;
    return took;
}

static void write_csv(const char *path)
{
    double at_s = 0;
    uint32_t d = 17;
    FILE *out = fopen(path, "w");
    if (out == NULL) rig_die("%s can't be written", path);
    fprintf(out, "submit_s,work_s,gpus\n");
    for (uint32_t j = 0; j < jobs_all; j++) {
        at_s += draws[d++ % DRAWS] * WORK_MEAN_S / (LOAD * 10000);
        fprintf(out, "%.3f,%.3f,1\n", at_s, draws[(d * 7919u) % DRAWS] * WORK_MEAN_S);
    }
    if (fclose(out) != 0) rig_die("%s can't be written", path);
}

static void section_csv(void)
{
    double best = INFINITY;
    uint64_t bytes = 0;
    figures_title("A native trace as CSV");
    for (int i = 0; i < 5; i++) {
        double took = csv_read("bench.csv", &bytes);
        if (took < best) best = took;
    }
    figures_add("csv_rows", jobs_all, "", NULL);
    figures_add("csv_mb_per_s", (double)bytes / 1e6 / best, "MB/s", "goal: >= 500");
    figures_add("csv_ns_per_row", best / jobs_all * 1e9, "ns", NULL);
}

int main(int argc, char **argv)
{
    const char *json = "bench.json", *policy = NULL, *placement = NULL;
    bool any = false;
    uint32_t wanted = 0;
    static const char *const names[] = {"hold",   "engine",   "scale",      "csv",    "process",
                                        "memory", "policies", "placements", "results"};
    const uint32_t count = sizeof names / sizeof *names;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = argv[++i];
            continue;
        }
        if (strcmp(argv[i], "--policy") == 0 && i + 1 < argc) {
            policy = argv[++i];
            continue;
        }
        if (strcmp(argv[i], "--placement") == 0 && i + 1 < argc) {
            placement = argv[++i];
            continue;
        }
        if (strcmp(argv[i], "--quick") == 0) {
            jobs_all = 100000;
            continue;
        }
        uint32_t n = 0;
        while (n < count && strcmp(argv[i], names[n]) != 0)
            n++;
        if (n == count) rig_die("no section %s", argv[i]);
        wanted |= 1u << n;
        any = true;
    }
    if (!any) wanted = (1u << count) - 1;
    make_draws();
    figures_open(json);
    if (wanted & 1) section_hold();
    if (wanted & 2) section_engine();
    if (wanted & 4) section_scale();
    if (wanted & 24) write_csv("bench.csv");
    if (wanted & 8) section_csv();
    if (wanted & 16) programs_time(jobs_all);
    if (wanted & 32) programs_memory(jobs_all * 10);
    if (wanted & 64) policies_time(policy, jobs_all / 10);
    if (wanted & 128) placements_time(placement, jobs_all / 10);
    if (wanted & 256) programs_results(jobs_all);
    figures_close();
    printf("\nalso in %s\n", json);
    return 0;
}
