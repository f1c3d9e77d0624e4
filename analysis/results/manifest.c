#include "analysis/results/manifest.h"

#include <string.h>

#include "analysis/results/table.h"

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

/* A table of texts, so that any number of any length fits. */
static enum pt_status write_texts(hid_t group, const char *name, const char *title,
                                  const char *const *names, uint32_t column_count,
                                  const char *const *const *texts, uint32_t row_count,
                                  struct pt_error *error)
{
    struct pt__column c[2];
    struct pt__table_spec spec = {.name = name,
                                  .title = title,
                                  .columns = c,
                                  .column_count = column_count,
                                  .rows_max = row_count};
    struct pt__table *table;
    for (uint32_t i = 0; i < column_count; i++) {
        c[i] = (struct pt__column){names[i], "", PT__TEXT, 1, 0};
        for (uint32_t row = 0; row < row_count; row++) {
            size_t length = strlen(or_empty(texts[i][row]));
            if (length > c[i].width) c[i].width = (uint32_t)length;
        }
    }
    PT_TRY(pt__table_create(&table, group, &spec, error));
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t room, row_size;
        uint8_t *cells;
        enum pt_status status = pt__table_reserve(table, &cells, &room, &row_size, error);
        if (status != PT_OK) {
            pt__table_abandon(table);
            return status;
        }
        for (uint32_t i = 0; i < column_count; i++) {
            pt__put_text(cells, &c[i], or_empty(texts[i][row]));
        }
        pt__table_commit(table, 1);
    }
    return pt__table_close(table, error);
}

static enum pt_status write_host(hid_t manifest_group, const struct pt_manifest *manifest,
                                 struct pt_error *error)
{
    hid_t group;
    PT_TRY(pt__h5_group(&group, manifest_group, "host", error));
    enum pt_status status =
        pt__h5_long_text(group, "command_line", or_empty(manifest->command_line), error);
    if (status == PT_OK) {
        status = pt__h5_text(group, "directory", or_empty(manifest->directory), error);
    }
    if (status == PT_OK) status = pt__h5_text(group, "machine", or_empty(manifest->machine), error);
    const struct {
        const char *name;
        double value;
    } times[] = {{"wall_s", manifest->wall_s},
                 {"policy_s", manifest->policy_s},
                 {"io_s", manifest->io_s},
                 {"decision_p50_s", manifest->decision_p50_s},
                 {"decision_p99_s", manifest->decision_p99_s}};
    for (size_t i = 0; i < sizeof times / sizeof times[0] && status == PT_OK; i++)
        status = pt__h5_number(group, times[i].name, times[i].value, error);
    H5Gclose(group);
    return status;
}

static enum pt_status write_all(hid_t group, const struct pt_manifest *manifest,
                                struct pt_error *error)
{
    static const char *const input_names[] = {"path", "digest"};
    static const char *const assumption_names[] = {"assumption"};
    const char *const *const inputs[] = {manifest->input_paths, manifest->input_digests};
    const char *const *const assumptions[] = {manifest->assumptions};
    PT_TRY(pt__h5_text(group, "version", or_empty(manifest->version), error));
    PT_TRY(pt__h5_uint(group, "seed", manifest->seed, error));
    PT_TRY(pt__h5_text(group, "digest", or_empty(manifest->digest), error));
    PT_TRY(pt__h5_int(group, "partial", manifest->partial, error));
    PT_TRY(pt__h5_long_text(group, "effective_yaml", or_empty(manifest->effective_yaml), error));
    PT_TRY(write_texts(group, "inputs", "input files and the digests of their bytes", input_names,
                       2, inputs, manifest->input_count, error));
    PT_TRY(write_texts(group, "assumptions", "assumptions in force", assumption_names, 1,
                       assumptions, manifest->assumption_count, error));
    return manifest->host ? write_host(group, manifest, error) : PT_OK;
}

enum pt_status pt__manifest_write(hid_t file, const struct pt_manifest *manifest,
                                  struct pt_error *error)
{
    hid_t group;
    PT_TRY(pt__h5_group(&group, file, "manifest", error));
    enum pt_status status = write_all(group, manifest, error);
    H5Gclose(group);
    return status;
}
