#include "sim/cli/seeds_summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/headline.h"
#include "sim/cli/terminal.h"
#include "sim/replicate/directory.h"

enum { LABEL = 14, NAME = 26, CELL = 12 };

/* ---- in words ---- */

static void cell(FILE *out, const struct pt_spread_row *row, double value)
{
    char text[PT__TEXT_MAX];
    fprintf(out, "%*s", CELL, pt__format_metric(text, row->name, row->unit, value));
}

/* Returns whether the metric has a line. */
static bool metric_line(FILE *out, const struct pt__replicas *replicas, const char *name)
{
    for (size_t i = 0; i < replicas->row_count; i++) {
        const struct pt_spread_row *row = &replicas->rows[i];
        if (strcmp(row->name, name) != 0) continue;
        if (row->count == 0 || (row->is_count && !(row->max > 0))) return false;
        fprintf(out, "%-*s", NAME, row->name);
        cell(out, row, row->mean);
        cell(out, row, row->sd);
        cell(out, row, row->min);
        cell(out, row, row->max);
        if (row->count < replicas->whole) fprintf(out, "  of %zu runs", row->count);
        fputc('\n', out);
        return true;
    }
    return false;
}

static void metric_lines(FILE *out, bool color, const struct pt__replicas *replicas)
{
    fprintf(out, "\n%s%-*s%*s%*s%*s%*s%s\n", pt__style(color, PT__DIM), NAME, "", CELL, "mean",
            CELL, "sd", CELL, "min", CELL, "max", pt__style(color, PT__PLAIN));
    size_t lines = 0;
    for (const char *const *name = pt_headline_metrics; *name; name++)
        lines += metric_line(out, replicas, *name);
    if (lines < replicas->row_count)
        fprintf(out, "... and %zu more: --json has all\n", replicas->row_count - lines);
}

static void label(FILE *out, bool color, const char *text)
{
    fprintf(out, "%s%-*s%s", pt__style(color, PT__BOLD), LABEL, text, pt__style(color, PT__PLAIN));
}

void pt__seeds_text(FILE *out, bool color, const struct pt__replicas *replicas)
{
    const struct pt_seeds *seeds = replicas->seeds;
    size_t first = 0, last = seeds->count;
    if (replicas->whole > 0) metric_lines(out, color, replicas);
    fputc('\n', out);
    label(out, color, "Runs");
    fprintf(out, "%zu of %zu done\n", replicas->whole, seeds->count);
    while (first < last && !(replicas->list[first].ended && !replicas->list[first].error))
        first++;
    while (last > first && !(replicas->list[last - 1].ended && !replicas->list[last - 1].error))
        last--;
    if (first == last) return;
    char *from = pt_seed_path(replicas->directory, seeds->list[first]);
    char *to = pt_seed_path(replicas->directory, seeds->list[last - 1]);
    label(out, color, "Results");
    fprintf(out, "%s%s%s\n", from ? from : replicas->directory,
            replicas->whole > 2    ? " ... "
            : replicas->whole == 2 ? ", "
                                   : "",
            replicas->whole > 1 && to ? to : "");
    free(from);
    free(to);
}

/* ---- as JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *metrics(const struct pt__replicas *replicas)
{
    json_t *all = json_object();
    for (size_t i = 0; i < replicas->row_count; i++) {
        const struct pt_spread_row *row = &replicas->rows[i];
        json_object_set_new(all, row->name,
                            json_pack("{s:I, s:o, s:o, s:o, s:o}", "count", (json_int_t)row->count,
                                      "mean", number(row->mean), "sd", number(row->sd), "min",
                                      number(row->min), "max", number(row->max)));
    }
    return all;
}

/* The summary of a run, with why it is none or one of a part. */
static json_t *of_run(struct pt__replica *replica, uint64_t seed)
{
    json_t *json = replica->json;
    replica->json = NULL;
    const char *status = replica->ended ? pt_status_text(replica->status) : "not begun";
    if (!json) json = json_pack("{s:I, s:s}", "seed", (json_int_t)seed, "status", status);
    if (replica->error) json_object_set_new(json, "error", json_string(replica->error->message));
    return json;
}

json_t *pt__seeds_json(struct pt__replicas *replicas)
{
    const struct pt_seeds *seeds = replicas->seeds;
    json_t *root = json_object(), *runs = json_array();
    json_object_set_new(root, "partita", json_string(PARTITA_VERSION));
    json_object_set_new(root, "directory", json_string(replicas->directory));
    json_object_set_new(root, "seeds", json_integer((json_int_t)seeds->count));
    json_object_set_new(root, "done", json_integer((json_int_t)replicas->whole));
    json_object_set_new(root, "metrics", metrics(replicas));
    for (size_t i = 0; i < seeds->count; i++)
        json_array_append_new(runs, of_run(&replicas->list[i], seeds->list[i]));
    json_object_set_new(root, "runs", runs);
    json_object_set_new(root, "host", json_pack("{s:f}", "wall_s", replicas->wall_s));
    return root;
}
