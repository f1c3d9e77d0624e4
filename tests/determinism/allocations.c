/* Between a run's first and last event neither the engine nor a policy allocates anything. The
 * linker sends every allocation of ours through the counters here (--wrap).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "policies/registry.h"
#include "tests/determinism/scenes.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static uint64_t allocations;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

static enum pt_status ignore_series(void *ctx, const struct pt_series_row *row,
                                    struct pt_error *error)
{
    (void)ctx, (void)row, (void)error;
    return PT_OK;
}

/* From the first event to the last; anything but the end of the world ends the process. */
static uint64_t allocations_in(struct rig *rig)
{
    rig->world.recorder.series = ignore_series;
    rig_start(rig);
    uint64_t started = allocations;
    if (rig_run(rig) != PT_OK) rig_die("%s: %s", rig->world.policy->name, rig->error.message);
    return allocations - started;
}

static int test_scene(enum scene scene)
{
    struct rig rig;
    uint64_t before = allocations;
    scene_build(&rig, scene, 5000, 1);
    uint64_t built = allocations, during = allocations_in(&rig);
    printf("%s: %" PRIu64 " allocations before the jobs are there, %" PRIu64
           " from the first event to the last of %" PRIu64 "\n",
           scene_name(scene), built - before, during, rig.event_count);
    rig_fini(&rig);
    return during != 0 || built == before; /* a counter that counts nothing proves nothing */
}

/* ---- every policy, where it has tenants, priorities and estimates to look at ---- */

enum { TENANTS = 4, POLICY_JOBS = 500 };

static const char *const tenant_names[TENANTS] = {"t0", "t1", "t2", "t3"};
static struct pt_tenant_facts tenants[TENANTS];
static struct pt_rank rank_of_word[8], rank_of_tenant[TENANTS];
static uint32_t tenant_of_word[TENANTS + 1];

static void add_cells(struct rig *rig)
{
    static const char *const priorities[] = {"0", "50", "200"};
    static const char *const estimates[] = {"20", "100", "250"};
    struct draw draw = {5};
    for (pt_job row = 0; row < rig->trace.job_count; row++) {
        rig_set_cell(rig, row, PT_COL_TENANT, tenant_names[draw_below(&draw, TENANTS)]);
        rig_set_cell(rig, row, PT_COL_PRIORITY, priorities[draw_below(&draw, 3)]);
        if (draw_chance(&draw, 70))
            rig_set_cell(rig, row, PT_COL_ESTIMATE, estimates[draw_below(&draw, 3)]);
        if (draw_chance(&draw, 40)) rig_set_cell(rig, row, PT_COL_DEADLINE, "400");
    }
}

static void add_tenants(struct rig *rig)
{
    pt_job bad_row;
    for (uint32_t t = 0; t < TENANTS; t++) {
        rank_of_tenant[t] = (struct pt_rank){0, true, true};
        tenants[t] = (struct pt_tenant_facts){.name = tenant_names[t],
                                              .parent = PT_NONE,
                                              .weight = 1 + t,
                                              .over_quota_weight = 1,
                                              .quota = (8 + 8 * t) * UINT64_C(1000000),
                                              .limit = PT_QUOTA_NONE,
                                              .borrowing_limit = PT_QUOTA_NONE,
                                              .lending_limit = PT_QUOTA_NONE};
    }
    if (pt_trace_finish(&rig->trace, &bad_row, &rig->error) != PT_OK)
        rig_die("trace: %s", rig->error.message);
    rig->trace_finished = true;
    const struct pt_words *words = &rig->trace.words[PT_COL_PRIORITY];
    for (uint32_t w = 0; w < words->count; w++)
        rank_of_word[w] = (struct pt_rank){strtoll(words->words[w], NULL, 10), true, true};
    words = &rig->trace.words[PT_COL_TENANT];
    for (uint32_t w = 0; w < words->count; w++)
        tenant_of_word[w] = (uint32_t)strtoul(words->words[w] + 1, NULL, 10);
    rig->world.tenants = tenants;
    rig->world.tenant_count = TENANTS;
    rig->world.rank_of_word = rank_of_word;
    rig->world.rank_of_tenant = rank_of_tenant;
    rig->world.tenant_of_word = tenant_of_word;
}

/* `placement` NULL = the scene's own. */
static int test_policy(const char *policy, const char *placement, enum scene scene,
                       enum pt_preemption_mode mode)
{
    struct rig rig;
    scene_build(&rig, scene, POLICY_JOBS, 1);
    rig.world.preemption.mode = mode;
    rig_set_policy(&rig, policy, "", placement != NULL ? placement : rig.world.placement->name);
    add_cells(&rig);
    add_tenants(&rig);
    uint64_t during = allocations_in(&rig);
    if (during != 0)
        printf("%s, %s, %s, %s: %" PRIu64 " allocations in %" PRIu64 " events\n", policy,
               rig.world.placement->name, scene_name(scene),
               mode == PT_PREEMPTION_NONE ? "as it stops jobs" : "suspend", during,
               rig.event_count);
    rig_fini(&rig);
    return during != 0;
}

int main(void)
{
    int failures = 0;
    for (int s = 0; s < SCENE_COUNT; s++)
        failures += test_scene((enum scene)s);
    for (size_t i = 0; pt_policies[i] != NULL; i++)
        for (int s = SCENE_EXCLUSIVE; s <= SCENE_BROKEN; s++) {
            failures += test_policy(pt_policies[i]->name, NULL, (enum scene)s, PT_PREEMPTION_NONE);
            failures +=
                test_policy(pt_policies[i]->name, NULL, (enum scene)s, PT_PREEMPTION_SUSPEND);
        }
    for (size_t i = 0; pt_placements[i] != NULL; i++)
        for (int s = 0; s < SCENE_COUNT; s++)
            failures += test_policy("priority", pt_placements[i]->name, (enum scene)s,
                                    PT_PREEMPTION_SUSPEND);
    return failures != 0;
}
