/* A comparison as JSON: everything that was found. */
#include <math.h>
#include <string.h>

#include "sim/cli/compare_parts.h"
#include "sim/cli/gates.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *side(const struct pt_side *side, size_t used, size_t alone)
{
    json_t *seeds = json_array();
    for (size_t i = 0; i < side->count; i++)
        json_array_append_new(seeds, json_integer((json_int_t)side->runs[i].seed));
    return json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:b}", "path", side->path, "policy",
                     side->policy, "seeds", seeds, "runs", (json_int_t)used, "left_out",
                     (json_int_t)alone, "partial_left_out", (json_int_t)side->left_out, "partial",
                     !side->directory && side->runs[0].partial);
}

static json_t *interval(double low, double high)
{
    if (!isfinite(low) || !isfinite(high)) return json_null();
    return json_pack("[f, f]", low, high);
}

static json_t *metric(const struct pt_metric_difference *m)
{
    static const char *const changes[] = {"unknown", "equal", "unsure", "small", "up", "down"};
    const struct pt_difference *d = &m->difference;
    const char *word = pt__change_word(m);
    json_t *needed = m->seeds_needed == PT_SEEDS_NEEDED_NEVER
                         ? json_null()
                         : json_integer((json_int_t)m->seeds_needed);
    json_t *json = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "unit", m->metric->unit, "base",
        number(d->base_mean), "new", number(d->new_mean), "difference", number(d->difference),
        "relative", number(d->relative), "interval", interval(d->low, d->high),
        "bootstrap_interval", interval(m->bootstrap.low, m->bootstrap.high), "p", number(d->p),
        "adjusted_p", number(m->adjusted_p), "effect", number(d->effect), "sd", number(d->sd));
    json_object_set_new(json, "change", json_string(changes[m->change]));
    json_object_set_new(json, "is", word ? json_string(word) : json_null());
    json_object_set_new(json, "more_seeds", needed);
    json_object_set_new(json, "left_out", json_integer((json_int_t)d->left_out));
    return json;
}

static json_t *groups(const struct pt_differences *differences)
{
    json_t *list = json_array();
    for (size_t g = 0; g < differences->group_count; g++) {
        const struct pt_group_differences *group = &differences->groups[g];
        json_t *metrics = json_object();
        for (size_t i = 0; i < group->count; i++)
            json_object_set_new(metrics, group->metrics[i].metric->name,
                                metric(&group->metrics[i]));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:b, s:b, s:o}", "dimension", group->dimension,
                                        "label", group->label, "in_base", group->in_base, "in_new",
                                        group->in_new, "metrics", metrics));
    }
    return list;
}

static json_t *job(const struct pt_job_shown *shown)
{
    return json_pack("{s:s%, s:s%, s:I, s:f, s:s}", "id", shown->id, strlen(shown->id), "tenant",
                     shown->tenant, strlen(shown->tenant), "gpus", (json_int_t)shown->gpus,
                     "waited_s", shown->waited_s, "reason", pt_reason_text(shown->reason));
}

static json_t *world(const struct pt_world_shown *w)
{
    char text[256];
    json_t *queue = json_array(), *pools = json_array();
    pt__event_text(text, sizeof text, w);
    for (uint32_t i = 0; i < w->shown; i++)
        json_array_append_new(queue, job(&w->queue[i]));
    for (uint32_t p = 0; p < w->pool_count; p++)
        json_array_append_new(pools, json_pack("{s:s, s:I, s:I}", "name", w->pools[p].name,
                                               "idle_gpus", (json_int_t)w->pools[p].idle, "gpus",
                                               (json_int_t)w->pools[p].gpus));
    json_t *json = json_pack("{s:s, s:I, s:o, s:o}", "next", text, "pending",
                             (json_int_t)w->pending, "queue", queue, "pools", pools);
    if (w->ended) return json;
    json_object_set_new(json, "time_s", json_real((double)w->event.time_ns / (double)PT_NS_PER_S));
    json_object_set_new(json, "event",
                        json_string(pt_event_name((enum pt_event_kind)w->event.kind)));
    if (w->has_job) json_object_set_new(json, "job", job(&w->job));
    if (w->gpu[0]) json_object_set_new(json, "gpu", json_string(w->gpu));
    return json;
}

static json_t *first(const struct pt__comparison *c)
{
    const struct pt_first_difference *f = &c->first;
    if (!c->searched) return json_null();
    if (f->sameness == PT_NOT_KNOWN) return json_pack("{s:b, s:s}", "found", 0, "why", f->why);
    if (f->sameness == PT_SAME)
        return json_pack("{s:b, s:s}", "found", 0, "why",
                         "no event differs when both are run again");
    return json_pack("{s:b, s:I, s:I, s:f, s:o, s:o}", "found", 1, "seed",
                     (json_int_t)c->new_run->seed, "events_before", (json_int_t)f->events_before,
                     "time_s", (double)f->time_ns / (double)PT_NS_PER_S, "base", world(&f->base),
                     "new", world(&f->changed));
}

static json_t *jct(const struct pt__comparison *c)
{
    const struct pt__jct_samples *j = &c->jct;
    if (!j->known) return json_null();
    return json_pack("{s:I, s:I, s:I, s:{s:o, s:o, s:i, s:o}, s:{s:o, s:o, s:o, s:o, s:o}}", "seed",
                     (json_int_t)c->new_run->seed, "base_jobs", (json_int_t)j->base_count,
                     "new_jobs", (json_int_t)j->new_count, "kolmogorov_smirnov", "d",
                     number(j->ks.d), "at_s", number(j->ks.at), "sign", j->ks.sign, "p",
                     number(j->ks.p), "mann_whitney", "u", number(j->mann_whitney.u), "superior",
                     number(j->mann_whitney.superior), "effect", number(j->mann_whitney.effect),
                     "z", number(j->mann_whitney.z), "p", number(j->mann_whitney.p));
}

json_t *pt__compare_json(const struct pt__comparison *c)
{
    const struct pt_differences *d = c->differences;
    return json_pack("{s:s, s:o, s:o, s:b, s:f, s:I, s:o, s:o, s:o, s:o}", "partita",
                     PARTITA_VERSION, "base", side(&c->base, d->base_count, d->base_alone), "new",
                     side(&c->changed, d->new_count, d->new_alone), "paired", d->paired, "level",
                     d->level, "same_event_logs", (json_int_t)c->same_digests, "groups", groups(d),
                     "jct", jct(c), "first_difference", first(c), "gates",
                     pt__gates_json(&c->gates));
}
