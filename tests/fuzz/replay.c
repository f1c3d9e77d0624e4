/* Feeds every file of the folders named on the command line to a fuzz target, in builds that have
 * no libFuzzer. A folder without files is an error: an empty corpus tests nothing. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bool ok = false;
    struct stat info;
    uint8_t *data = NULL;
    if (fstat(fileno(file), &info) != 0) goto out;
    size_t size = (size_t)info.st_size;
    /* An exact block, so that a read past the end is seen. */
    data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) goto out;
    LLVMFuzzerTestOneInput(data, size);
    ok = true;
out:
    if (!ok) fprintf(stderr, "%s: could not be replayed\n", path);
    free(data);
    fclose(file);
    return ok;
}

static long replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return -1;
    }
    long count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof name || !replay_file(name)) {
            count = -1;
            break;
        }
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        long count = replay_folder(argv[i]);
        if (count <= 0) {
            fprintf(stderr, "%s: nothing replayed\n", argv[i]);
            return 1;
        }
        printf("%s: %ld inputs\n", argv[i], count);
    }
    return argc > 1 ? 0 : 2;
}
