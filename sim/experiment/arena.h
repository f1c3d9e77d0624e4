/* Memory that lives and dies together: the tree of a file, a loaded experiment.
 *
 * Nothing is freed one by one; pt_arena_fini frees all. Amortised O(1) an allocation.
 */
#ifndef PT_EXPERIMENT_ARENA_H
#define PT_EXPERIMENT_ARENA_H

#include <stddef.h>

struct pt_arena_block;

struct pt_arena {
    struct pt_arena_block *blocks;
    size_t used, size; /* of the newest block */
};

/* An empty arena; {0} does the same. fini frees everything and leaves an empty one. */
void pt_arena_init(struct pt_arena *arena);
void pt_arena_fini(struct pt_arena *arena);

/* `count` zeroed items of `size` bytes, aligned for any type; NULL when memory is out or the
 * product overflows. `count` 0 gives a pointer to nothing, never NULL. */
void *pt_arena_alloc(struct pt_arena *arena, size_t count, size_t size);

/* A copy of the text with a NUL behind it; NULL when memory is out. */
char *pt_arena_text(struct pt_arena *arena, const char *text, size_t length);

#endif
