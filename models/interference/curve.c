#include "models/interference/interference.h"

#include <stdlib.h>
#include <string.h>

#include "models/interference/laws.h"
#include "partita/number.h"

/* 4.6: n residents of a unit do total(n) of the work that one would, in equal parts, whoever they
 * are and whatever their caps. On an instance each is first as slow as 4.3 says. */
struct curve {
    uint32_t count;
    double total[PT_CURVE_MAX];
};

enum { PARAM_TOTAL };

static const struct pt_param params[] = {
    [PARAM_TOTAL] = {"curve.total", PT_PARAM_WORDS, "", NULL, NULL, NULL, NULL,
                     "work done by 1, 2, 3, ... residents together, relative to one alone; the "
                     "last value stands for all above"},
    {0}};

enum pt_status pt_curve_prepare(void **state, const double *total, uint32_t count,
                                struct pt_error *error)
{
    *state = NULL;
    if (count < 1 || count > PT_CURVE_MAX)
        return pt_fail(error, PT_ERR_INPUT, "curve.total has %u values, not 1 to %d", count,
                       PT_CURVE_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (!(total[i] > 0 && total[i] <= (double)PT_NONE))
            return pt_fail(error, PT_ERR_INPUT,
                           "value %u of curve.total is not above 0 and at most %u", i + 1, PT_NONE);
    if (total[0] != 1)
        return pt_fail(error, PT_ERR_INPUT,
                       "curve.total does not begin with 1: it is relative to a job alone");
    struct curve *curve = calloc(1, sizeof *curve);
    if (!curve) return pt_fail(error, PT_ERR_MEMORY, "no memory for the interference model");
    curve->count = count;
    memcpy(curve->total, total, count * sizeof *total);
    *state = curve;
    return PT_OK;
}

static enum pt_status prepare(void **state, const struct pt_value *values,
                              const struct pt_interference_inputs *inputs, struct pt_error *error)
{
    (void)inputs;
    *state = NULL;
    double total[PT_CURVE_MAX];
    uint32_t count = 0;
    const char *text = values[PARAM_TOTAL].text;
    for (bool last = text == NULL; !last; count++) {
        size_t length = strcspn(text, ",");
        struct pt_error why = {0};
        if (count == PT_CURVE_MAX)
            return pt_fail(error, PT_ERR_INPUT, "curve.total has more than %d values",
                           PT_CURVE_MAX);
        if (pt_parse_double(&total[count], text, length, &why) != PT_OK)
            return pt_fail(error, PT_ERR_INPUT, "value %u of curve.total %s", count + 1,
                           why.message);
        last = text[length] == '\0';
        text += length + 1;
    }
    return pt_curve_prepare(state, total, count, error);
}

static void unit(double *slow, const struct pt_partition *partition, const void *state)
{
    const struct curve *curve = state;
    uint32_t n = partition->count;
    double total = curve->total[(n < curve->count ? n : curve->count) - 1];
    for (uint32_t i = 0; i < n; i++)
        slow[i] = pt__load(partition, i, false).slice * ((double)n / total);
}

static double alone(const struct pt_traits *traits, double share,
                    const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                    const void *state)
{
    (void)state;
    return instance ? pt__slice(traits, share, instance, gpu, false) : 1;
}

static uint32_t terms(struct pt_term *list, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const void *state)
{
    return pt__terms(list, scratch, partitions, partition_count, which, resident, &pt_curve, state,
                     state, 0);
}

const struct pt_interference_ops pt_curve = {
    .abi = PT_INTERFERENCE_ABI,
    .size = sizeof(struct pt_interference_ops),
    .name = "curve",
    .summary = "n residents do total(n) of one's work together, in equal parts",
    .source = "a curve of the user's own; textbook queues with a service rate by occupancy",
    .params = params,
    .prepare = prepare,
    .release = free,
    .unit = unit,
    .alone = alone,
    .terms = terms,
};
