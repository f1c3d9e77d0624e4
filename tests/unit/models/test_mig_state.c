/* Random lives of GPUs cut into instances, beside a slow reference that knows the rules only
 * (semantics.md 4): it tries every start and every set of idle instances to go. */
#include <criterion/criterion.h>
#include <gsl/gsl_rng.h>
#include <string.h>

#include "models/registry.h"
#include "models/units/mig.h"
#include "partita/random.h"
#include "tests/support/rig.h"

enum { SLICES = PT_MIG_SLICES_MAX };

/* The GPU as the reference has it, by start. */
struct mirror {
    int profile[SLICES]; /* -1 = no instance starts there */
    unsigned used[SLICES];
    bool changing[SLICES], fresh[SLICES];
    bool begun; /* a change began at this instant */
};

struct life {
    gsl_rng *rng;
    struct pt_mig mig;
    struct pt_mig_profile profiles[PT_MIG_PROFILES_MAX];
    struct pt_gpu_model gpu;
    struct pt_unit_shape shape;
    enum pt__mig_change change;
    enum pt__mig_rule rule;
    struct mirror mirror;
    uint64_t state[PT_NESTED_STATE_MAX / 8];
    struct pt_need units[256]; /* placed and not removed */
    uint8_t cells[256];
    unsigned unit_count;
};

static const struct pt_nested_ops *const ops = &pt__mig_nested;

static unsigned draw(struct life *life, unsigned n)
{
    return (unsigned)gsl_rng_uniform_int(life->rng, n);
}

/* ---- the reference ---- */

static bool is_idle(const struct mirror *mirror, unsigned at)
{
    return mirror->profile[at] >= 0 && mirror->used[at] == 0 && !mirror->changing[at];
}

/* True if the instances hold together, slice by slice. */
static bool is_legal(const struct life *life, const struct mirror *mirror)
{
    unsigned owners[SLICES] = {0}, compute = 0, media = 0;
    for (unsigned at = 0; at < SLICES; at++) {
        if (mirror->profile[at] < 0) continue;
        const struct pt_mig_profile *profile = &life->mig.profiles[mirror->profile[at]];
        if (!(profile->starts >> at & 1) || at + profile->size > life->mig.memory) return false;
        for (unsigned s = at; s < at + profile->size; s++)
            if (++owners[s] > 1) return false;
        compute += profile->compute;
        media += profile->media;
    }
    return compute <= life->mig.compute && media <= 1;
}

static bool legal_with(const struct life *life, const struct mirror *mirror, unsigned profile,
                       unsigned start)
{
    struct mirror more = *mirror;
    if (mirror->profile[start] >= 0) return false;
    more.profile[start] = (int)profile;
    return is_legal(life, &more);
}

static unsigned options(const struct life *life, const struct mirror *mirror)
{
    unsigned count = 0;
    for (unsigned p = 0; p < life->mig.profile_count; p++)
        for (unsigned start = 0; start < SLICES; start++)
            count += legal_with(life, mirror, p, start);
    return count;
}

static bool has_slot(const struct life *life, unsigned at, unsigned profile, unsigned slots)
{
    const struct mirror *mirror = &life->mirror;
    return mirror->profile[at] == (int)profile && (!mirror->changing[at] || mirror->fresh[at]) &&
           mirror->used[at] + slots <= life->shape.slots;
}

static bool quiet(const struct mirror *mirror, bool *empty)
{
    bool nobody = true;
    *empty = true;
    for (unsigned at = 0; at < SLICES; at++) {
        if (mirror->profile[at] < 0) continue;
        *empty = false;
        nobody = nobody && is_idle(mirror, at);
    }
    return nobody;
}

/* Fewest instances that must go for a new one at `start`, -1 = it can't be made. *left is what
 * stays, by the least set in the order of its bits. */
static int fewest_to_go(const struct life *life, unsigned profile, unsigned start,
                        struct mirror *left)
{
    const struct mirror *mirror = &life->mirror;
    int fewest = -1;
    unsigned idle = 0;
    for (unsigned at = 0; at < SLICES; at++)
        if (is_idle(mirror, at)) idle |= 1u << at;
    for (unsigned gone = idle;; gone = (gone - 1) & idle) { /* every subset */
        struct mirror rest = *mirror;
        int count = __builtin_popcount(gone);
        for (unsigned at = 0; at < SLICES; at++)
            if (gone >> at & 1) rest.profile[at] = -1;
        if ((fewest < 0 || count <= fewest) && legal_with(life, &rest, profile, start)) {
            fewest = count;
            *left = rest;
        }
        if (gone == 0) break;
    }
    return fewest;
}

/* The disturbance of a new instance at `start`, and what stays beside it. */
static unsigned level_of_new(const struct life *life, unsigned profile, unsigned start,
                             struct mirror *left)
{
    const struct mirror *mirror = &life->mirror;
    bool empty, nobody = quiet(mirror, &empty);
    *left = *mirror;
    if (life->change == PT__MIG_STATIC) return PT_DISTURBS_NEVER;
    if (life->change == PT__MIG_WHEN_GPU_IDLE) {
        if ((empty || mirror->begun) && legal_with(life, mirror, profile, start)) return 1;
        if (empty || !nobody) return PT_DISTURBS_NEVER;
        for (unsigned at = 0; at < SLICES; at++)
            left->profile[at] = -1;
        return legal_with(life, left, profile, start) ? 2 : PT_DISTURBS_NEVER;
    }
    if (legal_with(life, mirror, profile, start)) return 1;
    return fewest_to_go(life, profile, start, left) > 0 ? 2 : PT_DISTURBS_NEVER;
}

static unsigned level_at(const struct life *life, const struct pt_need *need, unsigned start)
{
    struct mirror left;
    if (has_slot(life, start, need->profile, pt__mig_slots(&life->shape, need))) return 0;
    return level_of_new(life, need->profile, start, &left);
}

static unsigned least_level(const struct life *life, const struct pt_need *need)
{
    unsigned least = PT_DISTURBS_NEVER;
    for (unsigned start = 0; start < life->mig.memory; start++) {
        unsigned level = level_at(life, need, start);
        if (level < least) least = level;
    }
    return least;
}

static int gone_at(const struct life *life, unsigned profile, unsigned start,
                   unsigned *left_options)
{
    struct mirror left;
    bool whole = life->change == PT__MIG_WHEN_GPU_IDLE;
    int gone = 0;
    level_of_new(life, profile, start, &left);
    for (unsigned at = 0; at < SLICES; at++)
        gone += life->mirror.profile[at] >= 0 && left.profile[at] < 0;
    left.profile[start] = (int)profile;
    *left_options = options(life, &left);
    return whole ? 0 : gone; /* all starts of an idle GPU cost the same */
}

/* Where a unit goes that may go anywhere, at its least disturbance. */
static unsigned expected_start(const struct life *life, const struct pt_need *need, unsigned level)
{
    unsigned best = PT_CELL_ANY, most = 0;
    int fewest = 0;
    bool by_rule = level == 1 || life->change == PT__MIG_WHEN_GPU_IDLE;
    for (unsigned start = 0; start < life->mig.memory; start++) {
        unsigned left_options = 0;
        if (level_at(life, need, start) != level) continue;
        bool first = best == PT_CELL_ANY;
        if (level == 0 || (by_rule && life->rule == PT__MIG_FIRST)) return start;
        if (by_rule && life->rule == PT__MIG_DRIVER) {
            best = start;
            continue;
        }
        int gone = gone_at(life, need->profile, start, &left_options);
        if (!first && (gone > fewest || (gone == fewest && left_options <= most))) continue;
        best = start;
        fewest = gone;
        most = left_options;
    }
    return best;
}

/* ---- the comparison ---- */

static struct pt_need need_for(struct life *life, unsigned profile)
{
    bool clients = life->shape.own[PT__MIG_OWN_INSIDE] == PT__MIG_CLIENTS;
    unsigned most = clients ? life->shape.slots + 1 : 3;
    return (struct pt_need){.profile = (uint8_t)profile, .clients = 1 + draw(life, most)};
}

static void assert_same_gpu(const struct life *life)
{
    const struct mirror *mirror = &life->mirror;
    uint32_t busy = 0, masks[PT_DISTURBS_LEVELS];
    cr_assert(is_legal(life, mirror));
    for (unsigned at = 0; at < SLICES; at++) {
        if (mirror->profile[at] < 0) continue;
        const struct pt_mig_profile *profile = &life->mig.profiles[mirror->profile[at]];
        cr_assert_eq(ops->profile(life->state, &life->shape, (uint8_t)at), profile);
        if (mirror->used[at] > 0) busy |= ((1u << profile->size) - 1) << at;
    }
    cr_assert_eq(ops->busy_slices(life->state, &life->shape), busy);
    ops->summary(masks, life->state, &life->shape);
    for (unsigned p = 0; p < PT_MIG_PROFILES_MAX; p++) {
        struct pt_need need = {.profile = (uint8_t)p, .clients = 1};
        unsigned said = PT_DISTURBS_NEVER, times = 0;
        for (unsigned level = 0; level < PT_DISTURBS_LEVELS; level++) {
            if (!(masks[level] >> p & 1)) continue;
            said = level;
            times++;
        }
        cr_assert_leq(times, 1);
        if (p >= life->mig.profile_count) {
            cr_assert_eq(times, 0);
            continue;
        }
        cr_assert_eq(said, ops->fits(life->state, &life->shape, &need));
        cr_assert_eq(said, least_level(life, &need), "%s: said %u, is %u",
                     life->mig.profiles[p].name, said, least_level(life, &need));
    }
}

/* Whether an instance that was idle is still there: a unit sent to it finds it. */
static bool still_there(const struct life *life, unsigned at, unsigned profile)
{
    uint64_t copy[PT_NESTED_STATE_MAX / 8];
    struct pt_placed placed;
    struct pt_need need = {.profile = (uint8_t)profile, .clients = 1};
    memcpy(copy, life->state, sizeof copy);
    return ops->place(&placed, copy, &life->shape, &need, (uint8_t)at) && placed.created == 0;
}

/* Takes over what the state did, having checked it. */
static void follow(struct life *life, const struct pt_need *need, const struct pt_placed *placed,
                   unsigned level)
{
    struct mirror *mirror = &life->mirror, before = *mirror;
    unsigned start = placed->cell, gone = 0, left_options;
    cr_assert_eq(placed->created, level > 0);
    cr_assert_eq(placed->begins, level > 0 && !before.begun);
    if (level > 0) {
        int fewest = gone_at(life, need->profile, start, &left_options);
        bool whole = level == 2 && life->change == PT__MIG_WHEN_GPU_IDLE;
        for (unsigned at = 0; at < SLICES; at++) {
            if (!is_idle(&before, at) || still_there(life, at, (unsigned)before.profile[at]))
                continue;
            mirror->profile[at] = -1;
            gone++;
        }
        bool empty;
        if (whole)
            cr_assert(quiet(mirror, &empty) && empty);
        else
            cr_assert_eq((int)gone, fewest);
        mirror->profile[start] = need->profile;
        mirror->used[start] = 0;
        mirror->changing[start] = mirror->fresh[start] = mirror->begun = true;
    }
    cr_assert_eq(placed->destroyed, gone);
    mirror->used[start] += pt__mig_slots(&life->shape, need);
    cr_assert_eq(placed->waits, mirror->changing[start]);
}

/* ---- random lives ---- */

static void try_to_place(struct life *life)
{
    struct pt_need need = need_for(life, draw(life, life->mig.profile_count));
    uint8_t wanted = PT_CELL_ANY;
    if (draw(life, 3) == 0)
        wanted = (uint8_t)draw(life, draw(life, 2) ? life->mig.memory : PT_CELL_ANEW);
    struct pt_placed placed;
    uint64_t before[PT_NESTED_STATE_MAX / 8];
    memcpy(before, life->state, sizeof before);
    unsigned level = wanted == PT_CELL_ANY       ? least_level(life, &need)
                     : wanted < life->mig.memory ? level_at(life, &need, wanted)
                                                 : PT_DISTURBS_NEVER;
    unsigned start = wanted;
    if (wanted == PT_CELL_ANY) {
        cr_assert_eq(ops->fits(life->state, &life->shape, &need), level);
        if (level < PT_DISTURBS_NEVER) start = expected_start(life, &need, level);
    }
    bool placed_it = ops->place(&placed, life->state, &life->shape, &need, wanted);
    cr_assert_eq(placed_it, level < PT_DISTURBS_NEVER);
    if (!placed_it) {
        cr_assert_eq(memcmp(before, life->state, sizeof before), 0, "a refusal changed the GPU");
        return;
    }
    bool exact = life->mig.profiles != life->profiles; /* one of the known tables */
    if (exact || wanted != PT_CELL_ANY) cr_assert_eq(placed.cell, start);
    follow(life, &need, &placed, level);
    life->units[life->unit_count] = need;
    life->cells[life->unit_count++] = placed.cell;
}

static void remove_one(struct life *life)
{
    if (life->unit_count == 0) return;
    unsigned i = draw(life, life->unit_count), at = life->cells[i];
    ops->remove(life->state, &life->shape, &life->units[i], life->cells[i]);
    life->mirror.used[at] -= pt__mig_slots(&life->shape, &life->units[i]);
    life->unit_count--;
    life->units[i] = life->units[life->unit_count];
    life->cells[i] = life->cells[life->unit_count];
}

static void end_change(struct life *life)
{
    unsigned at = draw(life, life->mig.memory);
    if (life->mirror.profile[at] < 0) return;
    ops->ready(life->state, &life->shape, (uint8_t)at);
    life->mirror.changing[at] = false;
}

static void end_instant(struct life *life)
{
    ops->commit(life->state);
    memset(life->mirror.fresh, 0, sizeof life->mirror.fresh);
    life->mirror.begun = false;
}

static void begin(struct life *life)
{
    memset(life->state, 0xa5, sizeof life->state);
    ops->reset(life->state, &life->shape);
    life->mirror = (struct mirror){.begun = false};
    life->unit_count = 0;
    for (unsigned at = 0; at < SLICES; at++) {
        life->mirror.profile[at] = -1;
        if (!(life->shape.own[PT__MIG_OWN_STARTS] >> at & 1)) continue;
        life->mirror.profile[at] = (int)(life->shape.own[PT__MIG_OWN_PROFILES] >> (4 * at) & 15);
    }
    assert_same_gpu(life);
}

static void live(struct life *life, unsigned steps)
{
    begin(life);
    for (unsigned step = 0; step < steps; step++) {
        unsigned what = draw(life, 16);
        if (what < 6 && life->unit_count < 255)
            try_to_place(life);
        else if (what < 10)
            remove_one(life);
        else if (what < 13)
            end_change(life);
        else if (what < 15)
            end_instant(life);
        else if (draw(life, 16) == 0)
            begin(life); /* the node failed */
        assert_same_gpu(life);
    }
}

static void configure(struct life *life, const struct pt_gpu_model *gpu, const char *layout)
{
    static const char *const inside[] = {"", "inside.mode=mps inside.replicas=3",
                                         "inside.mode=time_slice inside.replicas=2"};
    static const char *const changes[] = {"static", "when_gpu_idle", "partial"};
    static const char *const rules[] = {"best", "first", "driver"};
    const struct pt_unit_ops *unit = pt_unit_find("mig");
    struct pt_value values[RIG_VALUES_MAX];
    struct pt_error error = {.message = ""};
    char text[128];
    life->gpu = *gpu;
    if (gpu->mig != NULL) life->mig = *gpu->mig;
    life->gpu.mig = &life->mig;
    snprintf(text, sizeof text, "layout=%s reconfigure=%s start=%s %s", layout,
             changes[life->change], rules[life->rule], inside[draw(life, 3)]);
    rig_parse_values(values, unit->params, text);
    cr_assert_eq(unit->configure(&life->shape, &life->gpu, values, &error), PT_OK, "%s",
                 error.message);
    cr_assert_leq(ops->state_size, PT_NESTED_STATE_MAX);
}

static void live_on_known_gpus(enum pt__mig_change change)
{
    const struct pt_gpu_model *const gpus[] = {&rig_h100, &rig_a100_40, &rig_a30};
    struct life life = {.rng = gsl_rng_alloc(pt_rng_type)};
    for (unsigned i = 0; i < 60; i++) {
        pt_rng_seed(life.rng, 1, PT_PURPOSE_TEST, 100 * change + i);
        const struct pt_gpu_model *gpu = gpus[i % 3];
        const char *layouts[] = {"all-1g", "all-balanced", gpu->mig->profiles[3].name,
                                 "all-enabled"};
        life.change = change;
        life.rule = (enum pt__mig_rule)draw(&life, 3);
        configure(&life, gpu, layouts[draw(&life, change == PT__MIG_STATIC ? 3 : 4)]);
        live(&life, 300);
    }
    gsl_rng_free(life.rng);
}

Test(mig_state, a_static_gpu_is_what_the_reference_says)
{
    live_on_known_gpus(PT__MIG_STATIC);
}

Test(mig_state, an_idle_gpu_changes_as_the_reference_says)
{
    live_on_known_gpus(PT__MIG_WHEN_GPU_IDLE);
}

Test(mig_state, instances_change_as_the_reference_says)
{
    live_on_known_gpus(PT__MIG_PARTIAL);
}

/* A table that no card has: budgets of all kinds bind. The whole GPU is its last profile. */
static void draw_table(struct life *life)
{
    unsigned memory = 2 + draw(life, 9), compute = 2 + draw(life, 7);
    unsigned count = 1 + draw(life, 6);
    for (unsigned i = 0; i < count; i++) {
        unsigned size = 1 + draw(life, memory), last = memory - size;
        life->profiles[i] = (struct pt_mig_profile){
            .name = "drawn",
            .compute = (uint8_t)(1 + draw(life, compute)),
            .size = (uint8_t)size,
            .media = draw(life, 4) == 0,
            .starts = (uint16_t)((1 + draw(life, UINT16_MAX)) & ((2u << last) - 1)),
            .sms = 1,
            .mem_mib = 1};
        if (life->profiles[i].starts == 0) life->profiles[i].starts = 1;
    }
    life->profiles[count] = (struct pt_mig_profile){.name = "whole",
                                                    .compute = (uint8_t)compute,
                                                    .size = (uint8_t)memory,
                                                    .starts = 1,
                                                    .sms = 1,
                                                    .mem_mib = 1};
    life->mig = (struct pt_mig){.compute = (uint8_t)compute,
                                .memory = (uint8_t)memory,
                                .profile_count = (uint8_t)(count + 1),
                                .full = (uint8_t)count,
                                .profiles = life->profiles};
}

Test(mig_state, tables_that_no_card_has)
{
    struct life life = {.rng = gsl_rng_alloc(pt_rng_type)};
    struct pt_gpu_model gpu = {.name = "drawn", .sms = 1, .mem_mib = 1, .mps_clients = 48};
    for (unsigned i = 0; i < 300; i++) {
        pt_rng_seed(life.rng, 2, PT_PURPOSE_TEST, i);
        life.change = (enum pt__mig_change)(1 + draw(&life, 2));
        life.rule = (enum pt__mig_rule)draw(&life, 3);
        draw_table(&life);
        configure(&life, &gpu, draw(&life, 2) ? "whole" : "all-enabled");
        live(&life, 100);
    }
    gsl_rng_free(life.rng);
}

/* A gang that the idle instances don't hold: the GPU is cut anew, once, and only while it is idle.
 */
Test(mig_state, a_gpu_is_cut_anew_only_while_it_is_idle_and_changes_as_a_whole)
{
    struct pt_value values[RIG_VALUES_MAX];
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    const struct pt_unit_ops *mode = pt_unit_find("mig");
    rig_parse_values(values, mode->params, "layout=1g.10gb,3g.40gb reconfigure=when_gpu_idle");
    cr_assert_eq(mode->configure(&shape, &rig_h100, values, &error), PT_OK);
    struct pt_ask ask = {.gpu_frac_ppm = PT_NONE,
                         .gpu_mem_mib = PT_NONE,
                         .processes = 1,
                         .gpus = 4,
                         .mig = "1g.10gb"};
    struct pt_need need;
    cr_assert_eq(mode->need(&need, &shape, &ask), PT_REASON_NONE);
    _Alignas(16) unsigned char state[PT_NESTED_STATE_MAX] = {0}, before[PT_NESTED_STATE_MAX];
    struct pt_placed placed;
    ops->reset(state, &shape);
    cr_assert(ops->place(&placed, state, &shape, &need, PT_CELL_ANEW));
    cr_assert_eq(placed.destroyed, 2);
    cr_assert(placed.begins && placed.waits);
    for (int i = 0; i < 3; i++) {
        cr_assert(ops->place(&placed, state, &shape, &need, PT_CELL_ANY));
        cr_assert(placed.waits && !placed.begins);
    }
    memcpy(before, state, sizeof state);
    cr_assert_not(ops->place(&placed, state, &shape, &need, PT_CELL_ANEW));
    cr_assert_eq(memcmp(before, state, sizeof state), 0);
    rig_parse_values(values, mode->params, "layout=1g.10gb,3g.40gb reconfigure=partial");
    cr_assert_eq(mode->configure(&shape, &rig_h100, values, &error), PT_OK);
    ops->reset(state, &shape);
    cr_assert_not(ops->place(&placed, state, &shape, &need, PT_CELL_ANEW));
}
