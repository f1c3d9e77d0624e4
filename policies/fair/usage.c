#include "policies/fair/usage.h"

#include <math.h>

#define LN2 0.693147180559945309417
#define NOTHING 1e-9    /* GPU seconds */
#define POWERS_MAX 1100 /* 2^-1100 is 0 */

/* 1 - e^-y = y - y^2/2! + y^3/3! - ... for 0 <= y < ln 2, as many terms as the last place needs:
 * few in straight line where y is small, which is what accounts in use ask for all the time. */
static double lost_of(double y)
{
    static const double inverse[] = {0,        1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,
                                     1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,
                                     1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14,
                                     1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19};
    if (y < 0x1p-8) {
        double even = 1.0 / 6 + y * y * (1.0 / 120), odd = 1.0 / 24 + y * y * (1.0 / 720);
        return y - y * y * (0.5 - y * (even - y * odd));
    }
    double sum = 1;
    for (int n = y < 0x1p-5 ? 9 : 19; n > 1; n--)
        sum = 1 - y * inverse[n] * sum;
    return y * sum;
}

void pt__decay_init(struct pt_decay *decay, int64_t half_life_ns, uint64_t parts_per_gpu)
{
    decay->half_life_ns = half_life_ns;
    decay->parts_per_gpu = parts_per_gpu;
    decay->ln2_by_ns = LN2 / (double)half_life_ns;
    decay->most_by_part = (double)half_life_ns * 1e-9 / LN2 / (double)parts_per_gpu;
}

void pt__halve(double *kept, double *lost, const struct pt_decay *decay, int64_t time_ns)
{
    int64_t whole = 0;
    if (time_ns >= decay->half_life_ns) {
        whole = time_ns / decay->half_life_ns;
        time_ns %= decay->half_life_ns;
    }
    double first = lost_of((double)time_ns * decay->ln2_by_ns);
    if (whole == 0) {
        *lost = first;
        *kept = 1 - first;
        return;
    }
    *kept = whole > POWERS_MAX ? 0 : scalbn(1 - first, -(int)whole);
    *lost = 1 - *kept;
}

double pt__half_to(double x)
{
    if (!(x < POWERS_MAX)) return 0;
    double whole = floor(x);
    return scalbn(1 - lost_of((x - whole) * LN2), -(int)whole);
}

static double decayed_at(const struct pt_usage *usage, const struct pt_decay *decay, int64_t now_ns)
{
    double kept, lost;
    if (now_ns == usage->at_ns) return usage->decayed;
    if (usage->decayed == 0 && usage->rate == 0) return 0;
    pt__halve(&kept, &lost, decay, now_ns - usage->at_ns);
    return usage->decayed * kept + (double)usage->rate * decay->most_by_part * lost;
}

static pt_u128 counted_at(const struct pt_usage *usage, int64_t now_ns)
{
    return usage->counted + (pt_u128)usage->rate * (uint64_t)(now_ns - usage->at_ns);
}

double pt__usage_at(const struct pt_usage *usage, const struct pt_decay *decay, int64_t now_ns)
{
    if (decay->half_life_ns == PT_NEVER)
        return (double)counted_at(usage, now_ns) / ((double)decay->parts_per_gpu * 1e9);
    double used = decayed_at(usage, decay, now_ns);
    return used < NOTHING ? 0 : used;
}

void pt__usage_set_rate(struct pt_usage *usage, const struct pt_decay *decay, int64_t now_ns,
                        uint64_t rate)
{
    if (decay->half_life_ns == PT_NEVER)
        usage->counted = counted_at(usage, now_ns);
    else
        usage->decayed = decayed_at(usage, decay, now_ns);
    usage->at_ns = now_ns;
    usage->rate = rate;
}
