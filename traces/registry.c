#include "traces/registry.h"

#include <string.h>

#include "traces/readers.h"

const struct pt_reader_ops *const pt_readers[] = {
    &pt__reader_native, &pt__reader_synthetic, &pt__reader_helios, &pt__reader_philly, NULL,
};

const struct pt_reader_ops *pt_reader_find(const char *name)
{
    for (size_t i = 0; pt_readers[i] != NULL; i++)
        if (strcmp(pt_readers[i]->name, name) == 0) return pt_readers[i];
    return NULL;
}
