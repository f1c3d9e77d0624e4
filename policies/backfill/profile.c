#include "policies/backfill/profile.h"

#include <stdlib.h>
#include <string.h>

void pt__profile_fini(struct pt_profile *profile)
{
    free(profile->step);
}

/* Room for two more steps. Doubles, so not once per change. */
static bool grow(struct pt_profile *profile)
{
    if (profile->count + 2 <= profile->capacity) return true;
    return pt__profile_reserve(profile, profile->capacity * 2 + 2);
}

bool pt__profile_reserve(struct pt_profile *profile, uint32_t capacity)
{
    struct pt_step *step = realloc(profile->step, capacity * sizeof *step);
    if (step == NULL) return false;
    profile->step = step;
    profile->capacity = capacity;
    return true;
}

bool pt__profile_reset(struct pt_profile *profile, int64_t now_ns, int64_t free)
{
    profile->count = 0;
    if (!grow(profile)) return false;
    profile->step[profile->count++] = (struct pt_step){now_ns, free};
    return true;
}

bool pt__profile_append(struct pt_profile *profile, int64_t from_ns, int64_t more)
{
    struct pt_step last = profile->step[profile->count - 1];
    if (last.from_ns == from_ns) {
        profile->step[profile->count - 1].free += more;
        return true;
    }
    if (!grow(profile)) return false;
    profile->step[profile->count++] = (struct pt_step){from_ns, last.free + more};
    return true;
}

/* The first step that begins behind `time_ns`; those before it are one fewer than its index. */
static uint32_t first_behind(const struct pt_profile *profile, int64_t time_ns)
{
    uint32_t low = 0, high = profile->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (profile->step[middle].from_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t pt__profile_next(const struct pt_profile *profile, int64_t after_ns)
{
    uint32_t i = first_behind(profile, after_ns);
    return i < profile->count ? profile->step[i].from_ns : PT_NEVER;
}

int64_t pt__profile_until(const struct pt_profile *profile, int64_t from_ns, int64_t wanted)
{
    uint32_t i = first_behind(profile, from_ns);
    for (i = i > 0 ? i - 1 : 0; i < profile->count; i++)
        if (profile->step[i].free < wanted)
            return profile->step[i].from_ns > from_ns ? profile->step[i].from_ns : from_ns;
    return PT_NEVER;
}

int64_t pt__profile_find(const struct pt_profile *profile, int64_t from_ns, int64_t for_ns,
                         int64_t wanted)
{
    uint32_t i = first_behind(profile, from_ns);
    int64_t start_ns = from_ns;
    for (i = i > 0 ? i - 1 : 0; i < profile->count; i++) {
        bool last = i + 1 == profile->count;
        int64_t end_ns = last ? PT_NEVER : profile->step[i + 1].from_ns;
        if (profile->step[i].free < wanted)
            start_ns = end_ns;
        else if (last || (for_ns != PT_NEVER && end_ns - start_ns >= for_ns))
            return start_ns;
    }
    return PT_NEVER;
}

/* The step that begins at `time_ns`, made if there is none; `time_ns` is not before the first. */
static uint32_t split(struct pt_profile *profile, int64_t time_ns)
{
    uint32_t i = first_behind(profile, time_ns);
    if (profile->step[i - 1].from_ns == time_ns) return i - 1;
    memmove(&profile->step[i + 1], &profile->step[i], (profile->count - i) * sizeof *profile->step);
    profile->step[i] = (struct pt_step){time_ns, profile->step[i - 1].free};
    profile->count++;
    return i;
}

bool pt__profile_take(struct pt_profile *profile, int64_t from_ns, int64_t to_ns, int64_t taken)
{
    if (!grow(profile)) return false;
    uint32_t first = split(profile, from_ns);
    uint32_t behind = to_ns == PT_NEVER ? profile->count : split(profile, to_ns);
    for (uint32_t i = first; i < behind; i++)
        profile->step[i].free -= taken;
    return true;
}
