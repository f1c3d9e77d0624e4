#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "sim/cli/commands.h"
#include "sim/cli/format.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/measured.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/outfile.h"

enum { ROWS_SHOWN = 64, FOLDS_DEFAULT = 5, SEED_DEFAULT = 1 };

/* One problem of the file, fitted. */
struct fitted {
    struct pt_fit *fit;
    struct pt_fit_quality held_out;
    uint32_t folds; /* 0: no cross-validation */
};

struct session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    struct pt_catalog *catalog;
    struct pt__measured *measured;
    struct fitted fitted[PT__PROBLEMS_MAX];
    int64_t folds, seed;
};

static const char *const about_words[] = {"pairs", "slices", "processes", "both"};
static const char *const about_texts[] = {
    "pairs of jobs on one GPU", "MIG slices against the whole GPU",
    "processes on a slice against one on it", "slices and processes against one on the whole GPU"};
static const char *const points_words[] = {"slices", "processes", "both", NULL};
static const char *const law_words[] = {"rank1", "pnorm", NULL};

/* ---- options ---- */

static int place_of(const char *const *words, const char *word)
{
    for (int k = 0; word && words[k]; k++)
        if (strcmp(words[k], word) == 0) return k;
    return -1;
}

static enum pt_status whole_number(int64_t *number, const struct session *session, const char *name,
                                   int64_t min, int64_t max, struct pt_error *error)
{
    const char *text = pt__args_value(session->args, name);
    struct pt_error why;
    if (!text || pt_parse_int(number, text, strlen(text), min, max, &why) == PT_OK) return PT_OK;
    return pt_fail(error, PT_ERR_INPUT, "--%s: '%.64s' %s", name, text, why.message);
}

static enum pt_status read_file(struct session *session, struct pt_error *error)
{
    const struct pt__args *args = session->args;
    const char *p = pt__args_value(args, "p"), *by = pt__args_value(args, "by");
    const char *points = pt__args_value(args, "points");
    session->folds = FOLDS_DEFAULT;
    session->seed = SEED_DEFAULT;
    PT_TRY(whole_number(&session->folds, session, "folds", 0, 1000000, error));
    PT_TRY(whole_number(&session->seed, session, "seed", 0, INT64_MAX, error));
    if (session->folds == 1)
        return pt_fail(error, PT_ERR_INPUT,
                       "--folds: 1 fold leaves nothing to fit; 0 = no "
                       "cross-validation");
    struct pt__measured_request request = {
        .path = args->operands[0],
        .format = place_of(pt__format_words, pt__args_value(args, "format")),
        .law = place_of(law_words, pt__args_value(args, "law")),
        .p = p ? (uint8_t)(p[0] - '0') : 0,
        .about = points ? PT__ABOUT_SLICES + place_of(points_words, points) : -1,
        .by_model = by && strcmp(by, "model") == 0,
        .gpu = pt__args_value(args, "gpu"),
        .catalog = session->catalog};
    request.exclude = calloc(args->given_count + 1, sizeof *request.exclude);
    if (!request.exclude) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    request.exclude_count = pt__args_values(args, "exclude", request.exclude);
    enum pt_status status = pt__measured_read(&session->measured, &request, error);
    free((void *)request.exclude);
    return status;
}

/* ---- fitting ---- */

static enum pt_status fit_one(struct session *session, uint32_t k, struct pt_error *error)
{
    const struct pt_fit_problem *problem = &session->measured->problems[k].fit;
    struct fitted *fitted = &session->fitted[k];
    uint32_t groups = 0;
    if (problem->point_count == 0) return PT_OK;
    PT_TRY(pt_fit_run(&fitted->fit, problem, error));
    PT_TRY(pt_fit_group_count(&groups, problem, error));
    fitted->folds = (uint32_t)session->folds;
    if (groups < fitted->folds) {
        if (pt__args_has(session->args, "folds"))
            return pt_fail(error, PT_ERR_INPUT, "--folds: %u %s%s can't be dealt into %u folds",
                           groups, problem->points[0].neighbour == PT_NONE ? "point" : "pair",
                           groups == 1 ? "" : "s", fitted->folds);
        fitted->folds = groups;
    }
    if (fitted->folds < 2) {
        fitted->folds = 0;
        return PT_OK;
    }
    return pt_fit_cross_validate(&fitted->held_out, problem, fitted->folds, (uint64_t)session->seed,
                                 error);
}

/* ---- text ---- */

static void print_quality(const char *title, const struct pt_fit_quality *quality,
                          const char *after)
{
    char mape[PT__TEXT_MAX], median[PT__TEXT_MAX], p95[PT__TEXT_MAX], largest[PT__TEXT_MAX];
    printf("  %-14s MAPE %s, median %s, 95th percentile %s, largest %s%s\n", title,
           pt__format_percent(mape, quality->mape), pt__format_percent(median, quality->median_ape),
           pt__format_percent(p95, quality->p95_ape), pt__format_percent(largest, quality->max_ape),
           after);
}

static void print_law(const struct pt__measured_problem *problem)
{
    unsigned p = problem->fit.p;
    if (problem->fit.law == PT_FIT_RANK1)
        puts("  law            rank1: s_i = 1 + u_i u_j kappa_j / kappa_i");
    else if (problem->about == PT__ABOUT_PAIRS)
        printf("  law            pnorm, p = %u: s_i = [1 - u_i^p + (u_i + u_j kappa_j / "
               "kappa_i)^p]^(1/p)\n",
               p);
    else
        printf("  law            pnorm, p = %u: s = [1 - u^p + (u / a)^p]^(1/p), a = %s\n", p,
               problem->about == PT__ABOUT_SLICES      ? "the slice's share of the SMs"
               : problem->about == PT__ABOUT_PROCESSES ? "1 / processes"
                                                       : "the slice's share / processes");
}

static void print_left_out(const struct pt__measured_problem *problem)
{
    char count[PT__TEXT_MAX];
    for (uint32_t k = 0; k < problem->left_out_count; k++)
        printf("%s%s %s", k ? ", " : "  left out       rows: ",
               pt__format_count(count, problem->left_out[k].rows), problem->left_out[k].text);
    if (problem->left_out_count > 0) putchar('\n');
    if (problem->references > 0)
        printf("  references     rows: %s that slow-downs are relative to\n",
               pt__format_count(count, problem->references));
}

/* Values of u that are hardly above 0 on the scale of their errors. */
static uint32_t count_zeros(const struct pt_fit *fit)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < fit->job_count; k++)
        count += fit->jobs[k].u_known && fit->jobs[k].u_error > 1;
    return count;
}

static void print_facts(const struct session *session, uint32_t k)
{
    const struct pt__measured_problem *problem = &session->measured->problems[k];
    const struct fitted *fitted = &session->fitted[k];
    const struct pt_fit *fit = fitted->fit;
    char a[PT__TEXT_MAX];
    print_law(problem);
    printf("  points         %s of %u job%s\n", pt__format_count(a, fit->point_count),
           fit->job_count, fit->job_count == 1 ? "" : "s");
    print_left_out(problem);
    print_quality("in sample", &fit->in_sample, "");
    if (problem->fit.law == PT_FIT_RANK1) print_quality("with the guard", &fit->guarded, "");
    if (fitted->folds > 0) {
        char title[32], after[128] = "";
        if (fitted->held_out.left_out > 0)
            snprintf(after, sizeof after, "; %u points that the others do not tell left out",
                     fitted->held_out.left_out);
        snprintf(title, sizeof title, "%u-fold CV", fitted->folds);
        print_quality(title, &fitted->held_out, after);
    } else {
        printf("  CV             -%s\n", session->folds ? ": too few points" : "");
    }
    if (fit->below_one > 0)
        printf("  note           %u slow-down%s below 1 kept in the fit; no law goes below 1\n",
               fit->below_one, fit->below_one == 1 ? "" : "s");
    uint32_t zeros = count_zeros(fit);
    if (zeros > 0)
        printf("  note           %u job%s can't be told from u = 0: hardly ever slowed down\n",
               zeros, zeros == 1 ? "" : "s");
    if (problem->about == PT__ABOUT_PAIRS && fit->sets > 1)
        printf("  note           %u sets of jobs that no pairs link: kappas compare within a set "
               "alone\n",
               fit->sets);
    if (!fit->converged)
        printf("  note           the search stopped after %u iterations without settling\n",
               fit->iterations);
}

static int name_width(const struct pt__measured_problem *problem)
{
    size_t width = 3;
    for (uint32_t k = 0; k < problem->fit.job_count; k++)
        if (strlen(problem->names[k]) > width) width = strlen(problem->names[k]);
    return width > 48 ? 48 : (int)width;
}

/* A parameter with its standard error, or that the points don't tell it. */
static void print_parameter(double value, double log_error, bool known)
{
    if (!known)
        printf("%9s%10s", "-", "not told");
    else if (isnan(log_error))
        printf("%9.4f%10s", value, "");
    else if (log_error >= 1)
        printf("%9.4f  +->100%%", value);
    else
        printf("%9.4f   +-%4.1f%%", value, 100 * log_error);
}

static void print_jobs(const struct session *session, uint32_t k)
{
    const struct pt__measured_problem *problem = &session->measured->problems[k];
    const struct pt_fit *fit = session->fitted[k].fit;
    bool kappas = problem->about == PT__ABOUT_PAIRS;
    int width = name_width(problem);
    char mape[PT__TEXT_MAX];
    printf("\n  %s%-*s%9s%10s%s%8s%9s%s\n", pt__style(session->terminal.color_out, PT__BOLD), width,
           "job", "u", "", kappas ? "    kappa          " : "", "points", "MAPE",
           pt__style(session->terminal.color_out, PT__PLAIN));
    for (uint32_t i = 0; i < fit->job_count; i++) {
        const struct pt_fit_job *job = &fit->jobs[i];
        if (i == ROWS_SHOWN && !session->terminal.verbose) {
            printf("  ... and %u more: --verbose or --json shows all\n", fit->job_count - i);
            break;
        }
        printf("  %-*s", width, problem->names[i]);
        print_parameter(job->u, job->u_error, job->u_known);
        if (kappas) print_parameter(job->kappa, job->kappa_error, job->kappa_known);
        printf("%8u%9s\n", job->points, pt__format_percent(mape, job->mape));
    }
}

static void print_text(const struct session *session)
{
    const struct pt__measured *measured = session->measured;
    char count[PT__TEXT_MAX];
    printf("File           %s, format %s, %s rows\n", session->args->operands[0],
           pt__format_words[measured->format], pt__format_count(count, measured->row_count));
    for (uint32_t k = 0; k < measured->note_count; k++)
        printf("Note           %s\n", measured->notes[k]);
    for (uint32_t k = 0; k < measured->problem_count; k++) {
        const struct pt__measured_problem *problem = &measured->problems[k];
        printf("\n%s%s%s%s%s\n", pt__style(session->terminal.color_out, PT__BOLD), problem->gpu,
               problem->gpu[0] ? ": " : "", about_texts[problem->about],
               pt__style(session->terminal.color_out, PT__PLAIN));
        if (!session->fitted[k].fit) {
            puts("  points         none");
            print_left_out(problem);
            continue;
        }
        print_facts(session, k);
        print_jobs(session, k);
    }
}

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quality_json(const struct pt_fit_quality *quality)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "points", (json_int_t)quality->points,
                     "not_told", (json_int_t)quality->left_out, "mape", number(quality->mape),
                     "median_ape", number(quality->median_ape), "p95_ape", number(quality->p95_ape),
                     "max_ape", number(quality->max_ape), "sd_log", number(quality->sd_log));
}

static json_t *jobs_json(const struct pt__measured_problem *problem, const struct pt_fit *fit)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < fit->job_count; k++) {
        const struct pt_fit_job *job = &fit->jobs[k];
        bool kappa = problem->about == PT__ABOUT_PAIRS;
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:o}", "name", problem->names[k], "u",
                            job->u_known ? number(job->u) : json_null(), "u_log_error",
                            number(job->u_error), "kappa",
                            kappa && job->kappa_known ? number(job->kappa) : json_null(),
                            "kappa_log_error", number(kappa ? job->kappa_error : NAN), "points",
                            (json_int_t)job->points, "mape", number(job->mape)));
    }
    return list;
}

static json_t *left_out_json(const struct pt__measured_problem *problem)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < problem->left_out_count; k++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "reason", problem->left_out[k].text,
                                              "rows", (json_int_t)problem->left_out[k].rows));
    return list;
}

static json_t *fit_json(const struct session *session, uint32_t k)
{
    const struct pt__measured_problem *problem = &session->measured->problems[k];
    const struct fitted *fitted = &session->fitted[k];
    const struct pt_fit *fit = fitted->fit;
    bool rank1 = problem->fit.law == PT_FIT_RANK1;
    json_t *one = json_pack(
        "{s:s, s:o, s:s, s:o, s:I, s:I, s:o, s:I}", "about", about_words[problem->about], "gpu",
        problem->gpu[0] ? json_string(problem->gpu) : json_null(), "law",
        law_words[problem->fit.law], "p", rank1 ? json_null() : json_integer(problem->fit.p),
        "points", (json_int_t)problem->fit.point_count, "jobs", (json_int_t)problem->fit.job_count,
        "left_out", left_out_json(problem), "reference_rows", (json_int_t)problem->references);
    json_object_set_new(one, "in_sample", fit ? quality_json(&fit->in_sample) : json_null());
    json_object_set_new(one, "guarded", fit && rank1 ? quality_json(&fit->guarded) : json_null());
    json_t *held_out = fitted->folds ? quality_json(&fitted->held_out) : json_null();
    if (fitted->folds) {
        json_object_set_new(held_out, "folds", json_integer(fitted->folds));
        json_object_set_new(held_out, "seed", json_integer((json_int_t)session->seed));
    }
    json_object_set_new(one, "cross_validation", held_out);
    json_object_set_new(one, "below_one", json_integer(fit ? fit->below_one : 0));
    json_object_set_new(one, "linked_sets", json_integer(fit ? fit->sets : 0));
    json_object_set_new(one, "converged", fit ? json_boolean(fit->converged) : json_null());
    json_object_set_new(one, "parameters", fit ? jobs_json(problem, fit) : json_array());
    return one;
}

static void print_json(const struct session *session)
{
    const struct pt__measured *measured = session->measured;
    json_t *fits = json_array(), *notes = json_array();
    for (uint32_t k = 0; k < measured->problem_count; k++)
        json_array_append_new(fits, fit_json(session, k));
    for (uint32_t k = 0; k < measured->note_count; k++)
        json_array_append_new(notes, json_string(measured->notes[k]));
    json_t *root = json_pack("{s:s, s:s, s:I, s:o, s:o}", "file", session->args->operands[0],
                             "format", pt__format_words[measured->format], "rows",
                             (json_int_t)measured->row_count, "notes", notes, "fits", fits);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    fputc('\n', stdout);
    json_decref(root);
}

/* ---- profiles ---- */

/* The bounds of an experiment's `profiles`. */
#define PROFILE_U_MAX 2.0
#define PROFILE_KAPPA_MAX 1000.0

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    fputc('"', out);
}

/* Why an experiment can't have the profile of this job, for a comment before it; "" = it can. */
static const char *unfit(const struct pt_fit_job *job, bool kappas)
{
    if (!job->u_known || (kappas && !job->kappa_known)) return "# not told by the points: ";
    bool kept =
        job->u <= PROFILE_U_MAX &&
        (!kappas || (job->kappa <= PROFILE_KAPPA_MAX && job->kappa >= 1 / PROFILE_KAPPA_MAX));
    return kept ? "" : "# beyond what profiles hold: ";
}

/* One profile a line; one that an experiment can't have is a comment. Returns how many it can. */
static uint32_t write_profiles(FILE *out, const struct session *session, uint32_t k)
{
    uint32_t written = 0;
    const struct pt__measured_problem *problem = &session->measured->problems[k];
    const struct pt_fit *fit = session->fitted[k].fit;
    bool kappas = problem->about == PT__ABOUT_PAIRS;
    bool gpu =
        problem->gpu[0] && pt_catalog_knows(session->catalog, problem->gpu, strlen(problem->gpu));
    fprintf(out, "  # %s%s%s: MAPE %.1f %% over %u points\n", problem->gpu,
            problem->gpu[0] ? ", " : "", about_texts[problem->about], 100 * fit->in_sample.mape,
            fit->point_count);
    for (uint32_t i = 0; i < fit->job_count; i++) {
        const struct pt_fit_job *job = &fit->jobs[i];
        const char *comment = unfit(job, kappas);
        written += comment[0] == '\0';
        fprintf(out, "  %s- {name: ", comment);
        write_quoted(out, problem->names[i]);
        fprintf(out, ", u: %.4f", job->u);
        if (kappas) fprintf(out, ", kappa: %.4f", job->kappa);
        if (problem->fit.law == PT_FIT_PNORM) fprintf(out, ", p: %u", problem->fit.p);
        fprintf(out, ", law: %s", law_words[problem->fit.law]);
        if (gpu) {
            fputs(", gpu: ", out);
            write_quoted(out, problem->gpu);
        }
        fputs("}\n", out);
    }
    return written;
}

/* Of a file of slices and processes the fit that serves both, else all there are. */
static bool is_written(const struct session *session, uint32_t k)
{
    const struct pt__measured *measured = session->measured;
    if (!session->fitted[k].fit) return false;
    if (measured->format != PT__FORMAT_PARVAGPU || measured->problem_count == 1) return true;
    return measured->problems[k].about == PT__ABOUT_BOTH;
}

static enum pt_status write_out(const struct session *session, struct pt_error *error)
{
    const char *out = pt__args_value(session->args, "out");
    struct pt_outfile file;
    uint32_t written = 0;
    if (!out) return PT_OK;
    PT_TRY(pt_outfile_spares(out, session->args->operands[0], error));
    PT_TRY(pt_outfile_open(&file, out, error));
    pt__interrupt_removes(file.temporary);
    fprintf(file.stream, "# fitted by partita %s; a part of an experiment\nprofiles:\n",
            PARTITA_VERSION);
    for (uint32_t k = 0; k < session->measured->problem_count; k++)
        if (is_written(session, k)) written += write_profiles(file.stream, session, k);
    if (written == 0) fputs("  []\n", file.stream);
    return pt_outfile_close(&file, false, error);
}

/* ---- the command ---- */

static enum pt_status work(struct session *session, struct pt_error *error)
{
    PT_TRY(read_file(session, error));
    for (uint32_t k = 0; k < session->measured->problem_count; k++)
        PT_TRY(fit_one(session, k, error));
    PT_TRY(write_out(session, error));
    if (pt__args_has(session->args, "json"))
        print_json(session);
    else
        print_text(session);
    return PT_OK;
}

static int run_fit(const struct pt__args *args)
{
    struct session session = {.args = args};
    struct pt_error error = {.status = PT_OK};
    struct pt_messages messages;
    int code = 0;
    pt__terminal_init(&session.terminal, args);
    pt_messages_init(&messages);
    enum pt_status status = pt_catalog_load(&session.catalog, &messages);
    if (status != PT_OK) {
        pt_messages_print(&messages, stderr, session.terminal.color_err);
        code = pt_status_exit_code(status);
    } else if (work(&session, &error) != PT_OK) {
        code = pt__complain(&session.terminal, &error);
    }
    for (uint32_t k = 0; session.measured && k < session.measured->problem_count; k++)
        pt_fit_free(session.fitted[k].fit);
    pt__measured_free(session.measured);
    pt_catalog_free(session.catalog);
    pt_messages_fini(&messages);
    return pt__finish_stdout(&session.terminal, code);
}

static const char *const p_words[] = {"1", "2", "4", NULL};
static const char *const by_words[] = {"batch", "model", NULL};

static const struct pt__option fit_options[] = {
    {"format", 'f', "FORMAT", pt__format_words, false, PT__COMPLETES_CHOICE,
     "what the file is: gavel, miso or parvagpu; by its header if not said"},
    {"law", 'l', "LAW", law_words, false, PT__COMPLETES_CHOICE,
     "rank1 (of pairs, the default there) or pnorm (of slices and processes, and of pairs if asked "
     "for)"},
    {"p", 0, "P", p_words, false, PT__COMPLETES_CHOICE,
     "the norm of pnorm: 1, 2 (training; the default) or 4 (inference; the default of parvagpu)"},
    {"points", 0, "WHICH", points_words, false, PT__COMPLETES_CHOICE,
     "of a file of slices and processes: slices (one process; one u per model and batch), "
     "processes "
     "(several; one u per model, batch and slice), both (one u for all slices and numbers of "
     "processes); default: one fit of each"},
    {"by", 0, "WHAT", by_words, false, PT__COMPLETES_CHOICE,
     "of slices: whose u it is, of a model with a batch size (batch, the default) or of a model "
     "with all of them (model)"},
    {"gpu", 'g', "NAME", NULL, false, PT__COMPLETES_NOTHING,
     "of pairs: only rows of this GPU; of slices: whose they are, as 'partita list gpus' has it, "
     "which says their shares of the SMs"},
    {"exclude", 'x', "MODEL[:BATCH]", NULL, true, PT__COMPLETES_NOTHING,
     "leave out a model, one batch size of it, or a job by its whole name"},
    {"folds", 0, "N", NULL, false, PT__COMPLETES_NOTHING,
     "parts of the cross-validation, of pairs or points; 0 = none, default 5"},
    {"seed", 0, "N", NULL, false, PT__COMPLETES_NOTHING,
     "draws which part a pair or a point is in; default 1"},
    {"out", 'o', "FILE.yaml", NULL, false, PT__COMPLETES_FILE,
     "write the profiles too, as an experiment takes them"},
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print one JSON object"},
    {0}};

static const struct pt__command command_fit = {
    .name = "fit-profiles",
    .operands = "FILE.csv",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "fit interference profiles to measured slow-downs",
    .details =
        "Reads slow-downs measured on real GPUs and finds the parameters of each job by which the "
        "laws of 'partita list models' predict them best: Levenberg-Marquardt on the squared "
        "differences of logarithms. The error said is the mean of |predicted / measured - 1| "
        "(MAPE) "
        "over the points of the fit, and of points that it has not seen (cross-validation).\n\n"
        "FILE is CSV, gzip or zstd allowed, told by its header:\n\n"
        "  gavel      gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,slowdown_a,slowdown_b,fits\n"
        "             speeds of two jobs alone and on one GPU together\n"
        "  miso       slice,model,batch,median_s\n"
        "             time of a step on a MIG slice\n"
        "  parvagpu   model,mig_g,batch,nproc,throughput_per_proc\n"
        "             speed of each of several equal processes on a MIG slice\n\n"
        "A speed or time of 0 means that it does not fit in memory: such rows are left out and "
        "counted. Slices need a row of the whole GPU to be compared with. What the points do not "
        "tell is not made up: it is shown as -.",
    .options = fit_options,
    .example = "partita predict fit-profiles pairs.csv --gpu v100 --out profiles.yaml",
    .example_says = "fits u and kappa of every job that was measured in pairs on a V100",
    .run = run_fit};

static const struct pt__command *const inner[] = {&command_fit, NULL};

const struct pt__command pt__command_predict = {
    .name = "predict",
    .inner = inner,
    .summary = "fit what slow-downs are predicted by",
    .details = "Commands that learn from measurements.",
    .example = "partita predict fit-profiles pairs.csv",
    .example_says = "fits interference profiles to measured slow-downs"};
