#include "tests/unit/models/modes.h"

#include <criterion/criterion.h>

#include "models/registry.h"

bool mode_make(struct mode *mode, const char *name, const struct pt_gpu_model *gpu,
               const char *params)
{
    *mode = (struct mode){.ops = pt_unit_find(name)};
    cr_assert_not_null(mode->ops, "%s", name);
    rig_parse_values(mode->values, mode->ops->params, params);
    return mode->ops->configure(&mode->shape, gpu, mode->values, &mode->error) == PT_OK;
}

void mode_must(struct mode *mode, const char *name, const struct pt_gpu_model *gpu,
               const char *params)
{
    cr_assert(mode_make(mode, name, gpu, params), "%s %s: %s", name, params, mode->error.message);
}

void mode_refuses(const char *name, const struct pt_gpu_model *gpu, const char *params,
                  const char *message)
{
    struct mode mode;
    cr_assert_not(mode_make(&mode, name, gpu, params), "%s %s is taken", name, params);
    cr_assert_str_eq(mode.error.message, message);
}

enum pt_reason mode_need(struct pt_need *need, const struct mode *mode, uint32_t frac_ppm,
                         uint32_t mem_mib, uint32_t processes)
{
    const struct pt_ask ask = {
        .gpu_frac_ppm = frac_ppm, .gpu_mem_mib = mem_mib, .processes = processes, .gpus = 1};
    return mode->ops->need(need, &mode->shape, &ask);
}

void mode_join(struct company *company, const struct mode *mode, uint32_t frac_ppm,
               uint32_t mem_mib, uint32_t processes)
{
    uint32_t i = company->count++;
    cr_assert_lt(i, MODE_RESIDENTS);
    cr_assert_eq(mode_need(&company->needs[i], mode, frac_ppm, mem_mib, processes), PT_REASON_NONE);
    company->residents[i] = (struct pt_resident){&company->needs[i], NULL};
}

void mode_share(struct company *company, const struct mode *mode)
{
    const struct pt_unit_facts facts = {.shape = &mode->shape,
                                        .count = company->count,
                                        .residents =
                                            mode->shape.uniform ? NULL : company->residents};
    mode->ops->shares(company->shares, &facts);
    for (uint32_t i = 1; mode->shape.uniform && i < company->count; i++)
        company->shares[i] = company->shares[0];
}

void mode_has(const struct company *company, uint32_t i, uint64_t numerator, uint64_t denominator)
{
    const struct pt_ratio *share = &company->shares[i];
    cr_assert((pt_u128)share->numerator * denominator == (pt_u128)share->denominator * numerator,
              "resident %u has %lu/%lu, not %lu/%lu", (unsigned)i, (unsigned long)share->numerator,
              (unsigned long)share->denominator, (unsigned long)numerator,
              (unsigned long)denominator);
}
