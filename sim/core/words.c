#include "sim/core/words.h"

#include <stdlib.h>
#include <string.h>

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    pt_u128 product = (pt_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes a step, each folded in by a 64 x 64 -> 128 bit multiplication. */
uint64_t pt__hash_text(const char *text, size_t length)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = length * odd;
    while (length >= 8) {
        uint64_t chunk;
        memcpy(&chunk, text, 8);
        hash = mix(hash ^ chunk, odd);
        text += 8;
        length -= 8;
    }
    uint64_t tail = 0;
    memcpy(&tail, text, length);
    return mix(hash ^ tail ^ (UINT64_C(1) << 63), odd);
}

static bool same(const char *word, const char *text, size_t length)
{
    return strncmp(word, text, length) == 0 && word[length] == '\0';
}

/* The slot of this word, or the empty one where it belongs. */
static uint32_t find_slot(const struct pt_words *words, const char *text, size_t length)
{
    uint32_t mask = words->slot_count - 1;
    uint32_t slot = (uint32_t)pt__hash_text(text, length) & mask;
    while (words->slots[slot] != 0 && !same(words->words[words->slots[slot] - 1], text, length))
        slot = (slot + 1) & mask;
    return slot;
}

static enum pt_status grow(struct pt_words *words, struct pt_error *error)
{
    if (words->capacity > UINT32_MAX / 8) return pt_fail(error, PT_ERR_INPUT, "too many words");
    uint32_t capacity = words->capacity == 0 ? 16 : 2 * words->capacity;
    char **list = realloc(words->words, capacity * sizeof *list);
    if (list == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    words->words = list;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (slots == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    free(words->slots);
    words->slots = slots;
    words->slot_count = 2 * capacity;
    words->capacity = capacity;
    for (uint32_t i = 0; i < words->count; i++)
        slots[find_slot(words, list[i], strlen(list[i]))] = i + 1;
    return PT_OK;
}

enum pt_status pt__words_add(struct pt_words *words, uint32_t *index, const char *text,
                             size_t length, struct pt_error *error)
{
    if (words->count == words->capacity) PT_TRY(grow(words, error));
    uint32_t slot = find_slot(words, text, length);
    if (words->slots[slot] == 0) {
        char *copy = malloc(length + 1);
        if (copy == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        memcpy(copy, text, length);
        copy[length] = '\0';
        words->words[words->count++] = copy;
        words->slots[slot] = words->count;
    }
    *index = words->slots[slot] - 1;
    return PT_OK;
}

void pt__words_fini(struct pt_words *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        free(words->words[i]);
    free(words->words);
    free(words->slots);
    *words = (struct pt_words){0};
}
