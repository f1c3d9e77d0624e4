/* Gates: conditions that fail a run, each with a name and the place that it was written at.
 *
 * A list that owns its texts: conditions are read once, looked up and judged for every result. The
 * last judgement stays with its gate.
 */
#ifndef PT_COMPARE_GATES_H
#define PT_COMPARE_GATES_H

#include "analysis/compare/condition.h"
#include "analysis/compare/differences.h"

struct pt_gate {
    char *name;            /* the condition, unless the user gave one */
    char *text;            /* the condition as written */
    char *file;            /* or the option that it was given to */
    char *shown;           /* the line of the file, for messages; NULL = the text itself */
    uint32_t line, column; /* where the text begins in the file, from 1; 0 = not in a file */
    struct pt_condition condition;
    struct pt_judgement judgement;
};

/* Zeroed: none. */
struct pt_gates {
    size_t count, capacity;
    struct pt_gate *list;
};

/* Adds a gate of copies of the texts; name NULL = the condition's text. PT_ERR_INPUT with the
 * condition's place when it can't be read: then the gate is not added. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt_gates_add(struct pt_gates *gates, const char *name,
                                          const char *text, const char *file, uint32_t line,
                                          uint32_t column, struct pt_error *error);
void pt_gates_fini(struct pt_gates *gates);

/* Looks up what a gate is about. PT_ERR_INPUT, with the condition's place, as pt_condition_find. */
PT_USE_RESULT enum pt_status pt_gate_find(const struct pt_metric **metric,
                                          const struct pt_gate *gate,
                                          const struct pt_summary *summary, struct pt_error *error);

/* Judges all against a summary in which each of them was found; NULL: of a world that did not come
 * to its end nothing is known. A relative condition, which has no base here, is unknown. */
void pt_gates_judge(struct pt_gates *gates, const struct pt_summary *summary);

/* Judges all against a comparison, whose metrics are means over the runs compared. A relative gate
 * fails where the change is beyond its limit AND not by chance: with several runs a side, where p,
 * after Holm's correction over the relative gates, is below `alpha`; with one run a side the change
 * alone decides. What neither side has is unknown. Fails for want of memory only. */
PT_USE_RESULT enum pt_status pt_gates_judge_differences(struct pt_gates *gates,
                                                        const struct pt_differences *differences,
                                                        double alpha, struct pt_error *error);

/* How many did not pass: those that failed and those that could not be judged. */
size_t pt_gates_failed(const struct pt_gates *gates);

#endif
