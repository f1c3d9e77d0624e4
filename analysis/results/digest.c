#include "analysis/results/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Events are hashed as they lie in memory. */
_Static_assert(sizeof(struct pt_event) == 24, "struct pt_event has padding");

struct pt_digest {
    XXH3_state_t *state;
};

enum pt_status pt_digest_create(struct pt_digest **digest, struct pt_error *error)
{
    struct pt_digest *d = malloc(sizeof(*d));
    if (d != NULL) d->state = XXH3_createState();
    if (d == NULL || d->state == NULL) {
        free(d);
        return pt_fail(error, PT_ERR_MEMORY, "no memory for a digest");
    }
    XXH3_128bits_reset(d->state);
    *digest = d;
    return PT_OK;
}

void pt_digest_destroy(struct pt_digest *digest)
{
    if (digest == NULL) return;
    XXH3_freeState(digest->state);
    free(digest);
}

void pt_digest_update(struct pt_digest *digest, const void *bytes, size_t count)
{
    XXH3_128bits_update(digest->state, bytes, count);
}

enum pt_status pt_digest_on_events(void *ctx, const struct pt_event *events, size_t count,
                                   struct pt_error *error)
{
    (void)error;
    pt_digest_update(ctx, events, count * sizeof(*events));
    return PT_OK;
}

void pt_digest_text(char text[PT_DIGEST_TEXT_MAX], const struct pt_digest *digest)
{
    XXH128_hash_t hash = XXH3_128bits_digest(digest->state);
    snprintf(text, PT_DIGEST_TEXT_MAX, "xxh3-128:%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

enum pt_status pt_digest_file(char text[PT_DIGEST_TEXT_MAX], const char *path,
                              struct pt_error *error)
{
    struct pt_digest *digest = NULL;
    enum pt_status status;
    char buffer[1 << 16];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "can't be opened: %s", strerror(errno));
    }
    status = pt_digest_create(&digest, error);
    while (status == PT_OK) {
        size_t count = fread(buffer, 1, sizeof(buffer), file);
        if (count == 0) break;
        pt_digest_update(digest, buffer, count);
    }
    if (status == PT_OK && ferror(file)) {
        status = pt_fail_at(error, PT_ERR_IO, path, 0, 0, "can't be read: %s", strerror(errno));
    }
    if (status == PT_OK) pt_digest_text(text, digest);
    pt_digest_destroy(digest);
    fclose(file);
    return status;
}
