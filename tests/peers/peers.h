/* The traces and results of other simulators: a directory per kind, in it one per set, in it
 * trace.csv and out_POLICY.csv. */
#ifndef PT_TESTS_PEERS_H
#define PT_TESTS_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/peers/literal.h"
#include "tests/support/rig.h"

/* The file's text, to be freed; NULL where it is not there. */
char *peer_file(const char *path);

/* A CSV file with a header, without quotes; whatever is not as expected ends the process. */
struct peer_table {
    char path[4096];
    char *text;
    char **cell; /* by row, then column; row 0 = the header */
    uint32_t rows, columns;
};

/* False, and nothing to free, where the file is not there. */
bool peer_read(struct peer_table *table, const char *set, const char *name);
void peer_free(struct peer_table *table);
uint32_t peer_column(const struct peer_table *table, const char *name);
const char *peer_text(const struct peer_table *table, uint32_t row, const char *column);
int64_t peer_int(const struct peer_table *table, uint32_t row, const char *column);

/* What a set's jobs were compared with, summed over the sets. */
struct peer_count {
    uint32_t sets, jobs, wrong;
};
/* Compares one set's results of `policy` and counts; false where that policy has none there. */
typedef bool peer_compare_fn(struct peer_count *count, const char *set, const char *policy);

/* Calls it for every set under the shared reference's peers/KIND, prints the sums. The exit code of
 * the test: 0, 1 = something differs, 77 = there is no set with results of this policy. */
int peer_every_set(const char *kind, const char *policy, peer_compare_fn *compare);

/* Start, end and, where the columns are there, preemptions and time not running (`waited`, NULL =
 * not compared) of row `row` of the peer against the engine's. */
bool peer_same(const struct rig *rig, pt_job job, const struct peer_table *out, uint32_t row,
               const char *waited, const struct peer_count *count);

/* Jobs with many ties, submitted up to `gap_s` apart, of up to `work_s` and of these sizes. */
void peer_generate(struct literal_job *jobs, uint32_t count, uint64_t seed, const uint32_t *sizes,
                   uint32_t size_count, uint32_t gap_s, uint32_t work_s);
/* How many of the jobs did not come out like that. */
uint32_t peer_differ(const struct rig *rig, const struct literal_job *jobs, uint32_t count);

#endif
