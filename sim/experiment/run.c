#include "sim/experiment/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "sim/experiment/assumptions.h"
#include "sim/experiment/fill.h"
#include "sim/experiment/receivers.h"
#include "sim/experiment/resolve.h"
#include "sim/experiment/traits.h"
#include "traces/locate.h"

/* Instants between two looks at the clock and the interrupt flag: a few ms of work. */
enum { INSTANTS_A_STEP = 4096 };

struct pt_run {
    struct pt_run_facts facts;
    struct pt_run_options options;
    struct pt_trace trace; /* unless the config's inline jobs are the trace */
    struct pt_resolved resolved;
    struct pt_summary_input input;
    struct pt_traits_model *traits;
    struct pt__assumptions assumptions;
    struct pt_world world;
    struct pt_sim *sim;
    struct pt_digest *digest;
    struct pt_outcomes *outcomes;
    struct pt_summary *summary;
    struct pt_results_writer *writer;
    struct pt_event_lines *lines;
    struct pt__receivers receivers;
    char digest_text[PT_DIGEST_TEXT_MAX];
    struct pt_run_input inputs[1 + PT_INPUT_FILES_MAX];
    char *result_file;
    double began_s, told_s;
};

/* ---- prepare ---- */

static enum pt_status say(struct pt_messages *messages, const struct pt_error *error)
{
    pt_messages_add(messages, false, error, NULL, 0);
    return error->status;
}

static enum pt_status read_source(struct pt_run *run, struct pt_error *error)
{
    const struct pt_trace_spec *spec = &run->facts.config->trace;
    struct pt_read_request request = {.path = spec->path,
                                      .params = spec->params,
                                      .seed = run->facts.config->seed,
                                      .limit = spec->limit,
                                      .skip_bad_rows = run->options.skip_bad_rows,
                                      .bad = run->options.bad_row,
                                      .ctx = run->options.ctx,
                                      .interrupt = run->options.interrupt};
    pt_job bad_row;
    PT_TRY(spec->reader->read(&run->trace, &run->facts.read, &request, error));
    if (request.skip_bad_rows) {
        uint32_t dropped = 0;
        PT_TRY(pt_trace_drop_duplicates(&run->trace, spec->path, &dropped, request.bad, request.ctx,
                                        error));
        run->facts.read.accepted -= dropped;
        run->facts.read.bad_rows += dropped;
    }
    enum pt_status status = pt_trace_finish(&run->trace, &bad_row, error);
    if (status != PT_OK && spec->path && !error->file[0]) {
        snprintf(error->file, sizeof error->file, "%s", spec->path);
        /* what is wrong with a cell begins with its column's name */
        error->column =
            pt_locate_cell(spec->path, error->line, error->message, strcspn(error->message, " "));
    }
    return status;
}

static enum pt_status add_input(struct pt_run *run, const char *path, const char *as_written,
                                struct pt_error *error)
{
    struct pt_run_input *input = &run->inputs[run->facts.input_count++];
    input->path = path;
    input->path_as_written = as_written;
    return pt_digest_file(input->digest, path, error);
}

static enum pt_status digest_inputs(struct pt_run *run, struct pt_error *error)
{
    const struct pt_config *config = run->facts.config;
    const struct pt_trace_spec *spec = &config->trace;
    run->facts.inputs = run->inputs;
    if (spec->path) PT_TRY(add_input(run, spec->path, spec->path_as_written, error));
    for (uint32_t i = 0; i < config->file_count; i++)
        PT_TRY(add_input(run, config->files[i].path, config->files[i].path_as_written, error));
    return PT_OK;
}

static enum pt_status read_trace(struct pt_run *run, struct pt_messages *messages)
{
    const struct pt_trace_spec *spec = &run->facts.config->trace;
    struct pt_error error = {.status = PT_OK};
    double began = pt__wall_s();
    enum pt_status status = PT_OK;
    run->facts.trace = spec->inline_jobs ? spec->inline_jobs : &run->trace;
    if (spec->inline_jobs)
        run->facts.read.rows = run->facts.read.accepted = spec->inline_jobs->job_count;
    else
        status = read_source(run, &error);
    if (status == PT_OK) status = digest_inputs(run, &error);
    run->facts.read_s = pt__wall_s() - began;
    return status == PT_OK ? PT_OK : say(messages, &error);
}

/* Jobs in the file are filled with the file. */
static enum pt_status fill_trace(struct pt_run *run, struct pt_error *error)
{
    if (run->facts.trace != &run->trace) return PT_OK;
    return pt_fill_trace(&run->trace, run->facts.config, error);
}

static enum pt_status assume(struct pt_run *run, struct pt_error *error)
{
    struct pt__assumed from = {.config = run->facts.config,
                               .trace = run->facts.trace,
                               .resolved = &run->resolved,
                               .traits = run->traits};
    return pt__assumptions_make(&run->assumptions, &from, error);
}

static bool has_price(const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (cluster->pools[i].price_micro_per_hour >= 0) return true;
    return false;
}

static enum pt_status open_outputs(struct pt_run *run, struct pt_error *error)
{
    const struct pt_config *config = run->facts.config;
    if (run->options.dry) return PT_OK;
    PT_TRY(pt_digest_create(&run->digest, error));
    PT_TRY(pt_outcomes_create(&run->outcomes, run->facts.trace->job_count, error));
    if (has_price(&config->cluster)) PT_TRY(pt_outcomes_keep_charges(run->outcomes, error));
    if (run->options.result_path) {
        /* not compressed: it takes three times as long as all the rest for 40 % of the size */
        struct pt_results_options options = {.path = run->options.result_path,
                                             .cluster = &config->cluster,
                                             .jobs = config->output.jobs,
                                             .trace = run->facts.trace,
                                             .events = config->output.events,
                                             .verdicts = config->output.verdicts,
                                             .series = config->output.series};
        PT_TRY(pt_results_open(&run->writer, &options, error));
    }
    if (run->options.events_path)
        PT_TRY(pt_event_lines_open(&run->lines, run->options.events_path, &config->cluster,
                                   run->facts.trace, error));
    run->facts.outcomes = run->outcomes;
    return PT_OK;
}

static enum pt_status create_sim(struct pt_run *run, struct pt_error *error)
{
    const struct pt_config *config = run->facts.config;
    run->receivers = (struct pt__receivers){.digest = run->digest,
                                            .outcomes = run->outcomes,
                                            .writer = run->writer,
                                            .lines = run->lines,
                                            .verdicts = config->output.verdicts,
                                            .also = run->options.also};
    run->world = (struct pt_world){.cluster = &config->cluster,
                                   .trace = run->facts.trace,
                                   .policy = config->policy,
                                   .policy_params = config->policy_params,
                                   .placement = config->placement,
                                   .placement_params = config->placement_params,
                                   .seed = config->seed,
                                   .retries = config->retries,
                                   .restore = config->restore,
                                   .preemption = config->preemption,
                                   .tenants = run->resolved.tenants,
                                   .rank_of_word = run->resolved.rank_of_word,
                                   .rank_of_tenant = run->resolved.rank_of_tenant,
                                   .faults = config->faults,
                                   .give_up_ns = config->give_up_ns,
                                   .horizon_ns = config->horizon_ns,
                                   .warmup_ns = config->warmup_ns,
                                   .interval_ns = config->interval_ns,
                                   .tenant_count = run->resolved.tenant_count,
                                   .tenant_of_word = run->resolved.tenant_of_word,
                                   .interference = pt_traits_interference(run->traits),
                                   .jobs_model = pt_traits_jobs_model(run->traits),
                                   .fidelity = pt_traits_fidelity(run->traits),
                                   .energy = config->interference.ops != NULL,
                                   .check = run->options.check,
                                   .measure = true};
    pt__receivers_recorder(&run->world.recorder, &run->receivers);
    return pt_sim_create(&run->sim, &run->world, error);
}

static void fill_input(struct pt_run *run)
{
    const struct pt_config *config = run->facts.config;
    const struct pt_resolved *resolved = &run->resolved;
    run->input = (struct pt_summary_input){.cluster = &config->cluster,
                                           .trace = run->facts.trace,
                                           .outcomes = run->outcomes,
                                           .sim = run->sim,
                                           .tier_count = config->tier_count,
                                           .tiers = resolved->tiers,
                                           .tier_of_sla_word = resolved->tier_of_sla_word,
                                           .tier_of_tenant = resolved->tier_of_tenant,
                                           .default_tier = config->default_tier,
                                           .tenant_count = resolved->tenant_count,
                                           .tenant_names = resolved->tenant_names,
                                           .tenant_weights = resolved->tenant_weights,
                                           .tenant_of_word = resolved->tenant_of_word,
                                           .warmup_ns = config->warmup_ns,
                                           .electricity_price = config->electricity_price,
                                           .priority_of_word = resolved->priority_of_word,
                                           .priority_of_tenant = resolved->priority_of_tenant};
    run->facts.input = &run->input;
}

static void count_never_fits(struct pt_run *run)
{
    struct pt_never_fits *never = &run->facts.never_fits;
    for (int i = 0; i < PT_REASON_COUNT; i++)
        never->first[i] = PT_NONE;
    for (pt_job job = 0; job < run->facts.trace->job_count; job++) {
        enum pt_reason reason = pt_sim_never_fits(run->sim, job);
        if (reason == PT_REASON_NONE) continue;
        if (never->by_reason[reason]++ == 0) never->first[reason] = job;
        never->count++;
    }
}

static enum pt_status compose(struct pt_run *run, struct pt_messages *messages)
{
    struct pt_error error = {.status = PT_OK};
    PT_TRY(read_trace(run, messages));
    PT_TRY(pt_resolve(&run->resolved, run->facts.config, run->facts.trace, messages));
    if (fill_trace(run, &error) != PT_OK ||
        pt_traits_create(&run->traits, run->facts.config, run->facts.trace, &error) != PT_OK ||
        assume(run, &error) != PT_OK || open_outputs(run, &error) != PT_OK)
        return say(messages, &error);
    if (create_sim(run, &error) != PT_OK) {
        pt_config_say(run->facts.config, messages, &error);
        return error.status;
    }
    fill_input(run);
    count_never_fits(run);
    run->facts.assumption_count = run->assumptions.count;
    run->facts.assumptions = (const char *const *)run->assumptions.list;
    run->facts.offered_load = pt_offered_load(&run->input);
    return PT_OK;
}

enum pt_status pt_run_prepare(struct pt_run **run, const struct pt_config *config,
                              const struct pt_run_options *options, struct pt_messages *messages)
{
    *run = calloc(1, sizeof **run);
    if (!*run) {
        struct pt_error error;
        (void)pt_fail(&error, PT_ERR_MEMORY, "out of memory");
        return say(messages, &error);
    }
    pt_trace_init(&(*run)->trace);
    (*run)->options = *options;
    (*run)->facts.config = config;
    (*run)->facts.offered_load = NAN;
    enum pt_status status = compose(*run, messages);
    if (status != PT_OK) {
        pt_run_free(*run);
        *run = NULL;
    }
    return status;
}

/* ---- execute ---- */

static void tell_progress(struct pt_run *run, bool at_any_rate)
{
    double now = pt__wall_s();
    if (!run->options.progress || (!at_any_rate && now - run->told_s < 0.1)) return;
    const struct pt_trace *trace = run->facts.trace;
    struct pt_sim_stats stats;
    pt_sim_get_stats(run->sim, &stats);
    struct pt_run_progress progress = {.jobs_final = stats.jobs_final,
                                       .job_count = trace->job_count,
                                       .now_ns = stats.now_ns,
                                       .events = stats.events,
                                       .wall_s = now - run->began_s};
    if (trace->job_count) progress.last_submit_ns = pt_trace_submit_ns(trace)[trace->job_count - 1];
    run->told_s = now;
    run->options.progress(run->options.ctx, &progress);
}

static void start_clock(struct pt_run *run)
{
    if (run->began_s == 0) run->began_s = run->told_s = pt__wall_s();
}

enum pt_status pt_run_advance(struct pt_run *run, uint64_t instants, bool *finished,
                              struct pt_error *error)
{
    start_clock(run);
    run->facts.status = pt_sim_advance(run->sim, instants, finished, error);
    return run->facts.status;
}

static enum pt_status write_result(struct pt_run *run, bool partial, struct pt_error *error)
{
    const struct pt_config *config = run->facts.config;
    struct utsname host;
    char machine[256] = "";
    if (uname(&host) == 0)
        snprintf(machine, sizeof machine, "%.60s %.60s %.60s %.60s", host.nodename, host.sysname,
                 host.release, host.machine);
    const char *paths[1 + PT_INPUT_FILES_MAX], *digests[1 + PT_INPUT_FILES_MAX];
    for (uint32_t i = 0; i < run->facts.input_count; i++) {
        paths[i] = run->inputs[i].path_as_written;
        digests[i] = run->inputs[i].digest;
    }
    struct pt_manifest manifest = {
        .effective_yaml = config->effective_yaml,
        .seed = config->seed,
        .version = PARTITA_VERSION,
        .digest = run->digest_text,
        .partial = partial,
        .input_count = run->facts.input_count,
        .input_paths = paths,
        .input_digests = digests,
        .assumption_count = run->facts.assumption_count,
        .assumptions = run->facts.assumptions,
        .host = run->options.command_line != NULL,
        .command_line = run->options.command_line,
        .directory = run->options.directory,
        .machine = machine,
        .wall_s = run->facts.wall_s,
        .policy_s = run->facts.policy_s,
        .decision_p50_s = 1e-9 * (double)run->facts.stats.decision_p50_ns,
        .decision_p99_s = 1e-9 * (double)run->facts.stats.decision_p99_ns,
        .io_s = run->facts.read_s + run->receivers.write_s};
    struct pt_results_writer *writer = run->writer;
    run->writer = NULL; /* closing frees it either way */
    return pt_results_close(writer, &run->input, run->summary, &manifest, error);
}

static enum pt_status close_outputs(struct pt_run *run, bool partial, struct pt_error *error)
{
    double began = pt__wall_s();
    if (run->writer) PT_TRY(write_result(run, partial, error));
    if (run->lines) {
        struct pt_event_lines *lines = run->lines;
        run->lines = NULL;
        PT_TRY(pt_event_lines_close(lines, partial, error));
    }
    run->facts.write_s = run->receivers.write_s + pt__wall_s() - began;
    return PT_OK;
}

static enum pt_status name_result(struct pt_run *run, bool partial, struct pt_error *error)
{
    if (!run->options.result_path) return PT_OK;
    size_t room = strlen(run->options.result_path) + 32;
    run->result_file = malloc(room);
    if (!run->result_file) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (partial)
        pt_results_partial_path(run->result_file, room, run->options.result_path);
    else
        snprintf(run->result_file, room, "%s", run->options.result_path);
    return PT_OK;
}

/* The world has ended, or was given up: what is known becomes a summary and files. */
static enum pt_status conclude(struct pt_run *run, bool partial, struct pt_error *error)
{
    struct pt_run_facts *facts = &run->facts;
    pt_sim_get_stats(run->sim, &facts->stats);
    facts->wall_s = run->began_s > 0 ? pt__wall_s() - run->began_s : 0;
    facts->policy_s = 1e-9 * (double)facts->stats.policy_ns;
    pt_digest_text(run->digest_text, run->digest);
    PT_TRY(pt_summary_create(&run->summary, &run->input, error));
    PT_TRY(name_result(run, partial, error));
    PT_TRY(close_outputs(run, partial, error));
    facts->digest = run->digest_text;
    facts->summary = run->summary;
    facts->result_file = run->result_file;
    return PT_OK;
}

enum pt_status pt_run_finish(struct pt_run *run, struct pt_error *error)
{
    run->facts.status = conclude(run, false, error);
    return run->facts.status;
}

enum pt_status pt_run_keep_part(struct pt_run *run, enum pt_status why, struct pt_error *error)
{
    struct pt_error second = {.status = PT_OK};
    enum pt_status status = pt_sim_abandon(run->sim, &second);
    run->facts.status = why;
    if (status == PT_OK) status = conclude(run, true, &second);
    if (status == PT_OK) return why;
    if (error) *error = second;
    run->facts.status = status;
    return status;
}

enum pt_status pt_run_execute(struct pt_run *run, struct pt_error *error)
{
    bool finished = false;
    start_clock(run);
    while (!finished) {
        if (pt_interrupted(run->options.interrupt))
            return pt_run_keep_part(run, pt_fail(error, PT_ERR_INTERRUPTED, "interrupted"), error);
        enum pt_status status = pt_run_advance(run, INSTANTS_A_STEP, &finished, error);
        if (status == PT_ERR_DEADLOCK) return pt_run_keep_part(run, status, error);
        if (status != PT_OK) return status;
        tell_progress(run, finished);
    }
    return pt_run_finish(run, error);
}

void pt_run_free(struct pt_run *run)
{
    if (!run) return;
    pt_results_abandon(run->writer);
    pt_event_lines_abandon(run->lines);
    pt_sim_destroy(run->sim);
    pt_summary_destroy(run->summary);
    pt_outcomes_destroy(run->outcomes);
    pt_digest_destroy(run->digest);
    pt_traits_destroy(run->traits);
    pt_resolved_fini(&run->resolved);
    pt__assumptions_fini(&run->assumptions);
    pt_trace_fini(&run->trace);
    free(run->result_file);
    free(run);
}

const struct pt_run_facts *pt_run_facts(const struct pt_run *run)
{
    return &run->facts;
}
