#include "partita/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/cells.h"
#include "sim/core/words.h"

enum {
    FIRST_CAPACITY = 64,
    FILL_ROWS = 4096, /* defaults are written so many rows at a time: touched memory stays small */
    SHOWN_MAX = 40    /* bytes of a wrong cell that a message shows */
};

const struct pt_column_info pt_columns[PT_COLUMN_COUNT_] = {
#define PT_COLUMN_ROW(id, name, type, unit, fallback, help)                                        \
    {name, PT_COLUMN_##type, unit, fallback, help},
    PT_COLUMN_MAP(PT_COLUMN_ROW)
#undef PT_COLUMN_ROW
};

enum pt_column_id pt_column_find(const char *name, size_t length)
{
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        if (strlen(pt_columns[c].name) == length && memcmp(pt_columns[c].name, name, length) == 0)
            return (enum pt_column_id)c;
    return PT_COLUMN_COUNT_;
}

/* Defaults of numbers in the table are one digit, which test_trace checks. */
static uint32_t default_u32(enum pt_column_id column)
{
    const char *fallback = pt_columns[column].fallback;
    if (fallback == NULL || fallback[0] < '0' || fallback[0] > '9') return PT_NONE;
    return (uint32_t)(fallback[0] - '0');
}

static uint8_t default_bool(enum pt_column_id column)
{
    return pt_columns[column].fallback[0] == 't' ? 1 : PT_BOOL_ABSENT;
}

static void fill_defaults(struct pt_trace *trace, enum pt_column_id column, uint32_t first,
                          uint32_t end)
{
    void *cells = trace->column[column];
    uint32_t number = default_u32(column);
    switch (pt_columns[column].type) {
    case PT_COLUMN_TIME:
        for (uint32_t row = first; row < end; row++)
            ((int64_t *)cells)[row] = PT_TIME_ABSENT;
        break;
    case PT_COLUMN_BOOL:
        memset((uint8_t *)cells + first, default_bool(column), end - first);
        break;
    default:
        for (uint32_t row = first; row < end; row++)
            ((uint32_t *)cells)[row] = number;
    }
}

static enum pt_status out_of_memory(struct pt_error *error)
{
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for the trace");
}

/* Gives the column memory, with the default in the rows that are there already. */
static enum pt_status make_column(struct pt_trace *trace, enum pt_column_id column,
                                  struct pt_error *error)
{
    if (trace->column[column] != NULL) return PT_OK;
    trace->column[column] = malloc(trace->capacity * pt__cell_size(column));
    if (trace->column[column] == NULL) return out_of_memory(error);
    fill_defaults(trace, column, 0, trace->filled);
    return PT_OK;
}

static enum pt_status enlarge(struct pt_trace *trace, struct pt_error *error)
{
    uint32_t capacity = trace->capacity == 0            ? FIRST_CAPACITY
                        : trace->capacity > PT_NONE / 2 ? PT_NONE - 1
                                                        : 2 * trace->capacity;
    if (trace->capacity == PT_NONE - 1)
        return pt_fail(error, PT_ERR_INPUT, "more than %u jobs", PT_NONE - 1);
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
        if (trace->column[c] == NULL) continue;
        void *cells = realloc(trace->column[c], capacity * pt__cell_size((enum pt_column_id)c));
        if (cells == NULL) return out_of_memory(error);
        trace->column[c] = cells;
    }
    trace->capacity = capacity;
    return PT_OK;
}

void pt_trace_init(struct pt_trace *trace)
{
    *trace = (struct pt_trace){0};
}

void pt_trace_fini(struct pt_trace *trace)
{
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
        free(trace->column[c]);
        pt__words_fini(&trace->words[c]);
    }
    free(trace->texts);
    free(trace->successor_first);
    free(trace->successor);
    free(trace->predecessor_count);
    free(trace->origin);
    free(trace->places);
    *trace = (struct pt_trace){0};
}

enum pt_status pt_trace_grow(struct pt_trace *trace, struct pt_error *error)
{
    if (trace->filled == trace->capacity) PT_TRY(enlarge(trace, error));
    PT_TRY(make_column(trace, PT_COL_SUBMIT, error));
    PT_TRY(make_column(trace, PT_COL_WORK, error));
    uint32_t room = trace->capacity - trace->filled;
    uint32_t end = trace->filled + (room < FILL_ROWS ? room : FILL_ROWS);
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        if (trace->column[c] != NULL)
            fill_defaults(trace, (enum pt_column_id)c, trace->filled, end);
    trace->filled = end;
    return PT_OK;
}

void pt_trace_drop_last(struct pt_trace *trace)
{
    uint32_t row = --trace->job_count;
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        if (trace->column[c] != NULL) fill_defaults(trace, (enum pt_column_id)c, row, row + 1);
}

enum pt_status pt_trace_mark_line(struct pt_trace *trace, pt_job row, uint32_t line,
                                  struct pt_error *error)
{
    if (pt_trace_line(trace, row) == line) return PT_OK;
    if (trace->place_count > 0 && trace->places[trace->place_count - 1].row >= row)
        trace->place_count--; /* that row was dropped */
    if (trace->place_count == trace->place_capacity) {
        uint32_t capacity = trace->place_capacity == 0 ? 4 : 2 * trace->place_capacity;
        struct pt_trace_place *places = realloc(trace->places, capacity * sizeof *places);
        if (places == NULL) return out_of_memory(error);
        trace->places = places;
        trace->place_capacity = capacity;
    }
    trace->places[trace->place_count++] = (struct pt_trace_place){row, line};
    return PT_OK;
}

uint32_t pt_trace_line(const struct pt_trace *trace, pt_job row)
{
    uint32_t low = 0, high = trace->place_count;
    if (high > 0 && trace->places[high - 1].row <= row) low = high - 1; /* the usual question */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->places[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : trace->places[low - 1].line + (row - trace->places[low - 1].row);
}

/* "NAME is negative: '-1'". */
static enum pt_status fail_cell(struct pt_error *error, enum pt_column_id column, const char *what,
                                const char *text, size_t length)
{
    char shown[SHOWN_MAX + 1];
    size_t kept = length < SHOWN_MAX ? length : SHOWN_MAX;
    for (size_t i = 0; i < kept; i++)
        shown[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    /* Never half a UTF-8 character. */
    if (kept < length)
        while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
            kept--;
    shown[kept] = '\0';
    return pt_fail(error, PT_ERR_INPUT, "%s %s: '%s%s'", pt_columns[column].name, what, shown,
                   kept < length ? "..." : "");
}

enum pt_status pt_trace_set_time(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                                 int64_t ns, struct pt_error *error)
{
    if (row >= trace->job_count || column >= PT_COLUMN_COUNT_ ||
        pt_columns[column].type != PT_COLUMN_TIME)
        return pt_fail(error, PT_ERR_ARGUMENT, "no such time cell");
    if (ns < 0 && ns != PT_TIME_ABSENT)
        return pt_fail(error, PT_ERR_INPUT, "%s is negative", pt_columns[column].name);
    if (ns == 0 && column == PT_COL_ESTIMATE) /* unknown is for ever, and never nothing */
        return pt_fail(error, PT_ERR_INPUT,
                       "estimate_s is 0: leave it empty where nobody has estimated");
    if (ns == PT_NEVER && column != PT_COL_CHECKPOINT)
        return pt_fail(error, PT_ERR_INPUT, "%s is longer than 292 years", pt_columns[column].name);
    if (trace->column[column] == NULL) {
        if (ns == PT_TIME_ABSENT) return PT_OK;
        PT_TRY(make_column(trace, column, error));
    }
    ((int64_t *)trace->column[column])[row] = ns;
    return PT_OK;
}

/* The least that a count may be: a job without GPUs there is, one of no process, or on no node,
 * not. */
static uint32_t least_count(enum pt_column_id column)
{
    return column == PT_COL_PROCESSES || column == PT_COL_NODES_MAX ? 1 : 0;
}

static bool in_range_u32(enum pt_column_id column, uint32_t value)
{
    enum pt_column_type type = pt_columns[column].type;
    if (value == PT_NONE) return true;
    if (type == PT_COLUMN_COUNT) return value >= least_count(column);
    if (type == PT_COLUMN_FRACTION) return value >= 1 && value <= PT_PPM_ONE;
    if (type == PT_COLUMN_UNIT) return value <= PT_PPM_ONE;
    return true;
}

static enum pt_status put_u32(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                              uint32_t value, struct pt_error *error)
{
    if (trace->column[column] == NULL) {
        if (value == default_u32(column)) return PT_OK;
        PT_TRY(make_column(trace, column, error));
    }
    ((uint32_t *)trace->column[column])[row] = value;
    return PT_OK;
}

static enum pt_status put_bool(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                               uint8_t value, struct pt_error *error)
{
    if (trace->column[column] == NULL) {
        if (value == default_bool(column)) return PT_OK;
        PT_TRY(make_column(trace, column, error));
    }
    ((uint8_t *)trace->column[column])[row] = value;
    return PT_OK;
}

enum pt_status pt_trace_set_u32(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                                uint32_t value, struct pt_error *error)
{
    if (row >= trace->job_count || column >= PT_COLUMN_COUNT_)
        return pt_fail(error, PT_ERR_ARGUMENT, "no such cell");
    enum pt_column_type type = pt_columns[column].type;
    switch (type) {
    case PT_COLUMN_BOOL:
        if (value > PT_BOOL_ABSENT) break;
        return put_bool(trace, row, column, (uint8_t)value, error);
    case PT_COLUMN_WORD:
        if (value != PT_NONE && value >= trace->words[column].count) break;
        return put_u32(trace, row, column, value, error);
    case PT_COLUMN_TIME:
    case PT_COLUMN_TEXT:
        return pt_fail(error, PT_ERR_ARGUMENT, "%s holds no 32-bit number",
                       pt_columns[column].name);
    default:
        if (!in_range_u32(column, value)) break;
        return put_u32(trace, row, column, value, error);
    }
    return pt_fail(error, PT_ERR_INPUT, "%s is out of range: %u", pt_columns[column].name, value);
}

/* Length of the UTF-8 character at text, 0 if it is none (overlong forms, surrogates, above
 * U+10FFFF, cut off). */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

/* NULL, or what is wrong with a text that results and terminals will have to show. */
static const char *text_fault(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == 0x7f) return "holds a control character";
        size_t step = c < 0x80 ? 1 : utf8_length((const unsigned char *)text + i, length - i);
        if (step == 0) return "is not UTF-8";
        i += step;
    }
    return NULL;
}

static bool text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static enum pt_status set_word(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                               const char *text, size_t length, struct pt_error *error)
{
    const char *fault = text_fault(text, length);
    if (fault != NULL) return fail_cell(error, column, fault, text, length);
    if (text_is(text, length, pt_columns[column].fallback))
        return put_u32(trace, row, column, PT_NONE, error);
    if (column == PT_COL_KIND && !text_is(text, length, "batch") &&
        !text_is(text, length, "interactive") && !text_is(text, length, "inference"))
        return fail_cell(error, column, "is none of training, batch, interactive, inference", text,
                         length);
    uint32_t word = PT_NONE;
    PT_TRY(pt__words_add(&trace->words[column], &word, text, length, error));
    return put_u32(trace, row, column, word, error);
}

/* True if text is the row number itself, as pt_trace_id would write it. */
static bool is_row_number(const char *text, size_t length, pt_job row)
{
    for (size_t i = length; i-- > 0; row /= 10)
        if (text[i] != (char)('0' + row % 10)) return false;
    return row == 0 && (length == 1 || text[0] != '0');
}

static enum pt_status set_text(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                               const char *text, size_t length, struct pt_error *error)
{
    const char *fault = text_fault(text, length);
    if (fault == NULL && column == PT_COL_ID && memchr(text, '|', length) != NULL)
        fault = "holds '|', which stands between ids";
    if (fault != NULL) return fail_cell(error, column, fault, text, length);
    if (column == PT_COL_ID && is_row_number(text, length, row))
        return put_u32(trace, row, column, PT_NONE, error);
    if (length >= PT_NONE - 1 - trace->texts_length)
        return pt_fail(error, PT_ERR_INPUT, "the ids of the trace need more than 4 GB");
    size_t needed = trace->texts_length + length + 1;
    if (needed > trace->texts_capacity) {
        size_t capacity =
            2 * trace->texts_capacity > needed ? 2 * trace->texts_capacity : needed + FILL_ROWS;
        char *texts = realloc(trace->texts, capacity);
        if (texts == NULL) return out_of_memory(error);
        trace->texts = texts;
        trace->texts_capacity = capacity;
    }
    PT_TRY(put_u32(trace, row, column, (uint32_t)trace->texts_length, error));
    memcpy(trace->texts + trace->texts_length, text, length);
    trace->texts[needed - 1] = '\0';
    trace->texts_length = needed;
    return PT_OK;
}

static enum pt_status set_time_text(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                                    const char *text, size_t length, struct pt_error *error)
{
    struct pt_error detail = {0};
    int64_t ns = PT_NEVER;
    if (!(column == PT_COL_CHECKPOINT && text_is(text, length, "inf")) &&
        pt_parse_seconds(&ns, text, length, &detail) != PT_OK)
        return fail_cell(error, column, detail.message, text, length);
    return pt_trace_set_time(trace, row, column, ns, error);
}

static enum pt_status set_number_text(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                                      const char *text, size_t length, struct pt_error *error)
{
    struct pt_error detail = {0};
    enum pt_status status = PT_OK;
    uint32_t value = PT_NONE;
    int64_t count = 0;
    switch (pt_columns[column].type) {
    case PT_COLUMN_FRACTION:
        status = pt_parse_fraction_ppm(&value, text, length, &detail);
        break;
    case PT_COLUMN_UNIT:
        status = pt_parse_unit_ppm(&value, text, length, &detail);
        break;
    case PT_COLUMN_GIB:
        status = pt_parse_gib(&value, text, length, &detail);
        break;
    case PT_COLUMN_MILLI:
        status = pt_parse_milli(&value, text, length, &detail);
        break;
    default:
        status = pt_parse_int(&count, text, length, least_count(column), PT_NONE - 1, &detail);
        value = (uint32_t)count;
    }
    if (status != PT_OK) return fail_cell(error, column, detail.message, text, length);
    return pt_trace_set_u32(trace, row, column, value, error);
}

static enum pt_status set_bool_text(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                                    const char *text, size_t length, struct pt_error *error)
{
    bool yes = text_is(text, length, "true");
    if (!yes && !text_is(text, length, "false"))
        return fail_cell(error, column, "is neither true nor false", text, length);
    return put_bool(trace, row, column, yes, error);
}

enum pt_status pt_trace_set(struct pt_trace *trace, pt_job row, enum pt_column_id column,
                            const char *text, size_t length, struct pt_error *error)
{
    if (row >= trace->job_count || column >= PT_COLUMN_COUNT_)
        return pt_fail(error, PT_ERR_ARGUMENT, "no such cell");
    if (length == 0) {
        if (trace->column[column] != NULL) fill_defaults(trace, column, row, row + 1);
        return PT_OK;
    }
    switch (pt_columns[column].type) {
    case PT_COLUMN_TIME:
        return set_time_text(trace, row, column, text, length, error);
    case PT_COLUMN_WORD:
        return set_word(trace, row, column, text, length, error);
    case PT_COLUMN_TEXT:
        return set_text(trace, row, column, text, length, error);
    case PT_COLUMN_BOOL:
        return set_bool_text(trace, row, column, text, length, error);
    default:
        return set_number_text(trace, row, column, text, length, error);
    }
}

enum pt_status pt_trace_check_row(const struct pt_trace *trace, pt_job row,
                                  enum pt_column_id *column, struct pt_error *error)
{
    int64_t submit_ns = pt_trace_submit_ns(trace)[row], work_ns = pt_trace_work_ns(trace)[row];
    *column = PT_COL_SUBMIT;
    if (submit_ns == PT_TIME_ABSENT) return pt_fail(error, PT_ERR_INPUT, "submit_s is missing");
    *column = PT_COL_WORK;
    if (work_ns == PT_TIME_ABSENT) return pt_fail(error, PT_ERR_INPUT, "work_s is missing");
    if (work_ns > PT_TIME_MAX - submit_ns)
        return pt_fail(error, PT_ERR_INPUT, "submit_s + work_s is longer than 292 years");
    return PT_OK;
}

int64_t pt_trace_time(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    const int64_t *cells = trace->column[column];
    return cells == NULL ? PT_TIME_ABSENT : cells[job];
}

uint32_t pt_trace_u32(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    const uint32_t *cells = trace->column[column];
    return cells == NULL ? default_u32(column) : cells[job];
}

uint8_t pt_trace_bool(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    const uint8_t *cells = trace->column[column];
    return cells == NULL ? default_bool(column) : cells[job];
}

const char *pt_trace_word(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    uint32_t word = pt_trace_u32(trace, column, job);
    if (word == PT_NONE) {
        const char *fallback = pt_columns[column].fallback;
        return fallback[0] == '\0' ? NULL : fallback;
    }
    if (pt_columns[column].type == PT_COLUMN_TEXT) return trace->texts + word;
    return trace->words[column].words[word];
}

const char *pt_trace_id(const struct pt_trace *trace, pt_job job, char buffer[PT_ID_BUFFER])
{
    const char *text = pt_trace_word(trace, PT_COL_ID, job);
    if (text != NULL) return text;
    snprintf(buffer, PT_ID_BUFFER, "%u", trace->origin == NULL ? job : trace->origin[job]);
    return buffer;
}

pt_job pt_trace_find(const struct pt_trace *trace, const char *id)
{
    char buffer[PT_ID_BUFFER];
    for (pt_job job = 0; job < trace->job_count; job++)
        if (strcmp(pt_trace_id(trace, job, buffer), id) == 0) return job;
    return PT_NONE;
}
