/* FGD and its baselines on Alibaba's openb trace, as the simulator of the paper ran them (Weng et
 * al., USENIX ATC 2023; kubernetes-scheduler-simulator, commit 8f3d641): pods arrive one after the
 * other, never end, and are not tried again when nothing holds them.
 *
 *   peer_fgd fgd|best_fit|gpu_packing|gpu_clustering|dot_product
 *
 * Runs every directory fgd_* of the shared peers; skips where there is none. Twice each:
 *
 * - Ties as the peer broke them. Scores are whole numbers, so many nodes tie, and which of them the
 *   peer took follows from nothing it was given. Where the node it took is among our best, we take
 *   it too; where it is not, we take ours, and that is counted: "not a best node". Placed jobs must
 *   be within 2 of the peer's, allocated GPU capacity within 0.5 %.
 * - Ties as Partita breaks them, lowest first: the distance is printed.
 *
 * Nodes are Partita's pools by model, GPUs, CPUs and memory, so the lowest is the lowest of the
 * first pool. Of gpu_clustering and dot_product the distance is printed alone.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "policies/placement/scored.h"
#include "policies/registry.h"
#include "tests/support/rig.h"

#define NODES_MAX 4096u
#define PODS_MAX 20000u
#define LINE_MAX_ 1024

struct node {
    char name[64], model[32];
    uint32_t cpus_milli, mem_mib, gpus;
    uint32_t pool, in_pool; /* where it is in our cluster */
};

struct pod {
    uint32_t cpus_milli, mem_mib, gpus, milli;
    char types[128];
    uint32_t peer; /* node that the peer chose, PT_NONE = none */
};

static struct node nodes[NODES_MAX];
static struct pod pods[PODS_MAX];
static uint32_t node_count, pod_count;

/* The peer's side of a policy. */
struct side {
    const char *name, *peer, *params;
    bool bound;
};

static const struct side sides[] = {
    {"fgd", "FGD", "", true},
    {"best_fit", "BestFit", "resources=cpus_and_gpus", true},
    {"gpu_packing", "GpuPacking", "", true},
    {"gpu_clustering", "GpuClustering", "", false},
    {"dot_product", "DotProd", "prefer=smallest normalise=largest_node", false}};

/* ---- files ---- */

/* Splits a line of CSV without quotes; fields that are not there are empty. */
static void split(char *line, char **fields, uint32_t count)
{
    static char nothing[1];
    line[strcspn(line, "\r\n")] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = line != NULL ? line : nothing;
        if (line == NULL) continue;
        line = strchr(line, ',');
        if (line != NULL) *line++ = '\0';
    }
}

static FILE *open_csv(const char *folder, const char *name, char *heading)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    FILE *in = fopen(path, "r");
    if (in != NULL && fgets(heading, LINE_MAX_, in) == NULL) rig_die("%s is empty", path);
    return in;
}

static void read_nodes(const char *folder)
{
    char line[LINE_MAX_], *f[5];
    FILE *in = open_csv(folder, "nodes", line);
    if (in == NULL) rig_die("%s has no nodes.csv", folder);
    for (node_count = 0; fgets(line, sizeof line, in) != NULL;) {
        split(line, f, 5); /* sn,cpu_milli,memory_mib,gpu,model */
        struct node *n = &nodes[node_count++ % NODES_MAX];
        snprintf(n->name, sizeof n->name, "%.63s", f[0]);
        snprintf(n->model, sizeof n->model, "%.31s", f[4]);
        n->cpus_milli = (uint32_t)strtoul(f[1], NULL, 10);
        n->mem_mib = (uint32_t)strtoul(f[2], NULL, 10);
        n->gpus = (uint32_t)strtoul(f[3], NULL, 10);
    }
    fclose(in);
    if (node_count > NODES_MAX) rig_die("%u nodes", node_count);
}

static void read_pods(const char *folder)
{
    char line[LINE_MAX_], *f[6];
    FILE *in = open_csv(folder, "pods", line);
    if (in == NULL) rig_die("%s has no pods.csv", folder);
    for (pod_count = 0; fgets(line, sizeof line, in) != NULL;) {
        split(line, f, 6); /* name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,... */
        struct pod *p = &pods[pod_count++ % PODS_MAX];
        p->cpus_milli = (uint32_t)strtoul(f[1], NULL, 10);
        p->mem_mib = (uint32_t)strtoul(f[2], NULL, 10);
        p->gpus = (uint32_t)strtoul(f[3], NULL, 10);
        p->milli = p->gpus == 0 ? 0 : (uint32_t)strtoul(f[4], NULL, 10);
        p->peer = PT_NONE;
        snprintf(p->types, sizeof p->types, "%.127s", f[5]);
    }
    fclose(in);
    if (pod_count > PODS_MAX) rig_die("%u pods", pod_count);
}

/* Which node the peer chose for each pod; what it placed and allocated. False = not there. */
static bool read_peer(const char *folder, const char *peer, uint32_t *placed, uint64_t *milli)
{
    char line[LINE_MAX_], name[64], *f[3];
    snprintf(name, sizeof name, "out_%.40s", peer);
    FILE *in = open_csv(folder, name, line);
    *placed = 0;
    *milli = 0;
    if (in == NULL) return false;
    for (uint32_t i = 0; fgets(line, sizeof line, in) != NULL; i++) {
        split(line, f, 3); /* seq,pod,node,... */
        if (i >= pod_count || strtoul(f[0], NULL, 10) != i) rig_die("%s:%u: unexpected", name, i);
        uint32_t n = 0;
        if (f[2][0] == '\0') continue;
        while (n < node_count && strcmp(nodes[n].name, f[2]) != 0)
            n++;
        if (n == node_count) rig_die("%s: no node %s", name, f[2]);
        pods[i].peer = n;
        ++*placed;
        *milli += (uint64_t)pods[i].gpus * pods[i].milli;
    }
    fclose(in);
    return true;
}

/* ---- our world ---- */

static struct pt_gpu_model models[PT_POOLS_MAX];

/* Pools are the nodes that are alike, numbered by the first of them; nodes keep their order. */
static void build_cluster(struct rig *rig)
{
    static uint32_t of[PT_POOLS_MAX], counts[PT_POOLS_MAX];
    uint32_t pools = 0;
    for (uint32_t n = 0; n < node_count; n++) {
        uint32_t p = 0;
        if (nodes[n].gpus == 0) rig_die("node %s has no GPUs", nodes[n].name);
        while (p < pools && (nodes[of[p]].gpus != nodes[n].gpus ||
                             nodes[of[p]].cpus_milli != nodes[n].cpus_milli ||
                             nodes[of[p]].mem_mib != nodes[n].mem_mib ||
                             strcmp(nodes[of[p]].model, nodes[n].model) != 0))
            p++;
        if (p == RIG_POOLS_MAX) rig_die("more than %d shapes of nodes", RIG_POOLS_MAX);
        if (p == pools) {
            of[pools] = n;
            counts[pools++] = 0;
        }
        nodes[n].pool = p;
        nodes[n].in_pool = counts[p]++;
    }
    for (uint32_t p = 0; p < pools; p++) {
        models[p] = rig_a100_80;
        models[p].name = models[p].family = nodes[of[p]].model;
        struct pt_pool *pool =
            rig_add_pool(rig, &models[p], counts[p], nodes[of[p]].gpus, "fractional", "");
        pool->cpus_milli_per_node = nodes[of[p]].cpus_milli;
        pool->mem_mib_per_node = nodes[of[p]].mem_mib;
    }
}

static void build_jobs(struct rig *rig)
{
    for (uint32_t i = 0; i < pod_count; i++) {
        char text[32];
        pt_job row =
            rig_add_job(rig, i * PT_NS_PER_S, INT64_C(1000000000) * PT_NS_PER_S, pods[i].gpus);
        snprintf(text, sizeof text, "%u.%03u", pods[i].cpus_milli / 1000,
                 pods[i].cpus_milli % 1000);
        rig_set_cell(rig, row, PT_COL_CPUS, text);
        snprintf(text, sizeof text, "%.10f", pods[i].mem_mib / 1024.0);
        rig_set_cell(rig, row, PT_COL_MEM, text);
        rig_set_cell(rig, row, PT_COL_NODES_MAX, "1");
        if (pods[i].types[0] != '\0') rig_set_cell(rig, row, PT_COL_GPU_TYPE, pods[i].types);
        if (pods[i].gpus == 0 || pods[i].milli == 1000) continue;
        snprintf(text, sizeof text, "0.%03u", pods[i].milli);
        rig_set_cell(rig, row, PT_COL_GPU_FRAC, text);
    }
}

/* ---- an order that tries every job once, and a placement that knows whom the peer chose ---- */

static struct {
    const struct pt_placement_ops *ours;
    bool as_peer;
    uint32_t not_best, first_not_best;
    uint64_t fit, tied; /* nodes, at every 16th decision */
    const struct pt_cluster *cluster;
} replay;

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    (void)state;
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
        pt_job job;
        while ((job = pt_view_class_next_pending(ctx, c, PT_NONE)) != PT_NONE) {
            const struct pt_units *units;
            if (pt_ctx_place(ctx, &units, job, pt_view_class_pools(ctx, c)))
                PT_TRY(pt_ctx_start(ctx, job, units));
            else
                PT_TRY(pt_ctx_decline(ctx, job, PT_REASON_NO_GPU));
        }
    }
    return PT_OK;
}

/* Our node for the peer's choice, PT_NONE where it chose none. */
static uint32_t node_of_peer(pt_job job)
{
    uint32_t n = pods[job].peer;
    if (n == PT_NONE) return PT_NONE;
    return replay.cluster->pools[nodes[n].pool].first_node + nodes[n].in_pool;
}

/* Whether the peer's choice is in this pool and no node of the pool is better. */
static bool is_best(struct pt__scored *scored, struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job), node = node_of_peer(job);
    if (!replay.as_peer || node == PT_NONE || replay.cluster->nodes[node].pool != pool)
        return false;
    uint64_t key = pt_view_node_key(ctx, &scored->search, job, node, wanted);
    uint32_t best = pt_view_best_node(ctx, &scored->search, pool, job, wanted);
    return best != PT_NONE && key == pt_view_node_key(ctx, &scored->search, job, best, wanted);
}

/* Of pools that tie, the one of the peer's choice. */
static uint64_t pool_key(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    uint64_t own = replay.ours->pool_key(state, ctx, job, pool);
    if (own > PT_KEY_MAX) return own;
    return 2 * own + !is_best(state, ctx, job, pool);
}

/* How many nodes could hold the job, and how many of them are as good as the best. */
static void count_ties(struct pt__scored *scored, struct pt_ctx *ctx, pt_job job)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    uint64_t best = PT_KEY_NONE;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t n = 0; n < replay.cluster->node_count; n++) {
            uint64_t key = pt_view_node_key(ctx, &scored->search, job, n, wanted);
            if (pass == 0 && key < best) best = key;
            replay.fit += pass == 1 && key != PT_KEY_NONE;
            replay.tied += pass == 1 && key != PT_KEY_NONE && key == best;
        }
}

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    if (replay.as_peer && job % 16 == 0) count_ties(state, ctx, job);
    if (is_best(state, ctx, job, pool))
        return pt__scored_take(state, ctx, units, job, node_of_peer(job));
    bool placed = replay.ours->place(state, ctx, units, job, pool);
    if (placed && replay.as_peer && pods[job].peer != PT_NONE && replay.not_best++ == 0)
        replay.first_not_best = job;
    return placed;
}

static const struct pt_param no_params[] = {{0}};
static const struct pt_policy_ops in_turn = {.abi = PT_POLICY_ABI,
                                             .size = sizeof(struct pt_policy_ops),
                                             .name = "in_turn",
                                             .summary = "each job once",
                                             .source = "peer",
                                             .params = no_params,
                                             .schedule = schedule};

/* ---- the comparison ---- */

static void run(const struct side *side, bool as_peer, uint32_t *placed, uint64_t *milli)
{
    static struct rig rig;
    rig_init(&rig);
    build_cluster(&rig);
    build_jobs(&rig);
    rig_set_policy(&rig, "fifo", "", side->name);
    replay.ours = rig.world.placement;
    replay.as_peer = as_peer;
    replay.not_best = 0;
    replay.fit = replay.tied = 0;
    replay.cluster = &rig.cluster;
    rig_parse_values(rig.placement_values, replay.ours->params, side->params);
    struct pt_placement_ops ops = *replay.ours;
    ops.pool_key = pool_key;
    ops.place = place;
    rig.world.placement = &ops;
    rig.world.policy = &in_turn;
    rig.world.check = false;
    rig.world.horizon_ns = (int64_t)pod_count * PT_NS_PER_S;
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    *placed = 0;
    *milli = 0;
    for (uint32_t i = 0; i < pod_count; i++) {
        if (rig.results[i].state != PT_STATE_RUNNING) continue;
        ++*placed;
        *milli += (uint64_t)pods[i].gpus * pods[i].milli;
    }
    rig_fini(&rig);
}

static double per_cent(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : 100 * ((double)a - (double)b) / (double)b;
}

/* The number of figures out of bounds. */
static int compare(const char *folder, const struct side *side)
{
    uint32_t peer_placed, placed;
    uint64_t peer_milli, milli;
    read_nodes(folder);
    read_pods(folder);
    if (!read_peer(folder, side->peer, &peer_placed, &peer_milli)) return 0;
    printf("%s: %s placed %u of %u, %" PRIu64 " milli\n", folder, side->peer, peer_placed,
           pod_count, peer_milli);
    run(side, true, &placed, &milli);
    int32_t more = (int32_t)placed - (int32_t)peer_placed;
    double percent = per_cent(milli, peer_milli);
    bool flat =
        replay.tied * 4 > replay.fit * 3; /* scores that tell no nodes apart prove nothing */
    bool wrong =
        flat || (side->bound && (more > 2 || more < -2 || percent > 0.5 || percent < -0.5));
    printf("  ties as the peer's: placed %u (%+d), %" PRIu64 " milli (%+.2f %%), %u of its choices "
           "not a best node",
           placed, more, milli, percent, replay.not_best);
    if (replay.not_best > 0) printf(", the first pod %u", replay.first_not_best);
    printf("; %.0f %% of the nodes with room tie%s\n",
           replay.fit == 0 ? 0 : 100.0 * (double)replay.tied / (double)replay.fit,
           wrong ? ": OUT OF BOUNDS" : "");
    run(side, false, &placed, &milli);
    printf("  ties lowest first: placed %u (%+d), %" PRIu64 " milli (%+.2f %%)\n", placed,
           (int)((int32_t)placed - (int32_t)peer_placed), milli, per_cent(milli, peer_milli));
    return wrong;
}

int main(int argc, char **argv)
{
    const char *shared = getenv("PARTITA_SHARED");
    const struct side *side = sides;
    char peers[4096], folder[4400];
    int wrong = 0, found = 0;
    while (argc == 2 && side < sides + sizeof sides / sizeof *sides &&
           strcmp(side->name, argv[1]) != 0)
        side++;
    if (argc != 2 || side == sides + sizeof sides / sizeof *sides) rig_die("usage: peer_fgd NAME");
    snprintf(peers, sizeof peers, "%s/reference/peers", shared != NULL ? shared : "../shared");
    DIR *all = opendir(peers);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (strncmp(entry->d_name, "fgd_", 4) != 0) continue;
        snprintf(folder, sizeof folder, "%s/%.255s", peers, entry->d_name);
        wrong += compare(folder, side);
        found++;
    }
    if (all != NULL) closedir(all);
    if (found == 0) {
        printf("skipped: there is no %s/fgd_*\n", peers);
        return 77;
    }
    return wrong != 0;
}
