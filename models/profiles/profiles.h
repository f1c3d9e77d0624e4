/* Interference profiles: what the laws know of a type of job, measured alone or fitted.
 *
 * A profile is a name with one or more rows, one for each law and type of GPU that its figures were
 * fitted for; another law's or another GPU's row is a guess that the loader must say
 * (struct pt_profile_pick). The built-in table is models/profiles/profiles.csv, compiled in, with a
 * source a row; an experiment's own rows stand beside them, and a name of its own hides the
 * built-in rows of that name.
 */
#ifndef PT_MODELS_PROFILES_PROFILES_H
#define PT_MODELS_PROFILES_PROFILES_H

#include "models/interference/interference.h"
#include "partita/catalog.h"
#include "partita/status.h"

/* The law that u and kappa were fitted for. */
enum pt_law {
    PT_LAW_TURNS, /* 4.1, with g = 1 */
    PT_LAW_RANK1, /* 4.2, uncapped */
    PT_LAW_PNORM, /* 4.2 capped and 4.3 */
    PT_LAW_ANY    /* not said */
};

/* "turns", "rank1", "pnorm", "any". */
const char *pt_law_name(enum pt_law law);
/* The law of this word; PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt_law_parse(enum pt_law *law, const char *text, size_t length,
                                          struct pt_error *error);
/* The law that `fitted` takes for a job of this kind where it shares so; `capped` as in struct
 * pt_need. Of a job alone on a MIG instance: pnorm. */
enum pt_law pt_law_of(enum pt_sharing sharing, bool instance, bool capped, bool inference,
                      const struct pt_fitted_options *options);

struct pt_profile {
    const char *name;
    const char *gpu; /* a GPU's name or family; NULL = any */
    enum pt_law law;
    double u, kappa;
    uint8_t p;          /* 0 = by the job's kind */
    double busy;        /* NaN = u, at most 1 */
    double membw, pcie; /* 0 where nobody knows */
    uint32_t mem_mib;   /* PT_NONE = not known */
    double power_w;     /* above idle; 0 where nobody knows */
    enum pt_speed_class class_;
    double f_c, f_m; /* NaN = not known */
    const char *source;
    uint32_t type; /* place of the name among all names */
};

/* A row with nothing known but what is 0 or absent: kappa 1, law any, class mixed. */
struct pt_profile pt_profile_blank(void);

/* All rows, those of one name together, in the order in which names came. */
struct pt_profiles {
    struct pt_profile *rows;
    uint32_t count;
    const char **type_names;
    uint32_t type_count;
    char *text; /* holds the words */
};

/* Reads a table in the format of profiles.csv: first line the columns name, gpu, law, u, kappa, p,
 * busy, membw, pcie, mem_mib, power_w, class, f_c, f_m, source; empty cells are not known; lines
 * that start with # are remarks. `file` names it in errors. Errors: PT_ERR_INPUT with line and
 * column, PT_ERR_MEMORY. Freed by pt_profiles_fini. */
PT_USE_RESULT enum pt_status pt_profiles_parse(struct pt_profiles *profiles, const char *text,
                                               size_t length, const char *file,
                                               struct pt_error *error);
/* The built-in rows and, hiding those of the same name, the user's `own`, whose words stay
 * borrowed. Built-in names keep their types whatever is added. */
PT_USE_RESULT enum pt_status pt_profiles_init(struct pt_profiles *profiles,
                                              const struct pt_profile *own, uint32_t own_count,
                                              struct pt_error *error);
void pt_profiles_fini(struct pt_profiles *profiles);

/* Type of a profile's name, PT_NONE if there is none. */
uint32_t pt_profiles_find(const struct pt_profiles *profiles, const char *name);

struct pt_profile_pick {
    const struct pt_profile *row; /* never NULL for a type of the table */
    bool other_gpu, other_law;    /* fitted for another GPU's family, another law */
};

/* The row of a type for this GPU and law: of the same GPU's name or family before others, of the
 * same law before others, then the first. */
struct pt_profile_pick pt_profiles_pick(const struct pt_profiles *profiles, uint32_t type,
                                        const struct pt_gpu_model *gpu, enum pt_law law);

/* What the laws need of a job with this row. `speed`: of its GPU against the row's, for the row's
 * class, 1 for the same (pt_u_on_faster is applied). `inference`: kind inference or interactive.
 * Everything but `rate` is set. */
void pt_profile_traits(struct pt_traits *traits, const struct pt_profile *row, double speed,
                       bool inference, const struct pt_fitted_options *options);
/* The same of a job without profile that drew (u, kappa) from a mix, or whose utilisation is in the
 * trace; busy NaN = u. */
void pt_drawn_traits(struct pt_traits *traits, double u, double kappa, double busy, bool inference,
                     const struct pt_fitted_options *options);

#endif
