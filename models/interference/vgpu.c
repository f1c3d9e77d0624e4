#include "models/interference/laws.h"

void pt__vgpu(double *slow, const struct pt_partition *partition, bool additive)
{
    uint32_t n = partition->sharing == PT_SHARING_FIXED ? partition->slots : partition->count;
    /* Nothing to switch to, nothing lost. */
    double turn = n > 1 ? (double)n * (1 + partition->switch_loss) : 1;
    for (uint32_t i = 0; i < partition->count; i++) {
        struct pt__load load = pt__load(partition, i, additive);
        slow[i] = load.slice * (1 + load.u * (turn - 1));
    }
}
