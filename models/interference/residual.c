#include "models/interference/laws.h"

static uint32_t type_of(const struct pt_traits *traits, uint32_t type_count)
{
    return traits->type < type_count ? traits->type : type_count;
}

void pt__residual_apply(double *slow, const struct pt_partition *partition, bool additive,
                        const double *factors, uint32_t type_count)
{
    size_t stride = (size_t)type_count + 1;
    for (uint32_t i = 0; i < partition->count; i++) {
        const double *row = factors + stride * type_of(partition->residents[i].traits, type_count);
        double weights = 0, sum = 0;
        for (uint32_t j = 0; j < partition->count; j++) {
            if (j == i) continue;
            const struct pt_traits *other = partition->residents[j].traits;
            weights += other->u;
            sum += other->u * row[type_of(other, type_count)];
        }
        double alone = pt__alone_here(partition, i, additive);
        if (weights > 0) slow[i] = alone + (slow[i] - alone) * (sum / weights);
    }
}
