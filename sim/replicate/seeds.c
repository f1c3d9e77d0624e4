#include "sim/replicate/seeds.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A whole number without sign, dot or exponent that fits the experiment's key `seed`. */
static bool read_seed(uint64_t *seed, const char *text, size_t length)
{
    *seed = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (*seed > ((uint64_t)INT64_MAX - digit) / 10) return false;
        *seed = 10 * *seed + digit;
    }
    return length > 0;
}

static enum pt_status read_item(uint64_t *first, uint64_t *last, const char *text, size_t length,
                                struct pt_error *error)
{
    int shown = (int)(length < 40 ? length : 40);
    size_t dots = 0;
    while (dots + 1 < length && (text[dots] != '.' || text[dots + 1] != '.'))
        dots++;
    bool range = dots + 1 < length;
    bool good = read_seed(first, text, range ? dots : length);
    *last = *first;
    if (good && range) good = read_seed(last, text + dots + 2, length - dots - 2);
    if (!good)
        return pt_fail(error, PT_ERR_INPUT,
                       "'%.*s' is no seed and no range of seeds: 1..20, or 3,7,9", shown, text);
    if (*last < *first)
        return pt_fail(error, PT_ERR_INPUT, "'%.*s' ends before it begins", shown, text);
    return PT_OK;
}

static enum pt_status add_range(struct pt_seeds *seeds, size_t *capacity, uint64_t first,
                                uint64_t last, struct pt_error *error)
{
    if (last - first >= PT_SEEDS_MAX - seeds->count)
        return pt_fail(error, PT_ERR_INPUT, "more than %d seeds", PT_SEEDS_MAX);
    size_t wanted = seeds->count + (size_t)(last - first) + 1;
    if (wanted > *capacity) {
        size_t room = 2 * wanted;
        uint64_t *grown = realloc(seeds->list, room * sizeof *grown);
        if (!grown) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        seeds->list = grown;
        *capacity = room;
    }
    for (uint64_t seed = first; seeds->count < wanted; seed++)
        seeds->list[seeds->count++] = seed;
    return PT_OK;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum pt_status sort(struct pt_seeds *seeds, struct pt_error *error)
{
    qsort(seeds->list, seeds->count, sizeof *seeds->list, by_value);
    for (size_t i = 1; i < seeds->count; i++)
        if (seeds->list[i] == seeds->list[i - 1])
            return pt_fail(error, PT_ERR_INPUT, "seed %" PRIu64 " is named twice", seeds->list[i]);
    return PT_OK;
}

enum pt_status pt_seeds_parse(struct pt_seeds *seeds, const char *text, struct pt_error *error)
{
    size_t capacity = 0;
    enum pt_status status = PT_OK;
    *seeds = (struct pt_seeds){0};
    for (const char *item = text; item && status == PT_OK;) {
        size_t length = strcspn(item, ",");
        uint64_t first, last;
        status = read_item(&first, &last, item, length, error);
        if (status == PT_OK) status = add_range(seeds, &capacity, first, last, error);
        item = item[length] ? item + length + 1 : NULL;
    }
    if (status == PT_OK) status = sort(seeds, error);
    if (status != PT_OK) pt_seeds_fini(seeds);
    return status;
}

void pt_seeds_fini(struct pt_seeds *seeds)
{
    free(seeds->list);
    *seeds = (struct pt_seeds){0};
}
