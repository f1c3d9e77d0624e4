#include "analysis/results/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 256

static const struct pt__column time_column = {"time_s", "s", PT__NUMBER, 0, 0};
static const struct pt__column queue_column = {"queue_length", "jobs", PT__NUMBER, 0, 0};
/* of the cluster and of each pool */
static const struct pt__column rate_columns[] = {{"utilization", "1", PT__NUMBER, 0, 0},
                                                 {"allocation", "1", PT__NUMBER, 0, 0},
                                                 {"fragmentation", "1", PT__NUMBER, 0, 0}};
#define RATE_COUNT (sizeof(rate_columns) / sizeof(rate_columns[0]))

struct dataset {
    struct pt__column column;
    struct pt__table *table;
};

struct pt__series {
    hid_t group, pools;
    uint32_t pool_count, dataset_count;
    hid_t pool_groups[PT_POOLS_MAX];
    struct dataset datasets[2 + RATE_COUNT * (PT_POOLS_MAX + 1)];
};

static enum pt_status add_dataset(struct pt__series *s, hid_t parent,
                                  const struct pt__column *column, int compression,
                                  struct pt_error *error)
{
    struct dataset *d = &s->datasets[s->dataset_count];
    struct pt__table_spec spec = {.name = column->name,
                                  .columns = &d->column,
                                  .column_count = 1,
                                  .compression = compression,
                                  .plain = true};
    d->column = *column;
    PT_TRY(pt__table_create(&d->table, parent, &spec, error));
    s->dataset_count++;
    return PT_OK;
}

static enum pt_status add_rates(struct pt__series *s, hid_t parent, int compression,
                                struct pt_error *error)
{
    for (size_t i = 0; i < RATE_COUNT; i++) {
        PT_TRY(add_dataset(s, parent, &rate_columns[i], compression, error));
    }
    return PT_OK;
}

/* A pool's name as a link name: HDF5 gives '/' and a lone '.' a meaning of their own. */
static void link_name(char out[NAME_MAX_BYTES], const char *name)
{
    size_t used = 0;
    for (; *name != '\0' && used + 4 < NAME_MAX_BYTES; name++) {
        bool escape = *name == '/' || *name == '%' || (*name == '.' && used == 0);
        used += (size_t)snprintf(out + used, NAME_MAX_BYTES - used, escape ? "%%%02X" : "%c",
                                 escape ? (unsigned)*name : (unsigned char)*name);
    }
}

static enum pt_status create_all(struct pt__series *s, hid_t file, const struct pt_cluster *cluster,
                                 int compression, struct pt_error *error)
{
    char name[NAME_MAX_BYTES];
    PT_TRY(pt__h5_group(&s->group, file, "series", error));
    PT_TRY(add_dataset(s, s->group, &time_column, compression, error));
    PT_TRY(add_dataset(s, s->group, &queue_column, compression, error));
    PT_TRY(add_rates(s, s->group, compression, error));
    if (cluster == NULL) return PT_OK;
    PT_TRY(pt__h5_group(&s->pools, s->group, "pool", error));
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        link_name(name, cluster->pools[p].name);
        PT_TRY(pt__h5_group(&s->pool_groups[p], s->pools, name, error));
        s->pool_count++;
        PT_TRY(add_rates(s, s->pool_groups[p], compression, error));
    }
    return PT_OK;
}

enum pt_status pt__series_create(struct pt__series **series, hid_t file,
                                 const struct pt_cluster *cluster, int compression,
                                 struct pt_error *error)
{
    struct pt__series *s = calloc(1, sizeof(*s));
    if (s == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the series");
    s->group = s->pools = -1;
    enum pt_status status = create_all(s, file, cluster, compression, error);
    if (status != PT_OK) {
        pt__series_abandon(s);
        s = NULL;
    }
    *series = s;
    return status;
}

static enum pt_status put(struct pt__series *s, uint32_t *next, double value,
                          struct pt_error *error)
{
    struct dataset *d = &s->datasets[(*next)++];
    uint32_t room, row_size;
    uint8_t *cell;
    PT_TRY(pt__table_reserve(d->table, &cell, &room, &row_size, error));
    pt__put_number(cell, &d->column, value);
    pt__table_commit(d->table, 1);
    return PT_OK;
}

enum pt_status pt__series_add(struct pt__series *series, const struct pt_series_row *row,
                              struct pt_error *error)
{
    uint32_t next = 0;
    PT_TRY(put(series, &next, (double)row->time_ns / (double)PT_NS_PER_S, error));
    PT_TRY(put(series, &next, row->queue_length, error));
    for (uint32_t i = 0; i <= series->pool_count; i++) {
        PT_TRY(put(series, &next, row->utilization[i], error));
        PT_TRY(put(series, &next, row->allocation[i], error));
        PT_TRY(put(series, &next, row->fragmentation[i], error));
    }
    return PT_OK;
}

enum pt_status pt__series_close(struct pt__series *series, double end_s, struct pt_error *error)
{
    enum pt_status status = pt__h5_number(series->group, "end_s", end_s, error);
    if (status == PT_OK) {
        status = pt__h5_text(series->group, "about",
                             "time-weighted means per interval; a row holds from its time_s up to "
                             "the next one's, the last up to end_s",
                             error);
    }
    for (uint32_t i = 0; status == PT_OK && i < series->dataset_count; i++) {
        struct pt__table *table = series->datasets[i].table;
        series->datasets[i].table = NULL;
        status = pt__table_close(table, error);
    }
    pt__series_abandon(series);
    return status;
}

void pt__series_abandon(struct pt__series *series)
{
    if (series == NULL) return;
    for (uint32_t i = 0; i < series->dataset_count; i++) {
        pt__table_abandon(series->datasets[i].table);
    }
    for (uint32_t p = 0; p < series->pool_count; p++)
        H5Gclose(series->pool_groups[p]);
    if (series->pools >= 0) H5Gclose(series->pools);
    if (series->group >= 0) H5Gclose(series->group);
    free(series);
}
