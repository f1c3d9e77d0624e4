/* The trace readers that are built in. */
#ifndef PT_TRACES_REGISTRY_H
#define PT_TRACES_REGISTRY_H

#include "partita/reader.h"

/* NULL-terminated, in the order in which they are listed. */
extern const struct pt_reader_ops *const pt_readers[];

/* The reader of this name, or NULL. */
const struct pt_reader_ops *pt_reader_find(const char *name);

#endif
