/* A compound dataset read back a chunk of rows at a time. Files may come from anywhere: every size
 * and type is checked before it is believed. Shared inside this folder. */
#ifndef PT_RESULTS_TABLE_READER_H
#define PT_RESULTS_TABLE_READER_H

#include "analysis/results/h5.h"
#include "analysis/results/results.h"

struct pt__table_in {
    hid_t dataset, type; /* negative: no table */
    uint32_t field_count;
    struct pt_field *fields;
    uint32_t *offsets, *sizes;
    size_t row_size;
    uint64_t row_count, first, count; /* rows first .. first + count - 1 are in the buffer */
    uint8_t *buffer;
    char *text; /* of the last text cell, NUL-terminated */
};
#define PT__NO_TABLE ((struct pt__table_in){.dataset = -1, .type = -1})

/* The open file of a reader; it stays the reader's. Negative after pt_results_reader_shut. */
hid_t pt__results_file(const struct pt_results_reader *reader);

/* Returns `status`; an error other than of memory gets the name of the reader's file. */
enum pt_status pt__of_file(const struct pt_results_reader *reader, enum pt_status status,
                           struct pt_error *error);

/* PT_ERR_INPUT "is not a result that this program can read: WHAT". */
enum pt_status pt__bad_file(struct pt_error *error, const char *what);

/* Opens the table and reads its columns. Close it also after an error. */
PT_USE_RESULT enum pt_status pt__table_in_open(struct pt__table_in *table, hid_t file,
                                               const char *name, struct pt_error *error);
void pt__table_in_close(struct pt__table_in *table);

/* As pt_results_job_cell: the text of a cell that is none is "". */
PT_USE_RESULT enum pt_status pt__table_in_cell(struct pt__table_in *table, uint64_t row,
                                               uint32_t field, struct pt_cell *cell,
                                               struct pt_error *error);

#endif
