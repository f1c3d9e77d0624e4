#include "models/interference/laws.h"

/* What the residents use of the unit, per time, at these slow-downs within it: the guard's G. */
static double used(const double *slow, const struct pt_partition *partition, bool additive)
{
    double sum = 0;
    for (uint32_t i = 0; i < partition->count; i++)
        sum += pt__load(partition, i, additive).u / slow[i];
    return sum;
}

void pt__rank1(double *slow, const struct pt_partition *partition, bool additive, bool guard)
{
    double pressure = 0;
    for (uint32_t i = 0; i < partition->count; i++)
        pressure += pt__load(partition, i, additive).raw * partition->residents[i].traits->kappa;
    for (uint32_t i = 0; i < partition->count; i++) {
        double kappa = partition->residents[i].traits->kappa;
        double u = pt__load(partition, i, additive).raw;
        slow[i] = 1 + u * ((pressure - u * kappa) / kappa);
    }
    double stretch = guard ? used(slow, partition, additive) : 1;
    if (stretch < 1) stretch = 1;
    for (uint32_t i = 0; i < partition->count; i++)
        slow[i] *= stretch * pt__load(partition, i, additive).slice;
}
