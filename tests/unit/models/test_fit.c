#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/interference/laws.h"
#include "models/predictor/fit_parts.h"
#include "partita/random.h"

enum { JOBS = 8 };

static void begin(void)
{
    gsl_set_error_handler_off();
}

TestSuite(fit, .init = begin);

/* Jobs drawn from a seed, and points that they make. */
struct world {
    struct pt_fit_job jobs[JOBS];
    struct pt_fit_point points[JOBS * JOBS * 8];
    struct pt_fit_problem problem;
    gsl_rng *rng;
};

static struct world *make_world(enum pt_fit_law law, uint8_t p, uint64_t seed)
{
    struct world *world = calloc(1, sizeof *world);
    double mean = 0;
    world->rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(world->rng, seed, PT_PURPOSE_TEST, 0);
    for (int k = 0; k < JOBS; k++) {
        world->jobs[k].u = 0.25 + 0.7 * gsl_rng_uniform(world->rng);
        world->jobs[k].kappa = exp(gsl_ran_gaussian(world->rng, 0.5));
        mean += log(world->jobs[k].kappa) / JOBS;
    }
    for (int k = 0; k < JOBS; k++)
        world->jobs[k].kappa *= exp(-mean);
    world->problem = (struct pt_fit_problem){law, p, JOBS, 0, world->points};
    return world;
}

static void end_world(struct world *world)
{
    gsl_rng_free(world->rng);
    free(world);
}

/* A point as the law has it, times e^(noise). */
static void add(struct world *world, uint32_t job, uint32_t neighbour, double share, double noise)
{
    uint32_t k = world->problem.point_count++;
    struct pt_fit_point *point = &world->points[k];
    uint32_t low = job < neighbour ? job : neighbour, high = job < neighbour ? neighbour : job;
    *point = (struct pt_fit_point){job, neighbour, neighbour == PT_NONE ? k : low * JOBS + high,
                                   share, 1};
    point->slow = pt_fit_predict(&world->problem, world->jobs, point) *
                  exp(noise > 0 ? gsl_ran_gaussian(world->rng, noise) : 0);
}

static void add_pairs(struct world *world, double noise)
{
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = 0; j < JOBS; j++)
            add(world, i, j, 1, noise);
}

static void add_slices(struct world *world, double noise)
{
    static const double slices[] = {1 / 7.0, 2 / 7.0, 3 / 7.0, 4 / 7.0};
    for (uint32_t i = 0; i < JOBS; i++)
        for (int k = 0; k < 4; k++)
            add(world, i, PT_NONE, slices[k], noise);
}

static struct pt_fit *fit(const struct world *world)
{
    struct pt_fit *fit = NULL;
    struct pt_error error;
    cr_assert_eq(pt_fit_run(&fit, &world->problem, &error), PT_OK, "%s", error.message);
    cr_assert(fit->converged);
    return fit;
}

static void expect_recovered(const struct world *world, const struct pt_fit *fit, bool kappas)
{
    for (int k = 0; k < JOBS; k++) {
        cr_expect(fit->jobs[k].u_known);
        cr_expect_float_eq(fit->jobs[k].u / world->jobs[k].u, 1, 1e-5, "u of %d: %.9g not %.9g", k,
                           fit->jobs[k].u, world->jobs[k].u);
        if (!kappas) continue;
        cr_expect(fit->jobs[k].kappa_known);
        cr_expect_float_eq(fit->jobs[k].kappa / world->jobs[k].kappa, 1, 1e-5,
                           "kappa of %d: %.9g not %.9g", k, fit->jobs[k].kappa,
                           world->jobs[k].kappa);
    }
    cr_expect_lt(fit->in_sample.mape, 1e-6);
}

Test(fit, rank1_finds_the_parameters_that_made_the_pairs)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world *world = make_world(PT_FIT_RANK1, 0, seed);
        add_pairs(world, 0);
        struct pt_fit *found = fit(world);
        expect_recovered(world, found, true);
        cr_expect_eq(found->sets, 1);
        pt_fit_free(found);
        end_world(world);
    }
}

Test(fit, pnorm_finds_the_parameters_that_made_the_pairs)
{
    static const uint8_t norms[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        struct world *world = make_world(PT_FIT_PNORM, norms[k], 11);
        add_pairs(world, 0);
        struct pt_fit *found = fit(world);
        /* Under p = 1 u_i cancels but for what it weighs on others: still all are told. */
        expect_recovered(world, found, true);
        pt_fit_free(found);
        end_world(world);
    }
}

Test(fit, pnorm_finds_the_parameters_that_made_the_slices)
{
    static const uint8_t norms[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        struct world *world = make_world(PT_FIT_PNORM, norms[k], 12);
        add_slices(world, 0);
        struct pt_fit *found = fit(world);
        expect_recovered(world, found, false);
        cr_expect_eq(found->sets, JOBS, "every job is fitted by itself");
        cr_expect_eq(found->guarded.points, 0);
        pt_fit_free(found);
        end_world(world);
    }
}

/* Pairs that share a part of a GPU, and the same jobs alone on slices, in one fit. */
Test(fit, pairs_and_shares_are_fitted_together)
{
    struct world *world = make_world(PT_FIT_PNORM, 2, 13);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = 0; j < JOBS; j++)
            add(world, i, j, 4 / 7.0, 0);
    add_slices(world, 0);
    struct pt_fit *found = fit(world);
    expect_recovered(world, found, true);
    pt_fit_free(found);
    end_world(world);
}

/* The fitted law is the law that slows jobs down in a simulation. */
Test(fit, predictions_are_the_laws)
{
    struct pt_fit_job jobs[] = {{.u = 0.7, .kappa = 1.5}, {.u = 0.4, .kappa = 0.8}};
    struct pt_fit_point alone = {0, PT_NONE, 0, 2 / 7.0, 1}, pair = {0, 1, 0, 1, 1};
    struct pt_fit_point copies = {0, 0, 0, 1, 1};
    for (uint8_t p = 1; p <= 4; p = (uint8_t)(2 * p)) {
        struct pt_fit_problem pnorm = {PT_FIT_PNORM, p, 2, 0, NULL};
        cr_expect_float_eq(pt_fit_predict(&pnorm, jobs, &alone), pt__pnorm(0.7, 2 / 7.0, p), 1e-14);
        double share = 0.7 * 1.5 / (0.7 * 1.5 + 0.4 * 0.8);
        cr_expect_float_eq(pt_fit_predict(&pnorm, jobs, &pair), pt__pnorm(0.7, share, p), 1e-14);
        cr_expect_float_eq(pt_fit_predict(&pnorm, jobs, &copies), pt__pnorm(0.7, 0.5, p), 1e-14);
    }
    struct pt_fit_problem rank1 = {PT_FIT_RANK1, 0, 2, 0, NULL};
    cr_expect_float_eq(pt_fit_predict(&rank1, jobs, &pair), 1 + 0.7 * 0.4 * 0.8 / 1.5, 1e-14);
    cr_expect_float_eq(pt_fit_predict(&rank1, jobs, &copies), 1 + 0.7 * 0.7, 1e-14);
}

Test(fit, slopes_are_those_of_small_steps)
{
    static const struct {
        enum pt_fit_law law;
        uint8_t p;
        uint32_t j;
        double share;
    } cases[] = {{PT_FIT_RANK1, 0, 1, 1},       {PT_FIT_RANK1, 0, 0, 1},  {PT_FIT_PNORM, 1, 1, 1},
                 {PT_FIT_PNORM, 2, 1, 1},       {PT_FIT_PNORM, 4, 1, .5}, {PT_FIT_PNORM, 2, 0, 1},
                 {PT_FIT_PNORM, 4, PT_NONE, .3}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double x[] = {log(0.6), log(0.8), log(1.4), log(0.7)};
        struct pt_fit_problem problem = {cases[c].law, cases[c].p, 2, 0, NULL};
        struct pt__parameters parameters = {2, x, x + 2};
        struct pt__slope slopes[PT__SLOPES_MAX];
        uint32_t count;
        double sum[4] = {0};
        (void)pt__fit_law(slopes, &count, &problem, &parameters, 0, cases[c].j, cases[c].share);
        for (uint32_t k = 0; k < count; k++)
            sum[slopes[k].parameter] += slopes[k].value;
        for (int k = 0; k < 4; k++) {
            const double step = 1e-6, was = x[k];
            x[k] = was + step;
            double above =
                log(pt__fit_law(NULL, NULL, &problem, &parameters, 0, cases[c].j, cases[c].share));
            x[k] = was - step;
            double below =
                log(pt__fit_law(NULL, NULL, &problem, &parameters, 0, cases[c].j, cases[c].share));
            x[k] = was;
            cr_expect_float_eq(sum[k], (above - below) / (2 * step), 1e-8, "case %zu, slope %d", c,
                               k);
        }
    }
}

static double sum_of_squares(const struct world *world, const struct pt_fit_job *jobs)
{
    double sum = 0;
    for (uint32_t k = 0; k < world->problem.point_count; k++) {
        double one =
            log(pt_fit_predict(&world->problem, jobs, &world->points[k]) / world->points[k].slow);
        sum += one * one;
    }
    return sum;
}

/* No small change of any parameters makes the sum of squares less. */
static void expect_least(const struct world *world, const struct pt_fit *found, bool kappas)
{
    struct pt_fit_job jobs[JOBS];
    double least = sum_of_squares(world, found->jobs);
    for (int trial = 0; trial < 200; trial++) {
        memcpy(jobs, found->jobs, sizeof jobs);
        double size = trial % 2 ? 1e-3 : 1e-2;
        for (int k = 0; k < JOBS; k++) {
            jobs[k].u *= exp(gsl_ran_gaussian(world->rng, size));
            if (world->problem.law == PT_FIT_PNORM) jobs[k].u = fmin(jobs[k].u, 1);
            if (kappas) jobs[k].kappa *= exp(gsl_ran_gaussian(world->rng, size));
        }
        cr_assert_geq(sum_of_squares(world, jobs), least - 1e-12);
    }
}

Test(fit, nothing_near_the_fit_is_better)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 21);
    add_pairs(world, 0.08);
    struct pt_fit *found = fit(world);
    expect_least(world, found, true);
    pt_fit_free(found);
    end_world(world);

    /* With much noise some u of these are held at 1. */
    uint32_t bounds = 0;
    for (uint64_t seed = 31; seed < 40; seed++) {
        world = make_world(PT_FIT_PNORM, seed % 2 ? 2 : 4, seed);
        for (int k = 0; k < JOBS; k += 2)
            world->jobs[k].u = 1;
        if (seed < 35)
            add_pairs(world, 0.1);
        else
            add_slices(world, 0.1);
        found = fit(world);
        for (int k = 0; k < JOBS; k++) {
            bounds += found->jobs[k].at_bound;
            cr_expect_leq(found->jobs[k].u, 1);
            cr_expect_eq(found->jobs[k].at_bound, found->jobs[k].u == 1);
        }
        expect_least(world, found, seed < 35);
        pt_fit_free(found);
        end_world(world);
    }
    cr_expect_gt(bounds, 5);
    cr_expect_lt(bounds, 9 * JOBS / 2 + 9);
}

/* The errors that are said are the errors that are made: over 400 parameters, the deviations in
 * standard errors have a variance near 1. */
Test(fit, standard_errors_are_true)
{
    double squares = 0;
    int count = 0;
    for (uint64_t seed = 100; seed < 125; seed++) {
        struct world *world = make_world(PT_FIT_RANK1, 0, seed);
        add_pairs(world, 0.05);
        struct pt_fit *found = fit(world);
        for (int k = 0; k < JOBS; k++) {
            double u = log(found->jobs[k].u / world->jobs[k].u) / found->jobs[k].u_error;
            double kappa =
                log(found->jobs[k].kappa / world->jobs[k].kappa) / found->jobs[k].kappa_error;
            squares += u * u + kappa * kappa;
            count += 2;
        }
        cr_expect_float_eq(found->in_sample.sd_log, 0.05 * sqrt(49.0 / 64), 0.012);
        pt_fit_free(found);
        end_world(world);
    }
    cr_expect_float_eq(squares / count, 1, 0.2, "%g", squares / count);
}

/* ---- what the points don't tell ---- */

Test(fit, two_jobs_beside_each_other_tell_only_a_product)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 41);
    add(world, 0, 1, 1, 0);
    add(world, 1, 0, 1, 0);
    struct pt_fit *found = fit(world);
    for (int k = 0; k < 2; k++) {
        cr_expect_not(found->jobs[k].u_known);
        cr_expect(isnan(found->jobs[k].u_error));
        cr_expect(found->jobs[k].kappa_known, "the ratio of two kappas is told");
    }
    cr_expect_float_eq(found->jobs[0].u * found->jobs[1].u / world->jobs[0].u / world->jobs[1].u, 1,
                       1e-6);
    cr_expect_lt(found->in_sample.mape, 1e-6);
    cr_expect_not(found->jobs[2].u_known, "no point is about it");
    cr_expect(isnan(found->jobs[2].u));
    cr_expect_eq(found->sets, 1);
    pt_fit_free(found);

    add(world, 0, 0, 1, 0); /* one of them beside itself tells both */
    found = fit(world);
    for (int k = 0; k < 2; k++) {
        cr_expect(found->jobs[k].u_known);
        cr_expect_float_eq(found->jobs[k].u / world->jobs[k].u, 1, 1e-6);
    }
    pt_fit_free(found);
    end_world(world);
}

Test(fit, jobs_that_no_pairs_link_are_sets_of_their_own)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 42);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = 0; j < JOBS; j++)
            if (i / 4 == j / 4) add(world, i, j, 1, 0.01);
    struct pt_fit *found = fit(world);
    cr_expect_eq(found->sets, 2);
    for (int set = 0; set < 2; set++) {
        double mean = 0;
        for (int k = 4 * set; k < 4 * set + 4; k++)
            mean += log(found->jobs[k].kappa);
        cr_expect_float_eq(mean, 0, 1e-9);
    }
    pt_fit_free(found);
    end_world(world);
}

Test(fit, one_point_for_one_job_has_no_error)
{
    struct world *world = make_world(PT_FIT_PNORM, 2, 43);
    add(world, 0, PT_NONE, 0.5, 0);
    struct pt_fit *found = fit(world);
    cr_expect(found->jobs[0].u_known);
    cr_expect_float_eq(found->jobs[0].u, world->jobs[0].u, 1e-7);
    cr_expect(isnan(found->jobs[0].u_error), "no point is left to tell the noise by");
    pt_fit_free(found);
    /* A share of everything tells nothing: s = 1 whatever u is. */
    world->points[0].share = 1;
    world->points[0].slow = 1.1;
    found = fit(world);
    cr_expect_not(found->jobs[0].u_known);
    cr_expect_float_eq(found->in_sample.mape, 0.1 / 1.1, 1e-12);
    pt_fit_free(found);
    end_world(world);
}

Test(fit, slow_downs_below_one_stay_in_the_fit)
{
    struct world *world = make_world(PT_FIT_PNORM, 2, 44);
    for (int k = 0; k < 4; k++)
        add(world, 0, PT_NONE, 0.25 * (k + 1) - 0.05, 0);
    for (int k = 0; k < 4; k++) {
        add(world, 1, PT_NONE, 0.25 * (k + 1) - 0.05, 0);
        world->points[4 + k].slow = 0.97;
    }
    struct pt_fit *found = fit(world);
    cr_expect_eq(found->below_one, 4);
    cr_expect_float_eq(found->jobs[0].u, world->jobs[0].u, 1e-6);
    cr_expect_lt(found->jobs[1].u, 1e-2);
    cr_expect_float_eq(found->jobs[1].mape, 0.03 / 0.97, 1e-3);
    cr_expect_eq(found->jobs[1].points, 4);
    pt_fit_free(found);
    end_world(world);
}

/* A job that is never slowed down has no kappa that could be told, and leaves the others theirs. */
Test(fit, a_job_that_is_never_slowed_down_spoils_no_scale)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 46);
    double mean = 0;
    add_pairs(world, 0.01);
    for (uint32_t k = 0; k < world->problem.point_count; k++)
        if (world->points[k].job == 0) world->points[k].slow = 1;
    struct pt_fit *found = fit(world);
    cr_expect_gt(found->jobs[0].u_error, 1);
    cr_expect_lt(found->jobs[0].mape, 1e-3);
    for (int k = 1; k < JOBS; k++) {
        mean += log(found->jobs[k].kappa);
        cr_expect(found->jobs[k].kappa_known);
        cr_expect_lt(found->jobs[k].kappa_error, 0.1);
        cr_expect_float_eq(found->jobs[k].kappa / found->jobs[1].kappa /
                               (world->jobs[k].kappa / world->jobs[1].kappa),
                           1, 0.1);
    }
    cr_expect_float_eq(mean, 0, 1e-9);
    pt_fit_free(found);
    end_world(world);
}

Test(fit, a_slow_down_beyond_the_share_holds_u_at_one)
{
    struct world *world = make_world(PT_FIT_PNORM, 2, 45);
    add(world, 0, PT_NONE, 0.25, 0);
    add(world, 0, PT_NONE, 0.5, 0);
    world->points[0].slow = 4.5;
    world->points[1].slow = 2.2;
    struct pt_fit *found = fit(world);
    cr_expect_eq(found->jobs[0].u, 1);
    cr_expect(found->jobs[0].at_bound);
    cr_expect_float_eq(found->predicted[0], 4, 1e-12);
    pt_fit_free(found);
    end_world(world);
}

/* ---- figures ---- */

Test(fit, quality_is_what_its_words_say)
{
    struct pt_fit_point points[] = {{0, PT_NONE, 0, .5, 1},
                                    {0, PT_NONE, 0, .5, 2},
                                    {0, PT_NONE, 0, .5, 4},
                                    {0, PT_NONE, 0, .5, 5}};
    struct pt_fit_problem problem = {PT_FIT_PNORM, 2, 1, 4, points};
    double predicted[] = {1.1, 1.8, 3, NAN};
    struct pt_fit_quality quality;
    struct pt_error error;
    cr_assert_eq(pt__fit_quality(&quality, &problem, predicted, &error), PT_OK);
    cr_expect_eq(quality.points, 3);
    cr_expect_eq(quality.left_out, 1);
    cr_expect_float_eq(quality.mape, (0.1 + 0.1 + 0.25) / 3, 1e-12);
    cr_expect_float_eq(quality.median_ape, 0.1, 1e-12);
    cr_expect_float_eq(quality.max_ape, 0.25, 1e-12);
    cr_expect_eq(quality.worst, 2);
    double logs = pow(log(1.1), 2) + pow(log(0.9), 2) + pow(log(0.75), 2);
    cr_expect_float_eq(quality.sd_log, sqrt(logs / 3), 1e-12);
    problem.point_count = 0;
    cr_assert_eq(pt__fit_quality(&quality, &problem, NULL, &error), PT_OK);
    cr_expect(isnan(quality.mape) && isnan(quality.median_ape) && isnan(quality.max_ape));
    cr_expect_eq(quality.worst, PT_NONE);
}

Test(fit, the_guard_stretches_pairs_that_use_more_than_the_gpu)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 51);
    world->jobs[0] = (struct pt_fit_job){.u = 0.98, .kappa = sqrt(10)};
    world->jobs[1] = (struct pt_fit_job){.u = 0.5, .kappa = sqrt(0.1)};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < 2; j++)
            add(world, i, j, 1, 0);
    struct pt_fit *found = fit(world);
    double slow_0 = 1 + 0.98 * 0.5 / 10, slow_1 = 1 + 0.98 * 0.5 * 10;
    double stretch = 0.98 / slow_0 + 0.5 / slow_1;
    cr_assert_gt(stretch, 1, "else this pair is no example");
    cr_expect_float_eq(found->guarded.max_ape, stretch - 1, 1e-6);
    cr_expect_float_eq(found->guarded.mape, (stretch - 1) / 2, 1e-6, "copies stay within the GPU");
    pt_fit_free(found);
    end_world(world);
}

/* ---- cross-validation ---- */

Test(fit, folds_are_dealt_by_the_seed_alone)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 61);
    struct pt_fit_quality a, b, c;
    struct pt_error error;
    uint32_t groups;
    add_pairs(world, 0.1);
    cr_assert_eq(pt_fit_group_count(&groups, &world->problem, &error), PT_OK);
    cr_expect_eq(groups, JOBS * (JOBS + 1) / 2);
    cr_assert_eq(pt_fit_cross_validate(&a, &world->problem, 5, 1, &error), PT_OK);
    cr_assert_eq(pt_fit_cross_validate(&b, &world->problem, 5, 1, &error), PT_OK);
    cr_assert_eq(pt_fit_cross_validate(&c, &world->problem, 5, 2, &error), PT_OK);
    cr_expect_eq(a.mape, b.mape);
    cr_expect_neq(a.mape, c.mape);
    cr_expect_eq(a.points, JOBS * JOBS);
    cr_expect_eq(a.left_out, 0);
    struct pt_fit *found = fit(world);
    cr_expect_gt(a.mape, found->in_sample.mape, "what was not seen is harder");
    cr_expect_lt(a.mape, 2 * found->in_sample.mape);
    pt_fit_free(found);
    end_world(world);
}

/* With as many folds as groups each point is predicted by all the others: done by hand here. */
Test(fit, a_held_out_point_is_predicted_by_the_others)
{
    struct world *world = make_world(PT_FIT_PNORM, 4, 62);
    struct pt_fit_quality quality;
    struct pt_error error;
    double sum = 0;
    for (int k = 0; k < 4; k++)
        add(world, 0, PT_NONE, (k + 1) / 7.0, 0.2);
    cr_assert_eq(pt_fit_cross_validate(&quality, &world->problem, 4, 9, &error), PT_OK);
    for (uint32_t k = 0; k < 4; k++) {
        struct pt_fit_point kept[3];
        struct pt_fit_problem others = world->problem;
        uint32_t count = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (i != k) kept[count++] = world->points[i];
        others.points = kept;
        others.point_count = 3;
        struct pt_fit *found = NULL;
        cr_assert_eq(pt_fit_run(&found, &others, &error), PT_OK);
        sum += fabs(
            pt_fit_predict(&others, found->jobs, &world->points[k]) / world->points[k].slow - 1);
        pt_fit_free(found);
    }
    cr_expect_float_eq(quality.mape, sum / 4, 1e-9);
    end_world(world);
}

Test(fit, what_the_others_do_not_tell_is_not_predicted)
{
    struct world *world = make_world(PT_FIT_RANK1, 0, 63);
    struct pt_fit_quality quality;
    struct pt_error error;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++)
            add(world, i, j, 1, 0);
    add(world, 4, 0, 1, 0); /* the only pair of job 4 */
    add(world, 0, 4, 1, 0);
    cr_assert_eq(pt_fit_cross_validate(&quality, &world->problem, 11, 1, &error), PT_OK);
    cr_expect_eq(quality.left_out, 2);
    cr_expect_eq(quality.points, 16);
    cr_expect_lt(quality.mape, 1e-6);
    end_world(world);
}

/* ---- refusals ---- */

static enum pt_status status_of(const struct pt_fit_problem *problem)
{
    struct pt_fit *fit = (struct pt_fit *)1;
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = pt_fit_run(&fit, problem, &error);
    if (status != PT_OK) {
        cr_expect_null(fit);
        cr_expect_eq(error.status, status);
        cr_expect_gt(strlen(error.message), 5);
    } else {
        pt_fit_free(fit);
    }
    return status;
}

Test(fit, what_can_not_be_fitted_is_refused)
{
    struct pt_fit_point point = {0, 0, 0, 1, 1.5};
    struct pt_fit_problem problem = {PT_FIT_RANK1, 0, 1, 1, &point};
    struct pt_fit_quality quality;
    struct pt_error error;
    cr_expect_eq(status_of(&problem), PT_OK);
    problem.point_count = 0;
    cr_expect_eq(status_of(&problem), PT_ERR_INPUT);
    problem.point_count = 1;
    cr_expect_eq(pt_fit_cross_validate(&quality, &problem, 2, 1, &error), PT_ERR_INPUT);
    static const struct pt_fit_point wrong[] = {
        {1, 0, 0, 1, 1.5}, {0, 1, 0, 1, 1.5},       {0, 0, 0, 0.5, 1.5},
        {0, 0, 0, 1, 0},   {0, 0, 0, 1, -1},        {0, 0, 0, 1, INFINITY},
        {0, 0, 0, 1, NAN}, {0, PT_NONE, 0, 1, 1.5}, {0, 0, 0, NAN, 1.5}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        point = wrong[k];
        cr_expect_eq(status_of(&problem), PT_ERR_ARGUMENT, "point %zu", k);
    }
    point = (struct pt_fit_point){0, PT_NONE, 0, 0.5, 1.5};
    problem.law = PT_FIT_PNORM;
    for (unsigned p = 0; p < 6; p++) {
        problem.p = (uint8_t)p;
        cr_expect_eq(status_of(&problem), p == 1 || p == 2 || p == 4 ? PT_OK : PT_ERR_ARGUMENT,
                     "p = %u", p);
    }
}

/* Slow-downs of any size, and as few of them as there are, end in a fit. */
Test(fit, random_points_always_end)
{
    struct world *world = make_world(PT_FIT_RANK1, 2, 71);
    for (int trial = 0; trial < 300; trial++) {
        struct pt_error error;
        struct pt_fit *found = NULL;
        bool pairs = trial % 3 != 0;
        world->problem.law = trial % 2 && pairs ? PT_FIT_RANK1 : PT_FIT_PNORM;
        world->problem.point_count = 1 + (uint32_t)gsl_rng_uniform_int(world->rng, 20);
        for (uint32_t k = 0; k < world->problem.point_count; k++)
            world->points[k] = (struct pt_fit_point){
                (uint32_t)gsl_rng_uniform_int(world->rng, JOBS),
                pairs ? (uint32_t)gsl_rng_uniform_int(world->rng, JOBS) : PT_NONE, k,
                pairs ? 1 : 0.05 + 0.95 * gsl_rng_uniform(world->rng),
                exp(gsl_ran_gaussian(world->rng, trial % 5))};
        cr_assert_eq(pt_fit_run(&found, &world->problem, &error), PT_OK, "trial %d: %s", trial,
                     error.message);
        for (uint32_t k = 0; k < JOBS; k++) {
            cr_expect(!found->jobs[k].u_known || isfinite(found->jobs[k].u));
            cr_expect(isfinite(found->jobs[k].kappa));
        }
        cr_expect(isfinite(found->in_sample.mape));
        pt_fit_free(found);
    }
    end_world(world);
}
