#define _XOPEN_SOURCE 700 /* realpath */

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

static enum pt_status refused(const char *path, int why, struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "can't be written: %s", strerror(why));
}

/* Fills in the names. A link to a file stays a link: its target is replaced. */
static enum pt_status name_files(struct pt_outfile *file, const char *path, struct pt_error *error)
{
    struct stat info;
    char suffix[32];
    bool there = stat(path, &info) == 0, in_place = there && !S_ISREG(info.st_mode);
    if (there && access(path, W_OK) != 0) return refused(path, errno, error);
    snprintf(suffix, sizeof suffix, ".tmp.%ld", (long)getpid());
    file->target = there && !in_place ? realpath(path, NULL) : with_suffix(path, "");
    if (file->target && !in_place) file->temporary = with_suffix(file->target, suffix);
    if (file->target && (in_place || file->temporary)) return PT_OK;
    return pt_fail(error, PT_ERR_MEMORY, "out of memory");
}

enum pt_status pt_outfile_open(struct pt_outfile *file, const char *path, struct pt_error *error)
{
    *file = (struct pt_outfile){.stream = stdout};
    if (!path) return PT_OK;
    file->stream = NULL;
    if (!path[0]) return pt_fail(error, PT_ERR_INPUT, "a file to write has no name");
    enum pt_status status = name_files(file, path, error);
    if (status == PT_OK) {
        file->stream = fopen(file->temporary ? file->temporary : file->target, "w");
        if (!file->stream) status = refused(path, errno, error);
    }
    if (status != PT_OK) {
        release(file);
        return status;
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

/* The folder that `path` is in; false if there is none. */
static bool folder_of(struct stat *info, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = with_suffix(slash ? path : ".", "");
    if (!folder) return false;
    if (slash) folder[slash == path ? 1 : slash - path] = '\0';
    bool there = stat(folder, info) == 0;
    free(folder);
    return there;
}

enum pt_status pt_outfile_apart(const char *path, const char *other, struct pt_error *error)
{
    struct stat one, two;
    if (!path || !other) return PT_OK;
    if (stat(path, &one) == 0) {
        if (!S_ISREG(one.st_mode) || stat(other, &two) != 0) return PT_OK;
    } else {
        const char *slash = strrchr(path, '/'), *other_slash = strrchr(other, '/');
        if (strcmp(slash ? slash + 1 : path, other_slash ? other_slash + 1 : other) != 0 ||
            !folder_of(&one, path) || !folder_of(&two, other))
            return PT_OK;
    }
    if (one.st_dev != two.st_dev || one.st_ino != two.st_ino) return PT_OK;
    return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "is named for two outputs");
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
