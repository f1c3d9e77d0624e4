#include "sim/cli/run_parts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "policies/registry.h"
#include "sim/experiment/outfile.h"

static bool is_result_file(const char *path)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char head[sizeof signature] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return got == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

static char *copy_of(const char *text)
{
    size_t room = strlen(text) + 1;
    char *copy = malloc(room);
    return copy ? memcpy(copy, text, room) : NULL;
}

static enum pt_status add_set(struct pt__run_session *session, const char *prefix,
                              const char *value, struct pt_error *error)
{
    size_t room = strlen(prefix) + strlen(value) + 1;
    char *text = malloc(room);
    if (!text) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    snprintf(text, room, "%s%s", prefix, value);
    session->sets[session->set_count++] = text;
    return PT_OK;
}

static enum pt_status policy_set(struct pt__run_session *session, const char *name,
                                 struct pt_error *error)
{
    if (!pt_policy_find(name)) {
        struct pt_suggestion suggestion;
        pt_suggest_begin(&suggestion, name, strlen(name));
        for (size_t i = 0; pt_policies[i]; i++)
            pt_suggest_offer(&suggestion, pt_policies[i]->name);
        if (suggestion.best)
            return pt_fail(error, PT_ERR_INPUT,
                           "--policy: unknown policy '%s' (did you mean '%s'?)", name,
                           suggestion.best);
        return pt_fail(error, PT_ERR_INPUT,
                       "--policy: unknown policy '%s'; 'partita list policies' shows them", name);
    }
    return add_set(session, "policy.name=", name, error);
}

static enum pt_status collect_sets(struct pt__run_session *session, struct pt_error *error)
{
    const struct pt__args *args = session->args;
    const char **values = calloc(args->given_count + 1, sizeof *values);
    session->sets = calloc(args->given_count + 1, sizeof *session->sets);
    enum pt_status status = PT_OK;
    if (!values || !session->sets) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    size_t count = status == PT_OK ? pt__args_values(args, "set", values) : 0;
    const char *policy = pt__args_value(args, "policy"), *seed = pt__args_value(args, "seed");
    char first[24];
    if (status == PT_OK && policy) status = policy_set(session, policy, error);
    for (size_t i = 0; i < count && status == PT_OK;
         i++) /* they may be parameters of that policy */
        status = add_set(session, "", values[i], error);
    if (status == PT_OK && seed) {
        int64_t number;
        status = pt_parse_int(&number, seed, strlen(seed), 0, INT64_MAX, error);
        if (status == PT_OK)
            status = add_set(session, "seed=", seed, error);
        else if (error->status == PT_ERR_INPUT)
            status = pt_fail(error, PT_ERR_INPUT, "--seed: '%s' is not a whole number >= 0", seed);
    }
    if (status == PT_OK && session->seeds.count > 0) {
        snprintf(first, sizeof first, "%" PRIu64, session->seeds.list[0]);
        status = add_set(session, "seed=", first, error);
    }
    free((void *)values);
    return status;
}

/* The directory of the file, absolute: where its relative paths start. NULL when unknown. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *text = malloc(PATH_MAX + length + 2);
    if (!text) return NULL;
    text[0] = '\0';
    if (path[0] != '/' && !getcwd(text, PATH_MAX)) {
        free(text);
        return NULL;
    }
    size_t used = strlen(text);
    if (slash && path[0] != '/') text[used++] = '/';
    memcpy(text + used, path, length);
    used += length;
    if (used == 0) text[used++] = '/'; /* a file in the root */
    text[used] = '\0';
    return text;
}

static enum pt_status load_from_result(struct pt__run_session *session, const char *path,
                                       struct pt_error *error)
{
    PT_TRY(pt_results_read(&session->rerun, path, error));
    const char *yaml = pt_results_manifest_text(session->rerun, "effective_yaml");
    const char *directory = pt_results_manifest_text(session->rerun, "host/directory");
    if (!yaml)
        return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "holds no experiment to run again");
    char *start = directory && directory[0] ? copy_of(directory) : directory_of(path);
    if (!start) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    enum pt_status status = pt_config_load_text(&session->config, path, yaml, strlen(yaml), start,
                                                (const char *const *)session->sets,
                                                session->set_count, &session->messages);
    session->directory = start;
    return status;
}

/* The arguments as a shell would take them. */
static char *join_command_line(int argc, char **argv)
{
    size_t room = 1;
    for (int i = 0; i < argc; i++)
        room += 4 * strlen(argv[i]) + 3;
    char *text = malloc(room), *at = text;
    for (int i = 0; text && i < argc; i++) {
        bool plain = argv[i][0] && !argv[i][strcspn(argv[i], " \t\n'\"\\$`*?[]{}()<>|&;#~!")];
        if (i > 0) *at++ = ' ';
        if (!plain) *at++ = '\'';
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'' && !plain)
                at += sprintf(at, "%s", "'\\''");
            else
                *at++ = *c;
        }
        if (!plain) *at++ = '\'';
    }
    if (text) *at = '\0';
    return text;
}

enum pt_status pt__run_load(struct pt__run_session *session, struct pt_error *error)
{
    const char *path = session->args->operands[0];
    session->command_line = join_command_line(session->args->argc, session->args->argv);
    PT_TRY(collect_sets(session, error));
    if (is_result_file(path)) return load_from_result(session, path, error);
    session->directory = directory_of(path);
    return pt_config_load(&session->config, path, NULL, (const char *const *)session->sets,
                          session->set_count, &session->messages);
}

enum pt_status pt__run_spares(const struct pt__run_session *session, const char *output,
                              bool is_result, struct pt_error *error)
{
    const struct pt_config *config = session->config;
    if (!session->rerun || !is_result)
        PT_TRY(pt_outfile_spares(output, session->args->operands[0], error));
    PT_TRY(pt_outfile_spares(output, config->trace.path, error));
    for (uint32_t i = 0; i < config->file_count; i++)
        PT_TRY(pt_outfile_spares(output, config->files[i].path, error));
    for (size_t i = 0; i < session->gates.count; i++)
        if (session->gates.list[i].line > 0)
            PT_TRY(pt_outfile_spares(output, session->gates.list[i].file, error));
    return PT_OK;
}

void pt__run_unload(struct pt__run_session *session)
{
    pt_run_free(session->run);
    pt_config_free(session->config);
    pt_results_reader_free(session->rerun);
    pt_messages_fini(&session->messages);
    for (size_t i = 0; i < session->set_count; i++)
        free(session->sets[i]);
    free(session->sets);
    pt_seeds_fini(&session->seeds);
    free(session->directory);
    free(session->command_line);
}
