/* What `partita list` shows of the models: sharing modes, presets, interference models and every
 * coefficient beside them; and the interference profiles.
 */
#ifndef PT_CLI_LIST_MODELS_H
#define PT_CLI_LIST_MODELS_H

#include <jansson.h>

#include "sim/cli/terminal.h"

/* `list models`, as an array, the caller's (NULL when memory is out), or as text to stdout. */
json_t *pt__list_models_json(void);
void pt__list_models_text(const struct pt__terminal *terminal);

/* The same of `list profiles` without a GPU: a row for each name, GPU and law. */
json_t *pt__list_profiles_json(void);
void pt__list_profiles_text(const struct pt__terminal *terminal);

#endif
