/* Policies of production queues: quotas by tenant, lent, borrowed and reclaimed. */
#ifndef PT_QUEUES_QUEUES_H
#define PT_QUEUES_QUEUES_H

#include "partita/policy.h"

extern const struct pt_policy_ops pt__kai;
extern const struct pt_policy_ops pt__kueue;
extern const struct pt_policy_ops pt__k8s;

#endif
