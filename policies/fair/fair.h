/* Orders by what tenants and users have got. */
#ifndef PT_FAIR_FAIR_H
#define PT_FAIR_FAIR_H

#include "partita/policy.h"

extern const struct pt_policy_ops pt__drf;
extern const struct pt_policy_ops pt__fair_share;
extern const struct pt_policy_ops pt__finish_time_fairness;
extern const struct pt_policy_ops pt__max_min;

#endif
