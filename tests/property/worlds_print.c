#include "tests/property/worlds_parts.h"

#include <inttypes.h>
#include <string.h>

static const char *seconds(int64_t ns)
{
    static char texts[8][PT_SECONDS_TEXT_MAX];
    static uint32_t next;
    char *text = texts[next++ % 8];
    text[pt_format_seconds(text, ns)] = '\0';
    return text;
}

/* The pool's parameters as a map; lists in brackets, `a.b` as key b of a map a. */
static void write_sharing(FILE *out, const struct ref_pool *pool)
{
    char text[WORLD_PARAMS_MAX], map[64] = "", *state = NULL;
    world_params(text, pool);
    fprintf(out, "{mode: %s", world_modes[pool->mode]);
    for (char *pair = strtok_r(text, " ", &state); pair; pair = strtok_r(NULL, " ", &state)) {
        char *value = strchr(pair, '='), *dot = memchr(pair, '.', (size_t)(value - pair));
        *value++ = '\0';
        if (dot != NULL) *dot++ = '\0';
        if (map[0] != '\0' && (dot == NULL || strcmp(map, pair) != 0)) {
            fprintf(out, "}");
            map[0] = '\0';
        }
        fprintf(out, ", ");
        if (dot != NULL && map[0] == '\0') {
            fprintf(out, "%s: {", pair);
            snprintf(map, sizeof map, "%s", pair);
        }
        fprintf(out, "%s: ", dot != NULL ? dot : pair);
        fprintf(out, strcmp(pair, "layout") == 0 ? "[%s]" : "%s", value);
    }
    fprintf(out, map[0] != '\0' ? "}}" : "}");
}

static void write_pools(FILE *out, const struct world *world)
{
    fprintf(out, "cluster:\n  pools:\n");
    for (uint32_t p = 0; p < world->pool_count; p++) {
        const struct ref_pool *pool = &world->pools[p];
        fprintf(out, "    - {name: p%u, nodes: %u, gpus_per_node: %u, gpu: %s, ", p,
                pool->end_node - pool->first_node, pool->gpus_per_node,
                world_models[pool->model]->name);
        if (pool->cpus_milli != REF_NONE)
            fprintf(out, "cpus_per_node: %u.%03u, ", pool->cpus_milli / 1000,
                    pool->cpus_milli % 1000);
        if (pool->mem_mib != REF_NONE) fprintf(out, "memory_per_node: %uMiB, ", pool->mem_mib);
        fprintf(out, "sharing: ");
        write_sharing(out, pool);
        fprintf(out, "}\n");
    }
}

static void write_nodes(FILE *out, const struct world *world)
{
    uint32_t nodes = world->pools[world->pool_count - 1].end_node;
    bool any = false;
    for (uint32_t n = 0; n < nodes; n++) {
        const struct ref_node *node = &world->nodes[n];
        if (node->down_count == 0) continue;
        fprintf(out, "%s  - {name: p%u-%u, pool: p%u, boot: %s, down: [", any ? "" : "nodes:\n",
                node->pool, n - world->pools[node->pool].first_node, node->pool,
                seconds(node->boot_ns));
        for (uint32_t i = 0; i < node->down_count; i++)
            fprintf(out, "%s[%s, %s]", i > 0 ? ", " : "", seconds(node->from_ns[i]),
                    seconds(node->to_ns[i]));
        fprintf(out, "]}\n");
        any = true;
    }
}

static void write_starts(FILE *out, const struct world *world)
{
    if (world->cold_ns > 0) fprintf(out, "cold_start: {batch: %s}\n", seconds(world->cold_ns));
    if (world->restore_ns > 0 || world->restore_gib_ns > 0)
        fprintf(out, "preemption: {restore: {base: %s, per_gib: %s}}\n", seconds(world->restore_ns),
                seconds(world->restore_gib_ns));
}

static void write_faults(FILE *out, const struct world *world)
{
    for (uint32_t f = 0; f < world->fault_count; f++) {
        const struct ref_fault *fault = &world->faults[f];
        uint32_t n = fault->node;
        if (n == REF_NONE)
            for (n = 0; fault->gpu >= world->nodes[n].end_gpu;)
                n++;
        fprintf(out, "%s{at: %s, ", f == 0 ? "faults: {events: [" : ", ", seconds(fault->time_ns));
        fprintf(out, fault->node != REF_NONE ? "node: p%u-%u}" : "gpu: \"p%u-%u:%u\"}",
                world->nodes[n].pool, n - world->pools[world->nodes[n].pool].first_node,
                fault->gpu - world->nodes[n].first_gpu);
    }
    if (world->fault_count > 0) fprintf(out, "]}\n");
}

static void write_job(FILE *out, const struct ref_job *job, uint32_t row)
{
    fprintf(out, "    - {id: j%u, submit_s: %s, work_s: %s, gpus: %u", row, seconds(job->submit_ns),
            seconds(job->work_ns), job->gpus);
    if (job->gpu_mem_mib > 0) fprintf(out, ", gpu_mem_gib: %g", job->gpu_mem_mib / 1024.0);
    if (job->frac_ppm > 0)
        fprintf(out, ", gpu_frac: %u.%06u", job->frac_ppm / 1000000, job->frac_ppm % 1000000);
    if (job->processes > 1) fprintf(out, ", processes: %u", job->processes);
    if (job->mig != NULL) fprintf(out, ", mig: %s", job->mig);
    if (job->cold) fprintf(out, ", kind: batch");
    for (uint32_t m = 0, first = 1; m < WORLD_MODELS; m++)
        if (job->models >> m & 1)
            fprintf(out, "%s%s", first ? ", gpu_type: " : "|", world_models[m]->name), first = 0;
    if (job->pool != REF_NONE) fprintf(out, ", pool: p%u", job->pool);
    if (job->nodes_max != REF_NONE) fprintf(out, ", nodes_max: %u", job->nodes_max);
    if (job->cpus_milli > 0)
        fprintf(out, ", cpus: %u.%03u", job->cpus_milli / 1000, job->cpus_milli % 1000);
    if (job->mem_mib > 0) fprintf(out, ", mem_gib: %g", job->mem_mib / 1024.0);
    if (job->checkpoint_ns != REF_ABSENT)
        fprintf(out, ", checkpoint_s: %s", seconds(job->checkpoint_ns));
    if (job->distinct != 2) fprintf(out, ", distinct: %s", job->distinct ? "true" : "false");
    if (job->after[0] != REF_NONE) fprintf(out, ", after: j%u", job->after[0]);
    if (job->after[1] != REF_NONE) fprintf(out, "|j%u", job->after[1]);
    fprintf(out, "}\n");
}

static void write_expected(FILE *out, const struct world *world, const struct world_answer *answer)
{
    fprintf(out, "expect:\n  exit: %d\n  jobs:\n", answer->verdict == REF_STUCK ? 4 : 0);
    for (uint32_t row = 0; row < world->job_count; row++) {
        const struct ref_outcome *o = &answer->jobs[row];
        fprintf(out, "    j%u: {state: %s, start_s: %s, end_s: %s", row, world_states[o->state],
                o->start_ns == REF_ABSENT ? "null" : seconds(o->start_ns),
                o->end_ns == REF_ABSENT ? "null" : seconds(o->end_ns));
        if (o->node != REF_NONE && world->jobs[row].gpus > 0) {
            uint32_t pool = world->nodes[o->node].pool;
            fprintf(out, ", node: p%u-%u", pool, o->node - world->pools[pool].first_node);
        }
        fprintf(out, "}\n");
    }
}

void world_write_scenario(FILE *out, const struct world *world, const struct world_answer *answer)
{
    fprintf(out, "# shrunk from the random world of seed %" PRIu64 "\npartita: 1\n", world->seed);
    fprintf(out, "name: random world %" PRIu64 "\n", world->seed);
    write_pools(out, world);
    write_nodes(out, world);
    fprintf(out, "interference: none\npolicy: {name: fifo, blocking: %s, placement: %s}\n",
            world->strict ? "strict" : "skip", world_placements[world->placement]);
    fprintf(out, "retries: {fault: ");
    if (world->fault_retries == REF_NONE)
        fprintf(out, "inf");
    else
        fprintf(out, "%u", world->fault_retries);
    fprintf(out, ", oom: %u, backoff: %s}\n", world->oom_retries, seconds(world->backoff_ns));
    if (world->give_up_ns != REF_NEVER)
        fprintf(out, "queue: {give_up: %s}\n", seconds(world->give_up_ns));
    if (world->horizon_ns != REF_NEVER) fprintf(out, "horizon: %s\n", seconds(world->horizon_ns));
    write_starts(out, world);
    write_faults(out, world);
    fprintf(out, "trace:\n  jobs:\n");
    for (uint32_t row = 0; row < world->job_count; row++)
        write_job(out, &world->jobs[row], row);
    write_expected(out, world, answer);
}
