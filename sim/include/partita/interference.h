/* Interference: how much slower jobs run beside each other (models.md, section 4).
 *
 * A model answers in two steps, pure, without time, randomness or allocation: a unit (a GPU, or one
 * MIG instance of it) with its residents -> slow-downs; then the board with all its units -> the
 * same slow-downs times what units still share (power, PCIe). A slow-down is relative to the job
 * alone on the whole GPU of that type, so it is >= 1 where the unit is that GPU or less.
 *
 * `interference: none` is no model: the engine then asks the sharing mode for exact shares.
 *
 * Arithmetic in double with +, -, *, / and sqrt alone, in a fixed order: the same bits everywhere.
 */
#ifndef PARTITA_INTERFERENCE_H
#define PARTITA_INTERFERENCE_H

#include "partita/catalog.h"
#include "partita/param.h"
#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_INTERFERENCE_ABI 2

/* What the laws know of one job on one type of GPU, resolved at load. */
struct pt_traits {
    double u;           /* busy intensity alone on a whole GPU of that type, >= 0 */
    double kappa;       /* kernel-length dominance, > 0, median 1 */
    double kappa_g;     /* kappa to the power g of turns, rounded to 40 bits */
    double busy;        /* b: share of time a kernel is resident, 0..1 */
    double membw, pcie; /* shares of DRAM and PCIe bandwidth used alone, 0..1 */
    double power_w;     /* above idle, at full speed */
    double f_c, f_m;    /* shares of a step bound by SMs and by memory; NaN = not known */
    uint32_t type;  /* its profile's name among all names: for pair tables and residuals; PT_NONE =
                       drawn */
    uint8_t p;      /* 1, 2 or 4: the norm of 4.2 and 4.3 */
    bool inference; /* kind inference or interactive: capped law under MPS */
    uint64_t rate;  /* R in this pool for the job's class, PT_SPEED_ONE = the reference */
};

/* How the residents of a unit share it. */
enum pt_sharing {
    PT_SHARING_ALONE,        /* one resident at most */
    PT_SHARING_TURNS,        /* time slices between whoever has work (4.1) */
    PT_SHARING_CAPPED_TURNS, /* fractional time slicing: weights and caps are fractions */
    PT_SHARING_SMS,          /* MPS: kernels side by side, caps on SMs (4.2) */
    PT_SHARING_EQUAL,        /* vGPU equal share: 1/N of those running, idle time is lost */
    PT_SHARING_FIXED         /* vGPU fixed share: 1/N of the most there can be */
};

struct pt_need;

struct pt_resident {
    const struct pt_need *need;     /* its cap and what it asked for (unit.h) */
    const struct pt_traits *traits; /* NULL under `none` */
};

/* One unit with those of its residents that compute, in order of arrival. */
struct pt_partition {
    const struct pt_gpu_model *gpu;
    const struct pt_mig_profile *instance; /* NULL = the whole GPU */
    double share;                          /* x: SMs of the instance / of 7g; 1 = whole GPU */
    enum pt_sharing sharing;
    bool strict;           /* capped turns: a cap at f, else weights alone */
    uint32_t slots;        /* residents there may be at most (fixed share) */
    double switch_loss;    /* e of turns */
    double cap_contention; /* of MPS with caps */
    uint32_t count;
    const struct pt_resident *residents;
};

/* One term of a slow-down, for `explain speed`: factors multiply to the slow-down. */
struct pt_term {
    const char *name; /* "instance", "cap", "turns", "neighbours", "switch loss", "power", "PCIe" */
    double factor;
};

#define PT_TERMS_MAX 8

/* A type of job (by its profile) that may come to sit on a shared GPU of this model. */
struct pt_interference_use {
    const struct pt_gpu_model *gpu;
    uint32_t type; /* as in struct pt_traits */
    uint32_t jobs; /* of that type: two or more can meet each other */
};

/* What a model may want to know at load besides its parameters. All borrowed until `release`. */
struct pt_interference_inputs {
    uint64_t seed;
    uint32_t type_count; /* names of profiles; traits.type < type_count, or PT_NONE */
    const char *const *type_names;
    const char *table_name; /* the pair table's text and where it comes from; NULL = built in */
    const char *table_text;
    size_t table_length;
    const struct pt_interference_use *uses; /* who can meet whom: same model of GPU */
    uint32_t use_count;
};

struct pt_interference_ops {
    uint32_t abi, size; /* PT_INTERFERENCE_ABI, sizeof(struct pt_interference_ops) */
    const char *name, *summary, *source;
    const struct pt_param *params;
    /* At load: checks the parameters together and makes the model's state, which only `release`
     * frees. Errors: PT_ERR_INPUT, PT_ERR_MEMORY. Both NULL: the model has no state. */
    enum pt_status (*prepare)(void **state, const struct pt_value *params,
                              const struct pt_interference_inputs *inputs, struct pt_error *error);
    void (*release)(void *state); /* NULL is allowed */
    /* Slow-down of each of partition->count >= 1 residents. `state` is the model's, from `prepare`.
     */
    void (*unit)(double *slow, const struct pt_partition *partition, const void *state);
    /* Slow-down of a job alone on a share of a GPU (instance NULL: `share` of its SMs by a cap). */
    double (*alone)(const struct pt_traits *traits, double share,
                    const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                    const void *state);
    /* All units of one GPU; slow[] holds the residents of one after the other and is changed in
     * place. NULL: units share nothing. */
    void (*board)(double *slow, const struct pt_partition *partitions, uint32_t partition_count,
                  const void *state);
    /* The terms of the slow-down (unit and board) of partitions[which].residents[resident], at most
     * PT_TERMS_MAX; returns their number. Their product is the slow-down, but for rounding.
     * `scratch` has room for a number per resident of all partitions. Not for the event loop. */
    uint32_t (*terms)(struct pt_term *terms, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const void *state);
    /* False: these residents are known not to fit into the memory together, and the last one's
     * start fails (out of memory). NULL: nothing is known. */
    bool (*fits)(const struct pt_partition *partition, const void *state);
};

/* A model with what it was prepared with; ops == NULL: `none`. */
struct pt_interference {
    const struct pt_interference_ops *ops;
    const void *state;
};

#ifdef __cplusplus
}
#endif
#endif
