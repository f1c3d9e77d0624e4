#include "sim/experiment/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)16 * 1024)

struct pt_arena_block {
    struct pt_arena_block *older;
    alignas(max_align_t) unsigned char bytes[];
};

void pt_arena_init(struct pt_arena *arena)
{
    *arena = (struct pt_arena){0};
}

void pt_arena_fini(struct pt_arena *arena)
{
    struct pt_arena_block *block = arena->blocks;
    while (block) {
        struct pt_arena_block *older = block->older;
        free(block);
        block = older;
    }
    pt_arena_init(arena);
}

void *pt_arena_alloc(struct pt_arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = (count * size + align - 1) / align * align;
    if (!arena->blocks || bytes > arena->size - arena->used) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct pt_arena_block *block = calloc(1, sizeof *block + room);
        if (!block) return NULL;
        block->older = arena->blocks;
        arena->blocks = block;
        arena->used = 0;
        arena->size = room;
    }
    void *out = arena->blocks->bytes + arena->used;
    arena->used += bytes;
    return out;
}

char *pt_arena_text(struct pt_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX) return NULL;
    char *copy = pt_arena_alloc(arena, length + 1, 1);
    if (copy && length > 0) memcpy(copy, text, length);
    return copy;
}
