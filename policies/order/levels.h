/* Levels of attained service: queues that a job sinks through as it is served (multi-level
 * feedback, discretised least attained service). */
#ifndef PT_ORDER_LEVELS_H
#define PT_ORDER_LEVELS_H

#include "partita/param.h"
#include "partita/status.h"

#define PT_LEVELS_OF_SERVICE_MAX 16

/* Tiresias' own: 3 queues (Gu et al., NSDI 2019; simulator, commit 959f9b0). */
#define PT__THRESHOLDS_DEFAULT "3250,7200"

struct pt_levels {
    uint32_t count; /* of limits; there is one queue more */
    int64_t limit_ns[PT_LEVELS_OF_SERVICE_MAX];
};

/* Reads `3250,7200` (durations above 0, rising, at least one) of the parameter `key`; PT_ERR_INPUT
 * says what is wrong. */
PT_USE_RESULT enum pt_status pt__levels_parse(struct pt_levels *levels, const char *key,
                                              const char *text, struct pt_error *error);

#endif
