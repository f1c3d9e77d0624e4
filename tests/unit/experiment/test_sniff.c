#include "sim/experiment/sniff.h"

#include <criterion/criterion.h>
#include <string.h>

static void looks_like(const char *text, size_t length, const char *part)
{
    const char *said = pt__sniff(text, length);
    if (part)
        cr_assert(said && strstr(said, part), "'%.20s': '%s'", text, said ? said : "nothing");
    else
        cr_assert_null(said, "'%.20s': '%s'", text, said);
}

Test(sniff, tells_other_files_from_yaml)
{
    looks_like("\211HDF\r\n\032\n\0\0", 10, "HDF5");
    looks_like("\211HDF\r\n\032", 7, NULL);
    looks_like("\037\213\010", 3, "compressed");
    looks_like("\050\265\057\375", 4, "compressed");
    looks_like("submit_s,work_s\n0,1\n", 20, "CSV");
    looks_like("\"submit_s\",work_s", 17, "CSV");
    looks_like("submit_s,work_s", 8, NULL); /* no further than the file */
    looks_like("submit_s\n0,1\n", 13, NULL);
    looks_like("partita: 1 # a, b\n", 18, NULL);
    looks_like("- a, b\n# c\n", 11, "CSV"); /* a list of texts is no experiment either */
    looks_like("{a, b}\n", 7, NULL);
    looks_like("a,\0b", 4, NULL);
    looks_like("", 0, NULL);
}
