#include "sim/cli/measured.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/cli/measured_parts.h"

enum { COLUMNS_MAX = 16 };

const char *const pt__format_words[] = {"gavel", "miso", "parvagpu", NULL};

/* A column; `needed` is false for those that may be missing. */
struct column {
    const char *name;
    bool needed;
};

/* A header that is known. */
struct layout {
    enum pt__format format;
    struct column columns[COLUMNS_MAX]; /* in the order of the enums, the first NULL ends them */
    const char *ignored;                /* columns that the format has and nobody needs */
};

static const struct layout layouts[] = {
    {PT__FORMAT_GAVEL,
     {{"job_a", true},
      {"job_b", true},
      {"solo_a", true},
      {"solo_b", true},
      {"co_a", true},
      {"co_b", true},
      {"slowdown_a", false},
      {"slowdown_b", false},
      {"gpu", false},
      {"fits", false},
      {"scale_a", false},
      {"scale_b", false}},
     " "},
    {PT__FORMAT_GAVEL,
     {{"job_a", true},
      {"job_b", true},
      {"solo_a", false},
      {"solo_b", false},
      {"co_a", false},
      {"co_b", false},
      {"slowdown_a", true},
      {"slowdown_b", true},
      {"gpu", false},
      {"fits", false},
      {"scale_a", false},
      {"scale_b", false}},
     " "},
    {PT__FORMAT_MISO,
     {{"model", true}, {"slice", true}, {"batch", true}, {"median_s", true}, {NULL, false}},
     " n_iter mean_s p95_s "},
    {PT__FORMAT_PARVAGPU,
     {{"model", true},
      {"mig_g", true},
      {"batch", true},
      {"throughput_per_proc", true},
      {"nproc", true}},
     " latency_s "},
    {PT__FORMAT_PARVAGPU, /* one model a file, as its authors publish it */
     {{"model", false},
      {"Mig instance", true},
      {"Batch size", true},
      {"Throughput", true},
      {"Workload Number", true}},
     " Latency "},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static const char *const needed_texts[] = {"job_a,job_b,solo_a,solo_b,co_a,co_b",
                                           "slice,model,batch,median_s",
                                           "model,mig_g,batch,nproc,throughput_per_proc"};

/* ---- what all formats need ---- */

enum pt_status pt__names_number(uint32_t *number, struct pt__names *names, const char *word,
                                struct pt_error *error)
{
    if (names->count > 0 && strcmp(names->list[names->last], word) == 0) {
        *number = names->last;
        return PT_OK;
    }
    for (*number = 0; *number < names->count; ++*number)
        if (strcmp(names->list[*number], word) == 0) {
            names->last = *number;
            return PT_OK;
        }
    if (names->count == names->capacity) {
        uint32_t capacity = 2 * names->capacity + 16;
        char **grown = realloc((void *)names->list, capacity * sizeof *grown);
        if (!grown) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        names->list = grown;
        names->capacity = capacity;
    }
    size_t size = strlen(word) + 1;
    char *copy = malloc(size);
    if (!copy) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    memcpy(copy, word, size);
    names->list[names->count] = copy;
    names->last = names->count++;
    return PT_OK;
}

void pt__names_fini(struct pt__names *names)
{
    for (uint32_t k = 0; k < names->count; k++)
        free(names->list[k]);
    free((void *)names->list);
    *names = (struct pt__names){0};
}

static int by_place(const void *a, const void *b)
{
    const struct pt__observation *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    if (x->c != y->c) return x->c < y->c ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

void pt__observations_merge(struct pt__observation *list, uint32_t *count)
{
    uint32_t kept = 0;
    if (*count > 0) qsort(list, *count, sizeof *list, by_place);
    for (uint32_t k = 0; k < *count; k++) {
        struct pt__observation *last = kept > 0 ? &list[kept - 1] : NULL;
        if (last && last->a == list[k].a && last->b == list[k].b && last->c == list[k].c) {
            last->value += list[k].value;
            last->count++;
        } else {
            list[kept] = list[k];
            list[kept++].count = 1;
        }
    }
    for (uint32_t k = 0; k < kept; k++)
        list[k].value /= list[k].count;
    *count = kept;
}

static bool is_word(const char *text, size_t length, const char *word, size_t word_length)
{
    return length == word_length && memcmp(text, word, length) == 0;
}

bool pt__excluded(struct pt__reading *reading, const char *name, const char *model,
                  size_t model_length, const char *batch, size_t batch_length)
{
    const struct pt__measured_request *request = reading->request;
    bool excluded = false;
    for (size_t k = 0; k < request->exclude_count; k++) {
        const char *given = request->exclude[k], *colon = strrchr(given, ':');
        size_t length = colon ? (size_t)(colon - given) : 0;
        bool hit = strcmp(given, name) == 0 || is_word(given, strlen(given), model, model_length);
        hit |= colon && is_word(given, length, model, model_length) &&
               is_word(colon + 1, strlen(colon + 1), batch, batch_length);
        reading->exclude_used[k] |= hit;
        excluded |= hit;
    }
    return excluded;
}

void pt__leave_out(struct pt__measured_problem *problem, const char *reason)
{
    uint32_t k = 0;
    while (k < problem->left_out_count && strcmp(problem->left_out[k].text, reason) != 0)
        k++;
    if (k == PT__REASONS_MAX) return;
    if (k == problem->left_out_count)
        problem->left_out[problem->left_out_count++] = (struct pt__reason){reason, 0};
    problem->left_out[k].rows++;
}

void pt__note(struct pt__measured *measured, const char *format, ...)
{
    if (measured->note_count == PT__NOTES_MAX) return;
    va_list arguments;
    va_start(arguments, format);
    char *note = measured->notes[measured->note_count++];
    vsnprintf(note, sizeof measured->notes[0], format, arguments);
    va_end(arguments);
}

/* What lives as long as the measurements. */
struct owner {
    struct pt_csv_table *table;
    struct pt__names texts;
};

const char *pt__measured_text(struct pt__measured *measured, const char *text)
{
    struct owner *owner = measured->owner;
    struct pt_error error;
    uint32_t number;
    if (pt__names_number(&number, &owner->texts, text, &error) != PT_OK) return NULL;
    return owner->texts.list[number];
}

enum pt_status pt__problem_add(struct pt__measured_problem **problem, struct pt_fit_point **points,
                               struct pt__reading *reading, uint32_t point_capacity,
                               struct pt_error *error)
{
    struct pt__measured *measured = reading->measured;
    if (measured->problem_count == PT__PROBLEMS_MAX)
        return pt_fail_at(error, PT_ERR_INPUT, reading->table->file, 0, 0,
                          "holds measurements of more than %d GPUs", PT__PROBLEMS_MAX);
    struct pt__measured_problem *made = &measured->problems[measured->problem_count++];
    *points = calloc((size_t)point_capacity + 1, sizeof **points);
    made->fit.points = *points;
    made->rows = calloc((size_t)point_capacity + 1, sizeof *made->rows);
    made->gpu = "";
    *problem = made;
    if (!*points || !made->rows) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    return PT_OK;
}

void pt__measured_free(struct pt__measured *measured)
{
    if (!measured) return;
    struct owner *owner = measured->owner;
    for (uint32_t k = 0; k < measured->problem_count; k++) {
        struct pt__measured_problem *problem = &measured->problems[k];
        for (uint32_t i = 0; problem->names && i < problem->fit.job_count; i++)
            free(problem->names[i]);
        free((void *)problem->names);
        free((void *)problem->fit.points);
        free(problem->rows);
    }
    if (owner) {
        pt_csv_table_free(owner->table);
        pt__names_fini(&owner->texts);
    }
    free(owner);
    free(measured);
}

/* ---- which format ---- */

/* How many needed columns are missing; the first of them in *missing, all places in columns[]. */
static uint32_t match(uint32_t *columns, const char **missing, const struct layout *layout,
                      const struct pt_csv_table *table)
{
    uint32_t lacking = 0;
    *missing = NULL;
    for (uint32_t k = 0; k < COLUMNS_MAX; k++) {
        const struct column *column = &layout->columns[k];
        columns[k] = column->name ? pt_csv_table_column(table, column->name) : PT_NONE;
        if (!column->needed || columns[k] != PT_NONE) continue;
        if (lacking++ == 0) *missing = column->name;
    }
    return lacking;
}

static enum pt_status unknown_header(const struct layout *nearest, uint32_t lacking,
                                     const char *missing, const struct pt_csv_table *table,
                                     bool asked, struct pt_error *error)
{
    struct pt_suggestion suggestion;
    char hint[160] = "";
    uint32_t needed = 0, column = 1;
    pt_suggest_begin(&suggestion, missing, strlen(missing));
    for (uint32_t k = 0; k < COLUMNS_MAX; k++)
        needed += nearest->columns[k].needed;
    for (uint32_t k = 0; k < table->column_count; k++)
        pt_suggest_offer(&suggestion, table->header[k].text);
    if (!asked && lacking == needed)
        return pt_fail_at(error, PT_ERR_INPUT, table->file, table->header[0].line, 1,
                          "is no file of measurements that is known: gavel has the columns %s, "
                          "miso %s, parvagpu %s",
                          needed_texts[0], needed_texts[1], needed_texts[2]);
    for (uint32_t k = 0; suggestion.best && k < table->column_count; k++)
        if (strcmp(table->header[k].text, suggestion.best) == 0) {
            column = table->header[k].column;
            snprintf(hint, sizeof hint, " (is '%.64s' meant to be it?)", suggestion.best);
        }
    return pt_fail_at(error, PT_ERR_INPUT, table->file, table->header[0].line, column,
                      "the header lacks the column '%s' of format %s%s", missing,
                      pt__format_words[nearest->format], hint);
}

static enum pt_status detect(const struct layout **layout, uint32_t *columns,
                             const struct pt_csv_table *table, int wanted, struct pt_error *error)
{
    const char *missing = NULL, *best_missing = "";
    uint32_t best_lacking = UINT32_MAX;
    const struct layout *nearest = NULL;
    for (size_t k = 0; k < LAYOUTS; k++) {
        if (wanted >= 0 && (int)layouts[k].format != wanted) continue;
        uint32_t lacking = match(columns, &missing, &layouts[k], table);
        if (lacking == 0) {
            *layout = &layouts[k];
            return PT_OK;
        }
        if (lacking >= best_lacking) continue;
        best_lacking = lacking;
        best_missing = missing;
        nearest = &layouts[k];
    }
    return unknown_header(nearest, best_lacking, best_missing, table, wanted >= 0, error);
}

static void note_ignored(struct pt__measured *measured, const struct layout *layout,
                         const uint32_t *columns, const struct pt_csv_table *table)
{
    char list[160] = "";
    for (uint32_t c = 0; c < table->column_count; c++) {
        char word[80];
        bool used = false;
        for (uint32_t k = 0; k < COLUMNS_MAX; k++)
            used |= columns[k] == c;
        snprintf(word, sizeof word, " %.60s ", table->header[c].text);
        if (used || strstr(layout->ignored, word)) continue;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%.60s", length ? ", " : "",
                 table->header[c].text);
    }
    if (list[0]) pt__note(measured, "columns not used: %s", list);
}

/* ---- */

static enum pt_status check_exclusions(const struct pt__reading *reading, struct pt_error *error)
{
    for (size_t k = 0; k < reading->request->exclude_count; k++)
        if (!reading->exclude_used[k])
            return pt_fail(error, PT_ERR_INPUT,
                           "--exclude: no row of %.128s has the model, or the job, '%.128s'",
                           reading->table->file, reading->request->exclude[k]);
    return PT_OK;
}

static enum pt_status check_points(const struct pt__measured *measured,
                                   const struct pt_csv_table *table, struct pt_error *error)
{
    for (uint32_t k = 0; k < measured->problem_count; k++)
        if (measured->problems[k].fit.point_count > 0) return PT_OK;
    char reasons[320] = "";
    for (uint32_t k = 0; k < measured->problem_count; k++) {
        const struct pt__measured_problem *problem = &measured->problems[k];
        for (uint32_t i = 0; i < problem->left_out_count; i++) {
            size_t length = strlen(reasons);
            snprintf(reasons + length, sizeof reasons - length, "%s%u %s", length ? ", " : ": ",
                     problem->left_out[i].rows, problem->left_out[i].text);
        }
        if (problem->left_out_count > 0) break;
    }
    return pt_fail_at(error, PT_ERR_INPUT, table->file, 0, 0,
                      "no points to fit are left of %u row%s%s", table->row_count,
                      table->row_count == 1 ? "" : "s", reasons);
}

static enum pt_status read_into(struct pt__measured *measured,
                                const struct pt__measured_request *request,
                                struct pt__reading *reading, struct pt_error *error)
{
    struct owner *owner = measured->owner;
    uint32_t columns[COLUMNS_MAX];
    const struct layout *layout = NULL;
    PT_TRY(request->bytes ? pt_csv_table_read_memory(&owner->table, request->path, request->bytes,
                                                     request->length, error)
                          : pt_csv_table_read(&owner->table, request->path, error));
    PT_TRY(detect(&layout, columns, owner->table, request->format, error));
    measured->format = layout->format;
    measured->row_count = owner->table->row_count;
    note_ignored(measured, layout, columns, owner->table);
    reading->table = owner->table;
    reading->columns = columns;
    PT_TRY(layout->format == PT__FORMAT_GAVEL ? pt__measured_pairs(reading, error)
                                              : pt__measured_slices(reading, error));
    PT_TRY(check_exclusions(reading, error));
    return check_points(measured, owner->table, error);
}

enum pt_status pt__measured_read(struct pt__measured **measured,
                                 const struct pt__measured_request *request, struct pt_error *error)
{
    struct pt__measured *made = calloc(1, sizeof *made);
    struct pt__reading reading = {.request = request, .measured = made};
    enum pt_status status = PT_OK;
    *measured = NULL;
    reading.exclude_used = calloc(request->exclude_count + 1, sizeof *reading.exclude_used);
    if (made) made->owner = calloc(1, sizeof(struct owner));
    if (!made || !made->owner || !reading.exclude_used)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) status = read_into(made, request, &reading, error);
    free(reading.exclude_used);
    if (status == PT_OK)
        *measured = made;
    else
        pt__measured_free(made);
    return status;
}
