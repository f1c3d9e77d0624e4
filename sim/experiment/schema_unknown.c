/* Keys and names that the schema does not know, and what was probably meant. */
#include <stdio.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/group.h"
#include "sim/experiment/schema_parts.h"

/* The names of a pick that have this key, as text: "'a', 'b' and 'c'"; "" = none has it. */
static unsigned owners(const struct pt_pick *pick, const char *key, char *text, size_t size)
{
    unsigned count = 0, told = 0;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; pick && pick->name(i); i++)
        if (pt_schema_param(pick->params(i), key)) count++;
    for (size_t i = 0; pick && pick->name(i) && used < size; i++) {
        if (!pt_schema_param(pick->params(i), key)) continue;
        const char *gap = told == 0 ? "" : told + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", gap, pick->name(i));
        told++;
    }
    return count;
}

/* Offers the keys of a table of parameters. */
static void offer_params(struct pt_suggestion *near, struct pt_yaml *yaml,
                         const struct pt_param *params)
{
    for (const struct pt_param *param = params; param && param->name;
         param = pt_group_next(param)) {
        const char *key = param->name;
        if (pt_group_key(param))
            key = pt_arena_text(&yaml->arena, key, (size_t)(pt_group_key(param) - 1 - key));
        pt_suggest_offer(near, key);
    }
}

static const char *nearest_key(struct pt_yaml *yaml, const struct pt_schema *schema,
                               const struct pt_param *params, const char *key)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, key, strlen(key));
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        pt_suggest_offer(&near, row->param.name);
    offer_params(&near, yaml, params);
    if (near.best) return near.best;
    for (; params && params->name; params++) /* a key of a map of parameters, but not in it */
        if (pt_group_key(params) && strcmp(pt_group_key(params), key) == 0) return params->name;
    return NULL;
}

static const char *nearest_of_others(struct pt_yaml *yaml, const struct pt_pick *pick,
                                     const char *key)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, key, strlen(key));
    for (size_t i = 0; pick && pick->name(i); i++)
        offer_params(&near, yaml, pick->params(i));
    return near.best;
}

void pt_schema_unknown_key(struct pt_error *error, struct pt_yaml *yaml,
                           const struct pt_schema *schema, const struct pt_yaml_node *map,
                           const char *key)
{
    char names[400]; /* all orders that share a key */
    const struct pt_pick *pick = schema->pick;
    const struct pt_param *params = pt_schema_params(schema, map);
    const char *chosen = pick ? pt__schema_pick_name(schema, map) : NULL;
    const char *near = nearest_key(yaml, schema, params, key);
    const char *others = near ? NULL : nearest_of_others(yaml, pick, key);
    unsigned count = owners(pick, key, names, sizeof names);
    for (const struct pt_param *param = params; param && param->name; param++) {
        if (strcmp(param->name, key) != 0) continue;
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s': write %.*s: {%s: ...}", key,
                      (int)strcspn(key, "."), key, pt_group_key(param));
        return;
    }
    if (count > 0 && chosen)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' of %s '%s': %s %s it", key,
                      pick->noun, chosen, names, count > 1 ? "have" : "has");
    else if (count > 0)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s': %s %s %s it", key, pick->noun,
                      names, count > 1 ? "have" : "has");
    else if (near)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' (did you mean '%s'?)", key, near);
    else if (others && chosen) {
        count = owners(pick, others, names, sizeof names);
        (void)pt_fail(error, PT_ERR_INPUT,
                      "unknown key '%.64s' of %s '%s' (did you mean '%s'? %s %s it)", key,
                      pick->noun, chosen, others, names, count > 1 ? "have" : "has");
    } else
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' of %s", key, schema->name);
}

bool pt__schema_is_known_key(const struct pt_schema *schema, const struct pt_param *params,
                             const char *key)
{
    return pt_schema_param(params, key) || pt_schema_row(schema, key);
}

/* A missing key that is there but misspelt is one mistake, not two. */
void pt__schema_missing_key(struct pt__checker *checker, const struct pt_schema *schema,
                            const struct pt_yaml_node *raw, const char *key)
{
    const struct pt_param *params = pt_schema_params(schema, raw);
    for (const struct pt_yaml_node *child = raw->first; child; child = child->next) {
        if (pt__schema_is_known_key(schema, params, child->key)) continue;
        const char *near = nearest_key(checker->yaml, schema, params, child->key);
        if (near && strcmp(near, key) == 0) return;
    }
    PT__SAY(checker, raw->place, "missing key '%s'", key);
}

/* The key whose presets have this name, or NULL. */
static const char *preset_key(const struct pt_schema *schema, const char *name)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        for (size_t i = 0; row->presets && row->presets->name(i); i++)
            if (strcmp(row->presets->name(i), name) == 0) return row->param.name;
    return NULL;
}

void pt__schema_unknown_pick(struct pt__checker *checker, const struct pt_schema *schema,
                             const struct pt_yaml_node *chosen)
{
    const struct pt_pick *pick = schema->pick;
    const char *preset = preset_key(schema, chosen->text);
    char known[256] = "";
    size_t used = 0;
    struct pt_suggestion near;
    pt_suggest_begin(&near, chosen->text, chosen->length);
    for (size_t i = 0; pick->name(i); i++) {
        pt_suggest_offer(&near, pick->name(i));
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                     pick->name(i));
    }
    if (preset)
        PT__SAY(checker, chosen->place, "unknown %s '%.64s' (did you mean %s: %s?)", pick->noun,
                chosen->text, preset, chosen->text);
    else if (near.best)
        PT__SAY(checker, chosen->place, "unknown %s '%.64s' (did you mean '%s'?)", pick->noun,
                chosen->text, near.best);
    else
        PT__SAY(checker, chosen->place, "unknown %s '%.64s' (known: %s)", pick->noun, chosen->text,
                known);
}
