#include "tests/support/mig_census.h"

#include "models/units/mig.h"
#include "tests/support/rig.h"

static void count(struct mig_census *census, const struct pt_mig *mig, struct pt__mig_room room,
                  uint64_t multiset)
{
    census->sets++;
    if (pt__mig_options(mig, room) != 0) return;
    census->maximal++;
    for (unsigned i = 0; i < census->multisets; i++)
        if (census->seen[i] == multiset) return;
    if (census->multisets == sizeof census->seen / sizeof census->seen[0])
        rig_die("too many multisets");
    census->seen[census->multisets++] = multiset;
}

static void go_on(struct mig_census *census, const struct pt_mig *mig, struct pt__mig_room room,
                  unsigned slice, uint64_t multiset)
{
    if (slice == mig->memory) {
        count(census, mig, room, multiset);
        return;
    }
    go_on(census, mig, room, slice + 1, multiset);
    for (unsigned i = 0; i < mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &mig->profiles[i];
        if (pt__mig_starts(profile, room) >> slice & 1)
            go_on(census, mig, pt__mig_beside(room, profile, slice), slice + 1,
                  multiset + (UINT64_C(1) << (4 * i)));
    }
}

void mig_census(struct mig_census *census, const struct pt_mig *mig, bool doubles)
{
    struct pt_mig_profile plain[PT_MIG_PROFILES_MAX];
    struct pt_mig less = *mig;
    less.profiles = plain;
    less.profile_count = 0;
    for (unsigned i = 0; i < mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &mig->profiles[i];
        bool is_double =
            less.profile_count > 0 && plain[less.profile_count - 1].compute == profile->compute;
        if (!profile->media && (doubles || !is_double)) plain[less.profile_count++] = *profile;
    }
    *census = (struct mig_census){0};
    go_on(census, &less, pt__mig_whole(&less), 0, 0);
}
