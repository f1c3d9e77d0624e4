/* fair_share under strict blocking against its formula: after every instant of a random world, who
 * was started has no lower priority than anybody who still waits, and the first of those does not
 * fit. Priorities are worked out anew from the log of the whole run: decayed usage as a sum over
 * all jobs, the classic formula by its recursion, age, job size and QOS by their definitions.
 *
 *   fair_priorities COUNT [FIRST_SEED]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/property/worlds.h"

#define JOBS_MAX 60
#define TENANTS 4u
#define USERS 3u
/* Priorities that are as good as equal: usage under 1e-9 GPU s counts as none. */
#define NEAR 1e-7

struct log_job {
    uint32_t tenant, user, gpus, priority;
    int64_t submit_ns, start_ns, end_ns;
};

static struct rig rig;
static struct log_job jobs[JOBS_MAX];
static uint32_t job_count, gpus, top_priority;
static struct pt_tenant_facts facts[TENANTS];
static struct pt_rank ranks[8], no_ranks[TENANTS];
static uint32_t tenant_of_word[TENANTS];
static double half_life_s, max_age_s, weight_age, weight_qos, weight_size;
static bool has_user[TENANTS][USERS];

static void draw_job(struct draw *draw, int64_t *submit_s)
{
    struct log_job *job = &jobs[job_count++];
    char text[16];
    *submit_s += draw_below(draw, 4);
    *job = (struct log_job){.tenant = draw_below(draw, TENANTS),
                            .user = draw_below(draw, USERS),
                            .gpus = draw_chance(draw, 60) ? 1 : 1 + draw_below(draw, gpus),
                            .priority = draw_below(draw, 3),
                            .submit_ns = *submit_s * PT_NS_PER_S};
    int64_t work_ns = (1 + (int64_t)draw_below(draw, 12)) * PT_NS_PER_S;
    pt_job row = rig_add_job(&rig, job->submit_ns, work_ns, job->gpus);
    snprintf(text, sizeof text, "t%u", job->tenant);
    rig_set_cell(&rig, row, PT_COL_TENANT, text);
    snprintf(text, sizeof text, "u%u", job->user);
    if (job->user > 0) rig_set_cell(&rig, row, PT_COL_USER, text); /* else nobody's */
    snprintf(text, sizeof text, "%u", job->priority);
    rig_set_cell(&rig, row, PT_COL_PRIORITY, text);
    has_user[job->tenant][job->user] = true;
    if (job->priority > top_priority) top_priority = job->priority;
}

static void add_words(struct draw *draw)
{
    const struct pt_words *words = &rig.trace.words[PT_COL_PRIORITY];
    for (uint32_t w = 0; w < words->count && w < 8; w++)
        ranks[w] = (struct pt_rank){strtoll(words->words[w], NULL, 10), true, true};
    words = &rig.trace.words[PT_COL_TENANT];
    for (uint32_t w = 0; w < words->count; w++)
        tenant_of_word[w] = (uint32_t)strtoul(words->words[w] + 1, NULL, 10);
    for (uint32_t t = 0; t < TENANTS; t++) {
        no_ranks[t] = (struct pt_rank){0, true, true};
        facts[t] = (struct pt_tenant_facts){.name = "tenant",
                                            .parent = t < 2 ? PT_NONE : draw_below(draw, t),
                                            .weight = 1 + draw_below(draw, 3),
                                            .over_quota_weight = 1,
                                            .quota = PT_QUOTA_NONE,
                                            .limit = PT_QUOTA_NONE,
                                            .borrowing_limit = PT_QUOTA_NONE,
                                            .lending_limit = PT_QUOTA_NONE};
    }
    rig.world.rank_of_word = ranks;
    rig.world.rank_of_tenant = no_ranks;
    rig.world.tenants = facts;
    rig.world.tenant_count = TENANTS;
    rig.world.tenant_of_word = tenant_of_word;
}

static void build(uint64_t seed)
{
    struct draw draw = {seed};
    char params[256];
    int64_t submit_s = 0;
    pt_job bad_row;
    memset(has_user, 0, sizeof has_user);
    job_count = top_priority = 0;
    gpus = 1 + draw_below(&draw, 5);
    half_life_s = 5 + draw_below(&draw, 40);
    max_age_s = 1 + draw_below(&draw, 30);
    weight_age = draw_chance(&draw, 60) ? draw_below(&draw, 3) : 0;
    weight_qos = draw_chance(&draw, 60) ? draw_below(&draw, 3) : 0;
    weight_size = draw_chance(&draw, 60) ? draw_below(&draw, 3) : 0;
    snprintf(params, sizeof params,
             "tree=classic half_life=%gs max_age=%gs weight_age=%g weight_qos=%g "
             "weight_job_size=%g",
             half_life_s, max_age_s, weight_age, weight_qos, weight_size);
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, gpus, "exclusive", "");
    rig_set_policy(&rig, "fair_share", params, "first_fit");
    for (uint32_t j = 0; j < JOBS_MAX; j++)
        draw_job(&draw, &submit_s);
    if (pt_trace_finish(&rig.trace, &bad_row, &rig.error) != PT_OK)
        rig_die("%s", rig.error.message);
    rig.trace_finished = true;
    add_words(&draw);
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    for (uint32_t j = 0; j < job_count; j++) {
        jobs[j].start_ns = rig.results[j].start_ns;
        jobs[j].end_ns = rig.results[j].end_ns;
    }
}

/* ---- the formula ---- */

static bool is_under(uint32_t tenant, uint32_t above)
{
    for (; tenant != PT_NONE; tenant = facts[tenant].parent)
        if (tenant == above) return true;
    return false;
}

/* Decayed GPU seconds of a tenant and all below it (PT_NONE = of all), or of one of its users. */
static double usage(uint32_t tenant, uint32_t user, int64_t t_ns)
{
    double sum = 0;
    for (uint32_t j = 0; j < job_count; j++) {
        const struct log_job *job = &jobs[j];
        if (tenant != PT_NONE && !is_under(job->tenant, tenant)) continue;
        if (user != PT_NONE && (job->tenant != tenant || job->user != user)) continue;
        if (job->start_ns >= t_ns) continue;
        double from = 1e-9 * (double)(t_ns - job->start_ns);
        double to = job->end_ns < t_ns ? 1e-9 * (double)(t_ns - job->end_ns) : 0;
        sum += job->gpus * half_life_s / log(2) *
               (exp2(-to / half_life_s) - exp2(-from / half_life_s));
    }
    return sum;
}

/* The first tenant has no share unless somebody is under it. */
static bool has_share(uint32_t tenant)
{
    for (uint32_t t = 0; t < TENANTS; t++)
        if (facts[t].parent == tenant) return true;
    return tenant > 0 || has_user[0][0] || has_user[0][1] || has_user[0][2];
}

/* A tenant's part of its siblings' shares; siblings are its parent's users too. */
static double part(double shares, uint32_t parent)
{
    double all = 0;
    for (uint32_t t = 0; t < TENANTS; t++)
        if (facts[t].parent == parent && has_share(t)) all += facts[t].weight;
    for (uint32_t u = 0; parent != PT_NONE && u < USERS; u++)
        all += has_user[parent][u];
    return shares / all;
}

static void account(double *share, double *effective, uint32_t tenant, double all, int64_t t_ns)
{
    const struct pt_tenant_facts *f = &facts[tenant];
    double own = all > 0 ? usage(tenant, PT_NONE, t_ns) / all : 0, above = 0;
    *share = 1;
    if (f->parent != PT_NONE) account(share, &above, f->parent, all, t_ns);
    double of = part(f->weight, f->parent);
    *share *= of;
    *effective = f->parent == PT_NONE ? own : own + (above - own) * of;
}

static double fair_share(const struct log_job *job, int64_t t_ns)
{
    double share, above, all = usage(PT_NONE, PT_NONE, t_ns);
    account(&share, &above, job->tenant, all, t_ns);
    double own = all > 0 ? usage(job->tenant, job->user, t_ns) / all : 0;
    double of = part(1, job->tenant);
    return exp2(-(own + (above - own) * of) / (share * of));
}

static double priority(const struct log_job *job, int64_t t_ns)
{
    double age = 1e-9 * (double)(t_ns - job->submit_ns) / max_age_s;
    double sum = fair_share(job, t_ns) + weight_age * fmin(1, age);
    if (top_priority > 0) sum += weight_qos * job->priority / top_priority;
    return sum + weight_size * job->gpus / gpus;
}

/* ---- the check ---- */

static bool right_at(int64_t t_ns)
{
    double least_started = INFINITY, most_waiting = -INFINITY;
    uint32_t held = 0, least_first = PT_NONE;
    for (uint32_t j = 0; j < job_count; j++) {
        const struct log_job *job = &jobs[j];
        if (job->start_ns <= t_ns && job->end_ns > t_ns) held += job->gpus;
        if (job->submit_ns > t_ns || job->start_ns < t_ns) continue;
        double p = priority(job, t_ns);
        if (job->start_ns == t_ns && p < least_started) least_started = p;
        if (job->start_ns > t_ns && p > most_waiting) most_waiting = p;
    }
    for (uint32_t j = 0; j < job_count; j++) { /* the largest of those who may be the first */
        const struct log_job *job = &jobs[j];
        if (job->submit_ns > t_ns || job->start_ns <= t_ns) continue;
        if (priority(job, t_ns) < most_waiting - NEAR) continue;
        if (least_first == PT_NONE || job->gpus > least_first) least_first = job->gpus;
    }
    bool fits = least_first != PT_NONE && least_first <= gpus - held;
    if (least_started >= most_waiting - NEAR && !fits) return true;
    printf("at %g: least started %.12g, most waiting %.12g, %u of %u held%s\n", 1e-9 * (double)t_ns,
           least_started, most_waiting, held, gpus, fits ? ", and the first would fit" : "");
    return false;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        bool right = true;
        build(seed);
        for (uint32_t j = 0; right && j < job_count; j++)
            right = right_at(jobs[j].submit_ns) && right_at(jobs[j].end_ns);
        rig_fini(&rig);
        if (right) continue;
        printf("world %" PRIu64 ": half-life %g, max_age %g, weights: age %g, QOS %g, size %g\n",
               seed, half_life_s, max_age_s, weight_age, weight_qos, weight_size);
        return 1;
    }
    printf("%" PRIu64 " worlds\n", count);
    return 0;
}
