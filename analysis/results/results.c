#include "analysis/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/events.h"
#include "analysis/results/file.h"
#include "analysis/results/group_tables.h"
#include "analysis/results/h5.h"
#include "analysis/results/jobs.h"
#include "analysis/results/manifest.h"
#include "analysis/results/series.h"
#include "analysis/results/verdicts.h"

#define PT__SCHEMA_VERSION 1

struct pt_results_writer {
    struct pt__file file;
    hid_t h5;
    bool jobs;
    int compression;
    struct pt__events *events;
    struct pt__verdicts *verdicts;
    struct pt__series *series;
};

/* Whatever fails in the depths is about this file. */
static enum pt_status about(const struct pt_results_writer *writer, enum pt_status status,
                            struct pt_error *error)
{
    if (status != PT_OK && error != NULL && error->file[0] == '\0' && writer->file.target != NULL) {
        snprintf(error->file, sizeof(error->file), "%.*s", PT_ERROR_FILE_MAX - 1,
                 writer->file.target);
    }
    return status;
}

static enum pt_status create_h5(struct pt_results_writer *w, struct pt_error *error)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    /* The format of HDF5 1.10: its metadata carry checksums, so that a damaged file is refused
     * where the library would else follow what is left of it. */
    if (creation >= 0 && access >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_locking(access, false, true) >= 0) {
        w->h5 = H5Fcreate(w->file.temp, H5F_ACC_TRUNC, creation, access);
    }
    enum pt_status status = w->h5 < 0 ? pt__h5_fail(error, "the file") : PT_OK;
    if (creation >= 0) H5Pclose(creation);
    if (access >= 0) H5Pclose(access);
    return status;
}

bool pt_results_have_threads(void)
{
    hbool_t threads = false;
    pt__h5_quiet();
    return H5is_library_threadsafe(&threads) >= 0 && threads;
}

enum pt_status pt_results_open(struct pt_results_writer **writer,
                               const struct pt_results_options *options, struct pt_error *error)
{
    pt__h5_quiet();
    struct pt_results_writer *w = calloc(1, sizeof(*w));
    if (w == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for a result file");
    w->h5 = -1;
    w->jobs = options->jobs;
    w->compression = options->compression;
    enum pt_status status = pt__file_open(&w->file, options->path, error);
    if (status == PT_OK) status = create_h5(w, error);
    if (status == PT_OK && options->events) {
        status = pt__events_create(&w->events, w->h5, w->compression, error);
    }
    if (status == PT_OK && options->verdicts && options->trace != NULL) {
        status = pt__verdicts_create(&w->verdicts, w->h5, options->trace, w->compression, error);
    }
    if (status == PT_OK && options->series) {
        status = pt__series_create(&w->series, w->h5, options->cluster, w->compression, error);
    }
    if (status != PT_OK) {
        (void)about(w, status, error);
        pt_results_abandon(w);
        return status;
    }
    *writer = w;
    return PT_OK;
}

enum pt_status pt_results_on_events(void *ctx, const struct pt_event *events, size_t count,
                                    struct pt_error *error)
{
    struct pt_results_writer *w = ctx;
    if (w->events == NULL) return PT_OK;
    return about(w, pt__events_add(w->events, events, count, error), error);
}

enum pt_status pt_results_on_verdict(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                                     struct pt_error *error)
{
    struct pt_results_writer *w = ctx;
    if (w->verdicts == NULL) return PT_OK;
    return about(w, pt__verdicts_add(w->verdicts, time_ns, job, reason, error), error);
}

enum pt_status pt_results_on_series(void *ctx, const struct pt_series_row *row,
                                    struct pt_error *error)
{
    struct pt_results_writer *w = ctx;
    if (w->series == NULL) return PT_OK;
    return about(w, pt__series_add(w->series, row, error), error);
}

static enum pt_status write_root(hid_t file, const struct pt_manifest *manifest,
                                 struct pt_error *error)
{
    char producer[96];
    snprintf(producer, sizeof(producer), "partita %s",
             manifest->version == NULL ? "" : manifest->version);
    PT_TRY(pt__h5_int(file, "schema_version", PT__SCHEMA_VERSION, error));
    return pt__h5_text(file, "producer", producer, error);
}

static enum pt_status write_streams(struct pt_results_writer *w,
                                    const struct pt_summary_input *input, struct pt_error *error)
{
    if (w->events != NULL) {
        struct pt__events *events = w->events;
        w->events = NULL;
        PT_TRY(pt__events_close(events, error));
    }
    if (w->verdicts != NULL) {
        struct pt__verdicts *verdicts = w->verdicts;
        w->verdicts = NULL;
        PT_TRY(pt__verdicts_close(verdicts, error));
    }
    if (w->series != NULL) {
        struct pt__series *series = w->series;
        struct pt_sim_stats stats = {0};
        w->series = NULL;
        if (input->sim != NULL) pt_sim_get_stats(input->sim, &stats);
        PT_TRY(pt__series_close(series, pt_seconds(stats.window_to_ns), error));
    }
    return PT_OK;
}

static enum pt_status write_all(struct pt_results_writer *w, const struct pt_summary_input *input,
                                const struct pt_summary *summary,
                                const struct pt_manifest *manifest, struct pt_error *error)
{
    PT_TRY(write_streams(w, input, error));
    PT_TRY(write_root(w->h5, manifest, error));
    if (w->jobs) PT_TRY(pt__jobs_write(w->h5, input, w->compression, error));
    PT_TRY(pt__tenants_write(w->h5, input, summary, error));
    PT_TRY(pt__pools_write(w->h5, input, summary, error));
    PT_TRY(pt__gpus_write(w->h5, input->cluster, error));
    PT_TRY(pt__summary_write(w->h5, summary, error));
    PT_TRY(pt__manifest_write(w->h5, manifest, error));
    if (H5Fflush(w->h5, H5F_SCOPE_GLOBAL) < 0) return pt__h5_fail(error, "the file");
    return PT_OK;
}

enum pt_status pt_results_close(struct pt_results_writer *writer,
                                const struct pt_summary_input *input,
                                const struct pt_summary *summary,
                                const struct pt_manifest *manifest, struct pt_error *error)
{
    enum pt_status status = write_all(writer, input, summary, manifest, error);
    if (status == PT_OK) {
        hid_t h5 = writer->h5;
        writer->h5 = -1;
        if (H5Fclose(h5) < 0) status = pt__h5_fail(error, "the file");
    }
    (void)about(writer, status, error);
    if (status == PT_OK) status = pt__file_commit(&writer->file, manifest->partial, error);
    pt_results_abandon(writer);
    return status;
}

void pt_results_abandon(struct pt_results_writer *writer)
{
    if (writer == NULL) return;
    pt__events_abandon(writer->events);
    pt__verdicts_abandon(writer->verdicts);
    pt__series_abandon(writer->series);
    if (writer->h5 >= 0) H5Fclose(writer->h5);
    pt__file_abandon(&writer->file);
    free(writer);
}
