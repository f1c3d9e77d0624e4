/* What every mode whose GPUs are counted (all but MIG) keeps, over random settings and jobs. */
#include "tests/unit/models/modes.h"

#include <criterion/criterion.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

#define WORLDS 2000

static const char *pick(gsl_rng *rng, const char *const *words)
{
    unsigned count = 0;
    while (words[count])
        count++;
    return words[gsl_rng_uniform_int(rng, count)];
}

static void draw_exclusive(char *out, size_t size, gsl_rng *rng)
{
    (void)rng;
    snprintf(out, size, "%s", "");
}

static void draw_time_slice(char *out, size_t size, gsl_rng *rng)
{
    static const char *const memory[] = {"unchecked", "admit", NULL};
    snprintf(out, size, "replicas=%lu switch_loss=%.2f memory=%s",
             1 + gsl_rng_uniform_int(rng, MODE_RESIDENTS), 0.5 * gsl_rng_uniform(rng),
             pick(rng, memory));
}

static void draw_mps(char *out, size_t size, gsl_rng *rng)
{
    snprintf(out, size, "replicas=%lu driver=%s", 1 + gsl_rng_uniform_int(rng, 48),
             gsl_rng_uniform_int(rng, 2) ? "r590" : "r580");
}

static void draw_vgpu(char *out, size_t size, gsl_rng *rng)
{
    static const char *const schedulers[] = {"best_effort", "equal_share", "fixed_share", NULL};
    int used = snprintf(out, size, "scheduler=%s allow_speedup=%s ", pick(rng, schedulers),
                        gsl_rng_uniform_int(rng, 2) ? "true" : "false");
    bool type = gsl_rng_uniform_int(rng, 2) != 0;
    snprintf(out + used, size - (size_t)used, type ? "type=%luc" : "replicas=%lu",
             type ? 2 + gsl_rng_uniform_int(rng, 78) : 1 + gsl_rng_uniform_int(rng, 32));
}

static void draw_fractional(char *out, size_t size, gsl_rng *rng)
{
    static const char *const computes[] = {"none", "time_slicing", "sm_sharing", NULL};
    int used = snprintf(out, size, "compute=%s strict=%s memory=%s", pick(rng, computes),
                        gsl_rng_uniform_int(rng, 2) ? "true" : "false",
                        gsl_rng_uniform_int(rng, 2) ? "admit" : "unchecked");
    if (gsl_rng_uniform_int(rng, 2))
        snprintf(out + used, size - (size_t)used, " replicas=%lu",
                 1 + gsl_rng_uniform_int(rng, 200));
}

static const struct {
    const char *mode;
    void (*draw)(char *out, size_t size, gsl_rng *rng);
} modes[] = {{"exclusive", draw_exclusive},
             {"time_slice", draw_time_slice},
             {"mps", draw_mps},
             {"vgpu", draw_vgpu},
             {"fractional", draw_fractional}};

/* Jobs come until the GPU is full, counted as the engine counts. */
static void fill(struct company *company, const struct mode *mode, gsl_rng *rng)
{
    uint64_t capacity = 0, mib = 0;
    uint32_t tries = 1 + (uint32_t)gsl_rng_uniform_int(rng, MODE_RESIDENTS);
    *company = (struct company){0};
    while (tries-- > 0 && company->count < MODE_RESIDENTS &&
           company->count < mode->shape.residents_max) {
        struct pt_need need;
        uint32_t frac = gsl_rng_uniform_int(rng, 3)
                            ? 1 + (uint32_t)gsl_rng_uniform_int(
                                      rng, gsl_rng_uniform_int(rng, 2) ? 200000 : PT_PPM_ONE)
                            : PT_NONE;
        uint32_t mem =
            gsl_rng_uniform_int(rng, 2) ? (uint32_t)gsl_rng_uniform_int(rng, 20000) : PT_NONE;
        uint32_t processes =
            gsl_rng_uniform_int(rng, 4) ? 1 : 1 + (uint32_t)gsl_rng_uniform_int(rng, 3);
        if (mode_need(&need, mode, frac, mem, processes) != PT_REASON_NONE) continue;
        if (capacity + need.capacity > mode->shape.capacity) continue;
        if (mode->shape.memory_admits && mib + need.mem_mib > mode->shape.gpu->mem_mib) continue;
        capacity += need.capacity;
        mib += need.mem_mib;
        mode_join(company, mode, frac, mem, processes);
    }
}

static double ratio(struct pt_ratio one)
{
    return (double)one.numerator / (double)one.denominator;
}

static void check_need(const struct mode *mode, const struct pt_need *need)
{
    cr_assert_leq(need->capacity, mode->shape.capacity);
    cr_assert_leq(need->mem_mib, mode->shape.gpu->mem_mib);
    cr_assert_eq(need->weightless, need->capacity == 0);
    cr_assert_gt(need->cap.numerator, 0);
    cr_assert_leq(need->cap.numerator, need->cap.denominator);
    cr_assert_leq(need->asked.numerator, need->asked.denominator);
    cr_assert_float_eq(need->asked_share, ratio(need->asked), 1e-12);
    cr_assert_eq(need->capped, need->capped && need->cap.numerator < need->cap.denominator);
    cr_assert_eq(need->profile, PT_PROFILE_NONE);
}

/* Shares of a GPU sum to at most 1 (those of who is admitted by memory alone stand outside), and
 * nobody is faster than it asked for where the mode does not say so. */
static void check_shares(const struct mode *mode, struct company *company)
{
    double sum = 0;
    bool faster = mode->shape.allow_speedup || mode->shape.elastic;
    mode_share(company, mode);
    for (uint32_t i = 0; i < company->count; i++) {
        const struct pt_need *need = &company->needs[i];
        cr_assert_gt(company->shares[i].numerator, 0);
        cr_assert_gt(company->shares[i].denominator, 0);
        cr_assert(faster || company->shares[i].numerator <= company->shares[i].denominator);
        if (need->weightless)
            mode_has(company, i, 1, 1);
        else
            sum += ratio(company->shares[i]) * ratio(need->asked);
    }
    cr_assert_leq(sum, 1 + 1e-12, "%s gives %.17g of a GPU", mode->ops->name, sum);
}

/* Alone on what it asked for a job has exactly its full speed, and leaving gives back the same. */
static void check_alone(const struct mode *mode, const struct company *company)
{
    for (uint32_t i = 0; i < company->count; i++) {
        struct company alone = {.count = 1};
        alone.needs[0] = company->needs[i];
        alone.residents[0].need = &alone.needs[0];
        mode_share(&alone, mode);
        if (company->needs[i].as_asked || company->needs[i].weightless ||
            mode->shape.sharing == PT_SHARING_TURNS || mode->shape.sharing == PT_SHARING_ALONE)
            mode_has(&alone, 0, 1, 1);
        check_need(mode, &company->needs[i]);
    }
}

Test(modes, share_a_gpu_and_no_more)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 20261130);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        uint32_t residents = 0;
        for (int world = 0; world < WORLDS; world++) {
            char params[160];
            struct mode mode;
            struct company company;
            modes[m].draw(params, sizeof params, rng);
            mode_must(&mode, modes[m].mode, &rig_h100, params);
            fill(&company, &mode, rng);
            residents += company.count;
            if (company.count == 0) continue;
            check_shares(&mode, &company);
            check_alone(&mode, &company);
        }
        cr_assert_gt(residents, WORLDS / 2, "%s: hardly anybody came", modes[m].mode);
    }
    gsl_rng_free(rng);
}

/* Where a job has the GPU or a turn of it, its memory is its own, of however many processes. */
static bool counts_processes(const struct mode *mode)
{
    return strcmp(mode->ops->name, "exclusive") != 0 && strcmp(mode->ops->name, "time_slice") != 0;
}

/* What is too large for 32 bits is refused, never wrapped around. */
Test(modes, refuse_what_overflows)
{
    static const uint32_t large[] = {PT_NONE - 1, PT_NONE - 2, 1u << 31, 81560};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (int world = 0; world < 50; world++) {
            char params[160];
            struct mode mode;
            struct pt_need need;
            modes[m].draw(params, sizeof params, rng);
            mode_must(&mode, modes[m].mode, &rig_h100, params);
            for (size_t i = 0; i < sizeof large / sizeof *large; i++)
                for (size_t j = 0; j < sizeof large / sizeof *large; j++) {
                    cr_assert_neq(mode_need(&need, &mode, PT_NONE, large[i], 1), PT_REASON_NONE);
                    cr_assert_neq(mode_need(&need, &mode, PT_PPM_ONE, large[i], large[j]),
                                  PT_REASON_NONE);
                    if (!counts_processes(&mode)) continue;
                    cr_assert_neq(mode_need(&need, &mode, PT_NONE, 2, large[j]), PT_REASON_NONE);
                }
        }
    gsl_rng_free(rng);
}
