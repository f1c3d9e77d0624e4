#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    RAW_CAPACITY = 1 << 17,
    MAGIC_LENGTH = 4,
    WINDOW_LOG_MAX = 27 /* 128 MiB: what zstd itself allows unasked */
};

enum encoding { PLAIN, GZIP, ZSTD };

struct pt__input {
    char *name;
    int fd; /* -1: from memory */
    const unsigned char *memory;
    size_t memory_left;
    enum encoding encoding;
    unsigned char raw[RAW_CAPACITY];
    size_t raw_at, raw_end;
    bool raw_done;    /* the source has no more */
    bool in_archive;  /* a member or frame has begun and not ended */
    bool any_archive; /* the first one has begun */
    z_stream gzip;
    ZSTD_DStream *zstd;
};

static enum pt_status fail(const struct pt__input *input, enum pt_status status, const char *what,
                           struct pt_error *error)
{
    return pt_fail_at(error, status, input->name, 0, 0, "%s", what);
}

/* Bytes as the source has them. */
static enum pt_status read_source(size_t *got, struct pt__input *input, void *buffer,
                                  size_t capacity, struct pt_error *error)
{
    *got = 0;
    if (input->fd < 0) {
        *got = input->memory_left < capacity ? input->memory_left : capacity;
        if (*got > 0) memcpy(buffer, input->memory, *got);
        input->memory += *got;
        input->memory_left -= *got;
        return PT_OK;
    }
    for (;;) {
        ssize_t count = read(input->fd, buffer, capacity);
        if (count >= 0) {
            *got = (size_t)count;
            return PT_OK;
        }
        if (errno == EINTR) continue;
        return pt_fail_at(error, PT_ERR_IO, input->name, 0, 0, "cannot be read: %s",
                          strerror(errno));
    }
}

/* Adds to `raw`, which has room. */
static enum pt_status fill_raw(struct pt__input *input, struct pt_error *error)
{
    size_t got = 0;
    PT_TRY(read_source(&got, input, input->raw + input->raw_end, RAW_CAPACITY - input->raw_end,
                       error));
    input->raw_end += got;
    input->raw_done = got == 0;
    return PT_OK;
}

/* A frame, or one to be skipped, with which pzstd begins. */
static bool is_zstd(const unsigned char *magic)
{
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const unsigned char skippable[] = {0x2a, 0x4d, 0x18}; /* after 0x50 to 0x5f */
    return memcmp(magic, frame, sizeof frame) == 0 ||
           ((magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, skippable, sizeof skippable) == 0);
}

static enum pt_status detect(struct pt__input *input, struct pt_error *error)
{
    static const unsigned char gzip_magic[] = {0x1f, 0x8b};
    while (input->raw_end < MAGIC_LENGTH && !input->raw_done)
        PT_TRY(fill_raw(input, error));
    input->raw_done = false;
    if (input->raw_end >= sizeof gzip_magic &&
        memcmp(input->raw, gzip_magic, sizeof gzip_magic) == 0) {
        input->encoding = GZIP;
        if (inflateInit2(&input->gzip, 16 + MAX_WBITS) != Z_OK)
            return fail(input, PT_ERR_MEMORY, "out of memory", error);
    } else if (input->raw_end >= MAGIC_LENGTH && is_zstd(input->raw)) {
        input->encoding = ZSTD;
        input->zstd = ZSTD_createDStream();
        if (input->zstd == NULL) return fail(input, PT_ERR_MEMORY, "out of memory", error);
        ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    }
    return PT_OK;
}

static enum pt_status create(struct pt__input **input, const char *name, struct pt_error *error)
{
    size_t length = strlen(name) + 1;
    struct pt__input *made = calloc(1, sizeof *made);
    char *copy = malloc(length);
    if (made == NULL || copy == NULL) {
        free(made);
        free(copy);
        return pt_fail_at(error, PT_ERR_MEMORY, name, 0, 0, "out of memory");
    }
    memcpy(copy, name, length);
    made->name = copy;
    made->fd = -1;
    *input = made;
    return PT_OK;
}

/* Looks at the first bytes if all is well so far; else the input goes. */
static enum pt_status begin(struct pt__input **input, enum pt_status status, struct pt_error *error)
{
    if (status == PT_OK) status = detect(*input, error);
    if (status == PT_OK) return PT_OK;
    pt__input_close(*input);
    *input = NULL;
    return status;
}

enum pt_status pt__input_open(struct pt__input **input, const char *path, struct pt_error *error)
{
    PT_TRY(create(input, path, error));
    enum pt_status status = PT_OK;
    struct stat info;
    (*input)->fd = open(path, O_RDONLY | O_CLOEXEC);
    if ((*input)->fd < 0)
        status =
            pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "cannot be opened: %s", strerror(errno));
    else if (fstat((*input)->fd, &info) == 0 && S_ISDIR(info.st_mode))
        status = pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "is a folder, not a trace");
    return begin(input, status, error);
}

enum pt_status pt__input_open_memory(struct pt__input **input, const char *name, const void *bytes,
                                     size_t length, struct pt_error *error)
{
    PT_TRY(create(input, name, error));
    (*input)->memory = bytes;
    (*input)->memory_left = length;
    return begin(input, PT_OK, error);
}

void pt__input_close(struct pt__input *input)
{
    if (input == NULL) return;
    if (input->encoding == GZIP) inflateEnd(&input->gzip);
    ZSTD_freeDStream(input->zstd);
    if (input->fd >= 0) close(input->fd);
    free(input->name);
    free(input);
}

/* What of the first bytes is left, then the source without a copy. */
static enum pt_status read_plain(size_t *got, struct pt__input *input, void *buffer,
                                 size_t capacity, struct pt_error *error)
{
    size_t left = input->raw_end - input->raw_at;
    if (left == 0) return read_source(got, input, buffer, capacity, error);
    *got = left < capacity ? left : capacity;
    memcpy(buffer, input->raw + input->raw_at, *got);
    input->raw_at += *got;
    return PT_OK;
}

/* One call of the decoder; tells what it wrote, and whether a member or frame ended. */
static enum pt_status decode_gzip(size_t *wrote, bool *ended, struct pt__input *input, void *buffer,
                                  size_t capacity, struct pt_error *error)
{
    z_stream *gzip = &input->gzip;
    if (!input->in_archive && input->any_archive && inflateReset(gzip) != Z_OK)
        return fail(input, PT_ERR_INPUT, "is a broken gzip archive", error);
    unsigned room = capacity < 1u << 30 ? (unsigned)capacity : 1u << 30;
    gzip->next_in = input->raw + input->raw_at;
    gzip->avail_in = (unsigned)(input->raw_end - input->raw_at);
    gzip->next_out = buffer;
    gzip->avail_out = room;
    int result = inflate(gzip, Z_NO_FLUSH);
    input->raw_at = input->raw_end - gzip->avail_in;
    *wrote = room - gzip->avail_out;
    *ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR) return fail(input, PT_ERR_MEMORY, "out of memory", error);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail(input, PT_ERR_INPUT,
                    input->in_archive || !input->any_archive
                        ? "is a broken gzip archive"
                        : "has something behind the end of its gzip archive",
                    error);
    return PT_OK;
}

static enum pt_status decode_zstd(size_t *wrote, bool *ended, struct pt__input *input, void *buffer,
                                  size_t capacity, struct pt_error *error)
{
    ZSTD_inBuffer in = {input->raw, input->raw_end, input->raw_at};
    ZSTD_outBuffer out = {buffer, capacity, 0};
    size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
    if (ZSTD_isError(result))
        return pt_fail_at(error, PT_ERR_INPUT, input->name, 0, 0, "is a broken zstd archive: %s",
                          ZSTD_getErrorName(result));
    input->raw_at = in.pos;
    *wrote = out.pos;
    *ended = result == 0;
    return PT_OK;
}

static enum pt_status read_archive(size_t *got, struct pt__input *input, void *buffer,
                                   size_t capacity, struct pt_error *error)
{
    *got = 0;
    while (*got == 0) {
        if (input->raw_at == input->raw_end && !input->raw_done) {
            input->raw_at = input->raw_end = 0;
            PT_TRY(fill_raw(input, error));
        }
        bool no_more = input->raw_at == input->raw_end;
        if (no_more && !input->in_archive) return PT_OK;
        bool ended = false;
        size_t before = input->raw_at;
        if (input->encoding == GZIP)
            PT_TRY(decode_gzip(got, &ended, input, buffer, capacity, error));
        else
            PT_TRY(decode_zstd(got, &ended, input, buffer, capacity, error));
        input->any_archive = true;
        input->in_archive = !ended;
        if (*got == 0 && !ended && no_more)
            return fail(input, PT_ERR_INPUT, "ends in the middle of its archive", error);
        if (*got == 0 && !ended && input->raw_at == before)
            return fail(input, PT_ERR_INPUT, "is a broken archive", error);
    }
    return PT_OK;
}

enum pt_status pt__input_read(size_t *got, struct pt__input *input, void *buffer, size_t capacity,
                              struct pt_error *error)
{
    if (input->encoding == PLAIN) return read_plain(got, input, buffer, capacity, error);
    return read_archive(got, input, buffer, capacity, error);
}
