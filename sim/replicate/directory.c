#include "sim/replicate/directory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/compare/side.h"

char *pt_seed_path(const char *directory, uint64_t seed)
{
    size_t length = strlen(directory), room = length + 48;
    char *path = malloc(room);
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    if (path) snprintf(path, room, "%s%sseed-%04" PRIu64 ".h5", directory, slash, seed);
    return path;
}

static bool holds(const struct pt_seeds *seeds, uint64_t seed)
{
    size_t low = 0, high = seeds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seeds->list[middle] < seed)
            low = middle + 1;
        else
            high = middle;
    }
    return low < seeds->count && seeds->list[low] == seed;
}

/* False only for a result of another experiment. */
static bool may_stay(const char *path, const char *effective_yaml)
{
    struct pt_results_reader *reader;
    struct pt_error error;
    if (pt_results_read(&reader, path, &error) != PT_OK) return true;
    const char *theirs = pt_results_manifest_text(reader, "effective_yaml");
    bool same = !theirs || pt_same_but_for_seeds(theirs, effective_yaml);
    pt_results_reader_free(reader);
    return same;
}

/* Whether a file's name is one of ours, and of which seed. */
static bool is_ours(uint64_t *seed, const char *name)
{
    char again[48];
    static const char prefix[] = "seed-";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
    *seed = strtoull(name + sizeof prefix - 1, NULL, 10); /* what it is not is seen below */
    snprintf(again, sizeof again, "seed-%04" PRIu64 ".h5", *seed);
    return strcmp(name, again) == 0;
}

static enum pt_status check_entries(DIR *entries, const char *directory,
                                    const struct pt_seeds *seeds, const char *effective_yaml,
                                    struct pt_error *error)
{
    const struct dirent *entry;
    uint64_t seed;
    while ((entry = readdir(entries)) != NULL) {
        if (!is_ours(&seed, entry->d_name) || holds(seeds, seed)) continue;
        char *path = pt_seed_path(directory, seed);
        if (!path) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        enum pt_status status = PT_OK;
        if (!may_stay(path, effective_yaml))
            status = pt_fail_at(error, PT_ERR_INPUT, path, 0, 0,
                                "is of another experiment and would stay beside these results: "
                                "remove it, or name another directory");
        free(path);
        if (status != PT_OK) return status;
    }
    return PT_OK;
}

static enum pt_status refused(const char *directory, int why, struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_INPUT, directory, 0, 0, "can't hold results: %s",
                      strerror(why));
}

enum pt_status pt_seed_directory_check(const char *directory, const struct pt_seeds *seeds,
                                       const char *effective_yaml, struct pt_error *error)
{
    if (!directory[0]) return pt_fail(error, PT_ERR_INPUT, "the directory has no name");
    DIR *entries = opendir(directory);
    if (!entries) return errno == ENOENT ? PT_OK : refused(directory, errno, error);
    enum pt_status status = PT_OK;
    if (access(directory, W_OK | X_OK) != 0) status = refused(directory, errno, error);
    if (status == PT_OK) status = check_entries(entries, directory, seeds, effective_yaml, error);
    closedir(entries);
    return status;
}

enum pt_status pt_seed_directory_make(const char *directory, struct pt_error *error)
{
    if (mkdir(directory, 0777) == 0) return PT_OK;
    int why = errno;
    struct stat info;
    if (stat(directory, &info) == 0 && S_ISDIR(info.st_mode)) return PT_OK;
    return refused(directory, why, error);
}
