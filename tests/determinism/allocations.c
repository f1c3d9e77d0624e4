/* Between a run's first and last event the engine allocates nothing. The linker sends every
 * allocation of ours through the counters here (--wrap).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/determinism/scenes.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static uint64_t allocations;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

static enum pt_status ignore_series(void *ctx, const struct pt_series_row *row,
                                    struct pt_error *error)
{
    (void)ctx, (void)row, (void)error;
    return PT_OK;
}

static int test(enum scene scene)
{
    struct rig rig;
    uint64_t before = allocations;
    scene_build(&rig, scene, 5000, 1);
    rig.world.recorder.series = ignore_series;
    rig_start(&rig);
    uint64_t started = allocations;
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    uint64_t during = allocations - started;
    printf("%s: %" PRIu64 " allocations before the first event, %" PRIu64
           " until the last of %" PRIu64 "\n",
           scene_name(scene), started - before, during, rig.event_count);
    rig_fini(&rig);
    return during != 0 || started == before; /* a counter that counts nothing proves nothing */
}

int main(void)
{
    int failures = 0;
    for (int s = 0; s < SCENE_COUNT; s++)
        failures += test((enum scene)s);
    return failures != 0;
}
