#include <math.h>

#include "reading.h"

enum {
    JOBS,
    ARRIVALS,
    MEAN_INTERARRIVAL,
    RATE,
    WORK,
    WORK_MEAN,
    WORK_CV2,
    WORK_SIGMA,
    GPUS,
    COUNT
};

/* 100 s of work every 2 s on the mean; choices as numbered in the reader's table. */
static struct pt_value *values_for(int64_t jobs, int64_t arrivals, int64_t work)
{
    static struct pt_value values[COUNT];
    memset(values, 0, sizeof values);
    values[JOBS].integer = jobs;
    values[ARRIVALS].integer = arrivals;
    values[MEAN_INTERARRIVAL].integer = 2 * PT_NS_PER_S;
    values[WORK].integer = work;
    values[WORK_MEAN].integer = 100 * PT_NS_PER_S;
    values[WORK_CV2].number = 4;
    values[WORK_SIGMA].number = 1;
    values[GPUS].text = "1";
    return values;
}

static struct reading *draw(const struct pt_value *values, uint64_t seed)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct pt_read_request request = request_for(reading, false);
    request.params = values;
    request.seed = seed;
    const struct pt_reader_ops *reader = pt_reader_find("synthetic");
    reading->status = reader->read(&reading->trace, &reading->report, &request, &reading->error);
    return reading;
}

static const char *choice(int place, int64_t index)
{
    return pt_reader_find("synthetic")->params[place].choices[index];
}

struct moments {
    double mean, cv2;
};

static struct moments moments_of(const int64_t *ns, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += pt_seconds(ns[i]);
    double mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (pt_seconds(ns[i]) - mean) * (pt_seconds(ns[i]) - mean);
    return (struct moments){mean, squares / count / (mean * mean)};
}

Test(synthetic, the_table_is_in_the_order_the_tests_use)
{
    const struct pt_param *params = pt_reader_find("synthetic")->params;
    cr_assert_str_eq(params[JOBS].name, "jobs");
    cr_assert_str_eq(params[RATE].name, "rate_per_s");
    cr_assert_str_eq(params[GPUS].name, "gpus");
    cr_assert_null(params[COUNT].name);
    cr_assert_str_eq(choice(ARRIVALS, 0), "poisson");
    cr_assert_str_eq(choice(WORK, 1), "deterministic");
    cr_assert_str_eq(choice(WORK, 2), "hyperexponential");
    cr_assert_str_eq(choice(WORK, 3), "lognormal");
}

/* Means and squared coefficients of variation within five standard errors of theory. */
Test(synthetic, distributions_have_their_moments)
{
    enum { N = 200000 };
    const double cv2[] = {1, 0, 4, exp(1) - 1};
    /* Relative standard error of the estimated cv2: from the fourth moments, generously. */
    const double cv2_tolerance[] = {0.05, 1e-12, 0.2, 0.5};
    for (int64_t work = 0; work < 4; work++) {
        struct reading *reading = draw(values_for(N, 0, work), 7);
        cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
        cr_assert_eq(reading->report.accepted, N);
        struct moments m = moments_of(pt_trace_work_ns(&reading->trace), N);
        cr_expect_float_eq(m.mean, 100, 5 * 100 * sqrt(cv2[work] / N) + 1e-9, "%s: mean %g",
                           choice(WORK, work), m.mean);
        cr_expect_float_eq(m.cv2, cv2[work], cv2_tolerance[work], "%s: cv2 %g", choice(WORK, work),
                           m.cv2);
        end_reading(reading);
    }
}

Test(synthetic, poisson_gaps_are_exponential)
{
    enum { N = 200000 };
    struct reading *reading = draw(values_for(N, 0, 1), 3);
    static int64_t gap[N];
    const int64_t *submit_ns = pt_trace_submit_ns(&reading->trace);
    uint32_t above_mean = 0;
    for (uint32_t i = 0; i < N; i++) {
        gap[i] = submit_ns[i] - (i == 0 ? 0 : submit_ns[i - 1]);
        above_mean += gap[i] > 2 * PT_NS_PER_S;
    }
    struct moments m = moments_of(gap, N);
    cr_expect_float_eq(m.mean, 2, 5 * 2 / sqrt(N));
    cr_expect_float_eq(m.cv2, 1, 0.05);
    double p = exp(-1);
    cr_expect_float_eq((double)above_mean / N, p, 5 * sqrt(p * (1 - p) / N));
    end_reading(reading);
}

Test(synthetic, regular_arrivals_are_exact)
{
    struct pt_value *values = values_for(5, 1, 1);
    struct reading *reading = draw(values, 3);
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(pt_trace_submit_ns(&reading->trace)[i], 2 * i * PT_NS_PER_S);
    end_reading(reading);
    values[MEAN_INTERARRIVAL].integer = 0;
    values[RATE].number = 4;
    reading = draw(values, 3);
    cr_assert_eq(pt_trace_submit_ns(&reading->trace)[4], PT_NS_PER_S);
    end_reading(reading);
}

Test(synthetic, a_seed_gives_the_same_jobs_and_another_one_others)
{
    struct reading *a = draw(values_for(100, 0, 0), 1), *b = draw(values_for(100, 0, 0), 1);
    struct reading *c = draw(values_for(100, 0, 0), 2);
    const size_t size = 100 * sizeof(int64_t);
    cr_assert_arr_eq(pt_trace_work_ns(&a->trace), pt_trace_work_ns(&b->trace), size);
    cr_assert_arr_eq(pt_trace_submit_ns(&a->trace), pt_trace_submit_ns(&b->trace), size);
    cr_assert_neq(memcmp(pt_trace_work_ns(&a->trace), pt_trace_work_ns(&c->trace), size), 0);
    end_reading(a);
    end_reading(b);
    end_reading(c);
}

Test(synthetic, one_part_leaves_the_draws_of_the_others_alone)
{
    struct reading *a = draw(values_for(100, 0, 0), 1), *b = draw(values_for(100, 0, 3), 1);
    cr_assert_arr_eq(pt_trace_submit_ns(&a->trace), pt_trace_submit_ns(&b->trace),
                     100 * sizeof(int64_t));
    struct pt_value *values = values_for(50, 1, 0);
    values[GPUS].text = "1|2";
    struct reading *c = draw(values, 1);
    cr_assert_arr_eq(pt_trace_work_ns(&a->trace), pt_trace_work_ns(&c->trace),
                     50 * sizeof(int64_t));
    end_reading(a);
    end_reading(b);
    end_reading(c);
}

Test(synthetic, gpus_follow_their_weights)
{
    enum { N = 100000 };
    struct pt_value *values = values_for(N, 0, 1);
    values[GPUS].text = "1:70|2:10|0:0|8:20";
    struct reading *reading = draw(values, 5);
    uint32_t count[9] = {0};
    for (pt_job job = 0; job < N; job++)
        count[pt_trace_u32(&reading->trace, PT_COL_GPUS, job)]++;
    cr_assert_eq(count[1] + count[2] + count[8], N);
    const struct {
        int gpus;
        double p;
    } expected[] = {{1, 0.7}, {2, 0.1}, {8, 0.2}};
    for (size_t i = 0; i < 3; i++)
        cr_expect_float_eq((double)count[expected[i].gpus] / N, expected[i].p,
                           5 * sqrt(expected[i].p * (1 - expected[i].p) / N));
    end_reading(reading);
}

static const char *draw_error(struct pt_value *values)
{
    static struct pt_error error;
    struct reading *reading = draw(values, 1);
    cr_assert_eq(reading->status, PT_ERR_INPUT);
    error = reading->error;
    end_reading(reading);
    return error.message;
}

Test(synthetic, refuses_what_makes_no_sense)
{
    struct pt_value *values = values_for(5, 0, 0);
    values[RATE].number = 1;
    cr_assert_str_eq(draw_error(values),
                     "synthetic jobs need mean_interarrival or rate_per_s, one of the two");
    values[MEAN_INTERARRIVAL].integer = 0;
    values[RATE].number = 0;
    cr_assert_str_eq(draw_error(values),
                     "synthetic jobs need mean_interarrival or rate_per_s, one of the two");
    values = values_for(5, 0, 0);
    const char *const wrong[][2] = {
        {"x", "gpus: 'x' is not a number"},
        {"1|", "gpus: '' is empty"},
        {"1:x", "gpus: the weight 'x' is not a number"},
        {"1:", "gpus: the weight '' is empty"},
        {"1:-1|2:3", "gpus: a weight is negative"},
        {"1:0", "gpus: the weights must have a positive sum"},
        {"1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|1",
         "gpus names more than 32 counts"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        values[GPUS].text = wrong[i][0];
        cr_expect_str_eq(draw_error(values), wrong[i][1]);
    }
    values = values_for(1000, 0, 0);
    values[WORK_MEAN].integer = PT_TIME_MAX / 2;
    cr_assert_not_null(strstr(draw_error(values), "ends after more than 292 years"));
}

Test(synthetic, keeps_to_the_limit)
{
    struct reading reading = {0};
    struct pt_read_request request = request_for(&reading, false);
    request.params = values_for(100, 0, 0);
    request.limit = 7;
    cr_assert_eq(pt_reader_find("synthetic")
                     ->read(&reading.trace, &reading.report, &request, &reading.error),
                 PT_OK);
    cr_assert_eq(reading.trace.job_count, 7);
    pt_trace_fini(&reading.trace);
}
