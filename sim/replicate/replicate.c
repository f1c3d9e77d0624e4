#include "sim/replicate/replicate.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/results/results.h"
#include "sim/replicate/directory.h"

enum { TELL_EVERY_MS = 100 };

/* How far the run of a seed is. */
struct state {
    bool begun, ended;
    uint32_t jobs_final, job_count;
    uint64_t events;
};

struct pool {
    const struct pt_replicate_request *request;
    struct timespec began;
    pthread_mutex_t lock; /* for what follows, and for calls of `ended` */
    pthread_cond_t left;  /* a thread has no more to do */
    unsigned living;
    size_t next;
    struct state *states; /* by index of the seed */
};

/* One seed: what lives as long as its run. */
struct task {
    struct pool *pool;
    size_t index;
    char *path, *seed_set;
    const char **sets;
    struct pt_config *config;
    struct pt_run *run;
};

/* ---- one run ---- */

static void on_progress(void *ctx, const struct pt_run_progress *progress)
{
    const struct task *task = ctx;
    struct state *state = &task->pool->states[task->index];
    pthread_mutex_lock(&task->pool->lock);
    state->begun = true;
    state->jobs_final = progress->jobs_final;
    state->job_count = progress->job_count;
    state->events = progress->events;
    pthread_mutex_unlock(&task->pool->lock);
}

/* The texts that are the task's own: its file and its seed. */
static enum pt_status name(struct task *task, struct pt_error *error)
{
    const struct pt_replicate_request *request = task->pool->request;
    const uint64_t seed = request->seeds->list[task->index];
    enum { ROOM = 32 };
    task->seed_set = malloc(ROOM);
    task->sets = calloc(request->set_count + 1, sizeof *task->sets);
    if (request->directory) task->path = pt_seed_path(request->directory, seed);
    if (!task->seed_set || !task->sets || (request->directory && !task->path))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    snprintf(task->seed_set, ROOM, "seed=%" PRIu64, seed);
    for (size_t i = 0; i < request->set_count; i++)
        task->sets[i] = request->sets[i];
    task->sets[request->set_count] = task->seed_set;
    return PT_OK;
}

/* Loads and prepares; of what is wrong the first message becomes the error. */
static enum pt_status prepare(struct task *task, struct pt_error *error)
{
    const struct pt_replicate_request *request = task->pool->request;
    struct pt_run_options options = request->run;
    struct pt_messages messages;
    options.result_path = task->path;
    options.bad_row = NULL;
    options.progress = on_progress;
    options.ctx = task;
    pt_messages_init(&messages);
    enum pt_status status =
        pt_config_load_text(&task->config, request->file, request->text, request->length,
                            request->origin_dir, task->sets, request->set_count + 1, &messages);
    if (status == PT_OK) status = pt_run_prepare(&task->run, task->config, &options, &messages);
    if (status != PT_OK) (void)pt_fail(error, status, "%s", pt_status_text(status));
    for (unsigned i = 0; i < messages.count && status != PT_OK; i++)
        if (!messages.list[i].warning) {
            *error = messages.list[i].error;
            break;
        }
    pt_messages_fini(&messages);
    return status;
}

/* A whole result supersedes what was kept of an interrupted run of the same seed. */
static void forget_part(const struct task *task)
{
    if (!task->path) return;
    size_t room = strlen(task->path) + 16;
    char *part = malloc(room);
    if (part) {
        pt_results_partial_path(part, room, task->path);
        (void)unlink(part);
    }
    free(part);
}

static void run_seed(struct pool *pool, size_t index)
{
    struct task task = {.pool = pool, .index = index};
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = name(&task, &error);
    if (status == PT_OK) status = prepare(&task, &error);
    if (status == PT_OK) status = pt_run_execute(task.run, &error);
    if (status == PT_OK) {
        error = (struct pt_error){.status = PT_OK};
        forget_part(&task);
    }
    pthread_mutex_lock(&pool->lock);
    pool->states[index].ended = true;
    if (pool->request->ended)
        pool->request->ended(pool->request->ctx, index, task.run ? pt_run_facts(task.run) : NULL,
                             &error);
    pthread_mutex_unlock(&pool->lock);
    pt_run_free(task.run);
    pt_config_free(task.config);
    free((void *)task.sets);
    free(task.seed_set);
    free(task.path);
}

/* ---- all of them ---- */

static void *work(void *ctx)
{
    struct pool *pool = ctx;
    const struct pt_replicate_request *request = pool->request;
    pthread_mutex_lock(&pool->lock);
    while (pool->next < request->seeds->count && !pt_interrupted(request->run.interrupt)) {
        size_t index = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        run_seed(pool, index);
        pthread_mutex_lock(&pool->lock);
    }
    pool->living--;
    pthread_cond_signal(&pool->left);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The lock is held. */
static void sum_up(struct pt_replicate_progress *sum, const struct pool *pool)
{
    size_t count = pool->request->seeds->count, begun = 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *sum = (struct pt_replicate_progress){.run_count = count,
                                          .wall_s =
                                              (double)(now.tv_sec - pool->began.tv_sec) +
                                              1e-9 * (double)(now.tv_nsec - pool->began.tv_nsec)};
    for (size_t i = 0; i < count; i++) {
        const struct state *state = &pool->states[i];
        sum->runs_ended += state->ended;
        sum->jobs_final += state->ended ? state->job_count : state->jobs_final;
        sum->job_count += state->job_count;
        sum->events += state->events;
        begun += state->begun;
    }
    if (begun > 0) sum->job_count += sum->job_count / begun * (count - begun);
}

static void later(struct timespec *when, long ms)
{
    clock_gettime(CLOCK_MONOTONIC, when);
    when->tv_nsec += ms * 1000000L;
    if (when->tv_nsec >= 1000000000L) {
        when->tv_nsec -= 1000000000L;
        when->tv_sec++;
    }
}

/* Until all threads have left; then tells how it ended. */
static void wait_for_all(struct pool *pool)
{
    const struct pt_replicate_request *request = pool->request;
    struct pt_replicate_progress progress;
    struct timespec when;
    pthread_mutex_lock(&pool->lock);
    do {
        int why = 0;
        later(&when, TELL_EVERY_MS);
        while (pool->living > 0 && why != ETIMEDOUT)
            why = pthread_cond_timedwait(&pool->left, &pool->lock, &when);
        sum_up(&progress, pool);
        pthread_mutex_unlock(&pool->lock); /* telling takes as long as a terminal takes */
        if (request->progress) request->progress(request->ctx, &progress);
        pthread_mutex_lock(&pool->lock);
    } while (pool->living > 0);
    pthread_mutex_unlock(&pool->lock);
}

/* Starts as many threads as can be had, at least one, with every signal blocked. */
static enum pt_status start(pthread_t *threads, unsigned *started, struct pool *pool,
                            struct pt_error *error)
{
    sigset_t all, before;
    int why = 0;
    *started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&pool->lock); /* `living` counts them before they can leave */
    while (*started < pool->request->threads && why == 0) {
        why = pthread_create(&threads[*started], NULL, work, pool);
        if (why == 0) *started += 1;
    }
    pool->living = *started;
    pthread_mutex_unlock(&pool->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (*started > 0) return PT_OK;
    return pt_fail(error, PT_ERR_MEMORY, "can't start a thread: %s", strerror(why));
}

static void init_lock(struct pool *pool)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->left, &attributes);
    pthread_condattr_destroy(&attributes);
}

unsigned pt_replicate_threads(unsigned asked, size_t seed_count)
{
    if (!pt_results_have_threads()) return 1;
    return seed_count < asked ? (unsigned)seed_count : asked;
}

enum pt_status pt_replicate(const struct pt_replicate_request *request, struct pt_error *error)
{
    struct pool pool = {.request = request};
    assert(request->threads >= 1);
    unsigned started = 0;
    pthread_t *threads = calloc(request->threads, sizeof *threads);
    pool.states = calloc(request->seeds->count, sizeof *pool.states);
    enum pt_status status = PT_OK;
    if (!threads || !pool.states) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    clock_gettime(CLOCK_MONOTONIC, &pool.began);
    init_lock(&pool);
    if (status == PT_OK) status = start(threads, &started, &pool, error);
    if (status == PT_OK) wait_for_all(&pool);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&pool.left);
    pthread_mutex_destroy(&pool.lock);
    free(pool.states);
    free(threads);
    return status;
}
