/* Helios' simulator (S-Lab HeliosArtifact, SC 2021, commit bdaae10), job by job, with the placement
 * "consolidate" on nodes of 8 GPUs; each virtual cluster is a world of its own.
 *
 *   peer_helios fifo|sjf|qssf|srtf   every start and end, preemptions and time not running as that
 *                           simulator wrote them, on every set that is there; fifo also against the
 *                           reference scheduler of tests/property, so that the referee is tested
 *                           too. Skips where the shared reference data is not there.
 *   peer_helios --generated a generated trace of the same kind under fifo against the reference
 *                           scheduler
 *   peer_helios --literal   generated traces under all four against a literal copy of its rules
 *
 * Under srtf a job there ends one tick late: its work is a second longer here, as its run time is
 * there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/peers/peers.h"
#include "tests/property/worlds.h"

#define JOBS_MAX 2000u /* of a world that the reference lives */
#define NODES 8u
#define GPUS_PER_NODE 8u

/* Every option is named, whatever the defaults are. */
static const struct {
    const char *peer, *policy, *params;
    int64_t longer_s;
} policies[] = {
    {"fifo", "fifo", "blocking=strict", 0},
    {"sjf", "sjf", "blocking=strict by=work", 0},
    {"qssf", "qssf", "blocking=strict by=estimate first_by_gpus=true", 0},
    {"srtf", "helios_srtf", "tick=1s", 1},
};
#define POLICY_COUNT (sizeof policies / sizeof policies[0])

struct line {
    int64_t submit_s, work_s, start_s, end_s;
    uint32_t gpus;
};

static void run_reference(struct ref_outcome *outcomes, const struct line *lines, uint32_t count)
{
    static struct ref_job jobs[JOBS_MAX];
    struct ref_node nodes[NODES];
    struct ref_pool pool = {.end_node = NODES,
                            .gpus_per_node = GPUS_PER_NODE,
                            .rate = PT_SPEED_ONE,
                            .cpus_milli = REF_NONE,
                            .mem_mib = REF_NONE,
                            .replicas = 1};
    struct ref_world world = {.pool_count = 1,
                              .node_count = NODES,
                              .gpu_count = NODES * GPUS_PER_NODE,
                              .job_count = count,
                              .pools = &pool,
                              .nodes = nodes,
                              .jobs = jobs,
                              .strict = true,
                              .placement = REF_CONSOLIDATE,
                              .give_up_ns = REF_NEVER,
                              .horizon_ns = REF_NEVER};
    for (uint32_t n = 0; n < NODES; n++)
        nodes[n] =
            (struct ref_node){.first_gpu = n * GPUS_PER_NODE, .end_gpu = (n + 1) * GPUS_PER_NODE};
    for (uint32_t j = 0; j < count; j++)
        jobs[j] = (struct ref_job){.submit_ns = lines[j].submit_s * PT_NS_PER_S,
                                   .work_ns = lines[j].work_s * PT_NS_PER_S,
                                   .gpus = lines[j].gpus,
                                   .pool = REF_NONE,
                                   .nodes_max = REF_NONE,
                                   .checkpoint_ns = REF_ABSENT,
                                   .processes = 1,
                                   .distinct = 2,
                                   .after = {REF_NONE, REF_NONE}};
    if (ref_run(outcomes, &world, NULL) != REF_OK) rig_die("the reference does not end");
}

static uint32_t compare_reference(const struct line *lines, uint32_t count)
{
    static struct ref_outcome outcomes[JOBS_MAX];
    uint32_t wrong = 0;
    run_reference(outcomes, lines, count);
    for (uint32_t j = 0; j < count; j++)
        wrong += outcomes[j].start_ns != lines[j].start_s * PT_NS_PER_S ||
                 outcomes[j].end_ns != lines[j].end_s * PT_NS_PER_S;
    printf("reference: %u jobs, %u differ from the peer\n", count, wrong);
    return wrong;
}

/* ---- the peer's sets ---- */

/* The number behind "NAME": in the text of cluster.json or vc.json. */
static uint32_t number_of(const char *text, const char *path, const char *name)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at = strstr(text, quoted);
    unsigned value;
    if (at == NULL || sscanf(at + strlen(quoted), " : %u", &value) != 1)
        rig_die("%s: no %s", path, name);
    return value;
}

static void set_policy(struct rig *rig, size_t policy)
{
    rig_set_policy(rig, policies[policy].policy, policies[policy].params, "consolidate");
    /* work added at each preemption: one GPU, up to eight, more */
    rig->world.preemption.redo_ns[0] = 7 * PT_NS_PER_S;
    rig->world.preemption.redo_ns[1] = 30 * PT_NS_PER_S;
    rig->world.preemption.redo_ns[2] = 60 * PT_NS_PER_S;
}

static void build(struct rig *rig, size_t policy, const struct peer_table *trace, const char *vc,
                  uint32_t nodes, uint32_t gpus_per_node)
{
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, nodes, gpus_per_node, "exclusive", "");
    set_policy(rig, policy);
    for (uint32_t i = 0; i < trace->rows; i++) {
        if (strcmp(peer_text(trace, i, "vc"), vc) != 0) continue;
        int64_t work_s = peer_int(trace, i, "duration_s") + policies[policy].longer_s;
        pt_job row = rig_add_job(rig, peer_int(trace, i, "submit_s") * PT_NS_PER_S,
                                 work_s * PT_NS_PER_S, (uint32_t)peer_int(trace, i, "gpus"));
        rig_set_cell(rig, row, PT_COL_ESTIMATE, peer_text(trace, i, "est_duration_s"));
    }
}

static void compare_vc(struct peer_count *count, size_t policy, const struct peer_table *trace,
                       const struct peer_table *out, const char *vc, uint32_t nodes,
                       uint32_t gpus_per_node)
{
    struct rig rig;
    pt_job job = 0;
    build(&rig, policy, trace, vc, nodes, gpus_per_node);
    if (rig_run(&rig) != PT_OK) rig_die("%s, %s: %s", trace->path, vc, rig.error.message);
    for (uint32_t i = 0; i < trace->rows; i++) {
        if (strcmp(peer_text(trace, i, "vc"), vc) != 0) continue;
        if (peer_int(out, i, "job_id") != peer_int(trace, i, "job_id"))
            rig_die("%s: row %u is not its job", out->path, i);
        count->wrong += !peer_same(&rig, job++, out, i, "queue_s", count);
        count->jobs++;
    }
    rig_fini(&rig);
}

/* Whether the row is the first of its virtual cluster. */
static bool is_first(const struct peer_table *trace, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++)
        if (strcmp(peer_text(trace, i, "vc"), peer_text(trace, row, "vc")) == 0) return false;
    return true;
}

/* The reference scheduler on a set that is one cluster like its own. */
static uint32_t check_reference(const struct peer_table *out, uint32_t nodes, uint32_t gpus)
{
    static struct line lines[JOBS_MAX];
    if (out->rows > JOBS_MAX || nodes != NODES || gpus != GPUS_PER_NODE) return 0;
    for (uint32_t i = 0; i < out->rows; i++)
        lines[i] = (struct line){.submit_s = peer_int(out, i, "submit_s"),
                                 .work_s = peer_int(out, i, "duration_s"),
                                 .start_s = peer_int(out, i, "start_s"),
                                 .end_s = peer_int(out, i, "end_s"),
                                 .gpus = (uint32_t)peer_int(out, i, "gpus")};
    return compare_reference(lines, out->rows);
}

static bool compare(struct peer_count *count, const char *set, const char *policy)
{
    struct peer_table trace, out;
    char name[128], *json, path[4200];
    size_t p = 0;
    uint32_t clusters = 0, nodes = 0;
    while (p < POLICY_COUNT && strcmp(policies[p].peer, policy) != 0)
        p++;
    if (p == POLICY_COUNT) rig_die("no policy %s", policy);
    snprintf(name, sizeof name, "out_%s.csv", policy);
    snprintf(path, sizeof path, "%s/cluster.json", set);
    if (!peer_read(&trace, set, "trace.csv")) return false;
    if (!peer_read(&out, set, name)) {
        peer_free(&trace);
        return false;
    }
    if (out.rows != trace.rows) rig_die("%s: %u rows, not %u", out.path, out.rows, trace.rows);
    json = peer_file(path);
    uint32_t gpus = json == NULL ? GPUS_PER_NODE : number_of(json, path, "gpus_per_node");
    if (json == NULL) { /* the nodes of each virtual cluster alone */
        snprintf(path, sizeof path, "%s/vc.json", set);
        json = peer_file(path);
    }
    if (json == NULL) rig_die("%s is not there", path);
    for (uint32_t i = 0; i < trace.rows; i++) {
        if (!is_first(&trace, i)) continue;
        const char *vc = peer_text(&trace, i, "vc");
        nodes = number_of(json, path, vc);
        compare_vc(count, p, &trace, &out, vc, nodes, gpus);
        clusters++;
    }
    if (clusters == 1 && strcmp(policy, "fifo") == 0)
        count->wrong += check_reference(&out, nodes, gpus);
    free(json);
    peer_free(&trace);
    peer_free(&out);
    return true;
}

/* ---- generated traces ---- */

static uint32_t compare_engine(const struct line *lines, uint32_t count)
{
    struct rig rig;
    uint32_t wrong = 0;
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, NODES, GPUS_PER_NODE, "exclusive", "");
    rig_set_policy(&rig, "fifo", "blocking=strict", "consolidate");
    for (uint32_t j = 0; j < count; j++)
        rig_add_job(&rig, lines[j].submit_s * PT_NS_PER_S, lines[j].work_s * PT_NS_PER_S,
                    lines[j].gpus);
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    for (uint32_t j = 0; j < count; j++) {
        const struct pt_job_result *r = &rig.results[j];
        wrong += r->start_ns != lines[j].start_s * PT_NS_PER_S ||
                 r->end_ns != lines[j].end_s * PT_NS_PER_S;
    }
    rig_fini(&rig);
    printf("engine: %u jobs, %u differ from the reference\n", count, wrong);
    return wrong;
}

/* Whole seconds, gangs up to 32, a load near 1; starts and ends by the reference. */
static uint32_t generate(struct line *lines, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 8, 8, 12, 16, 32};
    static struct ref_outcome outcomes[JOBS_MAX];
    const uint32_t count = 600;
    struct draw draw = {seed};
    int64_t at_s = 0;
    for (uint32_t j = 0; j < count; j++) {
        at_s += draw_below(&draw, 400);
        lines[j] = (struct line){.submit_s = at_s,
                                 .work_s = draw_below(&draw, 4000),
                                 .gpus = sizes[draw_below(&draw, 12)]};
    }
    run_reference(outcomes, lines, count);
    for (uint32_t j = 0; j < count; j++) {
        lines[j].start_s = outcomes[j].start_ns / PT_NS_PER_S;
        lines[j].end_s = outcomes[j].end_ns / PT_NS_PER_S;
    }
    return count;
}

static uint32_t compare_literal(size_t p, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 1, 1, 2, 4, 8, 8, 12, 16, 20, 5, 3};
    static struct literal_job jobs[LITERAL_JOBS_MAX];
    struct rig rig;
    char text[32];
    uint32_t wrong, nodes = seed % 2 == 0 ? NODES : 3;
    peer_generate(jobs, LITERAL_JOBS_MAX, seed, sizes, 12, nodes == NODES ? 20 : 60, 200);
    literal_helios(jobs, LITERAL_JOBS_MAX, nodes, policies[p].peer);
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, nodes, GPUS_PER_NODE, "exclusive", "");
    set_policy(&rig, p);
    for (uint32_t j = 0; j < LITERAL_JOBS_MAX; j++) {
        pt_job row =
            rig_add_job(&rig, jobs[j].submit_s * PT_NS_PER_S,
                        (jobs[j].work_s + policies[p].longer_s) * PT_NS_PER_S, jobs[j].gpus);
        snprintf(text, sizeof text, "%" PRId64, jobs[j].estimate_s);
        rig_set_cell(&rig, row, PT_COL_ESTIMATE, text);
    }
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    wrong = peer_differ(&rig, jobs, LITERAL_JOBS_MAX);
    printf("%s, seed %u: %u jobs, %u differ\n", policies[p].peer, (unsigned)seed, LITERAL_JOBS_MAX,
           wrong);
    rig_fini(&rig);
    return wrong;
}

static int compare_all_literal(void)
{
    uint32_t wrong = 0;
    for (size_t p = 0; p < POLICY_COUNT; p++)
        for (uint64_t seed = 1; seed <= 6; seed++)
            wrong += compare_literal(p, seed);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    static struct line lines[JOBS_MAX];
    if (argc != 2) rig_die("usage: peer_helios POLICY|--generated|--literal");
    if (strcmp(argv[1], "--literal") == 0) return compare_all_literal();
    if (strcmp(argv[1], "--generated") != 0) return peer_every_set("helios", argv[1], compare);
    uint32_t wrong = 0;
    for (uint64_t seed = 1; seed <= 3; seed++)
        wrong += compare_engine(lines, generate(lines, seed));
    return wrong != 0;
}
