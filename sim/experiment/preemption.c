#include <string.h>

#include "sim/experiment/loader.h"
#include "sim/experiment/schema.h"

/* cuda_checkpoint, measured: 3.8 s and 0.25 s a GiB until a job is back; to leave, 2 s and its
 * device memory at about 5 GB/s, 0.2 s a GiB. */
#define CUDA_SAVE_BASE_NS INT64_C(2000000000)
#define CUDA_SAVE_PER_GIB_NS INT64_C(200000000)
#define CUDA_RESTORE_BASE_NS INT64_C(3800000000)
#define CUDA_RESTORE_PER_GIB_NS INT64_C(250000000)

enum { PRESET_NONE, PRESET_CUDA_CHECKPOINT }; /* in the order of the table's words, like victims */

const char *const pt_preemption_mode_names[] = {"none", "suspend", "checkpoint", "kill", NULL};

/* Both maps of the file: what `policy` says wins, key by key. */
struct preemption {
    const struct pt_yaml_node *top, *of_policy; /* the second may be NULL */
};

static const struct pt_yaml_node *find(const struct preemption *maps, const char *key)
{
    const struct pt_yaml_node *own = pt_yaml_get(maps->of_policy, key);
    return own ? own : pt_yaml_get(maps->top, key);
}

/* A key of a map in the map, in ns. */
static int64_t time_in(const struct preemption *maps, const char *map, const char *key,
                       int64_t fallback)
{
    const struct preemption inner = {pt_yaml_get(maps->top, map),
                                     pt_yaml_get(maps->of_policy, map)};
    const struct pt_yaml_node *given = find(&inner, key);
    return given ? given->value.integer : fallback;
}

/* A mode other than none does nothing under a policy that stops nobody. */
static void warn_of_mode(struct pt__loader *loader, const struct pt_yaml_node *mode)
{
    const struct pt_config *config = loader->config;
    unsigned flags = config->policy->flags ? config->policy->flags(config->policy_params) : 0;
    if (mode && mode->value.integer != PT_PREEMPTION_NONE && flags & PT_POLICY_STOPS_NOBODY)
        pt_yaml_say(loader->yaml, loader->messages, true, mode->place,
                    "preemption.mode has no effect under policy '%.64s', which stops nobody",
                    config->policy->name);
}

void pt__load_preemption(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *policy = pt_yaml_get(loader->root, "policy");
    const struct pt_yaml_node *top = pt_yaml_get(loader->root, "preemption");
    /* a policy may have a parameter of that name, which hides the map */
    bool hidden = pt_schema_param(config->policy->params, "preemption") != NULL;
    const struct preemption maps = {top, hidden ? NULL : pt_yaml_get(policy, "preemption")};
    const struct pt_yaml_node *mode = find(&maps, "mode");
    bool measured = find(&maps, "preset")->value.integer == PRESET_CUDA_CHECKPOINT;
    config->checkpoint_ns = find(&maps, "checkpoint")->value.integer;
    config->restore.base_ns =
        time_in(&maps, "restore", "base", measured ? CUDA_RESTORE_BASE_NS : 0);
    config->restore.per_gib_ns =
        time_in(&maps, "restore", "per_gib", measured ? CUDA_RESTORE_PER_GIB_NS : 0);
    warn_of_mode(loader, mode);
    config->preemption_given = mode != NULL;
    config->preemption = (struct pt_preemption){
        .mode = mode ? (enum pt_preemption_mode)mode->value.integer : config->policy->preemption,
        .victims = (enum pt_victims)find(&maps, "victims")->value.integer,
        .save_base_ns = time_in(&maps, "save", "base", measured ? CUDA_SAVE_BASE_NS : 0),
        .save_per_gib_ns = time_in(&maps, "save", "per_gib", measured ? CUDA_SAVE_PER_GIB_NS : 0),
        .redo_ns = {time_in(&maps, "redo", "one_gpu", 0), time_in(&maps, "redo", "one_node", 0),
                    time_in(&maps, "redo", "more", 0)}};
}
