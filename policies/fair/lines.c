#include "policies/fair/lines.h"

#include <stdlib.h>

#include "policies/fair/intern.h"

enum { IN_LINE = 1, GONE = 2 }; /* flags of a job: it is in its line's heap; it waits no more */

static bool alloc_words(uint32_t **words, size_t count)
{
    *words = malloc((count + 1) * sizeof **words);
    return *words != NULL;
}

static enum pt_status no_memory(struct pt_error *error)
{
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for the queues of tenants and users");
}

/* ---- building ---- */

static bool alloc_all(struct pt_lines *lines, uint32_t job_count)
{
    size_t n = lines->line_count, leaves = lines->leaf_count, classes = lines->class_count;
    lines->line = calloc(n + 1, sizeof *lines->line);
    lines->flags = calloc((size_t)job_count + 1, 1);
    lines->class_state = calloc(classes + 1, 1);
    lines->class_waiting = calloc(classes + 1, sizeof *lines->class_waiting);
    lines->leaf_size = calloc(leaves + 1, sizeof *lines->leaf_size);
    return lines->line != NULL && lines->flags != NULL && lines->class_state != NULL &&
           lines->class_waiting != NULL && lines->leaf_size != NULL &&
           alloc_words(&lines->job, job_count) && alloc_words(&lines->leaf_first, leaves) &&
           alloc_words(&lines->leaf_line, n) && alloc_words(&lines->leaf_slot, leaves) &&
           alloc_words(&lines->active, leaves) && alloc_words(&lines->class_parked, classes) &&
           alloc_words(&lines->unfit, classes);
}

static void lay_out(struct pt_lines *lines, const struct pt_intern *table, uint32_t job_count)
{
    for (uint32_t i = 0; i < lines->line_count; i++)
        lines->line[i] = (struct pt_line){.leaf = table->triple[i].a,
                                          .class_id = table->triple[i].b,
                                          .slot = PT_NONE,
                                          .next = PT_NONE};
    for (pt_job job = 0; job < job_count; job++)
        lines->line[lines->line_of[job]].count++;
    for (uint32_t i = 0, next = 0; i < lines->line_count; i++) {
        struct pt_line *line = &lines->line[i];
        line->first = next;
        next += line->count;
        line->count = 0;
        lines->leaf_size[line->leaf]++;
    }
    for (uint32_t leaf = 0, next = 0; leaf < lines->leaf_count; leaf++) {
        lines->leaf_first[leaf] = next;
        next += lines->leaf_size[leaf];
        lines->leaf_size[leaf] = 0;
        lines->leaf_slot[leaf] = PT_NONE;
    }
    for (uint32_t c = 0; c < lines->class_count; c++)
        lines->class_parked[c] = PT_NONE;
    lines->passed = PT_NONE;
}

enum pt_status pt__lines_init(struct pt_lines *lines, const struct pt_ctx *ctx, uint32_t leaf_count,
                              struct pt_line_of (*ask)(void *state, const struct pt_ctx *ctx,
                                                       pt_job job),
                              void *state, struct pt_error *error)
{
    struct pt_intern table = {0};
    uint32_t job_count = pt_view_trace(ctx)->job_count;
    bool ok = alloc_words(&lines->line_of, job_count);
    for (pt_job job = 0; ok && job < job_count; job++) {
        struct pt_line_of of = ask(state, ctx, job);
        struct pt_triple triple = {of.leaf, pt_view_class_of(ctx, job), of.rank};
        ok = pt__intern(&lines->line_of[job], &table, triple);
    }
    lines->line_count = table.count;
    lines->leaf_count = leaf_count;
    lines->class_count = pt_view_class_count(ctx);
    ok = ok && alloc_all(lines, job_count);
    if (ok) lay_out(lines, &table, job_count);
    pt__intern_fini(&table);
    return ok ? PT_OK : no_memory(error);
}

void pt__lines_fini(struct pt_lines *lines)
{
    free(lines->line);
    free(lines->line_of);
    free(lines->job);
    free(lines->flags);
    free(lines->leaf_first);
    free(lines->leaf_size);
    free(lines->leaf_line);
    free(lines->leaf_slot);
    free(lines->active);
    free(lines->class_waiting);
    free(lines->class_state);
    free(lines->class_parked);
    free(lines->unfit);
    *lines = (struct pt_lines){0};
}

/* ---- a leaf's heap of lines ---- */

pt_job pt__lines_head(const struct pt_lines *lines, uint32_t line)
{
    return lines->job[lines->line[line].first];
}

static bool goes_first(const struct pt_lines *lines, uint32_t a, uint32_t b)
{
    const struct pt_line *x = &lines->line[a], *y = &lines->line[b];
    if (x->key != y->key) return x->key > y->key;
    return lines->job[x->first] < lines->job[y->first];
}

/* Moves the line at `slot` of its leaf's heap up or down to where it belongs. */
static void settle(struct pt_lines *lines, uint32_t line)
{
    struct pt_line *l = &lines->line[line];
    uint32_t *heap = lines->leaf_line + lines->leaf_first[l->leaf];
    uint32_t count = lines->leaf_size[l->leaf], slot = l->slot;
    for (; slot > 0 && goes_first(lines, line, heap[(slot - 1) / 2]); slot = (slot - 1) / 2) {
        heap[slot] = heap[(slot - 1) / 2];
        lines->line[heap[slot]].slot = slot;
    }
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && goes_first(lines, heap[child + 1], heap[child])) child++;
        if (!goes_first(lines, heap[child], line)) break;
        heap[slot] = heap[child];
        lines->line[heap[slot]].slot = slot;
    }
    heap[slot] = line;
    l->slot = slot;
}

static void leaf_add(struct pt_lines *lines, uint32_t line)
{
    uint32_t leaf = lines->line[line].leaf;
    if (lines->leaf_size[leaf] == 0) {
        lines->leaf_slot[leaf] = lines->active_count;
        lines->active[lines->active_count++] = leaf;
        lines->arrivals++;
    }
    lines->line[line].slot = lines->leaf_size[leaf]++;
    settle(lines, line);
}

static void leaf_remove(struct pt_lines *lines, uint32_t line)
{
    struct pt_line *l = &lines->line[line];
    uint32_t leaf = l->leaf, slot = l->slot, left = --lines->leaf_size[leaf];
    uint32_t *heap = lines->leaf_line + lines->leaf_first[leaf];
    l->slot = PT_NONE;
    if (slot != left) {
        lines->line[heap[left]].slot = slot;
        settle(lines, heap[left]);
    }
    if (left > 0) return;
    uint32_t at = lines->leaf_slot[leaf], last = lines->active[--lines->active_count];
    lines->active[at] = last;
    lines->leaf_slot[last] = at;
    lines->leaf_slot[leaf] = PT_NONE;
}

/* ---- a line's heap of jobs ---- */

static void line_push(struct pt_lines *lines, struct pt_line *line, pt_job job)
{
    pt_job *heap = lines->job + line->first;
    uint32_t slot = line->count++;
    for (; slot > 0 && heap[(slot - 1) / 2] > job; slot = (slot - 1) / 2)
        heap[slot] = heap[(slot - 1) / 2];
    heap[slot] = job;
}

static void line_pop(struct pt_lines *lines, struct pt_line *line)
{
    pt_job *heap = lines->job + line->first;
    lines->flags[heap[0]] = 0;
    uint32_t count = --line->count, slot = 0;
    pt_job moved = heap[count];
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (heap[child] > moved) break;
        heap[slot] = heap[child];
    }
    heap[slot] = moved;
}

void pt__lines_add(struct pt_lines *lines, pt_job job)
{
    uint32_t index = lines->line_of[job];
    struct pt_line *line = &lines->line[index];
    if (lines->class_waiting[line->class_id]++ == 0 &&
        lines->class_state[line->class_id] == PT_CLASS_FITS)
        lines->fit_classes++;
    if ((lines->flags[job] & IN_LINE) != 0) { /* it had left, but not its place */
        lines->flags[job] = IN_LINE;
        return;
    }
    lines->flags[job] = IN_LINE;
    pt_job before = line->count == 0 ? PT_NONE : lines->job[line->first];
    line_push(lines, line, job);
    if (line->parked || before < job) return;
    if (line->slot == PT_NONE)
        leaf_add(lines, index);
    else
        settle(lines, index);
}

void pt__lines_remove(struct pt_lines *lines, pt_job job)
{
    uint32_t index = lines->line_of[job];
    struct pt_line *line = &lines->line[index];
    if ((lines->flags[job] & (IN_LINE | GONE)) != IN_LINE) return;
    lines->flags[job] |= GONE;
    if (--lines->class_waiting[line->class_id] == 0 &&
        lines->class_state[line->class_id] == PT_CLASS_FITS)
        lines->fit_classes--;
    if (lines->job[line->first] != job) return; /* it leaves its place once it is the first */
    while (line->count > 0 && (lines->flags[lines->job[line->first]] & GONE) != 0)
        line_pop(lines, line);
    if (line->slot == PT_NONE) return;
    if (line->count == 0)
        leaf_remove(lines, index);
    else
        settle(lines, index);
}

/* ---- parking ---- */

static void unpark(struct pt_lines *lines, uint32_t *first)
{
    for (uint32_t i = *first, next; i != PT_NONE; i = next) {
        next = lines->line[i].next;
        lines->line[i].parked = false;
        if (lines->line[i].count > 0) leaf_add(lines, i);
    }
    *first = PT_NONE;
}

static void park(struct pt_lines *lines, uint32_t line, uint32_t *first)
{
    leaf_remove(lines, line);
    lines->line[line].parked = true;
    lines->line[line].next = *first;
    *first = line;
}

void pt__lines_park(struct pt_lines *lines, uint32_t line)
{
    park(lines, line, &lines->class_parked[lines->line[line].class_id]);
}

void pt__lines_pass_by(struct pt_lines *lines, uint32_t line)
{
    park(lines, line, &lines->passed);
}

void pt__lines_pass_over(struct pt_lines *lines)
{
    unpark(lines, &lines->passed);
}

void pt__lines_unfit(struct pt_lines *lines, uint32_t class_id, enum pt_class_state state)
{
    if (lines->class_state[class_id] == PT_CLASS_FITS) {
        if (lines->class_waiting[class_id] > 0) lines->fit_classes--;
        lines->unfit[lines->unfit_count++] = class_id;
    }
    lines->class_state[class_id] = (uint8_t)state;
}

void pt__lines_released(struct pt_lines *lines, const struct pt_ctx *ctx, uint64_t pools)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lines->unfit_count; i++) {
        uint32_t class_id = lines->unfit[i];
        if (lines->class_state[class_id] == PT_CLASS_UNFIT &&
            (pt_view_class_pools(ctx, class_id) & pools) == 0) {
            lines->unfit[kept++] = class_id;
            continue;
        }
        lines->class_state[class_id] = PT_CLASS_FITS;
        if (lines->class_waiting[class_id] > 0) lines->fit_classes++;
        unpark(lines, &lines->class_parked[class_id]);
    }
    lines->unfit_count = kept;
}

void pt__lines_on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    pt__lines_released(state, ctx, pools);
}

struct pt_line_of pt__line_of_tenant(void *state, const struct pt_ctx *ctx, pt_job job)
{
    (void)state;
    return (struct pt_line_of){.leaf = pt_view_tenant_of(ctx, job)};
}
