/* Every registered policy that the slow scheduler knows, on random worlds: the same start, end and
 * number of preemptions of every job.
 *
 *   policy_worlds COUNT [FIRST_SEED [POLICY]]    COUNT worlds of each policy
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/property/slow_policy.h"
#include "tests/property/worlds.h"

static const enum pt_preemption_mode mode_of[] = {PT_PREEMPTION_NONE, PT_PREEMPTION_SUSPEND,
                                                  PT_PREEMPTION_CHECKPOINT, PT_PREEMPTION_KILL};

/* Small numbers, so that there are ties of all kinds. */
static void draw_job(struct draw *draw, struct slow_job *job, int64_t *submit_s)
{
    *submit_s += draw_below(draw, 4);
    job->submit_ns = *submit_s * PT_NS_PER_S;
    job->work_ns = (int64_t)draw_below(draw, 9) * PT_NS_PER_S;
    job->gpus = draw_chance(draw, 60) ? 1 : 1 + draw_below(draw, 6);
    job->nodes_max = draw_chance(draw, 25) ? 1 + draw_below(draw, 2) : UINT32_MAX;
    job->estimate_ns =
        draw_chance(draw, 30) ? SLOW_ABSENT : (1 + (int64_t)draw_below(draw, 9)) * PT_NS_PER_S;
    job->deadline_ns =
        draw_chance(draw, 30) ? SLOW_ABSENT : (int64_t)draw_below(draw, 20) * PT_NS_PER_S;
    job->checkpoint_ns = draw_chance(draw, 30)   ? SLOW_ABSENT
                         : draw_chance(draw, 20) ? SLOW_NEVER
                                                 : (int64_t)draw_below(draw, 4) * PT_NS_PER_S;
    job->priority = draw_below(draw, 3);
    job->preemptible = !draw_chance(draw, 15);
    job->tenant = draw_below(draw, SLOW_TENANTS);
}

static void draw_world(struct slow_world *world, uint64_t seed)
{
    struct draw draw = {seed};
    int64_t submit_s = 0;
    memset(world, 0, sizeof *world);
    world->seed = seed;
    world->nodes = 1 + draw_below(&draw, 3);
    world->gpus_per_node = 1 + draw_below(&draw, 4);
    world->job_count = 1 + draw_below(&draw, 12);
    world->strict = draw_chance(&draw, 50);
    world->mode = (enum slow_mode)draw_below(&draw, 4);
    world->restore_ns = draw_chance(&draw, 30) ? PT_NS_PER_S : 0;
    for (uint32_t t = 0; t < SLOW_TENANTS; t++)
        world->weight[t] = 1 + draw_below(&draw, 2);
    for (uint32_t j = 0; j < world->job_count; j++)
        draw_job(&draw, &world->jobs[j], &submit_s);
}

static void set_time(struct rig *rig, pt_job row, enum pt_column_id column, int64_t ns)
{
    char text[32];
    if (ns == SLOW_ABSENT) return;
    snprintf(text, sizeof text, "%" PRId64, ns / PT_NS_PER_S);
    rig_set_cell(rig, row, column, ns == SLOW_NEVER ? "inf" : text);
}

static void set_number(struct rig *rig, pt_job row, enum pt_column_id column, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    rig_set_cell(rig, row, column, text);
}

/* What the words of the trace mean: priorities as they are written, tenants by their number. */
static struct pt_rank ranks[8], no_ranks[SLOW_TENANTS];
static uint32_t tenants[SLOW_TENANTS + 1];
static struct pt_tenant_facts facts[SLOW_TENANTS];

static void read_words(struct rig *rig, const struct slow_world *world)
{
    const struct pt_words *words = &rig->trace.words[PT_COL_PRIORITY];
    for (uint32_t w = 0; w < words->count && w < 8; w++)
        ranks[w] = (struct pt_rank){strtoll(words->words[w], NULL, 10), true, true};
    rig->world.rank_of_word = ranks;
    words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t w = 0; w < words->count && w < SLOW_TENANTS; w++)
        tenants[w] = (uint32_t)strtoul(words->words[w] + 1, NULL, 10);
    for (uint32_t t = 0; t < SLOW_TENANTS; t++) {
        no_ranks[t] = (struct pt_rank){0, true, true};
        facts[t] = (struct pt_tenant_facts){.name = "tenant",
                                            .parent = PT_NONE,
                                            .weight = world->weight[t],
                                            .over_quota_weight = 1,
                                            .quota = PT_QUOTA_NONE,
                                            .limit = PT_QUOTA_NONE,
                                            .borrowing_limit = PT_QUOTA_NONE,
                                            .lending_limit = PT_QUOTA_NONE};
    }
    rig->world.rank_of_tenant = no_ranks;
    rig->world.tenant_count = SLOW_TENANTS;
    rig->world.tenant_of_word = tenants;
    rig->world.tenants = facts;
}

static bool has_param(const struct pt_policy_ops *ops, const char *name)
{
    for (uint32_t i = 0; ops->params != NULL && ops->params[i].name != NULL; i++)
        if (strcmp(ops->params[i].name, name) == 0) return true;
    return false;
}

static void build(struct rig *rig, const struct slow_world *world, const struct slow_policy *policy)
{
    const struct pt_policy_ops *ops = pt_policy_find(policy->name);
    bool blocks = has_param(ops, "blocking");
    char params[128];
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, world->nodes, world->gpus_per_node, "exclusive", "");
    const char *blocking = !blocks ? "" : world->strict ? "blocking=strict" : "blocking=skip";
    snprintf(params, sizeof params, "%s %s", blocking,
             policy->params == NULL ? "" : policy->params);
    rig_set_policy(rig, policy->name, params, "first_fit");
    rig->world.seed = world->seed;
    rig->world.preemption.mode = mode_of[world->mode];
    rig->world.restore.base_ns = world->restore_ns;
    for (uint32_t j = 0; j < world->job_count; j++) {
        const struct slow_job *job = &world->jobs[j];
        char tenant[8];
        pt_job row = rig_add_job(rig, job->submit_ns, job->work_ns, job->gpus);
        if (job->nodes_max != UINT32_MAX) set_number(rig, row, PT_COL_NODES_MAX, job->nodes_max);
        set_time(rig, row, PT_COL_ESTIMATE, job->estimate_ns);
        set_time(rig, row, PT_COL_DEADLINE, job->deadline_ns);
        set_time(rig, row, PT_COL_CHECKPOINT, job->checkpoint_ns);
        set_number(rig, row, PT_COL_PRIORITY, job->priority);
        snprintf(tenant, sizeof tenant, "t%u", job->tenant);
        rig_set_cell(rig, row, PT_COL_TENANT, tenant);
        rig_set_cell(rig, row, PT_COL_PREEMPTIBLE, job->preemptible ? "true" : "false");
    }
}

/* The world as this policy can have it: who has no choice of blocking lets pass whoever fits. */
static struct slow_world fitted(const struct slow_world *world, const struct slow_policy *policy)
{
    struct slow_world fitted = *world;
    if (!has_param(pt_policy_find(policy->name), "blocking")) fitted.strict = false;
    if (policy->stops_nobody) fitted.mode = SLOW_NONE;
    return fitted;
}

/* False, and it is said, where the engine and the slow scheduler differ. */
static bool same(const struct slow_world *world, const struct slow_policy *policy, bool say)
{
    static struct rig rig;
    static struct slow_run slow;
    slow_run(&slow, world, policy);
    build(&rig, world, policy);
    pt_job bad_row;
    enum pt_status status = pt_trace_finish(&rig.trace, &bad_row, &rig.error);
    rig.trace_finished = status == PT_OK;
    if (status == PT_OK) {
        read_words(&rig, world);
        status = rig_run(&rig);
    }
    bool equal = status == PT_OK;
    if (!equal && say) printf("  %s\n", rig.error.message);
    for (uint32_t j = 0; j < world->job_count && status == PT_OK; j++) {
        const struct pt_job_result *is = &rig.results[j];
        const struct slow_live *should = &slow.jobs[j];
        bool done = is->state == PT_STATE_DONE && should->state == SLOW_DONE;
        bool never = is->state == PT_STATE_UNSCHEDULABLE && should->state == SLOW_UNSCHEDULABLE;
        if (never) continue;
        if (done && is->start_ns == should->start_ns && is->end_ns == should->end_ns &&
            is->preemptions == should->preemptions)
            continue;
        equal = false;
        if (say)
            printf("  job %u: %g..%g, %u preemptions; slowly %g..%g, %u\n", j,
                   1e-9 * (double)is->start_ns, 1e-9 * (double)is->end_ns, is->preemptions,
                   1e-9 * (double)should->start_ns, 1e-9 * (double)should->end_ns,
                   should->preemptions);
    }
    rig_fini(&rig);
    return equal;
}

/* Takes jobs away as long as the two still differ. */
static void shrink(struct slow_world *world, const struct slow_policy *policy)
{
    for (uint32_t j = world->job_count; j-- > 0;) {
        struct slow_world less = *world;
        memmove(&less.jobs[j], &less.jobs[j + 1], (less.job_count - j - 1) * sizeof less.jobs[0]);
        less.job_count--;
        if (less.job_count > 0 && !same(&less, policy, false)) *world = less;
    }
}

static void show(const struct slow_world *world, const struct slow_policy *policy)
{
    static const char *const modes[] = {"none", "suspend", "checkpoint", "kill"};
    printf("%s differs in world %" PRIu64 ": %u x %u GPUs, %s, preemption %s, restore %g\n",
           policy->name, world->seed, world->nodes, world->gpus_per_node,
           world->strict ? "strict" : "skip", modes[world->mode], 1e-9 * (double)world->restore_ns);
    for (uint32_t j = 0; j < world->job_count; j++) {
        const struct slow_job *job = &world->jobs[j];
        printf("  job %u: submit %g work %g gpus %u nodes_max %d estimate %g deadline %g "
               "checkpoint %g priority %d tenant %u%s\n",
               j, 1e-9 * (double)job->submit_ns, 1e-9 * (double)job->work_ns, job->gpus,
               (int)job->nodes_max, 1e-9 * (double)job->estimate_ns,
               1e-9 * (double)job->deadline_ns, 1e-9 * (double)job->checkpoint_ns,
               (int)job->priority, job->tenant, job->preemptible ? "" : " not preemptible");
    }
    (void)same(world, policy, true);
}

static bool agrees(const struct slow_policy *policy, uint64_t first, uint64_t count)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct slow_world world;
        draw_world(&world, seed);
        world = fitted(&world, policy);
        if (same(&world, policy, false)) continue;
        shrink(&world, policy);
        show(&world, policy);
        return false;
    }
    printf("%s: %" PRIu64 " worlds agree\n", policy->name, count);
    return true;
}

static const struct slow_policy *slow_find(const char *name)
{
    for (const struct slow_policy *policy = slow_policies; policy->name != NULL; policy++)
        if (strcmp(policy->name, name) == 0) return policy;
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool ok = true;
    for (size_t i = 0; pt_policies[i] != NULL; i++) {
        const char *name = pt_policies[i]->name;
        if (argc > 3 && strcmp(argv[3], name) != 0) continue;
        const struct slow_policy *policy = slow_find(name);
        if (policy == NULL)
            printf("%s: its rules don't fit in the slow scheduler\n", name);
        else
            ok &= agrees(policy, first, count);
    }
    return ok ? 0 : 1;
}
