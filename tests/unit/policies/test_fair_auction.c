#include <criterion/criterion.h>
#include <string.h>

#include "partita/random.h"
#include "policies/fair/auction.h"

/* The order of an auction, against sorting all bidders in the plainest way. */

#define BIDDERS_MAX 60

Test(fair_auction, how_many_are_the_worst)
{
    cr_assert_eq(pt__auction_worst(10, 800000), 2);
    cr_assert_eq(pt__auction_worst(11, 800000), 3);
    cr_assert_eq(pt__auction_worst(1, 800000), 1);
    cr_assert_eq(pt__auction_worst(7, 1000000), 1);
    cr_assert_eq(pt__auction_worst(7, 0), 7);
    cr_assert_eq(pt__auction_worst(0, 0), 0);
}

static bool before(const struct pt_bidder *a, const struct pt_bidder *b, bool by_drop)
{
    if (by_drop && a->work_ns != b->work_ns) return a->work_ns < b->work_ns;
    return a->rho != b->rho ? a->rho > b->rho : a->job < b->job;
}

static void plainly(struct pt_bidder *bidders, uint32_t count, bool by_drop)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (before(&bidders[j], &bidders[i], by_drop)) {
                struct pt_bidder swap = bidders[i];
                bidders[i] = bidders[j];
                bidders[j] = swap;
            }
}

Test(fair_auction, against_plain_sorting)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 37);
    for (int k = 0; k < 3000; k++) {
        struct pt_bidder bidders[BIDDERS_MAX], wanted[BIDDERS_MAX];
        uint32_t count = (uint32_t)gsl_rng_uniform_int(rng, BIDDERS_MAX);
        uint32_t worst = pt__auction_worst(count, gsl_rng_uniform_int(rng, 11) * 100000);
        for (uint32_t i = 0; i < count; i++)
            bidders[i] = (struct pt_bidder){.rho = (double)gsl_rng_uniform_int(rng, 9),
                                            .work_ns = (double)gsl_rng_uniform_int(rng, 9),
                                            .job = i};
        memcpy(wanted, bidders, sizeof wanted);
        plainly(wanted, count, false);
        plainly(wanted, worst, true);
        pt__auction_order(bidders, count, worst);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(bidders[i].job, wanted[i].job);
    }
    gsl_rng_free(rng);
}
