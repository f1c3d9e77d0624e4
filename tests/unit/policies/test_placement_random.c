#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rig.h"

/* Random placement: uniform over the nodes with room, and by the seed and the job alone. */

#define NODES 64u
#define DRAWS 6400u

/* Draws homes for jobs that come one by one, while `full` of the nodes are held. */
static void draw_homes(uint32_t *homes, uint32_t full, uint64_t seed)
{
    static struct rig rig;
    rig_init(&rig);
    rig.world.check = false;
    rig.world.seed = seed;
    rig_add_pool(&rig, &rig_h100, NODES, 1, "exclusive", "");
    rig_set_policy(&rig, "fifo", "", "random");
    for (uint32_t j = 0; j < full; j++)
        rig_add_job(&rig, 0, INT64_C(1000000) * PT_NS_PER_S, 1);
    for (uint32_t j = 0; j < DRAWS; j++)
        rig_add_job(&rig, (1 + 2 * (int64_t)j) * PT_NS_PER_S, PT_NS_PER_S, 1);
    rig.world.horizon_ns = INT64_C(500000) * PT_NS_PER_S;
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    for (uint32_t j = 0; j < DRAWS; j++)
        homes[j] = rig.results[full + j].home_gpu;
    rig_fini(&rig);
}

static void is_uniform(uint32_t full)
{
    static uint32_t homes[DRAWS];
    uint32_t counts[NODES] = {0}, open = 0;
    double square = 0, each = (double)DRAWS / (NODES - full);
    draw_homes(homes, full, 11);
    for (uint32_t j = 0; j < DRAWS; j++)
        counts[homes[j]]++;
    for (uint32_t n = 0; n < NODES; n++) {
        if (counts[n] == 0) continue;
        open++;
        square += (counts[n] - each) * (counts[n] - each) / each;
    }
    cr_assert_eq(open, NODES - full); /* held nodes get nobody, all others somebody */
    /* chi square: mean = degrees, variance twice that; five deviations, for a fixed seed */
    double degrees = NODES - full - 1;
    cr_assert_lt(square, degrees + 5 * __builtin_sqrt(2 * degrees), "%g", square);
}

Test(random_placement, uniform_over_all_nodes)
{
    is_uniform(0);
}

Test(random_placement, uniform_where_room_is_rare) /* most draws hit a full node: it walks */
{
    is_uniform(60);
}

Test(random_placement, by_the_seed)
{
    static uint32_t one[DRAWS], again[DRAWS], other[DRAWS];
    draw_homes(one, 0, 1);
    draw_homes(again, 0, 1);
    draw_homes(other, 0, 2);
    cr_assert_arr_eq(one, again, sizeof one);
    cr_assert_arr_neq(one, other, sizeof one);
}
