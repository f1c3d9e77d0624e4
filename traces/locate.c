#include "traces/locate.h"

#include <string.h>

#include "traces/csv.h"

enum { CELLS_MAX = 1024 };

/* Which cell of a row it is; PT_CSV_NOWHERE = the header has no such column. */
static uint32_t find_column(struct pt__cell *cells, struct pt__csv *csv, const char *name,
                            size_t name_length)
{
    struct pt__record record;
    uint32_t count = 0;
    if (pt__csv_next(csv, &record, NULL) != PT_OK || record.text == NULL ||
        pt__csv_split(cells, &count, CELLS_MAX, csv, &record, NULL) != PT_OK)
        return PT_CSV_NOWHERE;
    for (uint32_t at = 0; at < count && at < CELLS_MAX; at++)
        if (cells[at].length == name_length && memcmp(cells[at].text, name, name_length) == 0)
            return at;
    return PT_CSV_NOWHERE;
}

/* Its place in the record that begins in this line. */
static uint32_t find_cell(struct pt__cell *cells, struct pt__csv *csv, uint32_t line,
                          uint32_t column)
{
    struct pt__record record;
    uint32_t count = 0;
    do {
        if (pt__csv_next(csv, &record, NULL) != PT_OK || record.text == NULL) return 0;
    } while (record.line < line);
    if (record.line != line ||
        pt__csv_split(cells, &count, CELLS_MAX, csv, &record, NULL) != PT_OK || column >= count)
        return 0;
    return cells[column].line == line ? cells[column].column : 0;
}

uint32_t pt_locate_cell(const char *path, uint32_t line, const char *name, size_t name_length)
{
    struct pt__cell cells[CELLS_MAX];
    struct pt__csv csv;
    if (path == NULL || line == 0 || pt__csv_open(&csv, path, NULL) != PT_OK) return 0;
    uint32_t at = find_column(cells, &csv, name, name_length);
    uint32_t column = at == PT_CSV_NOWHERE ? 0 : find_cell(cells, &csv, line, at);
    pt__csv_close(&csv);
    return column;
}
