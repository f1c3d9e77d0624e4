/* Sharing modes: what a GPU offers, what a job takes of it, and how its residents share it.
 *
 * One mode = one const struct pt_unit_ops in one file of models/units/. Pure functions over plain
 * data: no allocation, no time, no randomness, no knowledge of other GPUs. The engine keeps
 * residents, indexes and accounts; a mode only answers.
 *
 * Most modes offer a GPU as a number (`capacity`: replicas, clients, millionths) that units are
 * counted against, and memory in MiB. A mode whose GPUs are cut into instances (MIG) keeps a small
 * state per GPU besides, behind `nested`.
 */
#ifndef PARTITA_UNIT_H
#define PARTITA_UNIT_H

#include "partita/catalog.h"
#include "partita/interference.h"
#include "partita/param.h"
#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_UNIT_ABI 2

/* Modes with at most this capacity have their GPUs indexed by load. */
#define PT_LEVELS_MAX 1024

/* Who pays for a GPU second: by the capacity held, or equally by the jobs that run then. */
enum pt_charge { PT_CHARGE_HELD, PT_CHARGE_SPLIT };

/* A change of a GPU's instances, as the pool has it. */
struct pt_reconfigure {
    int64_t cost_ns;               /* from the decision until the instance serves */
    bool node_wide;                /* the node starts nobody else meanwhile */
    uint32_t failure_ppm;          /* probability that an attempt fails, millionths */
    uint32_t attempts;             /* >= 1; after so many failures the GPU is out of service */
    int64_t backoff_ns, failed_ns; /* between attempts; length of one that fails */
};

/* How a pool's GPUs are offered; filled in by `configure`, read by everybody ever after. */
struct pt_unit_shape {
    const struct pt_gpu_model *gpu;
    uint32_t capacity;      /* what a GPU offers at once, >= 1: slots, millionths, slices */
    uint32_t residents_max; /* jobs' units on a GPU at once; PT_NONE = as many as fit */
    uint32_t clients_max;   /* their processes at once; 0 = as many as fit; of pools whose GPUs are
                               neither plain nor nested */
    bool levels;            /* capacity <= PT_LEVELS_MAX: index GPUs by load */
    bool uniform;           /* all residents of a GPU have the same share: `shares` gives one */
    bool distinct;          /* the units of one job sit on distinct GPUs by default */
    bool memory_admits;     /* a unit is refused where its memory does not fit beside the others' */
    bool memory_oom;        /* nobody checks before: the newcomer fails at its start instead */
    bool fault_spreads;     /* a fatal fault of one resident ends all residents of its unit */
    bool one_unit_only;     /* jobs that ask for more than one unit are refused */
    enum pt_charge charge;
    enum pt_sharing sharing; /* the rest is what struct pt_partition says of it */
    bool strict;
    bool elastic;       /* shares grow where others leave room: a job may run faster than R */
    bool allow_speedup; /* the same, as the user wishes */
    uint32_t slots;     /* residents of one unit at most, for fixed shares; 1 = not shared */
    double switch_loss, cap_contention;
    uint32_t switch_loss_ppm;
    int64_t slice_ns;   /* length of a turn, for fidelity: slices */
    uint32_t whole_sms; /* MIG: an instance's share of the GPU, x, is its SMs / these */
    struct pt_reconfigure reconfigure;
    uint64_t own[16]; /* the mode's */
};

/* What a job asks of each of its GPUs, as its columns have it. */
struct pt_ask {
    uint32_t gpu_frac_ppm; /* PT_NONE = absent */
    uint32_t gpu_mem_mib;  /* of one process; PT_NONE = absent */
    uint32_t processes;    /* >= 1 */
    uint32_t gpus;         /* units wanted, >= 1 */
    const char *mig;       /* a profile's name, "auto", or NULL */
};

#define PT_PROFILE_NONE UINT8_MAX

/* numerator / denominator, > 0; exact. */
struct pt_ratio {
    uint64_t numerator, denominator;
};

/* What one unit of a job takes of one GPU of a pool. */
struct pt_need {
    uint32_t capacity;     /* of shape.capacity; 0: no compute share, memory alone admits it */
    uint32_t mem_mib;      /* device memory of all its processes together */
    uint32_t clients;      /* processes it opens there */
    uint8_t profile;       /* MIG: index in the GPU's table; else PT_PROFILE_NONE */
    bool weightless;       /* admitted by memory alone */
    bool capped;           /* `cap` binds: it may not use more */
    bool as_asked;         /* what it gets is what it asked for: alone there it runs at R */
    struct pt_ratio cap;   /* share of the unit's SMs it may use at most */
    struct pt_ratio asked; /* share of the whole GPU that it asked for */
    double asked_share;    /* the same as the laws see it (MIG: by SMs) */
};

/* The residents of one unit that compute, under textbook shares. */
struct pt_unit_facts {
    const struct pt_unit_shape *shape;
    const struct pt_mig_profile *instance; /* NULL = the whole GPU */
    uint32_t count;                        /* >= 1 */
    const struct pt_resident *residents;   /* NULL where the shape is uniform */
};

/* Where a unit went on a nested GPU. */
struct pt_placed {
    uint8_t cell; /* names the instance on the GPU until the unit is removed */
    bool waits;   /* the instance is being made: it serves when the GPU's change is over */
    bool begins;  /* a change of this GPU begins with it */
    uint8_t created, destroyed; /* instances */
};

#define PT_CELL_ANY UINT8_MAX /* the mode chooses */
/* On instances made anew, though idle ones of the profile are there: what a gang may need of a GPU
 * that changes only as a whole. */
#define PT_CELL_ANEW (UINT8_MAX - 1)

/* How much a unit would disturb the GPU: an instance is there; there is room for one; idle ones
 * must go first. Lower is taken first, wherever it is. */
#define PT_DISTURBS_LEVELS 3
#define PT_DISTURBS_NEVER PT_DISTURBS_LEVELS

/* GPUs cut into instances: pure functions over a small state per GPU, which the engine keeps and
 * copies freely; aligned as uint64_t. */
struct pt_nested_ops {
    size_t state_size; /* <= PT_NESTED_STATE_MAX */
    /* The GPU as the pool's layout has it, all instances idle. */
    void (*reset)(void *state, const struct pt_unit_shape *shape);
    /* The least disturbance at which one more unit fits now, PT_DISTURBS_NEVER = it does not. */
    unsigned (*fits)(const void *state, const struct pt_unit_shape *shape,
                     const struct pt_need *need);
    /* For every profile of the GPU's table its bit in masks[fits]; profiles that don't fit are in
     * none. The same answer as `fits` for a unit with one process. */
    void (*summary)(uint32_t masks[PT_DISTURBS_LEVELS], const void *state,
                    const struct pt_unit_shape *shape);
    /* Takes a unit that fits. `start` = the memory slice wanted, PT_CELL_ANY or PT_CELL_ANEW.
     * False, and nothing is changed, if it can't be there. */
    bool (*place)(struct pt_placed *placed, void *state, const struct pt_unit_shape *shape,
                  const struct pt_need *need, uint8_t start);
    /* The unit, placed with this need, leaves its instance, which stays. */
    void (*remove)(void *state, const struct pt_unit_shape *shape, const struct pt_need *need,
                   uint8_t cell);
    /* The instance that was being made serves now. */
    void (*ready)(void *state, const struct pt_unit_shape *shape, uint8_t cell);
    /* The instant is over: what begins later is another change. */
    void (*commit)(void *state);
    /* The instance's profile. */
    const struct pt_mig_profile *(*profile)(const void *state, const struct pt_unit_shape *shape,
                                            uint8_t cell);
    /* Memory slices of instances that hold a unit, a bit each. */
    uint32_t (*busy_slices)(const void *state, const struct pt_unit_shape *shape);
};

#define PT_NESTED_STATE_MAX 64

struct pt_unit_ops {
    uint32_t abi, size; /* PT_UNIT_ABI, sizeof(struct pt_unit_ops) */
    const char *name, *summary, *source;
    const struct pt_param *params; /* NULL-named row ends it */
    /* Checks the parameters together and says how GPUs are offered. */
    enum pt_status (*configure)(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *params, struct pt_error *error);
    /* What a unit of the job takes of a GPU; PT_REASON_NONE, or why no GPU of the pool ever has
     * it. */
    enum pt_reason (*need)(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask);
    /* Textbook shares (`interference: none`): each resident's speed as a share of its R; of a
     * uniform shape shares[0] alone, for all. At most 1 unless the shape allows more. */
    void (*shares)(struct pt_ratio *shares, const struct pt_unit_facts *facts);
    const struct pt_nested_ops *nested; /* NULL: capacity and memory say it all */
};

/* round(rate * numerator / denominator), half up; the one rounding of a speed. denominator > 0. */
static inline pt_u128 pt_speed_scale(uint64_t rate, uint64_t numerator, uint64_t denominator)
{
    return ((pt_u128)rate * numerator + denominator / 2) / denominator;
}

#ifdef __cplusplus
}
#endif
#endif
