#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "partita/random.h"
#include "policies/queues/kai_share.h"

/* KAI's division of a capacity among queues. The peer's own cases are compared in tests/peers. */

#define QUEUES 12u

static const struct pt_kai_rules plain = {0};

static struct pt_kai_queue queue(double deserved, double request, double weight)
{
    return (struct pt_kai_queue){
        .deserved = deserved, .limit = PT_KAI_UNLIMITED, .request = request, .weight = weight};
}

static double divide(struct pt_kai_queue *queues, uint32_t count, double total,
                     const struct pt_kai_rules *rules)
{
    uint32_t heap[QUEUES];
    for (uint32_t i = 0; i < count; i++)
        queues[i].age = i;
    return pt__kai_divide(queues, count, total, rules, heap);
}

Test(kai_share, quotas_come_first_and_the_rest_by_weight)
{
    struct pt_kai_queue q[] = {queue(10, 100, 3), queue(10, 100, 1)};
    cr_assert_float_eq(divide(q, 2, 100, &plain), 0, 0);
    cr_assert_float_eq(q[0].share, 70, 0);
    cr_assert_float_eq(q[1].share, 30, 0);
}

Test(kai_share, a_quota_is_given_even_where_there_is_less)
{
    struct pt_kai_queue q[] = {queue(3, 2, 1), queue(5, 9, 1)};
    cr_assert_float_eq(divide(q, 2, 4, &plain), 0, 0);
    cr_assert_float_eq(q[0].share, 2, 0);
    cr_assert_float_eq(q[1].share, 5, 0);
}

Test(kai_share, an_unlimited_quota_deserves_what_there_is)
{
    struct pt_kai_queue q[] = {queue(PT_KAI_UNLIMITED, 20, 0)};
    cr_assert_float_eq(divide(q, 1, 8, &plain), 0, 0);
    cr_assert_float_eq(q[0].share, 8, 0);
}

Test(kai_share, without_weight_there_is_nothing_over_the_quota)
{
    struct pt_kai_queue q[] = {queue(2, 6, 0)};
    cr_assert_float_eq(divide(q, 1, 8, &plain), 6, 0);
    cr_assert_float_eq(q[0].share, 2, 0);
}

Test(kai_share, what_one_leaves_goes_round_again)
{
    /* 12 by 1:1:2 is 3, 3, 6; the first needs 1: the other 2 + the rest by 1:2 */
    struct pt_kai_queue q[] = {queue(0, 1, 1), queue(0, 20, 1), queue(0, 20, 2)};
    cr_assert_float_eq(divide(q, 3, 12, &plain), 0, 0);
    cr_assert_float_eq(q[0].share, 1, 0);
    cr_assert_float_eq(q[1].share + q[2].share, 11, 0);
    cr_assert_float_eq(q[1].share, 4, 0); /* 3 + floor(2/3), then the larger fraction, 2/3 */
}

Test(kai_share, whole_gpus_go_to_the_largest_fractions_then_the_oldest)
{
    struct pt_kai_queue q[] = {queue(0, 9, 1), queue(0, 9, 1), queue(0, 9, 1)};
    cr_assert_float_eq(divide(q, 3, 8, &plain), 0, 0);
    cr_assert_float_eq(q[0].share, 3, 0);
    cr_assert_float_eq(q[1].share, 3, 0);
    cr_assert_float_eq(q[2].share, 2, 0);
}

Test(kai_share, what_rounding_leaves_stays_at_its_priority)
{
    struct pt_kai_queue q[] = {queue(1, 5, 1), queue(1, 5, 1), queue(1, 5, 1)};
    q[0].priority = q[1].priority = 2;
    q[2].priority = 1;
    divide(q, 3, 6, &plain);
    cr_assert_float_eq(q[0].share, 3, 0);
    cr_assert_float_eq(q[1].share, 2, 0);
    cr_assert_float_eq(q[2].share, 1, 0);
    struct pt_kai_rules before = {.leftovers_last = true};
    divide(q, 3, 6, &before);
    cr_assert_float_eq(q[0].share + q[1].share, 4, 0);
    cr_assert_float_eq(q[2].share, 2, 0);
}

Test(kai_share, nobody_gets_a_whole_gpu_for_half_of_one)
{
    struct pt_kai_queue q[] = {queue(1.5, 4, 1), queue(0, 4, 1)};
    struct pt_kai_rules upstream = {.leftovers_whole = true};
    divide(q, 2, 5.5, &plain); /* 1.5 + 2 + 2: the fraction .5 of nobody */
    cr_assert_leq(q[0].share, 4);
    cr_assert_leq(q[1].share, 4);
    struct pt_kai_queue p[] = {queue(1.5, 4, 10), queue(0, 40, 1)};
    divide(p, 2, 4.2, &upstream); /* part 2.45 of 2.5: 2, then a whole one */
    cr_assert_gt(p[0].share, 4);
    divide(p, 2, 4.2, &plain);
    cr_assert_leq(p[0].share, 4);
}

Test(kai_share, past_use_counts_by_k)
{
    struct pt_kai_queue q[] = {queue(0, 100, 1), queue(0, 100, 1)};
    struct pt_kai_rules rules = {.k = 1};
    q[0].usage = 0.75;
    q[1].usage = 0.25;
    divide(q, 2, 100, &rules); /* weights .5 + (.5 - .75) = .25 and .75 */
    cr_assert_float_eq(q[0].share, 25, 0);
    cr_assert_float_eq(q[1].share, 75, 0);
    rules.k = 4; /* .5 - 1 < 0: nothing over its quota */
    divide(q, 2, 100, &rules);
    cr_assert_float_eq(q[0].share, 0, 0);
    cr_assert_float_eq(q[1].share, 100, 0);
}

Test(kai_share, children_divide_what_their_parent_got)
{
    /* a: quota 4, b: quota 4; a's children with quota 3 and 1 and weights 1 and 3 */
    struct pt_kai_queue q[] = {queue(4, 20, 1), queue(4, 4, 1), queue(3, 10, 1), queue(1, 10, 3)};
    uint32_t heap[4];
    q[0].first_child = 2;
    q[0].child_count = 2;
    pt__kai_divide_tree(q, 4, 2, 16, &plain, heap);
    cr_assert_float_eq(q[0].share, 12, 0);
    cr_assert_float_eq(q[1].share, 4, 0);
    cr_assert_float_eq(q[2].share, 5, 0);
    cr_assert_float_eq(q[3].share, 7, 0);
}

static double drawn(gsl_rng *rng, unsigned long most, bool halves)
{
    double whole = (double)gsl_rng_uniform_int(rng, most + 1);
    return halves && gsl_rng_uniform_int(rng, 3) == 0 ? whole + 0.5 : whole;
}

static uint32_t draw(struct pt_kai_queue *q, gsl_rng *rng)
{
    bool halves = gsl_rng_uniform_int(rng, 2) == 0;
    uint32_t count = 1 + (uint32_t)gsl_rng_uniform_int(rng, QUEUES);
    int64_t priority = 3;
    for (uint32_t i = 0; i < count; i++) {
        if (gsl_rng_uniform_int(rng, 4) == 0) priority--;
        q[i] = queue(drawn(rng, 8, halves), drawn(rng, 20, halves), drawn(rng, 4, false));
        if (gsl_rng_uniform_int(rng, 3) == 0) q[i].limit = drawn(rng, 12, halves);
        q[i].usage = gsl_rng_uniform(rng);
        q[i].priority = priority;
    }
    return count;
}

static double most(const struct pt_kai_queue *q)
{
    return fmin(q->request, q->limit);
}

Test(kai_share, random_divisions_keep_the_rules)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (uint64_t world = 0; world < 20000; world++) {
        struct pt_kai_queue q[QUEUES], more[QUEUES];
        pt_rng_seed(rng, 20261130, PT_PURPOSE_TEST, world);
        uint32_t count = draw(q, rng);
        double total = drawn(rng, 60, true), deserved = 0, sum = 0;
        struct pt_kai_rules rules = {.k = gsl_rng_uniform_int(rng, 2) == 0 ? 0 : 0.5};
        memcpy(more, q, sizeof q);
        double rest = divide(q, count, total, &rules);
        for (uint32_t i = 0; i < count; i++) {
            double first = fmin(q[i].deserved, most(&q[i]));
            cr_assert_leq(q[i].share, most(&q[i]) + 1e-9, "world %lu, queue %u", world, i);
            cr_assert_geq(q[i].share, first, "world %lu, queue %u", world, i);
            deserved += first;
            sum += q[i].share;
        }
        cr_assert_leq(sum, fmax(total, deserved) + 1e-9, "world %lu", world);
        cr_assert_float_eq(sum + rest, fmax(total, deserved), 1e-9, "world %lu", world);
        /* one GPU more to divide takes nothing from a whole priority and those above it */
        divide(more, count, total + 1, &rules);
        double now = 0, then = 0;
        for (uint32_t i = 0; i < count; i++) {
            now += more[i].share;
            then += q[i].share;
            if (i + 1 == count || q[i].priority != q[i + 1].priority)
                cr_assert_geq(now, then - 1e-9, "world %lu, up to queue %u", world, i);
        }
    }
    gsl_rng_free(rng);
}
