/* `partita run --seeds`: the experiment is checked once, then run with each seed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "partita/number.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/run_parts.h"
#include "sim/cli/seeds_gates.h"
#include "sim/cli/seeds_summary.h"
#include "sim/cli/summary.h"
#include "sim/replicate/directory.h"
#include "sim/replicate/replicate.h"

enum { THREADS_MAX = 4096 };

/* What is collected while the runs end; `ended` is called for one of them at a time. */
struct collector {
    struct pt__run_session *session;
    struct pt__replicas replicas;
    struct pt_spread *spread;
    struct pt__seeds_gates gates;
    struct pt_error lost; /* memory ran out over the collecting itself */
};

/* ---- the arguments ---- */

static enum pt_status read_seeds(struct pt__run_session *session, struct pt_error *error)
{
    struct pt_error why;
    enum pt_status status =
        pt_seeds_parse(&session->seeds, pt__args_value(session->args, "seeds"), &why);
    if (status == PT_OK) return PT_OK;
    return pt_fail(error, status, "--seeds: %s", why.message);
}

static enum pt_status read_threads(unsigned *threads, const struct pt__run_session *session,
                                   struct pt_error *error)
{
    const char *given = pt__args_value(session->args, "j");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t asked = processors < 1 ? 1 : processors;
    if (given && pt_parse_int(&asked, given, strlen(given), 1, THREADS_MAX, error) != PT_OK)
        return pt_fail(error, PT_ERR_INPUT, "-j: '%s' is not a whole number from 1 to %d", given,
                       THREADS_MAX);
    if (asked > THREADS_MAX) asked = THREADS_MAX;
    *threads = pt_replicate_threads((unsigned)asked, session->seeds.count);
    if (given && *threads < asked && *threads < session->seeds.count && !session->terminal.quiet)
        fprintf(stderr, "partita: -j: HDF5 was built without threads here: one run at a time\n");
    return PT_OK;
}

static enum pt_status read_arguments(unsigned *threads, struct pt__run_session *session,
                                     struct pt_error *error)
{
    const struct pt__args *args = session->args;
    if (pt__args_has(args, "seed"))
        return pt_fail(error, PT_ERR_INPUT, "--seed and --seeds don't go together");
    if (pt__args_has(args, "events"))
        return pt_fail(error, PT_ERR_INPUT,
                       "--events and --seeds don't go together: the file is of one run "
                       "(output.events keeps the events of each in its result)");
    if (!pt__args_has(args, "out") && !pt__args_has(args, "dry-run"))
        return pt_fail(error, PT_ERR_INPUT,
                       "--seeds needs --out DIR, a directory for one result a seed");
    PT_TRY(read_seeds(session, error));
    return read_threads(threads, session, error);
}

/* ---- before ---- */

/* The results may go where they are to go. */
static enum pt_status check_outputs(const struct pt__run_session *session, struct pt_error *error)
{
    const char *directory = pt__args_value(session->args, "out");
    if (!directory) return PT_OK;
    PT_TRY(pt_seed_directory_check(directory, &session->seeds, session->config->effective_yaml,
                                   error));
    for (size_t i = 0; i < session->seeds.count; i++) {
        char *path = pt_seed_path(directory, session->seeds.list[i]);
        if (!path) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        enum pt_status status = pt__run_spares(session, path, true, error);
        free(path);
        if (status != PT_OK) return status;
    }
    return PT_OK;
}

/* Loads and checks everything with the first seed, and says what is known then. Returns the exit
 * code of what is wrong, 0 = nothing. */
static int check(struct pt__run_session *session, struct pt_run_options *options)
{
    struct pt_error error = {.status = PT_OK};
    enum pt_status status =
        pt__gates_read(&session->gates, session->args, false, &session->messages);
    if (status == PT_OK) status = pt__run_load(session, &error);
    if (status == PT_OK) status = check_outputs(session, &error);
    if (status == PT_OK) {
        pt__run_options(options, session);
        options->dry = true;
        status = pt_run_prepare(&session->run, session->config, options, &session->messages);
    }
    if (status == PT_OK)
        status = pt_gates_check_before(&session->gates, pt_run_facts(session->run)->input,
                                       &session->messages);
    if (session->messages.error_count > 0 || !session->terminal.quiet)
        pt_messages_print(&session->messages, stderr, session->terminal.color_err);
    if (status != PT_OK && error.status != PT_OK) return pt__complain(&session->terminal, &error);
    return status == PT_OK ? 0 : pt_status_exit_code(status);
}

static void say_head(const struct pt__run_session *session, unsigned threads)
{
    bool json = pt__args_has(session->args, "json");
    const struct pt_run_facts *facts = pt_run_facts(session->run);
    const struct pt_seeds *seeds = &session->seeds;
    FILE *out = json ? stderr : stdout;
    bool color = json ? session->terminal.color_err : session->terminal.color_out;
    pt__run_head(session, facts);
    if (json && session->terminal.quiet) return;
    fprintf(out, "%s%-14s%s%zu, %" PRIu64, pt__style(color, PT__BOLD), "Seeds",
            pt__style(color, PT__PLAIN), seeds->count, seeds->list[0]);
    if (seeds->count > 1)
        fprintf(out, " to %" PRIu64 ", %u at a time; above is what holds for seed %" PRIu64,
                seeds->list[seeds->count - 1], threads, seeds->list[0]);
    fputc('\n', out);
    if (!json && !pt__args_has(session->args, "dry-run"))
        pt__summary_assumptions(out, color, facts);
    fflush(out);
}

/* ---- while they run ---- */

static enum pt_status keep_error(struct pt__replica *replica, const struct pt_error *error,
                                 const char *kept, struct pt_error *lost)
{
    if (error->status == PT_OK) return PT_OK;
    replica->error = malloc(sizeof *replica->error);
    replica->kept = kept ? malloc(strlen(kept) + 1) : NULL;
    if (!replica->error || (kept && !replica->kept))
        return pt_fail(lost, PT_ERR_MEMORY, "out of memory");
    *replica->error = *error;
    if (kept) memcpy(replica->kept, kept, strlen(kept) + 1);
    return PT_OK;
}

static void on_ended(void *ctx, size_t index, const struct pt_run_facts *facts,
                     const struct pt_error *error)
{
    struct collector *collector = ctx;
    struct pt__replica *replica = &collector->replicas.list[index];
    const struct pt_summary *summary = facts ? facts->summary : NULL;
    replica->ended = true;
    replica->status = error->status;
    enum pt_status status =
        keep_error(replica, error, facts ? facts->result_file : NULL, &collector->lost);
    if (status == PT_OK && error->status == PT_OK && summary)
        status = pt_spread_add(collector->spread, index, &summary->groups[0], &collector->lost);
    if (status == PT_OK && error->status == PT_OK && summary)
        pt__seeds_gates_add(&collector->gates, index, summary);
    if (status == PT_OK && summary && pt__args_has(collector->session->args, "json")) {
        replica->json = pt__summary_json(facts);
        if (!replica->json) (void)pt_fail(&collector->lost, PT_ERR_MEMORY, "out of memory");
    }
}

static void on_progress(void *ctx, const struct pt_replicate_progress *progress)
{
    struct collector *collector = ctx;
    collector->replicas.wall_s = progress->wall_s;
    pt__progress_show_all(&collector->session->progress, progress);
}

static enum pt_status run_all(struct collector *collector, const struct pt_run_options *options,
                              unsigned threads, struct pt_error *error)
{
    struct pt__run_session *session = collector->session;
    const struct pt_config *config = session->config;
    struct pt_replicate_request request = {.file = session->args->operands[0],
                                           .text = config->source_text,
                                           .length = config->source_length,
                                           .origin_dir = session->rerun ? session->directory : NULL,
                                           .sets = (const char *const *)session->sets,
                                           .set_count = session->set_count,
                                           .seeds = &session->seeds,
                                           .directory = collector->replicas.directory,
                                           .threads = threads,
                                           .run = *options,
                                           .ended = on_ended,
                                           .progress = on_progress,
                                           .ctx = collector};
    request.run.dry = false;
    PT_TRY(pt_seed_directory_make(collector->replicas.directory, error));
    pt__interrupt_keep_writing();
    return pt_replicate(&request, error);
}

/* ---- after ---- */

/* The worse of two ends: what was interrupted can be begun again, what the machine failed at too,
 * and only then is it the world's or the input's fault. */
static int worse(int code, int other)
{
    static const int order[] = {0, 2, 4, 3, 5, 130};
    for (size_t i = sizeof order / sizeof order[0]; i-- > 0;)
        if (order[i] == code || order[i] == other) return order[i];
    return code > other ? code : other;
}

/* What went wrong, seed by seed; returns the exit code. */
static int say_failures(const struct collector *collector)
{
    const struct pt__replicas *replicas = &collector->replicas;
    const struct pt__terminal *terminal = &collector->session->terminal;
    bool interrupted = false;
    int code = 0;
    for (size_t i = 0; i < replicas->seeds->count; i++) {
        const struct pt__replica *replica = &replicas->list[i];
        interrupted |= !replica->ended || replica->status == PT_ERR_INTERRUPTED;
        if (replica->error && replica->status != PT_ERR_INTERRUPTED) {
            struct pt_error error = *replica->error;
            snprintf(error.message, sizeof error.message, "seed %" PRIu64 ": %.700s",
                     replicas->seeds->list[i], replica->error->message);
            code = worse(code, pt__complain(terminal, &error));
        }
        if (replica->kept && !terminal->quiet)
            fprintf(stderr, "partita: what is finished of seed %" PRIu64 " is in %s\n",
                    replicas->seeds->list[i], replica->kept);
    }
    if (!interrupted) return code;
    struct pt_error error;
    (void)pt_fail(&error, PT_ERR_INTERRUPTED, "interrupted: %zu of %zu seeds are done",
                  replicas->whole, replicas->seeds->count);
    return worse(code, pt__complain(terminal, &error));
}

static int report(struct collector *collector)
{
    struct pt__replicas *replicas = &collector->replicas;
    const struct pt__terminal *terminal = &collector->session->terminal;
    struct pt_spread_row *rows = NULL;
    struct pt_error error = collector->lost;
    enum pt_status status = error.status;
    if (status == PT_OK)
        status = pt_spread_rows(&rows, &replicas->row_count, collector->spread, &error);
    if (status != PT_OK) return pt__complain(terminal, &error);
    replicas->rows = rows;
    replicas->whole = pt_spread_runs(collector->spread);
    pt__seeds_gates_judge(&collector->gates);
    if (pt__args_has(collector->session->args, "json")) {
        json_t *json = pt__seeds_json(replicas);
        json_object_set_new(json, "gates", pt__gates_json(&collector->session->gates));
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        fputc('\n', stdout);
        json_decref(json);
    } else {
        pt__seeds_text(stdout, terminal->color_out, replicas);
    }
    free(rows);
    fflush(stdout);
    if (terminal->verbose) fprintf(stderr, "partita: the runs took %.3f s\n", replicas->wall_s);
    int code = say_failures(collector);
    const struct pt_gates *gates = &collector->session->gates;
    pt__gates_say(terminal, gates);
    return pt__finish_stdout(terminal, code == 0 && pt_gates_failed(gates) > 0 ? 1 : code);
}

static int go(struct collector *collector, const struct pt_run_options *options, unsigned threads)
{
    struct pt__run_session *session = collector->session;
    struct pt_error error = {.status = PT_OK};
    size_t count = session->seeds.count;
    collector->replicas.list = calloc(count, sizeof *collector->replicas.list);
    enum pt_status status = pt_spread_create(&collector->spread, count, &error);
    if (status == PT_OK)
        status = pt__seeds_gates_init(&collector->gates, &session->gates, count, &error);
    if (status == PT_OK && !collector->replicas.list)
        status = pt_fail(&error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) status = run_all(collector, options, threads, &error);
    pt__progress_clear(&session->progress);
    return status == PT_OK ? report(collector) : pt__complain(&session->terminal, &error);
}

static void release(struct collector *collector)
{
    struct pt__replicas *replicas = &collector->replicas;
    for (size_t i = 0; replicas->list && i < replicas->seeds->count; i++) {
        free(replicas->list[i].error);
        free(replicas->list[i].kept);
        json_decref(replicas->list[i].json);
    }
    free(replicas->list);
    pt_spread_destroy(collector->spread);
    pt__seeds_gates_fini(&collector->gates);
}

int pt__run_seeds(struct pt__run_session *session)
{
    struct pt_run_options options;
    struct pt_error error;
    unsigned threads = 1;
    if (read_arguments(&threads, session, &error) != PT_OK)
        return pt__complain(&session->terminal, &error);
    int code = check(session, &options);
    if (code != 0) return code;
    say_head(session, threads);
    if (pt__args_has(session->args, "dry-run")) return pt__run_dry(session);
    pt_run_free(session->run); /* it has served: its memory is needed */
    session->run = NULL;
    struct collector collector = {
        .session = session,
        .replicas = {.seeds = &session->seeds, .directory = pt__args_value(session->args, "out")}};
    code = go(&collector, &options, threads);
    release(&collector);
    return code;
}
