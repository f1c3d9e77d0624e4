/* The engine against closed forms of queueing theory.
 *
 *   queues 5|2 [ROW]      half-width of the confidence interval in per cent
 *
 * Each row is a queue that a small cluster is: one GPU = one server, time_slice without loss =
 * processor sharing, give_up 0 = a loss system. 30 replications with seeds 1..30, warm-up removed;
 * the 99.9 % confidence interval (Student t) must contain the exact value and be narrow enough.
 * Then the same with the load off by 5 %, which must be noticed on every row with a load of .8 and
 * more: a test that can't fail proves nothing.
 *
 * Closed forms: Kleinrock, Queueing Systems I (1975), sections 3.5 (M/M/c, Erlang C), 3.6 (Erlang
 * B), 5.6 (Pollaczek-Khinchine) and, for processor sharing, II (1976), section 4.4. With switching
 * loss e, n > 1 jobs are served at the total rate 1 / (1 + e): a birth-death process. So is sharing
 * under a model of interference in which n equal jobs are served at the total rate phi(n); its mean
 * depends on the mean of the service alone, which makes it a sharp test of a model in the engine.
 * Each of those rows is also run without its model, which must be noticed; and so are the rows of
 * priorities without theirs.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/interference/interference.h"
#include "partita/random.h"
#include "tests/support/rig.h"

#define REPLICATIONS 30
#define CONFIDENCE 0.999
#define SLOTS "64" /* of a GPU that all jobs share: .8^64 = 6e-7 */

enum law { EXPONENTIAL, CONSTANT, HYPEREXPONENTIAL };
enum system {
    FCFS,
    LOSS,
    FIRST_AHEAD,  /* of two classes, half the jobs each, one goes ahead in the queue: of that one */
    SECOND_AHEAD, /* of the other */
    FIRST_STOPS,  /* and it stops the other, which goes on later where it was */
    SECOND_STOPS,
    SHARING,    /* time_slice without a model */
    GAIN,       /* curve: phi = 1, 1.2, 1.3, 1.3, ... */
    HARM,       /* curve: phi = 1, 0.9, 0.85, 0.8, ... */
    RANK1_HALF, /* MPS, rank1 without its guard, u = 0.5: phi(n) = n / (1 + u^2 (n - 1)) */
    RANK1_FOUR, /* u = 0.8 */
    TURNS       /* time_slice under fitted, u = 1: as SHARING */
};
enum measure { TIME_IN_SYSTEM, TIME_IN_QUEUE, SHARE_LOST };

struct row {
    const char *name;
    enum system system;
    uint32_t servers;
    double lambda; /* service takes 1 s on average */
    enum law law;
    enum measure measure;
    double switch_loss;
    double exact;  /* as published, to the digits given */
    uint32_t jobs; /* per replication, for a half-width of 2 % */
};

static const struct row rows[] = {
    {"M/M/1 .8 W", FCFS, 1, 0.8, EXPONENTIAL, TIME_IN_SYSTEM, 0, 5, 160000},
    {"M/M/2 .8 W", FCFS, 2, 1.6, EXPONENTIAL, TIME_IN_SYSTEM, 0, 2.777778, 150000},
    {"M/M/4 .8 W", FCFS, 4, 3.2, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.745541, 120000},
    {"M/M/8 .8 W", FCFS, 8, 6.4, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.286028, 90000},
    {"M/M/8 .9 W", FCFS, 8, 7.2, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.876916, 270000},
    {"M/M/16 .9 W", FCFS, 16, 14.4, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.369590, 210000},
    {"M/D/1 .8 Wq", FCFS, 1, 0.8, CONSTANT, TIME_IN_QUEUE, 0, 2, 100000},
    {"M/H2/1 .8 Wq", FCFS, 1, 0.8, HYPEREXPONENTIAL, TIME_IN_QUEUE, 0, 10, 560000},
    {"M/M/8/8 6.4 loss", LOSS, 8, 6.4, EXPONENTIAL, SHARE_LOST, 0, 0.144394, 60000},
    {"priority, first Wq", FIRST_AHEAD, 1, 0.6, EXPONENTIAL, TIME_IN_QUEUE, 0, 0.857143, 50000},
    {"priority, second Wq", SECOND_AHEAD, 1, 0.6, EXPONENTIAL, TIME_IN_QUEUE, 0, 2.142857, 110000},
    {"resume, first W", FIRST_STOPS, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.428571, 20000},
    {"resume, second W", SECOND_STOPS, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0, 3.571429, 80000},
    {"M/M/1-PS .5 W", SHARING, 1, 0.5, EXPONENTIAL, TIME_IN_SYSTEM, 0, 2, 30000},
    {"M/D/1-PS .5 W", SHARING, 1, 0.5, CONSTANT, TIME_IN_SYSTEM, 0, 2, 15000},
    {"M/H2/1-PS .5 W", SHARING, 1, 0.5, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 2, 70000},
    {"M/M/1-PS .8 W", SHARING, 1, 0.8, EXPONENTIAL, TIME_IN_SYSTEM, 0, 5, 160000},
    {"M/D/1-PS .8 W", SHARING, 1, 0.8, CONSTANT, TIME_IN_SYSTEM, 0, 5, 75000},
    {"M/H2/1-PS .8 W", SHARING, 1, 0.8, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 5, 640000},
    {"PS, loss .1, .6 W", SHARING, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0.1, 3.128911, 60000},
    {"PS, loss .1, .8 W", SHARING, 1, 0.8, EXPONENTIAL, TIME_IN_SYSTEM, 0.1, 9.057971, 420000},
    {"PS, loss .11, .6 W", SHARING, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0.11, 3.205580, 60000},
    {"turns .11, .6 W", TURNS, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0.11, 3.205580, 60000},
    {"gain M .8 W", GAIN, 1, 0.8, EXPONENTIAL, TIME_IN_SYSTEM, 0, 2.271967, 25000},
    {"gain D .8 W", GAIN, 1, 0.8, CONSTANT, TIME_IN_SYSTEM, 0, 2.271967, 13000},
    {"gain H2 .8 W", GAIN, 1, 0.8, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 2.271967, 110000},
    {"gain M 1.0 W", GAIN, 1, 1.0, EXPONENTIAL, TIME_IN_SYSTEM, 0, 3.610561, 80000},
    {"gain D 1.0 W", GAIN, 1, 1.0, CONSTANT, TIME_IN_SYSTEM, 0, 3.610561, 45000},
    {"gain H2 1.0 W", GAIN, 1, 1.0, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 3.610561, 330000},
    {"harm M .6 W", HARM, 1, 0.6, EXPONENTIAL, TIME_IN_SYSTEM, 0, 4.354637, 100000},
    {"harm D .6 W", HARM, 1, 0.6, CONSTANT, TIME_IN_SYSTEM, 0, 4.354637, 55000},
    {"harm H2 .6 W", HARM, 1, 0.6, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 4.354637, 420000},
    {"rank1 .8 M .8 W", RANK1_FOUR, 1, 0.8, EXPONENTIAL, TIME_IN_SYSTEM, 0, 2.049180, 17000},
    {"rank1 .8 M 1.0 W", RANK1_FOUR, 1, 1.0, EXPONENTIAL, TIME_IN_SYSTEM, 0, 2.777778, 40000},
    {"rank1 .8 D 1.0 W", RANK1_FOUR, 1, 1.0, CONSTANT, TIME_IN_SYSTEM, 0, 2.777778, 25000},
    {"rank1 .8 H2 1.0 W", RANK1_FOUR, 1, 1.0, HYPEREXPONENTIAL, TIME_IN_SYSTEM, 0, 2.777778,
     120000},
    {"rank1 .5 M 1.5 W", RANK1_HALF, 1, 1.5, EXPONENTIAL, TIME_IN_SYSTEM, 0, 1.6, 17000},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* ---- the exact values once more, from their formulas ---- */

/* Erlang B by its recursion; a = offered load. */
static double erlang_b(uint32_t servers, double a)
{
    double b = 1;
    for (uint32_t c = 1; c <= servers; c++)
        b = a * b / (c + a * b);
    return b;
}

static bool has_classes(const struct row *row)
{
    return row->system >= FIRST_AHEAD && row->system <= SECOND_STOPS;
}

static double intensity(enum system system)
{
    return system == RANK1_HALF ? 0.5 : system == RANK1_FOUR ? 0.8 : 1;
}

/* Total rate at which n >= 1 jobs are served together. */
static double phi(const struct row *row, uint32_t n)
{
    uint32_t last = n < 4 ? n : 4;
    double u = intensity(row->system);
    switch (row->system) {
    case GAIN:
        return (double[]){1, 1.2, 1.3, 1.3}[last - 1];
    case HARM:
        return (double[]){1, 0.9, 0.85, 0.8}[last - 1];
    case RANK1_HALF:
    case RANK1_FOUR:
        return n / (1 + u * u * (n - 1));
    case FCFS:
    case LOSS:
    case FIRST_AHEAD:
    case SECOND_AHEAD:
    case FIRST_STOPS:
    case SECOND_STOPS:
    case SHARING:
    case TURNS:
        break;
    }
    return n == 1 ? 1 : 1 / (1 + row->switch_loss);
}

/* pi_n = pi_0 lambda^n / (phi(1) ... phi(n)); W = L / lambda. */
static double birth_and_death(const struct row *row)
{
    double term = 1, sum = 1, jobs = 0;
    for (uint32_t n = 1; n < 10000; n++) {
        term *= row->lambda / phi(row, n);
        sum += term;
        jobs += n * term;
    }
    return jobs / sum / row->lambda;
}

/* Two classes of priority, exponential service of mean 1 (Cobham 1954; Kleinrock II, section 3.6):
 * first class's waits for 1 / (1 - its load) of the work left in service, the second's for that
 * over what all leave of the server. */
static double two_classes(const struct row *row)
{
    double rho = row->lambda, first = rho / 2;
    bool stops = row->system >= FIRST_STOPS,
         second = row->system == SECOND_AHEAD || row->system == SECOND_STOPS;
    return (stops ? 1 : rho) / (1 - first) / (second ? 1 - rho : 1);
}

static double exact(const struct row *row)
{
    double l = row->lambda, c = row->servers, rho = l / c;
    if (has_classes(row)) return two_classes(row);
    if (row->system == LOSS) return erlang_b(row->servers, l);
    if (row->system >= SHARING) return birth_and_death(row);
    if (row->measure == TIME_IN_QUEUE) {
        double c2 = row->law == CONSTANT ? 0 : row->law == EXPONENTIAL ? 1 : 4;
        return (1 + c2) / 2 * rho / (1 - rho);
    }
    double b = erlang_b(row->servers, l);
    return 1 + b / (1 - rho * (1 - b)) / (c - l);
}

/* ---- one replication ---- */

static double draw_service(gsl_rng *rng, enum law law)
{
    /* balanced means, squared coefficient of variation 4: 1/p1 and 1/p2 weigh the same */
    const double p = 0.5 * (1 + sqrt(3.0 / 5.0));
    if (law == CONSTANT) return 1;
    if (law == EXPONENTIAL) return gsl_ran_exponential(rng, 1);
    bool first = gsl_rng_uniform(rng) < p;
    return gsl_ran_exponential(rng, first ? 1 / (2 * p) : 1 / (2 * (1 - p)));
}

/* The classes' words are numbered by first appearance. */
static struct pt_rank rank_of_word[2];

static void set_class(struct rig *rig, pt_job job, bool first)
{
    rig_set_cell(rig, job, PT_COL_PRIORITY, first ? "1" : "0");
    rank_of_word[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)] =
        (struct pt_rank){first, true, true};
}

static bool is_of(const struct rig *rig, const struct row *row, pt_job job)
{
    if (!has_classes(row)) return true;
    int64_t value = rank_of_word[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)].value;
    return value == (row->system == FIRST_AHEAD || row->system == FIRST_STOPS);
}

/* All jobs are alike. */
static void traits(struct pt_traits *traits, const void *ctx, pt_job job, uint32_t pool)
{
    const struct row *row = ctx;
    (void)job;
    (void)pool;
    *traits = (struct pt_traits){.u = intensity(row->system),
                                 .busy = intensity(row->system),
                                 .kappa = 1,
                                 .kappa_g = 1,
                                 .f_c = NAN,
                                 .f_m = NAN,
                                 .type = PT_NONE,
                                 .p = 2,
                                 .rate = PT_SPEED_ONE};
}

/* The row's model of interference; ops == NULL where it has none. */
static struct pt_interference model_of(const struct row *row, void **state)
{
    static const double gain[] = {1, 1.2, 1.3}, harm[] = {1, 0.9, 0.85, 0.8};
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_interference_inputs inputs = {.seed = 1};
    struct pt_error error;
    enum pt_status status = PT_OK;
    bool curve = row->system == GAIN || row->system == HARM;
    *state = NULL;
    options.guard = false;
    if (row->system == GAIN)
        status = pt_curve_prepare(state, gain, 3, &error);
    else if (row->system == HARM)
        status = pt_curve_prepare(state, harm, 4, &error);
    else if (row->system > HARM)
        status = pt_fitted_prepare(state, &options, &inputs, &error);
    if (status != PT_OK) rig_die("%s: %s", row->name, error.message);
    return (struct pt_interference){.ops = curve                ? &pt_curve
                                           : row->system > HARM ? &pt_fitted
                                                                : NULL,
                                    .state = *state};
}

static void build(struct rig *rig, const struct row *row, const struct pt_interference *model,
                  double lambda, uint32_t jobs, uint64_t seed, gsl_rng *rng[3])
{
    char params[64];
    double at_s = 0;
    bool uncapped = row->system == RANK1_HALF || row->system == RANK1_FOUR;
    rig_init(rig);
    snprintf(params, sizeof params, "replicas=" SLOTS " switch_loss=%g", row->switch_loss);
    if (uncapped)
        rig_add_pool(rig, &rig_h100, 1, 1, "mps", "replicas=48");
    else if (row->system >= SHARING)
        rig_add_pool(rig, &rig_h100, 1, 1, "time_slice", params);
    else
        rig_add_pool(rig, &rig_h100, 1, row->servers, "exclusive", "");
    if (model != NULL && model->ops != NULL) {
        rig->world.interference = *model;
        rig->world.jobs_model = (struct pt_jobs_model){.ctx = row, .traits = traits};
    }
    if (row->system == LOSS) rig->world.give_up_ns = 0;
    if (row->system == FIRST_STOPS || row->system == SECOND_STOPS)
        rig->world.preemption.mode = PT_PREEMPTION_SUSPEND;
    if (has_classes(row)) rig_set_policy(rig, "priority", "", "first_fit");
    rig->world.rank_of_word = rank_of_word;
    rig->world.check = false;
    pt_rng_seed(rng[0], seed, PT_PURPOSE_TEST, 1);
    pt_rng_seed(rng[1], seed, PT_PURPOSE_TEST, 2);
    pt_rng_seed(rng[2], seed, PT_PURPOSE_TEST, 3);
    for (uint32_t j = 0; j < jobs; j++) {
        at_s += gsl_ran_exponential(rng[0], 1 / lambda);
        pt_job job =
            rig_add_job(rig, llround(at_s * 1e9), llround(draw_service(rng[1], row->law) * 1e9), 1);
        if (uncapped) rig_set_cell(rig, job, PT_COL_GPU_FRAC, "1");
        if (has_classes(row)) set_class(rig, job, gsl_rng_uniform(rng[2]) < 0.5);
    }
}

/* The row's measure over the jobs after the warm-up (a tenth of them) and before the run-out. */
static double replicate(const struct row *row, const struct pt_interference *model, double lambda,
                        uint32_t jobs, uint64_t seed, gsl_rng *rng[3])
{
    struct rig rig;
    uint32_t from = jobs / 10, to = jobs - jobs / 50, counted = 0;
    double sum = 0;
    build(&rig, row, model, lambda, jobs, seed, rng);
    if (rig_run(&rig) != PT_OK) rig_die("%s: %s", row->name, rig.error.message);
    const int64_t *submit_ns = pt_trace_submit_ns(&rig.trace);
    for (uint32_t j = from; j < to; j++) {
        const struct pt_job_result *r = &rig.results[j];
        if (!is_of(&rig, row, j)) continue;
        counted++;
        if (row->measure == SHARE_LOST)
            sum += r->state == PT_STATE_WITHDRAWN;
        else if (r->state != PT_STATE_DONE)
            rig_die("%s: job %u is %s", row->name, j, pt_job_state_name(r->state));
        else if (row->measure == TIME_IN_QUEUE)
            sum += pt_seconds(r->start_ns - submit_ns[j]);
        else
            sum += pt_seconds(r->end_ns - submit_ns[j]);
    }
    rig_fini(&rig);
    return sum / counted;
}

/* Mean and half-width over the replications. */
static void estimate(const struct row *row, const struct pt_interference *model, double lambda,
                     uint32_t jobs, double *mean, double *half)
{
    double sum = 0, squares = 0, values[REPLICATIONS];
    gsl_rng *rng[3] = {gsl_rng_alloc(pt_rng_type), gsl_rng_alloc(pt_rng_type),
                       gsl_rng_alloc(pt_rng_type)};
    for (uint32_t i = 0; i < REPLICATIONS; i++)
        sum += values[i] = replicate(row, model, lambda, jobs, i + 1, rng);
    *mean = sum / REPLICATIONS;
    for (uint32_t i = 0; i < REPLICATIONS; i++)
        squares += (values[i] - *mean) * (values[i] - *mean);
    *half = gsl_cdf_tdist_Pinv(1 - (1 - CONFIDENCE) / 2, REPLICATIONS - 1) *
            sqrt(squares / (REPLICATIONS - 1) / REPLICATIONS);
    for (int i = 0; i < 3; i++)
        gsl_rng_free(rng[i]);
}

/* Another world must not give the row's value. */
static bool is_noticed(const struct row *row, const struct pt_interference *model, double lambda,
                       uint32_t jobs, double value, const char *what)
{
    double mean, half;
    estimate(row, model, lambda, jobs, &mean, &half);
    bool seen = fabs(mean - value) > half;
    printf("%-18s   %s: %9.6f, half-width %4.2f %%: %s\n", "", what, mean, 100 * half / value,
           seen ? "noticed" : "NOT NOTICED");
    return seen;
}

static int test_row(const struct row *row, double width)
{
    double mean, half, value = exact(row);
    uint32_t jobs = (uint32_t)(row->jobs * (0.02 / width) * (0.02 / width));
    if (fabs(value - row->exact) > 1e-6 * row->exact)
        rig_die("%s: the formula gives %.7g, the table has %.7g", row->name, value, row->exact);
    void *state;
    struct pt_interference model = model_of(row, &state);
    estimate(row, &model, row->lambda, jobs, &mean, &half);
    bool good = fabs(mean - value) <= half && half <= width * value;
    printf("%-18s %7u jobs: %9.6f, exact %9.6f, half-width %4.2f %%: %s\n", row->name, jobs, mean,
           value, 100 * half / value, good ? "holds" : "FAILS");
    if (has_classes(row)) {
        struct row without = *row;
        without.system = FCFS;
        good = is_noticed(&without, NULL, row->lambda, jobs, value, "without the order") && good;
    } else if (row->system > SHARING && row->system < TURNS) {
        double lambda = fmin(row->lambda, 0.8); /* what a server alone can bear */
        good = is_noticed(row, NULL, lambda, jobs, value, "without the model") && good;
    } else if (row->lambda / row->servers >= 0.8 || row->system == TURNS) {
        good = is_noticed(row, &model, 0.95 * row->lambda, jobs, value, "load off by 5 %") && good;
    }
    if (model.ops != NULL) model.ops->release(state);
    return !good;
}

int main(int argc, char **argv)
{
    double width = argc > 1 ? strtod(argv[1], NULL) / 100 : 0.05;
    int failures = 0;
    clock_t from = clock();
#ifndef NDEBUG
    printf("skipped: closed forms need a Release build\n");
    return 77;
#endif
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (argc > 2 && strstr(rows[i].name, argv[2]) == NULL) continue;
        failures += test_row(&rows[i], width);
        fflush(stdout);
    }
    printf("%d of %zu rows fail; %.1f s\n", failures, ROW_COUNT,
           (double)(clock() - from) / CLOCKS_PER_SEC);
    return failures != 0;
}
