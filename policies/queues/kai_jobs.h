/* KAI's jobs: who waits in each queue, by priority, then age, and who runs there, the other way
 * round.
 *
 * Jobs of one class, one priority and one word about being stopped form a *group*: they wait in
 * queue order and whoever is behind the first can't start if that can't. Groups that ask for the
 * same, whatever their queue, share a *shape*: if one does not fit, none does until something is
 * released. In each leaf a heap holds the groups that may start, by priority, then age of their
 * first job. All is allocated by pt__kai_jobs_init: 13 bytes and 2 bits a job of the trace.
 */
#ifndef PT_QUEUES_KAI_JOBS_H
#define PT_QUEUES_KAI_JOBS_H

#include "policies/queues/kai_bits.h"
#include "policies/queues/kai_tree.h"

enum pt_kai_state {
    PT_KAI_EMPTY, /* nobody waits */
    PT_KAI_READY, /* in its leaf's heap */
    PT_KAI_ASIDE  /* can't start until something changes */
};

struct pt_kai_group {
    uint32_t class_id, leaf, shape;
    int64_t priority;
    bool fixed;                      /* nobody may stop its jobs */
    uint64_t parts;                  /* what a job takes, in the first pool that it may use */
    uint32_t first, count;           /* its jobs in job_at */
    uint32_t band_first, band_count; /* those of its leaf and priority in band_at */
    pt_job head;                     /* the first that waits, PT_NONE = nobody */
    uint32_t slot;                   /* in the heap */
    uint32_t aside_next;
    uint8_t state;
    uint32_t tried;   /* the pass that has tried to make room for it */
    uint8_t vain[2];  /* searches in a row without result for its head, by action */
    uint32_t rest[2]; /* the pass from which on it is looked at again */
};

/* What a class asks for, whoever asks. */
struct pt_kai_shape {
    pt_job job; /* one of them */
    uint64_t pools;
    uint32_t aside;         /* its groups that are set aside */
    bool blocked;           /* one of it does not fit */
    enum pt_reason why;     /* so */
    uint32_t moved_in_vain; /* free units when moving jobs for it was of no use; 0 = never */
};

/* A leaf of the tree. */
struct pt_kai_leaf {
    uint32_t first_group, group_count;
    uint32_t ready;        /* groups in its heap, which lies in heap[first_group ..] */
    uint32_t first, count; /* its jobs in band_at */
    bool has_priorities;   /* its jobs differ in them */
};

struct pt_kai_jobs {
    uint32_t job_count, group_count, shape_count;
    struct pt_kai_group *group; /* by leaf, then priority, high first */
    struct pt_kai_shape *shape;
    struct pt_kai_leaf *leaf; /* by node */
    uint32_t *heap;           /* groups */
    uint32_t *group_of;       /* by job */
    pt_job *job_at;           /* by group, then trace order */
    pt_job *band_at;          /* by leaf, priority (high first), then trace order */
    uint8_t *pool_of; /* by job: where it holds units, + 1; 0 = nowhere; and the bit below */
    struct pt_kai_bits waiting; /* places in job_at */
    struct pt_kai_bits running; /* places in band_at: those who may be stopped */
    uint32_t kept;              /* groups set aside by a quota or limit */
};

#define PT_KAI_STOPPED_BEFORE 128u /* in pool_of */

/* Sorts the trace's jobs into groups; nobody waits or runs. Jobs of this priority and more are
 * fixed. Only PT_ERR_MEMORY fails. fini takes what a failed init left, too. */
enum pt_status pt__kai_jobs_init(struct pt_kai_jobs *jobs, const struct pt_kai_tree *tree,
                                 const struct pt_ctx *ctx, int64_t fixed_from,
                                 struct pt_error *error);
void pt__kai_jobs_fini(struct pt_kai_jobs *jobs);

/* The job waits; true if nobody of its group did before. */
void pt__kai_wait(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, pt_job job);
/* It doesn't any more; false if it didn't. */
bool pt__kai_leave(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, pt_job job);

/* The group of a leaf that is next, PT_NONE if none is ready. */
static inline uint32_t pt__kai_next(const struct pt_kai_jobs *jobs, uint32_t leaf)
{
    const struct pt_kai_leaf *l = &jobs->leaf[leaf];
    return l->ready == 0 ? PT_NONE : jobs->heap[l->first_group];
}
/* Sets a ready group aside, because nobody of its shape fits, or (`kept`) because its queue may not
 * take more. */
void pt__kai_set_aside(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, uint32_t group,
                       bool kept);
/* Brings back the groups that a release in these pools may help. */
void pt__kai_released(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, const struct pt_ctx *ctx,
                      uint64_t pools);

/* The job is one that runs and may be stopped, or no more. */
void pt__kai_runs(struct pt_kai_jobs *jobs, pt_job job, bool runs);
/* Of the leaf's running jobs that may be stopped, the next to go before place `end` of band_at:
 * the lowest priority, the youngest. Its place, PT_NONE if there is none. */
static inline uint32_t pt__kai_victim(const struct pt_kai_jobs *jobs, uint32_t leaf, uint32_t end)
{
    return pt__kai_bits_last(&jobs->running, jobs->leaf[leaf].first, end);
}

#endif
