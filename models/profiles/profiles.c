#include "models/profiles/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "models/rows.h"

enum { NAME, GPU, LAW, U, KAPPA, P, BUSY, MEMBW, PCIE, MEM_MIB, POWER_W, CLASS, F_C, F_M, SOURCE };

static const char *const names[] = {"name", "gpu",   "law",    "u",       "kappa",   "p",
                                    "busy", "membw", "pcie",   "mem_mib", "power_w", "class",
                                    "f_c",  "f_m",   "source", NULL};

static const char *const law_names[] = {"turns", "rank1", "pnorm", "any"};
static const char *const class_names[PT_CLASS_COUNT] = {"compute", "bandwidth", "mixed", "light"};

const char *pt_law_name(enum pt_law law)
{
    return law_names[law];
}

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

enum pt_status pt_law_parse(enum pt_law *law, const char *text, size_t length,
                            struct pt_error *error)
{
    for (int i = PT_LAW_TURNS; i <= PT_LAW_ANY; i++)
        if (is(text, length, law_names[i])) {
            *law = (enum pt_law)i;
            return PT_OK;
        }
    return pt_fail(error, PT_ERR_INPUT, "is unknown (known: turns, rank1, pnorm, any)");
}

enum pt_law pt_law_of(enum pt_sharing sharing, bool instance, bool capped, bool inference,
                      const struct pt_fitted_options *options)
{
    switch (sharing) {
    case PT_SHARING_TURNS:
    case PT_SHARING_EQUAL:
    case PT_SHARING_FIXED:
        return PT_LAW_TURNS;
    case PT_SHARING_SMS:
        if (instance || capped || inference || options->mps == PT_LAW_MPS_PNORM)
            return PT_LAW_PNORM;
        return PT_LAW_RANK1;
    case PT_SHARING_ALONE:
        return instance ? PT_LAW_PNORM : PT_LAW_ANY;
    case PT_SHARING_CAPPED_TURNS:
        break;
    }
    return PT_LAW_PNORM;
}

struct pt_profile pt_profile_blank(void)
{
    return (struct pt_profile){.law = PT_LAW_ANY,
                               .kappa = 1,
                               .busy = NAN,
                               .mem_mib = PT_NONE,
                               .class_ = PT_CLASS_MIXED,
                               .f_c = NAN,
                               .f_m = NAN,
                               .source = ""};
}

static enum pt_status read_class(enum pt_speed_class *class_, const struct pt__rows *rows,
                                 struct pt_error *error)
{
    const char *text = rows->cells[CLASS];
    *class_ = PT_CLASS_MIXED;
    if (text[0] == '\0') return PT_OK;
    for (int i = 0; i < PT_CLASS_COUNT; i++)
        if (strcmp(text, class_names[i]) == 0) {
            *class_ = (enum pt_speed_class)i;
            return PT_OK;
        }
    return pt__rows_fail(rows, CLASS, "is unknown (known: compute, bandwidth, mixed, light)",
                         error);
}

static enum pt_status read_words(struct pt_profile *row, const struct pt__rows *rows,
                                 struct pt_error *error)
{
    row->name = rows->cells[NAME];
    row->gpu = rows->cells[GPU][0] != '\0' ? rows->cells[GPU] : NULL;
    row->source = rows->cells[SOURCE];
    if (row->name[0] == '\0') return pt__rows_fail(rows, NAME, "is empty", error);
    PT_TRY(read_class(&row->class_, rows, error));
    const char *law = rows->cells[LAW];
    row->law = PT_LAW_ANY;
    if (law[0] == '\0') return PT_OK;
    struct pt_error why = {0};
    if (pt_law_parse(&row->law, law, strlen(law), &why) != PT_OK)
        return pt__rows_fail(rows, LAW, why.message, error);
    return PT_OK;
}

static enum pt_status read_row(struct pt_profile *row, const struct pt__rows *rows,
                               struct pt_error *error)
{
    *row = pt_profile_blank();
    double p, mem_mib;
    PT_TRY(read_words(row, rows, error));
    if (rows->cells[U][0] == '\0') return pt__rows_fail(rows, U, "is empty", error);
    PT_TRY(pt__rows_number(&row->u, rows, U, 0, 0, 2, error));
    PT_TRY(pt__rows_number(&row->kappa, rows, KAPPA, 1, 1e-6, 1e6, error));
    PT_TRY(pt__rows_number(&p, rows, P, 0, 1, 4, error));
    PT_TRY(pt__rows_number(&row->busy, rows, BUSY, NAN, 0, 1, error));
    PT_TRY(pt__rows_number(&row->membw, rows, MEMBW, 0, 0, 1, error));
    PT_TRY(pt__rows_number(&row->pcie, rows, PCIE, 0, 0, 1, error));
    PT_TRY(pt__rows_number(&mem_mib, rows, MEM_MIB, (double)PT_NONE, 0, 1e9, error));
    PT_TRY(pt__rows_number(&row->power_w, rows, POWER_W, 0, 0, 1e5, error));
    PT_TRY(pt__rows_number(&row->f_c, rows, F_C, NAN, 0, 1, error));
    PT_TRY(pt__rows_number(&row->f_m, rows, F_M, NAN, 0, 1, error));
    row->p = (uint8_t)p;
    if (p != row->p || row->p == 3) return pt__rows_fail(rows, P, "is not 1, 2 or 4", error);
    row->mem_mib = (uint32_t)mem_mib;
    return PT_OK;
}

uint32_t pt_profiles_find(const struct pt_profiles *profiles, const char *name)
{
    for (uint32_t type = 0; type < profiles->type_count; type++)
        if (strcmp(profiles->type_names[type], name) == 0) return type;
    return PT_NONE;
}

/* Appends a row; there is room. */
static void append(struct pt_profiles *profiles, const struct pt_profile *row)
{
    uint32_t type = pt_profiles_find(profiles, row->name);
    if (type == PT_NONE) {
        type = profiles->type_count++;
        profiles->type_names[type] = row->name;
    }
    profiles->rows[profiles->count] = *row;
    profiles->rows[profiles->count++].type = type;
}

static enum pt_status make_room(struct pt_profiles *profiles, size_t more, struct pt_error *error)
{
    size_t count = profiles->count + more + 1;
    struct pt_profile *rows = realloc(profiles->rows, count * sizeof *rows);
    if (rows) profiles->rows = rows;
    const char **type_names = realloc(profiles->type_names, count * sizeof *type_names);
    if (type_names) profiles->type_names = type_names;
    if (!rows || !type_names) return pt_fail(error, PT_ERR_MEMORY, "no memory for profiles");
    return PT_OK;
}

/* Rows of one name together, names in the order of their types. */
static void gather(struct pt_profiles *profiles)
{
    for (uint32_t i = 1; i < profiles->count; i++) {
        struct pt_profile row = profiles->rows[i];
        uint32_t at = i;
        for (; at > 0 && profiles->rows[at - 1].type > row.type; at--)
            profiles->rows[at] = profiles->rows[at - 1];
        profiles->rows[at] = row;
    }
}

enum pt_status pt_profiles_parse(struct pt_profiles *profiles, const char *text, size_t length,
                                 const char *file, struct pt_error *error)
{
    *profiles = (struct pt_profiles){0};
    struct pt__rows rows;
    struct pt_profile row;
    bool more = true;
    enum pt_status status = pt__rows_open(&rows, text, length, file, names, false, error);
    while (status == PT_OK) {
        status = pt__rows_next(&rows, &more, error);
        if (status != PT_OK || !more) break;
        status = read_row(&row, &rows, error);
        if (status == PT_OK) status = make_room(profiles, 1, error);
        if (status == PT_OK) append(profiles, &row);
    }
    profiles->text = pt__rows_take(&rows);
    if (status == PT_OK) status = make_room(profiles, 0, error);
    if (status == PT_OK)
        gather(profiles);
    else
        pt_profiles_fini(profiles);
    return status;
}

/* Takes the rows of a name out; the name keeps its type. */
static void hide(struct pt_profiles *profiles, uint32_t type)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < profiles->count; i++)
        if (profiles->rows[i].type != type) profiles->rows[kept++] = profiles->rows[i];
    profiles->count = kept;
}

enum pt_status pt_profiles_init(struct pt_profiles *profiles, const struct pt_profile *own,
                                uint32_t own_count, struct pt_error *error)
{
    PT_TRY(pt_profiles_parse(profiles, (const char *)pt_profiles_csv, pt_profiles_csv_length,
                             "models/profiles/profiles.csv", error));
    enum pt_status status = make_room(profiles, (size_t)profiles->type_count + own_count, error);
    if (status != PT_OK) {
        pt_profiles_fini(profiles);
        return status;
    }
    uint32_t built_in = profiles->type_count;
    for (uint32_t i = 0; i < own_count; i++) {
        uint32_t type = pt_profiles_find(profiles, own[i].name);
        if (type < built_in) hide(profiles, type);
    }
    for (uint32_t i = 0; i < own_count; i++)
        append(profiles, &own[i]);
    gather(profiles);
    return PT_OK;
}

void pt_profiles_fini(struct pt_profiles *profiles)
{
    free(profiles->rows);
    free(profiles->type_names);
    free(profiles->text);
    *profiles = (struct pt_profiles){0};
}

static bool is_of(const struct pt_profile *row, const struct pt_gpu_model *gpu)
{
    return row->gpu == NULL || strcmp(row->gpu, gpu->name) == 0 ||
           strcmp(row->gpu, gpu->family) == 0;
}

struct pt_profile_pick pt_profiles_pick(const struct pt_profiles *profiles, uint32_t type,
                                        const struct pt_gpu_model *gpu, enum pt_law law)
{
    struct pt_profile_pick pick = {0};
    int best = -1;
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct pt_profile *row = &profiles->rows[i];
        if (row->type != type) continue;
        bool same_gpu = is_of(row, gpu);
        bool same_law = law == PT_LAW_ANY || row->law == PT_LAW_ANY || row->law == law;
        int score = 2 * same_gpu + same_law;
        if (score <= best) continue;
        best = score;
        pick = (struct pt_profile_pick){row, !same_gpu, !same_law};
    }
    return pick;
}

void pt_drawn_traits(struct pt_traits *traits, double u, double kappa, double busy, bool inference,
                     const struct pt_fitted_options *options)
{
    *traits = (struct pt_traits){.u = u,
                                 .kappa = kappa,
                                 .kappa_g = pt_kappa_to_g(kappa, options->g),
                                 .busy = isnan(busy) ? u : busy,
                                 .f_c = NAN,
                                 .f_m = NAN,
                                 .type = PT_NONE,
                                 .p = inference ? 4 : 2,
                                 .inference = inference};
    if (traits->busy > 1) traits->busy = 1;
}

void pt_profile_traits(struct pt_traits *traits, const struct pt_profile *row, double speed,
                       bool inference, const struct pt_fitted_options *options)
{
    double u = pt_u_on_faster(row->u, speed, options->u_floor);
    double busy = isnan(row->busy) ? u : pt_u_on_faster(row->busy, speed, options->u_floor);
    pt_drawn_traits(traits, u, row->kappa, busy, inference, options);
    /* its kappa is already what turns were measured to be */
    if (row->law == PT_LAW_TURNS) traits->kappa_g = row->kappa;
    traits->membw = row->membw;
    traits->pcie = row->pcie;
    traits->power_w = row->power_w;
    traits->f_c = row->f_c;
    traits->f_m = row->f_m;
    traits->type = row->type;
    if (row->p != 0) traits->p = row->p;
}
