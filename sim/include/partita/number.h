/* Strict reading of the numbers that users write, and writing them back.
 *
 * Decimal only: an optional sign, digits, at most one dot, an optional exponent (`1.5e3`). No
 * octal, hex, sexagesimal, spaces, infinities or NaN. Values are taken exactly where the result is
 * an integer (time, memory, millionths); what lies between two integers rounds half up unless a
 * function says otherwise. All functions take (text, length): text need not end in NUL.
 * On failure they return PT_ERR_INPUT with a message that says what is wrong ("is not a number",
 * "is negative", ...), without file and line: the caller adds the place.
 */
#ifndef PARTITA_NUMBER_H
#define PARTITA_NUMBER_H

#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Decimal seconds -> ns, 0 <= *ns <= PT_TIME_MAX. Nine decimals are exact, more round half up.
 * The hot path of the CSV readers: no allocation, no libm, about 10 ns. */
PT_USE_RESULT enum pt_status pt_parse_seconds(int64_t *ns, const char *text, size_t length,
                                              struct pt_error *error);

/* A duration as experiments write it: decimal seconds, or with a unit ns us ms s min h d
 * (`500ms`, `1.5h`). The same range. */
PT_USE_RESULT enum pt_status pt_parse_duration(int64_t *ns, const char *text, size_t length,
                                               struct pt_error *error);

/* A fraction in (0, 1] -> exact millionths; finer than a millionth is an error. */
PT_USE_RESULT enum pt_status pt_parse_fraction_ppm(uint32_t *ppm, const char *text, size_t length,
                                                   struct pt_error *error);

/* A number in [0, 1] -> millionths, half up. */
PT_USE_RESULT enum pt_status pt_parse_unit_ppm(uint32_t *ppm, const char *text, size_t length,
                                               struct pt_error *error);

/* Decimal GiB (no unit) -> MiB, rounded up; 0 <= *mib < PT_NONE. */
PT_USE_RESULT enum pt_status pt_parse_gib(uint32_t *mib, const char *text, size_t length,
                                          struct pt_error *error);

/* Memory as experiments write it: GiB when bare, else GiB MiB TiB GB MB TB (powers of 2 and 10).
 * `round_up` for requests; capacities round down. */
PT_USE_RESULT enum pt_status pt_parse_memory(uint32_t *mib, const char *text, size_t length,
                                             bool round_up, struct pt_error *error);

/* A decimal -> exact thousandths (CPUs), half up; 0 <= *milli < PT_NONE. */
PT_USE_RESULT enum pt_status pt_parse_milli(uint32_t *milli, const char *text, size_t length,
                                            struct pt_error *error);

/* A whole number; `1e3` and `4.0` are whole. */
PT_USE_RESULT enum pt_status pt_parse_int(int64_t *value, const char *text, size_t length,
                                          int64_t min, int64_t max, struct pt_error *error);

/* A finite double (strtod's value, our grammar). Overflow (`1e400`) is an error. */
PT_USE_RESULT enum pt_status pt_parse_double(double *value, const char *text, size_t length,
                                             struct pt_error *error);

/* Writes ns as the shortest exact decimal seconds ("40", "0.6", "1700000000.000001") and returns
 * the length; `out` has room for 24 bytes. PT_NEVER gives "inf". */
#define PT_SECONDS_TEXT_MAX 24
size_t pt_format_seconds(char out[PT_SECONDS_TEXT_MAX], int64_t ns);

/* Shortest decimal that reads back as the same double (at most 17 digits); room for 32 bytes. */
#define PT_DOUBLE_TEXT_MAX 32
size_t pt_format_double(char out[PT_DOUBLE_TEXT_MAX], double value);

/* Seconds as a double, for reports only: correctly rounded ns / 1e9. */
double pt_seconds(int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
