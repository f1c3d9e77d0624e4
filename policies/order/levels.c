#include "policies/order/levels.h"

#include "policies/words.h"

enum pt_status pt__levels_parse(struct pt_levels *levels, const char *key, const char *text,
                                struct pt_error *error)
{
    struct pt__words words = {.key = key, .rest = text};
    levels->count = 0;
    while (pt__words_next(&words)) {
        int64_t *limit = &levels->limit_ns[levels->count];
        if (levels->count == PT_LEVELS_OF_SERVICE_MAX)
            return pt_fail_param(error, key, levels->count, "there are more than %d",
                                 PT_LEVELS_OF_SERVICE_MAX);
        PT_TRY(pt__words_duration(limit, &words, error));
        if (*limit <= 0) return pt__words_fail(&words, error, "is not above 0");
        if (levels->count > 0 && *limit <= limit[-1])
            return pt__words_fail(&words, error, "is not above the one before it");
        levels->count++;
    }
    if (levels->count == 0) return pt_fail_param(error, key, PT_ERROR_WHOLE, "is empty");
    return PT_OK;
}
