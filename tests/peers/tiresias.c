/* Tiresias' simulator (SymbioticLab/Tiresias, commit 959f9b0, placement `count`: 64 GPUs as one
 * number), job by job: start, end, preemptions and time spent pending.
 *
 *   peer_tiresias fifo|fjf|sjf|shortest|shortest-gpu|dlas|dlas-gpu
 *   peer_tiresias --generated    generated traces against a literal copy of its rules
 */
#include <stdio.h>
#include <string.h>

#include "tests/peers/peers.h"

#define GPUS 64u

/* Every option is named, whatever the defaults are. */
static const struct {
    const char *peer, *policy, *params;
} policies[] = {
    {"fifo", "fifo", "blocking=strict"},
    {"fjf", "fifo", "blocking=skip"},
    {"sjf", "tiresias", "order=smallest"},
    {"shortest", "tiresias", "order=remaining"},
    {"shortest-gpu", "tiresias", "order=remaining_gpus"},
    {"dlas", "tiresias", "order=service thresholds=3250,7200 demotion=upstream"},
    {"dlas-gpu", "tiresias", "order=service_gpus thresholds=3250,7200 demotion=upstream"},
};
#define POLICY_COUNT (sizeof policies / sizeof policies[0])

static bool compare(struct peer_count *count, const char *set, const char *policy)
{
    struct peer_table trace, out;
    struct rig rig;
    char name[128];
    size_t p = 0;
    while (p < POLICY_COUNT && strcmp(policies[p].peer, policy) != 0)
        p++;
    if (p == POLICY_COUNT) rig_die("no policy %s", policy);
    snprintf(name, sizeof name, "out_%s.csv", policy);
    if (!peer_read(&trace, set, "trace.csv")) return false;
    if (!peer_read(&out, set, name)) {
        peer_free(&trace);
        return false;
    }
    if (out.rows != trace.rows) rig_die("%s: %u rows, not %u", out.path, out.rows, trace.rows);
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, GPUS, "exclusive", "");
    rig_set_policy(&rig, policies[p].policy, policies[p].params, "first_fit");
    for (uint32_t i = 0; i < trace.rows; i++)
        rig_add_job(&rig, peer_int(&trace, i, "submit_s") * PT_NS_PER_S,
                    peer_int(&trace, i, "duration_s") * PT_NS_PER_S,
                    (uint32_t)peer_int(&trace, i, "gpus"));
    if (rig_run(&rig) != PT_OK) rig_die("%s: %s", set, rig.error.message);
    for (uint32_t i = 0; i < trace.rows; i++) {
        if (peer_int(&out, i, "job_id") != i) rig_die("%s: row %u is not its job", out.path, i);
        count->wrong += !peer_same(&rig, i, &out, i, "pending_s", count);
        count->jobs++;
    }
    rig_fini(&rig);
    peer_free(&trace);
    peer_free(&out);
    return true;
}

static uint32_t compare_generated(size_t p, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 1, 1, 2, 4, 8, 16, 32, 3, 5, 64};
    static struct literal_job jobs[LITERAL_JOBS_MAX];
    struct rig rig;
    uint32_t wrong;
    peer_generate(jobs, LITERAL_JOBS_MAX, seed, sizes, 11, 2000, 12000);
    literal_tiresias(jobs, LITERAL_JOBS_MAX, GPUS, policies[p].peer);
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, GPUS, "exclusive", "");
    rig_set_policy(&rig, policies[p].policy, policies[p].params, "first_fit");
    for (uint32_t j = 0; j < LITERAL_JOBS_MAX; j++)
        rig_add_job(&rig, jobs[j].submit_s * PT_NS_PER_S, jobs[j].work_s * PT_NS_PER_S,
                    jobs[j].gpus);
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    wrong = peer_differ(&rig, jobs, LITERAL_JOBS_MAX);
    printf("%s, seed %u: %u jobs, %u differ\n", policies[p].peer, (unsigned)seed, LITERAL_JOBS_MAX,
           wrong);
    rig_fini(&rig);
    return wrong;
}

static int compare_all_generated(void)
{
    uint32_t wrong = 0;
    for (size_t p = 0; p < POLICY_COUNT; p++)
        for (uint64_t seed = 1; seed <= 4 && strcmp(policies[p].policy, "tiresias") == 0; seed++)
            wrong += compare_generated(p, seed);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) rig_die("usage: peer_tiresias POLICY|--generated");
    if (strcmp(argv[1], "--generated") == 0) return compare_all_generated();
    return peer_every_set("tiresias", argv[1], compare);
}
