/* Jobs drawn from distributions: `source: synthetic`.
 *
 * With u uniform in [0, 1), m the mean (seconds), every draw from a stream of its own, keyed by
 * (seed, purpose, job), so that changing one distribution leaves the draws of the others alone:
 *
 *   arrivals  poisson           gaps -m ln(1 - u), the first one counted from time 0
 *             regular           at 0, m, 2m, ...
 *   work      deterministic     m
 *             exponential       -m ln(1 - u)
 *             hyperexponential  two exponentials with balanced means (Sauer and Chandy 1975): with
 *                               probability p = (1 + sqrt((c - 1) / (c + 1))) / 2 the mean is
 *                               m / 2p, else m / 2(1 - p); c = work_cv2 >= 1, the squared
 *                               coefficient of variation
 *             lognormal         m exp(s z - s^2 / 2), s = work_sigma, z = inverse normal CDF of u
 *   gpus      a count, or counts with weights: "1:70|2:10|8:20"
 *
 * Results of libm are rounded to 40 bits (pt_round40), then to whole ns, half up.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "partita/random.h"
#include "traces/readers.h"

enum { JOBS, ARRIVALS, MEAN_INTERARRIVAL, RATE, WORK, WORK_MEAN, WORK_CV2, WORK_SIGMA, GPUS };
enum { POISSON, REGULAR };
enum { EXPONENTIAL, DETERMINISTIC, HYPEREXPONENTIAL, LOGNORMAL };
enum { MIX_MAX = 32, RNG_WORDS = 4 };

static const char *const arrival_choices[] = {"poisson", "regular", NULL};
static const char *const work_choices[] = {"exponential", "deterministic", "hyperexponential",
                                           "lognormal", NULL};

static const struct pt_param params[] = {
    {"jobs", PT_PARAM_INT, "", NULL, "0", "4294967294", NULL, "how many jobs"},
    {"arrivals", PT_PARAM_CHOICE, "", "poisson", NULL, NULL, arrival_choices,
     "how submissions follow each other"},
    {"mean_interarrival", PT_PARAM_DURATION, "s", "0", "0", NULL, NULL,
     "mean time between submissions; this or rate_per_s"},
    {"rate_per_s", PT_PARAM_NUMBER, "1/s", "0", "0", NULL, NULL,
     "mean submissions a second; this or mean_interarrival"},
    {"work", PT_PARAM_CHOICE, "", "exponential", NULL, NULL, work_choices,
     "distribution of work_s"},
    {"work_mean", PT_PARAM_DURATION, "s", NULL, "0", NULL, NULL, "mean of work_s"},
    {"work_cv2", PT_PARAM_NUMBER, "", "4", "1", NULL, NULL,
     "squared coefficient of variation of hyperexponential work"},
    {"work_sigma", PT_PARAM_NUMBER, "", "1.5", "0", "10", NULL,
     "standard deviation of the logarithm of lognormal work"},
    {"gpus", PT_PARAM_TEXT, "", "1", NULL, NULL, NULL,
     "GPUs of a job: a count, or counts with weights, 1:70|2:10|8:20"},
    {0},
};

struct mix {
    uint32_t count, gpus[MIX_MAX];
    double cumulative[MIX_MAX]; /* of the weights; the last one is their sum */
};

struct draw {
    gsl_rng rng;
    uint64_t rng_state[RNG_WORDS], seed;
    int64_t arrivals, work, exact_gap_ns, exact_work_ns;
    double gap_ns, work_ns, cv2, sigma;
    struct mix mix;
};

/* "8" or "8:20" of the list. */
static enum pt_status parse_share(struct mix *mix, const char *text, size_t length,
                                  struct pt_error *error)
{
    struct pt_error detail = {0};
    const char *colon = memchr(text, ':', length);
    size_t count_length = colon == NULL ? length : (size_t)(colon - text);
    int64_t gpus = 0;
    double weight = 1;
    if (mix->count == MIX_MAX)
        return pt_fail(error, PT_ERR_INPUT, "gpus names more than %d counts", MIX_MAX);
    if (pt_parse_int(&gpus, text, count_length, 0, PT_NONE - 1, &detail) != PT_OK)
        return pt_fail(error, PT_ERR_INPUT, "gpus: '%.*s' %s", (int)count_length, text,
                       detail.message);
    size_t weight_length = length - count_length - 1;
    if (colon != NULL && pt_parse_double(&weight, colon + 1, weight_length, &detail) != PT_OK)
        return pt_fail(error, PT_ERR_INPUT, "gpus: the weight '%.*s' %s", (int)weight_length,
                       colon + 1, detail.message);
    if (weight < 0) return pt_fail(error, PT_ERR_INPUT, "gpus: a weight is negative");
    double before = mix->count == 0 ? 0 : mix->cumulative[mix->count - 1];
    mix->gpus[mix->count] = (uint32_t)gpus;
    mix->cumulative[mix->count++] = before + weight;
    return PT_OK;
}

static enum pt_status parse_mix(struct mix *mix, const char *text, struct pt_error *error)
{
    mix->count = 0;
    for (;; text++) {
        const char *bar = strchr(text, '|');
        size_t length = bar == NULL ? strlen(text) : (size_t)(bar - text);
        PT_TRY(parse_share(mix, text, length, error));
        if (bar == NULL) break;
        text = bar;
    }
    double sum = mix->cumulative[mix->count - 1];
    if (!(sum > 0) || !isfinite(sum))
        return pt_fail(error, PT_ERR_INPUT, "gpus: the weights must have a positive sum");
    return PT_OK;
}

/* A drawn time in ns as an integer; beyond 292 years it is PT_NEVER. */
static int64_t whole_ns(double ns)
{
    double rounded = floor(pt_round40(ns) + 0.5);
    return rounded < 0x1p63 ? (int64_t)rounded : PT_NEVER;
}

static enum pt_status set_up(struct draw *draw, const struct pt_read_request *request,
                             struct pt_error *error)
{
    const struct pt_value *values = request->params;
    *draw = (struct draw){.seed = request->seed,
                          .arrivals = values[ARRIVALS].integer,
                          .work = values[WORK].integer,
                          .exact_work_ns = values[WORK_MEAN].integer,
                          .gap_ns = (double)values[MEAN_INTERARRIVAL].integer,
                          .work_ns = (double)values[WORK_MEAN].integer,
                          .cv2 = values[WORK_CV2].number,
                          .sigma = values[WORK_SIGMA].number};
    double rate_per_s = values[RATE].number;
    if ((draw->gap_ns > 0) == (rate_per_s > 0))
        return pt_fail(error, PT_ERR_INPUT,
                       "synthetic jobs need mean_interarrival or rate_per_s, one of the two");
    if (rate_per_s > 0) draw->gap_ns = (double)PT_NS_PER_S / rate_per_s;
    draw->exact_gap_ns =
        rate_per_s > 0 ? whole_ns(draw->gap_ns) : values[MEAN_INTERARRIVAL].integer;
    return parse_mix(&draw->mix, values[GPUS].text, error);
}

/* Seeds the stream of one draw. The generator's state lies in `draw`, which does not move. */
static gsl_rng *stream(struct draw *draw, enum pt_purpose purpose, uint64_t job)
{
    draw->rng.type = pt_rng_type;
    draw->rng.state = draw->rng_state;
    pt_rng_seed(&draw->rng, draw->seed, purpose, job);
    return &draw->rng;
}

static int64_t draw_gap(struct draw *draw, uint32_t job)
{
    if (draw->arrivals == REGULAR) return job == 0 ? 0 : draw->exact_gap_ns;
    return whole_ns(gsl_ran_exponential(stream(draw, PT_PURPOSE_ARRIVAL, job), draw->gap_ns));
}

static int64_t draw_work(struct draw *draw, uint32_t job)
{
    gsl_rng *rng = stream(draw, PT_PURPOSE_WORK, job);
    double mean = draw->work_ns;
    switch (draw->work) {
    case DETERMINISTIC:
        return draw->exact_work_ns;
    case HYPEREXPONENTIAL: {
        double p = (1 + sqrt((draw->cv2 - 1) / (draw->cv2 + 1))) / 2;
        mean /= 2 * (gsl_rng_uniform(rng) < p ? p : 1 - p);
        return whole_ns(gsl_ran_exponential(rng, mean));
    }
    case LOGNORMAL: {
        double z = pt_round40(gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(rng)));
        double sigma = draw->sigma;
        return whole_ns(mean * pt_round40(exp(sigma * z - sigma * sigma / 2)));
    }
    default:
        return whole_ns(gsl_ran_exponential(rng, mean));
    }
}

static uint32_t draw_gpus(struct draw *draw, uint32_t job)
{
    const struct mix *mix = &draw->mix;
    if (mix->count == 1) return mix->gpus[0];
    double at =
        gsl_rng_uniform(stream(draw, PT_PURPOSE_GPUS, job)) * mix->cumulative[mix->count - 1];
    uint32_t i = 0;
    while (i + 1 < mix->count && at >= mix->cumulative[i])
        i++;
    return mix->gpus[i];
}

static enum pt_status draw_jobs(struct pt_trace *trace, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    *report = (struct pt_read_report){0};
    struct draw draw;
    PT_TRY(set_up(&draw, request, error));
    uint32_t count = (uint32_t)request->params[JOBS].integer;
    if (count > request->limit) count = request->limit;
    int64_t submit_ns = 0;
    for (uint32_t job = 0; job < count; job++) {
        int64_t gap_ns = draw_gap(&draw, job), work_ns = draw_work(&draw, job);
        if (gap_ns > PT_TIME_MAX - submit_ns || work_ns > PT_TIME_MAX - submit_ns - gap_ns)
            return pt_fail(error, PT_ERR_INPUT, "synthetic job %u ends after more than 292 years",
                           job);
        submit_ns += gap_ns;
        pt_job row = PT_NONE;
        PT_TRY(pt__read_goes_on(request, error));
        PT_TRY(pt_trace_add(trace, &row, error));
        PT_TRY(pt_trace_set_time(trace, row, PT_COL_SUBMIT, submit_ns, error));
        PT_TRY(pt_trace_set_time(trace, row, PT_COL_WORK, work_ns, error));
        PT_TRY(pt_trace_set_u32(trace, row, PT_COL_GPUS, draw_gpus(&draw, job), error));
        report->rows++;
        report->accepted++;
    }
    return PT_OK;
}

const struct pt_reader_ops pt__reader_synthetic = {
    .abi = PT_READER_ABI,
    .size = sizeof(struct pt_reader_ops),
    .name = "synthetic",
    .summary = "jobs drawn from distributions, reproducible from the experiment's seed",
    .source = "Poisson arrivals; exponential, deterministic, hyperexponential or lognormal work",
    .needs_path = false,
    .columns = "submit_s, work_s and gpus are drawn; the rest has its default",
    .unmapped = "real traces are burstier than Poisson and heavier-tailed than exponential",
    .params = params,
    .read = draw_jobs,
};
