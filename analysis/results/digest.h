/* The digest of a run's event log, and of input files: XXH3-128 over the bytes in order.
 *
 * Batching does not matter: the same events in other batches give the same digest. It names what
 * happened and depends on nothing but inputs and seed; it is no protection against malice.
 */
#ifndef PT_RESULTS_DIGEST_H
#define PT_RESULTS_DIGEST_H

#include "partita/recorder.h"

struct pt_digest;

/* "xxh3-128:" and 32 hex digits. */
#define PT_DIGEST_TEXT_MAX 48

PT_USE_RESULT enum pt_status pt_digest_create(struct pt_digest **digest, struct pt_error *error);
/* NULL is allowed. */
void pt_digest_destroy(struct pt_digest *digest);

/* Adds bytes. */
void pt_digest_update(struct pt_digest *digest, const void *bytes, size_t count);
/* The same for a pt_recorder.events callback; ctx is the struct pt_digest. Never fails. */
enum pt_status pt_digest_on_events(void *ctx, const struct pt_event *events, size_t count,
                                   struct pt_error *error);
/* Writes the digest of what was added so far; more may follow. */
void pt_digest_text(char text[PT_DIGEST_TEXT_MAX], const struct pt_digest *digest);

/* The digest of a file's bytes as they lie on the disk. PT_ERR_INPUT if it can't be opened,
 * PT_ERR_IO if it can't be read. */
PT_USE_RESULT enum pt_status pt_digest_file(char text[PT_DIGEST_TEXT_MAX], const char *path,
                                            struct pt_error *error);

#endif
