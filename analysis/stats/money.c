#include "analysis/stats/money.h"

#include <math.h>

#include "analysis/stats/metrics.h"

#define MICRO 1e6
#define S_PER_HOUR 3600.0
#define UW_NS_PER_KWH 3.6e21

/* Of a GPU second; NaN = none. */
static double price_per_s(const struct pt_pool *pool)
{
    if (pool->price_micro_per_hour < 0) return NAN;
    return (double)pool->price_micro_per_hour / MICRO / S_PER_HOUR;
}

double pt_summary_cost_of_job(const struct pt_summary_input *input, pt_job job)
{
    return input->outcomes->cost == NULL ? (double)NAN : input->outcomes->cost[job];
}

static void add_cost(struct pt_metric_group *group, double cost, uint64_t count, uint64_t done)
{
    pt__metric_add(group, PT_METRIC_cost, cost, count);
    pt__metric_add(group, PT_METRIC_cost_per_job, done > 0 ? cost / (double)done : NAN, done);
}

/* GPU seconds that nobody paid for. Charges are sums of rounded shares: of a GPU that never was
 * idle they leave some 1e-15 of its time, above or below. */
static double idle_s(double there_s, double charged_s)
{
    double idle = there_s - charged_s;
    return fabs(idle) < 1e-12 * there_s ? 0 : idle;
}

void pt__money_add_pool(struct pt_metric_group *group, const struct pt_summary_input *input,
                        uint32_t pool, uint64_t done)
{
    const struct pt_cluster *cluster = input->cluster;
    double there = 0, idle = 0, energy_kwh = 0;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        struct pt_pool_totals totals;
        if (pool != PT_NONE && pool != p) continue;
        pt_sim_pool_totals(input->sim, p, &totals);
        double there_s = totals.there_run > 0 ? (double)totals.there_run / (double)PT_NS_PER_S
                                              : (double)NAN; /* nothing ever happened */
        double price = price_per_s(&cluster->pools[p]);
        there += there_s * price;
        idle += idle_s(there_s, totals.charged) * price;
        energy_kwh += (double)totals.energy / UW_NS_PER_KWH;
    }
    if (!(energy_kwh > 0)) energy_kwh = NAN; /* a GPU that is there always draws some */
    if (input->electricity_price > 0) there += energy_kwh * input->electricity_price;
    pt__metric_add(group, PT_METRIC_energy_kwh, energy_kwh, 1);
    add_cost(group, there, 1, done);
    pt__metric_add(group, PT_METRIC_idle_cost, idle, 1);
}

void pt__money_add_jobs(struct pt_metric_group *group, const struct pt_summary_input *input,
                        const pt_job *jobs, uint64_t count, uint64_t done)
{
    double cost = 0;
    uint64_t charged = 0;
    for (uint64_t i = 0; i < count; i++) {
        double one = pt_summary_cost_of_job(input, jobs[i]);
        if (isnan(one)) continue;
        cost += one;
        charged++;
    }
    add_cost(group, charged > 0 ? cost : NAN, charged, done);
}
