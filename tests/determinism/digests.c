/* The same inputs give the same events: in twenty runs, in two runs that take turns in one process,
 * and, with compilers.sh, from every compiler and optimisation level.
 *
 *   digests           tests
 *   digests --print   prints the digest of each scene, for compilers.sh
 */
#include <inttypes.h>
#include <string.h>

#include "tests/determinism/scenes.h"

#define RERUNS 20
#define JOBS 2000

static void digest_of(char digest[33], enum scene scene, uint64_t seed)
{
    struct rig rig;
    scene_build(&rig, scene, JOBS, seed);
    if (rig_run(&rig) != PT_OK) rig_die("%s: %s", scene_name(scene), rig.error.message);
    memcpy(digest, rig.digest, sizeof rig.digest);
    rig_fini(&rig);
}

static int test_reruns(enum scene scene)
{
    char first[33], again[33];
    int different = 0;
    digest_of(first, scene, 1);
    for (int i = 1; i < RERUNS; i++) {
        digest_of(again, scene, 1);
        different += strcmp(first, again) != 0;
    }
    digest_of(again, scene, 2);
    bool sees = strcmp(first, again) != 0; /* the digest is not a constant */
    printf("%s: %s, %d runs, %d different; another seed %s\n", scene_name(scene), first, RERUNS,
           different, sees ? "differs" : "does NOT differ");
    return different != 0 || !sees;
}

/* Two worlds advanced by turns of 1, 2, 3, ... 7 instants. */
static int test_turns(enum scene a, enum scene b)
{
    struct rig rigs[2];
    char alone[2][33];
    bool ended[2] = {false, false};
    digest_of(alone[0], a, 3);
    digest_of(alone[1], b, 4);
    scene_build(&rigs[0], a, JOBS, 3);
    scene_build(&rigs[1], b, JOBS, 4);
    rig_start(&rigs[0]);
    rig_start(&rigs[1]);
    for (uint64_t turn = 0; !ended[0] || !ended[1]; turn++)
        for (int i = 0; i < 2; i++)
            if (!ended[i]) ended[i] = rig_advance(&rigs[i], 1 + (turn + (uint64_t)i) % 7);
    int wrong = 0;
    for (int i = 0; i < 2; i++) {
        wrong += strcmp(alone[i], rigs[i].digest) != 0;
        rig_fini(&rigs[i]);
    }
    printf("%s and %s by turns: %d differ from the runs alone\n", scene_name(a), scene_name(b),
           wrong);
    return wrong;
}

/* One digest line for all of the small random worlds. */
static void print_random_worlds(void)
{
    uint64_t sum = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct world world;
        struct rig rig;
        world_draw(&world, seed, WORLD_ANY);
        world_build(&rig, &world);
        enum pt_status status = rig_run(&rig);
        for (const char *c = rig.digest; *c != '\0'; c++)
            sum = (sum ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001b3);
        sum += (uint64_t) - (int64_t)status;
        rig_fini(&rig);
    }
    printf("random worlds %016" PRIx64 "\n", sum);
}

int main(int argc, char **argv)
{
    int failures = 0;
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        char digest[33];
        for (int s = 0; s < SCENE_COUNT; s++) {
            digest_of(digest, (enum scene)s, 1);
            printf("%s %s\n", scene_name((enum scene)s), digest);
        }
        print_random_worlds();
        return 0;
    }
    for (int s = 0; s < SCENE_COUNT; s++)
        failures += test_reruns((enum scene)s);
    failures += test_turns(SCENE_EXCLUSIVE, SCENE_SHARED);
    failures += test_turns(SCENE_SHARED, SCENE_SHARED);
    failures += test_turns(SCENE_BROKEN, SCENE_EXCLUSIVE);
    return failures != 0;
}
