/* Keys of a catalogue of GPUs. */
#include "sim/experiment/rows.h"
#include "sim/experiment/tables.h"

static const struct pt_row count_rows[] = {
    VALUE("value", INT, "", NULL, "1", "4294967294", 0, "the figure"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where it comes from"), END};
static const struct pt_schema count = {"figure", count_rows, true, NULL, NULL};

static const struct pt_row figure_rows[] = {
    VALUE("value", NUMBER, "", NULL, "0.001", "1e6", 0, "the figure"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where it comes from"), END};
static const struct pt_schema figure = {"figure", figure_rows, true, NULL, NULL};

static const struct pt_row kind_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what profiles call it"),
    VALUE("compute", INT, "", NULL, "1", "16", 0, "compute slices of an instance"),
    VALUE("slices", INT, "", NULL, "1", "16", 0, "memory slices of an instance, side by side"),
    VALUE("starts", WORDS, "", NULL, "1", NULL, 0,
          "memory slices at which it may start: numbers and ranges like 0-6"),
    VALUE("media", BOOL, "", "false", NULL, NULL, 0,
          "has the media engines: at most one such instance on a GPU"),
    END};
static const struct pt_schema kind = {"kind of instance", kind_rows, false, NULL, "name"};

static const struct pt_row geometry_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what GPUs call it"),
    VALUE("compute", INT, "", NULL, "1", "16", 0, "compute slices of a GPU"),
    VALUE("memory", INT, "", NULL, "1", "16", 0, "memory slices of a GPU"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where it comes from"),
    INNER("kinds", LIST, NULL, "1", "16", 0, &kind, "what instances there can be"),
    END};
static const struct pt_schema geometry = {"MIG geometry", geometry_rows, false, NULL, "name"};

static const struct pt_row profile_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what layouts and jobs call it"),
    VALUE("kind", TEXT, "", NULL, "1", NULL, 0, "slices and starts: a kind of the geometry"),
    VALUE("sms", INT, "", NULL, "1", "4294967294", 0, "streaming multiprocessors of an instance"),
    VALUE("memory_mib", INT, "MiB", NULL, "1", "4294967294", 0, "memory of an instance"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where its figures come from"),
    END};
static const struct pt_schema profile = {"MIG profile", profile_rows, false, NULL, "name"};

static const struct pt_row mig_rows[] = {
    VALUE("geometry", TEXT, "", NULL, "1", NULL, 0, "slices and starts: one of `mig_geometries`"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where figures come from"),
    INNER("profiles", LIST, NULL, "1", "16", 0, &profile, "the instances it offers"), END};
static const struct pt_schema mig = {"MIG table", mig_rows, false, NULL, NULL};

static const struct pt_row price_rows[] = {
    VALUE("low", NUMBER, "US$/h", NULL, "0", "1e6", 0, "the lowest found"),
    VALUE("high", NUMBER, "US$/h", NULL, "0", "1e6", 0, "the highest found"),
    VALUE("date", TEXT, "", NULL, "1", NULL, 0, "when that was so"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where it comes from"), END};
static const struct pt_schema price = {"price", price_rows, false, NULL, NULL};

#define SPEED_ROW(key)                                                                             \
    VALUE(key, NUMBER, "", NULL, "0.001", "1000", PT_ROW_OPTIONAL,                                 \
          "speed of " key " jobs against that GPU; absent = by the figures")
static const struct pt_row speed_rows[] = {
    VALUE("against", TEXT, "", NULL, "1", NULL, 0, "the GPU that it was measured against"),
    SPEED_ROW("compute"),
    SPEED_ROW("bandwidth"),
    SPEED_ROW("mixed"),
    SPEED_ROW("light"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "where it comes from"),
    END};
static const struct pt_schema speed = {"speed", speed_rows, false, NULL, NULL};

#define FIGURE_ROW(key, unit, help)                                                                \
    {                                                                                              \
        .param = {key, PT_PARAM_TEXT, unit, NULL, NULL, NULL, NULL, help}, .shape = PT_SHAPE_MAP,  \
        .flags = PT_ROW_OPTIONAL, .child = &figure                                                 \
    }
static const struct pt_row gpu_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what experiments call it"),
    VALUE("family", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "what jobs may ask for instead of a model; needed"),
    VALUE("like", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "a GPU above or built in: whatever is absent here, needed or not, is as there"),
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "where figures without their own come from; needed"),
    INNER("sms", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &count,
          "streaming multiprocessors; needed"),
    INNER("memory_mib", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &count,
          "device memory, MiB; needed"),
    FIGURE_ROW("fp16_tflops", "TFLOP/s", "FP16 peak, dense; needed"),
    FIGURE_ROW("mem_gb_per_s", "GB/s", "memory bandwidth; needed"),
    FIGURE_ROW("l2_mib", "MiB", "second-level cache"),
    FIGURE_ROW("tdp_w", "W", "power limit of the board"),
    FIGURE_ROW("idle_w", "W", "power without a context"),
    FIGURE_ROW("pcie_gb_per_s", "GB/s", "host link, one direction, in practice"),
    INNER("price", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &price, "what an hour costs on demand"),
    INNER("mps_clients", MAP, "48", NULL, NULL, 0, &count, "processes that MPS takes at once"),
    INNER("mig", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &mig, "its instances; absent = no MIG"),
    INNER("speed", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &speed,
          "measured relative speed, instead of what the figures say"),
    END};
static const struct pt_schema gpu = {"GPU", gpu_rows, false, NULL, "name"};

static const struct pt_row catalog_rows[] = {
    INNER("mig_geometries", LIST, "", NULL, NULL, 0, &geometry,
          "slices of GPUs, and where instances may start"),
    INNER("gpus", LIST, NULL, "1", NULL, 0, &gpu, "the models"), END};
const struct pt_schema pt_schema_catalog = {"catalogue", catalog_rows, false, NULL, NULL};
