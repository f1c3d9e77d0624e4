#include "sim/cli/list_policies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "policies/registry.h"
#include "sim/cli/described.h"
#include "sim/experiment/config.h"
#include "sim/experiment/scalar.h"

/* ---- names ---- */

const char *pt__list_policies_name(size_t index)
{
    size_t orders = 0;
    while (pt_policies[orders])
        orders++;
    if (index < orders) return pt_policies[index]->name;
    for (size_t i = 0; pt_placements[i]; i++)
        if (i == index - orders) return pt_placements[i]->name;
    return NULL;
}

enum pt_status pt__list_policies_check(const char *name, struct pt_error *error)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, name, strlen(name));
    for (size_t i = 0; pt__list_policies_name(i); i++) {
        if (strcmp(pt__list_policies_name(i), name) == 0) return PT_OK;
        pt_suggest_offer(&near, pt__list_policies_name(i));
    }
    if (near.best)
        return pt_fail(error, PT_ERR_INPUT, "unknown policy '%.64s' (did you mean '%s'?)", name,
                       near.best);
    return pt_fail(error, PT_ERR_INPUT, "unknown policy '%.64s': 'partita list policies' names all",
                   name);
}

static bool is_wanted(const struct pt__names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0) return true;
    return names->count == 0;
}

/* ---- what the flags say ---- */

/* The parameters' defaults, the caller's to free; NULL when memory is out. */
static struct pt_value *defaults(const struct pt_param *params)
{
    size_t count = 0;
    while (params && params[count].name)
        count++;
    struct pt_value *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        const char *text = params[i].fallback;
        struct pt_error ignored;
        if (!text || (!text[0] && params[i].type != PT_PARAM_TEXT)) continue;
        if (pt_scalar_parse(&values[i], &params[i], text, strlen(text), &ignored) != PT_OK)
            values[i] = (struct pt_value){0};
    }
    return values;
}

/* The flags with every parameter at its default; and in `with` ("" = none) one choice of one
 * parameter that makes the policy work-conserving where the defaults do not. */
static unsigned flags_of(const struct pt_policy_ops *policy, char *with, size_t size)
{
    struct pt_value *values = policy->flags ? defaults(policy->params) : NULL;
    unsigned flags = values ? policy->flags(values) : 0;
    with[0] = '\0';
    for (size_t i = 0; values && policy->params && policy->params[i].name; i++) {
        const struct pt_param *param = &policy->params[i];
        int64_t usual = values[i].integer;
        if (param->type != PT_PARAM_CHOICE) continue;
        for (size_t c = 0; param->choices[c] && !with[0]; c++) {
            values[i].integer = (int64_t)c;
            if (!(flags & PT_POLICY_WORK_CONSERVING) &&
                policy->flags(values) & PT_POLICY_WORK_CONSERVING)
                snprintf(with, size, "%s: %s", param->name, param->choices[c]);
        }
        values[i].integer = usual;
    }
    free(values);
    return flags;
}

/* ---- JSON ---- */

static json_t *words_json(const char *words)
{
    json_t *list = json_array();
    while (words && *words) {
        size_t length = strcspn(words, ", ");
        json_array_append_new(list, json_stringn(words, length));
        words += length;
        words += strspn(words, ", ");
    }
    return list;
}

static json_t *order_json(const struct pt_policy_ops *policy)
{
    char with[96];
    unsigned flags = flags_of(policy, with, sizeof with);
    json_t *one =
        pt__described_json("order", policy->name, policy->summary, policy->source, policy->params);
    json_object_set_new(one, "columns", words_json(policy->columns));
    json_object_set_new(one, "preemption",
                        json_string(pt_preemption_mode_names[policy->preemption]));
    json_object_set_new(one, "work_conserving", json_boolean(flags & PT_POLICY_WORK_CONSERVING));
    json_object_set_new(one, "stops_nobody", json_boolean(flags & PT_POLICY_STOPS_NOBODY));
    json_object_set_new(one, "work_conserving_with", with[0] ? json_string(with) : json_null());
    json_object_set_new(one, "quotas", json_boolean(flags & PT_POLICY_QUOTAS));
    return one;
}

json_t *pt__list_policies_json(const struct pt__names *names)
{
    json_t *list = json_array();
    for (size_t i = 0; pt_policies[i]; i++)
        if (is_wanted(names, pt_policies[i]->name))
            json_array_append_new(list, order_json(pt_policies[i]));
    for (size_t i = 0; pt_placements[i]; i++)
        if (is_wanted(names, pt_placements[i]->name))
            json_array_append_new(list, pt__described_json("placement", pt_placements[i]->name,
                                                           pt_placements[i]->summary,
                                                           pt_placements[i]->source,
                                                           pt_placements[i]->params));
    return list;
}

/* ---- text ---- */

#define ORDERS "Orders: whose turn it is (policy: {name: ...})"
#define PLACEMENTS "Placements: where a job runs (policy: {placement: ...})"
#define EVERY "Every order takes placement: and preemption: too ('partita schema experiment')."

/* Words with commas between them, and blanks behind the commas. */
static void words_text(const char *label, const char *words)
{
    const char *gap = "";
    printf("      %s: ", label);
    while (*words) {
        size_t length = strcspn(words, ", ");
        printf("%s%.*s", gap, (int)length, words);
        gap = ", ";
        words += length;
        words += strspn(words, ", ");
    }
    putchar('\n');
}

static void order_text(const struct pt__terminal *terminal, const struct pt_policy_ops *policy)
{
    char with[96];
    unsigned flags = flags_of(policy, with, sizeof with);
    bool conserving = flags & PT_POLICY_WORK_CONSERVING;
    bool reads = policy->columns && policy->columns[0];
    pt__described_text(terminal, policy->name, policy->summary, policy->params);
    bool stays = flags & PT_POLICY_STOPS_NOBODY;
    printf("      work-conserving: %s%s%s; %s%s%s\n", conserving ? "yes" : "no",
           with[0] ? ", but yes with " : "", with,
           stays ? "stops nobody" : "preemption by default: ",
           stays ? "" : pt_preemption_mode_names[policy->preemption],
           flags & PT_POLICY_QUOTAS ? "; knows tenants' quotas" : "");
    if (reads) words_text("reads of the trace", policy->columns);
    if (policy->source) pt__described_line("source", policy->source);
}

static void placement_text(const struct pt__terminal *terminal,
                           const struct pt_placement_ops *placement)
{
    pt__described_text(terminal, placement->name, placement->summary, placement->params);
    if (placement->source) pt__described_line("source", placement->source);
}

static void all_in_full(const struct pt__terminal *terminal, const struct pt__names *names)
{
    if (names->count == 0) puts(ORDERS);
    for (size_t i = 0; pt_policies[i]; i++)
        if (is_wanted(names, pt_policies[i]->name)) order_text(terminal, pt_policies[i]);
    if (names->count == 0) puts("\n" PLACEMENTS);
    for (size_t i = 0; pt_placements[i]; i++)
        if (is_wanted(names, pt_placements[i]->name)) placement_text(terminal, pt_placements[i]);
    if (names->count == 0) puts("\n" EVERY);
}

static void all_in_short(const struct pt__terminal *terminal)
{
    puts(ORDERS);
    for (size_t i = 0; pt_policies[i]; i++)
        pt__described_short(terminal, pt_policies[i]->name, pt_policies[i]->summary,
                            pt_policies[i]->params);
    puts("\n" PLACEMENTS);
    for (size_t i = 0; pt_placements[i]; i++)
        pt__described_short(terminal, pt_placements[i]->name, pt_placements[i]->summary,
                            pt_placements[i]->params);
    puts("\n" EVERY);
    puts("What the parameters in brackets mean, and more: 'partita list policies NAME...' or "
         "--verbose.");
}

void pt__list_policies_text(const struct pt__terminal *terminal, const struct pt__names *names)
{
    if (names->count > 0 || terminal->verbose)
        all_in_full(terminal, names);
    else
        all_in_short(terminal);
}
