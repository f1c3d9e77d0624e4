/* Keys of how jobs that share a GPU slow each other down: `interference`, `profiles`. */
#include <string.h>

#include "models/registry.h"
#include "sim/experiment/catalog.h"
#include "sim/experiment/rows.h"

/* ---- interference ---- */

static const char none[] = "none";

/* The models, and behind them what is no model. */
static bool is_model(size_t index)
{
    size_t count = 0;
    while (count <= index && pt_interference_models[count])
        count++;
    return count > index;
}

static const char *model_name(size_t index)
{
    if (is_model(index)) return pt_interference_models[index]->name;
    return index == 0 || is_model(index - 1) ? none : NULL;
}

static const char *model_summary(size_t index)
{
    return is_model(index) ? pt_interference_models[index]->summary
                           : "textbook equal shares, no slow-down by neighbours";
}

static const struct pt_param *model_params(size_t index)
{
    return is_model(index) ? pt_interference_models[index]->params : NULL;
}

static const struct pt_pick pick_model = {"interference model", model_name, model_summary,
                                          model_params, false};

static const struct pt_row interference_rows[] = {
    VALUE("model", TEXT, "", "fitted", "1", NULL, 0, "how neighbours slow each other down"), END};
const struct pt_schema pt__schema_interference = {"interference", interference_rows, true,
                                                  &pick_model, NULL};

/* ---- profiles ---- */

static const char *const laws[] = {"turns", "rank1", "pnorm", "any", NULL};
static const char *const classes[] = {"compute", "bandwidth", "mixed", "light", NULL};

#define CHOICE(key, fallback, choices, help)                                                       \
    {                                                                                              \
        .param = {key, PT_PARAM_CHOICE, "", fallback, NULL, NULL, choices, help},                  \
        .shape = PT_SHAPE_SCALAR                                                                   \
    }

/* Measurements hold for all of a family, as the built-in ones have it too. */
static bool verify_gpu_or_family(const struct pt_catalog *catalog, const char *text,
                                 struct pt_error *error)
{
    return pt_catalog_knows(catalog, text, strlen(text)) || pt__verify_gpu(catalog, text, error);
}

static const struct pt_row profile_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0,
          "as in the trace's column `profile`; hides the built-in profile of this name"),
    VALUE("u", NUMBER, "", NULL, "0", "2", 0,
          "busy intensity alone on a whole GPU of its type; 1 = it always computes"),
    VALUE("kappa", NUMBER, "", "1", "0.001", "1000", 0,
          "kernel-length dominance; of two jobs the one with more slows the other down more"),
    VALUE("busy", NUMBER, "", NULL, "0", "1", PT_ROW_OPTIONAL,
          "share of time with a kernel on the GPU, as nvidia-smi says; default: u"),
    VALUE("p", INT, "", NULL, "1", "4", PT_ROW_OPTIONAL,
          "norm of capped shares, 1, 2 or 4; default by kind: 2 for training and batch, else 4"),
    CHOICE("law", "any", laws, "the law that u and kappa were fitted with; any = they hold in all"),
    {.param =
         {"gpu", PT_PARAM_TEXT, "", NULL, "1", NULL, NULL,
          "the GPU, or the family, that they were measured on; absent = they hold on the reference "
          "GPU"},
     .shape = PT_SHAPE_SCALAR,
     .flags = PT_ROW_OPTIONAL,
     .verify = verify_gpu_or_family},
    VALUE("membw", NUMBER, "", "0", "0", "1", 0, "share of the DRAM bandwidth used alone"),
    VALUE("pcie", NUMBER, "", "0", "0", "1", 0, "share of the PCIe bandwidth used alone"),
    VALUE("mem_gib", MEMORY, "GiB", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "device memory of jobs that say none; default 0"),
    VALUE("power_w", NUMBER, "W", NULL, "0", "10000", PT_ROW_OPTIONAL,
          "drawn above idle at full speed; default 0: it never meets the GPU's power limit"),
    CHOICE("class", "mixed", classes, "what bounds it: says how fast it is on another GPU"),
    VALUE("f_c", NUMBER, "", NULL, "0", "1", PT_ROW_OPTIONAL,
          "share of a step that is bound by SMs, for laws.mig: additive"),
    VALUE("f_m", NUMBER, "", NULL, "0", "1", PT_ROW_OPTIONAL,
          "share of a step that is bound by memory, for laws.mig: additive"),
    END};
const struct pt_schema pt__schema_profile = {"profile", profile_rows, false, NULL, NULL};
