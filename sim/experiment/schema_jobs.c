/* Jobs in the file: rows of a native trace. */
#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/scalar.h"
#include "sim/experiment/schema_parts.h"

static void unknown_column(struct pt__checker *checker, const struct pt_yaml_node *cell)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, cell->key, strlen(cell->key));
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        pt_suggest_offer(&near, pt_columns[i].name);
    if (near.best)
        PT__SAY(checker, cell->key_place, "unknown key '%.64s' (did you mean '%s'?)", cell->key,
                near.best);
    else
        PT__SAY(checker, cell->key_place,
                "unknown key '%.64s': no column of a trace (one of your own begins with x_)",
                cell->key);
}

/* Tries the cell in the scratch row, so that what is wrong is said with everything else. */
static bool try_cell(struct pt__checker *checker, enum pt_column_id column,
                     const struct pt_yaml_node *cell)
{
    struct pt_error error;
    enum pt_status status =
        pt_trace_set(&checker->scratch, 0, column, cell->text, cell->length, &error);
    if (status == PT_ERR_MEMORY) checker->no_memory = true;
    if (status == PT_ERR_INPUT) PT__SAY(checker, cell->place, "%s", error.message);
    return status == PT_OK;
}

static struct pt_yaml_node *check_cell(struct pt__checker *checker, const struct pt_yaml_node *raw)
{
    enum pt_column_id column = pt_column_find(raw->key, strlen(raw->key));
    if (column == PT_COLUMN_COUNT_ && strncmp(raw->key, "x_", 2) != 0) {
        unknown_column(checker, raw);
        return NULL;
    }
    if (raw->kind != PT_YAML_SCALAR) {
        PT__SAY(checker, raw->place, "'%.64s' must be a single value, not %s", raw->key,
                pt__schema_kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *cell = pt__schema_twin(checker, PT_YAML_SCALAR, raw);
    if (!cell) return NULL;
    bool empty = pt_yaml_is_nothing(raw); /* as an empty field of a CSV file: the default */
    cell->text = empty ? "" : raw->text;
    cell->length = empty ? 0 : raw->length;
    bool is_text = column == PT_COLUMN_COUNT_ || pt_columns[column].type == PT_COLUMN_WORD ||
                   pt_columns[column].type == PT_COLUMN_TEXT;
    cell->quoted = is_text && pt_scalar_needs_quotes(cell->text, cell->length);
    return column == PT_COLUMN_COUNT_ || try_cell(checker, column, cell) ? cell : NULL;
}

/* What only the whole row tells, once its cells are fine. */
static void try_row(struct pt__checker *checker, const struct pt_yaml_node *job)
{
    struct pt_error error;
    enum pt_column_id column = PT_COLUMN_COUNT_;
    if (pt_trace_check_row(&checker->scratch, 0, &column, &error) == PT_OK) return;
    const char *name = column < PT_COLUMN_COUNT_ ? pt_columns[column].name : "";
    const struct pt_yaml_node *cell = pt_yaml_get(job, name);
    PT__SAY(checker, cell ? cell->place : job->place, "%s", error.message);
}

static struct pt_yaml_node *check_job(struct pt__checker *checker, const struct pt_yaml_node *job)
{
    struct pt_error error;
    pt_job row;
    if (job->kind != PT_YAML_MAP) {
        PT__SAY(checker, job->place, "a job must be a map (id: a, submit_s: 0, ...), not %s",
                pt__schema_kind_text(job));
        return NULL;
    }
    struct pt_yaml_node *normal = pt__schema_twin(checker, PT_YAML_MAP, job);
    if (!normal || pt_trace_add(&checker->scratch, &row, &error) != PT_OK) {
        checker->no_memory = true;
        return NULL;
    }
    normal->on_one_line = true;
    for (struct pt_yaml_node *child = job->first; child; child = child->next) {
        struct pt_yaml_node *cell = check_cell(checker, child);
        if (cell) pt_yaml_append(normal, cell);
    }
    if (normal->count == job->count) try_row(checker, job);
    pt_trace_drop_last(&checker->scratch);
    return normal;
}

struct pt_yaml_node *pt__schema_check_jobs(struct pt__checker *checker, const struct pt_row *row,
                                           struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = pt__schema_twin(checker, PT_YAML_LIST, raw);
    if (!list || !pt__schema_count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *job = raw->first; job; job = job->next) {
        struct pt_yaml_node *normal = check_job(checker, job);
        if (normal) pt_yaml_append(list, normal);
    }
    return list;
}
