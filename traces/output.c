#define _XOPEN_SOURCE 700 /* realpath */

#include "traces/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK = 1 << 16, GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };
enum encoding { PLAIN, GZIP, ZSTD };

struct pt__output {
    char *path, *temporary; /* NULL path: standard output; NULL temporary: written in place */
    int fd;
    enum encoding encoding;
    bool gzip_ready;
    z_stream gzip;
    ZSTD_CStream *zstd;
    unsigned char chunk[CHUNK];
};

static const char *shown_path(const struct pt__output *output)
{
    return output->path == NULL ? "standard output" : output->path;
}

static enum pt_status fail_write(const struct pt__output *output, struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_IO, shown_path(output), 0, 0, "cannot be written: %s",
                      strerror(errno));
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

static char *join(const char *text, const char *ending)
{
    size_t capacity = strlen(text) + strlen(ending) + 1;
    char *joined = malloc(capacity);
    if (joined != NULL) snprintf(joined, capacity, "%s%s", text, ending);
    return joined;
}

/* What is there and no regular file: a pipe, /dev/full. */
static bool is_in_place(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* The file that `path` means: a link to a file stays a link. */
static char *resolve(const char *path)
{
    char *target = is_in_place(path) ? NULL : realpath(path, NULL);
    return target != NULL ? target : join(path, "");
}

char *pt__output_temporary(const char *path)
{
    char ending[32];
    if (path == NULL || is_in_place(path)) return NULL;
    char *target = resolve(path), *temporary = NULL;
    snprintf(ending, sizeof ending, ".tmp.%ld", (long)getpid());
    if (target != NULL) temporary = join(target, ending);
    free(target);
    return temporary;
}

static enum pt_status open_file(struct pt__output *output, const char *path, struct pt_error *error)
{
    bool in_place = is_in_place(path);
    if (path[0] == '\0') return pt_fail(error, PT_ERR_INPUT, "the file to write has no name");
    output->path = resolve(path);
    if (!in_place) output->temporary = pt__output_temporary(path);
    if (output->path == NULL || (!in_place && output->temporary == NULL))
        return pt_fail_at(error, PT_ERR_MEMORY, path, 0, 0, "out of memory");
    output->fd = in_place ? open(path, O_WRONLY | O_CLOEXEC)
                          : open(output->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->fd >= 0) return PT_OK;
    int reason = errno;
    free(output->temporary);
    output->temporary = NULL;
    return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "cannot be written: %s", strerror(reason));
}

static enum pt_status open_encoder(struct pt__output *output, struct pt_error *error)
{
    if (output->path == NULL) return PT_OK;
    bool ready = true;
    if (ends_in(output->path, ".gz")) {
        output->encoding = GZIP;
        ready = output->gzip_ready = deflateInit2(&output->gzip, GZIP_LEVEL, Z_DEFLATED,
                                                  16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    } else if (ends_in(output->path, ".zst")) {
        output->encoding = ZSTD;
        output->zstd = ZSTD_createCStream();
        ready = output->zstd != NULL && !ZSTD_isError(ZSTD_initCStream(output->zstd, ZSTD_LEVEL));
        if (ready) ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_checksumFlag, 1);
    }
    if (ready) return PT_OK;
    return pt_fail_at(error, PT_ERR_MEMORY, output->path, 0, 0, "out of memory");
}

enum pt_status pt__output_open(struct pt__output **output, const char *path, struct pt_error *error)
{
    *output = NULL;
    struct pt__output *made = calloc(1, sizeof *made);
    if (made == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    made->fd = STDOUT_FILENO;
    enum pt_status status = path == NULL ? PT_OK : open_file(made, path, error);
    if (status == PT_OK) status = open_encoder(made, error);
    if (status == PT_OK)
        *output = made;
    else
        pt__output_discard(made);
    return status;
}

static enum pt_status put(struct pt__output *output, const void *bytes, size_t length,
                          struct pt_error *error)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t wrote = write(output->fd, at, length);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return fail_write(output, error);
        at += wrote;
        length -= (size_t)wrote;
    }
    return PT_OK;
}

static enum pt_status put_gzip(struct pt__output *output, const void *bytes, size_t length,
                               int flush, struct pt_error *error)
{
    z_stream *gzip = &output->gzip;
    gzip->next_in = (unsigned char *)(uintptr_t)bytes; /* zlib does not write there */
    gzip->avail_in = (unsigned)length;
    int result = Z_OK;
    do {
        gzip->next_out = output->chunk;
        gzip->avail_out = CHUNK;
        result = deflate(gzip, flush);
        PT_TRY(put(output, output->chunk, CHUNK - gzip->avail_out, error));
    } while (gzip->avail_out == 0 && result != Z_STREAM_END);
    return PT_OK;
}

static enum pt_status put_zstd(struct pt__output *output, const void *bytes, size_t length,
                               ZSTD_EndDirective flush, struct pt_error *error)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left = 0;
    do {
        ZSTD_outBuffer out = {output->chunk, CHUNK, 0};
        left = ZSTD_compressStream2(output->zstd, &out, &in, flush);
        if (ZSTD_isError(left))
            return pt_fail_at(error, PT_ERR_MEMORY, output->path, 0, 0, "cannot be compressed: %s",
                              ZSTD_getErrorName(left));
        PT_TRY(put(output, output->chunk, out.pos, error));
    } while (flush == ZSTD_e_end ? left != 0 : in.pos < in.size);
    return PT_OK;
}

enum pt_status pt__output_write(struct pt__output *output, const void *bytes, size_t length,
                                struct pt_error *error)
{
    if (length == 0) return PT_OK;
    switch (output->encoding) {
    case GZIP:
        return put_gzip(output, bytes, length, Z_NO_FLUSH, error);
    case ZSTD:
        return put_zstd(output, bytes, length, ZSTD_e_continue, error);
    default:
        return put(output, bytes, length, error);
    }
}

static enum pt_status finish(struct pt__output *output, struct pt_error *error)
{
    if (output->encoding == GZIP) PT_TRY(put_gzip(output, "", 0, Z_FINISH, error));
    if (output->encoding == ZSTD) PT_TRY(put_zstd(output, "", 0, ZSTD_e_end, error));
    if (output->temporary == NULL) return PT_OK;
    if (fsync(output->fd) != 0) return fail_write(output, error);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd) != 0) return fail_write(output, error);
    if (rename(output->temporary, output->path) != 0) return fail_write(output, error);
    free(output->temporary);
    output->temporary = NULL;
    return PT_OK;
}

enum pt_status pt__output_commit(struct pt__output *output, struct pt_error *error)
{
    enum pt_status status = finish(output, error);
    pt__output_discard(output);
    return status;
}

void pt__output_discard(struct pt__output *output)
{
    if (output == NULL) return;
    if (output->gzip_ready) deflateEnd(&output->gzip);
    ZSTD_freeCStream(output->zstd);
    if (output->path != NULL && output->fd >= 0) close(output->fd);
    if (output->temporary != NULL) unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    free(output);
}
