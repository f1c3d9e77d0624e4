/* --set PATH=VALUE: overrides any key of an experiment, typed and checked through its schema.
 *
 *   cluster.pools[slice].nodes=8     elements of lists by index or by their name (jobs by id)
 *   sla.tiers.gold.max_wait=5min     names of maps behind a dot or in brackets
 *   policy={name: fifo, blocking: skip}      maps and lists as YAML
 *
 * Keys that are absent are made, elements of lists are not. A short form in the file is written
 * out first, so that `policy: fifo` and `policy.blocking=skip` go together.
 */
#ifndef PT_EXPERIMENT_SET_H
#define PT_EXPERIMENT_SET_H

#include "sim/experiment/schema.h"

/* Applies the arguments in order to the raw tree `root`. Paths are checked here, values by
 * pt_schema_check. All that is wrong goes to `messages`, naming the argument; then PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt_set_apply(struct pt_yaml *yaml, struct pt_yaml_node *root,
                                          const struct pt_schema *schema, const char *const *sets,
                                          size_t count, struct pt_messages *messages);

#endif
