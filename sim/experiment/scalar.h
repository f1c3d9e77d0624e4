/* One scalar of a file against one row of a parameter table: the text, its type, its range.
 *
 * Types are the row's: `true`/`false`, decimals or `1.5e3`, durations and memory with their units,
 * quoted or not. Where a row's `max` is `inf`, the value `inf` is allowed and means "no limit".
 */
#ifndef PT_EXPERIMENT_SCALAR_H
#define PT_EXPERIMENT_SCALAR_H

#include <stdbool.h>

#include "partita/param.h"
#include "partita/status.h"

/* What `inf` becomes: value.integer, and value.number for PT_PARAM_NUMBER. */
#define PT_SCALAR_INF INT64_MAX

/* Parses a text as the row says; value.text is `text` itself for every type, borrowed. On failure
 * PT_ERR_INPUT with a message like "is not a number" that the caller puts behind the value. Memory
 * rounds down, as capacities do. */
PT_USE_RESULT enum pt_status pt_scalar_parse(struct pt_value *value, const struct pt_param *param,
                                             const char *text, size_t length,
                                             struct pt_error *error);

/* "a whole number", "a duration", ... for messages and manuals. */
const char *pt_scalar_type_text(enum pt_param_type type);

/* True for a text that some YAML reader would take for something else than a text ("true", "1e3",
 * "", "null"): it is written in quotes. */
bool pt_scalar_needs_quotes(const char *text, size_t length);

#endif
