#include "policies/registry.h"

#include <string.h>

#include "policies/backfill/backfill.h"
#include "policies/fair/fair.h"
#include "policies/order/order.h"
#include "policies/placement/placement.h"
#include "policies/queues/queues.h"

const struct pt_policy_ops *const pt_policies[] = {&pt__fifo,
                                                   &pt__sjf,
                                                   &pt__smallest_first,
                                                   &pt__srtf,
                                                   &pt__srsf,
                                                   &pt__qssf,
                                                   &pt__random,
                                                   &pt__edf,
                                                   &pt__priority,
                                                   &pt__easy_backfill,
                                                   &pt__conservative_backfill,
                                                   &pt__fair_share,
                                                   &pt__drf,
                                                   &pt__max_min,
                                                   &pt__finish_time_fairness,
                                                   &pt__kai,
                                                   &pt__kueue,
                                                   &pt__tiresias,
                                                   &pt__las,
                                                   &pt__dlas,
                                                   &pt__gittins,
                                                   &pt__helios_srtf,
                                                   &pt__k8s,
                                                   NULL};

const struct pt_placement_ops *const pt_placements[] = {&pt__first_fit,
                                                        &pt__best_fit,
                                                        &pt__worst_fit,
                                                        &pt__pack,
                                                        &pt__spread,
                                                        &pt__consolidate,
                                                        &pt__random_fit,
                                                        &pt__fgd,
                                                        &pt__dot_product,
                                                        &pt__gpu_packing,
                                                        &pt__gpu_clustering,
                                                        &pt__mig_best,
                                                        &pt__mig_worst,
                                                        &pt__mig_first,
                                                        &pt__mig_best_fit,
                                                        &pt__mig_worst_fit,
                                                        NULL};
/* clang-format on */

const struct pt_policy_ops *pt_policy_find(const char *name)
{
    for (size_t i = 0; pt_policies[i] != NULL; i++)
        if (strcmp(pt_policies[i]->name, name) == 0) return pt_policies[i];
    return NULL;
}

const struct pt_placement_ops *pt_placement_find(const char *name)
{
    for (size_t i = 0; pt_placements[i] != NULL; i++)
        if (strcmp(pt_placements[i]->name, name) == 0) return pt_placements[i];
    return NULL;
}
