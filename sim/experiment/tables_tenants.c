/* Keys of who pays and what was promised: `tenants`, `priorities`, `sla`. */
#include "sim/experiment/rows.h"

/* ---- tenants ---- */

static const struct pt_row guarantee_rows[] = {
    VALUE("gpus", NUMBER, "GPUs", NULL, "0", "1e9", 0, "GPU equivalents, to a millionth"), END};
static const struct pt_schema guarantee = {"quota", guarantee_rows, true, NULL, NULL};

static const struct pt_row bound_rows[] = {VALUE("gpus", NUMBER, "GPUs", NULL, "0", "inf", 0,
                                                 "GPU equivalents, to a millionth; inf = no bound"),
                                           END};
static const struct pt_schema bound = {"limit", bound_rows, true, NULL, NULL};

#define AMOUNT(key, schema, help)                                                                  \
    INNER(key, MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &(schema), help)

static const struct pt_row tenant_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "as in the trace's column `tenant`"),
    VALUE("parent", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "the tenant above it, another one of this list; absent = none"),
    VALUE("weight", NUMBER, "", "1", "0.000001", NULL, 0, "share that is fair for it"),
    VALUE("sla", TEXT, "", "default", "1", NULL, 0, "tier of its jobs that name none"),
    VALUE("priority", TEXT, "", "0", "1", NULL, 0,
          "of its jobs that have none: a class of `priorities` or a whole number"),
    AMOUNT("quota", guarantee,
           "what is guaranteed to it, to policies that know quotas; absent = nothing is said"),
    AMOUNT("limit", bound,
           "what its jobs and those of all below it can't pass together under any policy: one that "
           "would is held and holds back nobody; absent = no limit"),
    VALUE("over_quota_weight", NUMBER, "", "1", "0", NULL, 0,
          "its share of what is left beyond all quotas"),
    AMOUNT("borrowing_limit", bound, "what it may hold beyond its quota; absent = no bound"),
    AMOUNT("lending_limit", bound, "what of its quota others may hold; absent = all of it"),
    END};
const struct pt_schema pt__schema_tenant = {"tenant", tenant_rows, false, NULL, "name"};

/* ---- priorities ---- */

static const char *const preempts[] = {"lower", "never", NULL};

static const struct pt_row priority_rows[] = {
    VALUE("value", INT, "", NULL, NULL, NULL, 0, "higher first"),
    {.param = {"preempts", PT_PARAM_CHOICE, "", "lower", NULL, NULL, preempts,
               "whom its jobs may stop: those of lower priority, or nobody (they still go ahead)"},
     .shape = PT_SHAPE_SCALAR},
    VALUE("preemptible", BOOL, "", "true", NULL, NULL, 0, "whether its jobs may be stopped"),
    END};
const struct pt_schema pt__schema_priority = {"priority class", priority_rows, true, NULL, NULL};

/* ---- SLA ---- */

static const struct pt_row tier_rows[] = {
    VALUE("max_slowdown", NUMBER, "", "inf", "1", "inf", 0, "JCT / time alone"),
    VALUE("max_jct_increase", NUMBER, "", "inf", "0", "inf", 0, "JCT / time alone - 1"),
    VALUE("max_sharing_increase", NUMBER, "", "inf", "0", "inf", 0,
          "running time / time alone - 1, waiting left out"),
    VALUE("max_wait", DURATION, "s", "inf", "0", "inf", 0, "first start - submission"),
    VALUE("max_jct", DURATION, "s", "inf", "0", "inf", 0, "end - submission"),
    END};
static const struct pt_schema tier = {"tier", tier_rows, false, NULL, NULL};

static const struct pt_row sla_rows[] = {
    INNER("default", MAP, "", NULL, NULL, 0, &tier, "bounds of whoever has no tier"),
    INNER("tiers", NAMED, "", NULL, NULL, 0, &tier, "tiers by name; no bound = always met"), END};
const struct pt_schema pt__schema_sla = {"sla", sla_rows, false, NULL, NULL};
