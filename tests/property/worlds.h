/* Small random worlds, told to the engine and to the reference, compared, shrunk, written down.
 *
 * A world is plain data of fixed size that can be copied and changed at will. Its jobs are rows in
 * file order; the reference gets them sorted.
 */
#ifndef PT_TESTS_WORLDS_H
#define PT_TESTS_WORLDS_H

#include <stdio.h>

#include "tests/property/reference.h"
#include "tests/support/rig.h"

#ifndef WORLD_POOLS /* the largest worlds; the build may say otherwise */
#define WORLD_POOLS 3
#define WORLD_GPUS 8
#define WORLD_JOBS 12
#endif
#define WORLD_MODELS 4
#define WORLD_FAULTS 2
#define DIFFERENCE_MAX 512

struct world {
    uint64_t seed;
    uint32_t pool_count, job_count;
    struct ref_pool pools[WORLD_POOLS];
    struct ref_node nodes[WORLD_GPUS];
    struct ref_job jobs[WORLD_JOBS]; /* `after` names rows */
    bool strict;
    enum ref_placement placement;
    uint32_t fault_retries, oom_retries;
    int64_t backoff_ns, give_up_ns, horizon_ns;
    uint32_t fault_count;
    struct ref_fault faults[WORLD_FAULTS];
    int64_t cold_ns, restore_ns, restore_gib_ns;
};

/* Outcomes by row. */
struct world_answer {
    enum ref_verdict verdict;
    char digest[33]; /* of the events; the engine's alone */
    struct ref_outcome jobs[WORLD_JOBS];
};

/* What is asked of the worlds that are drawn. */
enum world_kind {
    WORLD_ANY,    /* whole GPUs and time slices */
    WORLD_STEADY, /* the same; no node ever goes down, no horizon, nobody gives up */
    WORLD_MPS,    /* mostly this mode */
    WORLD_FRACTIONAL,
    WORLD_VGPU,
    WORLD_MIG,
    WORLD_MIXED, /* pools of all modes */
    WORLD_KINDS
};
extern const char *const world_kind_names[WORLD_KINDS];

void world_draw(struct world *world, uint64_t seed, enum world_kind kind);
/* Places the pools' nodes and GPUs; after every change of a pool. */
void world_lay_out(struct world *world);

/* Makes the world in `rig`, which it initialises; the caller finishes it. Row = row. */
void world_build(struct rig *rig, const struct world *world);
/* The rig's results by row of the world, in the reference's words. */
void world_read(struct world_answer *answer, const struct world *world, const struct rig *rig,
                enum pt_status status);
/* world_build, run, world_read. False = the run failed otherwise than by a deadlock. */
bool world_run_engine(struct world_answer *answer, const struct world *world,
                      struct pt_error *error);
void world_run_reference(struct world_answer *answer, const struct world *world,
                         const uint8_t *flip);

/* True if both agree on state, start, end and node of every job; else says where they don't. */
bool world_same(const struct world_answer *engine, const struct world_answer *reference,
                const struct world *world, char *difference, size_t size);
/* Engine against reference; doubts may go either way, and are counted in *doubtful. */
bool world_agrees(const struct world *world, uint64_t *doubtful, char *difference, size_t size);

/* Makes the world smaller as long as `fails` says that it still fails. */
void world_shrink(struct world *world, bool (*fails)(const struct world *world, void *ctx),
                  void *ctx);

/* Writes a scenario file whose expectations are `answer`. */
void world_write_scenario(FILE *out, const struct world *world, const struct world_answer *answer);

/* The tests' own generator: SplitMix64. below(n): uniform enough in 0..n-1. */
struct draw {
    uint64_t state;
};
uint64_t draw_bits(struct draw *draw);
uint32_t draw_below(struct draw *draw, uint32_t n);
bool draw_chance(struct draw *draw, uint32_t percent);

#endif
