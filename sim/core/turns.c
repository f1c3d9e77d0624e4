#include <gsl/gsl_randist.h>

#include "partita/random.h"
#include "sim/core/engine.h"

/* `fidelity: slices`: turns played one by one, to check the law of turns against (models.md,
 * section 5). Whoever has work on the GPU takes turns of slice_s x kappa^g, first come, first
 * served; a turn that follows somebody else's takes switch_loss longer. A resident that is busy for
 * a share b < 1 of its time has work for a while, then none for a while, both exponential: a closed
 * network of one processor-sharing station. One event per turn: for small worlds of jobs with one
 * GPU each. */

#define PHASE_TURNS 2   /* turns of work between two times away, on average */
#define BUSY_LEAST 1e-6 /* work is done in turns alone: who is never busy would do none */

enum { TURN_NEW, TURN_WAITS, TURN_HAS, TURN_AWAY };

/* One member's place in the turns of its GPU. */
struct pt_turn {
    int64_t until_ns; /* of its turn, or of its time away */
    uint64_t order;   /* who waits: first come, first served */
    double left_ns;   /* work before it goes away */
    double own_ns;    /* work of this turn */
    uint32_t draws;
    uint8_t state;
};

/* One GPU's turns. */
struct pt_turns {
    uint32_t holder, last; /* members; PT_NONE */
    uint64_t order;
};

static bool by_turns(const struct pt_pool *pool)
{
    return pool->shape.sharing == PT_SHARING_TURNS && pool->unit->nested == NULL;
}

static enum pt_status check_jobs(const struct pt_sim *sim, struct pt_error *error)
{
    for (uint32_t c = 0; c < sim->class_count; c++)
        for (uint32_t p = 0; p < sim->pool_count; p++)
            if (sim->classes[c].units > 1 && (sim->classes[c].pools & PT_POOL_BIT(p)) != 0 &&
                by_turns(sim->pools[p].pool))
                return pt_fail(error, PT_ERR_INPUT,
                               "interference.fidelity: slices plays turns of jobs with one GPU "
                               "each, and some that may run in pool %s want %u",
                               sim->pools[p].pool->name, sim->classes[c].units);
    return PT_OK;
}

enum pt_status pt__turns_build(struct pt_sim *sim, struct pt_error *error)
{
    if (sim->world.fidelity != PT_FIDELITY_SLICES) return PT_OK;
    PT_TRY(check_jobs(sim, error));
    uint32_t gpus = sim->world.cluster->gpu_count;
    sim->turn = calloc((size_t)sim->member_capacity + 1, sizeof *sim->turn);
    sim->turns = malloc(((size_t)gpus + 1) * sizeof *sim->turns);
    if (sim->turn == NULL || sim->turns == NULL || !pt_heap_init(&sim->turn_heap, gpus))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for turns");
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
        sim->turns[gpu] = (struct pt_turns){PT_NONE, PT_NONE, 0};
    return PT_OK;
}

bool pt__turns_play(const struct pt_sim *sim, const struct pt_pool *pool)
{
    return sim->turn != NULL && by_turns(pool);
}

void pt__turns_join(struct pt_sim *sim, uint32_t member)
{
    if (sim->turn != NULL) sim->turn[member] = (struct pt_turn){.state = TURN_NEW};
}

void pt__turns_leave(struct pt_sim *sim, uint32_t member)
{
    if (sim->turn == NULL) return;
    struct pt_turns *turns = &sim->turns[sim->member[member].gpu];
    if (turns->holder == member) turns->holder = PT_NONE;
    if (turns->last == member) turns->last = PT_NONE;
}

uint32_t pt__turns_due(struct pt_sim *sim)
{
    uint32_t count = 0;
    while (sim->turn_heap.count > 0 &&
           pt_heap_key_time(pt_heap_top(&sim->turn_heap)) == sim->now_ns) {
        uint32_t gpu = pt_heap_key_item(pt_heap_top(&sim->turn_heap));
        pt_heap_remove(&sim->turn_heap, gpu);
        pt__settle_gpu_dirty(sim, gpu);
        sim->stats.events++;
        count++;
    }
    return count;
}

/* How a job uses the GPU when it is alone there. */
struct habit {
    uint64_t rate;
    double busy, turn_ns;
};

static struct habit habit_of(const struct pt_sim *sim, const struct pt_pool *pool, uint32_t member)
{
    struct habit habit = {pool->rate[PT_CLASS_MIXED], 1, (double)pool->shape.slice_ns};
    if (sim->model == NULL) return habit;
    const struct pt_traits *traits = &sim->model[sim->member[member].live].traits;
    habit.rate = traits->rate;
    if (sim->world.interference.ops == NULL) return habit; /* equal turns */
    habit.busy = traits->busy < 1 ? traits->busy : 1;
    if (habit.busy < BUSY_LEAST) habit.busy = BUSY_LEAST;
    habit.turn_ns *= traits->kappa_g;
    return habit;
}

/* An exponential time of this mean, drawn for the member's job. */
static double drawn(struct pt_sim *sim, uint32_t member, double mean_ns)
{
    pt_rng_seed(sim->rng, sim->world.seed, PT_PURPOSE_TURN,
                (uint64_t)sim->live[sim->member[member].live].job << 32 |
                    sim->turn[member].draws++);
    double ns = pt_round40(gsl_ran_exponential(sim->rng, mean_ns));
    return ns < 1e18 ? ns : 1e18;
}

static void has_work(struct pt_sim *sim, const struct pt_pool *pool, struct pt_turns *turns,
                     uint32_t member)
{
    struct pt_turn *turn = &sim->turn[member];
    struct habit habit = habit_of(sim, pool, member);
    turn->state = TURN_WAITS;
    turn->order = turns->order++;
    turn->left_ns = habit.busy < 1 ? drawn(sim, member, PHASE_TURNS * habit.turn_ns) : 1e18;
}

static void turn_over(struct pt_sim *sim, const struct pt_pool *pool, struct pt_turns *turns)
{
    uint32_t member = turns->holder;
    struct pt_turn *turn = &sim->turn[member];
    struct habit habit = habit_of(sim, pool, member);
    turns->holder = PT_NONE;
    if (habit.busy < 1) turn->left_ns -= turn->own_ns;
    if (turn->left_ns >= 1) {
        turn->state = TURN_WAITS;
        turn->order = turns->order++;
        return;
    }
    double mean_ns = PHASE_TURNS * habit.turn_ns * (1 - habit.busy) / habit.busy;
    turn->state = TURN_AWAY;
    turn->until_ns = sim->now_ns + (int64_t)(drawn(sim, member, mean_ns) + 0.5);
}

/* Who has come, and who has come back; the first of those that wait. */
static uint32_t first_waiting(struct pt_sim *sim, const struct pt_gpu *g,
                              const struct pt_pool *pool, struct pt_turns *turns)
{
    uint32_t first = PT_NONE, m = g->first;
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        struct pt_turn *turn = &sim->turn[m];
        if (!sim->live[sim->member[m].live].computing) continue;
        if (turn->state == TURN_NEW || (turn->state == TURN_AWAY && turn->until_ns <= sim->now_ns))
            has_work(sim, pool, turns, m);
        if (turn->state != TURN_WAITS) continue;
        if (first == PT_NONE || turn->order < sim->turn[first].order) first = m;
    }
    return first;
}

static int64_t next_event(const struct pt_sim *sim, const struct pt_gpu *g)
{
    int64_t next_ns = PT_NEVER;
    uint32_t m = g->first;
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        const struct pt_turn *turn = &sim->turn[m];
        if ((turn->state == TURN_HAS || turn->state == TURN_AWAY) && turn->until_ns < next_ns)
            next_ns = turn->until_ns;
    }
    return next_ns;
}

static void turn_begins(struct pt_sim *sim, const struct pt_gpu *g, const struct pt_pool *pool,
                        struct pt_turns *turns, uint32_t member)
{
    struct habit habit = habit_of(sim, pool, member);
    bool switches = g->computing > 1 && turns->last != member;
    struct pt_turn *turn = &sim->turn[member];
    turn->own_ns = turn->left_ns < habit.turn_ns ? turn->left_ns : habit.turn_ns;
    double wall_ns = turn->own_ns * (switches ? 1 + pool->shape.switch_loss : 1);
    int64_t whole_ns = wall_ns < 1 ? 1 : (int64_t)(wall_ns + 0.5);
    double done_ns = turn->own_ns / habit.busy; /* of its own time alone */
    turn->state = TURN_HAS;
    turn->until_ns = sim->now_ns + whole_ns;
    turns->holder = turns->last = member;
    double ratio = done_ns / (double)whole_ns;
    double speed = (double)habit.rate * ratio;
    sim->turn_speed = speed < 1.8e19 ? (uint64_t)speed : UINT64_C(18000000000000000000);
}

uint32_t pt__turns_ask(struct pt_sim *sim, uint32_t gpu)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_pool *pool = pt__pool_of_node(sim, g->node)->pool;
    struct pt_turns *turns = &sim->turns[gpu];
    uint32_t before = turns->holder;
    if (before != PT_NONE && sim->turn[before].until_ns <= sim->now_ns) turn_over(sim, pool, turns);
    uint32_t next = first_waiting(sim, g, pool, turns);
    bool begins = turns->holder == PT_NONE && next != PT_NONE;
    if (begins) turn_begins(sim, g, pool, turns, next);
    uint32_t m = g->first;
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        if (m == turns->holder && !begins) continue;
        uint64_t speed = m == turns->holder ? sim->turn_speed : 0;
        if (sim->member[m].speed == speed) continue;
        sim->member[m].speed = speed;
        pt__settle_live_dirty(sim, sim->member[m].live);
    }
    int64_t next_ns = next_event(sim, g);
    if (next_ns == PT_NEVER)
        pt_heap_remove(&sim->turn_heap, gpu);
    else
        pt_heap_set(&sim->turn_heap, pt_heap_key(next_ns, gpu, gpu));
    return turns->holder == PT_NONE ? 0 : PT_PPM_ONE;
}
