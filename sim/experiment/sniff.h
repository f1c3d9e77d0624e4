/* What a file looks like that was given where YAML is expected. */
#ifndef PT_EXPERIMENT_SNIFF_H
#define PT_EXPERIMENT_SNIFF_H

#include <stddef.h>

/* "is a result (HDF5): ..." and the like, with what to do; NULL where nothing speaks against YAML.
 * Looks at no more than the first lines. */
const char *pt__sniff(const char *text, size_t length);

#endif
