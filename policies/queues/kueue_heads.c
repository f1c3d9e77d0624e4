#include "policies/queues/kueue.h"

/* Who is looked at in a cycle, and in which order. Tenants that may have a head are in a list that
 * those without one leave when they are asked; so a cycle costs nothing for tenants with nobody
 * waiting, or whose jobs are all parked. */

/* ---- who is parked, who shows a head ---- */

void pt__kueue_show(struct pt_kueue *kueue, uint32_t class_id)
{
    uint32_t tenant = kueue->tenant_of_class[class_id], place = kueue->parked_at[class_id];
    if (place != 0) {
        uint32_t last = kueue->parked[--kueue->parked_count];
        kueue->parked[place - 1] = last;
        kueue->parked_at[last] = place;
        kueue->parked_at[class_id] = 0;
    }
    if (kueue->shows[tenant]) return;
    kueue->shows[tenant] = 1;
    kueue->showing[kueue->showing_count++] = tenant;
}

void pt__kueue_park(struct pt_kueue *kueue, uint32_t class_id)
{
    if (kueue->parked_at[class_id] != 0) return;
    kueue->parked[kueue->parked_count++] = class_id;
    kueue->parked_at[class_id] = kueue->parked_count;
}

void pt__kueue_unpark(struct pt_kueue *kueue)
{
    while (kueue->parked_count > 0)
        pt__kueue_show(kueue, kueue->parked[kueue->parked_count - 1]);
}

/* The tenant's head: its first job whose class isn't parked. Strict: the first of all, or nobody.
 */
static uint32_t head_of(const struct pt_kueue *kueue, uint32_t tenant)
{
    uint32_t best = PT_NONE;
    for (uint32_t c = kueue->first_class[tenant]; c != PT_NONE; c = kueue->next_class[c]) {
        if (kueue->parked_at[c] != 0 && !kueue->strict) continue;
        if (pt__queue_head(&kueue->queue, c) == PT_QUEUE_NOBODY) continue;
        if (best == PT_NONE ||
            pt__queue_head(&kueue->queue, c) < pt__queue_head(&kueue->queue, best))
            best = c;
    }
    return best != PT_NONE && kueue->parked_at[best] != 0 ? PT_NONE : best;
}

/* ---- in which order ---- */

int64_t pt__kueue_least_parts(const struct pt_ctx *ctx, pt_job job, uint32_t class_id)
{
    int64_t least = INT64_MAX;
    for (uint64_t pools = pt_view_class_pools(ctx, class_id); pools != 0; pools &= pools - 1) {
        int64_t parts = pt__kueue_parts(ctx, job, (uint32_t)__builtin_ctzll(pools));
        if (parts < least) least = parts;
    }
    return least;
}

static bool goes_before(const struct pt_kueue *kueue, const struct pt_kueue_entry *a,
                        const struct pt_kueue_entry *b)
{
    if (kueue->fair && a->share != b->share) return a->share < b->share;
    if (!kueue->fair && a->borrows != b->borrows) return b->borrows;
    if (a->priority != b->priority) return a->priority > b->priority;
    return a->job < b->job;
}

/* Moves the head at `from` down to where it belongs. */
static void sink(struct pt_kueue *kueue, uint32_t from)
{
    struct pt_kueue_entry *heap = kueue->entry, moved = heap[from];
    uint32_t count = kueue->entry_count;
    for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && goes_before(kueue, &heap[child + 1], &heap[child])) child++;
        if (!goes_before(kueue, &heap[child], &moved)) break;
        heap[from] = heap[child];
    }
    heap[from] = moved;
}

void pt__kueue_heads(struct pt_kueue *kueue, const struct pt_ctx *ctx)
{
    kueue->entry_count = 0;
    for (uint32_t i = kueue->showing_count; i-- > 0;) {
        uint32_t tenant = kueue->showing[i], class_id = head_of(kueue, tenant);
        if (class_id == PT_NONE) { /* until one of its classes shows again */
            kueue->showing[i] = kueue->showing[--kueue->showing_count];
            kueue->shows[tenant] = 0;
            continue;
        }
        pt_job job = pt__rank_job(pt__queue_head(&kueue->queue, class_id));
        int64_t parts = pt__kueue_least_parts(ctx, job, class_id);
        kueue->entry[kueue->entry_count++] =
            (struct pt_kueue_entry){.job = job,
                                    .tenant = tenant,
                                    .class_id = class_id,
                                    .borrows = pt__kueue_borrows(&kueue->quota, tenant, parts),
                                    .share = pt__kueue_share(&kueue->quota, tenant, parts),
                                    .priority = pt_view_rank(ctx, job).value};
    }
    for (uint32_t i = kueue->entry_count / 2; i-- > 0;)
        sink(kueue, i);
}

bool pt__kueue_next_head(struct pt_kueue_entry *head, struct pt_kueue *kueue)
{
    if (kueue->entry_count == 0) return false;
    *head = kueue->entry[0];
    kueue->entry[0] = kueue->entry[--kueue->entry_count];
    if (kueue->entry_count > 0) sink(kueue, 0);
    return true;
}
