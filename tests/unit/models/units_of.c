#include "tests/unit/models/units_of.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/rig.h"

const struct pt_mig_profile unit_mig_profiles[5] = {
    {.name = "1g", .compute = 1, .size = 1, .sms = 14},
    {.name = "2g", .compute = 2, .size = 2, .sms = 28},
    {.name = "3g", .compute = 3, .size = 4, .sms = 42},
    {.name = "4g", .compute = 4, .size = 4, .sms = 56},
    {.name = "7g", .compute = 7, .size = 8, .sms = 98}};
static const struct pt_mig mig = {
    .compute = 7, .memory = 8, .profile_count = 5, .full = 4, .profiles = unit_mig_profiles};
const struct pt_gpu_model unit_gpu = {
    .name = "a100", .family = "a100", .tdp_w = 400, .idle_w = 60, .mig = &mig};

uint32_t unit_add(struct unit_of *unit, double u, double kappa)
{
    uint32_t i = unit->partition.count++;
    unit->traits[i] = (struct pt_traits){.u = u,
                                         .kappa = kappa,
                                         .kappa_g = kappa,
                                         .busy = u < 1 ? u : 1,
                                         .f_c = NAN,
                                         .f_m = NAN,
                                         .type = PT_NONE,
                                         .p = 2,
                                         .rate = PT_SPEED_ONE};
    unit->needs[i] = (struct pt_need){.cap = {1, 1}, .asked = {1, 1}, .asked_share = 1};
    unit->residents[i] = (struct pt_resident){&unit->needs[i], &unit->traits[i]};
    return i;
}

struct unit_of *unit_of(struct unit_of *unit, enum pt_sharing sharing, uint32_t n)
{
    unit->partition = (struct pt_partition){.gpu = &unit_gpu,
                                            .share = 1,
                                            .sharing = sharing,
                                            .strict = true,
                                            .slots = n > 0 ? n : 1,
                                            .residents = unit->residents};
    for (uint32_t i = 0; i < n; i++)
        unit_add(unit, 1, 1);
    return unit;
}

void unit_cap(struct unit_of *unit, uint32_t i, uint32_t ppm)
{
    unit->needs[i].capped = true;
    unit->needs[i].cap = unit->needs[i].asked = (struct pt_ratio){ppm, PT_PPM_ONE};
    unit->needs[i].asked_share = ppm / 1e6;
}

void unit_on(struct unit_of *unit, unsigned compute)
{
    for (size_t i = 0; i < 5; i++)
        if (unit_mig_profiles[i].compute == compute)
            unit->partition.instance = &unit_mig_profiles[i];
    unit->partition.share = compute / 7.0;
}

void *unit_state(const struct pt_interference_ops *ops, const char *params, uint64_t seed,
                 uint32_t type_count)
{
    struct pt_value values[RIG_VALUES_MAX];
    rig_parse_values(values, ops->params, params);
    struct pt_interference_inputs inputs = {.seed = seed, .type_count = type_count};
    struct pt_error error = {0};
    void *state = NULL;
    enum pt_status status = ops->prepare(&state, values, &inputs, &error);
    cr_assert_eq(status, PT_OK, "%s", error.message);
    return state;
}

void unit_ask(struct unit_of *unit, const struct pt_interference_ops *ops, const void *state)
{
    ops->unit(unit->slow, &unit->partition, state);
}

void unit_random(struct unit_of *unit, enum pt_sharing sharing, gsl_rng *rng)
{
    unit_of(unit, sharing, 0);
    uint32_t n = 1 + (uint32_t)gsl_rng_uniform_int(rng, 8);
    unit->partition.strict = gsl_rng_uniform_int(rng, 4) > 0;
    unit->partition.slots = n + (uint32_t)gsl_rng_uniform_int(rng, 3);
    unit->partition.switch_loss = gsl_rng_uniform_int(rng, 2) ? 0.2 * gsl_rng_uniform(rng) : 0;
    unit->partition.cap_contention = gsl_rng_uniform_int(rng, 4) ? 0 : 0.2 * gsl_rng_uniform(rng);
    if (gsl_rng_uniform_int(rng, 3) == 0)
        unit_on(unit, (unsigned[]){1, 2, 3, 4, 7}[gsl_rng_uniform_int(rng, 5)]);
    uint32_t left = PT_PPM_ONE;
    for (uint32_t k = 0; k < n; k++) {
        double u = gsl_rng_uniform_int(rng, 5) == 0 ? gsl_rng_uniform(rng) * 0.01
                                                    : gsl_rng_uniform(rng) * 1.1;
        uint32_t i = unit_add(unit, u, exp(2 * gsl_rng_uniform(rng) - 1));
        struct pt_traits *traits = &unit->traits[i];
        traits->p = (uint8_t[]){1, 2, 4}[gsl_rng_uniform_int(rng, 3)];
        traits->busy += (1 - traits->busy) * (gsl_rng_uniform_int(rng, 2) ? 0.5 : 0);
        traits->inference = gsl_rng_uniform_int(rng, 10) == 0;
        traits->power_w = 300 * gsl_rng_uniform(rng);
        traits->pcie = gsl_rng_uniform(rng);
        traits->type = (uint32_t)gsl_rng_uniform_int(rng, 3);
        if (sharing == PT_SHARING_CAPPED_TURNS) {
            uint32_t ppm = 1 + (uint32_t)gsl_rng_uniform_int(rng, left / (n - k));
            left -= ppm;
            unit_cap(unit, i, ppm);
        }
        if (sharing == PT_SHARING_SMS && gsl_rng_uniform_int(rng, 4) == 0)
            unit_cap(unit, i, 1 + (uint32_t)gsl_rng_uniform_int(rng, PT_PPM_ONE));
    }
}

double unit_used(const struct unit_of *unit)
{
    double sum = 0;
    for (uint32_t i = 0; i < unit->partition.count; i++)
        sum += fmin(unit->traits[i].u, 1) / unit->slow[i];
    return sum;
}

double unit_busy(const struct unit_of *unit)
{
    double sum = 0;
    for (uint32_t i = 0; i < unit->partition.count; i++)
        sum += unit->traits[i].busy / unit->slow[i];
    return sum;
}
