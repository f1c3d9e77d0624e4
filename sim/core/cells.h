/* Sizes of the cells of a trace's columns. */
#ifndef PT_CORE_CELLS_H
#define PT_CORE_CELLS_H

#include "partita/trace.h"

static inline size_t pt__cell_size(enum pt_column_id column)
{
    switch (pt_columns[column].type) {
    case PT_COLUMN_TIME:
        return sizeof(int64_t);
    case PT_COLUMN_BOOL:
        return sizeof(uint8_t);
    default:
        return sizeof(uint32_t);
    }
}

#endif
