#include "models/units/mig.h"

struct pt__mig_room pt__mig_whole(const struct pt_mig *mig)
{
    return (struct pt__mig_room){.free = (uint16_t)((UINT32_C(1) << mig->memory) - 1),
                                 .compute = mig->compute,
                                 .media = true};
}

uint16_t pt__mig_slices(const struct pt_mig_profile *profile, unsigned start)
{
    return (uint16_t)(((UINT32_C(1) << profile->size) - 1) << start);
}

uint16_t pt__mig_starts(const struct pt_mig_profile *profile, struct pt__mig_room room)
{
    if (profile->compute > room.compute || (profile->media && !room.media)) return 0;
    unsigned starts = profile->starts;
    for (unsigned i = 0; i < profile->size; i++)
        starts &= (unsigned)room.free >> i;
    return (uint16_t)starts;
}

struct pt__mig_room pt__mig_beside(struct pt__mig_room room, const struct pt_mig_profile *profile,
                                   unsigned start)
{
    return (struct pt__mig_room){.free = (uint16_t)(room.free & ~pt__mig_slices(profile, start)),
                                 .compute = (uint8_t)(room.compute - profile->compute),
                                 .media = room.media && !profile->media};
}

unsigned pt__mig_options(const struct pt_mig *mig, struct pt__mig_room room)
{
    unsigned options = 0;
    for (unsigned i = 0; i < mig->profile_count; i++)
        options += (unsigned)__builtin_popcount(pt__mig_starts(&mig->profiles[i], room));
    return options;
}

unsigned pt__mig_choose(const struct pt_mig *mig, const struct pt_mig_profile *profile,
                        struct pt__mig_room room, uint16_t starts, enum pt__mig_rule rule)
{
    unsigned lowest = (unsigned)__builtin_ctz(starts), best = lowest, most = 0;
    if (rule == PT__MIG_FIRST || (starts & (starts - 1)) == 0) return lowest;
    if (rule == PT__MIG_DRIVER) return 31 - (unsigned)__builtin_clz(starts);
    for (unsigned left = starts; left != 0; left &= left - 1) {
        unsigned start = (unsigned)__builtin_ctz(left);
        unsigned options = pt__mig_options(mig, pt__mig_beside(room, profile, start));
        if (options > most) {
            most = options;
            best = start;
        }
    }
    return best;
}
