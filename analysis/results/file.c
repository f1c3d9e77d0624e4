#define _XOPEN_SOURCE 700 /* realpath */

#include "analysis/results/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/results/results.h"

#define TEMP_TRIES 100

void pt_results_partial_path(char *out, size_t room, const char *path)
{
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".h5") == 0) length -= 3;
    snprintf(out, room, "%.*s.partial.h5", (int)length, path);
}

static enum pt_status fail(struct pt_error *error, const char *path, const char *what, int number)
{
    bool machine = number == ENOSPC || number == EIO || number == EMFILE || number == ENFILE ||
                   number == ENOMEM || number == EFBIG || number == EDQUOT;
    return pt_fail_at(error, machine ? PT_ERR_IO : PT_ERR_INPUT, path, 0, 0, "%s: %s", what,
                      strerror(number));
}

/* The file that a path means, through symbolic links: a link stays a link. */
static enum pt_status resolve(char **target, const char *path, struct pt_error *error)
{
    struct stat info;
    *target = NULL;
    if (path[0] == '\0') return pt_fail(error, PT_ERR_INPUT, "the result file has no name");
    if (lstat(path, &info) == 0) {
        *target = realpath(path, NULL);
        if (*target == NULL) return fail(error, path, "can't be written", errno);
        if (stat(*target, &info) == 0 && !S_ISREG(info.st_mode)) {
            return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0,
                              "can't be written: it is not a regular file");
        }
        if (access(*target, W_OK) != 0) return fail(error, path, "can't be written", errno);
        return PT_OK;
    }
    if (errno != ENOENT) return fail(error, path, "can't be written", errno);
    if (path[strlen(path) - 1] == '/') return fail(error, path, "can't be written", EISDIR);
    *target = strdup(path);
    return *target == NULL ? pt_fail(error, PT_ERR_MEMORY, "no memory for a path") : PT_OK;
}

enum pt_status pt__file_open(struct pt__file *file, const char *path, struct pt_error *error)
{
    int fd = -1;
    *file = (struct pt__file){0};
    enum pt_status status = resolve(&file->target, path, error);
    size_t room = status == PT_OK ? strlen(file->target) + 48 : 0;
    char *temp = room == 0 ? NULL : malloc(room);
    if (status == PT_OK && temp == NULL) {
        status = pt_fail(error, PT_ERR_MEMORY, "no memory for a path");
    }
    /* a number behind the name only if another run of this process writes the same file */
    for (int i = 0; status == PT_OK && fd < 0 && i < TEMP_TRIES; i++) {
        snprintf(temp, room, "%s.tmp.%ld", file->target, (long)getpid());
        if (i > 0) snprintf(temp + strlen(temp), room - strlen(temp), ".%d", i);
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (status == PT_OK && fd < 0) status = fail(error, path, "can't be written", errno);
    if (fd >= 0) {
        close(fd);
        file->temp = temp;
        return PT_OK;
    }
    free(temp);
    pt__file_abandon(file);
    return status;
}

static int sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    int number = 0;
    if (fd < 0) return errno;
    if (fsync(fd) != 0) number = errno;
    if (close(fd) != 0 && number == 0) number = errno;
    return number;
}

/* The rename itself must reach the disk. Some file systems can't sync a folder: they say EINVAL. */
static int sync_folder(const char *path)
{
    char *folder = strdup(path);
    if (folder == NULL) return ENOMEM;
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        free(folder);
        return sync_path(".", O_RDONLY);
    }
    slash[slash == folder] = '\0';
    int number = sync_path(folder, O_RDONLY);
    free(folder);
    return number == EINVAL ? 0 : number;
}

enum pt_status pt__file_commit(struct pt__file *file, bool partial, struct pt_error *error)
{
    size_t room = strlen(file->target) + 16;
    char *target = malloc(room);
    int number = target == NULL ? ENOMEM : sync_path(file->temp, O_WRONLY);
    if (number == 0) {
        snprintf(target, room, "%s", file->target);
        if (partial) pt_results_partial_path(target, room, file->target);
        if (rename(file->temp, target) != 0) number = errno;
    }
    if (number == 0) {
        free(file->temp);
        file->temp = NULL;
        number = sync_folder(target);
    }
    enum pt_status status = PT_OK;
    if (number != 0) {
        status = pt_fail_at(error, PT_ERR_IO, file->target, 0, 0, "can't be written: %s",
                            strerror(number));
    }
    free(target);
    pt__file_abandon(file);
    return status;
}

void pt__file_abandon(struct pt__file *file)
{
    if (file->temp != NULL) unlink(file->temp);
    free(file->temp);
    free(file->target);
    *file = (struct pt__file){0};
}
