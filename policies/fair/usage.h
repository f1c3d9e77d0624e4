/* Usage that decays: what an account has been allocated, in GPU seconds, each second worth half as
 * much a half-life later. In closed form between changes of the rate r at which it is used:
 *
 *     U(t + d) = U(t) k + r (T / ln 2) (1 - k),  k = 2^(-d / T)
 *
 * so that it depends on when the rate changed alone, never on how often anybody looks. Without
 * decay it is counted in whole parts of a GPU times ns, exactly.
 *
 * Powers come from additions and multiplications only, so their bits are the same everywhere.
 */
#ifndef PT_FAIR_USAGE_H
#define PT_FAIR_USAGE_H

#include "partita/types.h"

struct pt_decay {
    int64_t half_life_ns;   /* PT_NEVER = no decay */
    uint64_t parts_per_gpu; /* what rates are counted in */
    double ln2_by_ns;       /* ln 2 / T */
    double most_by_part;    /* GPU seconds that a part held for ever comes to: T / ln 2 */
};

struct pt_usage {
    double decayed;  /* GPU seconds at at_ns; with decay */
    pt_u128 counted; /* parts x ns until at_ns; without */
    int64_t at_ns;   /* when the rate changed last */
    uint64_t rate;   /* parts held since */
};

void pt__decay_init(struct pt_decay *decay, int64_t half_life_ns, uint64_t parts_per_gpu);

/* 2^-(time / half_life) and 1 - that, both to a few units in the last place; times >= 0. */
void pt__halve(double *kept, double *lost, const struct pt_decay *decay, int64_t time_ns);
/* 2^-x for x >= 0. */
double pt__half_to(double x);

/* GPU seconds at now_ns >= at_ns. Decayed usage under a billionth of a GPU second counts as none:
 * that is less than one GPU for one tick of the clock. */
double pt__usage_at(const struct pt_usage *usage, const struct pt_decay *decay, int64_t now_ns);
/* From now_ns on it is used at `rate` parts. */
void pt__usage_set_rate(struct pt_usage *usage, const struct pt_decay *decay, int64_t now_ns,
                        uint64_t rate);

#endif
