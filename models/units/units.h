/* The sharing modes that are built in: one const struct in one file each. */
#ifndef PT_UNITS_UNITS_H
#define PT_UNITS_UNITS_H

#include "partita/unit.h"

extern const struct pt_unit_ops pt__exclusive, pt__time_slice;

#endif
