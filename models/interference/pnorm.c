#include "models/interference/laws.h"

/* Shares that are still to be decided while the unit is filled. */
#define OPEN (-1)

/* Gives every open resident its share by weight of what is left, or its cap where that is less;
 * true if it closed one, so that the rest get more. */
static bool close_capped(double *share, const struct pt_partition *partition, bool additive,
                         double left, double weights)
{
    bool closed = false;
    for (uint32_t i = 0; i < partition->count; i++) {
        if (share[i] != OPEN) continue;
        double weight = pt__load(partition, i, additive).u * partition->residents[i].traits->kappa;
        double cap = pt__cap(partition, i);
        if (left * weight < cap * weights) continue;
        share[i] = cap;
        closed = true;
    }
    return closed;
}

/* Fills the unit: share[i] = min(cap, level u kappa) with one level for all, so that the shares sum
 * up to 1 or everybody has its cap. Who does not use the unit has share 1 and no weight. */
static void fill(double *share, const struct pt_partition *partition, bool additive)
{
    for (uint32_t i = 0; i < partition->count; i++)
        share[i] = pt__load(partition, i, additive).u > 0 ? OPEN : 1;
    double left, weights;
    do {
        left = 1;
        weights = 0;
        for (uint32_t i = 0; i < partition->count; i++) {
            double u = pt__load(partition, i, additive).u;
            if (u <= 0) continue;
            if (share[i] == OPEN)
                weights += u * partition->residents[i].traits->kappa;
            else
                left -= share[i];
        }
    } while (weights > 0 && close_capped(share, partition, additive, left, weights));
    /* Caps that fill the unit leave nothing by rounding to weights of next to nothing. */
    if (left < 0x1p-52) left = 0x1p-52;
    for (uint32_t i = 0; i < partition->count; i++)
        if (share[i] == OPEN)
            share[i] = left * (pt__load(partition, i, additive).u *
                               partition->residents[i].traits->kappa / weights);
}

void pt__shared_sms(double *slow, const struct pt_partition *partition, bool additive)
{
    bool capped = false;
    uint32_t users = 0;
    for (uint32_t i = 0; i < partition->count; i++) {
        if (partition->residents[i].traits->u <= 0) continue;
        users++;
        capped = capped || partition->residents[i].need->capped;
    }
    double contention = capped && users > 1 ? 1 + partition->cap_contention : 1;
    fill(slow, partition, additive);
    for (uint32_t i = 0; i < partition->count; i++) {
        struct pt__load load = pt__load(partition, i, additive);
        double within = pt__pnorm(load.u, slow[i], partition->residents[i].traits->p);
        slow[i] = load.slice * within * (load.u > 0 ? contention : 1);
    }
}

void pt__capped_turns(double *slow, const struct pt_partition *partition, bool additive)
{
    double fractions = 0;
    for (uint32_t i = 0; i < partition->count && !partition->strict; i++) {
        struct pt_ratio asked = partition->residents[i].need->asked;
        if (partition->residents[i].traits->u > 0)
            fractions += (double)asked.numerator / (double)asked.denominator;
    }
    for (uint32_t i = 0; i < partition->count; i++) {
        const struct pt_resident *resident = &partition->residents[i];
        struct pt__load load = pt__load(partition, i, additive);
        struct pt_ratio asked = resident->need->asked;
        double share = partition->strict
                           ? pt__cap(partition, i)
                           : (double)asked.numerator / (double)asked.denominator / fractions;
        slow[i] = load.slice * pt__pnorm(load.u, share, resident->traits->p);
    }
}
