/* A loaded experiment: the YAML file after --set, checked, with every default filled in.
 *
 * Loading reads no trace and runs nothing. Everything in struct pt_config is owned by it.
 */
#ifndef PT_EXPERIMENT_CONFIG_H
#define PT_EXPERIMENT_CONFIG_H

#include "models/profiles/profiles.h"
#include "partita/cluster.h"
#include "partita/policy.h"
#include "partita/reader.h"
#include "partita/sim.h"
#include "partita/status.h"
#include "sim/experiment/catalog.h"
#include "sim/experiment/messages.h"
#include "sim/experiment/yaml.h"

/* One tier; a bound that is not set is NaN (ratios) or PT_NEVER (times). */
struct pt_tier {
    const char *name;
    double max_slowdown, max_jct_increase, max_sharing_increase;
    int64_t max_wait_ns, max_jct_ns;
};

struct pt_tenant {
    const char *name;
    double weight;            /* > 0 */
    uint32_t tier;            /* index into tiers, PT_NONE = the default tier */
    struct pt_rank rank;      /* of its jobs that have no priority */
    uint32_t parent;          /* index into tenants, PT_NONE = at the top */
    bool has_children;        /* it is some tenant's parent */
    double over_quota_weight; /* >= 0 */
    /* Millionths of a GPU; PT_QUOTA_NONE as in struct pt_tenant_facts. */
    uint64_t quota, limit, borrowing_limit, lending_limit;
    struct pt_yaml_place place; /* of its name in the file; line 0: it is not declared */
};

/* A tenant that the experiment does not declare: weight 1, no quota, no limit, priority 0. */
struct pt_tenant pt_tenant_undeclared(const char *name);

struct pt_priority_class {
    const char *name;
    struct pt_rank rank;
};

/* Kinds of jobs, as the words of column `kind`. */
enum pt_kind { PT_KIND_TRAINING, PT_KIND_BATCH, PT_KIND_INTERACTIVE, PT_KIND_INFERENCE };
#define PT_KIND_COUNT 4
extern const char *const pt_kind_names[PT_KIND_COUNT];

/* The words of enum pt_preemption_mode, in its order; NULL ends them. */
extern const char *const pt_preemption_mode_names[];

/* How neighbours slow each other down; prepared for a trace by traits.h. */
struct pt_interference_spec {
    const struct pt_interference_ops *ops; /* NULL: none */
    const struct pt_value *params;         /* in the order of ops->params */
    const char *table_name;                /* of `table.file`; NULL = the pairs built in */
    const char *table_text;
    size_t table_length;
    bool given; /* false: the experiment names no model, so it is the default */
};

struct pt_trace_spec {
    const struct pt_reader_ops *reader; /* NULL: `jobs` are inline */
    const char *path;                   /* resolved against the file that names it; NULL = none */
    const char *path_as_written;
    struct pt_value *params;      /* the reader's, in table order */
    uint32_t limit;               /* PT_NONE = all */
    struct pt_trace *inline_jobs; /* finished; NULL unless jobs are inline */
};

/* A file beside the trace that an experiment was read from. */
struct pt_input_file {
    const char *path; /* resolved against the file that names it */
    const char *path_as_written;
};

#define PT_INPUT_FILES_MAX 16

struct pt_config {
    const char *name;
    uint64_t seed;
    struct pt_cluster cluster; /* pools, nodes and down windows */
    struct pt_trace_spec trace;
    const struct pt_policy_ops *policy;
    struct pt_value *policy_params;
    const struct pt_placement_ops *placement;
    struct pt_value *placement_params;
    struct pt_preemption preemption;
    bool preemption_given; /* false: its mode is the policy's own */
    uint32_t tier_count;
    uint32_t default_tier;     /* PT_NONE = sla.default has no bound */
    struct pt_tier *tiers;     /* the default one first, if there is one; then in file order */
    uint32_t tenant_count;     /* >= 1 */
    struct pt_tenant *tenants; /* the first is `default`, declared or not; then in file order */
    uint32_t priority_count;
    struct pt_priority_class *priorities;
    struct pt_retries retries;
    int64_t give_up_ns, horizon_ns, warmup_ns, interval_ns;
    int64_t cold_start_ns[PT_KIND_COUNT]; /* PT_TIME_ABSENT = not given: by profile, else 0 */
    int64_t
        checkpoint_ns; /* of jobs without their own; 0 = a fault loses all, PT_NEVER = nothing */
    struct pt_restore restore;
    struct pt_faults faults;
    double electricity_price;    /* of a kWh; 0 = not counted */
    struct pt_profiles profiles; /* those built in and the experiment's own */
    struct pt_interference_spec interference;
    struct {
        const char *file; /* resolved; NULL = none */
        bool jobs, events, verdicts, series;
    } output;
    const char *source_text; /* the file as it was read, before any --set */
    size_t source_length;
    const char *effective_yaml; /* every key, output.file left out; loads to the same experiment */
    const struct pt_catalog *catalog; /* the GPU models by name; owned */
    uint32_t file_count;              /* the catalogue and others that are no trace */
    struct pt_input_file files[PT_INPUT_FILES_MAX];
    void *owner; /* what the loader allocated */
};

/* `origin_dir`: relative paths start there; NULL = the directory of `path`. `sets` are the
 * PATH=VALUE arguments of --set. On PT_ERR_INPUT up to 20 messages are added to `messages`. */
PT_USE_RESULT enum pt_status pt_config_load(struct pt_config **config, const char *path,
                                            const char *origin_dir, const char *const *sets,
                                            size_t set_count, struct pt_messages *messages);
/* The same from text; `file` is the name that messages show. */
PT_USE_RESULT enum pt_status pt_config_load_text(struct pt_config **config, const char *file,
                                                 const char *text, size_t length,
                                                 const char *origin_dir, const char *const *sets,
                                                 size_t set_count, struct pt_messages *messages);
/* The same from one document of a file that is parsed already; the document and `yaml` are only
 * read. `scenario` allows the key `expect`, checks it and leaves it out of the experiment. */
PT_USE_RESULT enum pt_status
pt_config_load_document(struct pt_config **config, const struct pt_yaml *yaml,
                        const struct pt_yaml_node *document, bool scenario, const char *origin_dir,
                        const char *const *sets, size_t set_count, struct pt_messages *messages);
/* Adds an error of a run of this experiment: one about a parameter of the policy or its placement
 * (error->key) at the place of its value, or where that is missing of the map that lacks it. */
void pt_config_say(const struct pt_config *config, struct pt_messages *messages,
                   const struct pt_error *error);
/* NULL is allowed. */
void pt_config_free(struct pt_config *config);

#endif
