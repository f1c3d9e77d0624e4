#include "policies/order/levels.h"

#include <string.h>

#include "partita/number.h"

enum pt_status pt__levels_parse(struct pt_levels *levels, const char *text, struct pt_error *error)
{
    levels->count = 0;
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        int64_t *limit = &levels->limit_ns[levels->count];
        if (levels->count == PT_LEVELS_OF_SERVICE_MAX)
            return pt_fail(error, PT_ERR_INPUT, "more than %d thresholds",
                           PT_LEVELS_OF_SERVICE_MAX);
        PT_TRY(pt_parse_duration(limit, text, length, error));
        if (*limit <= (levels->count == 0 ? 0 : limit[-1]))
            return pt_fail(error, PT_ERR_INPUT, "thresholds must be above 0 and rise: %.*s",
                           (int)length, text);
        levels->count++;
        text += length + (text[length] == ',');
    }
    if (levels->count == 0) return pt_fail(error, PT_ERR_INPUT, "no thresholds");
    return PT_OK;
}
