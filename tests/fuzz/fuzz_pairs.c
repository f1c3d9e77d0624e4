/* Tables of pairs and of profiles.
 * parses: models/rows.c models/pairs/pairs.c models/profiles/profiles.c models/interference/table.c
 *
 * Beside not crashing: what is refused is refused with its place; what is accepted holds figures
 * that the laws can be asked with; and a model made of the table answers with slow-downs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/interference/interference.h"
#include "models/pairs/pairs.h"
#include "models/profiles/profiles.h"
#include "partita/unit.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_error(enum pt_status status, const struct pt_error *error)
{
    if (status == PT_OK) return;
    PROMISE(status == PT_ERR_INPUT);
    PROMISE(error->message[0] != '\0');
}

/* The rows as an experiment's own, beside the built-in ones. */
static void hide_built_in(const struct pt_profiles *own)
{
    struct pt_profiles all;
    struct pt_error error;
    PROMISE(pt_profiles_init(&all, own->rows, own->count, &error) == PT_OK);
    for (uint32_t i = 0; i < own->count; i++) {
        uint32_t type = pt_profiles_find(&all, own->rows[i].name);
        PROMISE(type != PT_NONE && type < all.type_count);
    }
    pt_profiles_fini(&all);
}

static void read_profiles(const char *text, size_t size)
{
    struct pt_profiles profiles;
    struct pt_error error = {0};
    enum pt_status status = pt_profiles_parse(&profiles, text, size, "fuzz.csv", &error);
    check_error(status, &error);
    if (status != PT_OK) return;
    struct pt_fitted_options options = pt_fitted_defaults();
    const struct pt_gpu_model gpu = {.name = "v100-16gb", .family = "v100"};
    for (uint32_t i = 0; i < profiles.count; i++) {
        const struct pt_profile *row = &profiles.rows[i];
        struct pt_traits traits;
        pt_profile_traits(&traits, row, 0.5, false, &options);
        PROMISE(pt_profiles_find(&profiles, row->name) == row->type);
        PROMISE(traits.u >= 0 && traits.kappa > 0 && traits.kappa_g > 0 && traits.busy <= 1);
        PROMISE(traits.p == 1 || traits.p == 2 || traits.p == 4);
        enum pt_law law;
        const char *word = pt_law_name(row->law);
        PROMISE(pt_law_parse(&law, word, strlen(word), &error) == PT_OK && law == row->law);
        struct pt_profile_pick pick = pt_profiles_pick(&profiles, row->type, &gpu, row->law);
        PROMISE(pick.row != NULL && pick.row->type == row->type);
    }
    hide_built_in(&profiles);
    pt_profiles_fini(&profiles);
}

static bool read_pairs(const char *text, size_t size)
{
    struct pt__rows rows;
    struct pt_pair pair;
    struct pt_error error = {0};
    bool more = true;
    enum pt_status status = pt_pairs_open(&rows, text, size, "fuzz.csv", &error);
    while (status == PT_OK && more) {
        status = pt_pairs_next(&pair, &rows, &more, &error);
        if (status != PT_OK || !more) break;
        PROMISE(pair.gpu[0] != '\0' && pair.job_a[0] != '\0' && pair.job_b[0] != '\0');
        PROMISE(!pair.fits || (pair.slow_a > 0 && isfinite(pair.slow_a) && pair.slow_b > 0 &&
                               isfinite(pair.slow_b)));
    }
    check_error(status, &error);
    pt__rows_close(&rows);
    return status == PT_OK;
}

/* Two and three of the types x and y on one GPU. */
static void ask(const struct pt_gpu_model *gpu, const void *state)
{
    struct pt_traits traits[3];
    struct pt_need needs[3];
    struct pt_resident residents[3];
    for (uint32_t i = 0; i < 3; i++) {
        traits[i] = (struct pt_traits){
            .u = 0.5, .kappa = 1, .kappa_g = 1, .busy = 0.5, .p = 2, .type = i % 2};
        needs[i] = (struct pt_need){.cap = {1, 1}, .asked = {1, 1}, .asked_share = 1};
        residents[i] = (struct pt_resident){&needs[i], &traits[i]};
    }
    struct pt_partition unit = {
        .gpu = gpu, .share = 1, .sharing = PT_SHARING_SMS, .residents = residents};
    for (unit.count = 1; unit.count <= 3; unit.count++) {
        double slow[3];
        pt_table.unit(slow, &unit, state);
        (void)pt_table.fits(&unit, state);
        for (uint32_t i = 0; i < unit.count; i++)
            PROMISE(slow[i] > 0 && isfinite(slow[i]));
    }
}

static void make_model(const char *text, size_t size, bool sound, int64_t fallback)
{
    static const struct pt_gpu_model gpu = {.name = "g1", .family = "g"};
    static const char *const names[] = {"x", "y"};
    const struct pt_interference_use uses[] = {{&gpu, 0, 2}, {&gpu, 1, 1}};
    struct pt_interference_inputs inputs = {.type_count = 2,
                                            .type_names = names,
                                            .table_name = "fuzz.csv",
                                            .table_text = text,
                                            .table_length = size,
                                            .uses = uses,
                                            .use_count = 2};
    struct pt_value values[2] = {{.text = ""}, {.integer = fallback}};
    struct pt_error error = {0};
    void *state = NULL;
    enum pt_status status = pt_table.prepare(&state, values, &inputs, &error);
    check_error(status, &error);
    PROMISE((status == PT_OK) == (state != NULL));
    PROMISE(sound || status != PT_OK);
    PROMISE(!sound || fallback == 0 || status == PT_OK);
    if (state) ask(&gpu, state);
    pt_table.release(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size > 0 ? (const char *)data : "";
    read_profiles(text, size);
    bool sound = read_pairs(text, size);
    make_model(text, size, sound, 0);
    make_model(text, size, sound, 1);
    return 0;
}
