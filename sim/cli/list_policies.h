/* What `partita list policies` shows: orders and placements, with what they read of a trace and
 * what may be expected of them.
 */
#ifndef PT_CLI_LIST_POLICIES_H
#define PT_CLI_LIST_POLICIES_H

#include <jansson.h>

#include "partita/status.h"
#include "sim/cli/terminal.h"

/* Whether `name` is an order or a placement. PT_ERR_INPUT, with what was probably meant, if not. */
PT_USE_RESULT enum pt_status pt__list_policies_check(const char *name, struct pt_error *error);

/* Names that were asked for; none = all there are. */
struct pt__names {
    const char *const *list;
    size_t count;
};

/* Those of these names, in the registry's order: as an array, the caller's (NULL when memory is
 * out), or as text to stdout; all of them in short unless the user wants words. */
json_t *pt__list_policies_json(const struct pt__names *names);
void pt__list_policies_text(const struct pt__terminal *terminal, const struct pt__names *names);

/* Their names, NULL past the end; orders first. For the shell. */
const char *pt__list_policies_name(size_t index);

#endif
