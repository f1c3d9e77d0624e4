#include "sim/experiment/schema.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/group.h"
#include "sim/experiment/scalar.h"
#include "sim/experiment/tables.h"
#include "tests/unit/experiment/support.h"

Test(schema, reports_a_typo_with_its_place_line_and_suggestion)
{
    char *said = refusal("partita: 1\ncluster:\n  pools:\n    - name: a\n      nodes: 1\n"
                         "      gpus_per_node: 1\n      gpu: l40s\n      sharing:\n"
                         "        mode: time_slice\n        replcas: 4\n" JOB,
                         NULL);
    cr_assert_str_eq(said, "test.yaml:10:9: unknown key 'replcas' (did you mean 'replicas'?)\n"
                           "          replcas: 4\n          ^\n");
    free(said);
}

Test(schema, reports_everything_in_one_go_sorted_by_place)
{
    assert_refused("sed: 1\n"
                   "cluster: {pools: [{name: a, nodes: 0, gpus_per_node: x, gpu: h100},\n"
                   "                   {name: a, nodes: [1], gpu: l40s, sharing: exclusiv}]}\n"
                   "policy: {name: fifo, blocking: strct, placement: pck}\n"
                   "horizon: .nan\n"
                   "metrics: 5\n"
                   "tenants: {a: 1}\n"
                   "priorities: [a]\n"
                   "trace: {jobs: [{id: a, submit_s: -1, wrk_s: 5}, 7, {id: [b]}]}\n",
                   NULL,
                   "test.yaml:1:1: unknown key 'sed' (did you mean 'seed'?)\n"
                   "test.yaml:1:1: missing key 'partita'\n"
                   "test.yaml:2:36: nodes: '0' is too small: at least 1\n"
                   "test.yaml:2:54: gpus_per_node: 'x' is not a number\n"
                   "test.yaml:2:62: gpu: 'h100' is a family, name one of it: h100-sxm5-80gb, "
                   "h100-pcie-80gb, h100-nvl-94gb\n"
                   "test.yaml:3:20: missing key 'gpus_per_node'\n"
                   "test.yaml:3:27: a second pool with the name 'a' (first on line 2)\n"
                   "test.yaml:3:37: 'nodes' must be a whole number, not a list\n"
                   "test.yaml:3:62: unknown sharing mode 'exclusiv' (did you mean 'exclusive'?)\n"
                   "test.yaml:4:32: blocking: 'strct' is unknown (did you mean 'strict'?)\n"
                   "test.yaml:4:50: unknown placement 'pck' (did you mean 'pack'?)\n"
                   "test.yaml:5:10: horizon: '.nan' is not a duration (30, 500ms, 30s, 15min, 2h, "
                   "7d)\n"
                   "test.yaml:6:10: 'metrics' must be a map (key: value), not a single value\n"
                   "test.yaml:7:10: 'tenants' must be a list, not a map\n"
                   "test.yaml:8:13: 'priorities' must be a map (name: ...), not a list\n"
                   "test.yaml:9:34: submit_s is negative: '-1'\n"
                   "test.yaml:9:38: unknown key 'wrk_s' (did you mean 'work_s'?)\n"
                   "test.yaml:9:49: a job must be a map (id: a, submit_s: 0, ...), not a single "
                   "value\n"
                   "test.yaml:9:57: 'id' must be a single value, not a list\n");
}

Test(schema, keeps_the_first_twenty_and_counts_the_rest)
{
    char text[2000] = HEAD JOB;
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "wrong%d: 1\n", i);
    char *said = refusal(text, NULL);
    cr_assert_not_null(strstr(said, "unknown key 'wrong0' of experiment"));
    cr_assert_not_null(strstr(said, "unknown key 'wrong19' of experiment"));
    cr_assert_null(strstr(said, "wrong20"));
    cr_assert_not_null(strstr(said, "... and 10 more\n"));
    free(said);
}

Test(schema, says_what_it_wants_instead)
{
    assert_refused("", NULL,
                   "test.yaml:1:1: an experiment must be a map (key: value), not nothing\n");
    assert_refused("[1]", NULL,
                   "test.yaml:1:1: an experiment must be a map (key: value), not a list\n");
    assert_refused(HEAD JOB "seed:\n", NULL,
                   "test.yaml:4:6: 'seed' must be a whole number, not nothing\n");
    assert_refused(HEAD JOB "name: {a: 1}\n", NULL,
                   "test.yaml:4:7: 'name' must be a text, not a map\n");
    assert_refused(HEAD JOB "sla:\n", NULL,
                   "test.yaml:4:5: 'sla' must be a map (key: value), not nothing\n");
    assert_refused(HEAD JOB "policy:\n", NULL,
                   "test.yaml:4:8: 'policy' must be a map (key: value), not nothing\n");
    assert_refused(HEAD JOB "policy: {name: }\n", NULL,
                   "test.yaml:4:16: 'name' must be a text, not nothing\n");
    assert_refused(HEAD JOB "policy: {name: [fifo]}\n", NULL,
                   "test.yaml:4:16: 'name' must be a text, not a list\n");
    assert_refused(HEAD JOB "tenants: [acme]\n", NULL,
                   "test.yaml:4:11: a tenant must be a map (key: value), not a single value\n");
    assert_refused("partita: 2\ncluster: {gpus: 4}\n" JOB, NULL,
                   "test.yaml:1:10: format 2 is newer than this program (it knows 1)\n");
    assert_refused("partita: 1\ncluster: {pools: []}\n" JOB, NULL,
                   "test.yaml:2:18: 'pools' has 0 elements: at least 1\n");
    assert_refused(HEAD JOB "interference: fited\n", NULL,
                   "test.yaml:4:15: unknown interference model 'fited' (did you mean 'fitted'?)\n");
}

Test(schema, limits_the_number_of_pools)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fputs("partita: 1\n" JOB "cluster:\n  pools:\n", stream);
    for (int i = 0; i < 65; i++)
        fprintf(stream, "  - {name: p%d, nodes: 1, gpus_per_node: 1, gpu: l40s}\n", i);
    fclose(stream);
    assert_refused(text, NULL, "test.yaml:5:3: 'pools' has 65 elements: at most 64\n");
    free(text);
}

Test(schema, refuses_keys_that_belong_to_another_choice)
{
    assert_refused("partita: 1\n" JOB "cluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1, "
                   "gpu: l40s, sharing: {mode: exclusive, replicas: 2}}]}\n",
                   NULL,
                   "test.yaml:3:95: unknown key 'replicas' of sharing mode 'exclusive': "
                   "'time_slice', 'mps', 'vgpu' and 'fractional' have it\n");
}

Test(schema, checks_short_forms_before_it_writes_them_out)
{
    assert_refused("partita: 1\ncluster: {gpus: 0}\n" JOB, NULL,
                   "test.yaml:2:17: gpus: '0' is too small: at least 1\n");
    assert_refused("partita: 1\ncluster: {gpus: [2]}\n" JOB, NULL,
                   "test.yaml:2:17: 'gpus' must be a whole number, not a list\n");
    assert_refused("partita: 1\ncluster: {gpus: 2, pools: []}\n" JOB, NULL,
                   "test.yaml:2:11: 'gpus' stands for the whole cluster: no other keys beside "
                   "it\n");
}

Test(schema, checks_pairs_one_by_one)
{
    assert_refused(HEAD JOB "nodes: [{name: main-0, down: [[1], 3, [x, 2], [1, 2, 3]]}]\n", NULL,
                   "test.yaml:4:31: a down time must be a list of 2 values: [from, to]\n"
                   "test.yaml:4:36: a down time must be a list of 2 values: [from, to]\n"
                   "test.yaml:4:40: from: 'x' is not a duration (30, 500ms, 30s, 15min, 2h, 7d)\n"
                   "test.yaml:4:47: a down time must be a list of 2 values: [from, to]\n");
}

/* The schemas are data: a fault in them is a fault of every file. */
static void check_param(const char *owner, const struct pt_param *param)
{
    static const char *const texts[] = {"fallback", "min", "max"};
    const char *const values[] = {param->fallback, param->min, param->max};
    cr_assert_not_null(param->help, "%s.%s", owner, param->name);
    cr_assert_neq(param->help[0], '\0', "%s.%s", owner, param->name);
    cr_assert_eq(param->type == PT_PARAM_CHOICE, param->choices != NULL);
    for (int i = 0; i < 3 && param->type != PT_PARAM_TEXT; i++) {
        struct pt_value value;
        struct pt_error error = {.message = ""};
        if (!values[i] || (i == 0 && !values[i][0])) continue;
        struct pt_param rule = *param;
        if (i > 0 && strcmp(values[i], "inf") != 0) rule.min = rule.max = NULL;
        cr_assert_eq(pt_scalar_parse(&value, &rule, values[i], strlen(values[i]), &error), PT_OK,
                     "%s of %s.%s: '%s' %s", texts[i], owner, param->name, values[i],
                     error.message);
    }
}

/* Parameters of one map stand together, and a map of them fits struct pt_group. */
static void check_dots(const char *owner, const struct pt_param *params,
                       const struct pt_param *param)
{
    struct pt_group group;
    const char *key = pt_group_key(param);
    if (!key) return;
    cr_assert_null(strchr(key, '.'), "%s.%s has two dots", owner, param->name);
    size_t map = (size_t)(key - 1 - param->name);
    cr_assert_lt(map, sizeof group.name);
    const struct pt_param *first = param, *each = params;
    while (first > params && strncmp(first[-1].name, param->name, map + 1) == 0)
        first--;
    cr_assert_leq(pt_group_next(first) - first, PT_GROUP_MAX);
    for (; each->name; each++)
        cr_assert(strncmp(each->name, param->name, map + 1) != 0 ||
                      (each >= first && each < pt_group_next(first)),
                  "%s.%s stands apart", owner, each->name);
}

static void check_table(const struct pt_schema *schema)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        bool is_list = row->shape == PT_SHAPE_LIST || row->shape == PT_SHAPE_PAIRS;
        bool needs_child = is_list || row->shape == PT_SHAPE_MAP;
        if (row->shape == PT_SHAPE_SCALAR) check_param(schema->name, &row->param);
        cr_assert(!needs_child || row->child, "%s.%s", schema->name, row->param.name);
        cr_assert_eq(pt_schema_row(schema, row->param.name), row, "%s.%s twice", schema->name,
                     row->param.name);
        cr_assert_eq(row->expand != NULL, (row->flags & PT_ROW_SHORT) != 0);
        if (row->child) check_table(row->child);
    }
    if (schema->unique) cr_assert_not_null(pt_schema_row(schema, schema->unique));
    for (size_t i = 0; schema->pick && schema->pick->name(i); i++)
        for (const struct pt_param *param = schema->pick->params(i); param && param->name;
             param++) {
            check_dots(schema->pick->name(i), schema->pick->params(i), param);
            check_param(schema->pick->name(i), param);
            const struct pt_row *hidden = pt_schema_row(schema, param->name);
            cr_assert(!hidden || hidden->flags & PT_ROW_OPTIONAL, "%s.%s hides a key",
                      schema->pick->name(i), param->name);
        }
}

Test(schema, tables_keep_their_own_rules)
{
    check_table(&pt_schema_experiment);
    check_table(&pt_schema_scenario);
    check_table(&pt_schema_catalog);
    check_table(&pt_schema_gates);
}

/* ---- presets ---- */

#define SHARED(sharing)                                                                            \
    "partita: 1\n" JOB "cluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1, gpu: l40s, "       \
    "sharing: " sharing "}]}\n"

static void assert_effective(const char *text, const char *set, const char *sharing)
{
    const char *const sets[] = {set, NULL};
    struct pt_config *config = load(text, set ? sets : NULL);
    const char *from = strstr(config->effective_yaml, "    sharing:\n");
    cr_assert_not_null(from);
    cr_assert(strncmp(from, sharing, strlen(sharing)) == 0, "%s has\n%.300s", text, from);
    struct pt_config *again = load(config->effective_yaml, NULL);
    cr_assert_str_eq(again->effective_yaml, config->effective_yaml);
    pt_config_free(again);
    pt_config_free(config);
}

Test(schema, presets_stand_for_a_mode_and_its_keys)
{
    struct pt_config *config = load(SHARED("{preset: slurm_mps}"), NULL);
    const struct pt_pool *pool = &config->cluster.pools[0];
    cr_assert_str_eq(pool->unit->name, "fractional");
    cr_assert_eq(pool->shape.capacity, 100);
    cr_assert_eq(pool->shape.sharing, PT_SHARING_SMS);
    cr_assert(pool->shape.one_unit_only);
    pt_config_free(config);
    assert_effective(SHARED("{preset: hami}"), NULL,
                     "    sharing:\n      mode: fractional\n      preset: hami\n"
                     "      compute: time_slicing\n      strict: true\n      replicas: 100\n"
                     "      jobs_per_gpu: 10\n      memory: admit\n");
    assert_effective(SHARED("{preset: k8s_time_slicing, replicas: 4}"), NULL,
                     "    sharing:\n      mode: time_slice\n      preset: k8s_time_slicing\n"
                     "      replicas: 4\n");
}

Test(schema, keys_beside_a_preset_override_it)
{
    const char *const hami = "    sharing:\n      mode: fractional\n      preset: hami\n"
                             "      compute: sm_sharing\n      strict: true\n";
    assert_effective(SHARED("{compute: sm_sharing, preset: hami}"), NULL, hami);
    assert_effective(SHARED("{preset: hami, mode: fractional, compute: sm_sharing}"), NULL, hami);
    assert_effective(SHARED("{preset: hami}"), "cluster.pools[a].sharing.compute=sm_sharing", hami);
    assert_effective(SHARED("{preset: kai, compute: sm_sharing}"),
                     "cluster.pools[a].sharing.preset=hami", hami);
}

Test(schema, presets_are_checked)
{
    assert_refused(SHARED("{preset: hammi}"), NULL,
                   "test.yaml:3:86: preset: 'hammi' is unknown (did you mean 'hami'?)\n");
    assert_refused(SHARED("{preset: hami, mode: mps, replicas: 2}"), NULL,
                   "test.yaml:3:98: the preset is of sharing mode 'fractional', not 'mps'\n");
    assert_refused(SHARED("{preset: k8s_mps}"), NULL, "test.yaml:3:77: missing key 'replicas'\n");
    assert_refused(SHARED("{preset: k8s_mps, replicas: 2, strict: true}"), NULL,
                   "test.yaml:3:108: unknown key 'strict' of sharing mode 'mps': 'fractional' has "
                   "it\n");
    assert_refused(SHARED("kai"), NULL,
                   "test.yaml:3:77: unknown sharing mode 'kai' (did you mean preset: kai?)\n");
    assert_refused(SHARED("{preset: [kai]}"), NULL,
                   "test.yaml:3:86: 'preset' must be a choice, not a list\n");
}

Test(schema, a_mode_says_which_of_its_keys_is_wrong)
{
    assert_refused(SHARED("{mode: mps, replicas: 50}"), NULL,
                   "test.yaml:3:99: replicas: 50 are more than the 48 MPS clients that l40s takes "
                   "(60 with driver: r590)\n");
    assert_refused(SHARED("{mode: mps, replicas: 5}"), "cluster.pools[a].sharing.replicas=50",
                   "--set cluster.pools[a].sharing.replicas=50: replicas: 50 are more than the 48 "
                   "MPS clients that l40s takes (60 with driver: r590)\n");
    assert_refused(SHARED("{mode: vgpu}"), NULL,
                   "test.yaml:3:84: mode vgpu needs a type (such as l40s-10c) or replicas\n");
    assert_refused(SHARED("{mode: vgpu, type: 96q}"), NULL,
                   "test.yaml:3:96: type: '96q' needs 96 GB of frame buffer, l40s has 48\n");
    assert_refused(
        SHARED("exclusive"), "cluster.pools[a].sharing.replcas=2",
        "--set cluster.pools[a].sharing.replcas=2: unknown key 'replcas' of sharing mode "
        "'exclusive' (did you mean 'replicas'? 'time_slice', 'mps', 'vgpu' and "
        "'fractional' have it)\n");
}
