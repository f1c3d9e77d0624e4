/* What `partita list` shows of everything that has a name, a summary and parameters: policies,
 * placements, trace sources, sharing modes, models.
 */
#ifndef PT_CLI_DESCRIBED_H
#define PT_CLI_DESCRIBED_H

#include <jansson.h>

#include "partita/param.h"
#include "sim/cli/terminal.h"

/* One as an object, the caller's; `source` may be NULL. NULL when memory is out. */
json_t *pt__described_json(const char *kind, const char *name, const char *summary,
                           const char *source, const struct pt_param *params);

/* The same as lines on stdout: its name and summary, then each parameter. */
void pt__described_text(const struct pt__terminal *terminal, const char *name, const char *summary,
                        const struct pt_param *params);
/* In short: its name, its summary, and in brackets what its parameters are called. */
void pt__described_short(const struct pt__terminal *terminal, const char *name, const char *summary,
                         const struct pt_param *params);
/* A further line of it, broken where it is long: "      source: ...". */
void pt__described_line(const char *label, const char *text);

#endif
