/* The reference scheduler alone, on worlds worked by hand: the referee is tested too.
 *
 *   reference_by_hand
 */
#include <inttypes.h>
#include <string.h>

#include "tests/property/worlds.h"

#define S PT_NS_PER_S
#define JOBS_MAX 12

enum { H100, A100_80, A100_40, A30 };

/* Seconds; start and end < 0: never. */
struct hand_job {
    int64_t submit, work;
    const char *mig;
    uint32_t frac_ppm, mem_mib, gpus, processes, count; /* 0 = 1; so many alike */
    int64_t start, end;
};

struct hand {
    const char *name;
    struct ref_pool pool; /* end_node and gpus_per_node: 0 = 1 */
    bool skip;
    int64_t boot; /* > 0: the first node boots from 0 on */
    struct hand_job jobs[JOBS_MAX];
};

#define SEVEN                                                                                      \
    {                                                                                              \
        7                                                                                          \
    }

static const struct hand hands[] = {
    {.name = "memory of thirds",
     .pool = {.model = A30, .mode = REF_FRACTIONAL, .how = REF_TURNS, .strict = true},
     .jobs = {{0, 100, .frac_ppm = 300000, .mem_mib = 11776, .count = 2, .start = 0, .end = 100},
              {0, 100, .frac_ppm = 300000, .mem_mib = 11776, .start = 100, .end = 200}}},
    {.name = "memory alone",
     .pool = {.model = A30, .mode = REF_FRACTIONAL, .how = REF_BOOKS, .loss_ppm = 110000},
     .jobs = {{0, 10, .mem_mib = 12000, .count = 2, .start = 0, .end = 10},
              {0, 10, .mem_mib = 12000, .start = 10, .end = 20}}},
    {.name = "caps of a half on three GPUs",
     .pool = {.gpus_per_node = 3, .mode = REF_FRACTIONAL, .how = REF_SMS, .strict = true},
     .jobs = {{0, 200, .frac_ppm = 500000, .count = 6, .start = 0, .end = 200},
              {0, 200, .frac_ppm = 500000, .count = 2, .start = 200, .end = 400}}},
    {.name = "ten tenths, then a whole",
     .pool = {.mode = REF_FRACTIONAL, .how = REF_TURNS, .strict = true},
     .jobs = {{0, 100, .frac_ppm = 100000, .count = 10, .start = 0, .end = 100},
              {0, 10, .frac_ppm = 1000000, .start = 100, .end = 110}}},
    {.name = "two fifths twice on each of two GPUs",
     .pool = {.gpus_per_node = 2, .mode = REF_FRACTIONAL, .how = REF_TURNS, .strict = true},
     .jobs = {{0, 100, .frac_ppm = 400000, .count = 4, .start = 0, .end = 100},
              {0, 100, .frac_ppm = 400000, .start = 100, .end = 200}}},
    {.name = "elastic: each a fifth, of two fifths",
     .pool = {.mode = REF_FRACTIONAL, .how = REF_SMS},
     .jobs = {{0, 10, .frac_ppm = 200000, .count = 2, .start = 0, .end = 4}}},
    {.name = "MPS, a client of two alone",
     .pool = {.mode = REF_MPS, .replicas = 2},
     .jobs = {{0, 60, .start = 0, .end = 120}}},
    {.name = "MPS, a client of ten alone",
     .pool = {.mode = REF_MPS, .replicas = 10},
     .jobs = {{0, 60, .start = 0, .end = 600}}},
    {.name = "MPS, a limit for each process",
     .pool = {.model = A30, .mode = REF_MPS, .replicas = 4},
     .jobs = {{0, 10, .mem_mib = 6144, .processes = 2, .start = 0, .end = 20},
              {0, 10, .mem_mib = 6145, .start = -1, .end = -1},
              {0, 9, .mem_mib = 6144, .processes = 3, .start = 20, .end = 32}}},
    {.name = "MPS, caps that sum to more than all",
     .pool = {.mode = REF_MPS, .replicas = 4},
     .jobs = {{0, 10, .frac_ppm = 750000, .count = 2, .start = 0, .end = 15}}},
    {.name = "a fixed share of four alone",
     .pool = {.mode = REF_VGPU, .how = REF_FIXED, .replicas = 4},
     .jobs = {{0, 10, .start = 0, .end = 40}}},
    {.name = "equal shares of two",
     .pool = {.mode = REF_VGPU, .how = REF_SMS, .replicas = 4},
     .jobs = {{0, 10, .count = 2, .start = 0, .end = 20}}},
    {.name = "no start for 3g, one for 2g",
     .pool = {.mode = REF_MIG, .change = REF_PARTIAL, .start = REF_FIRST},
     .skip = true,
     .jobs = {{0, 100, "1g.10gb", .count = 2, .start = 0, .end = 100},
              {0, 1, "1g.10gb", .count = 3, .start = 0, .end = 1},
              {0, 100, "1g.10gb", .start = 0, .end = 100},
              {2, 10, "3g.40gb", .start = 100, .end = 110},
              {2, 10, "2g.20gb", .start = 2, .end = 12}}},
    {.name = "the first 1g leaves room for 4g and 2g",
     .pool = {.mode = REF_MIG, .change = REF_PARTIAL, .start = REF_BEST},
     .jobs = {{0, 100, "1g.10gb", .start = 0, .end = 100},
              {0, 100, "4g.40gb", .start = 0, .end = 100},
              {0, 100, "2g.20gb", .start = 0, .end = 100}}},
    {.name = "a strict drain",
     .pool = {.mode = REF_MIG, .change = REF_WHEN_IDLE, .change_ns = 20 * S, .layout = SEVEN},
     .jobs = {{0, 100, "1g.10gb", .start = 0, .end = 100},
              {10, 30, "7g.80gb", .start = 120, .end = 150},
              {50, 5, "1g.10gb", .start = 170, .end = 175}}},
    {.name = "a drain that others may use",
     .pool = {.mode = REF_MIG, .change = REF_WHEN_IDLE, .change_ns = 20 * S, .layout = SEVEN},
     .skip = true,
     .jobs = {{0, 100, "1g.10gb", .start = 0, .end = 100},
              {10, 30, "7g.80gb", .start = 120, .end = 150},
              {50, 5, "1g.10gb", .start = 50, .end = 55}}},
    {.name = "from nothing",
     .pool = {.mode = REF_MIG, .change = REF_WHEN_IDLE, .change_ns = 20 * S},
     .boot = 60,
     .jobs = {{0, 10, "1g.10gb", .start = 80, .end = 90}}},
    {.name = "a seventh of what was asked for",
     .pool = {.model = A100_80, .mode = REF_MIG, .change = REF_PARTIAL},
     .jobs = {{0, 10, "auto", .start = 0, .end = 70}}},
};

static void lay_out(struct world *world, const struct hand *hand)
{
    *world = (struct world){.pool_count = 1,
                            .strict = !hand->skip,
                            .fault_retries = REF_NONE,
                            .backoff_ns = S,
                            .give_up_ns = REF_NEVER,
                            .horizon_ns = REF_NEVER};
    struct ref_pool *pool = &world->pools[0];
    *pool = hand->pool;
    pool->end_node = 1;
    if (pool->gpus_per_node == 0) pool->gpus_per_node = 1;
    if (pool->replicas == 0) pool->replicas = 1;
    pool->distinct = pool->mode != REF_MIG;
    pool->cpus_milli = pool->mem_mib = REF_NONE;
    if (hand->boot > 0) world->nodes[0].down_count = 1;
    world->nodes[0].boot_ns = hand->boot * S;
    world_lay_out(world);
    for (const struct hand_job *job = hand->jobs; job->work > 0; job++)
        for (uint32_t i = 0; i < (job->count > 0 ? job->count : 1); i++)
            world->jobs[world->job_count++] =
                (struct ref_job){.submit_ns = job->submit * S,
                                 .work_ns = job->work * S,
                                 .gpus = job->gpus > 0 ? job->gpus : 1,
                                 .gpu_mem_mib = job->mem_mib,
                                 .frac_ppm = job->frac_ppm,
                                 .processes = job->processes > 0 ? job->processes : 1,
                                 .mig = job->mig,
                                 .pool = REF_NONE,
                                 .nodes_max = REF_NONE,
                                 .checkpoint_ns = REF_ABSENT,
                                 .distinct = 2,
                                 .after = {REF_NONE, REF_NONE}};
}

static int is_right(const struct hand *hand)
{
    struct world world;
    struct world_answer answer;
    uint32_t row = 0, wrong = 0;
    lay_out(&world, hand);
    world_run_reference(&answer, &world, NULL);
    for (const struct hand_job *job = hand->jobs; job->work > 0; job++)
        for (uint32_t i = 0; i < (job->count > 0 ? job->count : 1); i++, row++) {
            int64_t start = job->start < 0 ? REF_ABSENT : job->start * S;
            int64_t end = job->end < 0 ? REF_ABSENT : job->end * S;
            const struct ref_outcome *o = &answer.jobs[row];
            if (o->start_ns == start && o->end_ns == end) continue;
            printf("%s: j%u is [%" PRId64 ", %" PRId64 "], should be [%" PRId64 ", %" PRId64 "]\n",
                   hand->name, row, o->start_ns, o->end_ns, start, end);
            wrong++;
        }
    printf("%s: %u jobs, %u wrong\n", hand->name, row, wrong);
    return wrong != 0;
}

int main(void)
{
    int failures = 0;
    for (size_t h = 0; h < sizeof hands / sizeof hands[0]; h++)
        failures += is_right(&hands[h]);
    return failures != 0;
}
