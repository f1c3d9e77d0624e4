/* Numbers as people like to read them in a terminal: three digits that matter and a unit.
 *
 * Every function writes at most PT__TEXT_MAX bytes with the NUL and returns its buffer; NaN is "-".
 */
#ifndef PT_CLI_FORMAT_H
#define PT_CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define PT__TEXT_MAX 32

/* "812 ms", "12.3 s", "4.56 min", "7.89 h", "12.0 d": the unit that keeps the number short. */
char *pt__format_duration(char out[PT__TEXT_MAX], double seconds);
/* "1.00", "12.3", "123", "12,345", "5.69e6". */
char *pt__format_ratio(char out[PT__TEXT_MAX], double value);
/* "72.3 %" of a share in 0..1. */
char *pt__format_percent(char out[PT__TEXT_MAX], double share);
/* "77,574". */
char *pt__format_count(char out[PT__TEXT_MAX], uint64_t value);

#endif
