#include "sim/experiment/sniff.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, size_t length, const char *mark, size_t mark_length)
{
    return length >= mark_length && memcmp(text, mark, mark_length) == 0;
}

/* A first line of words with commas between them, and none of YAML's own signs. */
static bool is_csv(const char *text, size_t length)
{
    bool comma = false;
    for (size_t i = 0; i < length && text[i] != '\n'; i++) {
        if (strchr(":{}[]#&*!|>%", text[i])) return false; /* NUL is among them, too */
        comma |= text[i] == ',';
    }
    return comma;
}

const char *pt__sniff(const char *text, size_t length)
{
    if (begins(text, length, "\211HDF\r\n\032\n", 8))
        return "is an HDF5 file, as results are, and no YAML: 'partita run' runs a result again, "
               "'partita export' prints it";
    if (begins(text, length, "\037\213", 2) || begins(text, length, "\050\265\057\375", 4))
        return "is a compressed file, and no YAML: a trace is named in an experiment, "
               "trace: {source: native, path: FILE}";
    if (is_csv(text, length))
        return "looks like a CSV file, and no YAML: a trace is named in an experiment, "
               "trace: {source: native, path: FILE}; 'partita trace info FILE' describes it";
    return NULL;
}
