#include "traces/info.h"

#include <math.h>

#include "reading.h"

static struct pt_trace_info *info_of(const struct reading *reading)
{
    struct pt_trace_info *info = NULL;
    cr_assert_eq(pt_trace_info(&info, &reading->trace, NULL), PT_OK);
    return info;
}

Test(info, figures_of_a_small_trace)
{
    struct reading *reading = read_string("id,submit_s,work_s,gpus,tenant,after\n"
                                          "a,0,10,1,x,\n"
                                          "b,0,20,2,y,\n"
                                          "c,6,30,1,y,a|b\n"
                                          "d,12,40,0,,\n"
                                          "e,20,50,8,y,a\n",
                                          false);
    struct pt_trace_info *info = info_of(reading);
    cr_assert_eq(info->jobs, 5);
    cr_assert_eq(info->gpu_jobs, 4);
    cr_assert_eq(info->first_ns, 0);
    cr_assert_eq(info->last_ns, 20 * PT_NS_PER_S);
    /* Gaps 0, 6, 6, 8: mean 5, squares of the differences 25 + 1 + 1 + 9 = 36, 36 / 3 = 12. */
    cr_assert_eq(info->gap.mean, 5);
    cr_assert_float_eq(info->gap.cv, sqrt(12) / 5, 1e-12);
    cr_assert_eq(info->same_instant_frac, 0.25);
    cr_assert_eq(info->work.mean, 30);
    cr_assert_float_eq(info->work.p10, 14, 1e-12);
    cr_assert_eq(info->work.p50, 30);
    cr_assert_eq(info->work.max, 50);
    cr_assert_eq(info->gpu_time_s, 10 + 40 + 30 + 0 + 400);
    cr_assert_eq(info->mean_gpus_busy, 480.0 / 20);
    cr_assert_eq(info->gpu_count, 4);
    cr_assert_eq(info->gpus[1].gpus, 1);
    cr_assert_eq(info->gpus[1].jobs, 2);
    cr_assert_eq(info->gpus[1].gpu_time_s, 40);
    cr_assert_eq(info->gpus[3].gpus, 8);
    cr_assert_eq(info->tenant_count, 3);
    cr_assert_str_eq(info->tenants[0].name, "y");
    cr_assert_eq(info->tenants[0].jobs, 3);
    cr_assert_eq(info->tenants[0].gpu_time_s, 470);
    cr_assert_str_eq(info->tenants[1].name, "default");
    cr_assert_eq(info->dependent_jobs, 2);
    cr_assert(info->present[PT_COL_TENANT]);
    cr_assert_not(info->present[PT_COL_CPUS]);
    cr_assert(info->was_sorted);
    pt_trace_info_free(info);
    end_reading(reading);
}

Test(info, what_has_nothing_under_it_is_nan)
{
    struct reading *reading = read_string("submit_s,work_s\n", false);
    struct pt_trace_info *info = info_of(reading);
    cr_assert_eq(info->jobs, 0);
    cr_assert_eq(info->tenant_count, 0);
    cr_assert_eq(info->gpu_count, 0);
    cr_assert(isnan(info->work.mean));
    cr_assert(isnan(info->gap.p50));
    cr_assert(isnan(info->same_instant_frac));
    cr_assert(isnan(info->mean_gpus_busy));
    cr_assert_eq(info->first_ns, PT_TIME_ABSENT);
    pt_trace_info_free(info);
    end_reading(reading);

    reading = read_string("submit_s,work_s\n3,4\n", false);
    info = info_of(reading);
    cr_assert_eq(info->work.mean, 4);
    cr_assert(isnan(info->work.cv));
    cr_assert(isnan(info->gap.mean));
    cr_assert(isnan(info->mean_gpus_busy));
    pt_trace_info_free(info);
    end_reading(reading);
    pt_trace_info_free(NULL);
}

/* Figures measured on the public file by others. */
Test(info, philly_has_its_known_figures)
{
    const char *shared = getenv("PARTITA_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/traces/philly/philly.csv.gz",
             shared == NULL ? "../shared" : shared);
    if (access(path, R_OK) != 0) cr_skip_test("%s is not there", path);
    struct reading *reading = read_path("philly", path, false);
    struct pt_trace_info *info = info_of(reading);
    cr_expect_float_eq(info->gap.mean, 114.4, 0.05);
    cr_expect_float_eq(info->gap.cv, 15.1, 0.05);
    cr_expect_float_eq(info->same_instant_frac, 0.081, 0.0005);
    cr_expect_eq(info->work.p10, 61);
    cr_expect_eq(info->work.p50, 1144);
    cr_expect_float_eq(info->work.p90, 11265, 0.5);
    cr_expect_float_eq(info->work.p99, 254758, 0.5);
    cr_expect_eq(info->work.max, 4628226);
    cr_expect_float_eq(info->work.mean, 13136, 0.5);
    cr_expect_float_eq(info->mean_gpus_busy, 374, 0.5);
    cr_expect_eq(info->gpus[0].gpus, 1);
    cr_expect_float_eq(info->gpus[0].jobs / 82247.0, 0.932, 0.0005);
    cr_expect_float_eq(info->gpus[0].gpu_time_s / info->gpu_time_s, 0.181, 0.0005);
    cr_expect_str_eq(info->tenants[0].name, "6214e9");
    cr_expect_eq(info->tenant_count, 15);
    pt_trace_info_free(info);
    end_reading(reading);
}
