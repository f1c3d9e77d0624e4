#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analysis/compare/differences.h"
#include "analysis/compare/gates.h"

enum { RUNS = 8 };

/* Sides made by hand: of each run all jobs and one tenant, with three metrics. */
struct made {
    struct pt_metric metrics[RUNS][2][3];
    struct pt_metric_group groups[RUNS][2];
    struct pt_summary summaries[RUNS];
    struct pt_side_run runs[RUNS];
    struct pt_side side;
};

static void make(struct made *made, const char *tenant, uint64_t first_seed, size_t count,
                 const double *jct_s)
{
    memset(made, 0, sizeof *made);
    for (size_t r = 0; r < count; r++) {
        for (size_t g = 0; g < 2; g++) {
            struct pt_metric *m = made->metrics[r][g];
            m[0] = (struct pt_metric){"jct_mean_s", "s", jct_s[r], 1, false};
            m[1] = (struct pt_metric){"failed", "", 3, 3, true};
            m[2] = (struct pt_metric){"sla_satisfaction", "", g == 0 ? NAN : 1, g, false};
            made->groups[r][g] = (struct pt_metric_group){g ? "tenant" : "", g ? tenant : "", 3, m};
        }
        made->summaries[r] = (struct pt_summary){2, made->groups[r]};
        made->runs[r] =
            (struct pt_side_run){.seed = first_seed + r, .summary = &made->summaries[r]};
    }
    made->side = (struct pt_side){.count = count, .runs = made->runs};
}

static const struct pt_metric_difference *find(const struct pt_differences *d, const char *name)
{
    return pt_differences_find(d, "", "", 0, name);
}

static const double base_jct_s[RUNS] = {100, 140, 90, 200, 120, 80, 160, 110};

Test(differences, pairs_by_seed)
{
    static struct made base, changed;
    double jct_s[RUNS];
    for (size_t r = 0; r < RUNS; r++)
        jct_s[r] = base_jct_s[r] - 10 - 0.1 * (double)r;
    make(&base, "acme", 1, RUNS, base_jct_s);
    make(&changed, "acme", 3, 6, jct_s + 2); /* seeds 3 to 8 */
    struct pt_differences *d;
    cr_assert_eq(pt_differences_create(&d, &base.side, &changed.side, 0.05, NULL), PT_OK);
    cr_assert(d->paired);
    cr_assert_eq(d->base_count, 6u);
    cr_assert_eq(d->base_alone, 2u);
    cr_assert_eq(d->new_alone, 0u);
    const struct pt_metric_difference *jct = find(d, "jct_mean_s");
    cr_assert_float_eq(jct->difference.difference, -10.45, 1e-9);
    cr_assert_eq(jct->change, PT_CHANGE_DOWN);
    cr_assert_lt(jct->adjusted_p, 1e-6);
    cr_assert_lt(jct->bootstrap.low, jct->bootstrap.high);
    cr_assert_eq(find(d, "failed")->change, PT_CHANGE_EQUAL);
    cr_assert_eq(find(d, "sla_satisfaction")->change, PT_CHANGE_UNKNOWN);
    cr_assert_null(find(d, "cost"));
    cr_assert_not_null(pt_differences_find(d, "tenant", "acmexyz", 4, "jct_mean_s"));
    cr_assert_null(pt_differences_find(d, "tenant", "acmexyz", 5, "jct_mean_s"));
    pt_differences_destroy(d);
}

Test(differences, groups_without_a_seed_in_common)
{
    static struct made base, changed;
    make(&base, "acme", 1, RUNS, base_jct_s);
    make(&changed, "beta", 101, 5, base_jct_s);
    struct pt_differences *d;
    cr_assert_eq(pt_differences_create(&d, &base.side, &changed.side, 0.05, NULL), PT_OK);
    cr_assert_not(d->paired);
    cr_assert_eq(d->base_count, 8u);
    cr_assert_eq(d->new_count, 5u);
    cr_assert_eq(find(d, "jct_mean_s")->change, PT_CHANGE_UNSURE);
    cr_assert_gt(find(d, "jct_mean_s")->seeds_needed, 0u);
    cr_assert_eq(d->group_count, 3u); /* all, and two tenants that are in one side alone */
    cr_assert(d->groups[1].in_base && !d->groups[1].in_new);
    cr_assert(!d->groups[2].in_base && d->groups[2].in_new);
    cr_assert_eq(d->groups[1].metrics[0].change, PT_CHANGE_UNKNOWN);
    pt_differences_destroy(d);
}

Test(differences, of_one_run_are_what_they_are)
{
    static struct made base, changed;
    const double jct_s[] = {101};
    make(&base, "acme", 1, 1, base_jct_s);
    make(&changed, "acme", 1, 1, jct_s);
    struct pt_differences *d;
    cr_assert_eq(pt_differences_create(&d, &base.side, &changed.side, 0.05, NULL), PT_OK);
    cr_assert_eq(find(d, "jct_mean_s")->change, PT_CHANGE_UP);
    cr_assert(isnan(find(d, "jct_mean_s")->difference.low));
    cr_assert(isnan(find(d, "jct_mean_s")->bootstrap.low));
    pt_differences_destroy(d);
}

static const struct pt_judgement *judge(struct pt_gates *gates, const char *text,
                                        const struct pt_differences *d)
{
    pt_gates_fini(gates);
    cr_assert_eq(pt_gates_add(gates, NULL, text, "--fail-on", 0, 0, NULL), PT_OK);
    cr_assert_eq(pt_gates_judge_differences(gates, d, 0.05, NULL), PT_OK);
    return &gates->list[0].judgement;
}

Test(differences, judge_gates)
{
    static struct made base, changed;
    double up_s[RUNS], noise_s[RUNS];
    for (size_t r = 0; r < RUNS; r++) {
        up_s[r] = 1.1 * base_jct_s[r];
        noise_s[r] = base_jct_s[r] + (r % 2 ? 60 : -45);
    }
    struct pt_gates gates = {0};
    struct pt_differences *d;
    make(&base, "acme", 1, RUNS, base_jct_s);
    make(&changed, "acme", 1, RUNS, up_s);
    cr_assert_eq(pt_differences_create(&d, &base.side, &changed.side, 0.05, NULL), PT_OK);
    cr_expect_eq(judge(&gates, "jct_mean_s > +5%", d)->verdict, PT_JUDGED_FAILED);
    cr_expect_eq(judge(&gates, "jct_mean_s{tenant=acme} > +5%", d)->verdict, PT_JUDGED_FAILED);
    cr_expect_eq(judge(&gates, "jct_mean_s > +15%", d)->verdict, PT_JUDGED_PASSED);
    cr_expect_not(judge(&gates, "jct_mean_s > +15%", d)->by_chance);
    cr_expect_eq(judge(&gates, "failed > +0%", d)->verdict, PT_JUDGED_PASSED);
    cr_expect_eq(judge(&gates, "failed > 2", d)->verdict, PT_JUDGED_FAILED);
    cr_expect_eq(judge(&gates, "jct_mean_s > 137.6", d)->verdict, PT_JUDGED_PASSED);
    cr_expect_eq(judge(&gates, "jct_mean_s > 137.4", d)->verdict, PT_JUDGED_FAILED);
    cr_expect_eq(judge(&gates, "sla_satisfaction < 1", d)->verdict, PT_JUDGED_UNKNOWN);
    cr_expect_eq(judge(&gates, "jct_mean_s{tenant=nobody} > 1", d)->verdict, PT_JUDGED_UNKNOWN);
    pt_differences_destroy(d);
    make(&changed, "acme", 1, RUNS, noise_s);
    cr_assert_eq(pt_differences_create(&d, &base.side, &changed.side, 0.05, NULL), PT_OK);
    cr_expect_eq(judge(&gates, "jct_mean_s > +5%", d)->verdict, PT_JUDGED_PASSED);
    cr_expect(gates.list[0].judgement.by_chance);
    cr_expect_gt(gates.list[0].judgement.p, 0.05);
    pt_differences_destroy(d);
    pt_gates_fini(&gates);
}

Test(differences, know_which_way_is_better)
{
    cr_expect_eq(pt_metric_better("jct_p95_s"), PT_BETTER_LOW);
    cr_expect_eq(pt_metric_better("cost_per_job"), PT_BETTER_LOW);
    cr_expect_eq(pt_metric_better("sla_satisfaction"), PT_BETTER_HIGH);
    cr_expect_eq(pt_metric_better("done"), PT_BETTER_HIGH);
    cr_expect_eq(pt_metric_better("preemptions"), PT_BETTER_NEITHER);
    for (const char *const *name = pt_headline_metrics; *name; name++) {
        size_t k = 0;
        while (pt_metric_infos[k].name && strcmp(pt_metric_infos[k].name, *name) != 0)
            k++;
        cr_expect_not_null(pt_metric_infos[k].name, "%s is no metric", *name);
    }
}

Test(differences, same_but_for_seeds)
{
    cr_expect(pt_same_but_for_seeds("a: 1\nseed: 3\nb: 2\n", "a: 1\nseed: 4\nb: 2\n"));
    cr_expect_not(pt_same_but_for_seeds("a: 1\nseed: 3\nb: 2\n", "a: 1\nseed: 3\nb: 3\n"));
    cr_expect_not(pt_same_but_for_seeds("a: 1\n", "a: 1\nb: 3\n"));
}
