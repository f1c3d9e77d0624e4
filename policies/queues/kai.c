#include "policies/queues/kai.h"

#include <stdlib.h>
#include <string.h>

#include "policies/queues/queues.h"

/* NVIDIA's KAI scheduler: hierarchical queues with quotas, over-quota weights, limits and
 * priorities. A cycle allocates, then moves jobs to make room (consolidation), then takes back from
 * queues above their shares (reclaim), then stops lower priorities of the same queue (preempt).
 *
 * What is idle goes to whoever asks, in the queues' order, up to limits alone: fair shares decide
 * whose turn it is and who may take back from whom. Jobs that can't be stopped run within quotas
 * only. In a queue, jobs go by priority, then age; one that doesn't fit holds nobody back.
 *
 * Decided here: stopping is a kill with a restart from the last checkpoint, so the default mode is
 * `checkpoint`; a moved job keeps its progress, as everywhere in this simulator; searches for room
 * that lead nowhere are bounded per pass (kai_cycle.c), and jobs are not moved for a shape again
 * before more units are free than when that was in vain. */

enum {
    PARAM_RECLAIM,
    PARAM_PREEMPT,
    PARAM_CONSOLIDATION,
    PARAM_VICTIMS,
    PARAM_FIXED_FROM,
    PARAM_RECLAIM_MIN,
    PARAM_PREEMPT_MIN,
    PARAM_MULTIPLIER,
    PARAM_K,
    PARAM_WINDOW,
    PARAM_HALF_LIFE,
    PARAM_LEFTOVERS
};

static const char *const reclaim_choices[] = {"both", "fair_share", "quota", "none", NULL};
static const char *const consolidation_choices[] = {"auto", "on", "off", NULL};
static const char *const leftovers_choices[] = {"by_priority", "last", NULL};
enum { CONSOLIDATION_AUTO, CONSOLIDATION_ON, CONSOLIDATION_OFF };

static const struct pt_param params[] = {
    [PARAM_RECLAIM] = {"reclaim", PT_PARAM_CHOICE, "", "both", NULL, NULL, reclaim_choices,
                       "between queues: from those above their fair share, from those above their "
                       "quota by one within its own, both, or never"},
    [PARAM_PREEMPT] = {"preempt", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                       "whether a job stops jobs of lower priority in its own queue"},
    [PARAM_CONSOLIDATION] = {"consolidation", PT_PARAM_CHOICE, "", "auto", NULL, NULL,
                             consolidation_choices,
                             "whether jobs are moved to make room; auto: unless jobs are spread"},
    [PARAM_VICTIMS] = {"consolidation_victims", PT_PARAM_INT, "jobs", "16", "0", "100000", NULL,
                       "at most so many jobs are tried to be moved for one"},
    [PARAM_FIXED_FROM] =
        {"non_preemptible_from", PT_PARAM_INT, "", "100", NULL, NULL, NULL,
         "jobs whose own priority is this or more are never stopped, and run within "
         "quotas only"},
    [PARAM_RECLAIM_MIN] = {"reclaim_min_runtime", PT_PARAM_DURATION, "", "0s", "0s", NULL, NULL,
                           "a job that has run for less is not stopped for another queue"},
    [PARAM_PREEMPT_MIN] = {"preempt_min_runtime", PT_PARAM_DURATION, "", "0s", "0s", NULL, NULL,
                           "a job that has run for less is not stopped for its own queue"},
    [PARAM_MULTIPLIER] = {"reclaimer_utilization_multiplier", PT_PARAM_NUMBER, "", "1", "1", "1000",
                          NULL,
                          "how far a queue above its fair share must stay below the saturation of "
                          "one it takes from"},
    [PARAM_K] = {"k_value", PT_PARAM_NUMBER, "", "0", "0", "1000", NULL,
                 "how much past use lowers a queue's part of what is over the quotas; 0 = not"},
    [PARAM_WINDOW] = {"usage_window", PT_PARAM_DURATION, "", "168h", "1s", NULL, NULL,
                      "past use: of this sliding window"},
    [PARAM_HALF_LIFE] = {"usage_half_life", PT_PARAM_DURATION, "", "0s", "0s", NULL, NULL,
                         "past use: decays with this half-life instead; 0s = the window"},
    [PARAM_LEFTOVERS] = {"leftovers", PT_PARAM_CHOICE, "", "by_priority", NULL, NULL,
                         leftovers_choices,
                         "when whole GPUs that rounding left are given out: at each priority, or "
                         "after all as before v0.18.3"},
    {0}};

/* ---- what jobs hold ---- */

/* Past use is added up to now before what the queues hold changes. */
static void use(struct pt_kai *kai, const struct pt_ctx *ctx, uint32_t leaf)
{
    if (!(kai->tree.rules.k > 0)) return;
    for (uint32_t n = leaf; n != PT_NONE; n = kai->tree.node[n].parent)
        pt__kai_usage_add(&kai->usage, n,
                          (double)kai->tree.node[n].held / (double)kai->tree.parts_per_gpu,
                          pt_view_now_ns(ctx));
}

static void hold(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job, uint32_t pool, bool take)
{
    const struct pt_kai_group *group = &kai->jobs.group[kai->jobs.group_of[job]];
    uint64_t parts = pt_view_parts(ctx, pool, job);
    use(kai, ctx, group->leaf);
    pt__kai_tree_ask(&kai->tree, group->leaf, parts, take);
    pt__kai_tree_hold(&kai->tree, group->leaf, parts, group->fixed, take);
    if (!group->fixed) pt__kai_runs(&kai->jobs, job, take);
}

void pt__kai_gives(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job)
{
    uint8_t *at = &kai->jobs.pool_of[job];
    uint32_t pool = *at & ~PT_KAI_STOPPED_BEFORE;
    if (pool == 0) return;
    hold(kai, ctx, job, pool - 1, false);
    *at &= PT_KAI_STOPPED_BEFORE;
}

void pt__kai_takes(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job)
{
    uint8_t *at = &kai->jobs.pool_of[job];
    uint32_t pool = pt_view_held_pool(ctx, job);
    if (pool == PT_NONE || (*at & ~PT_KAI_STOPPED_BEFORE) == pool + 1) return;
    pt__kai_gives(kai, ctx, job);
    hold(kai, ctx, job, pool, true);
    *at |= (uint8_t)(pool + 1);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_kai *kai = state;
    pt__kai_gives(kai, ctx, job); /* it waited for its units in vain */
    pt__kai_wait(&kai->jobs, &kai->tree, job);
    const struct pt_kai_group *group = &kai->jobs.group[kai->jobs.group_of[job]];
    const struct pt_kai_shape *shape = &kai->jobs.shape[group->shape];
    if (group->head == job && shape->blocked) pt_ctx_say(ctx, job, shape->why);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_kai *kai = state;
    pt__kai_gives(kai, ctx, job); /* it gave up while its units were made ready */
    (void)pt__kai_leave(&kai->jobs, &kai->tree, job);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct pt_kai *kai = state;
    pt__kai_released(&kai->jobs, &kai->tree, ctx, pools);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    pt__kai_takes(state, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)why;
    pt__kai_gives(state, ctx, job);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    return pt__kai_cycle(state, ctx);
}

/* ---- life ---- */

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_BY_TENANT | PT_POLICY_QUOTAS;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct pt_kai);
}

static void fini(void *state)
{
    struct pt_kai *kai = state;
    pt__kai_tree_fini(&kai->tree);
    pt__kai_jobs_fini(&kai->jobs);
    pt__kai_usage_fini(&kai->usage);
    free(kai->held);
    free(kai->left);
    free(kai->cursor);
    free(kai->lifted);
}

static bool spreads(const struct pt_ctx *ctx)
{
    const char *name = pt_view_placement(ctx)->name;
    return strcmp(name, "spread") == 0 || strcmp(name, "worst_fit") == 0;
}

static void read_params(struct pt_kai *kai, const struct pt_ctx *ctx, const struct pt_value *values)
{
    kai->reclaim = (enum pt_kai_reclaim)values[PARAM_RECLAIM].integer;
    kai->may_stop = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE;
    kai->preempt = values[PARAM_PREEMPT].integer != 0;
    kai->consolidation_victims = (uint32_t)values[PARAM_VICTIMS].integer;
    kai->consolidate =
        kai->consolidation_victims > 0 &&
        (values[PARAM_CONSOLIDATION].integer == CONSOLIDATION_ON ||
         (values[PARAM_CONSOLIDATION].integer == CONSOLIDATION_AUTO && !spreads(ctx)));
    kai->reclaim_min_ns = values[PARAM_RECLAIM_MIN].integer;
    kai->preempt_min_ns = values[PARAM_PREEMPT_MIN].integer;
    kai->multiplier = values[PARAM_MULTIPLIER].number;
    kai->tree.rules.k = values[PARAM_K].number;
    kai->tree.rules.leftovers_last = values[PARAM_LEFTOVERS].integer != 0;
}

/* A job by which each pool's GPUs in service can be counted, and the most units a job wants. */
static uint32_t look_at_shapes(struct pt_kai *kai, const struct pt_ctx *ctx)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < PT_POOLS_MAX; p++)
        kai->pool_job[p] = PT_NONE;
    for (uint32_t s = 0; s < kai->jobs.shape_count; s++) {
        pt_job job = kai->jobs.shape[s].job;
        uint32_t units = pt_view_units_wanted(ctx, job);
        if (units > most) most = units;
        for (uint64_t pools = units == 0 ? 0 : kai->jobs.shape[s].pools; pools != 0;
             pools &= pools - 1)
            kai->pool_job[__builtin_ctzll(pools)] = job;
    }
    return most;
}

static enum pt_status build(struct pt_kai *kai, const struct pt_ctx *ctx,
                            const struct pt_value *values, struct pt_error *error)
{
    PT_TRY(pt__kai_tree_init(&kai->tree, ctx, error));
    PT_TRY(pt__kai_jobs_init(&kai->jobs, &kai->tree, ctx, values[PARAM_FIXED_FROM].integer, error));
    if (kai->tree.rules.k > 0)
        PT_TRY(pt__kai_usage_init(&kai->usage, kai->tree.count, values[PARAM_WINDOW].integer,
                                  values[PARAM_HALF_LIFE].integer, error));
    uint64_t lifted = 64 + 4 * (uint64_t)look_at_shapes(kai, ctx);
    if (lifted < kai->consolidation_victims) lifted = kai->consolidation_victims;
    if (lifted > kai->jobs.job_count) lifted = kai->jobs.job_count;
    size_t nodes = (size_t)kai->tree.count + 1;
    kai->held = malloc(nodes * sizeof *kai->held);
    kai->left = malloc(nodes * sizeof *kai->left);
    kai->cursor = malloc(nodes * sizeof *kai->cursor);
    kai->lifted = malloc((lifted + 1) * sizeof *kai->lifted);
    if (kai->held == NULL || kai->left == NULL || kai->cursor == NULL || kai->lifted == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for kai");
    return PT_OK;
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct pt_kai *kai = state;
    read_params(kai, ctx, values);
    kai->later_ns = PT_NEVER;
    kai->woken_ns = -1;
    enum pt_status status = build(kai, ctx, values, error);
    if (status != PT_OK) fini(kai);
    return status;
}

const struct pt_policy_ops pt__kai = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "kai",
    .summary = "queues with quotas and fair shares of the rest, which they take back from each "
               "other; jobs by priority, then age",
    .source = "NVIDIA's KAI scheduler (kai-scheduler/KAI-Scheduler): docs/fairness, docs/queues, "
              "docs/priority, docs/time-based-fairshare; plugins/proportion",
    .columns = "tenant,priority,preemptible",
    .preemption = PT_PREEMPTION_CHECKPOINT,
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = on_release,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
