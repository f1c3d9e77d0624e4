#include "sim/experiment/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/receivers.h"
#include "sim/experiment/tables.h"

enum { TIME_TOLERANCE_NS = 2, TEXT_MAX = 320 };
#define NUMBER_TOLERANCE 1e-9

/* What a run gave where something was expected. */
enum kind { KIND_TIME, KIND_NUMBER, KIND_TEXT, KIND_BOOL };
struct observed {
    enum kind kind;
    bool absent;
    int64_t ns;    /* KIND_TIME */
    double number; /* KIND_NUMBER; of KIND_TIME its seconds; of KIND_BOOL 0 or 1 */
    const char *text;
};

/* Jobs that run in each pool at once, counted from the events: for `always`. */
struct census {
    const struct pt_cluster *cluster;
    uint32_t running[PT_POOLS_MAX], most[PT_POOLS_MAX];
};

struct check {
    struct pt_scenario *scenario;
    const struct pt_yaml *yaml;
    const struct pt_run_facts *facts;
    const struct census *census;
};

const char *pt_verdict_text(enum pt_verdict verdict)
{
    static const char *const texts[] = {"passed", "failed", "broken"};
    return texts[verdict];
}

void pt_scenario_init(struct pt_scenario *scenario, struct pt_yaml_node *document, uint32_t index)
{
    const struct pt_yaml_node *name = pt_yaml_get(document, "name");
    const struct pt_yaml_node *expect = pt_yaml_get(document, "expect");
    *scenario = (struct pt_scenario){.verdict = PT_VERDICT_PASSED,
                                     .expects = expect && !pt_yaml_is_nothing(expect) &&
                                                (expect->text || expect->count > 0)};
    pt_messages_init(&scenario->messages);
    snprintf(scenario->buffer, sizeof scenario->buffer, "document %" PRIu32, index);
    scenario->name = name && name->text && name->text[0] ? name->text : scenario->buffer;
}

void pt_scenario_fini(struct pt_scenario *scenario)
{
    pt_messages_fini(&scenario->messages);
}

/* ---- saying what is wrong ---- */

static void worse(struct pt_scenario *scenario, enum pt_verdict verdict)
{
    if (verdict > scenario->verdict) scenario->verdict = verdict;
}

#define FAILS(check, place, ...)                                                                   \
    do {                                                                                           \
        worse((check)->scenario, PT_VERDICT_FAILED);                                               \
        pt_yaml_say((check)->yaml, &(check)->scenario->messages, false, (place), __VA_ARGS__);     \
    } while (0)
#define BROKEN(check, place, ...)                                                                  \
    do {                                                                                           \
        worse((check)->scenario, PT_VERDICT_BROKEN);                                               \
        pt_yaml_say((check)->yaml, &(check)->scenario->messages, false, (place), __VA_ARGS__);     \
    } while (0)

static void describe(char out[TEXT_MAX], const struct observed *seen)
{
    char number[PT_DOUBLE_TEXT_MAX];
    if (seen->absent)
        snprintf(out, TEXT_MAX, "null");
    else if (seen->kind == KIND_TEXT)
        snprintf(out, TEXT_MAX, "'%s'", seen->text);
    else if (seen->kind == KIND_BOOL)
        snprintf(out, TEXT_MAX, "%s", seen->number != 0 ? "true" : "false");
    else if (seen->kind == KIND_TIME)
        snprintf(out, TEXT_MAX, "%.*s", (int)pt_format_seconds(number, seen->ns), number);
    else
        snprintf(out, TEXT_MAX, "%.*s", (int)pt_format_double(number, seen->number), number);
}

/* ---- comparing ---- */

static bool is_null(const struct pt_yaml_node *node)
{
    return !node->quoted && strcmp(node->text, "null") == 0;
}

static bool near_number(double value, double wanted)
{
    double off = fabs(value - wanted);
    return off <= NUMBER_TOLERANCE || off <= NUMBER_TOLERANCE * fabs(wanted);
}

/* Seconds that were averaged or read back from a double: 2 ns and the rounding of the double. */
static bool near_seconds(double value, double wanted)
{
    return fabs(value - wanted) <=
           1e-9 * TIME_TOLERANCE_NS + 4 * 2.220446049250313e-16 * fabs(wanted);
}

static bool equals(const struct observed *seen, const struct pt_yaml_node *wanted, bool seconds)
{
    int64_t ns;
    if (seen->kind == KIND_TIME)
        return pt_parse_seconds(&ns, wanted->text, wanted->length, NULL) == PT_OK &&
               llabs(seen->ns - ns) <= TIME_TOLERANCE_NS;
    return seconds ? near_seconds(seen->number, wanted->value.number)
                   : near_number(seen->number, wanted->value.number);
}

/* Slack of a bound: that of an equal value. */
static double slack(bool seconds, double bound)
{
    return seconds ? 1e-9 * TIME_TOLERANCE_NS : NUMBER_TOLERANCE * fmax(1, fabs(bound));
}

/* An expected number, `wanted` = {equals | min, max | approx, rel}. */
static void check_number(const struct check *check, const char *what,
                         const struct pt_yaml_node *wanted, const struct observed *seen,
                         bool seconds)
{
    const struct pt_yaml_node *equal = pt_yaml_get(wanted, "equals");
    const struct pt_yaml_node *min = pt_yaml_get(wanted, "min"), *max = pt_yaml_get(wanted, "max");
    const struct pt_yaml_node *about = pt_yaml_get(wanted, "approx");
    const struct pt_yaml_node *rel = pt_yaml_get(wanted, "rel");
    char is[TEXT_MAX];
    describe(is, seen);
    if (!equal && !min && !max && !about)
        BROKEN(check, wanted->key_place, "%s: no value is expected here", what);
    if (pt_yaml_get(wanted, "rel") && !about)
        BROKEN(check, wanted->key_place, "%s: 'rel' needs 'approx'", what);
    if (equal && is_null(equal)) {
        if (!seen->absent) FAILS(check, equal->place, "%s is %s, expected null", what, is);
        return;
    }
    if (equal && (seen->absent || !equals(seen, equal, seconds)))
        FAILS(check, equal->place, "%s is %s, expected %s", what, is, equal->text);
    if (min &&
        (seen->absent || seen->number < min->value.number - slack(seconds, min->value.number)))
        FAILS(check, min->place, "%s is %s, expected at least %s", what, is, min->text);
    if (max &&
        (seen->absent || seen->number > max->value.number + slack(seconds, max->value.number)))
        FAILS(check, max->place, "%s is %s, expected at most %s", what, is, max->text);
    double off = rel ? rel->value.number : NUMBER_TOLERANCE;
    if (about && (seen->absent ||
                  fabs(seen->number - about->value.number) > off * fabs(about->value.number)))
        FAILS(check, about->place, "%s is %s, expected about %s (relative error %g)", what, is,
              about->text, off);
}

static void check_word(const struct check *check, const char *what,
                       const struct pt_yaml_node *wanted, const struct observed *seen)
{
    char is[TEXT_MAX];
    bool same = is_null(wanted) ? seen->absent : !seen->absent;
    if (same && !seen->absent && seen->kind == KIND_BOOL)
        same = (wanted->value.integer != 0) == (seen->number != 0);
    else if (same && !seen->absent)
        same = strcmp(wanted->text, seen->text) == 0;
    describe(is, seen);
    if (!same) FAILS(check, wanted->place, "%s is %s, expected %s", what, is, wanted->text);
}

/* ---- jobs ---- */

static struct observed time_seen(int64_t ns)
{
    bool absent = ns == PT_TIME_ABSENT;
    return (struct observed){
        .kind = KIND_TIME, .absent = absent, .ns = ns, .number = absent ? NAN : pt_seconds(ns)};
}

static struct observed number_seen(double value)
{
    return (struct observed){.kind = KIND_NUMBER, .absent = isnan(value), .number = value};
}

static struct observed text_seen(const char *text)
{
    return (struct observed){.kind = KIND_TEXT, .absent = !text || !text[0], .text = text};
}

static double slowdown(const struct pt_run_facts *facts, pt_job job)
{
    int64_t jct = pt_outcomes_jct_ns(facts->outcomes, facts->trace, job);
    int64_t work = pt_trace_work_ns(facts->trace)[job];
    return jct == PT_TIME_ABSENT || work == 0 ? NAN : (double)jct / (double)work;
}

static const char *home_node(const struct pt_run_facts *facts, pt_job job)
{
    const struct pt_cluster *cluster = &facts->config->cluster;
    uint32_t gpu = facts->outcomes->home_gpu[job];
    return gpu == PT_NONE ? NULL : cluster->nodes[pt_cluster_node_of_gpu(cluster, gpu)].name;
}

static struct observed observe(const struct pt_run_facts *facts, pt_job job, const char *field)
{
    const struct pt_outcomes *out = facts->outcomes;
    const struct pt_trace *trace = facts->trace;
    if (strcmp(field, "start_s") == 0) return time_seen(out->start_ns[job]);
    if (strcmp(field, "end_s") == 0) return time_seen(out->end_ns[job]);
    if (strcmp(field, "jct_s") == 0) return time_seen(pt_outcomes_jct_ns(out, trace, job));
    if (strcmp(field, "wait_s") == 0) return time_seen(pt_outcomes_wait_ns(out, trace, job));
    if (strcmp(field, "queue_s") == 0) return time_seen(pt_outcomes_queue_ns(out, trace, job));
    if (strcmp(field, "preemptions") == 0) return number_seen(out->preemptions[job]);
    if (strcmp(field, "attempts") == 0) return number_seen(out->attempts[job]);
    if (strcmp(field, "gpus") == 0) return number_seen(pt_trace_u32(trace, PT_COL_GPUS, job));
    if (strcmp(field, "slowdown") == 0) return number_seen(slowdown(facts, job));
    if (strcmp(field, "cost") == 0) return number_seen(pt_summary_cost_of_job(facts->input, job));
    if (strcmp(field, "node") == 0) return text_seen(home_node(facts, job));
    if (strcmp(field, "reason") == 0)
        return text_seen(pt_reason_text((enum pt_reason)out->reason[job]));
    if (strcmp(field, "sla_met") == 0) {
        int met = pt_summary_sla_met(facts->input, job);
        return (struct observed){.kind = KIND_BOOL, .absent = met < 0, .number = met};
    }
    return text_seen(pt_job_state_name((enum pt_job_state)out->state[job]));
}

static void check_job(const struct check *check, const struct pt_yaml_node *wanted)
{
    pt_job job = pt_trace_find(check->facts->trace, wanted->key);
    if (job == PT_NONE) {
        struct pt_suggestion suggestion;
        pt_suggest_begin(&suggestion, wanted->key, strlen(wanted->key));
        for (pt_job other = 0; other < check->facts->trace->job_count; other++)
            pt_suggest_offer(&suggestion, pt_trace_word(check->facts->trace, PT_COL_ID, other));
        if (suggestion.best)
            BROKEN(check, wanted->key_place, "unknown job '%s' (did you mean '%s'?)", wanted->key,
                   suggestion.best);
        else
            BROKEN(check, wanted->key_place, "unknown job '%s'", wanted->key);
        return;
    }
    for (const struct pt_yaml_node *field = wanted->first; field; field = field->next) {
        char what[TEXT_MAX];
        struct observed seen = observe(check->facts, job, field->key);
        snprintf(what, sizeof what, "job %.200s: %s", wanted->key, field->key);
        if (seen.kind == KIND_TEXT || seen.kind == KIND_BOOL)
            check_word(check, what, field, &seen);
        else
            check_number(check, what, field, &seen, seen.kind == KIND_TIME);
    }
}

/* ---- summary and invariants ---- */

static bool known_metric(const struct check *check, const struct pt_yaml_node *wanted)
{
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, wanted->key, strlen(wanted->key));
    for (const struct pt_metric_info *info = pt_metric_infos; info->name; info++) {
        if (strcmp(info->name, wanted->key) == 0) return true;
        pt_suggest_offer(&suggestion, info->name);
    }
    if (suggestion.best)
        BROKEN(check, wanted->key_place, "unknown metric '%s' (did you mean '%s'?)", wanted->key,
               suggestion.best);
    else
        BROKEN(check, wanted->key_place, "unknown metric '%s'", wanted->key);
    return false;
}

static void check_metric(const struct check *check, const struct pt_yaml_node *wanted)
{
    if (!known_metric(check, wanted)) return;
    const struct pt_metric *metric =
        pt_summary_find(&check->facts->summary->groups[0], wanted->key);
    struct observed seen = number_seen(metric ? metric->value : NAN);
    size_t length = strlen(wanted->key);
    bool seconds = length > 2 && strcmp(wanted->key + length - 2, "_s") == 0;
    check_number(check, wanted->key, wanted, &seen, seconds);
}

static void check_always(const struct check *check, const struct pt_yaml_node *invariant)
{
    const struct pt_cluster *cluster = &check->facts->config->cluster;
    const struct pt_yaml_node *name = pt_yaml_get(invariant, "pool");
    const struct pt_yaml_node *max = pt_yaml_get(invariant, "running_max");
    for (uint32_t pool = 0; pool < cluster->pool_count; pool++) {
        if (strcmp(cluster->pools[pool].name, name->text) != 0) continue;
        if (check->census->most[pool] > max->value.integer)
            FAILS(check, max->place, "%" PRIu32 " jobs ran at once in pool %s, expected at most %s",
                  check->census->most[pool], name->text, max->text);
        return;
    }
    BROKEN(check, name->place, "unknown pool '%s'", name->text);
}

static enum pt_status count_running(void *ctx, const struct pt_event *events, size_t count,
                                    struct pt_error *error)
{
    struct census *census = ctx;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (events[i].gpu == PT_NONE || events[i].job == PT_NONE) continue;
        uint32_t pool = pt_cluster_pool_of_gpu(census->cluster, events[i].gpu);
        if (events[i].kind == PT_EVENT_START && ++census->running[pool] > census->most[pool])
            census->most[pool] = census->running[pool];
        if (events[i].kind == PT_EVENT_DONE || events[i].kind == PT_EVENT_FAULT)
            census->running[pool]--;
    }
    return PT_OK;
}

/* ---- the whole ---- */

/* Expectations of a world that never began hold for nobody. */
static void check_nothing_ran(const struct check *check, const struct pt_yaml_node *expect)
{
    static const char *const keys[] = {"jobs", "summary", "always"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct pt_yaml_node *wanted = pt_yaml_get(expect, keys[i]);
        if (wanted && wanted->first)
            FAILS(check, wanted->key_place, "nothing was run that '%s' could be compared with",
                  keys[i]);
    }
}

static void check_children(const struct check *check, const struct pt_yaml_node *expect,
                           const char *key,
                           void (*one)(const struct check *, const struct pt_yaml_node *))
{
    const struct pt_yaml_node *all = pt_yaml_get(expect, key);
    for (const struct pt_yaml_node *node = all ? all->first : NULL; node; node = node->next)
        one(check, node);
}

/* The messages of a run that went wrong, as the user would see them. */
static bool any_says(const struct pt_messages *messages, const char *part)
{
    for (unsigned i = 0; i < messages->count; i++) {
        const struct pt_error *error = &messages->list[i].error;
        char text[PT_ERROR_FILE_MAX + PT_ERROR_MESSAGE_MAX + 32];
        snprintf(text, sizeof text, "%s:%" PRIu32 ":%" PRIu32 ": %s", error->file, error->line,
                 error->column, error->message);
        if (strstr(text, part)) return true;
    }
    return false;
}

/* What stopped the run; NULL = nothing did. Warnings stop nothing. */
static const struct pt_error *first_error(const struct pt_messages *said)
{
    for (unsigned i = 0; i < said->count; i++)
        if (!said->list[i].warning) return &said->list[i].error;
    return NULL;
}

/* Where the unexpected end is explained: at what was said first if that is in this file, else at
 * the expectation. */
static struct pt_yaml_place exit_place(const struct pt_yaml_node *wanted,
                                       const struct pt_yaml_node *document,
                                       const struct pt_messages *said)
{
    const struct pt_error *first = first_error(said);
    if (first && first->line && strcmp(first->file, document->place.file) == 0)
        return (struct pt_yaml_place){document->place.file, first->line, first->column};
    return wanted && wanted->place.line ? wanted->place : document->place;
}

static void check_exit(const struct check *check, const struct pt_yaml_node *expect,
                       const struct pt_yaml_node *document, enum pt_status status,
                       const struct pt_messages *said)
{
    const struct pt_yaml_node *wanted = pt_yaml_get(expect, "exit");
    const struct pt_yaml_node *part = pt_yaml_get(expect, "error");
    const struct pt_error *first = first_error(said);
    int code = pt_status_exit_code(status);
    if (code != (wanted ? wanted->value.integer : 0)) {
        struct pt_yaml_place place = exit_place(wanted, document, said);
        FAILS(check, place, "exit code is %d, expected %s%s%s", code, wanted ? wanted->text : "0",
              first ? ": " : "", first ? first->message : "");
    }
    if (part && !any_says(said, part->text))
        FAILS(check, part->place, "no message says '%s'%s%s", part->text,
              said->count ? " but: " : "", said->count ? said->list[0].error.message : "");
}

/* Loads and runs; what goes wrong is told to `said`. */
static enum pt_status run_document(struct pt_run **run, struct pt_config **config,
                                   const struct pt_yaml *yaml, const struct pt_yaml_node *document,
                                   const char *origin_dir, struct census *census,
                                   const volatile sig_atomic_t *interrupt, struct pt_messages *said)
{
    PT_TRY(pt_config_load_document(config, yaml, document, true, origin_dir, NULL, 0, said));
    census->cluster = &(*config)->cluster;
    struct pt_recorder counter = {.ctx = census, .events = count_running};
    struct pt_run_options options = {.check = true, .also = &counter, .interrupt = interrupt};
    PT_TRY(pt_run_prepare(run, *config, &options, said));
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = pt_run_execute(*run, &error);
    if (status != PT_OK) pt_messages_add(said, false, &error, NULL, 0);
    return status;
}

/* A world that stands still has come to its end too, if that is what was expected. */
static enum pt_status judge(struct pt_scenario *scenario, const struct pt_summary *summary)
{
    struct pt_gates *gates = scenario->gates;
    if (!gates || !summary) return PT_OK;
    enum pt_status status = pt_gates_check(gates, summary, &scenario->messages);
    if (status == PT_ERR_INPUT) worse(scenario, PT_VERDICT_BROKEN);
    if (status != PT_OK) return status == PT_ERR_INPUT ? PT_OK : status;
    pt_gates_judge(gates, summary);
    scenario->judged = true;
    return PT_OK;
}

/* The normal tree of `expect`; NULL when it is absent or wrong. */
static enum pt_status read_expect(struct pt_yaml_node **expect, struct pt_scenario *scenario,
                                  struct pt_yaml *yaml, struct pt_yaml_node *document)
{
    struct pt_yaml_node *raw = pt_yaml_get(document, "expect");
    *expect = NULL;
    if (!raw) return PT_OK;
    enum pt_status status =
        pt_schema_check(expect, yaml, &pt_schema_expect, raw, NULL, &scenario->messages);
    if (status == PT_ERR_INPUT) worse(scenario, PT_VERDICT_BROKEN);
    return status == PT_ERR_INPUT ? PT_OK : status;
}

enum pt_status pt_scenario_run(struct pt_scenario *scenario, struct pt_yaml *yaml,
                               struct pt_yaml_node *document, const char *origin_dir,
                               const volatile sig_atomic_t *interrupt)
{
    struct pt_yaml_node *expect;
    struct pt_config *config = NULL;
    struct pt_run *run = NULL;
    struct census census = {0};
    struct pt_messages said;
    double began = pt__wall_s();
    pt_messages_init(&said);
    enum pt_status status =
        run_document(&run, &config, yaml, document, origin_dir, &census, interrupt, &said);
    enum pt_status reading = PT_OK;
    if (status == PT_ERR_MEMORY || status == PT_ERR_INTERRUPTED) goto out;
    reading = read_expect(&expect, scenario, yaml, document);
    if (reading != PT_OK || scenario->verdict == PT_VERDICT_BROKEN) goto out;
    struct check check = {scenario, yaml, run ? pt_run_facts(run) : NULL, &census};
    check_exit(&check, expect, document, status, &said);
    if (run && check.facts->summary) {
        check_children(&check, expect, "jobs", check_job);
        check_children(&check, expect, "summary", check_metric);
        check_children(&check, expect, "always", check_always);
        reading = judge(scenario, check.facts->summary);
    } else if (scenario->verdict == PT_VERDICT_PASSED) {
        check_nothing_ran(&check, expect);
    }
out:
    scenario->wall_s = pt__wall_s() - began;
    pt_run_free(run);
    pt_config_free(config);
    pt_messages_fini(&said);
    if (reading != PT_OK) return reading;
    return status == PT_ERR_MEMORY || status == PT_ERR_INTERRUPTED ? status : PT_OK;
}
