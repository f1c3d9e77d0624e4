#include "sim/core/engine.h"

/* What tenants hold, in quota units, against what they may hold (semantics.md, section 4). A tenant
 * holds what those below it hold. */

#define PARTS_MAX (UINT64_C(1) << 40)

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A GPU has so many parts that a millionth of it, and a unit of each pool, are whole numbers. */
static uint64_t parts_per_gpu(const struct pt_sim *sim)
{
    uint64_t parts = PT_PPM_ONE;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        uint64_t capacity = sim->pools[p].capacity;
        uint64_t divisor = common_divisor(parts, capacity);
        uint64_t more = divisor == 0 ? 1 : capacity / divisor;
        if (more > 1 && more <= PARTS_MAX / parts) parts *= more;
    }
    return parts;
}

enum pt_status pt__tenants_build(struct pt_sim *sim, struct pt_error *error)
{
    sim->parts_per_gpu = parts_per_gpu(sim);
    for (uint32_t t = 0; sim->world.tenants != NULL && t < sim->world.tenant_count; t++)
        sim->limits |= sim->world.tenants[t].limit != PT_QUOTA_NONE;
    if (!sim->limits) return PT_OK;
    sim->tenant_parts = calloc((size_t)sim->world.tenant_count + 1, sizeof *sim->tenant_parts);
    return sim->tenant_parts != NULL
               ? PT_OK
               : pt_fail(error, PT_ERR_MEMORY, "out of memory for the limits of tenants");
}

/* The tenant's limit in parts of a GPU. */
static uint64_t limit_of(const struct pt_sim *sim, uint32_t tenant)
{
    uint64_t limit = sim->world.tenants[tenant].limit;
    if (limit == PT_QUOTA_NONE) return UINT64_MAX;
    pt_u128 parts = (pt_u128)limit * (sim->parts_per_gpu / PT_PPM_ONE);
    return parts > UINT64_MAX ? UINT64_MAX : (uint64_t)parts;
}

/* Whether the tenant and all above it could hold so much more than `held`. */
static bool allowed(const struct pt_sim *sim, uint32_t tenant, uint64_t more, const uint64_t *held)
{
    for (uint32_t t = tenant; t != PT_NONE; t = sim->world.tenants[t].parent) {
        uint64_t limit = limit_of(sim, t), now = held == NULL ? 0 : held[t];
        if (more > limit || now > limit - more) return false;
    }
    return true;
}

bool pt__within_limit(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    if (!sim->limits) return true;
    uint64_t parts = pt__parts(sim, pt__class(sim, job), pool);
    return allowed(sim, pt__tenant(sim, job), parts, sim->tenant_parts);
}

bool pt__tenants_never(const struct pt_sim *sim, const struct pt_class *class_, uint32_t pool)
{
    if (!sim->limits || class_->tenant == PT_NONE) return false;
    return !allowed(sim, class_->tenant, pt__parts(sim, class_, pool), NULL);
}

void pt__tenants_hold(struct pt_sim *sim, pt_job job, uint32_t pool, bool take)
{
    uint64_t parts = pt__parts(sim, pt__class(sim, job), pool);
    for (uint32_t t = pt__tenant(sim, job); t != PT_NONE; t = sim->world.tenants[t].parent)
        sim->tenant_parts[t] += take ? parts : 0u - parts;
}
