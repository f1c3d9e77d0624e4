#include "analysis/results/job_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats/groups.h"

/* What the result's own columns say already. */
static bool is_own(enum pt_column_id source)
{
    switch (source) {
    case PT_COL_ID:
    case PT_COL_SUBMIT:
    case PT_COL_TENANT:
    case PT_COL_USER:
    case PT_COL_KIND:
    case PT_COL_PRIORITY:
    case PT_COL_GPUS:
    case PT_COL_SLA:
        return true;
    default:
        return false;
    }
}

static enum pt__cell_type type_of(enum pt_column_type type)
{
    switch (type) {
    case PT_COLUMN_COUNT:
        return PT__I64;
    case PT_COLUMN_BOOL:
        return PT__I8;
    case PT_COLUMN_WORD:
    case PT_COLUMN_TEXT:
        return PT__TEXT;
    default:
        return PT__NUMBER;
    }
}

static void choose(struct pt__job_columns *columns)
{
    static const struct pt__column own[] = {
#define PT__JOB_COLUMN_CELL(id, name, unit, type) {name, unit, PT__##type, 0, 0},
        PT__JOB_COLUMN_MAP(PT__JOB_COLUMN_CELL)
#undef PT__JOB_COLUMN_CELL
    };
    for (int id = 0; id < PT__JOB_OWN_COUNT; id++) {
        columns->cells[columns->count] = own[id];
        columns->columns[columns->count++].id = (enum pt__job_column_id)id;
    }
    for (int c = 0; c < PT_COLUMN_COUNT_; c++) {
        enum pt_column_id source = (enum pt_column_id)c;
        if (columns->input->trace->column[c] == NULL || is_own(source)) continue;
        columns->cells[columns->count] =
            (struct pt__column){.name = source == PT_COL_POOL ? "pool_asked" : pt_columns[c].name,
                                .unit = pt_columns[c].unit,
                                .type = type_of(pt_columns[c].type)};
        columns->columns[columns->count].source = source;
        columns->columns[columns->count++].id = PT__JOB_FROM_TRACE;
    }
}

static enum pt_column_id word_source(const struct pt__job_column *column)
{
    if (column->id == PT__JOB_USER) return PT_COL_USER;
    if (column->id == PT__JOB_KIND) return PT_COL_KIND;
    return column->source;
}

/* How many words a column points at; PT_NONE when its texts are its own. */
static uint32_t word_count(const struct pt__job_columns *columns, const struct pt__job_column *c)
{
    const struct pt_summary_input *input = columns->input;
    switch (c->id) {
    case PT__JOB_TENANT:
        return input->tenant_count;
    case PT__JOB_POOL:
        return input->cluster->pool_count;
    case PT__JOB_NODE:
        return input->cluster->node_count;
    case PT__JOB_STATE:
        return PT_STATE_COUNT;
    case PT__JOB_REASON:
        return PT_REASON_COUNT;
    case PT__JOB_SLA:
        return input->tier_count;
    case PT__JOB_USER:
    case PT__JOB_KIND:
        return input->trace->words[word_source(c)].count;
    case PT__JOB_FROM_TRACE:
        return pt_columns[c->source].type == PT_COLUMN_WORD ? input->trace->words[c->source].count
                                                            : PT_NONE;
    default:
        return PT_NONE;
    }
}

static const char *word_text(const struct pt__job_columns *columns, const struct pt__job_column *c,
                             uint32_t word)
{
    const struct pt_summary_input *input = columns->input;
    bool absent = word == c->word_count;
    switch (c->id) {
    case PT__JOB_TENANT:
        return absent ? "" : input->tenant_names[word];
    case PT__JOB_POOL:
        return absent ? "" : input->cluster->pools[word].name;
    case PT__JOB_NODE:
        return absent ? "" : input->cluster->nodes[word].name;
    case PT__JOB_STATE:
        return absent ? "" : pt_job_state_name((enum pt_job_state)word);
    case PT__JOB_REASON:
        return absent ? "" : pt_reason_text((enum pt_reason)word);
    case PT__JOB_SLA:
        return absent ? "" : input->tiers[word].name;
    default:
        return absent ? pt_columns[word_source(c)].fallback
                      : input->trace->words[word_source(c)].words[word];
    }
}

static uint32_t node_of_job(const struct pt_summary_input *input, pt_job job)
{
    uint32_t pool = pt__pool_of_job(input, job);
    if (pool == PT_NONE) return PT_NONE;
    const struct pt_pool *p = &input->cluster->pools[pool];
    return p->first_node + (input->outcomes->home_gpu[job] - p->first_gpu) / p->gpus_per_node;
}

uint32_t pt__job_word(const struct pt__job_columns *columns, uint32_t column, pt_job job)
{
    const struct pt__job_column *c = &columns->columns[column];
    const struct pt_summary_input *input = columns->input;
    const uint32_t *cells;
    uint32_t word;
    switch (c->id) {
    case PT__JOB_TENANT:
        word = pt__tenant_of_job(input, job);
        break;
    case PT__JOB_POOL:
        word = pt__pool_of_job(input, job);
        break;
    case PT__JOB_NODE:
        word = node_of_job(input, job);
        break;
    case PT__JOB_STATE:
        word = input->outcomes->state[job];
        break;
    case PT__JOB_REASON:
        word = input->outcomes->reason[job];
        break;
    case PT__JOB_SLA:
        word = pt_summary_tier_of_job(input, job);
        break;
    default:
        cells = input->trace->column[word_source(c)];
        word = cells == NULL ? PT_NONE : cells[job];
    }
    return word < c->word_count ? word : c->word_count;
}

const char *pt__job_text(const struct pt__job_columns *columns, uint32_t column, pt_job job,
                         char buffer[PT_ID_BUFFER])
{
    const struct pt__job_column *c = &columns->columns[column];
    const struct pt_trace *trace = columns->input->trace;
    if (c->id == PT__JOB_ID) return pt_trace_id(trace, job, buffer);
    const char *text = pt_trace_word(trace, c->source, job);
    return text == NULL ? "" : text;
}

/* The longest word that a job really has, and all words padded to that. */
static enum pt_status make_words(struct pt__job_columns *columns, uint32_t column,
                                 struct pt_error *error)
{
    struct pt__job_column *c = &columns->columns[column];
    uint32_t *width = &columns->cells[column].width;
    bool *used = calloc((size_t)c->word_count + 1, sizeof(*used));
    if (used == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the job table");
    for (pt_job job = 0; job < columns->input->trace->job_count; job++) {
        used[pt__job_word(columns, column, job)] = true;
    }
    *width = 1;
    uint32_t used_count = 0;
    for (uint32_t word = 0; word <= c->word_count; word++) {
        if (used[word]) c->only = ++used_count == 1 ? word : PT_NONE;
        size_t length = used[word] ? strlen(word_text(columns, c, word)) : 0;
        if (length > *width) *width = length > PT__JOB_TEXT_MAX ? PT_NONE : (uint32_t)length;
    }
    if (*width != PT_NONE) {
        c->padded = calloc((size_t)c->word_count + 1, *width);
        for (uint32_t word = 0; c->padded != NULL && word <= c->word_count; word++) {
            const char *text = used[word] ? word_text(columns, c, word) : "";
            memcpy(c->padded + (size_t)word * *width, text, strlen(text));
        }
    }
    free(used);
    if (*width != PT_NONE && c->padded == NULL) {
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the job table");
    }
    return PT_OK;
}

static void measure_texts(struct pt__job_columns *columns, uint32_t column)
{
    char buffer[PT_ID_BUFFER];
    const struct pt_trace *trace = columns->input->trace;
    size_t longest = 1;
    if (columns->columns[column].id == PT__JOB_ID && trace->column[PT_COL_ID] == NULL) {
        uint32_t last = trace->job_count == 0 ? 0 : trace->job_count - 1;
        for (; last >= 10; last /= 10)
            longest++;
    } else {
        for (pt_job job = 0; job < trace->job_count; job++) {
            size_t length = strlen(pt__job_text(columns, column, job, buffer));
            if (length > longest) longest = length;
        }
    }
    columns->cells[column].width = longest > PT__JOB_TEXT_MAX ? PT_NONE : (uint32_t)longest;
}

/* Takes a column out whose texts are too long, and says so. */
static void leave_out(struct pt__job_columns *columns, uint32_t column)
{
    char *list = columns->left_out;
    size_t used = strlen(list), rest = columns->count - column - 1;
    snprintf(list + used, sizeof(columns->left_out) - used, "%s%s", used > 0 ? " " : "",
             columns->cells[column].name);
    memmove(&columns->cells[column], &columns->cells[column + 1], rest * sizeof(struct pt__column));
    memmove(&columns->columns[column], &columns->columns[column + 1],
            rest * sizeof(struct pt__job_column));
    columns->count--;
}

enum pt_status pt__job_columns_init(struct pt__job_columns *columns,
                                    const struct pt_summary_input *input, struct pt_error *error)
{
    *columns = (struct pt__job_columns){.input = input};
    choose(columns);
    for (uint32_t i = 0; i < columns->count;) {
        struct pt__job_column *c = &columns->columns[i];
        if (columns->cells[i].type == PT__TEXT) {
            c->word_count = word_count(columns, c);
            if (c->word_count == PT_NONE) {
                measure_texts(columns, i);
            } else {
                enum pt_status status = make_words(columns, i, error);
                if (status != PT_OK) {
                    pt__job_columns_fini(columns);
                    return status;
                }
            }
        }
        if (columns->cells[i].width == PT_NONE) {
            leave_out(columns, i);
        } else {
            i++;
        }
    }
    return PT_OK;
}

void pt__job_columns_fini(struct pt__job_columns *columns)
{
    for (uint32_t i = 0; i < columns->count; i++)
        free(columns->columns[i].padded);
    columns->count = 0;
}
