/* Slurm's accounts and users of a run: tenants are accounts, users are the users under them, and a
 * tenant's jobs without a user are one user more. Jobs are charged while units serve them. */
#ifndef PT_FAIR_ACCOUNTS_H
#define PT_FAIR_ACCOUNTS_H

#include "partita/policy.h"
#include "policies/fair/intern.h"
#include "policies/fair/tree.h"

struct pt_account_options {
    int64_t half_life_ns;         /* PT_NEVER = no decay */
    int64_t recalculate_ns;       /* factors are as of its latest multiple; 0 = as of now */
    bool classic;                 /* else Fair Tree */
    double dampening;             /* of classic */
    uint64_t cpu_ppm, memory_ppm; /* charged for a CPU and a GiB, in millionths of a GPU */
};

struct pt_accounts {
    struct pt_account_options options; /* set by the caller first */
    struct pt_fair_tree tree;
    uint32_t first_leaf; /* node of leaf 0 */
    uint32_t leaf_count;
    uint8_t *charged;       /* by job: the pool it is charged for + 1, 0 = none */
    struct pt_intern users; /* (tenant, user) by leaf, until pt__accounts_built */
    int64_t ranked_ns;      /* the time that the factors are of */
};

/* Reads the trace's users. On failure fini is still owed. */
PT_USE_RESULT enum pt_status pt__accounts_init(struct pt_accounts *accounts,
                                               const struct pt_ctx *ctx, struct pt_error *error);
/* The leaf that a job is charged to; before pt__accounts_built alone. */
uint32_t pt__accounts_leaf(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job);
/* Nobody asks for leaves any more. */
void pt__accounts_built(struct pt_accounts *accounts);
void pt__accounts_fini(struct pt_accounts *accounts);

/* Brings the factors to now, or to the latest multiple of recalculate_ns. O(accounts and users). */
void pt__accounts_rank(struct pt_accounts *accounts, int64_t now_ns);
/* The same for these leaves alone: how their factors compare is right. For Fair Tree as of now, not
 * for a grid. O(leaves x depth). */
void pt__accounts_rank_some(struct pt_accounts *accounts, int64_t now_ns, const uint32_t *leaf,
                            uint32_t count);
/* A leaf's fair-share factor of the latest ranking. */
static inline double pt__accounts_factor(const struct pt_accounts *accounts, uint32_t leaf)
{
    return accounts->tree.node[accounts->first_leaf + leaf].factor;
}
/* The job holds what it holds now, or nothing any more. */
void pt__accounts_charge(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job,
                         uint32_t leaf);
void pt__accounts_uncharge(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job,
                           uint32_t leaf);

#endif
