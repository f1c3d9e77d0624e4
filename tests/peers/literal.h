/* The simulators of Helios and Tiresias once more, from their published semantics alone, second by
 * second and event by event, as slowly as they do it: what `--generated` compares with where no
 * results of theirs are there. Shares nothing with the engine or the policies.
 */
#ifndef PT_TESTS_LITERAL_H
#define PT_TESTS_LITERAL_H

#include <stdint.h>

#define LITERAL_JOBS_MAX 400u
#define LITERAL_NODES_MAX 8u

struct literal_job {
    int64_t submit_s, work_s, estimate_s; /* sorted by submit_s */
    uint32_t gpus;
    int64_t start_s, end_s; /* what comes of it */
    uint32_t preemptions;
};

/* fifo, sjf, qssf, srtf on nodes of 8 GPUs with "consolidate". Every job fits. */
void literal_helios(struct literal_job *jobs, uint32_t count, uint32_t nodes, const char *policy);
/* sjf, shortest, shortest-gpu, dlas, dlas-gpu on so many GPUs. Every job fits. */
void literal_tiresias(struct literal_job *jobs, uint32_t count, uint32_t gpus, const char *policy);

#endif
