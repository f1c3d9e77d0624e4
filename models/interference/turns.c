#include "models/interference/laws.h"

/* Sums over the neighbours are sums over all less one's own part: the parts are >= 0, so a rounded
 * sum is never below any of them, and who is alone has exactly 0 beside it. */
void pt__turns(double *slow, const struct pt_partition *partition, bool additive)
{
    double pressure = 0, busy = 0;
    for (uint32_t i = 0; i < partition->count; i++) {
        struct pt__load load = pt__load(partition, i, additive);
        pressure += load.busy * partition->residents[i].traits->kappa_g;
        busy += load.busy;
    }
    double used = 0;
    for (uint32_t i = 0; i < partition->count; i++) {
        double kappa = partition->residents[i].traits->kappa_g;
        struct pt__load load = pt__load(partition, i, additive);
        double x = (pressure - load.busy * kappa) / kappa;
        used += load.busy / (1 + load.busy * x);
    }
    double stretch = used > 1 ? used : 1;
    for (uint32_t i = 0; i < partition->count; i++) {
        double kappa = partition->residents[i].traits->kappa_g;
        struct pt__load load = pt__load(partition, i, additive);
        double x = (pressure - load.busy * kappa) / kappa;
        double others = busy - load.busy;
        double loss = partition->switch_loss * (others < 1 ? others : 1);
        /* B [1 + b ((1 + c) (1 + X) - 1)] */
        slow[i] = load.slice;
        if (load.busy > 0) slow[i] *= stretch * (1 + load.busy * (x + loss * (1 + x)));
    }
}
