#include "models/profiles/profiles.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"

static const struct pt_gpu_model v100 = {.name = "v100-32gb", .family = "v100"};
static const struct pt_gpu_model k80 = {.name = "k80", .family = "k80"};
static const struct pt_gpu_model a100 = {.name = "a100-sxm4-80gb", .family = "a100"};
static const struct pt_gpu_model h100 = {.name = "h100-sxm5-80gb", .family = "h100"};

static void init(struct pt_profiles *profiles, const struct pt_profile *own, uint32_t count)
{
    struct pt_error error = {0};
    cr_assert_eq(pt_profiles_init(profiles, own, count, &error), PT_OK, "%s:%u: %s", error.file,
                 error.line, error.message);
}

Test(profiles, built_in)
{
    struct pt_profiles profiles;
    init(&profiles, NULL, 0);
    uint32_t gavel = 0, miso = 0, parva = 0, llm = 0;
    for (uint32_t i = 0; i < profiles.count; i++) {
        const struct pt_profile *row = &profiles.rows[i];
        cr_assert_gt(row->u, 0, "%s", row->name);
        cr_assert_gt(strlen(row->source), 5, "%s", row->name);
        cr_assert_str_eq(profiles.type_names[row->type], row->name);
        cr_assert_eq(pt_profiles_find(&profiles, row->name), row->type);
        if (i > 0) cr_assert_geq(row->type, row[-1].type);
        gavel += strncmp(row->source, "Gavel", 5) == 0;
        miso += strncmp(row->name, "miso-", 5) == 0;
        parva += strncmp(row->name, "parva-", 6) == 0;
        llm += strncmp(row->name, "llm-", 4) == 0;
    }
    cr_assert_eq(gavel, 26 + 25);
    cr_assert_eq(miso, 26);
    cr_assert_eq(parva + llm + gavel + miso, profiles.count);
    cr_assert_gt(parva, 50);
    cr_assert_gt(llm, 3);
    cr_assert_eq(pt_profiles_find(&profiles, "nothing"), PT_NONE);
    pt_profiles_fini(&profiles);
}

Test(profiles, picks_the_row_of_gpu_and_law)
{
    struct pt_profiles profiles;
    init(&profiles, NULL, 0);
    uint32_t type = pt_profiles_find(&profiles, "A3C");
    struct pt_profile_pick pick = pt_profiles_pick(&profiles, type, &v100, PT_LAW_RANK1);
    cr_assert(!pick.other_gpu && !pick.other_law && strcmp(pick.row->gpu, "v100") == 0);
    pick = pt_profiles_pick(&profiles, type, &k80, PT_LAW_TURNS);
    cr_assert(!pick.other_gpu && !pick.other_law && strcmp(pick.row->gpu, "k80") == 0);
    pick = pt_profiles_pick(&profiles, type, &k80, PT_LAW_RANK1);
    cr_assert(!pick.other_gpu && pick.other_law && strcmp(pick.row->gpu, "k80") == 0);
    pick = pt_profiles_pick(&profiles, type, &h100, PT_LAW_TURNS);
    cr_assert(pick.other_gpu && !pick.other_law && strcmp(pick.row->gpu, "k80") == 0);
    type = pt_profiles_find(&profiles, "miso-bert-b2");
    pick = pt_profiles_pick(&profiles, type, &a100, PT_LAW_PNORM);
    cr_assert(!pick.other_gpu && !pick.other_law);
    pick = pt_profiles_pick(&profiles, type, &a100, PT_LAW_TURNS);
    cr_assert(!pick.other_gpu && pick.other_law);
    pt_profiles_fini(&profiles);
}

Test(profiles, own_rows_hide_built_in_ones)
{
    struct pt_profile own[2] = {pt_profile_blank(), pt_profile_blank()};
    own[0].name = "A3C";
    own[0].u = 0.25;
    own[1].name = "my-llm";
    own[1].u = 0.8;
    struct pt_profiles before, profiles;
    init(&before, NULL, 0);
    init(&profiles, own, 2);
    uint32_t type = pt_profiles_find(&profiles, "A3C");
    cr_assert_eq(type, pt_profiles_find(&before, "A3C"));
    struct pt_profile_pick pick = pt_profiles_pick(&profiles, type, &v100, PT_LAW_RANK1);
    cr_assert(pick.row->u == 0.25 && !pick.other_gpu && !pick.other_law);
    cr_assert_eq(pt_profiles_find(&profiles, "my-llm"), before.type_count);
    cr_assert_eq(profiles.count, before.count - 2 + 2);
    pt_profiles_fini(&before);
    pt_profiles_fini(&profiles);
}

static void refused(const char *rows, uint32_t line, uint32_t column, const char *message)
{
    char text[1024];
    struct pt_profiles profiles;
    struct pt_error error = {0};
    snprintf(text, sizeof text,
             "name,gpu,law,u,kappa,p,busy,membw,pcie,mem_mib,power_w,class,f_c,f_m,source\n%s",
             rows);
    cr_assert_eq(pt_profiles_parse(&profiles, text, strlen(text), "own", &error), PT_ERR_INPUT);
    cr_assert_null(profiles.rows);
    cr_assert(strstr(error.message, message), "%s", error.message);
    cr_assert(error.line == line && error.column == column, "%u:%u %s", error.line, error.column,
              error.message);
}

Test(profiles, bad_rows_have_their_place)
{
    refused("a,,,0.5,,,,,,,,,,,x\na,,,,,,,,,,,,,,x\n", 3, 5, "u '' is empty");
    refused(",,,1,,,,,,,,,,,\n", 2, 1, "name '' is empty");
    refused("a,,turn,1,,,,,,,,,,,\n", 2, 4, "law 'turn' is unknown");
    refused("a,,,-1,,,,,,,,,,,\n", 2, 5, "u '-1' is not between 0 and 2");
    refused("a,,,1,0,,,,,,,,,,\n", 2, 7, "kappa '0' is not between 1e-06 and 1000000");
    refused("a,,,1,,3,,,,,,,,,\n", 2, 8, "p '3' is not 1, 2 or 4");
    refused("a,,,1,,,,,,,,heavy,,,\n", 2, 14, "class 'heavy' is unknown");
    refused("a,,,1,,,1.5,,,,,,,,\n", 2, 9, "busy '1.5' is not between 0 and 1");
}

Test(profiles, traits)
{
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_profile row = pt_profile_blank();
    struct pt_traits traits;
    row.u = 0.9;
    row.kappa = 4;
    row.law = PT_LAW_RANK1;
    pt_profile_traits(&traits, &row, 1, false, &options);
    cr_assert(traits.u == 0.9 && traits.busy == 0.9 && traits.p == 2 && !traits.inference);
    cr_assert_eq(traits.kappa_g, pt_round40(pow(4, 0.45)));
    row.law = PT_LAW_TURNS;
    row.p = 1;
    pt_profile_traits(&traits, &row, 2, true, &options);
    cr_assert(traits.u == 0.45 && traits.p == 1 && traits.inference && traits.kappa_g == 4);
    pt_profile_traits(&traits, &row, 100, true, &options);
    cr_assert_float_eq(traits.u, 0.27, 1e-15);
    row.u = 1.2;
    pt_profile_traits(&traits, &row, 0.5, true, &options);
    cr_assert(traits.u == 1.2 && traits.busy == 1);
    pt_drawn_traits(&traits, 0.5, 2, NAN, true, &options);
    cr_assert(traits.u == 0.5 && traits.busy == 0.5 && traits.p == 4 && traits.type == PT_NONE);
    cr_assert_eq(pt_u_of_utilisation(0.5, PT_U_FROM_UTIL), 0.5);
    cr_assert_eq(pt_u_of_utilisation(0.5, PT_U_FROM_068_UTIL), 0.34);
    cr_assert_eq(pt_law_of(PT_SHARING_SMS, false, false, false, &options), PT_LAW_RANK1);
    cr_assert_eq(pt_law_of(PT_SHARING_SMS, false, true, false, &options), PT_LAW_PNORM);
    cr_assert_eq(pt_law_of(PT_SHARING_ALONE, true, false, false, &options), PT_LAW_PNORM);
    cr_assert_eq(pt_law_of(PT_SHARING_TURNS, false, false, true, &options), PT_LAW_TURNS);
}

static FILE *open_shared(const char *name)
{
    char path[1024];
    const char *shared = getenv("PARTITA_SHARED");
    if (!shared) shared = "../shared";
    snprintf(path, sizeof path, "%s/reference/interference/%s", shared, name);
    FILE *file = fopen(path, "r");
    if (!file) cr_skip_test("no %s", path);
    return file;
}

/* u = sqrt(S I), kappa = sqrt(I / S) of every row of the fit. */
Test(profiles, gavel_rows_are_the_fit)
{
    char line[256], gpu[16], job[64];
    double step, s, i;
    struct pt_profiles profiles;
    FILE *file = open_shared("gavel/fitted_S_I.csv");
    init(&profiles, NULL, 0);
    uint32_t rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15[^,],%63[^,],%lf,%lf,%lf", gpu, job, &step, &s, &i) != 5) continue;
        uint32_t type = pt_profiles_find(&profiles, job);
        cr_assert_neq(type, PT_NONE, "%s", job);
        bool old = strcmp(gpu, "k80") == 0;
        const struct pt_profile *row =
            pt_profiles_pick(&profiles, type, old ? &k80 : &v100, PT_LAW_ANY).row;
        cr_assert_eq(row->law, old ? PT_LAW_TURNS : PT_LAW_RANK1);
        cr_assert_float_eq(row->u, sqrt(s * i), 6e-5, "%s", job);
        cr_assert_float_eq(row->kappa, sqrt(i / s), 6e-5, "%s", job);
        rows++;
    }
    cr_assert_eq(rows, 51);
    fclose(file);
    pt_profiles_fini(&profiles);
}

/* The laws with each row's figures against MISO's iteration times: p-norm 4.5 % in the mean,
 * additive about 4 % (root mean square, without deepspeech2). */
Test(profiles, miso_rows_meet_the_measurements)
{
    char line[256], slice[16], model[32], name[64];
    unsigned batch, n;
    double median, seconds[32][8] = {{0}};
    uint32_t types[32], count = 0;
    struct pt_profiles profiles;
    FILE *file = open_shared("miso/a100_mig_iteration_time.csv");
    init(&profiles, NULL, 0);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15[^,],%31[^,],%u,%u,%lf", slice, model, &batch, &n, &median) != 5)
            continue;
        snprintf(name, sizeof name, "miso-%s-b%u", model, batch);
        uint32_t type = pt_profiles_find(&profiles, name), at = 0;
        if (type == PT_NONE) continue; /* deepspeech2 b4, b8 */
        while (at < count && types[at] != type)
            at++;
        if (at == count) types[count++] = type;
        seconds[at][slice[0] - '0'] = median;
    }
    fclose(file);
    const int memory[] = {0, 1, 2, 4, 4};
    double off = 0, squares = 0;
    int points = 0, additive_points = 0;
    for (uint32_t at = 0; at < count; at++) {
        const struct pt_profile *row =
            pt_profiles_pick(&profiles, types[at], &a100, PT_LAW_PNORM).row;
        double u = row->u;
        for (int g = 1; g <= 4; g++) {
            if (seconds[at][g] == 0) continue;
            double x = g / 7.0;
            double law = sqrt(1 - u * u + u * u / (x * x));
            off += fabs(law * seconds[at][7] / seconds[at][g] - 1);
            points++;
            double slow = 1 + row->f_c * (7.0 / g - 1) + row->f_m * (8.0 / memory[g] - 1);
            double additive = seconds[at][g] / seconds[at][7] / slow - 1;
            if (strncmp(row->name, "miso-deepspeech2", 16) == 0) continue;
            squares += additive * additive;
            additive_points++;
        }
    }
    double rms = sqrt(squares / additive_points);
    cr_log_info("MISO: p = 2 %.2f %% over %d points, additive %.2f %% rms over %d",
                100 * off / points, points, 100 * rms, additive_points);
    cr_assert_leq(rms, 0.045, "%g", rms);
    cr_assert(count == 26 && points == 90 && off / points <= 0.048, "%u %d %g", count, points,
              off / points);
    pt_profiles_fini(&profiles);
}

/* The same for ParvaGPU's inference servers and p = 4: 4.3 %. */
Test(profiles, parva_rows_meet_the_measurements)
{
    char line[256], model[32], name[64];
    unsigned slice, batch, processes;
    double rate;
    static double rates[64][8];
    uint32_t types[64], count = 0;
    struct pt_profiles profiles;
    FILE *file = open_shared("parvagpu/all.csv");
    init(&profiles, NULL, 0);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%31[^,],%u,%u,%u,%lf", model, &slice, &batch, &processes, &rate) != 5)
            continue;
        snprintf(name, sizeof name, "parva-%s-b%u", model, batch);
        uint32_t type = pt_profiles_find(&profiles, name), at = 0;
        if (processes != 1 || rate == 0 || type == PT_NONE) continue;
        while (at < count && types[at] != type)
            at++;
        if (at == count) types[count++] = type;
        rates[at][slice] = rate;
    }
    fclose(file);
    double off = 0;
    int points = 0;
    for (uint32_t at = 0; at < count; at++) {
        const struct pt_profile *row =
            pt_profiles_pick(&profiles, types[at], &a100, PT_LAW_PNORM).row;
        cr_assert_eq(row->p, 4);
        for (int g = 1; g <= 4; g++) {
            if (rates[at][g] == 0) continue;
            double law = pow(1 - pow(row->u, 4) + pow(row->u * 7 / g, 4), 0.25);
            off += fabs(law * rates[at][g] / rates[at][7] - 1);
            points++;
        }
    }
    cr_log_info("ParvaGPU: p = 4 %.2f %% over %d points", 100 * off / points, points);
    cr_assert(points > 200 && off / points <= 0.045, "%d %g", points, off / points);
    pt_profiles_fini(&profiles);
}

Test(mix, has_the_moments_and_repeats)
{
    const double moments[3][4] = {
        {-0.40, 0.33, 0.58, 0.47}, {-1.4, 0.8, 0.44, -0.54}, {-0.05, 0.15, 0.30, 0.08}};
    enum { N = 40000 };
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (int mix = 0; mix < 3; mix++) {
        double below = 0, kappa_sum = 0, kappa_squares = 0, cross = 0;
        for (uint64_t job = 0; job < N; job++) {
            double u, kappa;
            pt_mix_draw(&u, &kappa, (enum pt_mix)mix, rng, 7, job * UINT64_C(0x9e3779b97f4a7c15));
            cr_assert(u > 0 && u <= PT_MIX_U_MAX && kappa > 0);
            below += log(u) < moments[mix][0];
            kappa_sum += log(kappa);
            kappa_squares += log(kappa) * log(kappa);
            cross += (log(u) < moments[mix][0]) == (kappa < 1);
        }
        double sd = sqrt(kappa_squares / N - kappa_sum * kappa_sum / N / N);
        /* both below or both above their medians: 1/2 + asin(correlation) / pi */
        double same = 0.5 + asin(moments[mix][3]) / acos(-1);
        cr_assert_float_eq(below / N, 0.5, 0.01);
        cr_assert_float_eq(kappa_sum / N, 0, 0.012);
        cr_assert_float_eq(sd / moments[mix][2], 1, 0.015);
        cr_assert_float_eq(cross / N, same, 0.01);
    }
    double u[2], kappa[2];
    pt_mix_draw(&u[0], &kappa[0], PT_MIX_LIGHT, rng, 1, 42);
    pt_mix_draw(&u[1], &kappa[1], PT_MIX_LIGHT, rng, 1, 43);
    cr_assert(u[0] != u[1]);
    pt_mix_draw(&u[1], &kappa[1], PT_MIX_LIGHT, rng, 1, 42);
    cr_assert(u[0] == u[1] && kappa[0] == kappa[1]);
    gsl_rng_free(rng);
}
