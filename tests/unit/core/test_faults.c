/* Faults that come at random: as many as their mean time says, and as irregular as chance. */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/rig.h"

#define GPUS 20
#define WORK_S INT64_C(1000000)
#define MTBF_S INT64_C(1000)

/* A job that loses nothing and goes on at once meets a Poisson number of faults on its GPU:
 * 1000 of them on average, with a standard deviation of 32. */
Test(faults, come_as_a_poisson_process_on_each_gpu)
{
    struct rig rig;
    rig_init(&rig);
    rig.world.seed = 7;
    rig.world.retries.backoff_ns = 0;
    rig.world.faults.gpu_mtbf_ns = MTBF_S * PT_NS_PER_S;
    rig_add_pool(&rig, &rig_h100, GPUS, 1, "exclusive", "");
    for (uint32_t j = 0; j < GPUS; j++)
        rig_set_cell(&rig, rig_add_job(&rig, 0, WORK_S * PT_NS_PER_S, 1), PT_COL_CHECKPOINT, "inf");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    const double mean = (double)WORK_S / MTBF_S;
    double sum = 0, squares = 0;
    for (uint32_t j = 0; j < GPUS; j++) {
        double faults = rig.results[j].attempts - 1.0;
        cr_expect_eq(rig.results[j].end_ns, WORK_S * PT_NS_PER_S, "nothing is lost");
        cr_expect_lt(fabs(faults - mean), 5 * sqrt(mean), "job %u met %g", j, faults);
        sum += faults;
        squares += (faults - mean) * (faults - mean);
    }
    struct pt_sim_stats stats;
    pt_sim_get_stats(rig.sim, &stats);
    cr_expect_eq((double)stats.faults, sum);
    cr_expect_lt(fabs(sum - GPUS * mean), 5 * sqrt(GPUS * mean));
    /* variance / mean is 1 for a Poisson count, 0 for a clock */
    double dispersion = squares / GPUS / mean;
    cr_expect(dispersion > 0.2 && dispersion < 3, "variance / mean is %g", dispersion);
    rig_fini(&rig);
}
