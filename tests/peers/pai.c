/* The simulator of Alibaba PAI's trace of 2020 (alibaba/clusterdata, cluster-trace-gpu-v2020,
 * commit 7a6c496), job by job: start, end, node.
 *
 *   peer_pai fifo_skip|sjf_skip
 *
 * There a share of a GPU may lie anywhere on its node, over several GPUs too: a node is one pool of
 * 800 %. So a node is one GPU here, in mode fractional, that stands for its 8, and a job asks for
 * an eighth as much of it: x % is a gpu_frac of x / 800, which is a whole number of millionths.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/peers/peers.h"

#define NODES 8u
#define NODE_CPUS_MILLI 96000u
#define PPM_PER_PER_CENT 1250 /* of a node's 800 % */

/* Every option is named, whatever the defaults are. */
static const struct {
    const char *peer, *policy, *params;
} policies[] = {
    {"fifo_skip", "fifo", "blocking=skip"},
    {"sjf_skip", "sjf", "blocking=skip by=work"},
};
#define POLICY_COUNT (sizeof policies / sizeof policies[0])

/* Thousandths to whole per cent as Python's round(100 * x) does it: to nearest, half to even. */
static int64_t per_cent(int64_t milli)
{
    return (int64_t)nearbyint(100 * ((double)milli / 1000));
}

static void add_job(struct rig *rig, const struct peer_table *trace, uint32_t row)
{
    char text[32];
    int64_t gpu = per_cent(peer_int(trace, row, "gpu_milli"));
    int64_t cpu = per_cent(peer_int(trace, row, "cpu_milli"));
    pt_job job = rig_add_job(rig, peer_int(trace, row, "submit_s") * PT_NS_PER_S,
                             peer_int(trace, row, "duration_s") * PT_NS_PER_S, gpu > 0);
    if (gpu > 0) {
        snprintf(text, sizeof text, "%.6f", (double)(gpu * PPM_PER_PER_CENT) / 1e6);
        rig_set_cell(rig, job, PT_COL_GPU_FRAC, text);
    }
    snprintf(text, sizeof text, "%.2f", (double)cpu / 100);
    rig_set_cell(rig, job, PT_COL_CPUS, text);
}

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
    rig_add_pool(&rig, &rig_h100, NODES, 1, "fractional", "compute=time_slicing strict=true")
        ->cpus_milli_per_node = NODE_CPUS_MILLI;
    rig_set_policy(&rig, policies[p].policy, policies[p].params, "first_fit");
    for (uint32_t i = 0; i < trace.rows; i++)
        add_job(&rig, &trace, i);
    if (rig_run(&rig) != PT_OK) rig_die("%s: %s", set, rig.error.message);
    for (uint32_t i = 0; i < trace.rows; i++) {
        if (peer_int(&out, i, "job_id") != peer_int(&trace, i, "job_id"))
            rig_die("%s: row %u is not its job", out.path, i);
        bool same = peer_same(&rig, i, &out, i, NULL, count);
        if (same && rig.results[i].home_gpu != PT_NONE &&
            rig.results[i].home_gpu != peer_int(&out, i, "node")) {
            printf("%s: row %u: on node %u, not %s\n", out.path, i, rig.results[i].home_gpu,
                   peer_text(&out, i, "node"));
            same = false;
        }
        count->wrong += !same;
        count->jobs++;
    }
    rig_fini(&rig);
    peer_free(&trace);
    peer_free(&out);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) rig_die("usage: peer_pai POLICY");
    return peer_every_set("alibaba_pai_fractional", argv[1], compare);
}
