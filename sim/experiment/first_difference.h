/* The first decision in which two results differ, found by running both again side by side.
 *
 * Both replays advance event by event for as long as they say the same; where they part, the state
 * of both worlds is told: who waits, since when and why, and what is idle. Then both run to their
 * ends, and their digests are held against those that the results keep: what a replay finds is the
 * truth about a result only where the two agree. Time of two runs, memory of two runs.
 */
#ifndef PT_EXPERIMENT_FIRST_DIFFERENCE_H
#define PT_EXPERIMENT_FIRST_DIFFERENCE_H

#include "partita/recorder.h"
#include "partita/status.h"

enum { PT_QUEUE_SHOWN = 8, PT_NAME_SHOWN = 64, PT_POOLS_SHOWN = 8 };

/* A job as people call it. Texts are cut to their room. */
struct pt_job_shown {
    char id[PT_NAME_SHOWN], tenant[PT_NAME_SHOWN];
    uint32_t gpus;
    double waited_s;       /* since its submission, running time included */
    enum pt_reason reason; /* of a pending one; PT_REASON_NONE = not known */
};

struct pt_world_shown {
    bool ended;            /* nothing happens here any more */
    struct pt_event event; /* what happens next; else zeroed */
    bool has_job;          /* the event is about one */
    struct pt_job_shown job;
    char gpu[PT_NAME_SHOWN + 16]; /* "main-0:3", "main-0" for a job on CPUs; "" = none */
    uint32_t pending;             /* jobs that wait, before the event */
    uint32_t shown;               /* the first of them in order of submission */
    struct pt_job_shown queue[PT_QUEUE_SHOWN];
    uint32_t pool_count; /* the first ones */
    struct {
        char name[PT_NAME_SHOWN];
        uint32_t idle, gpus;
    } pools[PT_POOLS_SHOWN];
};

enum pt_sameness {
    PT_SAME,     /* no event differs */
    PT_DIFFERS,  /* the worlds below say how */
    PT_NOT_KNOWN /* `why` says why not */
};

struct pt_first_difference {
    enum pt_sameness sameness;
    char why[512];
    uint64_t events_before; /* events that are the same in both */
    int64_t time_ns;        /* when they part: the earlier of both next events */
    struct pt_world_shown base, changed;
};

/* Replays both results and says where they part. Fails for want of memory alone: whatever else is
 * in the way makes the answer PT_NOT_KNOWN. */
PT_USE_RESULT enum pt_status pt_first_difference_find(struct pt_first_difference *found,
                                                      const char *base_path, const char *new_path,
                                                      struct pt_error *error);

#endif
