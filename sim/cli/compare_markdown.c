/* A comparison as Markdown, fit for a comment on a pull request. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/cli/compare_parts.h"
#include "sim/cli/headline.h"

/* Text of the user's in a cell: what Markdown or HTML would take for its own is escaped. */
static void escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>|#~&", *text)) fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

static void gates(FILE *out, const struct pt__comparison *c)
{
    static const char *const verdicts[] = {"passed", "**failed**", "**can't be judged**"};
    char text[256];
    if (c->gates.count == 0) return;
    fprintf(out, "\n| gate | | |\n|---|---|---|\n");
    for (size_t i = 0; i < c->gates.count; i++) {
        const struct pt_gate *gate = &c->gates.list[i];
        pt_judgement_text(text, sizeof text, &gate->condition, &gate->judgement);
        fputs("| ", out);
        escaped(out, gate->name);
        fprintf(out, " | %s | ", verdicts[gate->judgement.verdict]);
        escaped(out, text);
        fputs(" |\n", out);
    }
}

static void row(FILE *out, const struct pt_group_differences *group,
                const struct pt_metric_difference *metric, bool intervals)
{
    const struct pt_metric_info *info = metric->metric;
    const struct pt_difference *d = &metric->difference;
    char base[PT__TEXT_MAX], changed[PT__TEXT_MAX], change[PT__CHANGE_MAX], low[PT__CHANGE_MAX],
        high[PT__CHANGE_MAX];
    const char *word = pt__change_word(metric);
    fprintf(out, "| %s", info->name);
    if (group->dimension[0]) {
        fprintf(out, ", %s ", group->dimension);
        escaped(out, group->label);
    }
    fprintf(out, " | %s | %s | %s |", pt__format_metric(base, info->name, info->unit, d->base_mean),
            pt__format_metric(changed, info->name, info->unit, d->new_mean),
            pt__format_change(change, metric, d->difference));
    if (intervals)
        fprintf(out, " %s to %s |", pt__format_change(low, metric, d->low),
                pt__format_change(high, metric, d->high));
    fprintf(out, " %s |\n",
            word                                ? word
            : metric->change == PT_CHANGE_EQUAL ? "the same"
                                                : "not sure");
}

static void metrics(FILE *out, const struct pt__comparison *c)
{
    const struct pt_differences *d = c->differences;
    bool intervals = d->base_count > 1 && d->new_count > 1;
    fprintf(out, "\n| | base | new | change |%s |\n|---|---:|---:|---:|%s---|\n",
            intervals ? " interval |" : "", intervals ? "---:|" : "");
    for (size_t g = 0; g < d->group_count; g++)
        for (const char *const *name = pt_headline_metrics; *name; name++) {
            const struct pt_metric_difference *metric = pt__difference_of(&d->groups[g], *name);
            if (!metric || !pt__worth_showing(metric)) continue;
            /* of all jobs whatever may differ, of groups what does */
            if (g == 0 ? metric->change != PT_CHANGE_EQUAL : pt__change_word(metric) != NULL)
                row(out, &d->groups[g], metric, intervals);
        }
}

static void first(FILE *out, const struct pt__comparison *c)
{
    char text[256];
    if (!c->searched || c->first.sameness != PT_DIFFERS) return;
    fprintf(out, "\nFirst decision that differs: seed %" PRIu64 ", at %.9g s.\n\n- base: ",
            c->new_run->seed, (double)c->first.time_ns / (double)PT_NS_PER_S);
    pt__event_text(text, sizeof text, &c->first.base);
    escaped(out, text);
    fputs("\n- new: ", out);
    pt__event_text(text, sizeof text, &c->first.changed);
    escaped(out, text);
    fputc('\n', out);
}

void pt__compare_markdown(FILE *out, const struct pt__comparison *c)
{
    const struct pt_differences *d = c->differences;
    size_t failed = pt_gates_failed(&c->gates);
    fprintf(out, "### Scheduling: ");
    if (failed > 0)
        fprintf(out, "%zu of %zu gates fail\n\n", failed, c->gates.count);
    else
        fprintf(out, "%s\n\n", c->gates.count > 0 ? "all gates pass" : "new against base");
    fprintf(out, "Base `%s`, new `%s`; ", c->base.path, c->changed.path);
    if (d->base_count > 1 || d->new_count > 1)
        fprintf(out, "%zu %s, intervals at %.4g %%.\n", d->new_count,
                d->paired ? "seeds, pair by pair" : "runs", 100 * d->level);
    else
        fprintf(out, "one run each.\n");
    gates(out, c);
    metrics(out, c);
    first(out, c);
}
