#include <stdio.h>
#include <string.h>

#include "models/units/mig.h"
#include "partita/suggest.h"

/* ---- the search ---- */

/* Placements of the largest tables that are known number some hundreds; past this many steps the
 * best of those seen is taken. */
#define STEPS_MAX (1u << 20)

struct search {
    const struct pt_mig *mig;
    uint8_t items[PT_MIG_SLICES_MAX]; /* profiles to be placed, large ones first */
    uint8_t starts[PT_MIG_SLICES_MAX];
    uint32_t count, steps;
    bool found;
    unsigned options; /* of the best so far */
    struct pt__mig_layout *best;
};

static void keep(struct search *search, struct pt__mig_room room)
{
    unsigned options = pt__mig_options(search->mig, room);
    if (search->found && options <= search->options) return;
    search->found = true;
    search->options = options;
    *search->best = (struct pt__mig_layout){0};
    for (uint32_t i = 0; i < search->count; i++) {
        search->best->starts |= (uint16_t)(1u << search->starts[i]);
        search->best->profile[search->starts[i]] = search->items[i];
    }
}

/* Places items[at] and all after it, equal ones in rising order; in the order of their starts, so
 * that of equally good placements the lowest comes first. */
static void place_from(struct search *search, uint32_t at, struct pt__mig_room room)
{
    if (at >= search->count || at >= PT_MIG_SLICES_MAX) {
        keep(search, room);
        return;
    }
    const struct pt_mig_profile *profile = &search->mig->profiles[search->items[at]];
    bool again = at > 0 && search->items[at] == search->items[at - 1];
    unsigned starts = pt__mig_starts(profile, room);
    if (again) starts &= ~0u << search->starts[at - 1];
    for (; starts != 0 && search->steps < STEPS_MAX; starts &= starts - 1) {
        unsigned start = (unsigned)__builtin_ctz(starts);
        search->steps++;
        search->starts[at] = (uint8_t)start;
        place_from(search, at + 1, pt__mig_beside(room, profile, start));
    }
}

bool pt__mig_place_all(struct pt__mig_layout *layout, const struct pt_mig *mig,
                       const uint32_t counts[PT_MIG_PROFILES_MAX])
{
    struct search search = {.mig = mig, .best = layout};
    for (unsigned size = PT_MIG_SLICES_MAX; size > 0; size--) {
        for (unsigned i = 0; i < mig->profile_count; i++) {
            if (mig->profiles[i].size != size) continue;
            if (counts[i] > PT_MIG_SLICES_MAX - search.count) return false;
            for (uint32_t n = 0; n < counts[i]; n++)
                search.items[search.count++] = (uint8_t)i;
        }
    }
    place_from(&search, 0, pt__mig_whole(mig));
    return search.found;
}

/* ---- why not ---- */

struct text {
    char *out;
    size_t size, used;
};

PT_PRINTF(2, 3) static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->out + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    text->used += (size_t)length;
    if (text->used >= text->size) text->used = text->size - 1;
}

static void append_counts(struct text *text, const struct pt_mig *mig, const uint32_t *counts)
{
    const char *gap = "";
    for (unsigned i = 0; i < mig->profile_count; i++) {
        if (counts[i] == 0) continue;
        append(text, "%s%u x %.24s", gap, counts[i], mig->profiles[i].name);
        gap = ", ";
    }
}

static void append_starts(struct text *text, const struct pt_mig *mig, const uint32_t *counts)
{
    for (unsigned i = 0; i < mig->profile_count; i++) {
        if (counts[i] == 0) continue;
        append(text, "; %.24s takes %u from", mig->profiles[i].name, mig->profiles[i].size);
        for (unsigned s = 0; s < PT_MIG_SLICES_MAX; s++)
            if (mig->profiles[i].starts >> s & 1) append(text, " %u", s);
    }
}

/* Says which budget a multiset is over that has no legal placement. */
static enum pt_status refuse(const struct pt_gpu_model *gpu, const uint32_t *counts,
                             struct pt_error *error)
{
    const struct pt_mig *mig = gpu->mig;
    char what[256] = "", why[384] = "";
    struct text layout = {what, sizeof what, 0}, reason = {why, sizeof why, 0};
    uint64_t compute = 0, memory = 0, media = 0;
    for (unsigned i = 0; i < mig->profile_count; i++) {
        compute += (uint64_t)counts[i] * mig->profiles[i].compute;
        memory += (uint64_t)counts[i] * mig->profiles[i].size;
        media += mig->profiles[i].media ? counts[i] : 0;
    }
    append_counts(&layout, mig, counts);
    if (memory > mig->memory)
        append(&reason, "%llu memory slices, the GPU has %u", (unsigned long long)memory,
               mig->memory);
    if (compute > mig->compute)
        append(&reason, "%s%llu compute slices, the GPU has %u", why[0] ? "; " : "",
               (unsigned long long)compute, mig->compute);
    if (media > 1)
        append(&reason, "%s%llu instances with +me, a GPU has one at most", why[0] ? "; " : "",
               (unsigned long long)media);
    if (why[0] == '\0') {
        append(&reason,
               "the slices would do, but not where the instances may start (memory slices");
        append_starts(&reason, mig, counts);
        append(&reason, ")");
    }
    return pt_fail(error, PT_ERR_INPUT, "layout %s is impossible on %.64s: %s", what, gpu->name,
                   why);
}

/* ---- names ---- */

/* The table's profile of this name, '.' before a suffix standing for its '+' (mig-parted writes
 * 1g.10gb.me); PT_NONE if there is none. */
static uint32_t find_profile(const struct pt_mig *mig, const char *name, size_t length)
{
    for (uint32_t i = 0; i < mig->profile_count; i++) {
        const char *known = mig->profiles[i].name;
        size_t at = 0;
        while (at < length && known[at] != '\0' &&
               (name[at] == known[at] || (name[at] == '.' && known[at] == '+')))
            at++;
        if (at == length && known[at] == '\0') return i;
    }
    return PT_NONE;
}

/* The profile that somebody may have meant who wrote another GPU's: as many compute slices, and
 * +me like it; else the nearest name; NULL if nothing is near. */
static const char *nearest_profile(const struct pt_mig *mig, const char *name, size_t length)
{
    unsigned compute = 0;
    size_t at = 0;
    bool media = length > 3 && memcmp(name + length - 3, "+me", 3) == 0;
    for (; at < length && name[at] >= '0' && name[at] <= '9' && compute < 100; at++)
        compute = 10 * compute + (unsigned)(name[at] - '0');
    for (uint32_t i = 0; at > 0 && at < length && name[at] == 'g' && i < mig->profile_count; i++)
        if (mig->profiles[i].compute == compute && mig->profiles[i].media == media)
            return mig->profiles[i].name;
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, name, length);
    for (uint32_t i = 0; i < mig->profile_count; i++)
        pt_suggest_offer(&suggestion, mig->profiles[i].name);
    return suggestion.best;
}

static enum pt_status unknown_profile(const struct pt_gpu_model *gpu, const char *name,
                                      size_t length, struct pt_error *error)
{
    char known[256] = "";
    struct text text = {known, sizeof known, 0};
    const char *near = nearest_profile(gpu->mig, name, length);
    for (unsigned i = 0; i < gpu->mig->profile_count; i++)
        append(&text, "%s%.24s", i > 0 ? ", " : "", gpu->mig->profiles[i].name);
    return pt_fail(error, PT_ERR_INPUT,
                   "layout: '%.*s' is no MIG profile of %.64s%s%s%s (it has: %s)",
                   (int)(length < 48 ? length : 48), name, gpu->name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* ---- named layouts ---- */

static bool is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* The first plain profile with so many compute slices: the smallest of them. PT_NONE if none has.
 */
static uint32_t plain_profile(const struct pt_mig *mig, unsigned compute)
{
    for (uint32_t i = 0; i < mig->profile_count; i++)
        if (mig->profiles[i].compute == compute && !mig->profiles[i].media) return i;
    return PT_NONE;
}

/* As many instances of one profile as go. */
static bool fill(struct pt__mig_layout *layout, const struct pt_mig *mig, uint32_t profile)
{
    uint32_t counts[PT_MIG_PROFILES_MAX] = {0};
    for (uint32_t n = mig->memory; n > 0; n--) {
        counts[profile] = n;
        if (pt__mig_place_all(layout, mig, counts)) return true;
    }
    return false;
}

/* Two of 1g, one of 2g, and on GPUs of seven compute slices one of 3g. */
static enum pt_status balance(struct pt__mig_layout *layout, const struct pt_gpu_model *gpu,
                              struct pt_error *error)
{
    const struct pt_mig *mig = gpu->mig;
    uint32_t counts[PT_MIG_PROFILES_MAX] = {0};
    unsigned kinds = mig->compute == 7 ? 3 : mig->compute == 4 ? 2 : 0;
    bool known = kinds > 0;
    for (unsigned compute = 1; compute <= kinds && known; compute++) {
        uint32_t profile = plain_profile(mig, compute);
        known = profile != PT_NONE;
        if (known) counts[profile] = compute == 1 ? 2 : 1;
    }
    if (known && pt__mig_place_all(layout, mig, counts)) return PT_OK;
    return pt_fail(error, PT_ERR_INPUT,
                   "layout: all-balanced is not defined for %.64s; list its profiles instead",
                   gpu->name);
}

static enum pt_status named(struct pt__mig_layout *layout, const struct pt_gpu_model *gpu,
                            const char *name, size_t length, struct pt_error *error)
{
    const struct pt_mig *mig = gpu->mig;
    const char *rest = name + 4; /* behind "all-" */
    size_t left = length - 4;
    if (is(rest, left, "disabled"))
        return pt_fail(error, PT_ERR_INPUT,
                       "layout: all-disabled means MIG is off: a pool of whole GPUs is 'mode: "
                       "exclusive' (or time_slice, mps, fractional), not 'mode: mig'");
    if (is(rest, left, "enabled")) return PT_OK; /* MIG is on, nothing is made */
    if (is(rest, left, "balanced")) return balance(layout, gpu, error);
    uint32_t profile = find_profile(mig, rest, left);
    if (profile == PT_NONE && left == 2 && rest[0] >= '1' && rest[0] <= '9' && rest[1] == 'g')
        profile = plain_profile(mig, (unsigned)(rest[0] - '0'));
    if (profile == PT_NONE) return unknown_profile(gpu, rest, left, error);
    if (!fill(layout, mig, profile)) /* a table whose profile fits nowhere */
        return pt_fail(error, PT_ERR_INPUT, "layout: no instance of %.*s fits on %.64s", (int)left,
                       rest, gpu->name);
    return PT_OK;
}

enum pt_status pt__mig_parse_layout(struct pt__mig_layout *layout, const struct pt_gpu_model *gpu,
                                    const char *words, struct pt_error *error)
{
    uint32_t counts[PT_MIG_PROFILES_MAX] = {0};
    *layout = (struct pt__mig_layout){0};
    if (words == NULL || words[0] == '\0') return PT_OK;
    if (strncmp(words, "all-", 4) == 0 && strchr(words, ',') == NULL)
        return named(layout, gpu, words, strlen(words), error);
    for (const char *word = words;; word++) {
        size_t length = strcspn(word, ",");
        uint32_t profile = find_profile(gpu->mig, word, length);
        if (length > 4 && memcmp(word, "all-", 4) == 0)
            return pt_fail(error, PT_ERR_INPUT,
                           "layout: '%.*s' is a whole layout: it stands alone, not in a list",
                           (int)(length < 48 ? length : 48), word);
        if (profile == PT_NONE) return unknown_profile(gpu, word, length, error);
        counts[profile]++;
        word += length;
        if (*word == '\0') break;
    }
    if (!pt__mig_place_all(layout, gpu->mig, counts)) return refuse(gpu, counts, error);
    return PT_OK;
}
