/* The list of every key, for the manual. */
#include <string.h>

#include "sim/experiment/describe.h"
#include "sim/experiment/scalar.h"

#define PATH_MAX_LENGTH 160

struct listing {
    FILE *stream;
    enum pt_describe_format format;
    const struct pt_schema *told; /* the last value with a short form: its keys come once */
};

static void type_text(char *out, size_t size, const struct pt_row *row)
{
    const struct pt_param *param = &row->param;
    size_t used;
    switch (row->shape) {
    case PT_SHAPE_MAP:
        snprintf(out, size, "map");
        return;
    case PT_SHAPE_NAMED:
        snprintf(out, size, "map by name");
        return;
    case PT_SHAPE_PAIRS:
        snprintf(out, size, "list of [%s, %s]", row->child->rows[0].param.name,
                 row->child->rows[1].param.name);
        return;
    case PT_SHAPE_LIST:
    case PT_SHAPE_JOBS:
        snprintf(out, size, "list");
        return;
    case PT_SHAPE_SCALAR:
        break;
    }
    used = (size_t)snprintf(out, size, "%s", pt_scalar_type_text(param->type));
    for (size_t i = 0; param->type == PT_PARAM_CHOICE && param->choices[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : ": ",
                                 param->choices[i]);
    const char *min = param->min, *max = param->max;
    if (param->type == PT_PARAM_TEXT || param->type == PT_PARAM_WORDS || used >= size) return;
    if (min && max && strcmp(min, max) != 0)
        snprintf(out + used, size - used, ", %s to %s", min, max);
    else if (min || max)
        snprintf(out + used, size - used, ", %s%s",
                 !max   ? "at least "
                 : !min ? "at most "
                        : "",
                 min ? min : max);
}

static void default_text(char *out, size_t size, const struct pt_row *row)
{
    const char *fallback = row->param.fallback;
    if (row->flags & PT_ROW_SHORT)
        snprintf(out, size, "short form");
    else if (row->flags & PT_ROW_OPTIONAL)
        snprintf(out, size, "optional");
    else if (!fallback)
        snprintf(out, size, "required");
    else if (!fallback[0] && row->shape != PT_SHAPE_SCALAR)
        snprintf(out, size, "empty");
    else if (!fallback[0])
        snprintf(out, size, row->param.type == PT_PARAM_TEXT ? "\"\"" : "optional");
    else
        snprintf(out, size, "%s", fallback);
}

static void put_roff(FILE *stream, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stream);
    for (; *text; text++) {
        if (*text == '\\' || *text == '-') fputc('\\', stream);
        fputc(*text == '\\' ? 'e' : *text, stream);
    }
}

static void list_row(struct listing *listing, const char *path, const struct pt_row *row)
{
    char type[256], fallback[64];
    FILE *stream = listing->stream;
    type_text(type, sizeof type, row);
    default_text(fallback, sizeof fallback, row);
    if (listing->format == PT_DESCRIBE_MARKDOWN) {
        fprintf(stream, "| `%s` | %s | %s | %s |\n", path, type, fallback, row->param.help);
        return;
    }
    fputs(".TP\n\\fB", stream);
    put_roff(stream, path);
    fputs("\\fR (", stream);
    put_roff(stream, type);
    fputs("; ", stream);
    put_roff(stream, fallback);
    fputs(")\n", stream);
    put_roff(stream, row->param.help);
    fputc('\n', stream);
}

static void list_map(struct listing *listing, const char *prefix, const struct pt_schema *schema);

/* A row and what is inside it. */
static void list_all(struct listing *listing, const char *prefix, const struct pt_row *row)
{
    char path[PATH_MAX_LENGTH], inner[PATH_MAX_LENGTH];
    snprintf(path, sizeof path, "%s%s", prefix, row->param.name);
    list_row(listing, path, row);
    if (!row->child || row->child == listing->told) return;
    if (row->child->scalar_first) listing->told = row->child;
    const char *step = row->shape == PT_SHAPE_LIST || row->shape == PT_SHAPE_PAIRS ? "[]."
                       : row->shape == PT_SHAPE_NAMED                              ? ".NAME."
                                                                                   : ".";
    if (snprintf(inner, sizeof inner, "%s%s", path, step) < (int)sizeof inner)
        list_map(listing, inner, row->child);
}

static void list_map(struct listing *listing, const char *prefix, const struct pt_schema *schema)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        list_all(listing, prefix, row);
    for (size_t i = 0; schema->pick && schema->pick->name(i); i++) {
        const struct pt_param *params = schema->pick->params(i);
        for (const struct pt_param *param = params; param && param->name; param++) {
            char path[PATH_MAX_LENGTH];
            const struct pt_row row = {.param = *param};
            snprintf(path, sizeof path, "%s%s (%s)", prefix, param->name, schema->pick->name(i));
            list_row(listing, path, &row);
        }
    }
}

void pt_describe_keys(FILE *stream, const struct pt_schema *schema, enum pt_describe_format format)
{
    struct listing listing = {stream, format, NULL};
    if (format == PT_DESCRIBE_MARKDOWN)
        fputs("| key | value | default | meaning |\n|---|---|---|---|\n", stream);
    list_map(&listing, "", schema);
}
