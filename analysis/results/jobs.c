#include "analysis/results/jobs.h"

#include "analysis/results/job_columns.h"

static enum pt_status write_rows(struct pt__table *table, const struct pt__job_columns *columns,
                                 struct pt_error *error)
{
    uint32_t n = columns->input->trace->job_count;
    for (pt_job job = 0; job < n;) {
        uint32_t room, row_size;
        uint8_t *rows;
        PT_TRY(pt__table_reserve(table, &rows, &room, &row_size, error));
        if (room > n - job) room = n - job;
        for (uint32_t c = 0; c < columns->count; c++) {
            pt__job_column_fill(columns, c, rows, row_size, job, room);
        }
        pt__table_commit(table, room);
        job += room;
    }
    return PT_OK;
}

static enum pt_status describe(struct pt__table *table, const struct pt__job_columns *columns,
                               struct pt_error *error)
{
    hid_t dataset;
    if (columns->left_out[0] == '\0') return PT_OK;
    PT_TRY(pt__table_dataset(&dataset, table, error));
    return pt__h5_text(dataset, "left_out", columns->left_out, error);
}

enum pt_status pt__jobs_write(hid_t file, const struct pt_summary_input *input, int compression,
                              struct pt_error *error)
{
    struct pt__job_columns columns;
    struct pt__table *table = NULL;
    PT_TRY(pt__job_columns_init(&columns, input, error));
    struct pt__table_spec spec = {.name = "jobs",
                                  .title = "what became of every job, in trace order",
                                  .columns = columns.cells,
                                  .column_count = columns.count,
                                  .rows_max = input->trace->job_count,
                                  .compression = compression};
    enum pt_status status = pt__table_create(&table, file, &spec, error);
    if (status == PT_OK) status = write_rows(table, &columns, error);
    if (status == PT_OK) status = describe(table, &columns, error);
    if (status == PT_OK) {
        status = pt__table_close(table, error);
        table = NULL;
    }
    pt__table_abandon(table);
    pt__job_columns_fini(&columns);
    return status;
}
