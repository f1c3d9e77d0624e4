#include "tests/bench/placements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/bench/figures.h"
#include "tests/property/worlds.h"

/* 1,000 GPUs in nodes of 8 at load 1.0 under fifo, work an exponential hour on average:
 *   whole       1, 2, 4 or 8 whole GPUs
 *   parts       half of the jobs on a part of a GPU, with CPUs, in the sizes of Alibaba's openb
 *               trace: 16 parts and 12 sizes of CPUs, of which each part has three
 *   instances   MIG instances of five sizes, changed at no cost */

#define NODES 125u
#define GPUS_PER_NODE 8u
#define WORK_MEAN_S 3600.0
#define RUNS 2

enum kind { WHOLE, PARTS, INSTANCES, KINDS };
static const char *const kind_names[] = {"whole", "parts", "instances"};

static const char *const sizes[] = {"1", "1", "1", "1", "1", "1", "1", "2", "4", "8"};
static const double size_gpus[] = {1, 1, 1, 1, 1, 1, 1, 2, 4, 8};
static const char *const parts[] = {"0.81", "0.47", "0.32", "0.23", "0.46", "0.59", "0.65", "0.22",
                                    "0.37", "0.55", "0.16", "0.27", "0.1",  "0.7",  "0.9",  "0.5"};
static const char *const cpus[] = {"3.152", "11.3", "11.4", "8", "11.908", "12",
                                   "9.81",  "4",    "6",    "2", "7.5",    "5"};
static const char *const profiles[] = {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"};
static const double profile_gpus[] = {1 / 7.0, 2 / 7.0, 3 / 7.0, 4 / 7.0, 1};

static double exponential(struct draw *draw, double mean)
{
    return -log(((double)(draw_bits(draw) >> 11) + 0.5) * 0x1p-53) * mean;
}

/* What the row asks for; in GPUs. */
static double ask(struct rig *rig, pt_job row, struct draw *draw, enum kind kind)
{
    uint32_t part = draw_below(draw, 16), size = draw_below(draw, 10);
    uint32_t profile = draw_below(draw, 5);
    switch (kind) {
    case PARTS:
        rig_set_cell(rig, row, PT_COL_CPUS, cpus[(part + draw_below(draw, 3)) % 12]);
        if (draw_chance(draw, 50)) return 1;
        rig_set_cell(rig, row, PT_COL_GPU_FRAC, parts[part]);
        return strtod(parts[part], NULL);
    case INSTANCES:
        rig_set_cell(rig, row, PT_COL_MIG, profiles[profile]);
        return profile_gpus[profile];
    case WHOLE:
    case KINDS:
        break;
    }
    rig_set_cell(rig, row, PT_COL_GPUS, sizes[size]);
    return size_gpus[size];
}

static void build(struct rig *rig, const char *placement, enum kind kind, uint32_t jobs)
{
    static const char *const modes[] = {"exclusive", "fractional", "mig"};
    static const char *const params[] = {"", "", "reconfigure=partial reconfigure_s=0"};
    struct draw draw = {7};
    double at_s = 0;
    rig_init(rig);
    rig->world.check = false;
    struct pt_pool *pool =
        rig_add_pool(rig, &rig_h100, NODES, GPUS_PER_NODE, modes[kind], params[kind]);
    if (kind == PARTS) pool->cpus_milli_per_node = 96000;
    rig_set_policy(rig, "fifo", "", placement);
    for (uint32_t j = 0; j < jobs; j++) {
        double work_s = exponential(&draw, WORK_MEAN_S);
        pt_job row = rig_add_job(rig, (int64_t)(at_s * 1e9), (int64_t)(work_s * 1e9), 1);
        double gpus = ask(rig, row, &draw, kind);
        at_s += exponential(&draw, WORK_MEAN_S * gpus / (NODES * GPUS_PER_NODE));
    }
}

static void time_one(const char *placement, enum kind kind, uint32_t jobs)
{
    struct rig rig;
    double best_s = INFINITY;
    char key[96];
    build(&rig, placement, kind, jobs);
    for (int i = 0; i < RUNS; i++) {
        rig_start(&rig);
        double from = figures_cpu_s();
        if (rig_run(&rig) != PT_OK) rig_die("%s: %s", placement, rig.error.message);
        double took = figures_cpu_s() - from;
        if (took < best_s) best_s = took;
        rig_reset(&rig);
    }
    rig_fini(&rig);
    snprintf(key, sizeof key, "placement_%s_%s_jobs_per_s", placement, kind_names[kind]);
    figures_add(key, jobs / best_s, "1/s", "goal: >= 20,000");
}

void placements_time(const char *name, uint32_t jobs)
{
    char title[128];
    snprintf(title, sizeof title, "Placements: %u jobs on 1,000 GPUs in nodes of 8, load 1", jobs);
    figures_title(title);
    for (size_t i = 0; pt_placements[i] != NULL; i++) {
        const char *placement = pt_placements[i]->name;
        if (name != NULL && strcmp(placement, name) != 0) continue;
        for (int kind = 0; kind < KINDS; kind++)
            time_one(placement, (enum kind)kind, jobs);
    }
}
