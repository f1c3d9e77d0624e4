/* MIG with changes at no cost on 24 A100s, job by job, as the simulator of a thesis on MIG
 * scheduling has it (boringmorning/a100-cluster-simulator, branch real, commit c9b6c4c): its
 * simplified table of placements, its order and its two placements are given here, from outside,
 * through the interfaces that everybody has.
 *
 *   peer_mig bestfit|worstfit
 *
 * Every start, end, GPU and slice must be the peer's. Skips where the shared reference data is not
 * there.
 *
 * Order: classes of size 7, 4, 3, 2, 1; first in, first out within one; a class stops when no legal
 * slot is free, the next goes on. Placement: of all legal free slots the one in the smallest
 * (bestfit) or largest (worstfit) wholly free segment; ties the lowest GPU, then slice.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rig.h"

#define JOBS_MAX 2000u
#define GPUS 24u
#define SLICES 7u
#define NO_SLOT UINT32_MAX

static const struct pt_mig_profile profiles[] = {{"1g", 1, 1, false, 0x7f, 14, 4864, "peer"},
                                                 {"2g", 2, 2, false, 0x15, 28, 9856, "peer"},
                                                 {"3g", 3, 3, false, 0x10, 42, 14592, "peer"},
                                                 {"4g", 4, 4, false, 0x01, 56, 19456, "peer"},
                                                 {"7g", 7, 7, false, 0x01, 98, 34048, "peer"}};
static const struct pt_mig table = {SLICES, SLICES, 5, 4, profiles};

struct line {
    int64_t submit_s, work_s, start_s, end_s;
    uint32_t gpu, slice, size;
};

/* What the placement chose for each job. */
static struct {
    bool largest;
    uint32_t gpu[JOBS_MAX], slice[JOBS_MAX];
} chosen;

static bool is_free(uint32_t busy, uint32_t from, uint32_t size)
{
    return (busy >> from & ((1u << size) - 1)) == 0;
}

/* Size of the wholly free segment that a free slot lies in. */
static uint32_t segment(uint32_t busy, uint32_t slice, uint32_t size)
{
    bool low = slice < 4;
    if (busy == 0) return 7;
    if (size > 2) return size;
    if (low ? is_free(busy, 0, 4) : is_free(busy, 4, 3)) return low ? 4 : 3;
    return slice < 6 && is_free(busy, slice & ~1u, 2) ? 2 : 1;
}

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job, uint32_t pool)
{
    (void)state;
    const struct pt_mig_profile *profile = &profiles[pt_view_need(ctx, pool, job)->profile];
    uint32_t best = 0, gpu = NO_SLOT, slice = 0;
    for (uint32_t g = 0; g < GPUS; g++) {
        uint32_t busy = pt_view_busy_slices(ctx, g);
        for (uint32_t s = 0; s < SLICES; s++) {
            if ((profile->starts >> s & 1) == 0 || !is_free(busy, s, profile->size)) continue;
            uint32_t now = segment(busy, s, profile->size);
            if (gpu != NO_SLOT && (chosen.largest ? now <= best : now >= best)) continue;
            gpu = g, slice = s, best = now;
        }
    }
    if (gpu == NO_SLOT) return false;
    units->gpus[0] = gpu;
    units->starts[0] = (uint8_t)slice;
    units->count = 1;
    chosen.gpu[job] = gpu;
    chosen.slice[job] = slice;
    return true;
}

/* Starts the jobs of one size until one finds no slot; each must be where it was put. */
static enum pt_status start_size(struct pt_ctx *ctx, uint32_t class_id)
{
    pt_job job;
    const struct pt_units *units;
    while ((job = pt_view_class_next_pending(ctx, class_id, PT_NONE)) != PT_NONE &&
           pt_ctx_place(ctx, &units, job, pt_view_class_pools(ctx, class_id))) {
        uint32_t size = profiles[pt_view_need(ctx, 0, job)->profile].size;
        uint32_t taken = ((1u << size) - 1) << chosen.slice[job];
        uint32_t before = pt_view_busy_slices(ctx, chosen.gpu[job]);
        PT_TRY(pt_ctx_start(ctx, job, units));
        if (pt_view_busy_slices(ctx, chosen.gpu[job]) != (before | taken))
            rig_die("job %u is not at slice %u", job, chosen.slice[job]);
    }
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    (void)state;
    for (uint32_t size = SLICES; size > 0; size--)
        for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
            pt_job job = pt_view_class_next_pending(ctx, c, PT_NONE);
            if (job != PT_NONE && profiles[pt_view_need(ctx, 0, job)->profile].size == size)
                PT_TRY(start_size(ctx, c));
        }
    return PT_OK;
}

static const struct pt_param no_params[] = {{0}};
static const struct pt_policy_ops by_size = {.abi = PT_POLICY_ABI,
                                             .size = sizeof(struct pt_policy_ops),
                                             .name = "by_size",
                                             .summary = "large sizes first",
                                             .source = "peer",
                                             .params = no_params,
                                             .schedule = schedule};
static const struct pt_placement_ops by_segment = {.abi = PT_POLICY_ABI,
                                                   .size = sizeof(struct pt_placement_ops),
                                                   .name = "by_segment",
                                                   .summary = "by wholly free segments",
                                                   .source = "peer",
                                                   .params = no_params,
                                                   .place = place};

static FILE *open_peer(const char *shared, const char *name)
{
    char path[4096], heading[512];
    snprintf(path, sizeof path, "%s/reference/peers/mig_a100/mig1000/%s.csv", shared, name);
    FILE *in = fopen(path, "r");
    if (in == NULL)
        printf("skipped: %s is not there\n", path);
    else if (fgets(heading, sizeof heading, in) == NULL)
        rig_die("%s is empty", path);
    return in;
}

/* The jobs as they were given to the peer, and what it made of them. 0 = not there. */
static uint32_t read_peer(struct line *lines, const char *shared, const char *name)
{
    char out_name[64], text[512];
    uint32_t count = 0, done = 0, id;
    snprintf(out_name, sizeof out_name, "out_%.32s", name);
    FILE *trace = open_peer(shared, "trace"), *out = open_peer(shared, out_name);
    for (; trace != NULL && out != NULL && fgets(text, sizeof text, trace) != NULL; count++) {
        struct line *l = &lines[count % JOBS_MAX];
        if (sscanf(text, "%" SCNu32 ",%" SCNd64 ",%" SCNd64 ",%" SCNu32, &id, &l->submit_s,
                   &l->work_s, &l->size) != 4 ||
            id != count || count == JOBS_MAX)
            rig_die("trace.csv:%u: not as expected", count + 2);
    }
    for (; count > 0 && fgets(text, sizeof text, out) != NULL; done++) {
        struct line *l = &lines[done % JOBS_MAX];
        if (sscanf(text, "%" SCNu32 ",%*[^,],%" SCNd64 ",%" SCNd64 ",%" SCNu32 ",%" SCNu32, &id,
                   &l->start_s, &l->end_s, &l->gpu, &l->slice) != 5 ||
            id != done)
            rig_die("%s.csv:%u: not as expected", out_name, done + 2);
    }
    if (done != count) rig_die("%u jobs, %u results", count, done);
    if (trace != NULL) fclose(trace);
    if (out != NULL) fclose(out);
    return count;
}

static uint32_t compare(const struct line *lines, uint32_t count)
{
    struct pt_gpu_model gpu = rig_a100_40;
    struct rig rig;
    uint32_t wrong = 0;
    gpu.mig = &table;
    rig_init(&rig);
    rig_add_pool(&rig, &gpu, GPUS, 1, "mig", "reconfigure=partial reconfigure_s=0");
    rig.world.policy = &by_size;
    rig.world.placement = &by_segment;
    for (uint32_t j = 0; j < count; j++) {
        char name[8];
        snprintf(name, sizeof name, "%ug", lines[j].size);
        pt_job row =
            rig_add_job(&rig, lines[j].submit_s * PT_NS_PER_S, lines[j].work_s * PT_NS_PER_S, 1);
        rig_set_cell(&rig, row, PT_COL_MIG, name);
    }
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    for (uint32_t j = 0; j < count; j++) {
        const struct line *l = &lines[j];
        const struct pt_job_result *r = &rig.results[j];
        if (r->start_ns == l->start_s * PT_NS_PER_S && r->end_ns == l->end_s * PT_NS_PER_S &&
            r->home_gpu == l->gpu && chosen.gpu[j] == l->gpu && chosen.slice[j] == l->slice)
            continue;
        if (wrong++ == 0)
            printf("job %u: [%" PRId64 ", %" PRId64 "] ns at GPU %u, slice %u; peer [%" PRId64
                   ", %" PRId64 "] s at GPU %u, slice %u\n",
                   j, r->start_ns, r->end_ns, r->home_gpu, chosen.slice[j], l->start_s, l->end_s,
                   l->gpu, l->slice);
    }
    rig_fini(&rig);
    printf("%u jobs, %u differ from the peer\n", count, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    static struct line lines[JOBS_MAX];
    const char *shared = getenv("PARTITA_SHARED");
    if (argc != 2) rig_die("usage: peer_mig bestfit|worstfit");
    chosen.largest = strcmp(argv[1], "worstfit") == 0;
    uint32_t count = read_peer(lines, shared != NULL ? shared : "../shared", argv[1]);
    if (count == 0) return 77;
    return compare(lines, count) != 0;
}
