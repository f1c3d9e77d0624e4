/* What if, and the verbs that really do it, on random worlds of all modes.
 *
 *   trials COUNT [FIRST_SEED]
 *
 * Each world runs three times under an order that starts whoever fits. Quiet: nothing else. Trying:
 * with random trials between, all of them given up; after each, every counter and index of GPUs,
 * nodes and pools is as before, and in the end all events are the same. Acting: trials are carried
 * out, jobs stopped, ended and declined at random, with costs of saving, tenants' limits and nodes
 * that fail; every invariant holds after every instant, and no job is lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "sim/core/engine.h"
#include "tests/property/worlds.h"

#define TOUCHED_MAX 32
#define ACTS 40 /* of one world */

enum doing { QUIET, TRYING, ACTING };
enum touch { LIFTED, ASSUMED, STARTED }; /* STARTED: pending, and assumed */

/* One run; one at a time. */
static struct run {
    enum doing doing;
    struct draw draw;
    uint32_t acts_left;
    const char *wrong;
    bool runs[WORLD_JOBS]; /* by what the policy is told */
    uint32_t touched;
    struct {
        pt_job job;
        enum touch how;
    } touch[TOUCHED_MAX];
} run;

static struct {
    uint64_t worlds, lifted, put_back, assumed, given_up, carried_out, refused, stopped;
} seen;

static void fail(const char *what)
{
    if (run.wrong == NULL) run.wrong = what;
}

/* ---- what must be as before ---- */

static void add_pool(XXH3_state_t *hash, const struct pt_pool_state *p)
{
    uint32_t gpus = p->pool->node_count * p->pool->gpus_per_node;
    uint64_t sums[] = {p->open_gpus, p->up_gpus, p->free_units, p->held_units, p->busy_ppm};
    XXH3_128bits_update(hash, sums, sizeof sums);
    if (p->nested != NULL) XXH3_128bits_update(hash, p->state, gpus * p->stride);
    if (p->masks != NULL) XXH3_128bits_update(hash, p->masks, gpus * sizeof *p->masks);
    if (p->free_max != NULL)
        XXH3_128bits_update(hash, p->free_max, 2 * (size_t)p->free_leaves * sizeof *p->free_max);
    if (p->free_mem != NULL)
        XXH3_128bits_update(hash, p->free_mem, 2 * (size_t)p->free_leaves * sizeof *p->free_mem);
    if (p->load_count != NULL)
        XXH3_128bits_update(hash, p->load_count,
                            (size_t)p->pool->node_count * p->capacity * sizeof *p->load_count);
}

static XXH128_hash_t snapshot(const struct pt_ctx *ctx)
{
    const struct pt_sim *sim = (const struct pt_sim *)ctx;
    const struct pt_cluster *cluster = sim->world.cluster;
    XXH3_state_t *hash = XXH3_createState();
    if (hash == NULL) rig_die("out of memory");
    XXH3_128bits_reset(hash);
    for (uint32_t g = 0; g < cluster->gpu_count; g++)
        XXH3_128bits_update(hash, &sim->gpus[g], sizeof sim->gpus[g]);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct pt_node_state *node = &sim->nodes[n];
        uint64_t facts[] = {node->open_gpus,       node->idle_gpus,    node->free_units, node->load,
                            node->cpus_free_milli, node->mem_free_mib, node->claims,     node->up};
        XXH3_128bits_update(hash, facts, sizeof facts);
    }
    for (uint32_t p = 0; p < sim->pool_count; p++)
        add_pool(hash, &sim->pools[p]);
    if (sim->clients != NULL)
        XXH3_128bits_update(hash, sim->clients, cluster->gpu_count * sizeof *sim->clients);
    if (sim->tenant_parts != NULL)
        XXH3_128bits_update(hash, sim->tenant_parts,
                            sim->world.tenant_count * sizeof *sim->tenant_parts);
    XXH128_hash_t result = XXH3_128bits_digest(hash);
    XXH3_freeState(hash);
    return result;
}

/* ---- random steps of a trial ---- */

static void lift(struct pt_ctx *ctx)
{
    uint32_t running = pt_view_running_count(ctx);
    if (running == 0 || run.touched == TOUCHED_MAX) return;
    pt_job job = pt_view_running_at(ctx, draw_below(&run.draw, running));
    for (uint32_t i = 0; i < run.touched; i++)
        if (run.touch[i].job == job) return;
    if (!pt_ctx_try_lift(ctx, job)) return; /* it is being saved */
    run.touch[run.touched].job = job;
    run.touch[run.touched++].how = LIFTED;
    seen.lifted++;
}

static void unlift(struct pt_ctx *ctx)
{
    if (run.touched == 0) return;
    uint32_t i = draw_below(&run.draw, run.touched);
    bool free_to_go = run.touch[i].how == LIFTED;
    if (!pt_ctx_try_unlift(ctx, run.touch[i].job)) return;
    if (!free_to_go) fail("a job that was assumed elsewhere was put back");
    run.touch[i] = run.touch[--run.touched];
    seen.put_back++;
}

/* Somebody who was lifted, or who waits; PT_NONE if the draw finds nobody. */
static pt_job somebody(const struct pt_ctx *ctx, uint32_t *at)
{
    *at = run.touched;
    if (run.touched > 0 && draw_chance(&run.draw, 50)) {
        *at = draw_below(&run.draw, run.touched);
        return run.touch[*at].how == LIFTED ? run.touch[*at].job : PT_NONE;
    }
    pt_job job =
        pt_view_class_next_pending(ctx, draw_below(&run.draw, pt_view_class_count(ctx)), PT_NONE);
    for (uint32_t i = 0; i < run.touched; i++)
        if (run.touch[i].job == job) return PT_NONE;
    return job;
}

static void assume(struct pt_ctx *ctx)
{
    uint32_t at;
    const struct pt_units *units;
    pt_job job = run.touched < TOUCHED_MAX ? somebody(ctx, &at) : PT_NONE;
    if (job == PT_NONE || !pt_ctx_place(ctx, &units, job, UINT64_MAX)) return;
    bool assumed = pt_ctx_try_assume(ctx, job, units);
    const struct pt_preemption *how = pt_view_preemption(ctx);
    bool saves = how->save_base_ns > 0 || how->save_per_gib_ns > 0;
    if (!assumed && saves && pt_view_units_wanted(ctx, job) == 0)
        return; /* it has no units to be kept while others are saved */
    if (!assumed) {
        fail("what the placement offers is not legal in the assumed world");
        return;
    }
    run.touch[at].job = job;
    run.touch[at].how = at == run.touched ? STARTED : ASSUMED;
    run.touched += at == run.touched;
    seen.assumed++;
}

static void look(const struct pt_ctx *ctx)
{
    uint32_t nodes = pt_view_cluster(ctx)->node_count;
    pt_job job = draw_below(&run.draw, pt_view_trace(ctx)->job_count);
    uint32_t wanted = pt_view_units_wanted(ctx, job) + 1;
    if (pt_view_node_room(ctx, draw_below(&run.draw, nodes), job, wanted) > wanted)
        fail("a node has more room than was asked about");
}

static void steps(struct pt_ctx *ctx)
{
    run.touched = 0;
    for (uint32_t count = 1 + draw_below(&run.draw, 12); count > 0; count--)
        switch (draw_below(&run.draw, 6)) {
        case 0:
        case 1:
            lift(ctx);
            break;
        case 2:
            unlift(ctx);
            break;
        case 3:
        case 4:
            assume(ctx);
            break;
        default:
            look(ctx);
        }
}

static void try_and_give_up(struct pt_ctx *ctx)
{
    XXH128_hash_t before = snapshot(ctx);
    steps(ctx);
    pt_ctx_try_abort(ctx);
    XXH128_hash_t after = snapshot(ctx);
    if (!XXH128_isEqual(before, after)) fail("a trial that was given up has left something");
    seen.given_up++;
}

/* ---- for real ---- */

static void try_and_carry_out(struct pt_ctx *ctx)
{
    bool may = true;
    steps(ctx);
    for (uint32_t i = 0; i < run.touched; i++)
        if (run.touch[i].how != STARTED && !pt_view_preemptible(ctx, run.touch[i].job)) may = false;
    enum pt_status status = pt_ctx_try_commit(ctx);
    if (!may && status != PT_ERR_REFUSED) fail("a job that nobody may stop was stopped or moved");
    if (may && status == PT_ERR_REFUSED) fail("what was assumed could not be carried out");
    if (status == PT_OK)
        seen.carried_out++;
    else
        seen.refused++;
}

static void act(struct pt_ctx *ctx)
{
    uint32_t running = pt_view_running_count(ctx), at;
    pt_job job = running == 0 ? PT_NONE : pt_view_running_at(ctx, draw_below(&run.draw, running));
    run.acts_left--;
    switch (draw_below(&run.draw, 8)) {
    case 0:
        if (job == PT_NONE) break;
        if ((pt_ctx_preempt(ctx, job) == PT_OK) != true && pt_view_preemptible(ctx, job))
            fail("a job that may be stopped was not");
        seen.stopped++;
        break;
    case 1:
        if (job != PT_NONE && draw_chance(&run.draw, 20) && pt_ctx_kill(ctx, job) != PT_OK)
            seen.refused++;
        break;
    case 2:
        run.touched = 0;
        job = somebody(ctx, &at);
        if (job == PT_NONE || !draw_chance(&run.draw, 20)) break;
        if (pt_ctx_decline(ctx, job, PT_REASON_DECLINED) != PT_OK) seen.refused++;
        break;
    default:
        try_and_carry_out(ctx);
    }
}

/* ---- what the policy is told ---- */

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    (void)state, (void)ctx;
    run.runs[job] = true;
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)state, (void)ctx, (void)why;
    if (!run.runs[job]) fail("a job stopped that had not started");
    run.runs[job] = false;
}

/* Whoever it was told runs, runs, or is on its way; nobody else does. */
static void check_what_was_told(const struct pt_ctx *ctx)
{
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++)
        if (!run.runs[pt_view_running_at(ctx, i)]) fail("a job runs, and nobody said so");
    for (pt_job job = 0; job < pt_view_trace(ctx)->job_count; job++) {
        enum pt_job_state state = pt_view_state(ctx, job);
        if (run.runs[job] && state != PT_STATE_RUNNING && state != PT_STATE_RESERVED)
            fail("a job runs no more, and nobody said so");
    }
}

static enum pt_status start_all(struct pt_ctx *ctx)
{
    const struct pt_units *units;
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++)
        for (pt_job job; (job = pt_view_class_next_pending(ctx, c, PT_NONE)) != PT_NONE &&
                         pt_ctx_place(ctx, &units, job, UINT64_MAX);)
            PT_TRY(pt_ctx_start(ctx, job, units));
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    (void)state;
    if (pt_view_trace(ctx)->job_count == 0) return PT_OK;
    check_what_was_told(ctx);
    if (run.doing == TRYING) try_and_give_up(ctx);
    if (run.doing == ACTING && run.acts_left > 0 && draw_chance(&run.draw, 60)) act(ctx);
    PT_TRY(start_all(ctx));
    if (run.doing == TRYING) try_and_give_up(ctx);
    return PT_OK;
}

static const struct pt_policy_ops ops = {.abi = PT_POLICY_ABI,
                                         .size = sizeof ops,
                                         .name = "test_trials",
                                         .preemption = PT_PREEMPTION_SUSPEND,
                                         .on_started = on_started,
                                         .on_stopped = on_stopped,
                                         .schedule = schedule};

/* ---- the worlds ---- */

#define TENANTS 3
static struct pt_tenant_facts tenants[TENANTS];
static uint32_t tenant_of_word[TENANTS];

static void draw_tenants(struct rig *rig, const struct world *world, struct draw *draw)
{
    static const char *const names[TENANTS] = {"t0", "t1", "t2"};
    for (uint32_t t = 0; t < TENANTS; t++) {
        bool limited = draw_chance(draw, 50);
        tenants[t] = (struct pt_tenant_facts){
            .name = names[t],
            .parent = t == 2 ? 0 : PT_NONE,
            .weight = 1,
            .quota = PT_QUOTA_NONE,
            .limit = limited ? (1 + draw_below(draw, 12)) * UINT64_C(500000) : PT_QUOTA_NONE,
            .borrowing_limit = PT_QUOTA_NONE,
            .lending_limit = PT_QUOTA_NONE};
    }
    for (pt_job row = 0; row < world->job_count; row++) {
        uint32_t t = draw_below(draw, TENANTS);
        rig_set_cell(rig, row, PT_COL_TENANT, names[t]);
        tenant_of_word[pt_trace_u32(&rig->trace, PT_COL_TENANT, row)] = t;
        if (draw_chance(draw, 15)) rig_set_cell(rig, row, PT_COL_PREEMPTIBLE, "false");
    }
    rig->world.tenants = tenants;
    rig->world.tenant_count = TENANTS;
    rig->world.tenant_of_word = tenant_of_word;
}

/* Runs the world; false, and it is said, where something does not hold. */
static bool holds(const struct world *world, const char *kind, enum doing doing, char digest[33])
{
    static const char *const doings[] = {"quiet", "trying", "acting"};
    static struct rig rig;
    struct draw draw = {world->seed * 3};
    run = (struct run){.doing = doing, .draw = {world->seed}, .acts_left = ACTS};
    world_build(&rig, world);
    rig.world.policy = &ops;
    rig.world.preemption.mode = (enum pt_preemption_mode)(1 + draw_below(&draw, 3));
    if (draw_chance(&draw, 40)) rig.world.preemption.save_base_ns = 3 * PT_NS_PER_S / 2;
    if (draw_chance(&draw, 30)) rig.world.preemption.save_per_gib_ns = PT_NS_PER_S / 16;
    if (draw_chance(&draw, 60)) draw_tenants(&rig, world, &draw);
    enum pt_status status = rig_run(&rig);
    if (status != PT_OK && status != PT_ERR_DEADLOCK) fail(rig.error.message);
    struct pt_error error;
    if (status == PT_ERR_DEADLOCK && pt_sim_abandon(rig.sim, &error) != PT_OK) fail(error.message);
    for (pt_job job = 0; job < rig.trace.job_count; job++)
        if (rig.results[job].state == PT_STATE_COUNT) fail("a job is lost");
    if (run.wrong != NULL)
        printf("world %" PRIu64 " (%s), %s, preemption %d, save %g + %g a GiB: %s\n", world->seed,
               kind, doings[doing], (int)rig.world.preemption.mode,
               pt_seconds(rig.world.preemption.save_base_ns),
               pt_seconds(rig.world.preemption.save_per_gib_ns), run.wrong);
    memcpy(digest, rig.digest, 33);
    bool good = run.wrong == NULL;
    rig_fini(&rig);
    return good;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + count; seed++)
        for (int kind = WORLD_ANY; kind < WORLD_KINDS; kind++) {
            static struct world world;
            char quiet[33], trying[33], acting[2][33];
            const char *name = world_kind_names[kind];
            world_draw(&world, seed, (enum world_kind)kind);
            if (!holds(&world, name, QUIET, quiet) || !holds(&world, name, TRYING, trying) ||
                !holds(&world, name, ACTING, acting[0]) || !holds(&world, name, ACTING, acting[1]))
                return 1;
            seen.worlds++;
            bool same = strcmp(quiet, trying) == 0, again = strcmp(acting[0], acting[1]) == 0;
            if (same && again) continue;
            printf("world %" PRIu64 " (%s): %s\n", seed, name,
                   same ? "not the same twice" : "trials that were given up have changed events");
            return 1;
        }
    printf("%" PRIu64 " worlds: %" PRIu64 " lifted, %" PRIu64 " put back, %" PRIu64
           " assumed; %" PRIu64 " trials given up, %" PRIu64 " carried out, %" PRIu64
           " refused, %" PRIu64 " stopped\n",
           seen.worlds, seen.lifted, seen.put_back, seen.assumed, seen.given_up, seen.carried_out,
           seen.refused, seen.stopped);
    return seen.carried_out < seen.worlds; /* a test that does nothing proves nothing */
}
