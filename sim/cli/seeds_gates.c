#include "sim/cli/seeds_gates.h"

#include <math.h>
#include <stdlib.h>

enum pt_status pt__seeds_gates_init(struct pt__seeds_gates *all, struct pt_gates *gates,
                                    size_t seed_count, struct pt_error *error)
{
    *all = (struct pt__seeds_gates){.gates = gates, .seed_count = seed_count};
    all->values = calloc(gates->count * seed_count + 1, sizeof *all->values);
    if (!all->values) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < gates->count * seed_count; i++)
        all->values[i] = NAN;
    return PT_OK;
}

void pt__seeds_gates_fini(struct pt__seeds_gates *all)
{
    free(all->values);
    all->values = NULL;
}

void pt__seeds_gates_add(struct pt__seeds_gates *all, size_t index,
                         const struct pt_summary *summary)
{
    for (size_t g = 0; g < all->gates->count; g++) {
        const struct pt_metric *metric;
        /* a group that this run has not, like a pool in which nothing ran, has no value in it */
        if (pt_gate_find(&metric, &all->gates->list[g], summary, NULL) == PT_OK)
            all->values[g * all->seed_count + index] = metric->value;
    }
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        sum += values[i];
        used++;
    }
    return used > 0 ? sum / (double)used : NAN;
}

void pt__seeds_gates_judge(const struct pt__seeds_gates *all)
{
    for (size_t g = 0; g < all->gates->count; g++) {
        struct pt_gate *gate = &all->gates->list[g];
        struct pt_metric got = {.value =
                                    mean_of(all->values + g * all->seed_count, all->seed_count)};
        gate->judgement = pt_condition_judge(&gate->condition, &got, NULL);
    }
}
