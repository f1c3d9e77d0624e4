#include "policies/placement/pools.h"

const char *const pt__pools_choices[] = {"file", "fastest", "cheapest", "cheapest_per_work", NULL};

/* Price of the work that the reference GPU does in an hour, 2^-20 millionths; R is in 2^-60. */
static uint64_t price_of_work(int64_t price, uint64_t rate)
{
    if (rate == 0) return UINT64_MAX;
    pt_u128 each = ((pt_u128)(uint64_t)price << 80) / rate;
    return each < UINT64_MAX ? (uint64_t)each : UINT64_MAX;
}

uint64_t pt__pools_key(enum pt__pools order, const struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    int64_t price = pt_view_cluster(ctx)->pools[pool].price_micro_per_hour;
    switch (order) {
    case PT__POOLS_FASTEST:
        return UINT64_MAX - pt_view_rate(ctx, pool, job);
    case PT__POOLS_CHEAPEST:
        return price < 0 ? UINT64_MAX : (uint64_t)price;
    case PT__POOLS_CHEAPEST_PER_WORK:
        return price < 0 ? UINT64_MAX : price_of_work(price, pt_view_rate(ctx, pool, job));
    case PT__POOLS_FILE:
    case PT__POOLS_SCORE:
        break;
    }
    return 0;
}
