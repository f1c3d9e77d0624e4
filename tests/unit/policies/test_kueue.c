#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/rig.h"

#define S PT_NS_PER_S

enum { TENANTS = 200, EACH = 3, PRIORITIES = 7 };

static struct pt_tenant_facts tenants[TENANTS];
static struct pt_rank ranks[PRIORITIES], no_ranks[TENANTS];
static uint32_t tenant_of_word[TENANTS];
static int64_t priority[TENANTS * EACH];

static void add_tenants(struct rig *rig)
{
    for (uint32_t t = 0; t < TENANTS; t++) {
        no_ranks[t] = (struct pt_rank){0, true, true};
        tenants[t] = (struct pt_tenant_facts){.name = "tenant",
                                              .parent = PT_NONE,
                                              .weight = 1,
                                              .over_quota_weight = 1,
                                              .quota = PT_QUOTA_NONE,
                                              .limit = PT_QUOTA_NONE,
                                              .borrowing_limit = PT_QUOTA_NONE,
                                              .lending_limit = PT_QUOTA_NONE};
    }
    rig->world.tenants = tenants;
    rig->world.tenant_count = TENANTS;
    rig->world.tenant_of_word = tenant_of_word;
    rig->world.rank_of_tenant = no_ranks;
    rig->world.rank_of_word = ranks;
}

/* A job of a second of the tenant; words are numbered by first appearance. */
static void add_job(struct rig *rig, int64_t submit_s, uint32_t tenant, uint32_t rank)
{
    char text[16];
    pt_job job = rig_add_job(rig, submit_s * S, S, 1);
    snprintf(text, sizeof text, "t%u", tenant);
    rig_set_cell(rig, job, PT_COL_TENANT, text);
    tenant_of_word[pt_trace_u32(&rig->trace, PT_COL_TENANT, job)] = tenant;
    snprintf(text, sizeof text, "%u", rank);
    rig_set_cell(rig, job, PT_COL_PRIORITY, text);
    ranks[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)] = (struct pt_rank){rank, true, true};
    priority[job] = rank;
}

static void build(struct rig *rig, uint32_t seed, int64_t gap_s, const char *params)
{
    rig_init(rig);
    rig->world.check = true;
    rig_add_pool(rig, &rig_h100, 1, 1, "exclusive", "");
    rig_set_policy(rig, "kueue", params, "first_fit");
    add_tenants(rig);
    for (uint32_t j = 0; j < TENANTS * EACH; j++) {
        uint32_t rank = (j * seed * UINT32_C(2654435761) >> 16) % PRIORITIES;
        add_job(rig, gap_s * (j / TENANTS), j % TENANTS, rank);
    }
}

/* One GPU, no quotas, everybody there at once: by priority over all tenants, then by age, whether
 * queues are strict or not. */
Test(kueue, heads_of_many_tenants_go_by_priority_then_age)
{
    static const char *const params[] = {"strategy=best_effort", "strategy=strict"};
    for (int i = 0; i < 2; i++) {
        static struct rig rig;
        build(&rig, 3, 0, params[i]);
        cr_assert(rig_run(&rig) == PT_OK);
        static pt_job by_start[TENANTS * EACH];
        for (pt_job job = 0; job < TENANTS * EACH; job++)
            by_start[rig.results[job].start_ns / S] = job;
        for (uint32_t k = 1; k < TENANTS * EACH; k++) {
            pt_job a = by_start[k - 1], b = by_start[k];
            cr_assert(priority[a] > priority[b] || (priority[a] == priority[b] && a < b),
                      "%s: %u of priority %d before %u of priority %d", params[i], a,
                      (int)priority[a], b, (int)priority[b]);
        }
        rig_fini(&rig);
    }
}

/* Tenants whose jobs are parked, and tenants with nobody waiting, come back when somebody of theirs
 * does: nobody is left waiting beside a free GPU. */
Test(kueue, who_was_parked_shows_again)
{
    static const char *const params[] = {"strategy=best_effort", "strategy=strict"};
    for (int i = 0; i < 2; i++) {
        static struct rig rig;
        build(&rig, 5, TENANTS + 50, params[i]);
        cr_assert(rig_run(&rig) == PT_OK);
        for (pt_job job = 0; job < TENANTS * EACH; job++) {
            int64_t round_s = (int64_t)(job / TENANTS) * (TENANTS + 50);
            cr_assert(rig.results[job].state == PT_STATE_DONE);
            cr_assert(rig.results[job].start_ns >= round_s * S);
            cr_assert(rig.results[job].end_ns <= (round_s + TENANTS) * S);
        }
        rig_fini(&rig);
    }
}
