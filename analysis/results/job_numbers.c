#include "analysis/results/job_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t field_of(struct pt_results_reader *reader, const char *name)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields), i = 0;
    while (i < count && strcmp(fields[i].name, name) != 0)
        i++;
    return i < count ? i : UINT32_MAX;
}

static enum pt_status read_row(double *value, struct pt_results_reader *reader, uint64_t row,
                               uint32_t column, uint32_t state_column, const char *state,
                               struct pt_error *error)
{
    struct pt_cell cell;
    *value = NAN;
    if (state) {
        PT_TRY(pt_results_job_cell(reader, row, state_column, &cell, error));
        if (!cell.text || strcmp(cell.text, state) != 0) return PT_OK;
    }
    PT_TRY(pt_results_job_cell(reader, row, column, &cell, error));
    const struct pt_field *fields;
    (void)pt_results_job_fields(reader, &fields);
    if (!cell.absent)
        *value = fields[column].type == PT_FIELD_NUMBER ? cell.number : (double)cell.integer;
    return PT_OK;
}

enum pt_status pt_results_job_numbers(double **values, uint64_t *count,
                                      struct pt_results_reader *reader, const char *name,
                                      const char *state, struct pt_error *error)
{
    const struct pt_field *fields;
    uint32_t column = field_of(reader, name), state_column = state ? field_of(reader, "state") : 0;
    *values = NULL;
    *count = pt_results_job_count(reader);
    (void)pt_results_job_fields(reader, &fields);
    if (column == UINT32_MAX || state_column == UINT32_MAX)
        return pt_fail(error, PT_ERR_INPUT, "keeps no column '%s' of its jobs", name);
    if (fields[column].type == PT_FIELD_TEXT)
        return pt_fail(error, PT_ERR_INPUT, "has texts in column '%s' of its jobs", name);
    if (*count == 0) return PT_OK;
    if (*count > SIZE_MAX / sizeof **values || !(*values = malloc(*count * sizeof **values)))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    enum pt_status status = PT_OK;
    for (uint64_t row = 0; row < *count && status == PT_OK; row++)
        status = read_row(&(*values)[row], reader, row, column, state_column, state, error);
    if (status == PT_OK) return PT_OK;
    free(*values);
    *values = NULL;
    return status;
}
