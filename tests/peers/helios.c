/* FIFO with the placement "consolidate" on 64 GPUs in nodes of 8, job by job.
 *
 *   peer_helios             the trace syn1k of the Helios simulator: every start and end as that
 *                           simulator wrote them; and, so that the referee is tested too, as the
 *                           reference scheduler of tests/property has them. Skips where the shared
 *                           reference data is not there.
 *   peer_helios --generated a generated trace of the same kind against the reference scheduler
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/worlds.h"

#define JOBS_MAX 2000u
#define NODES 8u
#define GPUS_PER_NODE 8u

struct line {
    int64_t submit_s, work_s, start_s, end_s;
    uint32_t gpus;
};

static uint32_t read_peer(struct line *lines, const char *shared)
{
    char path[4096], text[512];
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/reference/peers/helios/syn1k/out_fifo.csv", shared);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        printf("skipped: %s is not there\n", path);
        return 0;
    }
    if (fgets(text, sizeof text, in) == NULL) rig_die("%s is empty", path);
    while (fgets(text, sizeof text, in) != NULL && count < JOBS_MAX) {
        struct line *l = &lines[count];
        uint32_t id;
        if (sscanf(text,
                   "%" SCNu32 ",%*[^,],%" SCNd64 ",%" SCNd64 ",%" SCNu32 ",%" SCNd64 ",%" SCNd64,
                   &id, &l->submit_s, &l->work_s, &l->gpus, &l->start_s, &l->end_s) != 6 ||
            id != count)
            rig_die("%s:%u: not as expected", path, count + 2);
        count++;
    }
    fclose(in);
    return count;
}

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
        if (r->start_ns == lines[j].start_s * PT_NS_PER_S &&
            r->end_ns == lines[j].end_s * PT_NS_PER_S)
            continue;
        if (wrong++ == 0)
            printf("job %u: [%" PRId64 ", %" PRId64 "] ns, peer [%" PRId64 ", %" PRId64 "] s\n", j,
                   r->start_ns, r->end_ns, lines[j].start_s, lines[j].end_s);
    }
    rig_fini(&rig);
    printf("engine: %u jobs, %u differ from the peer\n", count, wrong);
    return wrong;
}

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

int main(int argc, char **argv)
{
    static struct line lines[JOBS_MAX];
    if (argc > 1 && strcmp(argv[1], "--generated") == 0) {
        uint32_t wrong = 0;
        for (uint64_t seed = 1; seed <= 3; seed++)
            wrong += compare_engine(lines, generate(lines, seed));
        return wrong != 0;
    }
    const char *shared = getenv("PARTITA_SHARED");
    uint32_t count = read_peer(lines, shared != NULL ? shared : "../shared");
    if (count == 0) return 77;
    return compare_reference(lines, count) + compare_engine(lines, count) != 0;
}
