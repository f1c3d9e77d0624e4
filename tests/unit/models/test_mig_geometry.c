#include "models/units/mig.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/mig_census.h"
#include "tests/support/rig.h"

/* Twelve memory slices, four compute slices. */
static const struct pt_mig_profile rtx_profiles[] = {
    {"1g.24gb", 1, 3, false, 0x249, 46, 24187, "test"},
    {"2g.48gb", 2, 6, false, 0x041, 94, 48517, "test"},
    {"4g.96gb", 4, 12, false, 0x001, 188, 97280, "test"},
};
static const struct pt_mig rtx_mig = {4, 12, 3, 2, rtx_profiles};

static void expect_census(const struct pt_mig *mig, bool doubles, unsigned sets, unsigned maximal,
                          unsigned multisets)
{
    struct mig_census census;
    mig_census(&census, mig, doubles);
    cr_assert_eq(census.sets, sets, "%u sets, not %u", census.sets, sets);
    cr_assert_eq(census.maximal, maximal, "%u maximal, not %u", census.maximal, maximal);
    cr_assert_eq(census.multisets, multisets, "%u multisets, not %u", census.multisets, multisets);
}

/* models.md 2; hardware.md 1.3. */
Test(mig_geometry, known_counts)
{
    const struct pt_gpu_model *const eights[] = {&rig_h100, &rig_a100_80, &rig_a100_40};
    for (int i = 0; i < 3; i++) {
        expect_census(eights[i]->mig, false, 298, 19, 14);
        expect_census(eights[i]->mig, true, 723, 78, 38);
    }
    expect_census(rig_a30.mig, true, 26, 5, 4);
    expect_census(&rtx_mig, true, 26, 5, 4);
}

static const struct pt_mig_profile *profile(const char *name)
{
    uint32_t index = pt_mig_find(rig_h100.mig, name);
    cr_assert_neq(index, PT_NONE);
    return &rig_h100.mig->profiles[index];
}

static unsigned choose(struct pt__mig_room room, const char *name, enum pt__mig_rule rule)
{
    uint16_t starts = pt__mig_starts(profile(name), room);
    cr_assert_neq(starts, 0);
    return pt__mig_choose(rig_h100.mig, profile(name), room, starts, rule);
}

Test(mig_geometry, starts)
{
    struct pt__mig_room room = pt__mig_whole(rig_h100.mig);
    cr_assert_eq(choose(room, "1g.10gb", PT__MIG_BEST), 6);
    cr_assert_eq(choose(room, "2g.20gb", PT__MIG_BEST), 4);
    cr_assert_eq(choose(room, "3g.40gb", PT__MIG_BEST), 4);
    cr_assert_eq(choose(room, "1g.20gb", PT__MIG_BEST), 6);
    cr_assert_eq(choose(room, "3g.40gb", PT__MIG_FIRST), 0);
    cr_assert_eq(choose(room, "3g.40gb", PT__MIG_DRIVER), 4);
    /* S-19: 1g at 0, 1 and 5 */
    for (unsigned start = 0; start < 6; start += start == 0 ? 1 : 4)
        room = pt__mig_beside(room, profile("1g.10gb"), start);
    cr_assert_eq(room.compute, 4);
    cr_assert_eq(room.free, 0xdc);
    cr_assert_eq(pt__mig_starts(profile("3g.40gb"), room), 0);
    cr_assert_eq(pt__mig_starts(profile("2g.20gb"), room), 1 << 2);
    room = pt__mig_whole(rig_h100.mig);
    for (unsigned start = 0; start < 3; start++)
        room = pt__mig_beside(room, profile("1g.10gb"), start);
    cr_assert_eq(pt__mig_starts(profile("3g.40gb"), room), 1 << 4);
    /* one set of media engines */
    room = pt__mig_beside(pt__mig_whole(rig_h100.mig), profile("1g.10gb+me"), 6);
    cr_assert_eq(pt__mig_starts(profile("1g.10gb+me"), room), 0);
    cr_assert_eq(pt__mig_starts(profile("1g.10gb"), room), 0x3f);
}

static struct pt__mig_room room_after(const char *name, unsigned start)
{
    struct pt__mig_room room = pt__mig_whole(rig_h100.mig);
    cr_assert(pt__mig_starts(profile(name), room) >> start & 1);
    return pt__mig_beside(room, profile(name), start);
}

/* hardware.md 1.3: illegal, though the sums look fine. */
Test(mig_geometry, what_the_starts_forbid)
{
    struct pt__mig_room room = room_after("3g.40gb", 0);
    cr_assert_eq(pt__mig_starts(profile("4g.40gb"), room), 0);
    room = pt__mig_beside(room, profile("2g.20gb"), 4);
    cr_assert_eq(pt__mig_starts(profile("2g.20gb"), room), 0);
    cr_assert_eq(pt__mig_starts(profile("1g.10gb"), room), 1 << 6); /* never at 7 */
    room = room_after("7g.80gb", 0);
    cr_assert_eq(pt__mig_options(rig_h100.mig, room), 0);
    room = room_after("4g.40gb", 0);
    cr_assert_eq(pt__mig_starts(profile("4g.40gb"), room), 0);
    cr_assert_eq(pt__mig_starts(profile("3g.40gb"), room), 1 << 4);
}
