/* What stands between a file from anywhere and HDF5. A result is read as plain datasets and
 * attributes of its own file: everything else that HDF5 would follow or load is refused, and no
 * size is believed that the bytes in the file could not hold. What is left are faults of the
 * library itself in reading damaged metadata: against these a process of one's own is the only
 * defence. Shared inside this folder.
 */
#ifndef PT_RESULTS_GUARD_H
#define PT_RESULTS_GUARD_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether every part of a path below `group` is there, by hard links alone: no soft or external
 * ones. */
bool pt__guard_exists(hid_t group, const char *path);

/* Opens a dataset that pt__guard_exists: none that is virtual or kept in other files, has filters
 * other than deflate, shuffle and Fletcher's checksum, has chunks above 512 MiB, or claims more
 * bytes than are stored (of compressed ones: than deflate can make of them). Negative otherwise. */
hid_t pt__guard_open(hid_t group, const char *path);

/* Whether an attribute or a dataset is a single value. Takes over the dataspace. */
bool pt__guard_is_scalar(hid_t space);

#endif
