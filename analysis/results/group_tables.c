#include "analysis/results/group_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRICS_MAX 256

static enum pt_status fail_memory(struct pt_error *error)
{
    return pt_fail(error, PT_ERR_MEMORY, "no memory for the tables of a result");
}

static void widen(struct pt__column *column, const char *text)
{
    size_t length = strlen(text);
    if (length > column->width) column->width = (uint32_t)length;
}

/* ---- /summary ---- */

enum { M_DIMENSION, M_LABEL, M_METRIC, M_UNIT, M_VALUE, M_COUNT, M_IS_COUNT, M_COLUMNS };

static enum pt_status write_metric_rows(struct pt__table *table, const struct pt__column *c,
                                        const struct pt_summary *summary, struct pt_error *error)
{
    for (uint32_t g = 0; g < summary->group_count; g++) {
        const struct pt_metric_group *group = &summary->groups[g];
        for (uint32_t i = 0; i < group->count; i++) {
            const struct pt_metric *metric = &group->metrics[i];
            uint32_t room, row_size;
            uint8_t *row;
            PT_TRY(pt__table_reserve(table, &row, &room, &row_size, error));
            pt__put_text(row, &c[M_DIMENSION], group->dimension);
            pt__put_text(row, &c[M_LABEL], group->label);
            pt__put_text(row, &c[M_METRIC], metric->name);
            pt__put_text(row, &c[M_UNIT], metric->unit);
            pt__put_number(row, &c[M_VALUE], metric->value);
            pt__put_i64(row, &c[M_COUNT], (int64_t)metric->count);
            row[c[M_IS_COUNT].offset] = metric->is_count;
            pt__table_commit(table, 1);
        }
    }
    return PT_OK;
}

static enum pt_status write_metrics(hid_t group, const struct pt_summary *summary,
                                    struct pt_error *error)
{
    struct pt__column c[M_COLUMNS] = {[M_DIMENSION] = {"dimension", "", PT__TEXT, 1, 0},
                                      [M_LABEL] = {"label", "", PT__TEXT, 1, 0},
                                      [M_METRIC] = {"metric", "", PT__TEXT, 1, 0},
                                      [M_UNIT] = {"unit", "", PT__TEXT, 1, 0},
                                      [M_VALUE] = {"value", "", PT__NUMBER, 0, 0},
                                      [M_COUNT] = {"count", "", PT__I64, 0, 0},
                                      [M_IS_COUNT] = {"is_count", "", PT__I8, 0, 0}};
    struct pt__table_spec spec = {.name = "metrics",
                                  .title = "every metric of every group; count = observations",
                                  .columns = c,
                                  .column_count = M_COLUMNS};
    struct pt__table *table;
    for (uint32_t g = 0; g < summary->group_count; g++) {
        const struct pt_metric_group *one = &summary->groups[g];
        widen(&c[M_DIMENSION], one->dimension);
        widen(&c[M_LABEL], one->label);
        for (uint32_t i = 0; i < one->count; i++) {
            widen(&c[M_METRIC], one->metrics[i].name);
            widen(&c[M_UNIT], one->metrics[i].unit);
        }
        spec.rows_max += one->count;
    }
    PT_TRY(pt__table_create(&table, group, &spec, error));
    enum pt_status status = write_metric_rows(table, c, summary, error);
    if (status != PT_OK) {
        pt__table_abandon(table);
        return status;
    }
    return pt__table_close(table, error);
}

static enum pt_status write_attributes(hid_t group, const struct pt_metric_group *all,
                                       struct pt_error *error)
{
    char name[64];
    for (uint32_t i = 0; i < all->count; i++) {
        const struct pt_metric *metric = &all->metrics[i];
        if (metric->is_count) {
            PT_TRY(pt__h5_int(group, metric->name, (int64_t)metric->value, error));
            continue;
        }
        PT_TRY(
            pt__h5_number(group, metric->name, isnan(metric->value) ? NAN : metric->value, error));
        if (!isnan(metric->value)) continue;
        snprintf(name, sizeof(name), "%s.count", metric->name);
        PT_TRY(pt__h5_int(group, name, 0, error));
    }
    return PT_OK;
}

enum pt_status pt__summary_write(hid_t file, const struct pt_summary *summary,
                                 struct pt_error *error)
{
    hid_t group;
    PT_TRY(pt__h5_group(&group, file, "summary", error));
    enum pt_status status = PT_OK;
    if (summary->group_count > 0) status = write_attributes(group, &summary->groups[0], error);
    if (status == PT_OK) status = write_metrics(group, summary, error);
    H5Gclose(group);
    return status;
}

/* ---- tables of things with metrics ---- */

/* A table whose first `lead` columns are the caller's and whose others are the metrics that the
 * groups of one dimension have. */
struct group_table {
    struct pt__column columns[METRICS_MAX];
    uint32_t lead, count;
    const struct pt_metric_group *first; /* group of row 0; the others follow */
    struct pt__table *table;
};

static enum pt_status open_group_table(struct group_table *t, hid_t file, const char *name,
                                       const char *title, const char *dimension,
                                       const struct pt_summary *summary, uint32_t rows,
                                       struct pt_error *error)
{
    uint32_t g = 0;
    while (g < summary->group_count && strcmp(summary->groups[g].dimension, dimension) != 0)
        g++;
    t->first = g < summary->group_count ? &summary->groups[g] : NULL;
    t->count = t->lead;
    for (uint32_t i = 0; t->first != NULL && i < t->first->count && t->count < METRICS_MAX; i++) {
        const struct pt_metric *metric = &t->first->metrics[i];
        t->columns[t->count++] = (struct pt__column){metric->name, metric->unit,
                                                     metric->is_count ? PT__I64 : PT__NUMBER, 0, 0};
    }
    struct pt__table_spec spec = {.name = name,
                                  .title = title,
                                  .columns = t->columns,
                                  .column_count = t->count,
                                  .rows_max = rows};
    return pt__table_create(&t->table, file, &spec, error);
}

static void put_metrics(const struct group_table *t, uint8_t *row, uint32_t index)
{
    for (uint32_t c = t->lead; c < t->count; c++) {
        const struct pt_metric *metric = &t->first[index].metrics[c - t->lead];
        if (t->columns[c].type == PT__I64) {
            pt__put_i64(row, &t->columns[c], (int64_t)metric->value);
        } else {
            pt__put_number(row, &t->columns[c], metric->value);
        }
    }
}

static enum pt_status next_row(struct group_table *t, uint8_t **row, struct pt_error *error)
{
    uint32_t room, row_size;
    PT_TRY(pt__table_reserve(t->table, row, &room, &row_size, error));
    pt__table_commit(t->table, 1);
    return PT_OK;
}

static enum pt_status close_group_table(struct group_table *t, enum pt_status status,
                                        struct pt_error *error)
{
    if (status == PT_OK) {
        status = pt__table_close(t->table, error);
    } else {
        pt__table_abandon(t->table);
    }
    free(t);
    return status;
}

enum { T_NAME, T_WEIGHT, T_GPU_TIME, T_LEAD };

/* GPU equivalents x time that the tenant's jobs held, over the whole run. */
static double gpu_time_s(const struct pt_summary_input *input, uint32_t tenant)
{
    double held_ns = 0;
    if (input->sim == NULL) return NAN;
    for (uint32_t p = 0; p < input->cluster->pool_count; p++) {
        held_ns += (double)pt_sim_tenant_held(input->sim, p, tenant) /
                   input->cluster->pools[p].shape.capacity;
    }
    return held_ns / (double)PT_NS_PER_S;
}

enum pt_status pt__tenants_write(hid_t file, const struct pt_summary_input *input,
                                 const struct pt_summary *summary, struct pt_error *error)
{
    struct group_table *t = calloc(1, sizeof(*t));
    if (t == NULL) return fail_memory(error);
    t->lead = T_LEAD;
    t->columns[T_NAME] = (struct pt__column){"tenant", "", PT__TEXT, 1, 0};
    t->columns[T_WEIGHT] = (struct pt__column){"weight", "", PT__NUMBER, 0, 0};
    t->columns[T_GPU_TIME] = (struct pt__column){"gpu_time_s", "GPU.s", PT__NUMBER, 0, 0};
    for (uint32_t i = 0; i < input->tenant_count; i++) {
        widen(&t->columns[T_NAME], input->tenant_names[i]);
    }
    enum pt_status status =
        open_group_table(t, file, "tenants", "tenants and the metrics of their jobs", "tenant",
                         summary, input->tenant_count, error);
    for (uint32_t i = 0; status == PT_OK && i < input->tenant_count; i++) {
        uint8_t *row;
        status = next_row(t, &row, error);
        if (status != PT_OK) break;
        pt__put_text(row, &t->columns[T_NAME], input->tenant_names[i]);
        pt__put_number(row, &t->columns[T_WEIGHT],
                       input->tenant_weights == NULL ? 1 : input->tenant_weights[i]);
        pt__put_number(row, &t->columns[T_GPU_TIME], gpu_time_s(input, i));
        put_metrics(t, row, i);
    }
    return close_group_table(t, status, error);
}

enum { P_NAME, P_GPU, P_SHARING, P_NODES, P_GPUS_PER_NODE, P_SLOTS, P_SPEED, P_LEAD };

static const char *sharing_of(const struct pt_pool *pool)
{
    return pool->unit == NULL ? "" : pool->unit->name;
}

enum pt_status pt__pools_write(hid_t file, const struct pt_summary_input *input,
                               const struct pt_summary *summary, struct pt_error *error)
{
    const struct pt_cluster *cluster = input->cluster;
    struct group_table *t = calloc(1, sizeof(*t));
    if (t == NULL) return fail_memory(error);
    struct pt__column *c = t->columns;
    t->lead = P_LEAD;
    c[P_NAME] = (struct pt__column){"pool", "", PT__TEXT, 1, 0};
    c[P_GPU] = (struct pt__column){"gpu", "", PT__TEXT, 1, 0};
    c[P_SHARING] = (struct pt__column){"sharing", "", PT__TEXT, 1, 0};
    c[P_NODES] = (struct pt__column){"nodes", "", PT__I64, 0, 0};
    c[P_GPUS_PER_NODE] = (struct pt__column){"gpus_per_node", "", PT__I64, 0, 0};
    c[P_SLOTS] = (struct pt__column){"units_per_gpu", "", PT__I64, 0, 0};
    c[P_SPEED] = (struct pt__column){"relative_speed", "", PT__NUMBER, 0, 0};
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        widen(&c[P_NAME], cluster->pools[p].name);
        widen(&c[P_GPU], cluster->pools[p].gpu->name);
        widen(&c[P_SHARING], sharing_of(&cluster->pools[p]));
    }
    enum pt_status status =
        open_group_table(t, file, "pools", "pools and the metrics of the jobs that ran there",
                         "pool", summary, cluster->pool_count, error);
    for (uint32_t p = 0; status == PT_OK && p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        uint8_t *row;
        status = next_row(t, &row, error);
        if (status != PT_OK) break;
        pt__put_text(row, &c[P_NAME], pool->name);
        pt__put_text(row, &c[P_GPU], pool->gpu->name);
        pt__put_text(row, &c[P_SHARING], sharing_of(pool));
        pt__put_i64(row, &c[P_NODES], pool->node_count);
        pt__put_i64(row, &c[P_GPUS_PER_NODE], pool->gpus_per_node);
        pt__put_i64(row, &c[P_SLOTS], pool->shape.capacity);
        pt__put_number(row, &c[P_SPEED], (double)pool->rate[PT_CLASS_MIXED] / (double)PT_SPEED_ONE);
        put_metrics(t, row, p);
    }
    return close_group_table(t, status, error);
}

/* ---- /gpus ---- */

enum { G_GPU, G_NODE, G_POOL, G_MODEL, G_COLUMNS };

static enum pt_status write_gpu_rows(struct pt__table *table, const struct pt__column *c,
                                     const struct pt_cluster *cluster, struct pt_error *error)
{
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        for (uint32_t i = 0; i < pool->node_count * pool->gpus_per_node; i++) {
            const struct pt_node *node =
                &cluster->nodes[pool->first_node + i / pool->gpus_per_node];
            uint32_t room, row_size;
            uint8_t *row;
            PT_TRY(pt__table_reserve(table, &row, &room, &row_size, error));
            pt__put_i32(row, &c[G_GPU], (int32_t)(pool->first_gpu + i));
            pt__put_text(row, &c[G_NODE], node->name);
            pt__put_text(row, &c[G_POOL], pool->name);
            pt__put_text(row, &c[G_MODEL], pool->gpu->name);
            pt__table_commit(table, 1);
        }
    }
    return PT_OK;
}

enum pt_status pt__gpus_write(hid_t file, const struct pt_cluster *cluster, struct pt_error *error)
{
    struct pt__column c[G_COLUMNS] = {[G_GPU] = {"gpu", "", PT__I32, 0, 0},
                                      [G_NODE] = {"node", "", PT__TEXT, 1, 0},
                                      [G_POOL] = {"pool", "", PT__TEXT, 1, 0},
                                      [G_MODEL] = {"model", "", PT__TEXT, 1, 0}};
    struct pt__table_spec spec = {.name = "gpus",
                                  .title = "the GPUs of the cluster",
                                  .columns = c,
                                  .column_count = G_COLUMNS,
                                  .rows_max = cluster->gpu_count};
    struct pt__table *table;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        widen(&c[G_NODE], cluster->nodes[n].name);
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        widen(&c[G_POOL], cluster->pools[p].name);
        widen(&c[G_MODEL], cluster->pools[p].gpu->name);
    }
    PT_TRY(pt__table_create(&table, file, &spec, error));
    enum pt_status status = write_gpu_rows(table, c, cluster, error);
    if (status != PT_OK) {
        pt__table_abandon(table);
        return status;
    }
    return pt__table_close(table, error);
}
