/* Gates as users give them: to an option, one condition each, or in a file of them. What is wrong
 * with any of them is said with its place, the condition and a caret. See analysis/compare/gates.h.
 */
#ifndef PT_EXPERIMENT_GATES_H
#define PT_EXPERIMENT_GATES_H

#include "analysis/compare/gates.h"
#include "sim/experiment/messages.h"

/* Reads conditions given to `option` ("--fail-on"). `has_base`: false refuses relative ones.
 * PT_ERR_INPUT after all of them were read, PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt_gates_read_arguments(struct pt_gates *gates, const char *option,
                                                     const char *const *texts, size_t count,
                                                     bool has_base, struct pt_messages *messages);

/* Reads a file of gates (pt_schema_gates). `has_base`: false refuses relative conditions. Errors as
 * above, those of the file at their places; a file that can't be read is PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt_gates_load(struct pt_gates *gates, const char *path, bool has_base,
                                           struct pt_messages *messages);

/* Looks every gate up: PT_ERR_INPUT if the summary has not what any of them is about. */
PT_USE_RESULT enum pt_status pt_gates_check(const struct pt_gates *gates,
                                            const struct pt_summary *summary,
                                            struct pt_messages *messages);

/* The same for a comparison, where it is enough that any run of either side has it. `changed` is
 * the summary that errors are about. */
PT_USE_RESULT enum pt_status pt_gates_check_differences(const struct pt_gates *gates,
                                                        const struct pt_differences *differences,
                                                        const struct pt_summary *changed,
                                                        struct pt_messages *messages);

/* The same before a run, by the summary of the world in which nothing has happened yet: labels and
 * metrics are those that it will have at its end. O(jobs); nothing without gates. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt_gates_check_before(const struct pt_gates *gates,
                                                   const struct pt_summary_input *input,
                                                   struct pt_messages *messages);

#endif
