/* What the files of the reference scheduler share: reference.c (jobs' lives), reference_place.c
 * (where a job goes), reference_modes.c (what it takes and gets there), reference_mig.c
 * (instances).
 */
#ifndef PT_TESTS_REFERENCE_PARTS_H
#define PT_TESTS_REFERENCE_PARTS_H

#include <stddef.h>

#include "tests/property/exact.h"
#include "tests/property/reference.h"

#define EACH(i, count) for (uint32_t i = 0; i < (count); i++)
#define EACH_NODE(n, pool) for (uint32_t n = (pool)->first_node; n < (pool)->end_node; n++)
#define EACH_GPU(g, node) for (uint32_t g = (node)->first_gpu; g < (node)->end_gpu; g++)
#define LONG_AGO INT64_MIN

struct live {
    enum ref_state state;
    u128 left; /* work in units of 1 / exact.one ns */
    int64_t start, end, ready;
    int64_t serves;   /* reserved: when its instances do */
    int64_t ready_ns; /* running: when its first work comes */
    bool computes;
    uint32_t ooms, faults;
    bool backing_off, due;
    bool blurred; /* has run at a speed that is no multiple of 2^-60 */
    uint32_t *on; /* units held, by seat */
};

/* A memory slice of a GPU, and the instance that begins there. */
struct slice {
    uint8_t profile; /* NO_PROFILE: none begins here */
    int64_t made, serves;
    bool fails;  /* never serves: then its GPU is out of service */
    bool closed; /* of a GPU's first slice: it is */
};
#define NO_PROFILE UINT8_MAX
#define REF_NODES 64
#define REF_NODE_GPUS 64
#define REF_SLICES 8 /* memory slices of the GPUs it knows */

/* A GPU has one seat, or with MIG in the world one for each memory slice: a unit sits where its
 * instance begins. A job without GPUs has a seat of its node. */
struct run {
    const struct ref_world *w;
    struct ref_outcome *out;
    const uint8_t *flip;
    struct live *jobs;
    uint32_t seen;        /* jobs that are looked at: 0 = as if nothing ran and nothing was down */
    uint32_t seats;       /* of a GPU */
    size_t width;         /* seats of all GPUs and nodes */
    uint32_t *take;       /* the set being chosen, as live.on */
    struct slice *slices; /* by seat; NULL without MIG */
    struct slice *draft;  /* with that set's changes */
    struct slice *other;  /* as the layouts have it */
    struct exact exact;
    uint32_t faults; /* that have been */
    int64_t now;
};

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
static inline uint32_t seat_of(const struct run *r, uint32_t gpu)
{
    return gpu * r->seats;
}
static inline uint32_t node_seat(const struct run *r, uint32_t node)
{
    return r->w->gpu_count * r->seats + node;
}
static inline uint32_t units_at(const struct run *r, const uint32_t *on, uint32_t gpu)
{
    uint32_t units = 0;
    EACH(s, r->seats)
        units += on[seat_of(r, gpu) + s];
    return units;
}

/* ---- reference_modes.c ---- */

/* What a unit of the job takes of a GPU of the pool. */
struct need {
    uint32_t load, mem_mib, slots; /* slots: of an instance */
    uint8_t profile;
};
bool ref__need(struct need *need, const struct ref_pool *pool, const struct ref_job *job);
/* What a GPU has of what `load` counts. */
uint32_t ref__capacity(const struct ref_pool *pool);
bool ref__admits_memory(const struct ref_pool *pool);
bool ref__is_distinct(const struct ref_pool *pool, const struct ref_job *job);
/* Slots of its MIG instance that a unit takes. */
uint32_t ref__slots(const struct ref_pool *pool, const struct ref_job *job);
/* The running job's speed at one of its seats, as a multiple of R. */
struct ratio ref__share(const struct run *r, uint32_t j, const struct ref_pool *pool,
                        uint32_t seat);

/* ---- reference_mig.c ---- */

struct profile {
    const char *name;
    uint8_t compute, size;
    bool media;
    uint16_t starts;
    uint32_t mem_mib;
};
/* The GPU's profiles; its compute slices in *compute. NULL: no MIG. */
const struct profile *ref__mig_profiles(uint32_t model, uint32_t *count, uint32_t *compute);
/* The profile the job takes there, NO_PROFILE if there is none. */
uint8_t ref__mig_profile(const struct ref_pool *pool, const struct ref_job *job);
/* The GPU as its pool's layout has it. */
void ref__mig_reset(const struct run *r, struct slice *slices, const struct ref_pool *pool,
                    uint32_t gpu);
/* The draft's GPU: how much another unit would disturb it (0 nothing, 1 a new instance, 2 idle
 * ones go), MIG_NEVER = it can't be; *start = where it would be. */
unsigned ref__mig_disturbs(const struct run *r, uint32_t *start, const struct ref_pool *pool,
                           uint32_t gpu, const struct need *need);
#define MIG_NEVER 3
/* Takes a unit in the draft where ref__mig_disturbs says. */
void ref__mig_take(const struct run *r, const struct ref_pool *pool, uint32_t gpu,
                   const struct need *need);

/* Takes all instances of a GPU away if its mode and what is there allow it. */
bool ref__mig_renew(const struct run *r, const struct ref_pool *pool, uint32_t gpu);
/* Does an earlier change on the node keep others from starting there? */
bool ref__mig_holds(const struct run *r, uint32_t node);
/* Puts GPUs out of service whose changes have failed by now; true if the seat's has just then. */
bool ref__mig_fails(const struct run *r, uint32_t seat);
/* Units that the GPU takes, `enough` at most, as it is or made anew. The draft stays. */
uint32_t ref__mig_count(const struct run *r, const struct ref_pool *pool, uint32_t gpu,
                        const struct need *need, uint32_t enough, bool anew);

/* ---- reference_place.c ---- */

/* When the node's down time of now ends, REF_NEVER = never; 0 = it is up. */
int64_t ref__down_until(const struct run *r, uint32_t node);
/* What the units on a GPU take of its capacity, or of its memory. */
uint32_t ref__used(const struct run *r, uint32_t gpu, bool memory);
uint32_t ref__units_on(const struct run *r, const uint32_t *on, uint32_t node);
/* The pools whose empty nodes could hold the job. */
uint64_t ref__pools_of(struct run *r, uint32_t j);
/* A complete set for the job in r->take and r->draft, or false. */
bool ref__place(struct run *r, uint32_t j, const struct ref_pool *p);

#endif
