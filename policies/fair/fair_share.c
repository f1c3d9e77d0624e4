#include "policies/fair/accounts.h"
#include "policies/fair/factors.h"
#include "policies/fair/fair.h"
#include "policies/fair/intern.h"
#include "policies/fair/lines.h"

/* Slurm's multifactor priority: who has used less than its share goes first.
 *
 * Accounts are tenants, users are the users under them (a tenant's jobs without a user are one user
 * more). What a user has been allocated is charged while its jobs run and decays. Between two
 * passes only the factors of leaves change, not the order within a leaf, so a pass ranks the tree
 * and looks at the first line of each leaf that has somebody waiting. */

enum { BLOCKING_STRICT, BLOCKING_SKIP };
enum { TREE_FAIR, TREE_CLASSIC };
enum { FAVOR_LARGE, FAVOR_SMALL };

enum {
    PARAM_TREE,
    PARAM_HALF_LIFE,
    PARAM_DAMPENING,
    PARAM_RECALCULATE,
    PARAM_WEIGHT_FAIR_SHARE,
    PARAM_WEIGHT_AGE,
    PARAM_MAX_AGE,
    PARAM_WEIGHT_ASSOCIATION,
    PARAM_WEIGHT_JOB_SIZE,
    PARAM_FAVOR,
    PARAM_WEIGHT_POOL,
    PARAM_POOL_ORDER,
    PARAM_WEIGHT_QOS,
    PARAM_WEIGHT_GPUS,
    PARAM_WEIGHT_CPUS,
    PARAM_WEIGHT_MEMORY,
    PARAM_BILLING_CPU,
    PARAM_BILLING_MEMORY,
    PARAM_BLOCKING
};

static const char *const trees[] = {"fair", "classic", NULL};
static const char *const favors[] = {"large", "small", NULL};
static const char *const blockings[] = {"strict", "skip", NULL};

#define WEIGHT(name, fallback, help)                                                               \
    {                                                                                              \
        name, PT_PARAM_NUMBER, "", fallback, "0", "1000000000", NULL, help                         \
    }

static const struct pt_param params[] =
    {[PARAM_TREE] = {"tree", PT_PARAM_CHOICE, "", "fair", NULL, NULL, trees,
                     "fair: Fair Tree, ranks of a walk by share / usage among siblings; classic: "
                     "2^(-(usage / share) / dampening)"},
     [PARAM_HALF_LIFE] = {"half_life", PT_PARAM_DURATION, "s", "7d", "0s", NULL, NULL,
                          "after which usage counts half; 0s: it never decays"},
     [PARAM_DAMPENING] = {"dampening", PT_PARAM_NUMBER, "", "1", "0.000001", "1000000", NULL,
                          "classic: how little usage matters"},
     [PARAM_RECALCULATE] =
         {"recalculate", PT_PARAM_DURATION, "s", "0s", "0s", NULL, NULL,
          "fair-share factors are as of the latest multiple of this (Slurm: 5min); "
          "0s: as of now"},
     [PARAM_WEIGHT_FAIR_SHARE] = WEIGHT("weight_fair_share", "1", "of the fair-share factor"),
     [PARAM_WEIGHT_AGE] = WEIGHT("weight_age", "0", "of the time since submission / max_age"),
     [PARAM_MAX_AGE] = {"max_age", PT_PARAM_DURATION, "s", "7d", "1ns", NULL, NULL,
                        "waiting time from which the age factor is 1"},
     [PARAM_WEIGHT_ASSOCIATION] =
         WEIGHT("weight_association", "0", "of the tenant's priority / the highest of a tenant"),
     [PARAM_WEIGHT_JOB_SIZE] = WEIGHT("weight_job_size", "0", "of the job's GPUs / all GPUs"),
     [PARAM_FAVOR] = {"favor", PT_PARAM_CHOICE, "", "large", NULL, NULL,
                      favors, "which jobs have the greater job-size factor"},
     [PARAM_WEIGHT_POOL] = WEIGHT("weight_pool", "0", "of the pool's place in pool_order"),
     [PARAM_POOL_ORDER] =
         {"pool_order", PT_PARAM_WORDS, "", "", NULL, NULL, NULL,
          "pools from factor 1 down, those not named have 0; a job counts as in the "
          "best it may use"},
     [PARAM_WEIGHT_QOS] = WEIGHT("weight_qos", "0", "of the job's priority / the highest of a job"),
     [PARAM_WEIGHT_GPUS] = WEIGHT("weight_gpus", "0", "of the job's GPUs / all GPUs, as a TRES"),
     [PARAM_WEIGHT_CPUS] = WEIGHT("weight_cpus", "0", "of the job's CPUs / all CPUs, as a TRES"),
     [PARAM_WEIGHT_MEMORY] =
         WEIGHT("weight_memory", "0", "of the job's host memory / all host memory, as a TRES"),
     [PARAM_BILLING_CPU] =
         WEIGHT("billing_cpu", "0", "GPU seconds charged for a CPU second; a GPU second is 1"),
     [PARAM_BILLING_MEMORY] =
         WEIGHT("billing_memory", "0", "GPU seconds charged for a GiB of host memory a second"),
     [PARAM_BLOCKING] = {"blocking", PT_PARAM_CHOICE, "", "strict", NULL, NULL, blockings,
                         "whether a job that can't start holds back those behind it"},
     {0}};

struct fair_share {
    struct pt_lines lines; /* first: pt__lines_on_release is given this */
    struct pt_accounts accounts;
    struct pt_factors factors;
    struct pt_intern ranks; /* of jobs; only while the lines are built */
    bool strict, has_keys, scan;
    bool relative;     /* only how factors compare matters: rank who waits alone */
    uint32_t arrivals; /* of leaves, at the latest such ranking */
    int64_t ranked_ns; /* when that was */
    double weight, weight_age;
    int64_t max_age_ns;
};

static uint32_t flags(const struct pt_value *values)
{
    bool skips = values[PARAM_BLOCKING].integer == BLOCKING_SKIP;
    return PT_POLICY_STOPS_NOBODY | (skips ? PT_POLICY_WORK_CONSERVING : 0);
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct fair_share);
}

static void fini(void *state)
{
    struct fair_share *fair = state;
    pt__lines_fini(&fair->lines);
    pt__accounts_fini(&fair->accounts);
    pt__intern_fini(&fair->ranks);
}

/* ---- building ---- */

static void read_values(struct fair_share *fair, const struct pt_value *values)
{
    int64_t half_life_ns = values[PARAM_HALF_LIFE].integer;
    fair->strict = values[PARAM_BLOCKING].integer == BLOCKING_STRICT;
    fair->weight = values[PARAM_WEIGHT_FAIR_SHARE].number;
    fair->weight_age = values[PARAM_WEIGHT_AGE].number;
    fair->max_age_ns = values[PARAM_MAX_AGE].integer;
    fair->accounts.options =
        (struct pt_account_options){.half_life_ns = half_life_ns > 0 ? half_life_ns : PT_NEVER,
                                    .recalculate_ns = values[PARAM_RECALCULATE].integer,
                                    .classic = values[PARAM_TREE].integer == TREE_CLASSIC,
                                    .dampening = values[PARAM_DAMPENING].number,
                                    .cpu_ppm = (uint64_t)values[PARAM_BILLING_CPU].ppm,
                                    .memory_ppm = (uint64_t)values[PARAM_BILLING_MEMORY].ppm};
}

static enum pt_status read_factors(struct fair_share *fair, const struct pt_ctx *ctx,
                                   const struct pt_value *values, struct pt_error *error)
{
    struct pt_factor_weights weights = {.association = values[PARAM_WEIGHT_ASSOCIATION].number,
                                        .job_size = values[PARAM_WEIGHT_JOB_SIZE].number,
                                        .pool = values[PARAM_WEIGHT_POOL].number,
                                        .qos = values[PARAM_WEIGHT_QOS].number,
                                        .gpus = values[PARAM_WEIGHT_GPUS].number,
                                        .cpus = values[PARAM_WEIGHT_CPUS].number,
                                        .memory = values[PARAM_WEIGHT_MEMORY].number,
                                        .favor_small = values[PARAM_FAVOR].integer == FAVOR_SMALL,
                                        .pool_order = values[PARAM_POOL_ORDER].text};
    fair->has_keys = pt__factors_any(&weights);
    fair->scan = fair->has_keys && fair->weight_age != 0;
    fair->relative = !fair->has_keys && fair->weight_age == 0 && !fair->accounts.options.classic &&
                     fair->accounts.options.recalculate_ns == 0;
    fair->ranked_ns = -1;
    return pt__factors_init(&fair->factors, ctx, &weights, error);
}

/* The job's leaf, and its rank if that tells jobs of a leaf and class apart. */
static struct pt_line_of line_of(void *state, const struct pt_ctx *ctx, pt_job job)
{
    struct fair_share *fair = state;
    struct pt_line_of of = {.leaf = pt__accounts_leaf(&fair->accounts, ctx, job)};
    if (fair->factors.weight.qos == 0) return of;
    uint64_t rank = (uint64_t)pt_view_rank(ctx, job).value;
    struct pt_triple value = {(uint32_t)(rank >> 32), (uint32_t)rank, 0};
    if (!pt__intern(&of.rank, &fair->ranks, value)) of.rank = PT_NONE;
    return of;
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct fair_share *fair = state;
    read_values(fair, values);
    enum pt_status status = read_factors(fair, ctx, values, error);
    if (status == PT_OK) status = pt__accounts_init(&fair->accounts, ctx, error);
    if (status == PT_OK)
        status = pt__lines_init(&fair->lines, ctx, fair->accounts.leaf_count, line_of, fair, error);
    if (status != PT_OK) {
        fini(fair);
        return status;
    }
    for (pt_job job = 0; fair->has_keys && job < pt_view_trace(ctx)->job_count; job++)
        fair->lines.line[fair->lines.line_of[job]].key = pt__factors_of(&fair->factors, ctx, job);
    pt__accounts_built(&fair->accounts);
    pt__intern_fini(&fair->ranks);
    return PT_OK;
}

static uint32_t leaf_of(const struct fair_share *fair, pt_job job)
{
    return fair->lines.line[fair->lines.line_of[job]].leaf;
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct fair_share *fair = state;
    pt__accounts_charge(&fair->accounts, ctx, job, leaf_of(fair, job));
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct fair_share *fair = state;
    (void)why;
    pt__accounts_uncharge(&fair->accounts, ctx, job, leaf_of(fair, job));
}

/* ---- the queue ---- */

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct fair_share *fair = state;
    (void)ctx;
    pt__lines_add(&fair->lines, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct fair_share *fair = state;
    (void)ctx;
    pt__lines_remove(&fair->lines, job);
}

/* What age adds to a job's priority: weight x wait / max_age, at most the weight. */
static double age_of(const struct fair_share *fair, const struct pt_ctx *ctx, pt_job job)
{
    if (fair->weight_age == 0) return 0;
    int64_t wait_ns = pt_view_now_ns(ctx) - pt_trace_submit_ns(pt_view_trace(ctx))[job];
    if (wait_ns >= fair->max_age_ns) return fair->weight_age;
    return fair->weight_age * ((double)wait_ns / (double)fair->max_age_ns);
}

struct choice {
    uint32_t line; /* PT_NONE = nobody */
    pt_job job;
    double priority;
};

static void offer(struct choice *best, const struct fair_share *fair, const struct pt_ctx *ctx,
                  uint32_t line)
{
    const struct pt_line *l = &fair->lines.line[line];
    pt_job job = pt__lines_head(&fair->lines, line);
    double priority = fair->weight * pt__accounts_factor(&fair->accounts, l->leaf);
    priority += l->key + age_of(fair, ctx, job);
    if (best->line != PT_NONE &&
        (priority < best->priority || (priority == best->priority && job > best->job)))
        return;
    *best = (struct choice){line, job, priority};
}

/* Whether the line is out of this pass: it waits for what is blocked, or its class can't start. */
static bool passed_by(struct fair_share *fair, const struct pt_ctx *ctx, uint32_t line,
                      uint64_t blocked)
{
    uint32_t class_id = fair->lines.line[line].class_id;
    if (fair->strict) {
        if ((pt_view_class_pools(ctx, class_id) & ~blocked) != 0) return false;
        pt__lines_pass_by(&fair->lines, line);
    } else {
        if (fair->lines.class_state[class_id] == PT_CLASS_FITS) return false;
        pt__lines_park(&fair->lines, line);
    }
    return true;
}

/* Offers the leaf's first line, or all of them where ages that reach their bound change the order
 * among them. */
static void offer_leaf(struct choice *best, struct fair_share *fair, const struct pt_ctx *ctx,
                       uint32_t leaf, uint64_t blocked)
{
    struct pt_lines *lines = &fair->lines;
    for (uint32_t i = 0; i < lines->leaf_size[leaf];) {
        uint32_t line = lines->leaf_line[lines->leaf_first[leaf] + i];
        if (passed_by(fair, ctx, line, blocked)) continue; /* another took its slot */
        offer(best, fair, ctx, line);
        if (!fair->scan) return;
        i++;
    }
}

static void rank(struct fair_share *fair, int64_t now_ns)
{
    const struct pt_lines *lines = &fair->lines;
    if (!fair->relative) {
        pt__accounts_rank(&fair->accounts, now_ns);
    } else if (fair->ranked_ns != now_ns || fair->arrivals != lines->arrivals) {
        fair->ranked_ns = now_ns;
        fair->arrivals = lines->arrivals;
        pt__accounts_rank_some(&fair->accounts, now_ns, lines->active, lines->active_count);
    }
}

/* Whose turn it is, of those not known to have to wait. */
static struct choice choose(struct fair_share *fair, const struct pt_ctx *ctx, uint64_t blocked)
{
    struct pt_lines *lines = &fair->lines;
    struct choice best = {PT_NONE, PT_NONE, 0};
    if (lines->active_count > 1) rank(fair, pt_view_now_ns(ctx));
    for (uint32_t i = lines->active_count; i-- > 0;) /* a leaf that goes is replaced by the last */
        offer_leaf(&best, fair, ctx, lines->active[i], blocked);
    return best;
}

static enum pt_status start(struct fair_share *fair, struct pt_ctx *ctx, pt_job job,
                            const struct pt_units *units)
{
    pt__lines_remove(&fair->lines, job); /* before it can come back */
    return pt_ctx_start(ctx, job, units);
}

static enum pt_status schedule_skip(struct fair_share *fair, struct pt_ctx *ctx)
{
    struct pt_lines *lines = &fair->lines;
    while (lines->fit_classes > 0) {
        struct choice next = choose(fair, ctx, 0);
        const struct pt_units *units;
        if (next.line == PT_NONE) break;
        if (pt_ctx_place(ctx, &units, next.job, UINT64_MAX)) {
            PT_TRY(start(fair, ctx, next.job, units));
            continue;
        }
        bool limit = pt_view_why(ctx) == PT_REASON_LIMIT;
        pt__lines_unfit(lines, lines->line[next.line].class_id,
                        limit ? PT_CLASS_OVERLIMIT : PT_CLASS_UNFIT);
    }
    return PT_OK;
}

/* Tries a job in the pools that nobody before it waits for; what it waits for is blocked then. */
static enum pt_status try_strictly(struct fair_share *fair, struct pt_ctx *ctx, uint64_t *blocked,
                                   const struct choice *next)
{
    struct pt_lines *lines = &fair->lines;
    uint32_t class_id = lines->line[next->line].class_id;
    uint64_t pools = pt_view_class_pools(ctx, class_id);
    const struct pt_units *units;
    enum pt_class_state known = (enum pt_class_state)lines->class_state[class_id];
    if (known == PT_CLASS_FITS) {
        if (pt_ctx_place(ctx, &units, next->job, pools & ~*blocked))
            return start(fair, ctx, next->job, units);
        known = pt_view_why(ctx) == PT_REASON_LIMIT ? PT_CLASS_OVERLIMIT : PT_CLASS_UNFIT;
        if ((pools & *blocked) == 0) pt__lines_unfit(lines, class_id, known);
    }
    if (known != PT_CLASS_OVERLIMIT) *blocked |= pools;
    pt__lines_pass_by(lines, next->line);
    return PT_OK;
}

static enum pt_status schedule_strict(struct fair_share *fair, struct pt_ctx *ctx)
{
    uint64_t blocked = 0;
    enum pt_status status = PT_OK;
    while (status == PT_OK && fair->lines.fit_classes > 0 &&
           (uint32_t)__builtin_popcountll(blocked) < pt_view_pool_count(ctx)) {
        struct choice next = choose(fair, ctx, blocked);
        if (next.line == PT_NONE) break;
        status = try_strictly(fair, ctx, &blocked, &next);
    }
    pt__lines_pass_over(&fair->lines);
    return status;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct fair_share *fair = state;
    return fair->strict ? schedule_strict(fair, ctx) : schedule_skip(fair, ctx);
}

const struct pt_policy_ops pt__fair_share = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "fair_share",
    .summary = "by Slurm's multifactor priority: users who used least of their share go first",
    .source = "Slurm's priority/multifactor (SchedMD/slurm 284c3b9), Fair Tree and classic",
    .columns = "tenant,user,priority,cpus,mem_gib",
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = pt__lines_on_release,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
