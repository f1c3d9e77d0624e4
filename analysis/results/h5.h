/* HDF5's ways made ours: failures become a status with the reason the library gave, texts are
 * fixed-length, and no object carries the time of its making. Shared inside this folder. */
#ifndef PT_RESULTS_H5_H
#define PT_RESULTS_H5_H

#include <hdf5.h>

#include "partita/status.h"
#include "partita/types.h"

/* Before the first use of HDF5: no handler at exit (it crashes after a failed write), and no error
 * stacks on stderr. Harmless when called again. */
void pt__h5_quiet(void);

/* PT_ERR_IO "can't write WHAT: reason", the reason taken from HDF5's error stack: call it right
 * after the call that failed. */
enum pt_status pt__h5_fail(struct pt_error *error, const char *what);

/* Attributes. Text is NUL-terminated as H5LT writes it; ASCII unless it needs UTF-8. */
PT_USE_RESULT enum pt_status pt__h5_text(hid_t object, const char *name, const char *text,
                                         struct pt_error *error);
PT_USE_RESULT enum pt_status pt__h5_int(hid_t object, const char *name, int64_t value,
                                        struct pt_error *error);
PT_USE_RESULT enum pt_status pt__h5_uint(hid_t object, const char *name, uint64_t value,
                                         struct pt_error *error);
PT_USE_RESULT enum pt_status pt__h5_number(hid_t object, const char *name, double value,
                                           struct pt_error *error);

/* A new group without object times. The caller closes it with H5Gclose. */
PT_USE_RESULT enum pt_status pt__h5_group(hid_t *group, hid_t parent, const char *name,
                                          struct pt_error *error);
/* A dataset of one text of any length: attributes end at 64 KiB. */
PT_USE_RESULT enum pt_status pt__h5_long_text(hid_t parent, const char *name, const char *text,
                                              struct pt_error *error);
/* Properties of a new dataset without object times; the caller closes them. Negative on failure. */
hid_t pt__h5_dataset_properties(void);
/* A string type of so many bytes, NUL-padded; the caller closes it. Negative on failure. */
hid_t pt__h5_text_type(size_t width, bool utf8);

#endif
