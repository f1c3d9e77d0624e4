#include "models/units/presets.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "tests/unit/models/modes.h"

static bool has_param(const struct pt_unit_ops *unit, const char *key)
{
    for (const struct pt_param *param = unit->params; param->name; param++)
        if (strcmp(param->name, key) == 0) return true;
    return false;
}

/* The preset's values as text; what the mode must be told besides comes first. */
static void write_params(char *out, size_t size, const struct pt_preset *preset)
{
    bool counted = strncmp(preset->name, "k8s_", 4) == 0;
    int used = snprintf(out, size, "%s", counted ? "replicas=4" : "");
    for (size_t i = 0; i < PT_PRESET_VALUES_MAX && preset->values[i].key; i++)
        used += snprintf(out + used, size - (size_t)used, " %s=%s", preset->values[i].key,
                         preset->values[i].value);
}

static void make(struct mode *mode, const char *name)
{
    char params[256];
    const struct pt_preset *preset = pt_preset_find(name);
    cr_assert_not_null(preset, "%s", name);
    write_params(params, sizeof params, preset);
    mode_must(mode, preset->mode, &rig_h100, params);
}

Test(presets, are_parameters_of_their_modes)
{
    size_t count = 0;
    for (const struct pt_preset *preset = pt_presets; preset->name; preset++, count++) {
        const struct pt_unit_ops *unit = pt_unit_find(preset->mode);
        struct mode mode;
        cr_assert_str_eq(pt_preset_names[count], preset->name);
        cr_assert_not_null(unit, "%s", preset->name);
        cr_assert_gt(strlen(preset->summary), 20);
        cr_assert_gt(strlen(preset->source), 5);
        for (size_t i = 0; i < PT_PRESET_VALUES_MAX && preset->values[i].key; i++)
            cr_assert(has_param(unit, preset->values[i].key), "%s.%s", preset->name,
                      preset->values[i].key);
        make(&mode, preset->name);
        cr_assert_str_eq(pt_preset_value(preset, "mode"), preset->mode);
        cr_assert_null(pt_preset_value(preset, "no such key"));
    }
    cr_assert_null(pt_preset_names[count]);
    cr_assert_null(pt_preset_find("no such preset"));
}

Test(presets, shards_are_counted_and_not_limited)
{
    struct mode mode;
    struct pt_need need;
    struct pt_ask ask = {500000, PT_NONE, 1, 2, NULL};
    make(&mode, "slurm_shard");
    cr_assert(mode.shape.memory_oom);
    cr_assert_eq(mode.ops->need(&need, &mode.shape, &ask), PT_REASON_MORE_THAN_ONE);
    mode_must(&mode, "fractional", &rig_h100, "compute=none memory=unchecked replicas=8");
    cr_assert_eq(mode_need(&need, &mode, 130000, 70000, 1), PT_REASON_NONE);
    cr_assert_eq(need.capacity, 2); /* 0.13 of 8 shards is more than one */
}

Test(presets, products_differ_in_what_they_enforce)
{
    static const struct {
        const char *name;
        enum pt_sharing sharing;
        bool strict, admits, one_only;
    } expected[] = {{"kai", PT_SHARING_TURNS, true, true, false},
                    {"runai_strict", PT_SHARING_CAPPED_TURNS, true, true, false},
                    {"runai_fair", PT_SHARING_CAPPED_TURNS, false, true, false},
                    {"hami", PT_SHARING_CAPPED_TURNS, true, true, false},
                    {"slurm_shard", PT_SHARING_TURNS, true, false, true},
                    {"slurm_mps", PT_SHARING_SMS, true, false, true},
                    {"k8s_time_slicing", PT_SHARING_TURNS, false, false, false},
                    {"k8s_mps", PT_SHARING_SMS, false, true, true}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct mode mode;
        make(&mode, expected[i].name);
        cr_assert_eq(mode.shape.sharing, expected[i].sharing, "%s", expected[i].name);
        cr_assert_eq(mode.shape.strict, expected[i].strict, "%s", expected[i].name);
        cr_assert_eq(mode.shape.memory_admits, expected[i].admits, "%s", expected[i].name);
        cr_assert_eq(mode.shape.one_unit_only, expected[i].one_only, "%s", expected[i].name);
    }
}
