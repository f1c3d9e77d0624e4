#include "models/interference/laws.h"

/* The line of 4.4 was measured up to a few per cent above the limit; it isn't drawn beyond twice
 * the limit (assumed). */
#define EXCESS_MAX 1.0

static double clocks(const struct pt_gpu_model *gpu, double watts, double slope)
{
    double excess = watts / gpu->tdp_w - 1;
    if (excess <= 0) return 1;
    if (excess > EXCESS_MAX) excess = EXCESS_MAX;
    return 1 / (1 - slope * excess);
}

double pt__board_watts(const double *slow, const struct pt_partition *partitions,
                       uint32_t partition_count)
{
    double watts = partitions[0].gpu->idle_w;
    for (uint32_t k = 0; k < partition_count; k++)
        for (uint32_t i = 0; i < partitions[k].count; i++)
            watts += partitions[k].residents[i].traits->power_w / *slow++;
    return watts;
}

double pt__board_power(const struct pt_traits *traits, const struct pt_gpu_model *gpu, double watts,
                       double slope)
{
    if (isnan(watts) || isnan(gpu->tdp_w)) return 1; /* figures that nobody knows */
    double factor = clocks(gpu, watts, slope) / clocks(gpu, gpu->idle_w + traits->power_w, slope);
    return factor > 1 ? factor : 1;
}

void pt__board(double *slow, const struct pt_partition *partitions, uint32_t partition_count,
               double slope)
{
    if (partition_count == 0 || !partitions[0].instance) return;
    const struct pt_gpu_model *gpu = partitions[0].gpu;
    double watts = pt__board_watts(slow, partitions, partition_count);
    double pcie = 0;
    for (uint32_t k = 0; k < partition_count; k++)
        for (uint32_t i = 0; i < partitions[k].count; i++)
            pcie += partitions[k].residents[i].traits->pcie;
    double over = pcie > 1 ? pcie - 1 : 0;
    for (uint32_t k = 0; k < partition_count; k++)
        for (uint32_t i = 0; i < partitions[k].count; i++, slow++) {
            const struct pt_traits *traits = partitions[k].residents[i].traits;
            *slow = *slow * pt__board_power(traits, gpu, watts, slope) + traits->pcie * over;
        }
}
