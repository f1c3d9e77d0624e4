/* Measured slow-downs and their fit. The first byte chooses among requests, the rest is the file.
 * parses: traces/csv_table.c sim/cli/measured.c sim/cli/measured_pairs.c sim/cli/measured_slices.c
 * parses: models/predictor
 *
 * Beside not crashing: what is refused is refused with a reason, what is accepted has points within
 * their ranges, and a small one can be fitted, with parameters that are numbers or said to be
 * unknown.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/measured.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { POINTS_FITTED = 40, JOBS_FITTED = 12 };

static struct pt_catalog *catalog(void)
{
    static struct pt_catalog *loaded;
    struct pt_messages messages;
    if (loaded) return loaded;
    pt_messages_init(&messages);
    PROMISE(pt_catalog_load(&loaded, &messages) == PT_OK);
    pt_messages_fini(&messages);
    gsl_set_error_handler_off();
    return loaded;
}

static void check_fit(const struct pt__measured_problem *problem)
{
    struct pt_fit *fit = NULL;
    struct pt_error error;
    PROMISE(pt_fit_run(&fit, &problem->fit, &error) == PT_OK);
    for (uint32_t k = 0; k < fit->job_count; k++) {
        PROMISE(!fit->jobs[k].u_known || (isfinite(fit->jobs[k].u) && fit->jobs[k].u >= 0));
        PROMISE(!fit->jobs[k].kappa_known || isfinite(fit->jobs[k].kappa));
    }
    PROMISE(fit->in_sample.mape >= 0);
    uint32_t groups = 0;
    struct pt_fit_quality held_out;
    PROMISE(pt_fit_group_count(&groups, &problem->fit, &error) == PT_OK);
    if (groups >= 2) {
        PROMISE(pt_fit_cross_validate(&held_out, &problem->fit, 2, 1, &error) == PT_OK);
        PROMISE(held_out.points + held_out.left_out <= problem->fit.point_count);
    }
    pt_fit_free(fit);
}

static void check_problem(const struct pt__measured_problem *problem)
{
    for (uint32_t k = 0; k < problem->fit.point_count; k++) {
        const struct pt_fit_point *point = &problem->fit.points[k];
        PROMISE(point->job < problem->fit.job_count);
        PROMISE(point->neighbour == PT_NONE || point->neighbour < problem->fit.job_count);
        PROMISE(point->share > 0 && point->share <= 1);
        PROMISE(point->slow > 0 && isfinite(point->slow));
    }
    for (uint32_t k = 0; k < problem->fit.job_count; k++)
        PROMISE(problem->names[k][0] != '\0');
    if (problem->fit.point_count > 0 && problem->fit.point_count <= POINTS_FITTED &&
        problem->fit.job_count <= JOBS_FITTED)
        check_fit(problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const gpus[] = {NULL, "a30", "h100-sxm5-80gb", "v100"};
    const char *exclude[] = {"m:1"};
    struct pt__measured *measured = NULL;
    struct pt_error error = {.status = PT_OK};
    if (size == 0) return 0;
    struct pt__measured_request request = {.path = "fuzz.csv",
                                           .bytes = data + 1,
                                           .length = size - 1,
                                           .format = -1,
                                           .law = data[0] & 1 ? PT_FIT_PNORM : -1,
                                           .p = data[0] & 2 ? 4 : 0,
                                           .about = -1,
                                           .by_model = (data[0] & 4) != 0,
                                           .gpu = gpus[data[0] >> 3 & 3],
                                           .exclude = exclude,
                                           .exclude_count = data[0] >> 5 & 1,
                                           .catalog = catalog()};
    if (pt__measured_read(&measured, &request, &error) == PT_OK) {
        for (uint32_t k = 0; k < measured->problem_count; k++)
            check_problem(&measured->problems[k]);
    } else {
        PROMISE(measured == NULL);
        PROMISE(error.status == PT_ERR_INPUT && error.message[0] != '\0');
    }
    pt__measured_free(measured);
    return 0;
}
