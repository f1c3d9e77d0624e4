#include "tests/property/reference_parts.h"

/* What each sharing mode makes a job take of a GPU, and what it then gets of it beside others. */

#define PPM UINT64_C(1000000)

uint32_t ref__capacity(const struct ref_pool *pool)
{
    uint32_t profiles, compute = 0;
    if (pool->mode == REF_FRACTIONAL) return PPM;
    if (pool->mode == REF_MIG) ref__mig_profiles(pool->model, &profiles, &compute);
    return pool->mode == REF_MIG ? compute * pool->replicas : pool->replicas;
}

bool ref__admits_memory(const struct ref_pool *pool)
{
    return pool->mode != REF_TIME_SLICE || pool->admit;
}

bool ref__is_distinct(const struct ref_pool *pool, const struct ref_job *job)
{
    return job->distinct == 2 ? pool->distinct : job->distinct == 1;
}

/* Of fractional pools: memory alone admits it. */
static bool is_weightless(const struct ref_job *job)
{
    return job->frac_ppm == 0 && job->gpu_mem_mib > 0;
}

/* The limit is each process's own. */
static bool need_client(struct need *need, const struct ref_pool *pool, const struct ref_job *job)
{
    uint64_t limit = job->frac_ppm == 0 ? pool->gpu_mem_mib / pool->replicas
                                        : pool->gpu_mem_mib * (uint64_t)job->frac_ppm / PPM;
    need->load = job->processes;
    return job->processes <= pool->replicas && job->gpu_mem_mib <= limit;
}

uint32_t ref__slots(const struct ref_pool *pool, const struct ref_job *job)
{
    return pool->how == REF_SMS ? job->processes : 1;
}

static bool need_instance(struct need *need, const struct ref_pool *pool, const struct ref_job *job)
{
    uint32_t count, compute;
    const struct profile *profiles = ref__mig_profiles(pool->model, &count, &compute);
    need->profile = ref__mig_profile(pool, job);
    if (need->profile == NO_PROFILE) return false;
    need->slots = ref__slots(pool, job);
    need->load = profiles[need->profile].compute * need->slots;
    return need->slots <= pool->replicas;
}

bool ref__need(struct need *need, const struct ref_pool *pool, const struct ref_job *job)
{
    bool own = pool->mode == REF_EXCLUSIVE || pool->mode == REF_TIME_SLICE;
    /* where the job has the GPU or its turn to itself, memory is the job's, else each process's */
    *need = (struct need){1, job->gpu_mem_mib * (own ? 1 : job->processes), 1, NO_PROFILE};
    if (pool->mode == REF_MIG) return need_instance(need, pool, job);
    if (job->mig != NULL || need->mem_mib > pool->gpu_mem_mib) return false;
    if (pool->mode == REF_MPS) return need_client(need, pool, job);
    if (pool->mode == REF_FRACTIONAL)
        need->load = is_weightless(job) ? 0 : job->frac_ppm != 0 ? job->frac_ppm : (uint32_t)PPM;
    if (pool->mode != REF_VGPU) return true;
    bool fits = need->mem_mib <= pool->slot_mib;
    need->mem_mib = pool->slot_mib;
    return fits;
}

/* ---- shares of those that compute (models.md 3 and 4.1, `none`; semantics.md 4) ---- */

static struct ratio turns(const struct ref_pool *pool, uint64_t n)
{
    if (n <= 1) return (struct ratio){1, 1};
    return (struct ratio){PPM, n * (PPM + pool->loss_ppm)};
}

/* The part of `got` that a job needs which asked for frac_ppm: never more than all. */
static struct ratio against(struct ratio got, uint64_t frac_ppm)
{
    got.numerator *= PPM;
    got.denominator *= frac_ppm;
    uint64_t common = exact_gcd(got.numerator, got.denominator);
    if (got.numerator >= got.denominator) return (struct ratio){1, 1};
    return (struct ratio){got.numerator / common, got.denominator / common};
}

/* Units at the seat that compute, each counted 1, or by fraction, or by its cap under MPS in
 * 1 / (replicas x 10^6). */
enum count { UNITS, FRACTIONS, CAPS };
static uint64_t residents(const struct run *r, const struct ref_pool *pool, uint32_t seat,
                          enum count what)
{
    uint64_t sum = 0;
    EACH(j, r->w->job_count) {
        const struct ref_job *job = &r->w->jobs[j];
        uint64_t each = 1;
        if (!r->jobs[j].computes) continue;
        if (pool->mode == REF_FRACTIONAL && is_weightless(job)) continue;
        if (what == FRACTIONS) each = job->frac_ppm != 0 ? job->frac_ppm : PPM;
        if (what == CAPS)
            each = job->frac_ppm != 0 ? job->frac_ppm * (uint64_t)pool->replicas
                                      : PPM * job->processes;
        sum += each * r->jobs[j].on[seat];
    }
    return sum;
}

static struct ratio share_of_clients(const struct run *r, const struct ref_pool *pool,
                                     const struct ref_job *job, uint32_t seat)
{
    uint64_t all = PPM * pool->replicas, caps = residents(r, pool, seat, CAPS);
    return (struct ratio){job->frac_ppm != 0 ? all : PPM * job->processes, caps > all ? caps : all};
}

static struct ratio share_of_instance(const struct run *r, const struct ref_pool *pool,
                                      const struct ref_job *job, uint32_t seat)
{
    uint32_t count, compute;
    const struct profile *profiles = ref__mig_profiles(pool->model, &count, &compute);
    const struct profile *p = &profiles[r->slices[seat].profile];
    struct ratio inside = {1, 1};
    bool by_name = job->mig != NULL && job->mig[0] != 'a';
    if (pool->how == REF_TURNS) inside = turns(pool, residents(r, pool, seat, UNITS));
    if (pool->how == REF_SMS) inside = (struct ratio){ref__slots(pool, job), pool->replicas};
    if (by_name) return inside;
    inside.numerator *= p->compute;
    inside.denominator *= compute;
    return against(inside, job->mig == NULL && job->frac_ppm != 0 ? job->frac_ppm : PPM);
}

struct ratio ref__share(const struct run *r, uint32_t j, const struct ref_pool *pool, uint32_t seat)
{
    const struct ref_job *job = &r->w->jobs[j];
    uint64_t frac = job->frac_ppm != 0 ? job->frac_ppm : PPM;
    switch (pool->mode) {
    case REF_EXCLUSIVE:
        break;
    case REF_TIME_SLICE:
        return turns(pool, residents(r, pool, seat, UNITS));
    case REF_MPS:
        return share_of_clients(r, pool, job, seat);
    case REF_FRACTIONAL:
        if (is_weightless(job)) break;
        if (pool->how == REF_BOOKS) return turns(pool, residents(r, pool, seat, UNITS));
        return (struct ratio){PPM, pool->strict ? PPM : residents(r, pool, seat, FRACTIONS)};
    case REF_VGPU:
        if (pool->how == REF_TURNS) return turns(pool, residents(r, pool, seat, UNITS));
        if (pool->how == REF_FIXED) return against((struct ratio){1, pool->replicas}, frac);
        return against((struct ratio){1, residents(r, pool, seat, UNITS)}, frac);
    case REF_MIG:
        return share_of_instance(r, pool, job, seat);
    }
    return (struct ratio){1, 1};
}
