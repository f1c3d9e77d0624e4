#include "analysis/results/guard.h"

#include <string.h>

enum { PATH_BYTES_MAX = 512, FILTERS_MAX = 8 };
#define CHUNK_BYTES_MAX (UINT64_C(512) << 20)
/* RFC 1951: a match of 258 bytes takes 2 bits at least. */
#define DEFLATE_RATIO_MAX 1032

bool pt__guard_exists(hid_t group, const char *path)
{
    char part[PATH_BYTES_MAX];
    H5L_info_t info;
    size_t length = strlen(path);
    if (length >= sizeof(part)) return false;
    for (size_t i = 0; i <= length; i++) {
        part[i] = path[i];
        if (path[i] != '/' && path[i] != '\0') continue;
        part[i] = '\0';
        if (H5Lexists(group, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(group, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
            return false;
        }
        part[i] = path[i];
    }
    return true;
}

bool pt__guard_is_scalar(hid_t space)
{
    bool scalar = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) H5Sclose(space);
    return scalar;
}

static bool filters_are_known(hid_t properties, bool *deflated)
{
    int count = H5Pget_nfilters(properties);
    if (count < 0 || count > FILTERS_MAX) return false;
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (filter == H5Z_FILTER_DEFLATE) *deflated = true;
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32) {
            return false;
        }
    }
    return true;
}

/* Bytes that the dataset says it has; false when that is beyond counting. */
static bool claimed_bytes(uint64_t *bytes, hid_t dataset)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    uint64_t size = type >= 0 ? H5Tget_size(type) : 0;
    bool fits = points >= 0 && size > 0 && (uint64_t)points <= UINT64_MAX / size;
    if (fits) *bytes = (uint64_t)points * size;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return fits;
}

static bool chunks_fit(hid_t dataset, hid_t properties, uint64_t claimed)
{
    hsize_t rows = 0, chunks = 0;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    uint64_t size = type >= 0 ? H5Tget_size(type) : 0;
    bool fits = size > 0 && H5Pget_chunk(properties, 1, &rows) == 1 && rows > 0 &&
                rows <= CHUNK_BYTES_MAX / size && H5Dget_num_chunks(dataset, space, &chunks) >= 0 &&
                claimed / (rows * size) <= chunks; /* the last one need not be full */
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return fits;
}

static bool is_plain(hid_t dataset)
{
    hid_t properties = H5Dget_create_plist(dataset);
    bool deflated = false;
    uint64_t claimed = 0, stored = H5Dget_storage_size(dataset);
    bool plain = properties >= 0 && H5Pget_external_count(properties) == 0 &&
                 claimed_bytes(&claimed, dataset) && filters_are_known(properties, &deflated);
    if (plain) {
        H5D_layout_t layout = H5Pget_layout(properties);
        plain = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS ||
                (layout == H5D_CHUNKED && chunks_fit(dataset, properties, claimed));
    }
    uint64_t most = stored <= UINT64_MAX / DEFLATE_RATIO_MAX ? stored * DEFLATE_RATIO_MAX : stored;
    plain = plain && claimed <= (deflated ? most : stored);
    if (properties >= 0) H5Pclose(properties);
    return plain;
}

hid_t pt__guard_open(hid_t group, const char *path)
{
    if (!pt__guard_exists(group, path)) return -1;
    hid_t dataset = H5Dopen2(group, path, H5P_DEFAULT);
    if (dataset >= 0 && !is_plain(dataset)) {
        H5Dclose(dataset);
        dataset = -1;
    }
    return dataset;
}
