#include "analysis/stats/summary.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stats/distributions.h"
#include "analysis/stats/groups.h"
#include "analysis/stats/money.h"

/* What one pass over the jobs counts of a group. */
struct tally {
    uint64_t jobs, by_state[PT_STATE_COUNT], preemptions, sla_bound, sla_met;
    int64_t first_submit_ns, last_end_ns; /* PT_NEVER, PT_TIME_ABSENT: none */
    pt_u128 done_work;                    /* GPU x ns on the reference GPU, window only */
};

struct builder {
    const struct pt_summary_input *input;
    struct pt_summary *summary;
    struct pt__dimension dimension;
    struct tally *tallies; /* by group of the dimension */
    size_t *first;         /* order[first[g] .. first[g + 1]) are the jobs of group g */
    pt_job *order;         /* jobs by group; NULL for all jobs */
    double *scratch;
    bool *has_jobs;   /* by tenant */
    uint32_t tenants; /* that have jobs */
};

static uint32_t gpus_of(const struct pt_trace *trace, pt_job job)
{
    const uint32_t *gpus = trace->column[PT_COL_GPUS];
    return gpus == NULL || gpus[job] == PT_NONE ? 1 : gpus[job];
}

/* Work of a job in GPU x ns, in the pool where it ran or (PT_NONE) could run: work_s is its time on
 * the shares that it asks for. */
static pt_u128 gpu_work(const struct pt_summary_input *input, pt_job job, uint32_t pool)
{
    pt_u128 work =
        (pt_u128)(uint64_t)pt_trace_work_ns(input->trace)[job] * gpus_of(input->trace, job);
    if (input->sim == NULL) return work;
    struct pt_ratio asked = pt_sim_asked(input->sim, job, pool);
    return work * asked.numerator / asked.denominator;
}

static uint32_t pool_of(const struct pt_summary_input *input, pt_job job)
{
    uint32_t gpu = input->outcomes->home_gpu[job];
    return gpu == PT_NONE ? PT_NONE : pt_cluster_pool_of_gpu(input->cluster, gpu);
}

static void tally_job(struct tally *t, const struct pt_summary_input *input, pt_job job)
{
    const struct pt_outcomes *o = input->outcomes;
    int64_t submit_ns = pt_trace_submit_ns(input->trace)[job];
    bool counted = submit_ns >= input->warmup_ns;
    int met = counted ? pt_summary_sla_met(input, job) : -1;
    t->jobs++;
    t->by_state[o->state[job]]++;
    t->preemptions += o->preemptions[job];
    t->sla_bound += met >= 0;
    t->sla_met += met == 1;
    if (submit_ns < t->first_submit_ns) t->first_submit_ns = submit_ns;
    if (o->start_ns[job] != PT_TIME_ABSENT && o->end_ns[job] > t->last_end_ns) {
        t->last_end_ns = o->end_ns[job];
    }
    if (counted && o->state[job] == PT_STATE_DONE) {
        t->done_work += gpu_work(input, job, pool_of(input, job));
    }
}

/* One pass for the tallies, one more to lay the jobs of each group side by side. */
static enum pt_status sort_into_groups(struct builder *b, struct pt_error *error)
{
    const struct pt_summary_input *input = b->input;
    uint32_t groups = b->dimension.count, n = input->trace->job_count;
    bool whole = b->dimension.id == PT_BY_NOTHING;
    b->tallies = calloc((size_t)groups + 1, sizeof(*b->tallies));
    b->first = calloc((size_t)groups + 2, sizeof(*b->first));
    if (!whole) b->order = malloc(((size_t)n + 1) * sizeof(*b->order));
    if (b->tallies == NULL || b->first == NULL || (!whole && b->order == NULL)) {
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary of %u jobs", n);
    }
    for (uint32_t g = 0; g < groups; g++) {
        b->tallies[g].first_submit_ns = PT_NEVER;
        b->tallies[g].last_end_ns = PT_TIME_ABSENT;
    }
    for (pt_job job = 0; job < n; job++) {
        uint32_t group = pt__dimension_group(&b->dimension, input, job);
        if (group < groups) tally_job(&b->tallies[group], input, job);
    }
    for (uint32_t g = 0; g < groups; g++)
        b->first[g + 1] = b->first[g] + b->tallies[g].jobs;
    if (whole) return PT_OK;
    for (pt_job job = 0; job < n; job++) {
        uint32_t group = pt__dimension_group(&b->dimension, input, job);
        if (group < groups) b->order[b->first[group]++] = job;
    }
    for (uint32_t g = groups; g > 0; g--)
        b->first[g] = b->first[g - 1];
    b->first[0] = 0;
    return PT_OK;
}

static void add_counts(struct pt_metric_group *group, const struct tally *t)
{
    const uint64_t *by_state = t->by_state;
    pt__metric_add_count(group, PT_METRIC_jobs, t->jobs);
    pt__metric_add_count(group, PT_METRIC_done, by_state[PT_STATE_DONE]);
    pt__metric_add_count(group, PT_METRIC_failed, by_state[PT_STATE_FAILED]);
    pt__metric_add_count(group, PT_METRIC_killed, by_state[PT_STATE_KILLED]);
    pt__metric_add_count(group, PT_METRIC_withdrawn, by_state[PT_STATE_WITHDRAWN]);
    pt__metric_add_count(group, PT_METRIC_unschedulable, by_state[PT_STATE_UNSCHEDULABLE]);
    pt__metric_add_count(group, PT_METRIC_running,
                         by_state[PT_STATE_RUNNING] + by_state[PT_STATE_PAUSED]);
    pt__metric_add_count(group, PT_METRIC_pending,
                         by_state[PT_STATE_FUTURE] + by_state[PT_STATE_HELD] +
                             by_state[PT_STATE_PENDING] + by_state[PT_STATE_RESERVED]);
    pt__metric_add_count(group, PT_METRIC_preemptions, t->preemptions);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Utilisation and its kin of one pool, or of all (PT_NONE). */
static void add_rates(struct pt_metric_group *group, const struct builder *b, uint32_t pool,
                      const struct tally *t)
{
    const struct pt_cluster *cluster = b->input->cluster;
    struct pt_pool_totals all;
    double held = 0, reference = 0;
    pt_sim_pool_totals(b->input->sim, pool, &all);
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        struct pt_pool_totals one;
        if (pool != PT_NONE && pool != p) continue;
        pt_sim_pool_totals(b->input->sim, p, &one);
        held += (double)one.held / cluster->pools[p].shape.capacity;
        reference += (double)one.there *
                     ((double)cluster->pools[p].rate[PT_CLASS_MIXED] / (double)PT_SPEED_ONE);
    }
    double there = (double)all.there;
    pt__metric_add(group, PT_METRIC_utilization, ratio((double)all.busy, there), 1);
    pt__metric_add(group, PT_METRIC_allocation, ratio(held, there), 1);
    pt__metric_add(group, PT_METRIC_fragmentation, all.fragmentation, 1);
    pt__metric_add_count(group, PT_METRIC_reconfigurations, all.reconfigurations);
    pt__metric_add_count(group, PT_METRIC_reconfiguration_failures, all.reconfiguration_failures);
    pt__metric_add(group, PT_METRIC_goodput, ratio((double)t->done_work, reference), 1);
}

/* Jain's index over the tenants that have jobs: (sum x)^2 / (n sum x^2). */
static void add_jain(struct pt_metric_group *group, const struct builder *b)
{
    const struct pt_summary_input *input = b->input;
    double sum = 0, squares = 0;
    for (uint32_t tenant = 0; tenant < input->tenant_count; tenant++) {
        double got = 0;
        if (!b->has_jobs[tenant]) continue;
        for (uint32_t p = 0; p < input->cluster->pool_count; p++) {
            got += (double)pt_sim_tenant_held(input->sim, p, tenant) /
                   input->cluster->pools[p].shape.capacity;
        }
        got /= input->tenant_weights == NULL ? 1 : input->tenant_weights[tenant];
        sum += got;
        squares += got * got;
    }
    pt__metric_add(group, PT_METRIC_jain_fairness, ratio(sum * sum, b->tenants * squares),
                   b->tenants);
}

/* A group of all jobs has the distributions of all jobs: the usual case of one tenant or pool. */
static void copy_distributions(struct pt_metric_group *group, const struct pt_metric_group *from)
{
    for (int id = PT_METRIC_jct; id < PT_METRIC_sla_satisfaction; id++) {
        const struct pt_metric *metric = pt_summary_find(from, pt_metric_infos[id].name);
        if (metric != NULL) group->metrics[group->count++] = *metric;
    }
}

static void add_group(struct pt_metric_group *group, struct builder *b, uint32_t index)
{
    const struct pt_summary_input *input = b->input;
    const struct tally *t = &b->tallies[index];
    bool whole = b->dimension.id == PT_BY_NOTHING;
    const pt_job *jobs = whole ? NULL : b->order + b->first[index];
    group->dimension = b->dimension.name;
    group->label = b->dimension.labels[index];
    add_counts(group, t);
    if (whole && input->sim != NULL) {
        struct pt_sim_stats stats;
        pt_sim_get_stats(input->sim, &stats);
        pt__metric_add_count(group, PT_METRIC_migrations, stats.migrations);
        pt__metric_add_count(group, PT_METRIC_faults, stats.faults);
        pt__metric_add_count(group, PT_METRIC_oom_events, stats.oom_events);
    }
    if (!whole && t->jobs == input->trace->job_count) {
        copy_distributions(group, &b->summary->groups[0]);
    } else {
        pt__distributions_add(group, input, jobs, t->jobs, b->tenants, b->scratch);
    }
    pt__metric_add(group, PT_METRIC_sla_satisfaction,
                   ratio((double)t->sla_met, (double)t->sla_bound), t->sla_bound);
    pt__tardiness_add(group, input, jobs, t->jobs, b->scratch);
    pt__metric_add(group, PT_METRIC_makespan_s,
                   t->last_end_ns == PT_TIME_ABSENT
                       ? 0
                       : (double)(t->last_end_ns - t->first_submit_ns) / (double)PT_NS_PER_S,
                   t->jobs);
    if (input->sim == NULL) return;
    if (whole || b->dimension.id == PT_BY_POOL) {
        add_rates(group, b, whole ? PT_NONE : index, t);
        pt__money_add_pool(group, input, whole ? PT_NONE : index, t->by_state[PT_STATE_DONE]);
    } else {
        pt__money_add_jobs(group, input, jobs, t->jobs, t->by_state[PT_STATE_DONE]);
    }
    if (whole) {
        pt__metric_add(group, PT_METRIC_offered_load, pt_offered_load(input), t->jobs);
        add_jain(group, b);
    }
}

static enum pt_status grow(struct pt_summary *summary, uint32_t more, struct pt_error *error)
{
    size_t count = (size_t)summary->group_count + more;
    struct pt_metric_group *groups = realloc(summary->groups, (count + 1) * sizeof(*groups));
    if (groups == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for %zu groups", count);
    summary->groups = groups;
    return PT_OK;
}

/* All groups of one dimension. Kinds that no job has are left out. */
static enum pt_status add_dimension(struct builder *b, enum pt_dimension_id id,
                                    struct pt_error *error)
{
    struct pt_summary *summary = b->summary;
    enum pt_status status = pt__dimension_init(&b->dimension, id, b->input, error);
    if (status == PT_OK) status = sort_into_groups(b, error);
    if (status == PT_OK) status = grow(summary, b->dimension.count, error);
    for (uint32_t i = 0; status == PT_OK && i < b->dimension.count; i++) {
        struct pt_metric_group *group = &summary->groups[summary->group_count];
        if (id == PT_BY_KIND && b->tallies[i].jobs == 0) continue;
        *group = (struct pt_metric_group){0};
        group->metrics = calloc(PT_METRIC_COUNT_, sizeof(*group->metrics));
        if (group->metrics == NULL) {
            status = pt_fail(error, PT_ERR_MEMORY, "no memory for the metrics of a group");
            break;
        }
        summary->group_count++;
        add_group(group, b, i);
    }
    free(b->order);
    free(b->first);
    free(b->tallies);
    b->order = NULL;
    b->first = NULL;
    b->tallies = NULL;
    pt__dimension_fini(&b->dimension);
    return status;
}

/* Which tenants have jobs, and how many. */
static void find_tenants(struct builder *b)
{
    for (pt_job job = 0; job < b->input->trace->job_count; job++) {
        uint32_t tenant = pt__tenant_of_job(b->input, job);
        if (tenant >= b->input->tenant_count || b->has_jobs[tenant]) continue;
        b->has_jobs[tenant] = true;
        b->tenants++;
    }
}

enum pt_status pt_summary_create(struct pt_summary **summary, const struct pt_summary_input *input,
                                 struct pt_error *error)
{
    struct builder b = {.input = input};
    enum pt_status status = PT_OK;
    b.summary = calloc(1, sizeof(*b.summary));
    b.scratch = malloc(((size_t)input->trace->job_count + 1) * sizeof(*b.scratch));
    b.has_jobs = calloc((size_t)input->tenant_count + 1, sizeof(*b.has_jobs));
    if (b.summary == NULL || b.scratch == NULL || b.has_jobs == NULL) {
        status = pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    }
    if (status == PT_OK) find_tenants(&b);
    for (int id = 0; status == PT_OK && id < PT_DIMENSION_COUNT; id++) {
        status = add_dimension(&b, (enum pt_dimension_id)id, error);
    }
    free(b.scratch);
    free(b.has_jobs);
    if (status != PT_OK) {
        pt_summary_destroy(b.summary);
        b.summary = NULL;
    }
    *summary = b.summary;
    return status;
}

void pt_summary_destroy(struct pt_summary *summary)
{
    if (summary == NULL) return;
    for (uint32_t i = 0; i < summary->group_count; i++)
        free(summary->groups[i].metrics);
    free(summary->groups);
    free(summary);
}

double pt_offered_load(const struct pt_summary_input *input)
{
    const struct pt_trace *trace = input->trace;
    const struct pt_cluster *cluster = input->cluster;
    pt_u128 work = 0;
    double gpus = 0;
    if (trace->job_count == 0) return NAN;
    for (pt_job job = 0; job < trace->job_count; job++) {
        if (input->sim != NULL && pt_sim_never_fits(input->sim, job) != PT_REASON_NONE) continue;
        work += gpu_work(input, job, PT_NONE);
    }
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        gpus += (double)pool->node_count * pool->gpus_per_node *
                ((double)pool->rate[PT_CLASS_MIXED] / (double)PT_SPEED_ONE);
    }
    double span_ns =
        (double)(pt_trace_submit_ns(trace)[trace->job_count - 1] - pt_trace_submit_ns(trace)[0]);
    return ratio((double)work, gpus * span_ns);
}
