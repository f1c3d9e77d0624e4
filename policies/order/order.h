/* The orders that are built in: one const struct in one file each. */
#ifndef PT_ORDER_ORDER_H
#define PT_ORDER_ORDER_H

#include "partita/policy.h"

extern const struct pt_policy_ops pt__fifo;
extern const struct pt_policy_ops pt__sjf, pt__smallest_first, pt__srtf, pt__srsf, pt__qssf;
extern const struct pt_policy_ops pt__random, pt__edf;
extern const struct pt_policy_ops pt__priority;
extern const struct pt_policy_ops pt__las, pt__dlas, pt__gittins;
extern const struct pt_policy_ops pt__helios_srtf, pt__tiresias;

#endif
