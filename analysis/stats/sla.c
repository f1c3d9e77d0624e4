/* SLA bounds of a job and whether it met them (semantics.md, section 5). */
#include <math.h>

#include "analysis/stats/groups.h"

uint32_t pt__tenant_of_job(const struct pt_summary_input *input, pt_job job)
{
    const uint32_t *words = input->trace->column[PT_COL_TENANT];
    if (words == NULL || words[job] == PT_NONE || input->tenant_of_word == NULL) return 0;
    return input->tenant_of_word[words[job]];
}

uint32_t pt_summary_tier_of_job(const struct pt_summary_input *input, pt_job job)
{
    const uint32_t *words = input->trace->column[PT_COL_SLA];
    if (words != NULL && words[job] != PT_NONE && input->tier_of_sla_word != NULL) {
        return input->tier_of_sla_word[words[job]]; /* its own word, be it `default`, wins */
    }
    if (input->tier_of_tenant != NULL) {
        uint32_t tier = input->tier_of_tenant[pt__tenant_of_job(input, job)];
        if (tier != PT_NONE) return tier;
    }
    return input->default_tier;
}

static bool has_bound(const struct pt_sla_bounds *b)
{
    return !isnan(b->max_slowdown) || !isnan(b->max_jct_increase) ||
           !isnan(b->max_sharing_increase) || b->max_wait_ns != PT_NEVER ||
           b->max_jct_ns != PT_NEVER;
}

/* A bound that is not set (NaN) compares false with everything, so it is never broken. The quotient
 * of whole nanoseconds is rounded once: 12 s of ideal 10 s is exactly what `1.2` is read as. */
static bool meets(const struct pt_summary_input *input, const struct pt_sla_bounds *b, pt_job job)
{
    const struct pt_outcomes *o = input->outcomes;
    int64_t work_ns = pt_trace_work_ns(input->trace)[job];
    int64_t jct_ns = pt_outcomes_jct_ns(o, input->trace, job);
    if (pt_outcomes_wait_ns(o, input->trace, job) > b->max_wait_ns) return false;
    if (jct_ns > b->max_jct_ns) return false;
    if (work_ns == 0) return true; /* a null slowdown meets its bound */
    double work = (double)work_ns;
    if ((double)jct_ns / work > b->max_slowdown) return false;
    if ((double)(jct_ns - work_ns) / work > b->max_jct_increase) return false;
    return !((double)(o->running_ns[job] - work_ns) / work > b->max_sharing_increase);
}

int pt_summary_sla_met(const struct pt_summary_input *input, pt_job job)
{
    const int64_t *deadlines = input->trace->column[PT_COL_DEADLINE];
    int64_t deadline_ns = deadlines == NULL ? PT_TIME_ABSENT : deadlines[job];
    uint32_t tier = pt_summary_tier_of_job(input, job);
    const struct pt_sla_bounds *bounds = tier == PT_NONE ? NULL : &input->tiers[tier];
    if (bounds != NULL && !has_bound(bounds)) bounds = NULL;
    if (bounds == NULL && deadline_ns == PT_TIME_ABSENT) return -1;
    if (input->outcomes->state[job] != PT_STATE_DONE) return 0;
    if (deadline_ns != PT_TIME_ABSENT &&
        pt_outcomes_jct_ns(input->outcomes, input->trace, job) > deadline_ns) {
        return 0;
    }
    return bounds == NULL || meets(input, bounds, job);
}
