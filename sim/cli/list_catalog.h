/* What `partita list` shows of the GPU catalogue: all GPUs, and the MIG table of one. */
#ifndef PT_CLI_LIST_CATALOG_H
#define PT_CLI_LIST_CATALOG_H

#include <jansson.h>

#include "sim/cli/terminal.h"

/* `list gpus`, `list profiles --gpu NAME`, both with --catalog FILE: text to stdout, or with `json`
 * an array there instead, the caller's. Returns the exit code; what is wrong has been said. */
int pt__list_catalog(const struct pt__terminal *terminal, const struct pt__args *args,
                     json_t **json);

#endif
