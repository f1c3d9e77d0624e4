#include "analysis/stats/groups.h"

#include <stdlib.h>
#include <string.h>

uint32_t pt__pool_of_job(const struct pt_summary_input *input, pt_job job)
{
    const struct pt_cluster *cluster = input->cluster;
    uint32_t gpu = input->outcomes->home_gpu[job];
    uint32_t pool = cluster->pool_count - 1;
    if (gpu >= cluster->gpu_count) return PT_NONE;
    while (pool > 0 && cluster->pools[pool].first_gpu > gpu)
        pool--;
    return pool;
}

static uint32_t kind_of_job(const struct pt__dimension *dimension,
                            const struct pt_summary_input *input, pt_job job)
{
    const uint32_t *words = input->trace->column[PT_COL_KIND];
    if (words == NULL || words[job] == PT_NONE) return dimension->kind_absent;
    return words[job];
}

uint32_t pt__dimension_group(const struct pt__dimension *dimension,
                             const struct pt_summary_input *input, pt_job job)
{
    switch (dimension->id) {
    case PT_BY_NOTHING:
        return 0;
    case PT_BY_TENANT:
        return pt__tenant_of_job(input, job);
    case PT_BY_POOL:
        return pt__pool_of_job(input, job);
    case PT_BY_TIER:
        return pt_summary_tier_of_job(input, job);
    case PT_BY_KIND:
        return kind_of_job(dimension, input, job);
    }
    return PT_NONE;
}

/* Words of the column, and the default's own group unless it is one of the words. */
static void label_kinds(struct pt__dimension *dimension, const struct pt_summary_input *input)
{
    const struct pt_words *words = &input->trace->words[PT_COL_KIND];
    const char *fallback = pt_columns[PT_COL_KIND].fallback;
    dimension->kind_absent = words->count;
    for (uint32_t i = 0; i < words->count; i++) {
        dimension->labels[i] = words->words[i];
        if (strcmp(words->words[i], fallback) == 0) dimension->kind_absent = i;
    }
    dimension->labels[words->count] = fallback;
    dimension->count = words->count + (dimension->kind_absent == words->count);
}

enum pt_status pt__dimension_init(struct pt__dimension *dimension, enum pt_dimension_id id,
                                  const struct pt_summary_input *input, struct pt_error *error)
{
    static const char *const names[PT_DIMENSION_COUNT] = {"", "tenant", "pool", "tier", "kind"};
    const uint32_t counts[PT_DIMENSION_COUNT] = {1, input->tenant_count, input->cluster->pool_count,
                                                 input->tier_count,
                                                 input->trace->words[PT_COL_KIND].count + 1};
    *dimension = (struct pt__dimension){.id = id, .name = names[id], .count = counts[id]};
    dimension->labels = calloc((size_t)counts[id] + 1, sizeof(*dimension->labels));
    if (dimension->labels == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for groups");
    if (id == PT_BY_KIND) {
        label_kinds(dimension, input);
        return PT_OK;
    }
    for (uint32_t i = 0; i < dimension->count; i++) {
        dimension->labels[i] = id == PT_BY_TENANT ? input->tenant_names[i]
                               : id == PT_BY_POOL ? input->cluster->pools[i].name
                               : id == PT_BY_TIER ? input->tiers[i].name
                                                  : "";
    }
    return PT_OK;
}

void pt__dimension_fini(struct pt__dimension *dimension)
{
    free(dimension->labels);
    *dimension = (struct pt__dimension){0};
}
