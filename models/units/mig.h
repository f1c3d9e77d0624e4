/* MIG: how a GPU's memory and compute slices are cut into instances.
 *
 * The geometry is the vendor's: an instance takes a run of memory slices that begins where its
 * profile may start; runs do not overlap; the compute slices of all instances together are at most
 * the GPU's; at most one instance has the media engines (+me). All functions here are pure.
 */
#ifndef PT_MODELS_UNITS_MIG_H
#define PT_MODELS_UNITS_MIG_H

#include "partita/unit.h"

/* What is left of a GPU beside the instances on it. */
struct pt__mig_room {
    uint16_t free;   /* memory slices, a bit each */
    uint8_t compute; /* slices */
    bool media;      /* nobody has the media engines */
};

/* A GPU without instances. */
struct pt__mig_room pt__mig_whole(const struct pt_mig *mig);
/* The memory slices of an instance. */
uint16_t pt__mig_slices(const struct pt_mig_profile *profile, unsigned start);
/* Where an instance may start in this room, a bit a slice. */
uint16_t pt__mig_starts(const struct pt_mig_profile *profile, struct pt__mig_room room);
/* The room beside one more instance, which must be legal. */
struct pt__mig_room pt__mig_beside(struct pt__mig_room room, const struct pt_mig_profile *profile,
                                   unsigned start);
/* How many instances could be made in this room, one at a time: pairs of profile and start. */
unsigned pt__mig_options(const struct pt_mig *mig, struct pt__mig_room room);

/* Where the next instance goes, of the legal starts. */
enum pt__mig_rule {
    PT__MIG_BEST,  /* leaves the most options; of equal ones the lowest */
    PT__MIG_FIRST, /* the lowest */
    PT__MIG_DRIVER /* the highest, as the driver was seen to choose */
};

/* One of `starts`, which are legal in `room` and at least one. */
unsigned pt__mig_choose(const struct pt_mig *mig, const struct pt_mig_profile *profile,
                        struct pt__mig_room room, uint16_t starts, enum pt__mig_rule rule);

/* Instances on a GPU, by the slice they start at. */
struct pt__mig_layout {
    uint16_t starts;                    /* a bit an instance */
    uint8_t profile[PT_MIG_SLICES_MAX]; /* index in the GPU's table, where the bit is set */
};

/* Finds a legal placement of counts[i] instances of the table's i-th profile, whatever their order:
 * of all that there are, one that leaves the most options; of equal ones the one whose large
 * instances start lowest. False if there is none. (After a million steps, which no known table
 * needs, the best so far counts.) */
bool pt__mig_place_all(struct pt__mig_layout *layout, const struct pt_mig *mig,
                       const uint32_t counts[PT_MIG_PROFILES_MAX]);

/* The layout that `words` stand for: a named one (all-1g, all-PROFILE, all-balanced, all-enabled)
 * or profiles with commas between them; NULL or "" = no instances. Says why one is impossible. */
enum pt_status pt__mig_parse_layout(struct pt__mig_layout *layout, const struct pt_gpu_model *gpu,
                                    const char *words, struct pt_error *error);

/* How a pool's GPUs change. */
enum pt__mig_change {
    PT__MIG_STATIC,        /* never */
    PT__MIG_WHEN_GPU_IDLE, /* as a whole, while no job is on it */
    PT__MIG_PARTIAL        /* instance by instance */
};

enum pt__mig_inside { PT__MIG_ALONE, PT__MIG_TURNS, PT__MIG_CLIENTS };

/* What shape.own holds for this mode. */
enum pt__mig_own {
    PT__MIG_OWN_STARTS,   /* of the initial layout, a bit an instance */
    PT__MIG_OWN_PROFILES, /* of the initial layout, four bits a start */
    PT__MIG_OWN_OFFERED,  /* profiles that a GPU may ever have, a bit each */
    PT__MIG_OWN_CHANGE,   /* enum pt__mig_change */
    PT__MIG_OWN_RULE,     /* enum pt__mig_rule */
    PT__MIG_OWN_INSIDE    /* enum pt__mig_inside */
};

/* Slots of its instance that a unit takes, of shape->slots: one, or one a client. */
static inline uint32_t pt__mig_slots(const struct pt_unit_shape *shape, const struct pt_need *need)
{
    return shape->own[PT__MIG_OWN_INSIDE] == PT__MIG_CLIENTS ? need->clients : 1;
}

extern const struct pt_nested_ops pt__mig_nested;

#endif
