#include "policies/preemption/victims.h"

#include <criterion/criterion.h>
#include <string.h>

#include "partita/random.h"
#include "tests/support/rig.h"

/* The victims that are found, against all sets that there are. An order of its own starts whoever
 * fits, and makes room for the last job of the trace, which may stop any other. */

#define S PT_NS_PER_S
#define JOBS_MAX 20
#define CANDIDATES_MAX 17 /* all sets of fewer are tried */

struct probe {
    struct pt_victim_state victims;
    pt_job preemptor;
    bool tried;
    /* what must come of it */
    bool exact, possible, done;
    uint32_t candidates, best; /* best: a bit by candidate */
    pt_job candidate[JOBS_MAX];
    uint32_t stopped; /* likewise, of those that were stopped */
};

/* What the worlds of a run have shown; one test, one process. */
struct seen {
    uint32_t sets, large; /* least sets of several jobs; worlds of many candidates */
};

/* ---- all sets ---- */

struct facts {
    uint64_t parts;
    uint32_t count;
    int64_t value[3][JOBS_MAX]; /* priorities, starts, rows: each sorted, what is compared first
                                   first, less is better */
};

static void insert(int64_t *values, uint32_t count, int64_t value, bool descending)
{
    uint32_t i = count;
    for (; i > 0 && (descending ? values[i - 1] < value : values[i - 1] > value); i--)
        values[i] = values[i - 1];
    values[i] = value;
}

static void facts_of(struct facts *facts, const struct probe *probe, const struct pt_ctx *ctx,
                     uint32_t bits)
{
    *facts = (struct facts){0};
    for (uint32_t i = 0; i < probe->candidates; i++) {
        if ((bits >> i & 1) == 0) continue;
        pt_job job = probe->candidate[i];
        facts->parts += pt_view_parts(ctx, pt_view_held_pool(ctx, job), job);
        insert(facts->value[0], facts->count, pt_view_rank(ctx, job).value, true);
        insert(facts->value[1], facts->count, -pt_view_attempt_ns(ctx, job), true);
        insert(facts->value[2], facts->count, -(int64_t)job, true);
        facts->count++;
    }
}

static bool is_better(const struct facts *a, const struct facts *b)
{
    if (a->parts != b->parts) return a->parts < b->parts;
    if (a->count != b->count) return a->count < b->count;
    for (int which = 0; which < 3; which++)
        for (uint32_t i = 0; i < a->count; i++)
            if (a->value[which][i] != b->value[which][i])
                return a->value[which][i] < b->value[which][i];
    return false;
}

static bool fits_without(struct pt_ctx *ctx, const struct probe *probe, uint32_t bits)
{
    const struct pt_units *units;
    for (uint32_t i = 0; i < probe->candidates; i++)
        if (bits >> i & 1) (void)pt_ctx_try_lift(ctx, probe->candidate[i]);
    bool fits = pt_ctx_place(ctx, &units, probe->preemptor, UINT64_MAX);
    pt_ctx_try_abort(ctx);
    return fits;
}

static void try_all(struct pt_ctx *ctx, struct probe *probe)
{
    struct facts best = {0}, facts;
    for (uint32_t bits = 1; bits < UINT32_C(1) << probe->candidates; bits++) {
        facts_of(&facts, probe, ctx, bits);
        if (probe->possible && !is_better(&facts, &best)) continue;
        if (!fits_without(ctx, probe, bits)) continue;
        probe->possible = true;
        probe->best = bits;
        best = facts;
    }
}

static void find_candidates(const struct pt_ctx *ctx, struct probe *probe)
{
    int64_t mine = pt_view_rank(ctx, probe->preemptor).value;
    for (pt_job job = 0; job < probe->preemptor; job++)
        if (pt_view_preemptible(ctx, job) && pt_view_rank(ctx, job).value < mine)
            probe->candidate[probe->candidates++] = job;
}

/* ---- the order ---- */

static size_t state_size(const struct pt_value *params, uint32_t classes)
{
    (void)params, (void)classes;
    return sizeof(struct probe *);
}

static struct probe the_probe; /* of the world that runs */

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *params,
                           struct pt_error *error)
{
    (void)state, (void)params;
    the_probe.preemptor = pt_view_trace(ctx)->job_count - 1;
    return pt__victims_init(&the_probe.victims, ctx, error);
}

static void fini(void *state)
{
    (void)state;
    pt__victims_fini(&the_probe.victims);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    (void)state;
    pt__victims_started(&the_probe.victims, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)state, (void)why;
    pt__victims_stopped(&the_probe.victims, ctx, job);
}

static enum pt_status make_room(struct pt_ctx *ctx, struct probe *probe)
{
    bool done;
    find_candidates(ctx, probe);
    if (probe->candidates >= CANDIDATES_MAX) return PT_OK;
    try_all(ctx, probe);
    probe->tried = true;
    PT_TRY(pt__victims_make_room(&probe->victims, ctx, probe->preemptor, UINT64_MAX, &done));
    probe->done = done;
    for (uint32_t i = 0; i < probe->candidates; i++)
        if (pt_view_state(ctx, probe->candidate[i]) == PT_STATE_PAUSED)
            probe->stopped |= UINT32_C(1) << i;
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    const struct pt_units *units;
    (void)state;
    for (pt_job job = 0; job < pt_view_trace(ctx)->job_count; job++) {
        bool waits = pt_view_state(ctx, job) == PT_STATE_PENDING;
        if (waits && pt_ctx_place(ctx, &units, job, UINT64_MAX))
            PT_TRY(pt_ctx_start(ctx, job, units));
        else if (waits && job == the_probe.preemptor && !the_probe.tried)
            PT_TRY(make_room(ctx, &the_probe));
    }
    return PT_OK;
}

static const struct pt_policy_ops probe_ops = {.abi = PT_POLICY_ABI,
                                               .size = sizeof(struct pt_policy_ops),
                                               .name = "probe",
                                               .summary = "finds victims for the last job",
                                               .source = "this test",
                                               .columns = "",
                                               .state_size = state_size,
                                               .init = init,
                                               .fini = fini,
                                               .on_started = on_started,
                                               .on_stopped = on_stopped,
                                               .schedule = schedule};

/* ---- the worlds ---- */

struct kind {
    const char *mode, *params;
    uint32_t nodes, gpus;
    uint32_t largest, wanted; /* GPUs of a job, at most; of the last one */
    bool any_nodes;           /* jobs may be spread */
    bool fractions, hosts;
};

static uint32_t below(gsl_rng *rng, uint32_t count)
{
    return (uint32_t)gsl_rng_uniform_int(rng, count);
}

static struct pt_rank rank_of_word[4];

static void draw(struct rig *rig, const struct kind *kind, gsl_rng *rng)
{
    static const char *const fractions[] = {"0.1", "0.25", "0.5", "0.7", "1"};
    static const char *const priorities[] = {"0", "1", "2", "3"};
    rig_init(rig);
    rig->world.check = true;
    rig->world.preemption.mode = PT_PREEMPTION_SUSPEND;
    rig->world.horizon_ns = 100 * S;
    struct pt_pool *pool =
        rig_add_pool(rig, &rig_h100, kind->nodes, kind->gpus, kind->mode, kind->params);
    if (kind->hosts) pool->cpus_milli_per_node = 16000;
    rig->world.policy = &probe_ops;
    rig->world.rank_of_word = rank_of_word;
    uint32_t jobs = JOBS_MAX - 3 + below(rng, 4);
    for (uint32_t i = 0; i < jobs; i++) {
        bool last = i == jobs - 1;
        pt_job job = rig_add_job(rig, last ? 50 * S : (int64_t)below(rng, 9) * S, 1000 * S,
                                 last ? kind->wanted : 1 + below(rng, kind->largest));
        uint32_t priority = last ? 3 : below(rng, 8) == 0 ? 3 : below(rng, 3);
        rig_set_cell(rig, job, PT_COL_PRIORITY, priorities[priority]);
        rank_of_word[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)] =
            (struct pt_rank){priority, true, true};
        if (below(rng, 10) == 0) rig_set_cell(rig, job, PT_COL_PREEMPTIBLE, "false");
        if (!kind->any_nodes) rig_set_cell(rig, job, PT_COL_NODES_MAX, "1");
        if (kind->fractions && below(rng, 3) > 0)
            rig_set_cell(rig, job, PT_COL_GPU_FRAC, fractions[below(rng, 5)]);
        if (kind->hosts) rig_set_cell(rig, job, PT_COL_CPUS, below(rng, 2) == 0 ? "1" : "5");
    }
}

static void compare(const struct kind *kind, uint64_t seed, struct seen *seen)
{
    static struct rig rig;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 7);
    memset(&the_probe, 0, sizeof the_probe);
    draw(&rig, kind, rng);
    cr_assert_eq(rig_run(&rig), PT_OK, "%s %lu: %s", kind->mode, (unsigned long)seed,
                 rig.error.message);
    const struct probe *probe = &the_probe;
    if (probe->tried && probe->candidates < CANDIDATES_MAX) {
        cr_assert_eq(probe->possible, probe->done, "%s %lu", kind->mode, (unsigned long)seed);
        cr_assert_eq(probe->stopped, probe->best, "%s %lu: stopped %x, the least set is %x",
                     kind->mode, (unsigned long)seed, probe->stopped, probe->best);
        seen->sets += __builtin_popcount(probe->best) > 1;
        seen->large += probe->candidates > PT_VICTIMS_TRIED;
    }
    gsl_rng_free(rng);
    rig_fini(&rig);
}

Test(victims, are_the_least_set_of_all, .timeout = 100)
{
    static const struct kind kinds[] = {
        {"exclusive", "", 3, 4, 3, 4, false, false, false},
        {"exclusive", "", 4, 3, 3, 5, true, false, false},
        {"exclusive", "", 2, 8, 1, 5, true, false, false},
        {"exclusive", "", 2, 8, 2, 6, false, false, false},
        {"exclusive", "", 4, 4, 2, 7, true, false, false},
        {"exclusive", "", 2, 4, 2, 3, false, false, true},
        {"time_slice", "replicas=2 memory=admit", 2, 4, 1, 4, false, false, false},
        {"mps", "replicas=4", 2, 2, 2, 2, false, true, false},
        {"fractional", "compute=time_slicing", 2, 2, 2, 2, false, true, false},
        {"mig", "reconfigure=partial reconfigure_s=0", 2, 2, 1, 2, false, true, false},
        {"exclusive", "", 3, 6, 1, 8, true, false, false},
        {"exclusive", "", 7, 3, 2, 4, true, false, false},
        {"exclusive", "", 7, 3, 2, 3, false, false, false},
        {"mig", "layout=all-balanced", 2, 3, 1, 3, false, true, false},
    };
    struct seen seen = {0};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (uint64_t seed = 1; seed <= 80; seed++)
            compare(&kinds[k], seed, &seen);
    }
    cr_assert_gt(seen.sets, 500, "sets of one job alone prove little");
    cr_assert_gt(seen.large, 100, "too many to try all sets, so that nodes are searched");
}
