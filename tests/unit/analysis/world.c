#include "tests/unit/analysis/world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t ns(double seconds)
{
    return (int64_t)llround(seconds * (double)S);
}

void world_init(struct world *w)
{
    static const char *const names[] = {"default"};
    *w = (struct world){0};
    w->gpu = (struct pt_gpu_model){.name = "h100-sxm5-80gb", .family = "h100"};
    w->pools[0] =
        (struct pt_pool){.name = "main",
                         .gpu = &w->gpu,
                         .node_count = 1,
                         .gpus_per_node = 2,
                         .shape = {.capacity = 1},
                         .rate = {PT_SPEED_ONE, PT_SPEED_ONE, PT_SPEED_ONE, PT_SPEED_ONE}};
    w->pools[1] =
        (struct pt_pool){.name = "slice",
                         .gpu = &w->gpu,
                         .node_count = 2,
                         .gpus_per_node = 1,
                         .first_node = 1,
                         .first_gpu = 2,
                         .shape = {.capacity = 2},
                         .rate = {PT_SPEED_ONE, PT_SPEED_ONE, PT_SPEED_ONE, PT_SPEED_ONE}};
    w->nodes[0] = (struct pt_node){.name = "main-0", .pool = 0, .rack = PT_NONE};
    w->nodes[1] = (struct pt_node){.name = "slice-0", .pool = 1, .rack = PT_NONE};
    w->nodes[2] = (struct pt_node){.name = "slice-1", .pool = 1, .rack = PT_NONE};
    w->cluster = (struct pt_cluster){.pool_count = WORLD_POOLS,
                                     .node_count = 3,
                                     .gpu_count = 4,
                                     .pools = w->pools,
                                     .nodes = w->nodes,
                                     .reference_gpu = &w->gpu};
    w->trace.column[PT_COL_SUBMIT] = w->submit_ns;
    w->trace.column[PT_COL_WORK] = w->work_ns;
    w->trace.column[PT_COL_GPUS] = w->gpus;
    w->sim.all.fragmentation = NAN;
    w->sim.pools[0].fragmentation = NAN;
    w->sim.pools[1].fragmentation = NAN;
    w->input = (struct pt_summary_input){.cluster = &w->cluster,
                                         .trace = &w->trace,
                                         .sim = &w->sim,
                                         .default_tier = PT_NONE,
                                         .tenant_count = 1,
                                         .tenant_names = names};
}

void world_fini(struct world *w)
{
    pt_outcomes_destroy(w->outcomes);
    for (int c = 0; c < PT_COLUMN_COUNT_; c++) {
        for (uint32_t i = 0; i < w->trace.words[c].count; i++)
            free(w->trace.words[c].words[i]);
        free(w->trace.words[c].words);
    }
}

pt_job world_add(struct world *w, double submit_s, double work_s, uint32_t gpus)
{
    pt_job job = w->trace.job_count++;
    cr_assert_lt(job, WORLD_JOBS);
    w->submit_ns[job] = ns(submit_s);
    w->work_ns[job] = ns(work_s);
    w->deadline_ns[job] = PT_TIME_ABSENT;
    w->gpus[job] = gpus;
    w->tenant[job] = w->kind[job] = w->sla[job] = w->user[job] = PT_NONE;
    return job;
}

void world_ready(struct world *w)
{
    cr_assert_eq(pt_outcomes_create(&w->outcomes, w->trace.job_count, NULL), PT_OK);
    w->input.outcomes = w->outcomes;
}

void world_ran(struct world *w, pt_job job, enum pt_job_state state, double start_s, double end_s,
               double running_s, uint32_t gpu)
{
    struct pt_job_result result = {.start_ns = ns(start_s),
                                   .end_ns = ns(end_s),
                                   .running_ns = ns(running_s),
                                   .home_gpu = gpu,
                                   .state = (uint8_t)state,
                                   .attempts = 1};
    cr_assert_eq(pt_outcomes_record(w->outcomes, job, &result, NULL), PT_OK);
}

void world_word(struct world *w, enum pt_column_id column, pt_job job, const char *word)
{
    struct pt_words *words = &w->trace.words[column];
    uint32_t *cells = column == PT_COL_TENANT ? w->tenant
                      : column == PT_COL_KIND ? w->kind
                      : column == PT_COL_SLA  ? w->sla
                                              : w->user;
    uint32_t index = 0;
    while (index < words->count && strcmp(words->words[index], word) != 0)
        index++;
    if (index == words->count) {
        words->words = realloc(words->words, (index + 1) * sizeof(*words->words));
        words->words[index] = strdup(word);
        words->count++;
    }
    w->trace.column[column] = cells;
    cells[job] = index;
}

struct pt_sla_bounds world_tier(const char *name)
{
    return (struct pt_sla_bounds){.name = name,
                                  .max_slowdown = NAN,
                                  .max_jct_increase = NAN,
                                  .max_sharing_increase = NAN,
                                  .max_wait_ns = PT_NEVER,
                                  .max_jct_ns = PT_NEVER};
}

/* The engine, as far as the summary asks it. */
void pt_sim_pool_totals(const struct pt_sim *sim, uint32_t pool, struct pt_pool_totals *totals)
{
    *totals = pool == PT_NONE ? sim->all : sim->pools[pool];
}

pt_u128 pt_sim_tenant_held(const struct pt_sim *sim, uint32_t pool, uint32_t tenant)
{
    return sim->tenant_held[pool][tenant];
}

void pt_sim_get_stats(const struct pt_sim *sim, struct pt_sim_stats *stats)
{
    *stats = sim->stats;
}

enum pt_reason pt_sim_never_fits(const struct pt_sim *sim, pt_job job)
{
    return sim->never_fits[job];
}

struct pt_ratio pt_sim_asked(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    (void)job, (void)pool;
    return sim->half_asked ? (struct pt_ratio){1, 2} : (struct pt_ratio){1, 1};
}
