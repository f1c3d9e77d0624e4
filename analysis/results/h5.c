#include "analysis/results/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pt__h5_quiet(void)
{
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5PLset_loading_state(0); /* a file can't have filters loaded that this program has not */
}

/* The innermost record knows best: "errno = 28, error message = 'No space left on device'". */
static herr_t take_first(unsigned n, const H5E_error2_t *record, void *ctx)
{
    char *reason = ctx;
    const char *number = record->desc == NULL ? NULL : strstr(record->desc, "errno = ");
    if (n > 0 || record->desc == NULL) return 0;
    if (number != NULL) {
        snprintf(reason, PT_ERROR_MESSAGE_MAX / 2, "%s",
                 strerror((int)strtol(number + strlen("errno = "), NULL, 10)));
    } else {
        snprintf(reason, PT_ERROR_MESSAGE_MAX / 2, "%s", record->desc);
    }
    return 0;
}

enum pt_status pt__h5_fail(struct pt_error *error, const char *what)
{
    char reason[PT_ERROR_MESSAGE_MAX / 2] = "HDF5 gave no reason";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, reason);
    return pt_fail(error, PT_ERR_IO, "can't write %s: %s", what, reason);
}

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

hid_t pt__h5_text_type(size_t width, bool utf8)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    if (H5Tset_size(type, width) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
        (utf8 && H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static enum pt_status attribute(hid_t object, const char *name, hid_t type, const void *value,
                                struct pt_error *error)
{
    enum pt_status status = PT_OK;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = space < 0 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attr < 0 || H5Awrite(attr, type, value) < 0) status = pt__h5_fail(error, name);
    if (attr >= 0 && H5Aclose(attr) < 0 && status == PT_OK) status = pt__h5_fail(error, name);
    if (space >= 0) H5Sclose(space);
    return status;
}

enum pt_status pt__h5_text(hid_t object, const char *name, const char *text, struct pt_error *error)
{
    hid_t type = pt__h5_text_type(strlen(text) + 1, !is_ascii(text));
    if (type < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0) return pt__h5_fail(error, name);
    enum pt_status status = attribute(object, name, type, text, error);
    H5Tclose(type);
    return status;
}

enum pt_status pt__h5_int(hid_t object, const char *name, int64_t value, struct pt_error *error)
{
    return attribute(object, name, H5T_STD_I64LE, &value, error);
}

enum pt_status pt__h5_uint(hid_t object, const char *name, uint64_t value, struct pt_error *error)
{
    return attribute(object, name, H5T_STD_U64LE, &value, error);
}

enum pt_status pt__h5_number(hid_t object, const char *name, double value, struct pt_error *error)
{
    return attribute(object, name, H5T_IEEE_F64LE, &value, error);
}

enum pt_status pt__h5_group(hid_t *group, hid_t parent, const char *name, struct pt_error *error)
{
    enum pt_status status = PT_OK;
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    *group = -1;
    if (properties >= 0 && H5Pset_obj_track_times(properties, false) >= 0) {
        *group = H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    }
    if (*group < 0) status = pt__h5_fail(error, name);
    if (properties >= 0) H5Pclose(properties);
    return status;
}

hid_t pt__h5_dataset_properties(void)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties >= 0 && H5Pset_obj_track_times(properties, false) < 0) {
        H5Pclose(properties);
        return -1;
    }
    return properties;
}

enum pt_status pt__h5_long_text(hid_t parent, const char *name, const char *text,
                                struct pt_error *error)
{
    enum pt_status status = PT_OK;
    hid_t type = pt__h5_text_type(strlen(text) + 1, true);
    hid_t properties = pt__h5_dataset_properties(), space = H5Screate(H5S_SCALAR), set = -1;
    if (type >= 0 && properties >= 0 && space >= 0) {
        set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    }
    if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        status = pt__h5_fail(error, name);
    }
    if (set >= 0 && H5Dclose(set) < 0 && status == PT_OK) status = pt__h5_fail(error, name);
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    if (type >= 0) H5Tclose(type);
    return status;
}
