/* Policies that mean no good: the engine refuses what is illegal, finds out that nothing can ever
 * happen, and stops who acts for ever, each by name and at once.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "policies/registry.h"
#include "tests/property/worlds.h"

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Never starts anybody. */
static enum pt_status idle_schedule(void *state, struct pt_ctx *ctx)
{
    (void)state, (void)ctx;
    return PT_OK;
}

/* Wakes itself for ever at one instant. */
static enum pt_status restless_schedule(void *state, struct pt_ctx *ctx)
{
    (void)state;
    return pt_ctx_wake_at(ctx, pt_view_now_ns(ctx));
}

/* Insists on starting a job that does not exist. */
static enum pt_status stubborn_schedule(void *state, struct pt_ctx *ctx)
{
    uint32_t gpu = 0;
    struct pt_units units = {.pool = 0, .count = 1, .capacity = 1, .gpus = &gpu, .node = PT_NONE};
    (void)state;
    for (uint32_t i = 0; i < 1000000; i++)
        if (pt_ctx_start(ctx, pt_view_trace(ctx)->job_count, &units) == PT_OK) return PT_OK;
    return PT_OK;
}

static const struct pt_policy_ops idle = {
    .abi = PT_POLICY_ABI, .size = sizeof idle, .name = "test_idle", .schedule = idle_schedule};
static const struct pt_policy_ops restless = {.abi = PT_POLICY_ABI,
                                              .size = sizeof restless,
                                              .name = "test_restless",
                                              .schedule = restless_schedule};
static const struct pt_policy_ops stubborn = {.abi = PT_POLICY_ABI,
                                              .size = sizeof stubborn,
                                              .name = "test_stubborn",
                                              .schedule = stubborn_schedule};

/* Two gangs of four on four nodes of one GPU each. */
static void two_gangs(struct rig *rig)
{
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, 4, 1, "exclusive", "");
    rig_add_job(rig, 0, 100 * PT_NS_PER_S, 4);
    rig_add_job(rig, 0, 100 * PT_NS_PER_S, 4);
}

static int is_stopped(const struct pt_policy_ops *policy, enum pt_status expected, const char *says)
{
    struct rig rig;
    two_gangs(&rig);
    rig.world.policy = policy;
    double from = seconds_now();
    enum pt_status status = rig_run(&rig);
    double took = seconds_now() - from;
    bool good = status == expected && strstr(rig.error.message, says) != NULL;
    printf("%s: %s after %.3f s: %s -> %s\n", policy->name, pt_status_name(status), took,
           rig.error.message, good && took < 1 ? "as it should" : "WRONG");
    rig_fini(&rig);
    return !(good && took < 1);
}

/* ---- a policy that tries everything that is forbidden, then does its work by the book ---- */

struct prober {
    const struct pt_policy_ops *fifo;
    uint64_t tried, let_through;
    uint32_t down_node; /* PT_NONE or one that is down now; the test knows the windows */
    const struct pt_cluster *cluster;
    const struct pt_down_window *window;
};
static struct prober prober; /* one test at a time */

static void must_be_refused(struct pt_ctx *ctx, pt_job job, uint32_t pool, uint32_t count,
                            uint32_t *gpus, uint32_t node)
{
    struct pt_units units = {
        .pool = pool, .count = count, .capacity = count, .gpus = gpus, .node = node};
    prober.tried++;
    if (pt_ctx_start(ctx, job, &units) != PT_ERR_REFUSED) prober.let_through++;
}

static void probe_job(struct pt_ctx *ctx, pt_job job)
{
    const struct pt_units *legal;
    uint32_t gpus[8], wanted = pt_view_units_wanted(ctx, job);
    uint32_t pool_count = pt_view_pool_count(ctx);
    if (wanted == 0 || wanted > 4 || !pt_ctx_place(ctx, &legal, job, UINT64_MAX)) return;
    uint32_t pool = legal->pool;
    memcpy(gpus, legal->gpus, wanted * sizeof gpus[0]);
    must_be_refused(ctx, job, pool_count, wanted, gpus, PT_NONE); /* no such pool */
    must_be_refused(ctx, job, PT_NONE, wanted, gpus, PT_NONE);
    must_be_refused(ctx, job, (pool + 1) % pool_count, wanted, gpus, PT_NONE); /* foreign GPUs */
    must_be_refused(ctx, job, pool, wanted - 1, gpus, PT_NONE);                /* a part */
    gpus[wanted] = gpus[0];
    must_be_refused(ctx, job, pool, wanted + 1, gpus, PT_NONE); /* too many */
    must_be_refused(ctx, job, pool, 0, gpus, prober.cluster->pools[pool].first_node);
    gpus[0] = prober.cluster->gpu_count; /* no such GPU */
    must_be_refused(ctx, job, pool, wanted, gpus, PT_NONE);
    gpus[0] = PT_NONE;
    must_be_refused(ctx, job, pool, wanted, gpus, PT_NONE);
    for (uint32_t i = 0; i < wanted; i++)
        gpus[i] = gpus[wanted]; /* twice the same, with distinct */
    if (wanted > 1) must_be_refused(ctx, job, pool, wanted, gpus, PT_NONE);
    if (pt_view_now_ns(ctx) >= prober.window->from_ns &&
        pt_view_now_ns(ctx) < prober.window->to_ns) {
        for (uint32_t i = 0; i < wanted; i++)
            gpus[i] = i; /* node 0 is down */
        must_be_refused(ctx, job, 0, wanted, gpus, PT_NONE);
    }
}

static void probe(struct pt_ctx *ctx)
{
    uint32_t gpu = 0, jobs = pt_view_trace(ctx)->job_count;
    must_be_refused(ctx, jobs, 0, 1, &gpu, PT_NONE); /* unknown jobs */
    must_be_refused(ctx, PT_NONE, 0, 1, &gpu, PT_NONE);
    if (pt_view_now_ns(ctx) < pt_trace_submit_ns(pt_view_trace(ctx))[jobs - 1])
        must_be_refused(ctx, jobs - 1, 0, 1, &gpu, PT_NONE); /* not submitted yet */
    if (pt_ctx_wake_at(ctx, pt_view_now_ns(ctx) - 1) != PT_ERR_REFUSED) prober.let_through++;
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
        pt_job job = pt_view_class_next_pending(ctx, c, PT_NONE);
        if (job != PT_NONE) probe_job(ctx, job);
    }
    /* questions about what does not exist have harmless answers */
    const struct pt_units *units;
    if (pt_ctx_place(ctx, &units, PT_NONE, UINT64_MAX) ||
        pt_view_class_next_pending(ctx, PT_NONE, PT_NONE) != PT_NONE ||
        pt_view_class_pools(ctx, PT_NONE) != 0)
        prober.let_through++;
    (void)pt_view_class_of(ctx, PT_NONE);
    (void)pt_view_units_wanted(ctx, PT_NONE);
    (void)pt_view_node_size(ctx, PT_NONE, PT_NONE);
    (void)pt_view_units_free(ctx, PT_NONE, 0);
}

/* After the work by the book, every GPU that a job holds is refused to the next. */
static void probe_busy(struct pt_ctx *ctx)
{
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
        pt_job job = pt_view_class_next_pending(ctx, c, PT_NONE);
        if (job == PT_NONE || pt_view_units_wanted(ctx, job) != 1) continue;
        const struct pt_units *legal;
        if (pt_ctx_place(ctx, &legal, job, UINT64_MAX)) continue;
        for (uint32_t p = 0; p < prober.cluster->pool_count; p++)
            for (uint32_t g = 0; g < prober.cluster->gpu_count; g++) {
                uint32_t gpu = g;
                must_be_refused(ctx, job, p, 1, &gpu, PT_NONE);
            }
    }
}

static enum pt_status prober_schedule(void *state, struct pt_ctx *ctx)
{
    probe(ctx);
    enum pt_status status = prober.fifo->schedule(state, ctx);
    if (status == PT_OK) probe_busy(ctx);
    return status;
}

static void crowd(struct rig *rig)
{
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, 1, 4, "exclusive", "");
    rig_add_pool(rig, &rig_h100, 2, 2, "time_slice", "replicas=2 memory=admit");
    struct draw draw = {7};
    for (uint32_t j = 0; j < 40; j++)
        rig_add_job(rig, (int64_t)(j / 4) * PT_NS_PER_S,
                    (int64_t)(1 + draw_below(&draw, 9)) * PT_NS_PER_S,
                    draw_below(&draw, 3) == 0 ? 2 : 1);
    rig_add_job(rig, 1000 * PT_NS_PER_S, PT_NS_PER_S, 1);
    rig->down[0][0] = (struct pt_down_window){3 * PT_NS_PER_S, 6 * PT_NS_PER_S};
    rig->nodes[0].down = rig->down[0];
    rig->nodes[0].down_count = 1;
    rig->world.check = true;
    rig_set_policy(rig, "fifo", "blocking=skip", "first_fit");
}

/* The world with the prober ends as the world without. */
static int is_unmoved(void)
{
    struct rig plain, probed;
    struct pt_sim_stats stats;
    crowd(&plain);
    crowd(&probed);
    prober = (struct prober){
        .fifo = plain.world.policy, .cluster = &probed.cluster, .window = &probed.down[0][0]};
    struct pt_policy_ops ops = *plain.world.policy;
    ops.name = "test_prober";
    ops.schedule = prober_schedule;
    probed.world.policy = &ops;
    enum pt_status a = rig_run(&plain), b = rig_run(&probed);
    if (b != PT_OK) printf("prober: %s\n", probed.error.message);
    pt_sim_get_stats(probed.sim, &stats);
    bool good = a == PT_OK && b == PT_OK && prober.let_through == 0 &&
                stats.refused >= prober.tried && strcmp(plain.digest, probed.digest) == 0;
    printf("test_prober: %" PRIu64 " illegal actions, %" PRIu64 " let through, %" PRIu64
           " counted as refused, the world is %s -> %s\n",
           prober.tried, prober.let_through, stats.refused,
           strcmp(plain.digest, probed.digest) == 0 ? "the same" : "another",
           good ? "as it should" : "WRONG");
    rig_fini(&plain);
    rig_fini(&probed);
    return !good;
}

/* ---- a policy that starts jobs anywhere, of any number of units, and then works by the book ----
 */

static struct {
    const struct pt_cluster *cluster;
    struct draw draw;
    uint64_t granted, refused;
} reckless;

/* A set that may or may not be legal: the right number of GPUs of one pool, wherever. */
static void try_anywhere(struct pt_ctx *ctx, pt_job job)
{
    struct draw *draw = &reckless.draw;
    uint32_t gpus[WORLD_GPUS], wanted = pt_view_units_wanted(ctx, job);
    uint8_t starts[WORLD_GPUS];
    const struct pt_pool *pool =
        &reckless.cluster->pools[draw_below(draw, reckless.cluster->pool_count)];
    struct pt_units units = {.pool = (uint32_t)(pool - reckless.cluster->pools),
                             .count = wanted,
                             .capacity = wanted,
                             .gpus = gpus,
                             .starts = draw_chance(draw, 10) ? NULL : starts,
                             .node = pool->first_node + draw_below(draw, pool->node_count)};
    if (wanted > WORLD_GPUS) return;
    bool any_start = draw_chance(draw, 30);
    for (uint32_t i = 0; i < wanted; i++) {
        gpus[i] = pool->first_gpu + draw_below(draw, pool->node_count * pool->gpus_per_node);
        starts[i] = any_start               ? PT_CELL_ANY
                    : draw_chance(draw, 90) ? (uint8_t)draw_below(draw, 8)
                    : draw_chance(draw, 50) ? PT_CELL_ANEW
                                            : (uint8_t)draw_bits(draw);
    }
    if (pt_ctx_start(ctx, job, &units) == PT_OK)
        reckless.granted++;
    else
        reckless.refused++;
}

static enum pt_status reckless_schedule(void *state, struct pt_ctx *ctx)
{
    (void)state;
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++)
        for (int tries = 0; tries < 6; tries++) {
            pt_job job = pt_view_class_next_pending(ctx, c, PT_NONE);
            if (job != PT_NONE) try_anywhere(ctx, job);
        }
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
        const struct pt_units *units;
        pt_job job;
        while ((job = pt_view_class_next_pending(ctx, c, PT_NONE)) != PT_NONE &&
               pt_ctx_place(ctx, &units, job, UINT64_MAX))
            PT_TRY(pt_ctx_start(ctx, job, units));
    }
    return PT_OK;
}

static uint32_t work_conserving(const struct pt_value *params)
{
    (void)params;
    return PT_POLICY_WORK_CONSERVING;
}

static const struct pt_policy_ops reckless_ops = {.abi = PT_POLICY_ABI,
                                                  .size = sizeof reckless_ops,
                                                  .name = "test_reckless",
                                                  .flags = work_conserving,
                                                  .schedule = reckless_schedule};

/* Every invariant holds on worlds of all modes, wherever jobs were let start. */
static int keeps_order(uint64_t worlds)
{
    uint64_t broken = 0;
    reckless.granted = reckless.refused = 0;
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        struct world world;
        struct rig rig;
        world_draw(&world, seed, WORLD_MIXED);
        world_build(&rig, &world);
        reckless.cluster = &rig.cluster;
        reckless.draw = (struct draw){seed};
        rig.world.policy = &reckless_ops;
        enum pt_status status = rig_run(&rig);
        if (status != PT_OK && status != PT_ERR_DEADLOCK && broken++ == 0)
            printf("test_reckless, seed %" PRIu64 ": %s\n", seed, rig.error.message);
        rig_fini(&rig);
    }
    bool good = broken == 0 && reckless.granted > worlds && reckless.refused > worlds;
    printf("test_reckless: %" PRIu64 " starts granted, %" PRIu64 " refused; %" PRIu64 " of %" PRIu64
           " worlds broken -> %s\n",
           reckless.granted, reckless.refused, broken, worlds, good ? "as it should" : "WRONG");
    return !good;
}

int main(void)
{
    int failures = is_stopped(&idle, PT_ERR_DEADLOCK, "2");
    failures += is_stopped(&restless, PT_ERR_POLICY, "test_restless");
    failures += is_stopped(&stubborn, PT_ERR_POLICY, "test_stubborn");
    failures += is_unmoved();
    failures += keeps_order(1000);
    return failures != 0;
}
