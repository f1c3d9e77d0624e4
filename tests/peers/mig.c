/* MIG with changes at no cost on 24 A100s, job by job, as the simulator of a thesis on MIG
 * scheduling has it (boringmorning/a100-cluster-simulator, branch real, commit c9b6c4c): its
 * simplified table of placements and its order are given here, from outside, through the interfaces
 * that everybody has; its two placements are mig_best_fit and mig_worst_fit.
 *
 *   peer_mig bestfit|worstfit
 *
 * Every start, end, GPU and slice must be the peer's, in every directory under mig_a100 of the
 * shared peers. Skips where there is none.
 *
 * Order: classes of size 7, 4, 3, 2, 1; first in, first out within one; a class stops when no legal
 * slot is free, the next goes on.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rig.h"

#define JOBS_MAX 2000000u
#define GPUS 24u
#define SLICES 7u

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

/* Where each job was put. */
static uint32_t *chosen_gpu, *chosen_slice;

/* Starts the jobs of one size until one finds no slot; each must be where it was put. */
static enum pt_status start_size(struct pt_ctx *ctx, uint32_t class_id)
{
    pt_job job;
    const struct pt_units *units;
    while ((job = pt_view_class_next_pending(ctx, class_id, PT_NONE)) != PT_NONE &&
           pt_ctx_place(ctx, &units, job, pt_view_class_pools(ctx, class_id))) {
        uint32_t size = profiles[pt_view_need(ctx, 0, job)->profile].size;
        uint32_t gpu = units->gpus[0], taken = ((1u << size) - 1) << units->starts[0];
        uint32_t before = pt_view_busy_slices(ctx, gpu);
        chosen_gpu[job] = gpu;
        chosen_slice[job] = units->starts[0];
        PT_TRY(pt_ctx_start(ctx, job, units));
        if (pt_view_busy_slices(ctx, gpu) != (before | taken))
            rig_die("job %u is not at slice %u", job, chosen_slice[job]);
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
static FILE *open_peer(const char *folder, const char *name)
{
    char path[5000], heading[512];
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    FILE *in = fopen(path, "r");
    if (in != NULL && fgets(heading, sizeof heading, in) == NULL) rig_die("%s is empty", path);
    return in;
}

/* The jobs as they were given to the peer, and what it made of them. 0 = not there. */
static uint32_t read_peer(struct line *lines, const char *folder, const char *name)
{
    char out_name[64], text[512];
    uint32_t count = 0, done = 0, id;
    snprintf(out_name, sizeof out_name, "out_%.32s", name);
    FILE *trace = open_peer(folder, "trace"), *out = open_peer(folder, out_name);
    for (; trace != NULL && out != NULL && fgets(text, sizeof text, trace) != NULL; count++) {
        struct line *l = &lines[count % JOBS_MAX];
        if (sscanf(text, "%" SCNu32 ",%" SCNd64 ",%" SCNd64 ",%" SCNu32, &id, &l->submit_s,
                   &l->work_s, &l->size) != 4 ||
            id != count || count == JOBS_MAX)
            rig_die("%s/trace.csv:%u: not as expected", folder, count + 2);
    }
    for (; count > 0 && fgets(text, sizeof text, out) != NULL; done++) {
        struct line *l = &lines[done % JOBS_MAX];
        if (sscanf(text, "%" SCNu32 ",%*[^,],%" SCNd64 ",%" SCNd64 ",%" SCNu32 ",%" SCNu32, &id,
                   &l->start_s, &l->end_s, &l->gpu, &l->slice) != 5 ||
            id != done)
            rig_die("%s/%s.csv:%u: not as expected", folder, out_name, done + 2);
    }
    if (done != count) rig_die("%s: %u jobs, %u results", folder, count, done);
    if (trace != NULL) fclose(trace);
    if (out != NULL) fclose(out);
    return count;
}

static void build(struct rig *rig, const struct pt_gpu_model *gpu, const struct line *lines,
                  uint32_t count, const char *name)
{
    rig_init(rig);
    rig_add_pool(rig, gpu, GPUS, 1, "mig", "reconfigure=partial reconfigure_s=0");
    rig_set_policy(rig, "fifo", "",
                   strcmp(name, "bestfit") == 0 ? "mig_best_fit" : "mig_worst_fit");
    rig->world.policy = &by_size;
    if (count > 20000) rig->world.check = false;
    for (uint32_t j = 0; j < count; j++) {
        char profile[16];
        snprintf(profile, sizeof profile, "%ug", lines[j].size);
        pt_job row =
            rig_add_job(rig, lines[j].submit_s * PT_NS_PER_S, lines[j].work_s * PT_NS_PER_S, 1);
        rig_set_cell(rig, row, PT_COL_MIG, profile);
    }
}

static uint32_t compare(const char *folder, const struct line *lines, uint32_t count,
                        const char *name)
{
    struct pt_gpu_model gpu = rig_a100_40;
    static struct rig rig;
    uint32_t wrong = 0;
    gpu.mig = &table;
    build(&rig, &gpu, lines, count, name);
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    for (uint32_t j = 0; j < count; j++) {
        const struct line *l = &lines[j];
        const struct pt_job_result *r = &rig.results[j];
        if (r->start_ns == l->start_s * PT_NS_PER_S && r->end_ns == l->end_s * PT_NS_PER_S &&
            r->home_gpu == l->gpu && chosen_gpu[j] == l->gpu && chosen_slice[j] == l->slice)
            continue;
        if (wrong++ == 0)
            printf("job %u: [%" PRId64 ", %" PRId64 "] ns at GPU %u, slice %u; peer [%" PRId64
                   ", %" PRId64 "] s at GPU %u, slice %u\n",
                   j, r->start_ns, r->end_ns, r->home_gpu, chosen_slice[j], l->start_s, l->end_s,
                   l->gpu, l->slice);
    }
    rig_fini(&rig);
    printf("%s: %u jobs, %u differ from the peer's %s\n", folder, count, wrong, name);
    return wrong;
}

static void *array(size_t size)
{
    void *memory = calloc(JOBS_MAX, size);
    if (memory == NULL) rig_die("out of memory");
    return memory;
}

int main(int argc, char **argv)
{
    const char *shared = getenv("PARTITA_SHARED");
    char peers[4096], folder[4400];
    uint32_t wrong = 0, found = 0;
    if (argc != 2 || (strcmp(argv[1], "bestfit") != 0 && strcmp(argv[1], "worstfit") != 0))
        rig_die("usage: peer_mig bestfit|worstfit");
    struct line *lines = array(sizeof *lines);
    chosen_gpu = array(sizeof *chosen_gpu);
    chosen_slice = array(sizeof *chosen_slice);
    snprintf(peers, sizeof peers, "%s/reference/peers/mig_a100",
             shared != NULL ? shared : "../shared");
    DIR *all = opendir(peers);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        snprintf(folder, sizeof folder, "%s/%.255s", peers, entry->d_name);
        uint32_t count = read_peer(lines, folder, argv[1]);
        if (count == 0) continue;
        wrong += compare(folder, lines, count, argv[1]);
        found++;
    }
    if (all != NULL) closedir(all);
    free(lines);
    free(chosen_gpu);
    free(chosen_slice);
    if (found == 0) {
        printf("skipped: there is no %s/*/out_%s.csv\n", peers, argv[1]);
        return 77;
    }
    return wrong != 0;
}
