#include "sim/cli/list_models.h"

#include <math.h>
#include <stdio.h>

#include "models/profiles/profiles.h"
#include "models/registry.h"
#include "models/units/presets.h"
#include "sim/cli/described.h"

/* Coefficients that no mode or model has as a parameter of its own. */
static const struct {
    const char *name, *value, *unit, *source;
} coefficients[] = {
    {"relative speed, compute", "ratio of FP16 TFLOP/s", "", "assumed where not measured"},
    {"relative speed, bandwidth", "ratio of GB/s", "", "assumed where not measured"},
    {"relative speed, mixed", "geometric mean of both", "", "assumed where not measured"},
    {"relative speed, light", "1 + 0.3 (mixed - 1)", "", "assumed"},
    {"mix heavy", "ln u ~ N(-0.40, 0.33), ln kappa ~ N(0, 0.58), correlation 0.47", "",
     "fit to Gavel's V100 pairs"},
    {"mix light", "ln u ~ N(-1.4, 0.8), ln kappa ~ N(0, 0.44), correlation -0.54", "",
     "fit to Lucid's RTX 3090 pairs (figures only)"},
    {"mix saturated", "ln u ~ N(-0.05, 0.15), ln kappa ~ N(0, 0.30), correlation 0.08", "",
     "fit to Gavel's K80 pairs"},
    {"p of training, batch", "2", "", "fit to MISO's slices"},
    {"p of inference, interactive", "4", "", "fit to ParvaGPU's slices"},
    {"power of idle contexts", "35", "W", "above bare idle; A100 (assumed elsewhere)"},
    {"power in use", "limit x (0.12 + 0.56 u_sm + 0.48 u_mem), at most the limit", "W",
     "fit on A100 (assumed elsewhere)"},
    {"cold start of llm-* profiles", "60", "s", "LLM servers, 50 to 100 s; else 0"},
    {"preset cuda_checkpoint", "3.8 + 0.25 / GiB", "s", "cuda-checkpoint measured; restore"},
};

enum { COEFFICIENTS = sizeof coefficients / sizeof coefficients[0] };

static const char none_summary[] =
    "textbook equal shares: nobody slows his neighbours down but by taking a share";

/* ---- models ---- */

static json_t *preset_json(const struct pt_preset *preset)
{
    json_t *values = json_object();
    for (size_t i = 0; i < PT_PRESET_VALUES_MAX && preset->values[i].key; i++)
        json_object_set_new(values, preset->values[i].key, json_string(preset->values[i].value));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "kind", "preset", "name", preset->name,
                     "summary", preset->summary, "source", preset->source, "mode", preset->mode,
                     "values", values);
}

json_t *pt__list_models_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; pt_units[i]; i++)
        json_array_append_new(list, pt__described_json("sharing mode", pt_units[i]->name,
                                                       pt_units[i]->summary, pt_units[i]->source,
                                                       pt_units[i]->params));
    for (const struct pt_preset *preset = pt_presets; preset->name; preset++)
        json_array_append_new(list, preset_json(preset));
    for (size_t i = 0; pt_interference_models[i]; i++) {
        const struct pt_interference_ops *model = pt_interference_models[i];
        json_array_append_new(list, pt__described_json("interference", model->name, model->summary,
                                                       model->source, model->params));
    }
    json_array_append_new(
        list, pt__described_json("interference", "none", none_summary, "by definition", NULL));
    for (size_t i = 0; i < COEFFICIENTS; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", "coefficient",
                                              "name", coefficients[i].name, "value",
                                              coefficients[i].value, "unit", coefficients[i].unit,
                                              "source", coefficients[i].source));
    return list;
}

static void source_line(const char *source)
{
    if (source && source[0]) pt__described_line("source", source);
}

static void head(const struct pt__terminal *terminal, const char *text)
{
    printf("%s%s%s\n", pt__style(terminal->color_out, PT__CYAN), text,
           pt__style(terminal->color_out, PT__PLAIN));
}

static void presets_text(const struct pt__terminal *terminal)
{
    for (const struct pt_preset *preset = pt_presets; preset->name; preset++) {
        pt__described_text(terminal, preset->name, preset->summary, NULL);
        printf("      = mode: %s", preset->mode);
        for (size_t i = 0; i < PT_PRESET_VALUES_MAX && preset->values[i].key; i++)
            printf(", %s: %s", preset->values[i].key, preset->values[i].value);
        putchar('\n');
        source_line(preset->source);
    }
}

void pt__list_models_text(const struct pt__terminal *terminal)
{
    head(terminal, "Sharing modes: what a GPU offers (sharing: {mode: ...})");
    for (size_t i = 0; pt_units[i]; i++) {
        pt__described_text(terminal, pt_units[i]->name, pt_units[i]->summary, pt_units[i]->params);
        source_line(pt_units[i]->source);
    }
    head(terminal, "\nPresets: sharing as products do it (sharing: {preset: ...})");
    presets_text(terminal);
    head(terminal, "\nInterference: how neighbours slow each other down (interference: {model: "
                   "...})");
    for (size_t i = 0; pt_interference_models[i]; i++) {
        const struct pt_interference_ops *model = pt_interference_models[i];
        pt__described_text(terminal, model->name, model->summary, model->params);
        source_line(model->source);
    }
    pt__described_text(terminal, "none", none_summary, NULL);
    head(terminal, "\nCoefficients beside these");
    for (size_t i = 0; i < COEFFICIENTS; i++)
        printf("  %s%s%s: %s%s%s\n      source: %s\n", pt__style(terminal->color_out, PT__BOLD),
               coefficients[i].name, pt__style(terminal->color_out, PT__PLAIN),
               coefficients[i].value, coefficients[i].unit[0] ? " " : "", coefficients[i].unit,
               coefficients[i].source);
}

/* ---- profiles ---- */

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *profile_json(const struct pt_profile *row)
{
    json_t *one =
        json_pack("{s:s, s:o, s:s, s:f, s:f}", "name", row->name, "gpu", text_or_null(row->gpu),
                  "law", pt_law_name(row->law), "u", row->u, "kappa", row->kappa);
    json_object_set_new(one, "p", row->p ? json_integer(row->p) : json_null());
    json_object_set_new(one, "busy", number(row->busy));
    json_object_set_new(one, "membw", json_real(row->membw));
    json_object_set_new(one, "pcie", json_real(row->pcie));
    json_object_set_new(one, "mem_gib",
                        row->mem_mib == PT_NONE ? json_null() : json_real(row->mem_mib / 1024.0));
    json_object_set_new(one, "power_w", json_real(row->power_w));
    json_object_set_new(one, "class", json_string(pt_speed_class_name(row->class_)));
    json_object_set_new(one, "f_c", number(row->f_c));
    json_object_set_new(one, "f_m", number(row->f_m));
    json_object_set_new(one, "source", text_or_null(row->source));
    return one;
}

json_t *pt__list_profiles_json(void)
{
    struct pt_profiles profiles;
    struct pt_error error;
    if (pt_profiles_init(&profiles, NULL, 0, &error) != PT_OK) return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < profiles.count; i++)
        json_array_append_new(list, profile_json(&profiles.rows[i]));
    pt_profiles_fini(&profiles);
    return list;
}

static void profile_text(const struct pt__terminal *terminal, const struct pt_profile *row)
{
    printf("%-34s %-6s %-6s %7.4g %7.4g ", row->name, row->gpu ? row->gpu : "any",
           pt_law_name(row->law), row->u, row->kappa);
    if (row->p)
        printf("%2u ", (unsigned)row->p);
    else
        printf("%2s ", "-");
    if (row->mem_mib != PT_NONE)
        printf("%8.3g ", row->mem_mib / 1024.0);
    else
        printf("%8s ", "-");
    puts(pt_speed_class_name(row->class_));
    if (terminal->verbose && row->source) printf("    %s\n", row->source);
}

void pt__list_profiles_text(const struct pt__terminal *terminal)
{
    struct pt_profiles profiles;
    struct pt_error error;
    if (pt_profiles_init(&profiles, NULL, 0, &error) != PT_OK) {
        (void)pt__complain(terminal, &error);
        return;
    }
    printf("%s%-34s %-6s %-6s %7s %7s %2s %8s %s%s\n", pt__style(terminal->color_out, PT__BOLD),
           "profile", "GPU", "law", "u", "kappa", "p", "mem GiB", "class",
           pt__style(terminal->color_out, PT__PLAIN));
    for (uint32_t i = 0; i < profiles.count; i++)
        profile_text(terminal, &profiles.rows[i]);
    pt_profiles_fini(&profiles);
}
