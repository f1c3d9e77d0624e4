#include "sim/experiment/describe.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "models/units/presets.h"
#include "policies/registry.h"
#include "sim/experiment/tables.h"

static char *json_of(const struct pt_schema *schema)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    pt_describe_json(stream, schema, NULL);
    cr_assert_eq(fclose(stream), 0);
    return text;
}

static char *keys_of(const struct pt_schema *schema, enum pt_describe_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    pt_describe_keys(stream, schema, format);
    cr_assert_eq(fclose(stream), 0);
    return text;
}

/* JSON is YAML in flow style: our own parser says whether it is well-formed. */
static void parse(struct pt_yaml *yaml, const char *text)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    pt_yaml_init(yaml);
    cr_assert_eq(pt_yaml_parse(yaml, "schema", text, strlen(text), &messages), PT_OK, "%s",
                 messages.list[0].error.message);
    pt_messages_fini(&messages);
}

static const struct pt_yaml_node *down(const struct pt_yaml_node *node, const char *const *path)
{
    for (; *path && node; path++)
        node = pt_yaml_get(node, *path);
    return node;
}

Test(describe, writes_well_formed_json_for_every_schema)
{
    const struct pt_schema *const schemas[] = {&pt_schema_experiment, &pt_schema_scenario,
                                               &pt_schema_catalog, &pt_schema_gates};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        char *text = json_of(schemas[i]);
        struct pt_yaml yaml;
        parse(&yaml, text);
        const struct pt_yaml_node *root = yaml.first_document;
        cr_assert_str_eq(pt_yaml_get(root, "$schema")->text,
                         "https://json-schema.org/draft/2020-12/schema");
        cr_assert_str_eq(pt_yaml_get(root, "additionalProperties")->text, "false");
        for (const struct pt_row *row = schemas[i]->rows; row->param.name; row++)
            cr_assert_not_null(pt_yaml_get(pt_yaml_get(root, "properties"), row->param.name));
        pt_yaml_fini(&yaml);
        free(text);
    }
}

Test(describe, says_types_ranges_and_what_is_required)
{
    static const char *const interval[] = {"properties", "metrics", "properties", "interval", NULL};
    static const char *const fault[] = {"properties", "retries", "properties", "fault", NULL};
    char *text = json_of(&pt_schema_experiment);
    struct pt_yaml yaml;
    parse(&yaml, text);
    const struct pt_yaml_node *root = yaml.first_document;
    const struct pt_yaml_node *required = pt_yaml_get(root, "required");
    cr_assert_eq(required->count, 3);
    cr_assert_str_eq(required->first->text, "partita");
    cr_assert_str_eq(required->first->next->text, "cluster");
    cr_assert_str_eq(required->last->text, "trace");
    const struct pt_yaml_node *row = down(root, interval);
    cr_assert_str_eq(pt_yaml_get(row, "default")->text, "60s");
    cr_assert_str_eq(pt_yaml_get(row, "description")->text, "of the series (s)");
    row = pt_yaml_get(down(root, fault), "anyOf");
    cr_assert_eq(row->count, 3);
    cr_assert_str_eq(pt_yaml_get(row->first, "type")->text, "integer");
    cr_assert_str_eq(pt_yaml_get(row->first, "minimum")->text, "0");
    cr_assert_str_eq(pt_yaml_get(row->last, "const")->text, "inf");
    pt_yaml_fini(&yaml);
    free(text);
}

Test(describe, has_a_branch_for_every_policy)
{
    static const char *const path[] = {"properties", "policy", "anyOf", NULL};
    char *text = json_of(&pt_schema_experiment);
    struct pt_yaml yaml;
    size_t count = 0;
    parse(&yaml, text);
    const struct pt_yaml_node *branches = down(yaml.first_document, path);
    while (pt_policies[count])
        count++;
    cr_assert_eq(branches->count, count + 1); /* and the short form */
    cr_assert_eq(pt_yaml_get(branches->first, "enum")->count, count);
    pt_yaml_fini(&yaml);
    free(text);
}

static bool has_branch(const struct pt_yaml_node *sharing, const char *key, const char *value,
                       const char *required)
{
    for (const struct pt_yaml_node *each = pt_yaml_get(sharing, "anyOf")->first; each;
         each = each->next) {
        const struct pt_yaml_node *named = pt_yaml_get(pt_yaml_get(each, "properties"), key);
        const struct pt_yaml_node *only = named ? pt_yaml_get(named, "const") : NULL;
        if (!only || strcmp(only->text, value) != 0) continue;
        for (const struct pt_yaml_node *one = pt_yaml_get(each, "required")->first; one;
             one = one->next)
            if (strcmp(one->text, required) == 0) return true;
    }
    return false;
}

Test(describe, has_a_branch_for_every_mode_and_preset)
{
    static const char *const path[] = {"properties", "cluster", "anyOf", NULL};
    static const char *const in[] = {"properties", "pools", "items", "properties", "sharing", NULL};
    char *text = json_of(&pt_schema_experiment);
    struct pt_yaml yaml;
    parse(&yaml, text);
    const struct pt_yaml_node *sharing = NULL;
    for (const struct pt_yaml_node *each = down(yaml.first_document, path)->first; each && !sharing;
         each = each->next)
        sharing = down(each, in);
    cr_assert(has_branch(sharing, "mode", "mps", "replicas"));
    cr_assert(has_branch(sharing, "mode", "vgpu", "mode"));
    for (size_t i = 0; pt_preset_names[i]; i++)
        cr_assert(has_branch(sharing, "preset", pt_preset_names[i], "preset"));
    cr_assert(has_branch(sharing, "preset", "k8s_mps", "replicas"));
    cr_assert_not(has_branch(sharing, "preset", "kai", "mode"));
    pt_yaml_fini(&yaml);
    free(text);
}

Test(describe, lists_every_key_in_markdown)
{
    char *text = keys_of(&pt_schema_experiment, PT_DESCRIBE_MARKDOWN);
    const char *const rows[] = {
        "| `partita` | a whole number, 1 | required | version of this format |\n",
        "| `seed` | a whole number, at least 0 | 0 | root of every random draw |\n",
        "| `cluster.gpus` | a whole number, 1 to 4096 | short form | ",
        "| `policy.blocking (fifo)` | a choice: strict, skip | strict | ",
        "| `sla.tiers.NAME.max_slowdown` | a number, 1 to inf | inf | ",
        "| `nodes[].down` | list of [from, to] | empty | ",
        "| `nodes[].down[].from` | a duration, at least 0 | required | ",
        "| `output.file` | a text | optional | ",
        "| `tenants` | list | empty | "};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_not_null(strstr(text, rows[i]), "%s", rows[i]);
    free(text);
}

Test(describe, lists_every_key_in_roff)
{
    char *text = keys_of(&pt_schema_experiment, PT_DESCRIBE_ROFF);
    cr_assert_not_null(strstr(text, ".TP\n\\fBseed\\fR (a whole number, at least 0; 0)\n"
                                    "root of every random draw\n"));
    cr_assert_not_null(strstr(text, "POOL\\-0"));
    cr_assert_not_null(strstr(text, "\\-\\-set"));
    free(text);
}

Test(describe, says_the_keys_of_expected_numbers_once)
{
    char *text = keys_of(&pt_schema_expect, PT_DESCRIBE_MARKDOWN);
    cr_expect_not_null(strstr(text, "| `jobs.NAME.start_s.min` | a number | optional | "));
    cr_expect_not_null(strstr(text, "| `jobs.NAME.end_s` | map | optional | "));
    cr_expect_null(strstr(text, "jobs.NAME.end_s.min"));
    cr_expect_null(strstr(text, "summary.NAME"));
    cr_expect_not_null(strstr(text, "| `always[].running_max` | "));
    free(text);
}
