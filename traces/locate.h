/* Where a cell stands in a trace's file, for errors that are found once the file is read. */
#ifndef PT_TRACES_LOCATE_H
#define PT_TRACES_LOCATE_H

#include <stddef.h>
#include <stdint.h>

/* The column, in bytes from 1, at which the cell of the file's column `name` begins in this line;
 * 0 = unknown. Reads the CSV file again up to there. */
uint32_t pt_locate_cell(const char *path, uint32_t line, const char *name, size_t name_length);

#endif
