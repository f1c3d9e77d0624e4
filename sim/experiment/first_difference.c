#include "sim/experiment/first_difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/results.h"
#include "sim/experiment/replay.h"

/* ---- a world in words ---- */

static void show_job(struct pt_job_shown *shown, const struct pt_replay *replay, pt_job job,
                     int64_t now_ns)
{
    const struct pt_trace *trace = pt_replay_facts(replay)->trace;
    char buffer[PT_ID_BUFFER];
    const char *tenant = pt_trace_word(trace, PT_COL_TENANT, job);
    snprintf(shown->id, sizeof shown->id, "%s", pt_trace_id(trace, job, buffer));
    snprintf(shown->tenant, sizeof shown->tenant, "%s", tenant ? tenant : "default");
    shown->gpus = pt_trace_u32(trace, PT_COL_GPUS, job);
    shown->waited_s = (double)(now_ns - pt_trace_submit_ns(trace)[job]) / (double)PT_NS_PER_S;
    shown->reason = pt_replay_reason(replay, job);
}

static void show_gpu(struct pt_world_shown *world, const struct pt_cluster *cluster)
{
    const struct pt_event *event = &world->event;
    if (event->kind == PT_EVENT_START && event->count == 0) { /* its gpu is a node */
        if (event->gpu < cluster->node_count)
            snprintf(world->gpu, sizeof world->gpu, "%s", cluster->nodes[event->gpu].name);
        return;
    }
    if (event->gpu >= cluster->gpu_count) return;
    const struct pt_pool *pool = &cluster->pools[pt_cluster_pool_of_gpu(cluster, event->gpu)];
    uint32_t node = pt_cluster_node_of_gpu(cluster, event->gpu);
    snprintf(world->gpu, sizeof world->gpu, "%.60s:%u", cluster->nodes[node].name,
             (event->gpu - pool->first_gpu) % pool->gpus_per_node);
}

static void show_queue(struct pt_world_shown *world, const struct pt_replay *replay, int64_t now_ns)
{
    const struct pt_trace *trace = pt_replay_facts(replay)->trace;
    world->pending = pt_replay_pending(replay);
    for (pt_job job = 0; job < trace->job_count && world->shown < PT_QUEUE_SHOWN; job++)
        if (pt_replay_job(replay, job) == PT_REPLAYED_PENDING)
            show_job(&world->queue[world->shown++], replay, job, now_ns);
}

static void show_world(struct pt_world_shown *world, const struct pt_replay *replay,
                       const struct pt_event *next, int64_t now_ns)
{
    const struct pt_cluster *cluster = pt_replay_facts(replay)->input->cluster;
    world->ended = next == NULL;
    if (next) world->event = *next;
    world->has_job = next && next->job < pt_replay_facts(replay)->trace->job_count;
    if (world->has_job) show_job(&world->job, replay, next->job, next->time_ns);
    if (next) show_gpu(world, cluster);
    show_queue(world, replay, now_ns);
    world->pool_count = cluster->pool_count < PT_POOLS_SHOWN ? cluster->pool_count : PT_POOLS_SHOWN;
    for (uint32_t p = 0; p < world->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        snprintf(world->pools[p].name, sizeof world->pools[p].name, "%s", pool->name);
        world->pools[p].gpus = pool->node_count * pool->gpus_per_node;
        world->pools[p].idle = pt_replay_idle_gpus(replay, p);
    }
}

/* ---- side by side ---- */

static bool same_event(const struct pt_event *a, const struct pt_event *b)
{
    return a->time_ns == b->time_ns && a->kind == b->kind && a->job == b->job && a->gpu == b->gpu &&
           a->count == b->count && a->reason == b->reason;
}

static enum pt_status walk(struct pt_first_difference *found, struct pt_replay *base,
                           struct pt_replay *changed, struct pt_error *error)
{
    const struct pt_event *a, *b;
    for (;;) {
        PT_TRY(pt_replay_peek(&a, base, error));
        PT_TRY(pt_replay_peek(&b, changed, error));
        if (!a || !b || !same_event(a, b)) break;
        PT_TRY(pt_replay_take(base, error));
        PT_TRY(pt_replay_take(changed, error));
        found->events_before++;
    }
    found->sameness = a || b ? PT_DIFFERS : PT_SAME;
    if (found->sameness == PT_SAME) return PT_OK;
    found->time_ns = !a ? b->time_ns : !b || a->time_ns < b->time_ns ? a->time_ns : b->time_ns;
    pt_replay_hear(base, found->time_ns);
    pt_replay_hear(changed, found->time_ns);
    show_world(&found->base, base, a, found->time_ns);
    show_world(&found->changed, changed, b, found->time_ns);
    return PT_OK;
}

/* What is not known and why; the rest of what was found says nothing then. */
static void give_up(struct pt_first_difference *found, const struct pt_error *error)
{
    char why[sizeof found->why];
    if (error->file[0] && error->line > 0)
        snprintf(why, sizeof why, "%.200s:%u: %.250s", error->file, error->line, error->message);
    else if (error->file[0])
        snprintf(why, sizeof why, "%.200s %.250s", error->file, error->message);
    else
        snprintf(why, sizeof why, "%.450s", error->message);
    *found = (struct pt_first_difference){.sameness = PT_NOT_KNOWN};
    memcpy(found->why, why, sizeof why);
}

/* Runs to the end: the digest must be that of the result, unless that is of a part of the world. */
static enum pt_status verify(struct pt_replay *replay, const char *path, struct pt_error *error)
{
    struct pt_results_reader *result;
    const char *digest;
    PT_TRY(pt_replay_finish(&digest, replay, error));
    PT_TRY(pt_results_read(&result, path, error));
    const char *then = pt_results_manifest_text(result, "digest");
    const char *partial = pt_results_manifest_text(result, "partial");
    const char *version = pt_results_manifest_text(result, "version");
    enum pt_status status = PT_OK;
    bool whole = !partial || strcmp(partial, "0") == 0;
    if (whole && then && then[0] && strcmp(then, digest) != 0)
        status = pt_fail_at(error, PT_ERR_INPUT, path, 0, 0,
                            "comes out differently now: it was written by version %s, this is %s",
                            version ? version : "?", PARTITA_VERSION);
    pt_results_reader_free(result);
    return status;
}

enum pt_status pt_first_difference_find(struct pt_first_difference *found, const char *base_path,
                                        const char *new_path, struct pt_error *error)
{
    struct pt_replay *base = NULL, *changed = NULL;
    *found = (struct pt_first_difference){.sameness = PT_NOT_KNOWN};
    enum pt_status status = pt_replay_open(&base, base_path, error);
    if (status == PT_OK) status = pt_replay_open(&changed, new_path, error);
    if (status == PT_OK) status = walk(found, base, changed, error);
    if (status == PT_OK) status = verify(base, base_path, error);
    if (status == PT_OK) status = verify(changed, new_path, error);
    pt_replay_close(base);
    pt_replay_close(changed);
    if (status == PT_OK || status == PT_ERR_MEMORY) return status;
    give_up(found, error);
    *error = (struct pt_error){.status = PT_OK};
    return PT_OK;
}
