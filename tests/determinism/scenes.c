#include "tests/determinism/scenes.h"

const char *scene_name(enum scene scene)
{
    static const char *const names[] = {"exclusive", "shared", "broken"};
    return names[scene];
}

static void add_jobs(struct rig *rig, uint32_t jobs, uint64_t seed, uint32_t gap_ms)
{
    static const char *const gib[] = {"1", "10", "30", "45", "70"};
    struct draw draw = {seed};
    int64_t at_ns = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        at_ns += (int64_t)(draw_bits(&draw) % (gap_ms * UINT64_C(2000000)));
        int64_t work_ns = (int64_t)(draw_bits(&draw) % (UINT64_C(200) * PT_NS_PER_S));
        uint32_t gpus = draw_chance(&draw, 80) ? 1 : 1 + draw_below(&draw, 12);
        pt_job row = rig_add_job(
            rig, draw_chance(&draw, 50) ? at_ns : at_ns / PT_NS_PER_S * PT_NS_PER_S, work_ns, gpus);
        if (draw_chance(&draw, 50))
            rig_set_cell(rig, row, PT_COL_GPU_MEM, gib[draw_below(&draw, 5)]);
        if (draw_chance(&draw, 30)) rig_set_cell(rig, row, PT_COL_CHECKPOINT, "20");
        if (draw_chance(&draw, 10)) rig_set_cell(rig, row, PT_COL_NODES_MAX, "2");
    }
}

static void break_nodes(struct rig *rig)
{
    for (uint32_t n = 0; n < rig->cluster.node_count && n < RIG_DOWN_NODES; n++) {
        int64_t from_ns = (100 + 50 * (int64_t)n) * PT_NS_PER_S;
        rig->down[n][0] = (struct pt_down_window){from_ns, from_ns + 30 * PT_NS_PER_S};
        rig->nodes[n].boot_ns = 5 * PT_NS_PER_S;
        rig->nodes[n].down = rig->down[n];
        rig->nodes[n].down_count = 1;
    }
}

void scene_build(struct rig *rig, enum scene scene, uint32_t jobs, uint64_t seed)
{
    rig_init(rig);
    rig->world.check = false;
    rig->world.seed = seed;
    switch (scene) {
    case SCENE_EXCLUSIVE:
        rig_add_pool(rig, &rig_h100, 16, 8, "exclusive", "");
        rig_set_policy(rig, "fifo", "blocking=strict", "consolidate");
        add_jobs(rig, jobs, seed, 1900);
        break;
    case SCENE_SHARED:
        rig_add_pool(rig, &rig_h100, 12, 8, "time_slice", "replicas=3 switch_loss=0.11");
        rig_set_policy(rig, "fifo", "blocking=skip", "spread");
        rig->world.retries.oom = 3;
        add_jobs(rig, jobs, seed, 2700);
        break;
    default:
        rig_add_pool(rig, &rig_h100, 8, 4, "exclusive", "");
        rig_add_pool(rig, &rig_a100_80, 8, 8, "time_slice",
                     "replicas=4 switch_loss=0.205 memory=admit");
        rig_set_policy(rig, "fifo", "blocking=skip", "pack");
        rig->world.give_up_ns = 500 * PT_NS_PER_S;
        break_nodes(rig);
        add_jobs(rig, jobs, seed, 2500);
        break;
    }
}
