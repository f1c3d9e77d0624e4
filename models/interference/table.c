#include "models/interference/interference.h"

#include <stdlib.h>
#include <string.h>

#include "models/interference/laws.h"
#include "models/pairs/pairs.h"
#include "models/registry.h"

/* 4.5: measured pairs by name. The earlier resident is job_a; a pair that was measured in the other
 * order alone stands for both. Three and more residents add what each costs the other: 1 + SUM
 * (s_ij - 1), at least 1. Pairs are measured on whole GPUs without caps: a cap still binds where it
 * is slower than the pair, and an instance multiplies by 4.3 (both assumed).
 *
 * A unit with a pair that is not in the table follows `fitted`, all of it. That takes
 * table.fallback: without it such pairs are an error at load.
 */
enum known { UNKNOWN, FITS, NO_ROOM };

struct entry {
    double slow_a, slow_b;
    enum known known;
};

struct table {
    void *fitted;
    uint32_t gpu_count, type_count; /* of those in use */
    const struct pt_gpu_model **gpus;
    uint32_t *local; /* type -> its place among those in use, or PT_NONE */
    uint32_t local_count;
    struct entry *entries; /* [gpu][a][b] */
};

enum { PARAM_FILE, PARAM_FALLBACK };
enum { FALLBACK_ERROR, FALLBACK_FITTED };

static const char *const fallback_choices[] = {"error", "fitted", NULL};

static const struct pt_param params[] = {
    [PARAM_FILE] = {"table.file", PT_PARAM_TEXT, "", "", NULL, NULL, NULL,
                    "CSV of measured pairs: gpu, job_a, job_b, solo_a, solo_b, co_a, co_b, fits; "
                    "empty: Gavel's V100 and K80 pairs, built in"},
    [PARAM_FALLBACK] = {"table.fallback", PT_PARAM_CHOICE, "", "error", NULL, NULL,
                        fallback_choices,
                        "what holds for pairs that are not in the table: they are an error, or "
                        "the law of the sharing mode"},
    {0}};

static void release(void *state)
{
    struct table *table = state;
    if (!table) return;
    pt_fitted.release(table->fitted);
    free(table->gpus);
    free(table->local);
    free(table->entries);
    free(table);
}

static uint32_t local_of(const struct table *table, uint32_t type)
{
    return type < table->local_count ? table->local[type] : PT_NONE;
}

static uint32_t gpu_of(const struct table *table, const struct pt_gpu_model *gpu)
{
    for (uint32_t i = 0; i < table->gpu_count; i++)
        if (table->gpus[i] == gpu) return i;
    return PT_NONE;
}

static struct entry *entry_of(const struct table *table, uint32_t gpu, uint32_t a, uint32_t b)
{
    size_t n = table->type_count;
    return &table->entries[(gpu * n + a) * n + b];
}

/* Numbers the GPUs and types in use, and makes room for their pairs. */
static enum pt_status make_room(struct table *table, const struct pt_interference_inputs *inputs,
                                struct pt_error *error)
{
    table->local_count = inputs->type_count;
    table->gpus = calloc((size_t)inputs->use_count + 1, sizeof(const struct pt_gpu_model *));
    table->local = malloc(((size_t)inputs->type_count + 1) * sizeof *table->local);
    if (!table->gpus || !table->local)
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the pair table");
    for (uint32_t i = 0; i < inputs->type_count; i++)
        table->local[i] = PT_NONE;
    for (uint32_t i = 0; i < inputs->use_count; i++) {
        const struct pt_interference_use *use = &inputs->uses[i];
        if (gpu_of(table, use->gpu) == PT_NONE) table->gpus[table->gpu_count++] = use->gpu;
        if (use->type < inputs->type_count && table->local[use->type] == PT_NONE)
            table->local[use->type] = table->type_count++;
    }
    size_t n = table->type_count;
    table->entries = calloc(table->gpu_count * n * n + 1, sizeof *table->entries);
    if (!table->entries) return pt_fail(error, PT_ERR_MEMORY, "no memory for the pair table");
    return PT_OK;
}

/* A type in use by its name; PT_NONE if no job has it. */
static uint32_t local_by_name(const struct table *table,
                              const struct pt_interference_inputs *inputs, const char *name)
{
    for (uint32_t type = 0; type < inputs->type_count; type++)
        if (table->local[type] != PT_NONE && strcmp(inputs->type_names[type], name) == 0)
            return table->local[type];
    return PT_NONE;
}

static bool is_of(const struct pt_gpu_model *gpu, const char *name)
{
    return strcmp(gpu->name, name) == 0 || strcmp(gpu->family, name) == 0;
}

static enum pt_status read_pairs(struct table *table, const struct pt_interference_inputs *inputs,
                                 const char *text, size_t length, const char *file,
                                 struct pt_error *error)
{
    struct pt__rows rows;
    struct pt_pair pair;
    bool more = true;
    enum pt_status status = pt_pairs_open(&rows, text, length, file, error);
    while (status == PT_OK) {
        status = pt_pairs_next(&pair, &rows, &more, error);
        if (status != PT_OK || !more) break;
        uint32_t a = local_by_name(table, inputs, pair.job_a);
        uint32_t b = local_by_name(table, inputs, pair.job_b);
        for (uint32_t gpu = 0; a != PT_NONE && b != PT_NONE && gpu < table->gpu_count; gpu++)
            if (is_of(table->gpus[gpu], pair.gpu))
                *entry_of(table, gpu, a, b) =
                    (struct entry){pair.slow_a, pair.slow_b, pair.fits ? FITS : NO_ROOM};
    }
    pt__rows_close(&rows);
    return status;
}

/* Pairs that were measured in one order stand for the other. */
static void mirror(struct table *table)
{
    for (uint32_t gpu = 0; gpu < table->gpu_count; gpu++)
        for (uint32_t a = 0; a < table->type_count; a++)
            for (uint32_t b = 0; b < table->type_count; b++) {
                const struct entry *there = entry_of(table, gpu, b, a);
                struct entry *here = entry_of(table, gpu, a, b);
                if (here->known == UNKNOWN && there->known != UNKNOWN)
                    *here = (struct entry){there->slow_b, there->slow_a, there->known};
            }
}

/* Fails if two uses can meet whose pair isn't known. */
static enum pt_status check_uses(const struct table *table,
                                 const struct pt_interference_inputs *inputs,
                                 struct pt_error *error)
{
    for (uint32_t i = 0; i < inputs->use_count; i++) {
        const struct pt_interference_use *a = &inputs->uses[i];
        if (a->type >= inputs->type_count)
            return pt_fail(error, PT_ERR_INPUT,
                           "a job without a profile is in no pair table (table.fallback: fitted "
                           "gives it its mode's law)");
        for (uint32_t j = i; j < inputs->use_count; j++) {
            const struct pt_interference_use *b = &inputs->uses[j];
            if (b->gpu != a->gpu || b->type >= inputs->type_count || (i == j && a->jobs < 2))
                continue;
            if (entry_of(table, gpu_of(table, a->gpu), table->local[a->type], table->local[b->type])
                    ->known == UNKNOWN)
                return pt_fail(error, PT_ERR_INPUT,
                               "%s: no pair of '%s' and '%s' on %s (table.fallback: fitted gives "
                               "such pairs their mode's law)",
                               inputs->table_text ? inputs->table_name : "the built-in pairs",
                               inputs->type_names[a->type], inputs->type_names[b->type],
                               a->gpu->name);
        }
    }
    return PT_OK;
}

static enum pt_status fill(struct table *table, const struct pt_value *values,
                           const struct pt_interference_inputs *inputs, struct pt_error *error)
{
    struct pt_fitted_options options = pt_fitted_defaults();
    PT_TRY(pt_fitted_prepare(&table->fitted, &options, inputs, error));
    PT_TRY(make_room(table, inputs, error));
    if (inputs->table_text) {
        PT_TRY(read_pairs(table, inputs, inputs->table_text, inputs->table_length,
                          inputs->table_name, error));
    } else {
        PT_TRY(read_pairs(table, inputs, (const char *)pt_pairs_v100_csv, pt_pairs_v100_csv_length,
                          "models/pairs/v100.csv", error));
        PT_TRY(read_pairs(table, inputs, (const char *)pt_pairs_k80_csv, pt_pairs_k80_csv_length,
                          "models/pairs/k80.csv", error));
    }
    mirror(table);
    if (values[PARAM_FALLBACK].integer == FALLBACK_FITTED) return PT_OK;
    return check_uses(table, inputs, error);
}

static enum pt_status prepare(void **state, const struct pt_value *values,
                              const struct pt_interference_inputs *inputs, struct pt_error *error)
{
    *state = NULL;
    struct table *table = calloc(1, sizeof *table);
    if (!table) return pt_fail(error, PT_ERR_MEMORY, "no memory for the interference model");
    enum pt_status status = fill(table, values, inputs, error);
    if (status == PT_OK)
        *state = table;
    else
        release(table);
    return status;
}

/* What i and j, i the earlier one, do to each other; NULL: not in the table. */
static const struct entry *pair_of(const struct table *table, const struct pt_partition *partition,
                                   uint32_t gpu, uint32_t i, uint32_t j)
{
    uint32_t a = local_of(table, partition->residents[i].traits->type);
    uint32_t b = local_of(table, partition->residents[j].traits->type);
    if (gpu == PT_NONE || a == PT_NONE || b == PT_NONE) return NULL;
    const struct entry *entry = entry_of(table, gpu, a, b);
    return entry->known == UNKNOWN ? NULL : entry;
}

/* Adds what all pairs cost to slow[]; false if one is not in the table. */
static bool add_pairs(double *slow, const struct pt_partition *partition, const struct table *table)
{
    uint32_t gpu = gpu_of(table, partition->gpu);
    for (uint32_t j = 0; j < partition->count; j++)
        for (uint32_t i = 0; i < j; i++) {
            const struct entry *pair = pair_of(table, partition, gpu, i, j);
            if (!pair || pair->known != FITS) return false;
            /* the one pair of two is exactly what was measured */
            slow[i] = partition->count == 2 ? pair->slow_a : slow[i] + (pair->slow_a - 1);
            slow[j] = partition->count == 2 ? pair->slow_b : slow[j] + (pair->slow_b - 1);
        }
    return true;
}

static void unit(double *slow, const struct pt_partition *partition, const void *state)
{
    const struct table *table = state;
    for (uint32_t i = 0; i < partition->count; i++)
        slow[i] = 1;
    if (!add_pairs(slow, partition, table)) {
        pt_fitted.unit(slow, partition, table->fitted);
        return;
    }
    for (uint32_t i = 0; i < partition->count; i++) {
        double capped = pt__alone_under_cap(partition, i, false);
        if (partition->count != 2 && slow[i] < 1) slow[i] = 1;
        if (partition->residents[i].need->capped && slow[i] < capped) slow[i] = capped;
        slow[i] *= pt__load(partition, i, false).slice;
    }
}

static double alone(const struct pt_traits *traits, double share,
                    const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                    const void *state)
{
    const struct table *table = state;
    return pt_fitted.alone(traits, share, instance, gpu, table->fitted);
}

static void board(double *slow, const struct pt_partition *partitions, uint32_t partition_count,
                  const void *state)
{
    const struct table *table = state;
    pt_fitted.board(slow, partitions, partition_count, table->fitted);
}

static bool fits(const struct pt_partition *partition, const void *state)
{
    const struct table *table = state;
    uint32_t gpu = gpu_of(table, partition->gpu);
    for (uint32_t i = 0; i + 1 < partition->count; i++) {
        const struct entry *pair = pair_of(table, partition, gpu, i, partition->count - 1);
        if (pair && pair->known == NO_ROOM) return false;
    }
    return true;
}

static uint32_t terms(struct pt_term *list, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const void *state)
{
    return pt__terms(list, scratch, partitions, partition_count, which, resident, &pt_table, state,
                     state, pt_fitted_defaults().power_slope);
}

const struct pt_interference_ops pt_table = {
    .abi = PT_INTERFERENCE_ABI,
    .size = sizeof(struct pt_interference_ops),
    .name = "table",
    .summary = "measured pairs by the names of their profiles",
    .source = "Gavel's measured pairs on V100 and K80 (MIT), or the user's own",
    .params = params,
    .prepare = prepare,
    .release = release,
    .unit = unit,
    .alone = alone,
    .board = board,
    .terms = terms,
    .fits = fits,
};
