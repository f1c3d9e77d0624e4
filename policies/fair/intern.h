/* Triples of numbers, numbered 0, 1, ... by first appearance: how queues are told apart at the
 * start of a run. A hash table that grows by doubling; O(1) amortised. */
#ifndef PT_FAIR_INTERN_H
#define PT_FAIR_INTERN_H

#include <stdbool.h>
#include <stdint.h>

struct pt_triple {
    uint32_t a, b, c;
};

struct pt_intern {
    struct pt_triple *triple; /* by number */
    uint32_t count, capacity;
    uint32_t *slot; /* number + 1, 0 = empty */
    uint32_t slot_count;
};

/* The triple's number in *number; false when memory is out. A zeroed table is empty. */
bool pt__intern(uint32_t *number, struct pt_intern *table, struct pt_triple triple);
void pt__intern_fini(struct pt_intern *table);

#endif
