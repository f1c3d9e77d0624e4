/* Tables in the layout of HDF5's high-level library (H5TB), laid by hand so that no object times
 * get in: a compound dataset with CLASS, VERSION, TITLE, FIELD_n_NAME, FIELD_n_UNITS and NROWS.
 * h5py, pandas.read_hdf and PyTables read them as they are. Shared inside this folder.
 *
 * Rows are packed, buffered a chunk at a time, and the dataset is made at the first flush, so that
 * a small table takes a small file. Buffers are zeroed: no byte of a file is left to chance. The
 * same code writes plain one-column datasets (the series).
 */
#ifndef PT_RESULTS_TABLE_H
#define PT_RESULTS_TABLE_H

#include "analysis/results/h5.h"

/* The types of cells, and what stands for "absent" in them. */
enum pt__cell_type {
    PT__I64,    /* INT64_MIN */
    PT__I32,    /* -1 */
    PT__I8,     /* -1 */
    PT__NUMBER, /* double: NaN */
    PT__TEXT    /* UTF-8, NUL-padded to `width`: "" */
};

struct pt__column {
    const char *name, *unit;
    enum pt__cell_type type;
    uint32_t width;  /* bytes; given for text, else filled in */
    uint32_t offset; /* in a row; filled in */
};

struct pt__table_spec {
    const char *name, *title;
    struct pt__column *columns; /* borrowed until close; offsets are filled in */
    uint32_t column_count;
    uint64_t rows_max; /* when known before; else 0 */
    int compression;   /* deflate level; 0 = none */
    bool plain;        /* one column, no table: only the attribute `units` */
};

struct pt__table;

/* `parent` stays open until close. */
PT_USE_RESULT enum pt_status pt__table_create(struct pt__table **table, hid_t parent,
                                              const struct pt__table_spec *spec,
                                              struct pt_error *error);
/* Room for the next rows, zeroed: *room >= 1 of *row_size bytes each. */
PT_USE_RESULT enum pt_status pt__table_reserve(struct pt__table *table, uint8_t **rows,
                                               uint32_t *room, uint32_t *row_size,
                                               struct pt_error *error);
/* Says that the first `count` of them are filled. */
void pt__table_commit(struct pt__table *table, uint32_t count);

/* Writes what is buffered and the attributes; frees the table either way. */
PT_USE_RESULT enum pt_status pt__table_close(struct pt__table *table, struct pt_error *error);
/* Frees it, writing nothing. NULL is allowed. */
void pt__table_abandon(struct pt__table *table);

/* The dataset, for further attributes: call when all rows are in, before close. */
PT_USE_RESULT enum pt_status pt__table_dataset(hid_t *dataset, struct pt__table *table,
                                               struct pt_error *error);

/* Cells of a row. Text beyond the width is cut. */
void pt__put_i64(uint8_t *row, const struct pt__column *column, int64_t value);
void pt__put_i32(uint8_t *row, const struct pt__column *column, int32_t value);
void pt__put_number(uint8_t *row, const struct pt__column *column, double value);
void pt__put_text(uint8_t *row, const struct pt__column *column, const char *text);

#endif
