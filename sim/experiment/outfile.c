#include "sim/experiment/outfile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

/* "PATHsuffix", malloc'ed. */
static char *with_suffix(const char *path, const char *suffix)
{
    assert(path);
    size_t room = strlen(path) + strlen(suffix) + 1;
    char *text = malloc(room);
    if (text) snprintf(text, room, "%s%s", path, suffix);
    return text;
}

static void release(struct pt_outfile *file)
{
    if (file->stream && file->target) fclose(file->stream);
    free(file->target);
    free(file->temporary);
    *file = (struct pt_outfile){0};
}

enum pt_status pt_outfile_open(struct pt_outfile *file, const char *path, struct pt_error *error)
{
    struct stat info;
    char suffix[32];
    *file = (struct pt_outfile){.stream = stdout};
    if (!path) return PT_OK;
    bool in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    snprintf(suffix, sizeof suffix, ".tmp.%ld", (long)getpid());
    file->stream = NULL;
    file->target = with_suffix(path, "");
    if (!in_place) file->temporary = with_suffix(path, suffix);
    if (!file->target || (!in_place && !file->temporary)) {
        release(file);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    file->stream = fopen(in_place ? file->target : file->temporary, "w");
    if (!file->stream) {
        int why = errno;
        release(file);
        return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "can't be written: %s", strerror(why));
    }
    setvbuf(file->stream, NULL, _IOFBF, BUFFER_BYTES);
    return PT_OK;
}

enum pt_status pt_outfile_spares(const char *path, const char *input, struct pt_error *error)
{
    struct stat target, source;
    if (!path || !input || stat(path, &target) != 0 || stat(input, &source) != 0) return PT_OK;
    if (!S_ISREG(target.st_mode) || target.st_dev != source.st_dev ||
        target.st_ino != source.st_ino)
        return PT_OK;
    return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "is read here: it would be overwritten");
}

static enum pt_status lost(const struct pt_outfile *file, int why, struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_IO, file->target ? file->target : "standard output", 0, 0,
                      "can't be written: %s", strerror(why));
}

enum pt_status pt_outfile_check(const struct pt_outfile *file, struct pt_error *error)
{
    return ferror(file->stream) ? lost(file, errno, error) : PT_OK;
}

/* Moves the temporary file to where it belongs. */
static bool settle(const struct pt_outfile *file, bool partial)
{
    if (!file->temporary) return true;
    if (!partial) return rename(file->temporary, file->target) == 0;
    char *name = with_suffix(file->target, ".partial");
    bool good = name && rename(file->temporary, name) == 0;
    free(name);
    return good;
}

enum pt_status pt_outfile_close(struct pt_outfile *file, bool partial, struct pt_error *error)
{
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int why = errno;
    enum pt_status status = PT_OK;
    if (file->target) {
        good = fclose(file->stream) == 0 && good;
        file->stream = NULL;
    }
    if (good && !settle(file, partial)) {
        good = false;
        why = errno;
    }
    if (!good) {
        status = lost(file, why, error);
        if (file->temporary) remove(file->temporary);
    }
    release(file);
    return status;
}

void pt_outfile_abandon(struct pt_outfile *file)
{
    if (file->temporary) remove(file->temporary);
    release(file);
}
