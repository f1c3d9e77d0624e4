/* Helios Venus GPU jobs as a flat CSV (job_id, arrival_s, service_sec, gpu_count): SenseTime 2020,
 * Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
 * Datacenters", SC 2021; data CC-BY-4.0. Times are seconds since the earliest submission.
 */
#include "traces/format.h"
#include "traces/readers.h"

enum { JOB_ID, ARRIVAL, SERVICE, GPU_COUNT, CELLS };

const char *const pt__helios_columns[] = {"job_id", "arrival_s", "service_sec", "gpu_count", NULL};

static enum pt_status take(struct pt_trace *trace, uint32_t *bad, pt_job row,
                           const struct pt__cell *cells, void *ctx, struct pt_error *error)
{
    static const enum pt_column_id target[CELLS] = {PT_COL_ID, PT_COL_SUBMIT, PT_COL_WORK,
                                                    PT_COL_GPUS};
    (void)ctx;
    for (*bad = 0; *bad < CELLS; ++*bad)
        PT_TRY(pt_trace_set(trace, row, target[*bad], cells[*bad].text, cells[*bad].length, error));
    return PT_OK;
}

static enum pt_status read_file(struct pt_trace *trace, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    static const struct pt__format format = {.names = pt__helios_columns,
                                             .has_ids = true,
                                             .submit = ARRIVAL,
                                             .work = SERVICE,
                                             .take = take};
    return pt__format_read(trace, report, request, &format, NULL, error);
}

const struct pt_reader_ops pt__reader_helios = {
    .abi = PT_READER_ABI,
    .size = sizeof(struct pt_reader_ops),
    .name = "helios",
    .summary = "Helios Venus GPU jobs (SenseTime, 2020) as job_id,arrival_s,service_sec,gpu_count",
    .source = "Hu et al., SC 2021; S-Lab-System-Group/HeliosData, flattened; CC-BY-4.0",
    .needs_path = true,
    .columns = "job_id -> id\n"
               "arrival_s -> submit_s\n"
               "service_sec -> work_s\n"
               "gpu_count -> gpus",
    .unmapped = "user, virtual cluster, CPUs, status and queueing time are not in the file\n"
                "service_sec was clamped at 48 h by whoever flattened it\n"
                "failed and cancelled jobs are in it and can't be told apart",
    .params = pt__no_params,
    .read = read_file,
};
