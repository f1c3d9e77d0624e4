#include <jansson.h>
#include <stdlib.h>

#include "sim/cli/commands.h"
#include "sim/cli/explain_parts.h"

/* Without a file what is wrong stands nowhere. */
static void complain(const struct pt__speed_session *session)
{
    if (pt__args_has(session->args, "experiment")) {
        pt_messages_print(&session->messages, stderr, session->terminal.color_err);
        return;
    }
    for (unsigned i = 0; i < session->messages.count; i++) {
        struct pt_error error = session->messages.list[i].error;
        if (error.line > 0) error.file[0] = '\0';
        error.line = error.column = 0;
        (void)pt__complain(&session->terminal, &error);
    }
}

static enum pt_status ask(struct pt__speed_session *session, struct pt_error *error)
{
    const struct pt_config *config = session->config;
    const struct pt_trace *trace = config->trace.inline_jobs;
    PT_TRY(pt_traits_create(&session->traits, config, trace, error));
    session->speeds = calloc((size_t)trace->job_count + 1, sizeof *session->speeds);
    if (!session->speeds) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    return pt_speeds_ask(session->speeds, config, trace, session->traits, session->pool, error);
}

/* ---- what comes out ---- */

static const char *refusal(const struct pt_job_speed *speed)
{
    return speed->reason == PT_REASON_NONE ? "no room beside those before it"
                                           : pt_reason_text(speed->reason);
}

static const char *model_name(const struct pt__speed_session *session)
{
    const struct pt_interference_ops *ops = session->config->interference.ops;
    return ops ? ops->name : "none";
}

static void head_text(const struct pt__speed_session *session)
{
    const struct pt_pool *pool = &session->config->cluster.pools[session->pool];
    printf("%s%s, %s", pt__style(session->terminal.color_out, PT__BOLD), pool->gpu->name,
           pool->unit->name);
    if (pool->shape.capacity > 1 && pool->shape.levels && !pool->unit->nested)
        printf(", %u a GPU", pool->shape.capacity);
    printf(", interference %s%s\n", model_name(session),
           pt__style(session->terminal.color_out, PT__PLAIN));
}

static void job_text(const struct pt__speed_session *session, size_t index)
{
    const struct pt_job_speed *speed = &session->speeds[index];
    bool color = session->terminal.color_out;
    printf("\n%s%s%s", pt__style(color, PT__BOLD), session->args->operands[index],
           pt__style(color, PT__PLAIN));
    if (speed->instance) printf(" in %s", speed->instance->name);
    if (!speed->runs) {
        printf(": %sdoes not run: %s%s\n", pt__style(color, PT__RED), refusal(speed),
               pt__style(color, PT__PLAIN));
        return;
    }
    printf(": speed %s%.4f%s", pt__style(color, PT__BOLD), speed->speed,
           pt__style(color, PT__PLAIN));
    if (session->config->interference.ops)
        printf(" (u %.3g, kappa %.3g, p %u)", speed->traits.u, speed->traits.kappa,
               (unsigned)speed->traits.p);
    putchar('\n');
    for (uint32_t i = 0; i < speed->term_count; i++)
        printf("    %-14s x %.4f\n", speed->terms[i].name, speed->terms[i].factor);
    printf("    %-14s   %.4f  of the whole GPU alone\n", "slow-down", speed->slow);
    if (speed->asked > 1)
        printf("    %-14s   %.4f  alone on what it asked for\n", "slow-down", speed->asked);
    if (speed->held) puts("    held to what it asked for (allow_speedup: false)");
}

static json_t *job_json(const struct pt__speed_session *session, size_t index)
{
    const struct pt_job_speed *speed = &session->speeds[index];
    json_t *job =
        json_pack("{s:s, s:b}", "job", session->args->operands[index], "runs", (int)speed->runs);
    if (!speed->runs) {
        json_object_set_new(job, "reason", json_string(refusal(speed)));
        return job;
    }
    json_t *terms = json_array();
    for (uint32_t i = 0; i < speed->term_count; i++)
        json_array_append_new(terms, json_pack("{s:s, s:f}", "term", speed->terms[i].name, "factor",
                                               speed->terms[i].factor));
    json_object_set_new(job, "instance",
                        speed->instance ? json_string(speed->instance->name) : json_null());
    json_object_set_new(job, "speed", json_real(speed->speed));
    json_object_set_new(job, "relative_speed", json_real(speed->rate));
    json_object_set_new(job, "slowdown", json_real(speed->slow));
    json_object_set_new(job, "slowdown_as_asked", json_real(speed->asked));
    json_object_set_new(job, "held", json_boolean(speed->held));
    json_object_set_new(job, "terms", terms);
    if (session->config->interference.ops)
        json_object_set_new(job, "traits",
                            json_pack("{s:f, s:f, s:f, s:i}", "u", speed->traits.u, "kappa",
                                      speed->traits.kappa, "busy", speed->traits.busy, "p",
                                      (int)speed->traits.p));
    return job;
}

static void print_json(const struct pt__speed_session *session)
{
    const struct pt_pool *pool = &session->config->cluster.pools[session->pool];
    json_t *jobs = json_array();
    for (size_t i = 0; i < session->args->operand_count; i++)
        json_array_append_new(jobs, job_json(session, i));
    json_t *root = json_pack("{s:s, s:s, s:s, s:o}", "gpu", pool->gpu->name, "mode",
                             pool->unit->name, "interference", model_name(session), "jobs", jobs);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(root);
}

/* ---- the command ---- */

static void close_session(struct pt__speed_session *session)
{
    for (size_t i = 0; i < session->set_count; i++)
        free(session->sets[i]);
    free(session->sets);
    free(session->speeds);
    pt_traits_destroy(session->traits);
    pt_config_free(session->config);
    pt_messages_fini(&session->messages);
}

static int run_speed(const struct pt__args *args)
{
    struct pt__speed_session session = {.args = args};
    struct pt_error error = {.status = PT_OK};
    pt__terminal_init(&session.terminal, args);
    pt_messages_init(&session.messages);
    enum pt_status status = pt__speed_load(&session);
    int code = pt_status_exit_code(status);
    complain(&session);
    if (status == PT_OK && ask(&session, &error) != PT_OK)
        code = pt__complain(&session.terminal, &error);
    else if (status == PT_OK) {
        if (pt__args_has(args, "json")) {
            print_json(&session);
        } else {
            head_text(&session);
            for (size_t i = 0; i < args->operand_count; i++)
                job_text(&session, i);
        }
    }
    close_session(&session);
    return pt__finish_stdout(&session.terminal, code);
}

static const char *const kind_words[] = {"training", "batch", "interactive", "inference", NULL};

static const struct pt__option speed_options[] = {
    {"gpu", 0, "GPU", NULL, false, PT__COMPLETES_NOTHING,
     "the GPU, of 'partita list gpus'; h100-sxm5-80gb unless given"},
    {"mode", 0, "MODE", NULL, false, PT__COMPLETES_NOTHING,
     "how it is shared, of 'partita list models'; time_slice unless given"},
    {"set", 0, "NAME=VALUE", NULL, true, PT__COMPLETES_NOTHING,
     "a parameter of the mode (replicas=4; as many as there are jobs unless given), or any key of "
     "an experiment (interference=none)"},
    {"kind", 0, "KIND", kind_words, false, PT__COMPLETES_CHOICE,
     "of all the jobs: inference and interactive ones share by the law of p = 4"},
    {"experiment", 0, "FILE.yaml", NULL, false, PT__COMPLETES_FILE,
     "take GPUs, sharing, profiles and interference from this experiment; its trace is not read, "
     "and --set takes its keys"},
    {"pool", 0, "NAME", NULL, false, PT__COMPLETES_NOTHING,
     "with --experiment: the pool whose GPU it is; the first unless given"},
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print one JSON object"},
    {0}};

static const struct pt__command command_speed = {
    .name = "speed",
    .operands = "JOB...",
    .operand_min = 1,
    .operand_max = 64,
    .summary = "say how fast jobs run side by side on one GPU, and why",
    .details =
        "Each JOB is a profile of 'partita list profiles', or its SM utilisation alone (0.8), and "
        "behind a colon, if it asks for a part of the GPU, its fraction (0.5) or its MIG profile "
        "(1g.10gb). They are put on an empty GPU in this order and all compute. Speed 1 is alone "
        "on what the job asked for; the factors below it multiply to its slow-down.",
    .options = speed_options,
    .example = "partita explain speed --mode mps --set replicas=4 'ResNet-50 (batch size 32)' 0.8",
    .example_says = "asks for two clients of a GPU that takes four",
    .run = run_speed};

static const struct pt__command *const inner[] = {&command_speed, NULL};

const struct pt__command pt__command_explain = {
    .name = "explain",
    .inner = inner,
    .summary = "say why something is as it is",
    .details = "Commands that show what the models do.",
    .example = "partita explain speed --mode time_slice --set replicas=2 0.9 0.5",
    .example_says = "says how two jobs slow each other down"};
