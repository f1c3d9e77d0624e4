/* What fairness promises, on random worlds in which all tenants always have somebody waiting:
 *
 *   max_min, drf   after every start a tenant holds at most its part of the GPUs by weight and one
 *                  job more; so nobody holds less than its part less what the others' last jobs
 * take fair_share     GPU seconds by weight differ by no more than what runs at once at the end
 *   finish_time_fairness
 *                  of two jobs alike the earlier one ends first: nobody starves
 *
 *   fair_worlds COUNT [FIRST_SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/property/worlds.h"

#define TENANTS_MAX 4
#define JOBS_BY_WEIGHT 40u
#define WORK_MAX_S 9u

static uint32_t tenant_count, gpus;
static double weights[TENANTS_MAX], all_weights;
static struct pt_tenant_facts facts[TENANTS_MAX];
static struct pt_rank ranks[TENANTS_MAX];
static uint32_t tenant_of_word[TENANTS_MAX], tenant_of[3 * TENANTS_MAX * JOBS_BY_WEIGHT];
static struct rig rig;

static void add_tenants(void)
{
    const struct pt_words *words = &rig.trace.words[PT_COL_TENANT];
    for (uint32_t t = 0; t < tenant_count; t++) {
        facts[t] = (struct pt_tenant_facts){.name = "tenant",
                                            .parent = PT_NONE,
                                            .weight = weights[t],
                                            .over_quota_weight = 1,
                                            .quota = PT_QUOTA_NONE,
                                            .limit = PT_QUOTA_NONE,
                                            .borrowing_limit = PT_QUOTA_NONE,
                                            .lending_limit = PT_QUOTA_NONE};
        ranks[t] = (struct pt_rank){0, true, true};
    }
    for (uint32_t w = 0; w < words->count; w++)
        tenant_of_word[w] = (uint32_t)strtoul(words->words[w] + 1, NULL, 10);
    rig.world.tenants = facts;
    rig.world.tenant_count = tenant_count;
    rig.world.tenant_of_word = tenant_of_word;
    rig.world.rank_of_tenant = ranks;
}

/* All jobs are there at 0, as many by weight, in an order that is drawn. */
static void build(uint64_t seed, const char *policy, const char *params)
{
    struct draw draw = {seed};
    uint32_t left[TENANTS_MAX], jobs = 0;
    pt_job bad_row;
    tenant_count = 2 + draw_below(&draw, TENANTS_MAX - 1);
    gpus = 1 + draw_below(&draw, 9);
    all_weights = 0;
    for (uint32_t t = 0; t < tenant_count; t++) {
        weights[t] = 1 + draw_below(&draw, 3);
        all_weights += weights[t];
        left[t] = (uint32_t)weights[t] * JOBS_BY_WEIGHT;
        jobs += left[t];
    }
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 1, gpus, "exclusive", "");
    rig_set_policy(&rig, policy, params, "first_fit");
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t tenant = draw_below(&draw, tenant_count);
        char name[8];
        while (left[tenant] == 0)
            tenant = (tenant + 1) % tenant_count;
        left[tenant]--;
        tenant_of[j] = tenant;
        int64_t work_s = 1 + (int64_t)draw_below(&draw, WORK_MAX_S);
        pt_job row = rig_add_job(&rig, 0, work_s * PT_NS_PER_S, 1);
        snprintf(name, sizeof name, "t%u", tenant);
        rig_set_cell(&rig, row, PT_COL_TENANT, name);
    }
    if (pt_trace_finish(&rig.trace, &bad_row, &rig.error) != PT_OK)
        rig_die("%s", rig.error.message);
    rig.trace_finished = true;
    add_tenants();
    if (rig_run(&rig) != PT_OK) rig_die("%s: %s", policy, rig.error.message);
}

/* Until when everybody has somebody waiting: the earliest of the tenants' last starts. */
static int64_t saturated_until(void)
{
    int64_t last[TENANTS_MAX] = {0}, until = PT_NEVER;
    for (pt_job j = 0; j < rig.trace.job_count; j++)
        if (rig.results[j].start_ns > last[tenant_of[j]])
            last[tenant_of[j]] = rig.results[j].start_ns;
    for (uint32_t t = 0; t < tenant_count; t++)
        if (last[t] < until) until = last[t];
    return until;
}

static uint32_t held(uint32_t tenant, int64_t t_ns)
{
    uint32_t count = 0;
    for (pt_job j = 0; j < rig.trace.job_count; j++)
        count += tenant_of[j] == tenant && rig.results[j].start_ns <= t_ns &&
                 rig.results[j].end_ns > t_ns;
    return count;
}

static double used_s(uint32_t tenant, int64_t until_ns)
{
    double sum = 0;
    for (pt_job j = 0; j < rig.trace.job_count; j++) {
        const struct pt_job_result *r = &rig.results[j];
        int64_t end_ns = r->end_ns < until_ns ? r->end_ns : until_ns;
        if (tenant_of[j] == tenant && end_ns > r->start_ns)
            sum += 1e-9 * (double)(end_ns - r->start_ns);
    }
    return sum;
}

static bool holds_its_part(const char *policy)
{
    int64_t until_ns = saturated_until();
    for (pt_job j = 0; j < rig.trace.job_count; j++) {
        int64_t t_ns = rig.results[j].start_ns;
        uint32_t tenant = tenant_of[j], now = held(tenant, t_ns);
        double part = gpus * weights[tenant] / all_weights;
        if (t_ns >= until_ns || now <= part + 1 + 1e-9) continue;
        printf("%s: tenant %u holds %u at %g, its part is %g\n", policy, tenant, now,
               1e-9 * (double)t_ns, part);
        return false;
    }
    return true;
}

static bool used_its_part(const char *policy)
{
    int64_t until_ns = saturated_until();
    for (uint32_t a = 0; a < tenant_count; a++) {
        for (uint32_t b = 0; b < tenant_count; b++) {
            double more = used_s(a, until_ns) / weights[a] - used_s(b, until_ns) / weights[b];
            if (more <= gpus * WORK_MAX_S / weights[a] + 1e-9) continue;
            printf("%s: until %g tenant %u has used %g more by weight than %u\n", policy,
                   1e-9 * (double)until_ns, a, more, b);
            return false;
        }
    }
    return true;
}

static bool in_order(const char *policy)
{
    const int64_t *work_ns = pt_trace_work_ns(&rig.trace);
    for (pt_job a = 0; a < rig.trace.job_count; a++)
        for (pt_job b = a + 1; b < rig.trace.job_count; b++) {
            if (work_ns[a] != work_ns[b] || rig.results[a].start_ns <= rig.results[b].start_ns)
                continue;
            printf("%s: job %u starts before job %u, which is like it\n", policy, b, a);
            return false;
        }
    return true;
}

struct promise {
    const char *policy, *params;
    bool (*kept)(const char *policy);
};

static const struct promise promises[] = {
    {"max_min", "", holds_its_part},
    {"drf", "", holds_its_part},
    {"fair_share", "half_life=0s", used_its_part},
    {"fair_share", "half_life=0s tree=classic", used_its_part},
    {"finish_time_fairness", "lease=10s", in_order},
};

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const struct promise *promise = &promises[i];
        for (uint64_t seed = first; seed < first + count; seed++) {
            build(seed, promise->policy, promise->params);
            bool kept = promise->kept(promise->policy);
            rig_fini(&rig);
            if (kept) continue;
            printf("%s %s: world %" PRIu64 "\n", promise->policy, promise->params, seed);
            return 1;
        }
        printf("%s %s: %" PRIu64 " worlds\n", promise->policy, promise->params, count);
    }
    return 0;
}
