#include "policies/fair/intern.h"

#include <stdlib.h>

static uint32_t hash(struct pt_triple t)
{
    uint64_t h = (uint64_t)t.a * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29) ^ t.b) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32) ^ t.c) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

static bool same(struct pt_triple x, struct pt_triple y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c;
}

/* The slot that has the triple, or the empty one where it belongs. */
static uint32_t slot_of(const struct pt_intern *table, struct pt_triple triple)
{
    uint32_t mask = table->slot_count - 1, at = hash(triple) & mask;
    while (table->slot[at] != 0 && !same(table->triple[table->slot[at] - 1], triple))
        at = (at + 1) & mask;
    return at;
}

static bool grow(struct pt_intern *table)
{
    uint32_t capacity = table->capacity == 0 ? 64 : table->capacity * 2;
    if (table->capacity > UINT32_MAX / 8) return false;
    struct pt_triple *triple = realloc(table->triple, (size_t)capacity * sizeof *triple);
    if (triple == NULL) return false;
    table->triple = triple;
    uint32_t *slot = calloc((size_t)capacity * 2, sizeof *slot);
    if (slot == NULL) return false;
    free(table->slot);
    table->slot = slot;
    table->slot_count = capacity * 2;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        slot[slot_of(table, triple[i])] = i + 1;
    return true;
}

bool pt__intern(uint32_t *number, struct pt_intern *table, struct pt_triple triple)
{
    if (table->count == table->capacity && !grow(table)) return false;
    uint32_t at = slot_of(table, triple);
    if (table->slot[at] == 0) {
        table->triple[table->count] = triple;
        table->slot[at] = ++table->count;
    }
    *number = table->slot[at] - 1;
    return true;
}

void pt__intern_fini(struct pt_intern *table)
{
    free(table->triple);
    free(table->slot);
    *table = (struct pt_intern){0};
}
