/* A comparison as a table for a terminal. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/cli/compare_parts.h"
#include "sim/cli/headline.h"
#include "sim/cli/terminal.h"

enum { LABEL = 14, NAME = 26, CELL = 12, CHANGE = 13, GROUPS_SHOWN = 20, LINE = 96 };

static void label(FILE *out, bool color, const char *text)
{
    fprintf(out, "%s%-*s%s", pt__style(color, PT__BOLD), LABEL, text, pt__style(color, PT__PLAIN));
}

/* ---- head ---- */

static void side_line(FILE *out, bool color, const char *name, const struct pt_side *side,
                      size_t used, size_t alone)
{
    label(out, color, name);
    fprintf(out, "%s", side->path);
    if (side->policy[0]) fprintf(out, ", %s", side->policy);
    if (used > 1)
        fprintf(out, ", %zu runs", used);
    else
        fprintf(out, ", seed %" PRIu64, side->runs[0].seed);
    if (alone > 0) fprintf(out, " (%zu more without a partner: left out)", alone);
    if (side->left_out > 0) fprintf(out, " (%zu partial: left out)", side->left_out);
    if (!side->directory && side->runs[0].partial) fprintf(out, ", partial");
    fputc('\n', out);
}

static void how_line(FILE *out, bool color, const struct pt__comparison *c)
{
    const struct pt_differences *d = c->differences;
    label(out, color, "Compared");
    if (d->base_count < 2 || d->new_count < 2) {
        fprintf(out, "one run%s: what differs, without an interval\n",
                d->paired ? " each, same seed" : " on a side");
        return;
    }
    fprintf(out, "%s; intervals at %.4g %%, p corrected for all metrics shown (Holm)\n",
            d->paired ? "pair by pair, by seed" : "as groups: they share no seed (Welch)",
            100 * d->level);
}

static void digest_line(FILE *out, bool color, const struct pt__comparison *c)
{
    size_t pairs = c->differences->paired ? c->differences->base_count : 1;
    if (c->same_digests == 0) return;
    label(out, color, "Event logs");
    if (pairs == 1)
        fprintf(out, "the same, event by event (%s)\n", c->base_run->digest);
    else
        fprintf(out, "the same, event by event, in %zu of %zu pairs\n", c->same_digests, pairs);
}

/* ---- metrics ---- */

static enum pt__style style_of(const char *word)
{
    if (strcmp(word, "better") == 0) return PT__GREEN;
    return strcmp(word, "worse") == 0 ? PT__RED : PT__PLAIN;
}

static void judgement_cell(FILE *out, bool color, const struct pt_metric_difference *metric)
{
    const char *word = pt__change_word(metric);
    if (word) {
        fprintf(out, "  %s%s%s", pt__style(color, style_of(word)), word,
                pt__style(color, PT__PLAIN));
    } else if (metric->change == PT_CHANGE_UNSURE) {
        if (metric->seeds_needed == PT_SEEDS_NEEDED_NEVER)
            fprintf(out, "  not sure");
        else if (metric->seeds_needed > 0)
            fprintf(out, "  not sure: about %" PRIu64 " more seeds", metric->seeds_needed);
        else
            fprintf(out, "  not sure");
    }
}

static void metric_line(FILE *out, bool color, const struct pt_metric_difference *metric)
{
    const struct pt_difference *d = &metric->difference;
    const struct pt_metric_info *info = metric->metric;
    char text[PT__TEXT_MAX], change[PT__CHANGE_MAX], low[PT__CHANGE_MAX], high[PT__CHANGE_MAX];
    fprintf(out, "%-*s%*s", NAME, info->name, CELL,
            pt__format_metric(text, info->name, info->unit, d->base_mean));
    fprintf(out, "%*s", CELL, pt__format_metric(text, info->name, info->unit, d->new_mean));
    fprintf(out, "%*s", CHANGE, pt__format_change(change, metric, d->difference));
    if (!isnan(d->low)) {
        char interval[2 * PT__CHANGE_MAX + 8];
        snprintf(interval, sizeof interval, "[%s, %s]", pt__format_change(low, metric, d->low),
                 pt__format_change(high, metric, d->high));
        fprintf(out, "%24s", interval);
        if (!isnan(metric->adjusted_p)) fprintf(out, "  p %.2g", metric->adjusted_p);
    }
    judgement_cell(out, color, metric);
    if (d->left_out > 0) fprintf(out, "  (null in %" PRIu64 ")", d->left_out);
    fputc('\n', out);
}

static void head_line(FILE *out, bool color, const struct pt__comparison *c)
{
    const struct pt_differences *d = c->differences;
    fprintf(out, "\n%s%-*s%*s%*s%*s", pt__style(color, PT__DIM), NAME, "", CELL, "base", CELL,
            "new", CHANGE, "change");
    if (d->base_count > 1 && d->new_count > 1) fprintf(out, "%24s", "interval of change");
    fprintf(out, "%s\n", pt__style(color, PT__PLAIN));
}

/* Names after a label, broken into lines. */
static void names(FILE *out, bool color, const char *title, const char *const *list, size_t count)
{
    size_t column = LABEL;
    if (count == 0) return;
    label(out, color, title);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]) + 2;
        if (column + length > LINE) {
            fprintf(out, "\n%*s", LABEL, "");
            column = LABEL;
        }
        fprintf(out, "%s%s", list[i], i + 1 < count ? "," : "\n");
        column += length;
        if (i + 1 < count && column + strlen(list[i + 1]) + 2 <= LINE) fputc(' ', out);
    }
}

static void main_metrics(FILE *out, bool color, const struct pt__comparison *c, bool all)
{
    const struct pt_group_differences *group = &c->differences->groups[0];
    const char *same[256];
    size_t same_count = 0, lines = 0;
    for (size_t i = 0; all && i < group->count; i++) {
        if (lines++ == 0) head_line(out, color, c);
        metric_line(out, color, &group->metrics[i]);
    }
    for (const char *const *name = pt_headline_metrics; *name && !all; name++) {
        const struct pt_metric_difference *metric = pt__difference_of(group, *name);
        if (!metric || !pt__worth_showing(metric)) continue;
        if (metric->change == PT_CHANGE_EQUAL) {
            same[same_count++] = *name;
            continue;
        }
        if (lines++ == 0) head_line(out, color, c);
        metric_line(out, color, metric);
    }
    fputc('\n', out);
    names(out, color, lines > 0 ? "The same" : "All the same", same, same_count);
}

/* ---- groups ---- */

static void group_line(FILE *out, bool color, const struct pt_group_differences *group)
{
    static const char *const keys[] = {"jct_mean_s",    "jct_p95_s",        "wait_mean_s",
                                       "slowdown_mean", "sla_satisfaction", "cost"};
    bool any = false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct pt_metric_difference *metric = pt__difference_of(group, keys[i]);
        const char *word = metric ? pt__change_word(metric) : NULL;
        char change[PT__CHANGE_MAX];
        if (!word) continue;
        fprintf(out, "%s%s %s %s%s%s", any ? "; " : "  ", keys[i],
                pt__format_change(change, metric, metric->difference.difference),
                pt__style(color, style_of(word)), word, pt__style(color, PT__PLAIN));
        any = true;
    }
    if (!any) fprintf(out, "  other metrics: --all shows them");
    fputc('\n', out);
}

static bool has_changed(const struct pt_group_differences *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (pt__change_word(&group->metrics[i])) return true;
    return group->in_base != group->in_new;
}

/* Of a dimension with one group there is nothing to tell apart. */
static bool is_alone(const struct pt_differences *d, size_t g)
{
    const char *dimension = d->groups[g].dimension;
    bool before = g > 1 && strcmp(d->groups[g - 1].dimension, dimension) == 0;
    bool behind = g + 1 < d->group_count && strcmp(d->groups[g + 1].dimension, dimension) == 0;
    return !before && !behind;
}

static void groups(FILE *out, bool color, const struct pt__comparison *c, bool all)
{
    const struct pt_differences *d = c->differences;
    size_t shown = 0, more = 0;
    for (size_t g = 1; g < d->group_count; g++) {
        const struct pt_group_differences *group = &d->groups[g];
        if (!all && (!has_changed(group) || is_alone(d, g))) continue;
        if (!all && shown == GROUPS_SHOWN) {
            more++;
            continue;
        }
        if (shown++ == 0) fputc('\n', out);
        fprintf(out, "%s%s %s%s", pt__style(color, PT__BOLD), group->dimension, group->label,
                pt__style(color, PT__PLAIN));
        if (group->in_base != group->in_new) {
            fprintf(out, "  in %s alone\n", group->in_base ? "base" : "new");
        } else if (all) {
            head_line(out, color, c);
            for (size_t i = 0; i < group->count; i++)
                metric_line(out, color, &group->metrics[i]);
        } else {
            group_line(out, color, group);
        }
    }
    if (more > 0) fprintf(out, "... and %zu more groups: --all shows them\n", more);
}

/* ---- jobs and events ---- */

static void jct_lines(FILE *out, bool color, const struct pt__comparison *c)
{
    const struct pt__jct_samples *jct = &c->jct;
    char text[PT__TEXT_MAX];
    if (!jct->known || isnan(jct->ks.d) || !(jct->ks.d > 0)) return;
    fputc('\n', out);
    label(out, color, "JCT of jobs");
    fprintf(out,
            "seed %" PRIu64 ": within %s, %.1f %% %s jobs are done (Kolmogorov-Smirnov, p %.2g);\n",
            c->new_run->seed, pt__format_duration(text, jct->ks.at), 100 * jct->ks.d,
            jct->ks.sign > 0 ? "fewer" : "more", jct->ks.p);
    fprintf(
        out,
        "%*sa job of new takes longer than one of base with chance %.3f (Mann-Whitney, p %.2g)\n",
        LABEL, "", jct->mann_whitney.superior, jct->mann_whitney.p);
}

static void queue_cell(FILE *out, const struct pt_world_shown *world, uint32_t row, int width)
{
    char cell[128] = "", waited[PT__TEXT_MAX];
    if (row < world->shown) {
        const struct pt_job_shown *job = &world->queue[row];
        snprintf(cell, sizeof cell, "%.24s, %u GPU%s, %.16s, %s", job->id, job->gpus,
                 job->gpus == 1 ? "" : "s", job->tenant,
                 pt__format_duration(waited, job->waited_s));
    } else if (row == world->shown && world->pending > world->shown) {
        snprintf(cell, sizeof cell, "... and %u more", world->pending - world->shown);
    } else if (row == 0) {
        snprintf(cell, sizeof cell, "(nobody waits)");
    }
    fprintf(out, "%-*s", width, cell);
}

static void idle_cell(char *cell, size_t size, const struct pt_world_shown *world)
{
    size_t used = 0;
    cell[0] = '\0';
    for (uint32_t p = 0; p < world->pool_count && used < size; p++)
        used += (size_t)snprintf(cell + used, size - used, "%s%u of %u idle in %.20s",
                                 p > 0 ? ", " : "", world->pools[p].idle, world->pools[p].gpus,
                                 world->pools[p].name);
}

static void worlds(FILE *out, bool color, const struct pt_first_difference *first)
{
    enum { WIDTH = 44 };
    uint32_t rows =
        first->base.shown > first->changed.shown ? first->base.shown : first->changed.shown;
    char base[128], changed[128];
    idle_cell(base, sizeof base, &first->base);
    idle_cell(changed, sizeof changed, &first->changed);
    fprintf(out, "  %s%-*s%s%s\n", pt__style(color, PT__DIM), WIDTH,
            "base: who waits (id, GPUs, tenant, since)", "new: who waits",
            pt__style(color, PT__PLAIN));
    for (uint32_t row = 0; row <= rows; row++) {
        bool more = row < first->base.shown || row < first->changed.shown || row == 0 ||
                    first->base.pending > row || first->changed.pending > row;
        if (!more) break;
        fputs("  ", out);
        queue_cell(out, &first->base, row, WIDTH);
        queue_cell(out, &first->changed, row, 0);
        fputc('\n', out);
    }
    fprintf(out, "  %-*s%s\n", WIDTH, base, changed);
}

static void first_lines(FILE *out, bool color, const struct pt__comparison *c)
{
    const struct pt_first_difference *first = &c->first;
    char text[256], time[PT__TEXT_MAX];
    if (!c->searched) return;
    fputc('\n', out);
    label(out, color, "Parting");
    if (first->sameness == PT_NOT_KNOWN) {
        fprintf(out, "not found: %s\n", first->why);
        return;
    }
    if (first->sameness == PT_SAME) {
        fprintf(out, "no event differs when both are run again\n");
        return;
    }
    fprintf(out, "seed %" PRIu64 ", event %" PRIu64 ", at %.9g s (%s)\n", c->new_run->seed,
            first->events_before + 1, (double)first->time_ns / (double)PT_NS_PER_S,
            pt__format_duration(time, (double)first->time_ns / (double)PT_NS_PER_S));
    pt__event_text(text, sizeof text, &first->base);
    fprintf(out, "  base: %s", text);
    if (!first->base.ended && first->base.event.time_ns != first->time_ns)
        fprintf(out, ", at %.9g s", (double)first->base.event.time_ns / (double)PT_NS_PER_S);
    pt__event_text(text, sizeof text, &first->changed);
    fprintf(out, "\n  new:  %s", text);
    if (!first->changed.ended && first->changed.event.time_ns != first->time_ns)
        fprintf(out, ", at %.9g s", (double)first->changed.event.time_ns / (double)PT_NS_PER_S);
    fputc('\n', out);
    worlds(out, color, first);
}

void pt__compare_text(FILE *out, bool color, const struct pt__comparison *c, bool all)
{
    const struct pt_differences *d = c->differences;
    side_line(out, color, "Base", &c->base, d->base_count, d->base_alone);
    side_line(out, color, "New", &c->changed, d->new_count, d->new_alone);
    how_line(out, color, c);
    digest_line(out, color, c);
    main_metrics(out, color, c, all);
    groups(out, color, c, all);
    jct_lines(out, color, c);
    first_lines(out, color, c);
}
