/* What a comparison found, in words and numbers that text and Markdown share. */
#include <math.h>
#include <string.h>

#include "sim/cli/compare_parts.h"
#include "sim/cli/headline.h"

const char *pt__change_word(const struct pt_metric_difference *metric)
{
    enum pt_better better = pt_metric_better(metric->metric->name);
    bool up = metric->change == PT_CHANGE_UP;
    if (!up && metric->change != PT_CHANGE_DOWN) return NULL;
    if (better == PT_BETTER_NEITHER) return up ? "higher" : "lower";
    return up == (better == PT_BETTER_HIGH) ? "better" : "worse";
}

bool pt__worth_showing(const struct pt_metric_difference *metric)
{
    const struct pt_difference *d = &metric->difference;
    if (isnan(d->base_mean) && isnan(d->new_mean)) return false;
    return !metric->is_count || fabs(d->base_mean) > 0 || fabs(d->new_mean) > 0;
}

const struct pt_metric_difference *pt__difference_of(const struct pt_group_differences *group,
                                                     const char *name)
{
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(group->metrics[i].metric->name, name) == 0) return &group->metrics[i];
    return NULL;
}

char *pt__format_change(char out[PT__CHANGE_MAX], const struct pt_metric_difference *metric,
                        double value)
{
    char text[PT__TEXT_MAX];
    double base = fabs(metric->difference.base_mean);
    const char *sign = value > 0 ? "+" : "";
    if (isnan(value))
        snprintf(out, PT__CHANGE_MAX, "-");
    else if (pt__is_share(metric->metric->name))
        snprintf(out, PT__CHANGE_MAX, "%s%.2f pt", sign, 100 * value);
    else if (base > 0 && !isinf(base))
        snprintf(out, PT__CHANGE_MAX, "%s%.*f %%", sign, fabs(value) < base ? 2 : 0,
                 100 * value / base);
    else
        snprintf(out, PT__CHANGE_MAX, "%s%s", sign,
                 pt__format_metric(text, metric->metric->name, metric->metric->unit, value));
    return out;
}

void pt__event_text(char *out, size_t size, const struct pt_world_shown *world)
{
    if (world->ended) {
        snprintf(out, size, "nothing any more");
        return;
    }
    const char *name = pt_event_name((enum pt_event_kind)world->event.kind);
    size_t used = (size_t)snprintf(out, size, "%s", name);
    if (world->has_job && used < size)
        used += (size_t)snprintf(out + used, size - used, " of job %s (%u GPU%s, tenant %s)",
                                 world->job.id, world->job.gpus, world->job.gpus == 1 ? "" : "s",
                                 world->job.tenant);
    if (world->gpu[0] && used < size) snprintf(out + used, size - used, " on %s", world->gpu);
}
