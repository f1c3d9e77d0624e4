/* Closing a trace: the stable sort, unique ids, and `after` turned into lists of successors. */
#include "partita/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/cells.h"
#include "sim/core/words.h"

enum { CIRCLE_SHOWN = 6 }; /* ids that the message about a circle names */

static enum pt_status out_of_memory(struct pt_error *error)
{
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for the trace");
}

static bool is_sorted(const int64_t *key, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (key[i] < key[i - 1]) return false;
    return true;
}

/* Merges order[low, middle) and order[middle, high) into out; equal keys keep their order. */
static void merge(uint32_t *out, const uint32_t *order, const int64_t *key, uint32_t low,
                  uint32_t middle, uint32_t high)
{
    uint32_t left = low, right = middle;
    for (uint32_t i = low; i < high; i++) {
        bool take_left = left < middle && (right == high || key[order[left]] <= key[order[right]]);
        out[i] = order[take_left ? left++ : right++];
    }
}

/* Rows in the order of their keys, stable. Bottom-up merge sort: O(n log n), two arrays. */
static uint32_t *sorted_order(const int64_t *key, uint32_t count)
{
    uint32_t *order = malloc(count * sizeof *order), *spare = malloc(count * sizeof *spare);
    if (order == NULL || spare == NULL) {
        free(order);
        free(spare);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t low = 0; low < count; low += 2 * width) {
            uint64_t middle = low + width < count ? low + width : count;
            uint64_t high = middle + width < count ? middle + width : count;
            merge(spare, order, key, (uint32_t)low, (uint32_t)middle, (uint32_t)high);
        }
        uint32_t *swap = order;
        order = spare;
        spare = swap;
    }
    free(spare);
    return order;
}

static enum pt_status reorder(void **cells, size_t size, const uint32_t *order, uint32_t count,
                              struct pt_error *error)
{
    char *moved = malloc(count * size);
    if (moved == NULL) return out_of_memory(error);
    const char *old = *cells;
    for (uint32_t i = 0; i < count; i++)
        memcpy(moved + i * size, old + order[i] * size, size);
    free(*cells);
    *cells = moved;
    return PT_OK;
}

/* Sorts by submit time, or only gives back the memory that no row needs. */
static enum pt_status sort_rows(struct pt_trace *trace, struct pt_error *error)
{
    uint32_t count = trace->job_count;
    const int64_t *submit_ns = pt_trace_submit_ns(trace);
    trace->was_sorted = is_sorted(submit_ns, count);
    if (!trace->was_sorted) {
        trace->origin = sorted_order(submit_ns, count);
        if (trace->origin == NULL) return out_of_memory(error);
    }
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
        if (trace->column[c] == NULL) continue;
        if (!trace->was_sorted) {
            PT_TRY(reorder(&trace->column[c], pt__cell_size((enum pt_column_id)c), trace->origin,
                           count, error));
        } else if (count > 0) {
            void *cells = realloc(trace->column[c], count * pt__cell_size((enum pt_column_id)c));
            if (cells != NULL) trace->column[c] = cells;
        }
    }
    trace->capacity = trace->filled = count;
    return PT_OK;
}

/* A job in the hash. The hash's other half is kept: texts are only compared when it agrees. */
struct id_slot {
    uint32_t tag, job_plus_1; /* 0 = empty */
};

/* Finds jobs by id: a hash of the ids that are texts, and the row numbers of the others. */
struct id_table {
    const struct pt_trace *trace;
    struct id_slot *slots; /* NULL when no job has an id of its own */
    uint32_t slot_count;
    uint32_t *job_of_row; /* NULL when rows came sorted */
};

static pt_job row_of(const struct pt_trace *trace, pt_job job)
{
    return trace->origin == NULL ? job : trace->origin[job];
}

static void id_table_fini(struct id_table *table)
{
    free(table->slots);
    free(table->job_of_row);
}

static enum pt_status id_table_init(struct id_table *table, const struct pt_trace *trace,
                                    struct pt_error *error)
{
    *table = (struct id_table){.trace = trace};
    if (trace->column[PT_COL_ID] != NULL) {
        uint64_t slot_count = 16;
        while (slot_count < 2 * (uint64_t)trace->job_count && slot_count < UINT64_C(1) << 31)
            slot_count *= 2;
        table->slot_count = (uint32_t)slot_count;
        table->slots = calloc(table->slot_count, sizeof *table->slots);
        if (table->slots == NULL) return out_of_memory(error);
    }
    if (trace->origin != NULL) {
        table->job_of_row = malloc(trace->job_count * sizeof *table->job_of_row);
        if (table->job_of_row == NULL) return out_of_memory(error);
        for (pt_job job = 0; job < trace->job_count; job++)
            table->job_of_row[trace->origin[job]] = job;
    }
    return PT_OK;
}

/* The slot of an id, or the empty one where it belongs, tagged. */
static struct id_slot *find_slot(const struct id_table *table, const char *text, size_t length)
{
    const uint32_t *ids = table->trace->column[PT_COL_ID];
    uint64_t hash = pt__hash_text(text, length);
    uint32_t mask = table->slot_count - 1, tag = (uint32_t)(hash >> 32);
    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        struct id_slot *slot = &table->slots[i];
        if (slot->job_plus_1 == 0) {
            slot->tag = tag;
            return slot;
        }
        if (slot->tag != tag) continue;
        const char *id = table->trace->texts + ids[slot->job_plus_1 - 1];
        if (strncmp(id, text, length) == 0 && id[length] == '\0') return slot;
    }
}

/* The job whose default id, its row number, is written so; PT_NONE = there is none. */
static pt_job find_row_number(const struct id_table *table, const char *text, size_t length)
{
    if (length == 0 || length > 10 || (length > 1 && text[0] == '0')) return PT_NONE;
    uint64_t row = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return PT_NONE;
        row = row * 10 + (unsigned)(text[i] - '0');
    }
    if (row >= table->trace->job_count) return PT_NONE;
    pt_job job = table->job_of_row == NULL ? (pt_job)row : table->job_of_row[row];
    return pt_trace_word(table->trace, PT_COL_ID, job) == NULL ? job : PT_NONE;
}

static pt_job find_id(const struct id_table *table, const char *text, size_t length)
{
    if (table->slots != NULL) {
        const struct id_slot *slot = find_slot(table, text, length);
        if (slot->job_plus_1 != 0) return slot->job_plus_1 - 1;
    }
    return find_row_number(table, text, length);
}

PT_PRINTF(5, 6)
static enum pt_status fail_job(struct pt_error *error, pt_job *bad_row,
                               const struct pt_trace *trace, pt_job job, const char *format, ...)
{
    *bad_row = row_of(trace, job);
    va_list arguments;
    va_start(arguments, format);
    pt_vfail_at(error, PT_ERR_INPUT, NULL, pt_trace_line(trace, *bad_row), 0, format, arguments);
    va_end(arguments);
    return PT_ERR_INPUT;
}

/* Two jobs of one id: blames the later row. */
static enum pt_status fail_duplicate(struct pt_error *error, pt_job *bad_row,
                                     const struct pt_trace *trace, pt_job a, pt_job b,
                                     const char *id)
{
    bool a_first = row_of(trace, a) < row_of(trace, b);
    pt_job first = a_first ? a : b, second = a_first ? b : a;
    uint32_t line = pt_trace_line(trace, row_of(trace, first));
    if (line != 0)
        return fail_job(error, bad_row, trace, second, "id is not unique: '%s' (also in line %u)",
                        id, line);
    return fail_job(error, bad_row, trace, second, "id is not unique: '%s' (also job %u)", id,
                    row_of(trace, first));
}

/* Fills the hash; an id may clash with another text or with the row number of an unnamed job. */
static enum pt_status take_ids(struct id_table *table, pt_job *bad_row, struct pt_error *error)
{
    const struct pt_trace *trace = table->trace;
    if (table->slots == NULL) return PT_OK;
    for (pt_job job = 0; job < trace->job_count; job++) {
        const char *id = pt_trace_word(trace, PT_COL_ID, job);
        if (id == NULL) continue;
        size_t length = strlen(id);
        struct id_slot *slot = find_slot(table, id, length);
        pt_job other =
            slot->job_plus_1 != 0 ? slot->job_plus_1 - 1 : find_row_number(table, id, length);
        if (other != PT_NONE) return fail_duplicate(error, bad_row, trace, other, job, id);
        slot->job_plus_1 = job + 1;
    }
    return PT_OK;
}

/* Marks in `drop` the later one of every two rows of one id, and tells `bad` of it. */
static uint32_t find_duplicates(uint8_t *drop, struct id_table *table, const char *file,
                                void (*bad)(void *ctx, const struct pt_error *error), void *ctx)
{
    const struct pt_trace *trace = table->trace;
    uint32_t count = 0;
    for (pt_job row = 0; row < trace->job_count; row++) {
        const char *id = pt_trace_word(trace, PT_COL_ID, row);
        if (id == NULL || drop[row]) continue;
        size_t length = strlen(id);
        struct id_slot *slot = find_slot(table, id, length);
        pt_job other =
            slot->job_plus_1 != 0 ? slot->job_plus_1 - 1 : find_row_number(table, id, length);
        if (other == PT_NONE || drop[other] || other > row) slot->job_plus_1 = row + 1;
        if (other == PT_NONE || drop[other]) continue;
        struct pt_error why = {.status = PT_OK};
        pt_job later = PT_NONE;
        (void)fail_duplicate(&why, &later, trace, other, row, id);
        snprintf(why.file, sizeof why.file, "%s", file == NULL ? "" : file);
        if (bad != NULL) bad(ctx, &why);
        drop[later] = 1;
        count++;
    }
    return count;
}

/* Moves the rows that stay together, with their lines; those named by their number get it as text.
 */
static enum pt_status close_ranks(struct pt_trace *trace, const uint8_t *drop,
                                  struct pt_error *error)
{
    struct pt_trace_place *places = trace->places;
    struct pt_trace before = {.places = places, .place_count = trace->place_count};
    enum pt_status status = PT_OK;
    pt_job kept = 0;
    trace->places = NULL;
    trace->place_count = trace->place_capacity = 0;
    for (pt_job row = 0; row < trace->job_count && status == PT_OK; row++) {
        if (drop[row]) continue;
        for (unsigned c = 0; c < PT_COLUMN_COUNT_ && kept != row; c++) {
            size_t size = pt__cell_size((enum pt_column_id)c);
            char *cells = trace->column[c];
            if (cells != NULL) memcpy(cells + kept * size, cells + row * size, size);
        }
        uint32_t line = pt_trace_line(&before, row);
        if (line != 0) status = pt_trace_mark_line(trace, kept, line, error);
        if (status == PT_OK && kept != row && pt_trace_word(trace, PT_COL_ID, kept) == NULL) {
            char text[PT_ID_BUFFER];
            int length = snprintf(text, sizeof text, "%u", row);
            status = pt_trace_set(trace, kept, PT_COL_ID, text, (size_t)length, error);
        }
        kept++;
    }
    trace->job_count = trace->filled = kept;
    free(places);
    return status;
}

enum pt_status pt_trace_drop_duplicates(struct pt_trace *trace, const char *file, uint32_t *dropped,
                                        void (*bad)(void *ctx, const struct pt_error *error),
                                        void *ctx, struct pt_error *error)
{
    *dropped = 0;
    if (trace->column[PT_COL_ID] == NULL || trace->job_count == 0) return PT_OK;
    struct id_table table;
    uint8_t *drop = calloc(trace->job_count, 1);
    enum pt_status status = id_table_init(&table, trace, error);
    if (status == PT_OK && drop == NULL) status = out_of_memory(error);
    if (status == PT_OK) *dropped = find_duplicates(drop, &table, file, bad, ctx);
    id_table_fini(&table);
    if (*dropped > 0) status = close_ranks(trace, drop, error);
    free(drop);
    return status;
}

/* `after` as lists of predecessors, one list behind the other in order of the jobs. */
struct edges {
    uint32_t *predecessor;
    uint32_t *last_user; /* of each job, the last one that named it, + 1: finds repeats */
    uint32_t count, capacity;
};

static enum pt_status add_edge(struct edges *edges, pt_job job, pt_job predecessor,
                               struct pt_error *error)
{
    if (edges->last_user[predecessor] == job + 1) return PT_OK;
    edges->last_user[predecessor] = job + 1;
    if (edges->count == edges->capacity) {
        if (edges->capacity > UINT32_MAX / 2)
            return pt_fail(error, PT_ERR_INPUT, "after names more than %u ids", edges->capacity);
        uint32_t capacity = edges->capacity == 0 ? 64 : 2 * edges->capacity;
        uint32_t *grown = realloc(edges->predecessor, capacity * sizeof *grown);
        if (grown == NULL) return out_of_memory(error);
        edges->predecessor = grown;
        edges->capacity = capacity;
    }
    edges->predecessor[edges->count++] = predecessor;
    return PT_OK;
}

/* Resolves the ids of one `after`. */
static enum pt_status take_after(struct edges *edges, const struct id_table *table, pt_job job,
                                 const char *after, pt_job *bad_row, struct pt_error *error)
{
    for (const char *p = after;; p++) {
        const char *end = strchr(p, '|');
        size_t length = end == NULL ? strlen(p) : (size_t)(end - p);
        if (length == 0)
            return fail_job(error, bad_row, table->trace, job, "after holds an empty id: '%.80s'",
                            after);
        pt_job predecessor = find_id(table, p, length);
        if (predecessor == PT_NONE)
            return fail_job(error, bad_row, table->trace, job,
                            "after names '%.*s', and there is no such job",
                            (int)(length < 80 ? length : 80), p);
        PT_TRY(add_edge(edges, job, predecessor, error));
        if (end == NULL) return PT_OK;
        p = end;
    }
}

/* The lists of successors from the lists of predecessors: a counting sort. */
static enum pt_status turn_around(struct pt_trace *trace, const struct edges *edges,
                                  struct pt_error *error)
{
    uint32_t count = trace->job_count;
    uint32_t *first = calloc((size_t)count + 2, sizeof *first);
    uint32_t *successor = malloc((edges->count + 1) * sizeof *successor);
    trace->successor_first = first;
    trace->successor = successor;
    if (first == NULL || successor == NULL) return out_of_memory(error);
    for (uint32_t e = 0; e < edges->count; e++)
        first[edges->predecessor[e] + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        first[i] += first[i - 1];
    pt_job job = 0;
    uint32_t left = trace->predecessor_count[0];
    for (uint32_t e = 0; e < edges->count; e++, left--) {
        while (left == 0)
            left = trace->predecessor_count[++job];
        successor[first[edges->predecessor[e] + 1]++] = job;
    }
    return PT_OK;
}

/* The circle that a walk along `next` from `start` ends on, at most CIRCLE_SHOWN jobs of it;
 * returns its true length. */
static uint32_t find_circle(pt_job ring[CIRCLE_SHOWN], const uint32_t *next, uint32_t count,
                            pt_job start)
{
    pt_job job = start;
    for (uint32_t step = 0; step < count; step++) /* after so many steps it is on the circle */
        job = next[job];
    pt_job first = job;
    uint32_t length = 0;
    do {
        if (length < CIRCLE_SHOWN) ring[length] = job;
        length++;
        job = next[job];
    } while (job != first);
    return length;
}

static enum pt_status fail_circle(struct pt_error *error, pt_job *bad_row,
                                  const struct pt_trace *trace, const pt_job ring[CIRCLE_SHOWN],
                                  uint32_t length)
{
    char names[PT_ERROR_MESSAGE_MAX / 2] = "", buffer[PT_ID_BUFFER];
    size_t used = 0;
    uint32_t shown = length < CIRCLE_SHOWN ? length : CIRCLE_SHOWN;
    for (uint32_t i = 0; i < shown && used < sizeof names; i++) {
        int written = snprintf(names + used, sizeof names - used, "'%.40s' after ",
                               pt_trace_id(trace, ring[i], buffer));
        used += written > 0 ? (size_t)written : 0;
    }
    return fail_job(error, bad_row, trace, ring[0], "after goes in a circle: %s%s'%.40s'", names,
                    shown < length ? "... after " : "", pt_trace_id(trace, ring[0], buffer));
}

/* Every job left over by a topological sort has another one of them among its predecessors: going
 * back along those must meet a circle. `left` counts the unmet predecessors of each job. */
static enum pt_status name_circle(const struct pt_trace *trace, const struct edges *edges,
                                  const uint32_t *left, pt_job *bad_row, struct pt_error *error)
{
    uint32_t count = trace->job_count;
    uint32_t *next = calloc(count, sizeof *next);
    if (next == NULL) return out_of_memory(error);
    pt_job job = 0, start = 0;
    uint32_t of_job = trace->predecessor_count[0];
    for (uint32_t e = 0; e < edges->count; e++, of_job--) {
        while (of_job == 0)
            of_job = trace->predecessor_count[++job];
        if (left[job] == 0 || left[edges->predecessor[e]] == 0) continue;
        next[job] = edges->predecessor[e];
        start = job;
    }
    pt_job ring[CIRCLE_SHOWN] = {0};
    uint32_t length = find_circle(ring, next, count, start);
    free(next);
    return fail_circle(error, bad_row, trace, ring, length);
}

/* A topological sort (Kahn 1962) that only counts. */
static enum pt_status refuse_circles(const struct pt_trace *trace, const struct edges *edges,
                                     pt_job *bad_row, struct pt_error *error)
{
    enum pt_status status = PT_OK;
    uint32_t count = trace->job_count, head = 0, tail = 0;
    uint32_t *left = malloc((count + 1) * sizeof *left),
             *queue = malloc((count + 1) * sizeof *queue);
    if (left == NULL || queue == NULL) {
        status = out_of_memory(error);
        goto out;
    }
    memcpy(left, trace->predecessor_count, count * sizeof *left);
    for (pt_job job = 0; job < count; job++)
        if (left[job] == 0) queue[tail++] = job;
    while (head < tail) {
        pt_job job = queue[head++];
        for (uint32_t e = trace->successor_first[job]; e < trace->successor_first[job + 1]; e++)
            if (--left[trace->successor[e]] == 0) queue[tail++] = trace->successor[e];
    }
    if (tail < count) status = name_circle(trace, edges, left, bad_row, error);
out:
    free(queue);
    free(left);
    return status;
}

static enum pt_status resolve_after(struct pt_trace *trace, const struct id_table *table,
                                    pt_job *bad_row, struct pt_error *error)
{
    if (trace->column[PT_COL_AFTER] == NULL) return PT_OK;
    enum pt_status status = PT_OK;
    struct edges edges = {0};
    edges.last_user = calloc((size_t)trace->job_count + 1, sizeof *edges.last_user);
    trace->predecessor_count = calloc((size_t)trace->job_count + 1, sizeof(uint32_t));
    if (edges.last_user == NULL || trace->predecessor_count == NULL) {
        status = out_of_memory(error);
        goto out;
    }
    for (pt_job job = 0; job < trace->job_count; job++) {
        const char *after = pt_trace_word(trace, PT_COL_AFTER, job);
        if (after == NULL) continue;
        uint32_t before = edges.count;
        status = take_after(&edges, table, job, after, bad_row, error);
        if (status != PT_OK) goto out;
        trace->predecessor_count[job] = edges.count - before;
    }
    status = turn_around(trace, &edges, error);
    if (status == PT_OK) status = refuse_circles(trace, &edges, bad_row, error);
out:
    free(edges.last_user);
    free(edges.predecessor);
    return status;
}

enum pt_status pt_trace_finish(struct pt_trace *trace, pt_job *bad_row, struct pt_error *error)
{
    *bad_row = PT_NONE;
    if (trace->job_count == 0) {
        trace->was_sorted = true;
        return PT_OK;
    }
    PT_TRY(sort_rows(trace, error));
    if (trace->column[PT_COL_ID] == NULL && trace->column[PT_COL_AFTER] == NULL) return PT_OK;
    struct id_table table;
    enum pt_status status = id_table_init(&table, trace, error);
    if (status == PT_OK) status = take_ids(&table, bad_row, error);
    if (status == PT_OK) status = resolve_after(trace, &table, bad_row, error);
    id_table_fini(&table);
    return status;
}
