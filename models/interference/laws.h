/* The laws of interference, one a file; models.md, section 4, has every formula (the number stands
 * by each function). Pure functions over one unit, no allocation, +, -, *, / and sqrt alone.
 *
 * A unit that is an instance of a GPU is a smaller GPU: a job alone on it is slower by 4.3 (`slice`
 * below) and busier, and the law of the unit, applied to those busier jobs, multiplies. For the
 * p-norm this is the same as multiplying each share by the instance's.
 *
 * Invariants, with what each job uses of the whole GPU while it runs, u/s, b/s: every law but
 * rank1 without its guard keeps their sum within the unit (4.3 additive, which knows no u, aside);
 * s >= slice >= 1; a neighbour with u = b = 0 changes nothing, but for the time that vGPU's equal
 * and fixed shares take away by rule. Turns and guarded rank1 stretch everybody alike where the
 * unit is full, so that under them a neighbour more can make somebody a few per cent faster; under
 * the other laws it makes nobody faster. All O(residents), water-filling O(residents^2) at worst.
 */
#ifndef PT_MODELS_INTERFERENCE_LAWS_H
#define PT_MODELS_INTERFERENCE_LAWS_H

#include <math.h>

#include "partita/interference.h"
#include "partita/unit.h"

/* A resident as the law of its unit sees it. */
struct pt__load {
    double slice; /* slow-down of being on this instance at all; 1 on a whole GPU */
    double raw;   /* busy intensity there; a fit may give a little more than 1 */
    double u;     /* the same, at most 1 */
    double busy;  /* share of time in which it has a kernel there, at most 1 */
};

/* v^p and its inverse, p = 1, 2 or 4. */
static inline double pt__power(double v, unsigned p)
{
    if (p == 1) return v;
    return p == 2 ? v * v : v * v * (v * v);
}

static inline double pt__root(double v, unsigned p)
{
    if (p == 1) return v;
    return p == 2 ? sqrt(v) : sqrt(sqrt(v));
}

/* 4.2, 4.3: [1 - u^p + (u/a)^p]^(1/p), 0 <= u <= 1, a > 0; exactly 1 for u = 0 or a >= 1. */
static inline double pt__pnorm(double u, double a, unsigned p)
{
    if (u <= 0 || a >= 1) return 1;
    return pt__root(1 + (pt__power(u / a, p) - pt__power(u, p)), p);
}

/* 4.3: slow-down of a job alone on a share of a GPU; `additive` takes the law in f_c and f_m where
 * the instance and both are known. */
double pt__slice(const struct pt_traits *traits, double share,
                 const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                 bool additive);

/* Resident i of the unit. */
struct pt__load pt__load(const struct pt_partition *partition, uint32_t i, bool additive);

/* The share of the unit's SMs that resident i may use at most: its cap where it is capped. */
static inline double pt__cap(const struct pt_partition *partition, uint32_t i)
{
    const struct pt_need *need = partition->residents[i].need;
    return need->capped ? (double)need->cap.numerator / (double)need->cap.denominator : 1;
}

/* 4.1: turns between processes with work. */
void pt__turns(double *slow, const struct pt_partition *partition, bool additive);
/* 4.2, uncapped training: 1 + u_i SUM u_j kappa_j / kappa_i; with the capacity guard if asked. */
void pt__rank1(double *slow, const struct pt_partition *partition, bool additive, bool guard);
/* 4.2, capped or inference: the unit's SMs filled by weights u kappa under caps, then the p-norm.
 * Where somebody is capped and two or more use the unit, their slow-downs are multiplied by
 * 1 + cap_contention. */
void pt__shared_sms(double *slow, const struct pt_partition *partition, bool additive);
/* Fractional time slicing. Strict: each has its fraction, no more. Else fractions are weights
 * between those who use the unit. The p-norm of 4.2. */
void pt__capped_turns(double *slow, const struct pt_partition *partition, bool additive);
/* vGPU equal and fixed share (models.md 3): 1 + u (N (1 + e) - 1), N > 1 those running, or the
 * slots. */
void pt__vgpu(double *slow, const struct pt_partition *partition, bool additive);

/* 4.4: power and PCIe, which the instances of a GPU share. `slope` is 0.201. On a GPU that is one
 * unit nothing happens: its law was measured with both. Never a speed-up: a job that meets its
 * power limit even when alone was measured so. */
void pt__board(double *slow, const struct pt_partition *partitions, uint32_t partition_count,
               double slope);
/* The power factor of one resident with the draw that `slow` (as of the units) gives. */
double pt__board_power(const struct pt_traits *traits, const struct pt_gpu_model *gpu, double watts,
                       double slope);
/* Watts of the GPU beyond which everybody is slowed down are gpu->tdp_w; this is what it draws. */
double pt__board_watts(const double *slow, const struct pt_partition *partitions,
                       uint32_t partition_count);

/* What resident i would have were it alone on the unit, under the rule by which it is shared. */
double pt__alone_here(const struct pt_partition *partition, uint32_t i, bool additive);

/* 4.7: multiplies what neighbours cost each resident, above pt__alone_here, by the mean of its
 * factors against each, weighted by their u: of two residents the one factor of the pair.
 * factors[victim * (type_count + 1) + neighbour]; drawn jobs are type `type_count`. */
void pt__residual_apply(double *slow, const struct pt_partition *partition, bool additive,
                        const double *factors, uint32_t type_count);

/* Slow-down, within the unit, of resident i alone under its cap; 1 where it has none. */
double pt__alone_under_cap(const struct pt_partition *partition, uint32_t i, bool additive);

/* The terms of a slow-down for a model whose `unit` and `board` these are; `plain` is its state
 * without residual. See struct pt_interference_ops. */
uint32_t pt__terms(struct pt_term *list, double *scratch, const struct pt_partition *partitions,
                   uint32_t partition_count, uint32_t which, uint32_t resident,
                   const struct pt_interference_ops *ops, const void *state, const void *plain,
                   double slope);

#endif
