#include <criterion/criterion.h>
#include <math.h>

#include "partita/random.h"
#include "policies/fair/tree.h"

/* Fair Tree and the classic formula, by hand and against a slow ranking that is written from
 * Slurm's description and shares nothing with ours. */

#define NODES_MAX 64

static struct pt_fair_tree tree;

/* "parent shares used" of nodes 1, 2, ...; users have a used >= 0, accounts -1. */
static void plant(int count, const double rows[][3])
{
    struct pt_error error;
    cr_assert_eq(pt__fair_tree_init(&tree, (uint32_t)count + 1, &error), PT_OK);
    pt__decay_init(&tree.decay, PT_NEVER, 1000000);
    for (int i = 0; i < count; i++) {
        struct pt_fair_node *node = &tree.node[i + 1];
        node->parent = (uint32_t)rows[i][0];
        node->shares = rows[i][1];
        node->user = rows[i][2] >= 0;
    }
    pt__fair_tree_link(&tree);
    for (int i = 0; i < count; i++)
        if (tree.node[i + 1].user) /* used = parts x seconds of one part's rate */
            pt__fair_tree_charge(&tree, (uint32_t)i + 1, 0, (uint64_t)(rows[i][2] * 1e6), true);
    pt__fair_tree_measure(&tree, PT_NS_PER_S);
}

static void factor(uint32_t node, double wanted)
{
    cr_assert(fabs(tree.node[node].factor - wanted) < 1e-15, "node %u: %.17g, not %.17g", node,
              tree.node[node].factor, wanted);
}

Test(fair_tree, users_by_what_they_used)
{
    plant(4, (const double[][3]){{0, 1, 30}, {0, 1, 10}, {0, 2, 10}, {0, 1, 0}});
    pt__fair_tree_rank(&tree);
    factor(4, 1.0);
    factor(3, 0.75);
    factor(2, 0.5);
    factor(1, 0.25);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, equal_users_share_a_rank)
{
    plant(4, (const double[][3]){{0, 1, 10}, {0, 2, 20}, {0, 1, 0}, {0, 1, 50}});
    pt__fair_tree_rank(&tree);
    factor(3, 1.0);
    factor(1, 0.75);
    factor(2, 0.75);
    factor(4, 0.25);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, an_account_that_used_less_goes_before_with_all_its_users)
{
    /* A (1) has used 10 by user 3; B (2) 11 by users 4 (11) and 5 (0) */
    plant(5, (const double[][3]){{0, 1, -1}, {0, 1, -1}, {1, 1, 10}, {2, 1, 11}, {2, 1, 0}});
    pt__fair_tree_rank(&tree);
    factor(3, 1.0);
    factor(5, 2.0 / 3);
    factor(4, 1.0 / 3);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, users_of_equal_accounts_are_ranked_together)
{
    /* A: 3 used 10, 4 used 20; B: 5 used 30, 6 nothing. Levels: 1/2 / (10/30) = 1.5, 0.75, 0.5. */
    plant(6, (const double[][3]){
                 {0, 1, -1}, {0, 1, -1}, {1, 1, 10}, {1, 1, 20}, {2, 1, 30}, {2, 1, 0}});
    pt__fair_tree_rank(&tree);
    factor(6, 1.0);
    factor(3, 0.75);
    factor(4, 0.5);
    factor(5, 0.25);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, no_shares_come_last_and_no_usage_first)
{
    plant(3, (const double[][3]){{0, 0, 1}, {0, 1, 1000}, {0, 1, 0}});
    pt__fair_tree_rank(&tree);
    factor(3, 1.0);
    factor(2, 2.0 / 3);
    factor(1, 1.0 / 3);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, S_38_no_usage_at_all)
{
    plant(5, (const double[][3]){{0, 1, -1}, {0, 3, -1}, {1, 1, 0}, {2, 1, 0}, {2, 7, 0}});
    pt__fair_tree_rank(&tree);
    for (uint32_t i = 3; i <= 5; i++)
        factor(i, 1.0);
    pt__fair_tree_classic(&tree, 1);
    for (uint32_t i = 3; i <= 5; i++)
        factor(i, 1.0);
    pt__fair_tree_fini(&tree);
}

Test(fair_tree, classic_by_hand)
{
    /* A (1, 3 shares) used 20: 3 15, 4 5; B (2, 1 share) used 20 by 5. U_A = 1/2, S_A = 3/4.
     * 3: S 3/8, U 3/8, U_E = 3/8 + (1/2 - 3/8)/2 = 7/16: 2^-(7/6). 4: U 1/8, U_E 5/16: 2^-(5/6).
     * 5: S 1/4, U_E = 1/2 + (1/2 - 1/2) = 1/2: 2^-2. */
    plant(5, (const double[][3]){{0, 3, -1}, {0, 1, -1}, {1, 1, 15}, {1, 1, 5}, {2, 1, 20}});
    pt__fair_tree_classic(&tree, 1);
    factor(3, exp2(-7.0 / 6));
    factor(4, exp2(-5.0 / 6));
    factor(5, 0.25);
    pt__fair_tree_classic(&tree, 2);
    factor(5, 0.5);
    pt__fair_tree_fini(&tree);
}

/* ---- against a slow one ---- */

static double level_of(uint32_t i)
{
    const struct pt_fair_node *n = &tree.node[i];
    double shares = 0, used = 0;
    for (uint32_t k = 1; k < tree.node_count; k++) {
        if (tree.node[k].parent != n->parent) continue;
        shares += tree.node[k].shares;
        used += tree.node[k].used;
    }
    if (n->shares == 0) return 0;
    return n->used == 0 ? INFINITY : n->shares / shares * used / n->used;
}

/* Ranks all users below a set of equal accounts; returns those left. */
static uint32_t rank_below(const bool among[NODES_MAX], uint32_t left, double factors[NODES_MAX],
                           double tied_with)
{
    bool done[NODES_MAX] = {false};
    for (;;) {
        double best = -1;
        bool same[NODES_MAX] = {false}, any = false;
        for (uint32_t i = 1; i < tree.node_count; i++)
            if (among[tree.node[i].parent] && !done[i] && level_of(i) > best) best = level_of(i);
        if (best < 0) return left;
        double rank = tied_with > 0 ? tied_with : left;
        tied_with = 0;
        bool users = false;
        for (uint32_t i = 1; i < tree.node_count; i++) {
            if (!among[tree.node[i].parent] || done[i] || level_of(i) != best) continue;
            done[i] = true;
            if (tree.node[i].user) {
                factors[i] = rank;
                users = true;
                left--;
            } else {
                same[i] = any = true;
            }
        }
        /* their first ones share the rank of equal users beside the accounts */
        if (any) left = rank_below(same, left, factors, users || rank != left ? rank : 0);
    }
}

/* Shares and usages are few small numbers, so that ties are frequent. */
static void draw(gsl_rng *rng, double rows[NODES_MAX][3], int *count)
{
    int accounts = 1 + (int)gsl_rng_uniform_int(rng, 12);
    *count = accounts + 1 + (int)gsl_rng_uniform_int(rng, 40);
    for (int i = 0; i < *count; i++) {
        bool account = i < accounts;
        rows[i][0] = account ? (double)gsl_rng_uniform_int(rng, (unsigned long)i + 1)
                             : (double)gsl_rng_uniform_int(rng, (unsigned long)accounts + 1);
        rows[i][1] = (double)(1 << gsl_rng_uniform_int(rng, 3));
        rows[i][2] = account ? -1 : (double)(16 * gsl_rng_uniform_int(rng, 4));
    }
}

/* Some users ranked alone come in the same order as among all. */
static void some_compare_alike(gsl_rng *rng)
{
    double among_all[NODES_MAX];
    for (uint32_t i = 0; i < tree.node_count; i++)
        among_all[i] = tree.node[i].factor;
    pt__fair_tree_mark_begin(&tree);
    for (uint32_t i = 1; i < tree.node_count; i++)
        if (tree.node[i].user && gsl_rng_uniform_int(rng, 3) == 0) pt__fair_tree_mark(&tree, i);
    pt__fair_tree_measure_marked(&tree, PT_NS_PER_S);
    pt__fair_tree_rank_marked(&tree);
    for (uint32_t i = 1; i < tree.node_count; i++) {
        if (!tree.node[i].user || tree.node[i].stamp != tree.stamp) continue;
        for (uint32_t j = 1; j < tree.node_count; j++) {
            if (!tree.node[j].user || tree.node[j].stamp != tree.stamp) continue;
            cr_assert_eq(tree.node[i].factor > tree.node[j].factor, among_all[i] > among_all[j]);
            cr_assert_eq(tree.node[i].factor == tree.node[j].factor, among_all[i] == among_all[j]);
        }
    }
}

Test(fair_tree, against_a_slow_ranking, .timeout = 100)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 35);
    for (int k = 0; k < 2000; k++) {
        double rows[NODES_MAX][3], wanted[NODES_MAX] = {0};
        bool root[NODES_MAX] = {true};
        int count;
        draw(rng, rows, &count);
        plant(count, (const double(*)[3])rows);
        pt__fair_tree_rank(&tree);
        pt__fair_tree_rank(&tree); /* from the order of before */
        rank_below(root, tree.user_count, wanted, 0);
        for (uint32_t i = 1; i < tree.node_count; i++)
            if (tree.node[i].user) factor(i, wanted[i] / tree.user_count);
        some_compare_alike(rng);
        pt__fair_tree_fini(&tree);
    }
    gsl_rng_free(rng);
}
