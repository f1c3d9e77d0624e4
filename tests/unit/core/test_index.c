#include <criterion/criterion.h>

#include "sim/core/engine.h"
#include "tests/support/rig.h"

#define S PT_NS_PER_S

enum { NEEDS = 3 * PT_INDEXES_PER_POOL };

/* More kinds of need than trees: each comes before and after the first node is taken for good, and
 * finds the lowest node that is free then, however long ago its tree gave way to another. */
Test(index, trees_that_gave_way_are_made_anew)
{
    static struct rig rig;
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, 3, 1, "exclusive", "")->cpus_milli_per_node = 1000 * NEEDS;
    rig_set_policy(&rig, "fifo", "", "first_fit");
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t need = 1; need <= NEEDS; need++) {
            pt_job job = rig_add_job(&rig, (round * 1000 + need) * S, S / 2, 1);
            cr_assert_eq(pt_trace_set_u32(&rig.trace, job, PT_COL_CPUS, 1000 * need, NULL), PT_OK);
        }
        rig_add_job(&rig, (round * 1000 + NEEDS + 1) * S, 10000 * S, 1);
    }
    cr_assert_eq(rig_run(&rig), PT_OK);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i <= NEEDS; i++) {
            const struct pt_job_result *result = &rig.results[round * (NEEDS + 1) + i];
            cr_assert_eq(result->home_gpu, round, "need %u in round %u", i + 1, round);
            cr_assert_eq(result->start_ns, (int64_t)(round * 1000 + i + 1) * S);
        }
    cr_assert_eq(rig.sim->pools[0].index_count, PT_INDEXES_PER_POOL);
    rig_fini(&rig);
}
