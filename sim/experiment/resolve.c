#include "sim/experiment/resolve.h"

#include <stdio.h>
#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "traces/locate.h"

/* "unknown tier 'gould' (did you mean 'gold'?)" */
static enum pt_status unknown(struct pt_error *error, const char *noun, const char *word,
                              size_t length, const char *near)
{
    if (near)
        return pt_fail(error, PT_ERR_INPUT, "unknown %s '%.*s' (did you mean '%s'?)", noun,
                       (int)(length < 64 ? length : 64), word, near);
    return pt_fail(error, PT_ERR_INPUT, "unknown %s '%.*s'", noun, (int)(length < 64 ? length : 64),
                   word);
}

enum pt_status pt_resolve_tier(uint32_t *tier, const struct pt_config *config, const char *name,
                               struct pt_error *error)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, name, strlen(name));
    for (uint32_t i = 0; i < config->tier_count; i++) {
        if (strcmp(config->tiers[i].name, name) == 0) {
            *tier = i;
            return PT_OK;
        }
        pt_suggest_offer(&near, config->tiers[i].name);
    }
    *tier = PT_NONE;
    if (strcmp(name, "default") == 0) return PT_OK;
    return unknown(error, "SLA tier", name, strlen(name), near.best);
}

enum pt_status pt_resolve_priority(struct pt_rank *rank, const struct pt_config *config,
                                   const char *name, struct pt_error *error)
{
    struct pt_error ignored;
    struct pt_suggestion near;
    pt_suggest_begin(&near, name, strlen(name));
    for (uint32_t i = 0; i < config->priority_count; i++) {
        if (strcmp(config->priorities[i].name, name) == 0) {
            *rank = config->priorities[i].rank;
            return PT_OK;
        }
        pt_suggest_offer(&near, config->priorities[i].name);
    }
    *rank = (struct pt_rank){.value = 0, .preempts = true, .preemptible = true};
    if (pt_parse_int(&rank->value, name, strlen(name), INT64_MIN, INT64_MAX, &ignored) == PT_OK)
        return PT_OK;
    rank->value = 0;
    return unknown(error, "priority class", name, strlen(name), near.best);
}

static enum pt_status check_pool(const struct pt_config *config, const char *word,
                                 struct pt_error *error)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, word, strlen(word));
    for (uint32_t i = 0; i < config->cluster.pool_count; i++) {
        if (strcmp(config->cluster.pools[i].name, word) == 0) return PT_OK;
        pt_suggest_offer(&near, config->cluster.pools[i].name);
    }
    return unknown(error, "pool", word, strlen(word), near.best);
}

/* Models and families with a bar between them: each must be in the catalogue. */
static enum pt_status check_gpu_type(const struct pt_config *config, const char *word,
                                     struct pt_error *error)
{
    for (;;) {
        size_t length = strcspn(word, "|");
        if (!pt_catalog_knows(config->catalog, word, length))
            return unknown(error, "GPU type", word, length,
                           pt_catalog_suggest(config->catalog, word, length, true));
        if (word[length] == '\0') return PT_OK;
        word += length + 1;
    }
}

/* A profile of some GPU of the catalogue, though perhaps of none in the cluster. */
static enum pt_status check_mig(const struct pt_config *config, const char *word,
                                struct pt_error *error)
{
    struct pt_suggestion near;
    if (strcmp(word, "auto") == 0) return PT_OK;
    pt_suggest_begin(&near, word, strlen(word));
    pt_suggest_offer(&near, "auto");
    for (uint32_t g = 0; g < config->catalog->count; g++) {
        const struct pt_mig *mig = config->catalog->gpus[g].mig;
        if (!mig) continue;
        if (pt_mig_find(mig, word) != PT_NONE) return PT_OK;
        for (uint32_t i = 0; i < mig->profile_count; i++)
            pt_suggest_offer(&near, mig->profiles[i].name);
    }
    return unknown(error, "MIG profile", word, strlen(word), near.best);
}

static enum pt_status check_profile(const struct pt_config *config, const char *word,
                                    struct pt_error *error)
{
    struct pt_suggestion near;
    if (pt_profiles_find(&config->profiles, word) != PT_NONE) return PT_OK;
    pt_suggest_begin(&near, word, strlen(word));
    for (uint32_t i = 0; i < config->profiles.type_count; i++)
        pt_suggest_offer(&near, config->profiles.type_names[i]);
    return unknown(error, "profile", word, strlen(word), near.best);
}

enum pt_status pt_resolve_word(const struct pt_config *config, enum pt_column_id column,
                               const char *word, struct pt_error *error)
{
    uint32_t tier;
    struct pt_rank rank;
    switch (column) {
    case PT_COL_POOL:
        return check_pool(config, word, error);
    case PT_COL_GPU_TYPE:
        return check_gpu_type(config, word, error);
    case PT_COL_MIG:
        return check_mig(config, word, error);
    case PT_COL_SLA:
        return pt_resolve_tier(&tier, config, word, error);
    case PT_COL_PRIORITY:
        return pt_resolve_priority(&rank, config, word, error);
    case PT_COL_PROFILE:
        return check_profile(config, word, error);
    default:
        return PT_OK;
    }
}

struct words {
    struct pt_resolved *resolved;
    const struct pt_config *config;
    const struct pt_trace *trace;
    struct pt_messages *messages;
    bool wrong, no_memory;
};

/* The word's error, with the first job that uses it and its line. */
static void say_word(struct words *words, enum pt_column_id column, uint32_t word,
                     const struct pt_error *why)
{
    const struct pt_trace *trace = words->trace;
    const uint32_t *cells = trace->column[column];
    char buffer[PT_ID_BUFFER];
    struct pt_error error;
    pt_job job = 0;
    while (cells && job < trace->job_count && cells[job] != word)
        job++;
    if (!cells || job == trace->job_count) return; /* a word of a row that was dropped */
    uint32_t line = pt_trace_line(trace, trace->origin ? trace->origin[job] : job);
    const char *path = words->config->trace.path, *name = pt_columns[column].name;
    /* not for the thousandth: the file is read again to find the cell */
    bool shown = words->messages->count < PT_MESSAGES_MAX;
    uint32_t at = shown ? pt_locate_cell(path, line, name, strlen(name)) : 0;
    (void)pt_fail_at(&error, PT_ERR_INPUT, path, line, at, "job '%.64s': %s",
                     pt_trace_id(trace, job, buffer), why->message);
    pt_messages_add(words->messages, false, &error, NULL, 0);
    words->wrong = true;
}

static void *room(struct words *words, size_t count, size_t size)
{
    void *memory = pt_arena_alloc(&words->resolved->arena, count, size);
    if (!memory) words->no_memory = true;
    return memory;
}

static void check_words(struct words *words, enum pt_column_id column)
{
    const struct pt_words *dictionary = &words->trace->words[column];
    struct pt_error error;
    for (uint32_t i = 0; i < dictionary->count; i++)
        if (pt_resolve_word(words->config, column, dictionary->words[i], &error) != PT_OK)
            say_word(words, column, i, &error);
}

static void resolve_sla(struct words *words)
{
    const struct pt_words *dictionary = &words->trace->words[PT_COL_SLA];
    struct pt_error error;
    if (dictionary->count == 0) return;
    uint32_t *tiers = room(words, dictionary->count, sizeof *tiers);
    if (!tiers) return;
    for (uint32_t i = 0; i < dictionary->count; i++)
        if (pt_resolve_tier(&tiers[i], words->config, dictionary->words[i], &error) != PT_OK)
            say_word(words, PT_COL_SLA, i, &error);
    words->resolved->tier_of_sla_word = tiers;
}

static void resolve_priorities(struct words *words)
{
    const struct pt_words *dictionary = &words->trace->words[PT_COL_PRIORITY];
    struct pt_error error;
    if (dictionary->count == 0) return;
    int64_t *values = room(words, dictionary->count, sizeof *values);
    struct pt_rank *ranks = room(words, dictionary->count, sizeof *ranks);
    if (!values || !ranks) return;
    for (uint32_t i = 0; i < dictionary->count; i++) {
        if (pt_resolve_priority(&ranks[i], words->config, dictionary->words[i], &error) != PT_OK)
            say_word(words, PT_COL_PRIORITY, i, &error);
        values[i] = ranks[i].value;
    }
    words->resolved->priority_of_word = values;
    words->resolved->rank_of_word = ranks;
}

static uint32_t find_tenant(const struct pt_config *config, const char *name)
{
    for (uint32_t i = 0; i < config->tenant_count; i++)
        if (strcmp(config->tenants[i].name, name) == 0) return i;
    return PT_NONE;
}

/* What the experiment says of a tenant; nothing of one that only the trace names. */
static struct pt_tenant_facts facts_of(const struct pt_tenant *tenant)
{
    return (struct pt_tenant_facts){.name = tenant->name,
                                    .parent = tenant->parent,
                                    .weight = tenant->weight,
                                    .over_quota_weight = tenant->over_quota_weight,
                                    .priority = tenant->rank.value,
                                    .quota = tenant->quota,
                                    .limit = tenant->limit,
                                    .borrowing_limit = tenant->borrowing_limit,
                                    .lending_limit = tenant->lending_limit};
}

/* The arrays by tenant, with room for all. */
struct by_tenant {
    const char **names;
    double *weights;
    uint32_t *tiers;
    int64_t *priorities;
    struct pt_rank *ranks;
    struct pt_tenant_facts *facts;
    uint32_t count;
};

static void add_tenant(struct by_tenant *all, const struct pt_tenant *tenant)
{
    uint32_t i = all->count++;
    all->names[i] = tenant->name;
    all->weights[i] = tenant->weight;
    all->tiers[i] = tenant->tier;
    all->priorities[i] = tenant->rank.value;
    all->ranks[i] = tenant->rank;
    all->facts[i] = facts_of(tenant);
}

static void resolve_tenants(struct words *words)
{
    struct pt_resolved *resolved = words->resolved;
    const struct pt_config *config = words->config;
    const struct pt_words *dictionary = &words->trace->words[PT_COL_TENANT];
    size_t most = (size_t)config->tenant_count + dictionary->count;
    struct by_tenant all = {.names = room(words, most, sizeof(char *)),
                            .weights = room(words, most, sizeof(double)),
                            .tiers = room(words, most, sizeof(uint32_t)),
                            .priorities = room(words, most, sizeof(int64_t)),
                            .ranks = room(words, most, sizeof(struct pt_rank)),
                            .facts = room(words, most, sizeof(struct pt_tenant_facts))};
    uint32_t *of_word = room(words, dictionary->count, sizeof *of_word);
    if (words->no_memory) return;
    for (uint32_t i = 0; i < config->tenant_count; i++)
        add_tenant(&all, &config->tenants[i]);
    for (uint32_t i = 0; i < dictionary->count; i++) {
        struct pt_tenant tenant = pt_tenant_undeclared(dictionary->words[i]);
        of_word[i] = find_tenant(config, tenant.name);
        if (of_word[i] != PT_NONE) continue;
        of_word[i] = all.count;
        add_tenant(&all, &tenant);
    }
    resolved->tenant_count = all.count;
    resolved->tenant_names = all.names;
    resolved->tenant_weights = all.weights;
    resolved->tier_of_tenant = all.tiers;
    resolved->priority_of_tenant = all.priorities;
    resolved->rank_of_tenant = all.ranks;
    resolved->tenants = all.facts;
    resolved->tenant_of_word = dictionary->count > 0 ? of_word : NULL;
}

/* Warns of a tenant of the experiment that no job has: more likely misspelt than meant. */
static void warn_of_idle(struct words *words, const struct pt_tenant *tenant)
{
    const struct pt_words *dictionary = &words->trace->words[PT_COL_TENANT];
    struct pt_suggestion near;
    struct pt_error error;
    char hint[PT_SUGGEST_MAX + 32] = "";
    pt_suggest_begin(&near, tenant->name, strlen(tenant->name));
    for (uint32_t i = 0; i < dictionary->count; i++)
        if (find_tenant(words->config, dictionary->words[i]) == PT_NONE)
            pt_suggest_offer(&near, dictionary->words[i]);
    if (near.best) snprintf(hint, sizeof hint, " (did you mean '%s'?)", near.best);
    (void)pt_fail_at(&error, PT_ERR_INPUT, tenant->place.file, tenant->place.line,
                     tenant->place.column, "no job of the trace has the tenant '%.64s'%s",
                     tenant->name, hint);
    pt_messages_add(words->messages, true, &error, NULL, 0);
}

static void find_idle_tenants(struct words *words)
{
    const struct pt_config *config = words->config;
    const uint32_t *of_word = words->resolved->tenant_of_word;
    bool *has_jobs = room(words, words->resolved->tenant_count, sizeof *has_jobs);
    if (!has_jobs) return;
    for (pt_job job = 0; job < words->trace->job_count; job++) {
        uint32_t word = pt_trace_u32(words->trace, PT_COL_TENANT, job);
        has_jobs[word == PT_NONE || !of_word ? 0 : of_word[word]] = true;
    }
    for (uint32_t i = 1; i < config->tenant_count; i++) /* `default` need not have any */
        if (!has_jobs[i] && !config->tenants[i].has_children)
            warn_of_idle(words, &config->tenants[i]);
    words->resolved->tenant_has_jobs = has_jobs;
}

static void copy_tiers(struct words *words)
{
    const struct pt_config *config = words->config;
    struct pt_sla_bounds *tiers = room(words, config->tier_count, sizeof *tiers);
    if (!tiers) return;
    for (uint32_t i = 0; i < config->tier_count; i++)
        tiers[i] =
            (struct pt_sla_bounds){.name = config->tiers[i].name,
                                   .max_slowdown = config->tiers[i].max_slowdown,
                                   .max_jct_increase = config->tiers[i].max_jct_increase,
                                   .max_sharing_increase = config->tiers[i].max_sharing_increase,
                                   .max_wait_ns = config->tiers[i].max_wait_ns,
                                   .max_jct_ns = config->tiers[i].max_jct_ns};
    words->resolved->tiers = tiers;
}

enum pt_status pt_resolve(struct pt_resolved *resolved, const struct pt_config *config,
                          const struct pt_trace *trace, struct pt_messages *messages)
{
    struct words words = {
        .resolved = resolved, .config = config, .trace = trace, .messages = messages};
    *resolved = (struct pt_resolved){0};
    resolve_tenants(&words);
    if (!words.no_memory) find_idle_tenants(&words);
    copy_tiers(&words);
    resolve_sla(&words);
    resolve_priorities(&words);
    check_words(&words, PT_COL_POOL);
    check_words(&words, PT_COL_GPU_TYPE);
    check_words(&words, PT_COL_MIG);
    check_words(&words, PT_COL_PROFILE);
    if (words.no_memory) {
        struct pt_error error;
        enum pt_status status = pt_fail(&error, PT_ERR_MEMORY, "out of memory");
        pt_messages_add(messages, false, &error, NULL, 0);
        return status;
    }
    return words.wrong ? PT_ERR_INPUT : PT_OK;
}

void pt_resolved_fini(struct pt_resolved *resolved)
{
    pt_arena_fini(&resolved->arena);
    *resolved = (struct pt_resolved){0};
}

int64_t pt_resolved_priority(const struct pt_resolved *resolved, const struct pt_trace *trace,
                             pt_job job)
{
    uint32_t word = pt_trace_u32(trace, PT_COL_PRIORITY, job);
    if (word != PT_NONE && resolved->priority_of_word) return resolved->priority_of_word[word];
    uint32_t tenant = pt_trace_u32(trace, PT_COL_TENANT, job);
    if (tenant == PT_NONE || !resolved->tenant_of_word) return resolved->priority_of_tenant[0];
    return resolved->priority_of_tenant[resolved->tenant_of_word[tenant]];
}
