#include "analysis/compare/condition.h"

#include <string.h>

#include "analysis/stats/metrics.h"
#include "partita/number.h"
#include "partita/suggest.h"

#define BLANKS " \t\r\n"
/* What a word of the grammar ends at. */
#define WORD_ENDS BLANKS "{}=,<>!%"

static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!=", NULL};
static const char *const dimensions[] = {"tenant", "pool", "tier", "kind", NULL};

struct parser {
    struct pt_condition *condition;
    const char *text, *at;
    struct pt_error *error;
};

const char *pt_comparison_text(enum pt_comparison comparison)
{
    return comparisons[comparison];
}

/* Characters of UTF-8 before `at`, and one. */
static uint32_t column_of(const struct parser *p, const char *at)
{
    uint32_t column = 1;
    for (const char *c = p->text; c < at; c++)
        column += ((unsigned char)*c & 0xc0u) != 0x80u;
    return column;
}

#define REFUSE(p, at, ...)                                                                         \
    pt_fail_at((p)->error, PT_ERR_INPUT, NULL, 0, column_of((p), (at)), __VA_ARGS__)

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, BLANKS);
}

/* Of a word that is quoted in a message, so many bytes. */
static int shown(size_t length)
{
    return length > 100 ? 100 : (int)length;
}

static enum pt_status refuse_unknown(struct parser *p, const char *what, const char *word,
                                     size_t length, const char *near, const char *otherwise)
{
    if (near)
        return REFUSE(p, word, "unknown %s '%.*s' (did you mean '%s'?)", what, shown(length), word,
                      near);
    return REFUSE(p, word, "unknown %s '%.*s'%s", what, shown(length), word, otherwise);
}

static enum pt_status parse_metric(struct parser *p)
{
    struct pt_suggestion suggestion;
    const char *word = p->at;
    size_t length = strcspn(word, WORD_ENDS);
    if (length == 0) return REFUSE(p, word, "a condition begins with the name of a metric");
    pt_suggest_begin(&suggestion, word, length);
    for (const struct pt_metric_info *info = pt_metric_infos; info->name; info++) {
        if (strlen(info->name) == length && memcmp(info->name, word, length) == 0) {
            p->condition->metric = info;
            p->condition->metric_column = column_of(p, word);
            p->at += length;
            return PT_OK;
        }
        pt_suggest_offer(&suggestion, info->name);
    }
    return refuse_unknown(p, "metric", word, length, suggestion.best,
                          "; 'partita list metrics' shows them");
}

static enum pt_status parse_dimension(struct parser *p)
{
    const char *word = p->at;
    size_t length = strcspn(word, WORD_ENDS);
    if (length == 0) return REFUSE(p, word, "a label is missing: tenant, pool, tier or kind");
    for (size_t i = 0; dimensions[i]; i++)
        if (strlen(dimensions[i]) == length && memcmp(dimensions[i], word, length) == 0)
            p->condition->dimension = dimensions[i];
    if (p->condition->dimension[0] == '\0')
        return refuse_unknown(p, "label", word, length, pt_suggest(word, length, dimensions),
                              ": it is one of tenant, pool, tier, kind");
    p->at += length;
    return PT_OK;
}

/* A value in quotes of either kind, or bare up to a comma, a brace or blanks before them. */
static enum pt_status parse_value(struct parser *p)
{
    struct pt_condition *condition = p->condition;
    bool quoted = *p->at == '"' || *p->at == '\'';
    const char ends[] = {quoted ? *p->at : ',', quoted ? '\0' : '}', '\0'};
    const char *value = p->at + quoted;
    size_t length = strcspn(value, ends);
    if (value[length] == '\0')
        return REFUSE(p, p->at, quoted ? "a quote without its end" : "a '{' without its '}'");
    p->at = value + length + quoted;
    while (!quoted && length > 0 && strchr(BLANKS, value[length - 1]))
        length--;
    if (length == 0) return REFUSE(p, value, "the value of '%s' is missing", condition->dimension);
    condition->label = value;
    condition->label_length = length;
    condition->label_column = column_of(p, value);
    return PT_OK;
}

static enum pt_status parse_label(struct parser *p)
{
    skip_blanks(p);
    if (*p->at != '{') return PT_OK;
    p->at++;
    skip_blanks(p);
    PT_TRY(parse_dimension(p));
    skip_blanks(p);
    if (*p->at != '=')
        return REFUSE(p, p->at, "a label is followed by '=' and its value: {%s=NAME}",
                      p->condition->dimension);
    p->at++;
    skip_blanks(p);
    PT_TRY(parse_value(p));
    skip_blanks(p);
    if (*p->at == ',')
        return REFUSE(p, p->at,
                      "one label alone: metrics are kept by tenant, pool, tier or kind, not by two "
                      "of them at once");
    if (*p->at != '}') return REFUSE(p, p->at, "a '{' without its '}'");
    p->at++;
    return PT_OK;
}

static enum pt_status parse_comparison(struct parser *p)
{
    static const char *const meant[][2] = {{"=", "=="},  {"=>", ">="}, {"=<", "<="},
                                           {"<>", "!="}, {"!", "!="},  {"===", "=="}};
    const char *word = p->at;
    size_t length = strspn(word, "<>=!"), whole = strcspn(word, BLANKS);
    const char *near = NULL;
    for (size_t i = 0; comparisons[i]; i++) {
        if (strlen(comparisons[i]) != length || memcmp(comparisons[i], word, length) != 0) continue;
        p->condition->comparison = (enum pt_comparison)i;
        p->at += length;
        return PT_OK;
    }
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        if (strlen(meant[i][0]) == length && memcmp(meant[i][0], word, length) == 0)
            near = meant[i][1];
    return refuse_unknown(p, "comparison", word, length > 0 ? length : whole, near,
                          ": it is one of < <= > >= == !=");
}

/* Metrics that are a share of a whole. */
static bool is_share(const struct pt_metric_info *metric)
{
    static const enum pt_metric_id shares[] = {PT_METRIC_sla_satisfaction, PT_METRIC_utilization,
                                               PT_METRIC_allocation, PT_METRIC_fragmentation,
                                               PT_METRIC_jain_fairness};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (metric == &pt_metric_infos[shares[i]]) return true;
    return false;
}

static enum pt_status refuse_sign(struct parser *p, const char *word, size_t length)
{
    if (!p->condition->relative)
        return REFUSE(p, word,
                      "with a '+' it would be a change against a base, in per cent: '%.*s%%'",
                      shown(length), word);
    return REFUSE(p, word, "a percentage is a change against a base and has its sign: '+%.*s%%'%s",
                  shown(length), word,
                  is_share(p->condition->metric) ? "; the share itself is a number from 0 to 1"
                                                 : "");
}

/* A number without its %, in the metric's unit. */
static enum pt_status parse_absolute(struct parser *p, const char *word, size_t length)
{
    struct pt_condition *condition = p->condition;
    bool seconds = strcmp(condition->metric->unit, "s") == 0;
    int64_t ns;
    if (pt_parse_double(&condition->limit, word, length, NULL) != PT_OK) {
        if (!seconds) return REFUSE(p, word, "'%.*s' is not a number", shown(length), word);
        if (pt_parse_duration(&ns, word, length, NULL) != PT_OK)
            return REFUSE(p, word, "'%.*s' is neither a number of seconds nor a duration (15min)",
                          shown(length), word);
        condition->limit = pt_seconds(ns);
    }
    if (word[0] == '+') return refuse_sign(p, word, length);
    if (is_share(condition->metric) && !(condition->limit >= 0 && condition->limit <= 1))
        return REFUSE(p, word, "%s is a share, from 0 to 1", condition->metric->name);
    return PT_OK;
}

static enum pt_status parse_number(struct parser *p)
{
    struct pt_condition *condition = p->condition;
    skip_blanks(p);
    const char *word = p->at;
    size_t length = strcspn(word, BLANKS "%");
    if (length == 0)
        return REFUSE(p, word, "a number is missing behind '%s'",
                      pt_comparison_text(condition->comparison));
    p->at += length;
    skip_blanks(p);
    condition->relative = *p->at == '%';
    if (!condition->relative) return parse_absolute(p, word, length);
    p->at++;
    condition->percent_column = column_of(p, word);
    if (pt_parse_double(&condition->limit, word, length, NULL) != PT_OK)
        return REFUSE(p, word, "'%.*s' is not a number of per cent", shown(length), word);
    return word[0] == '+' || word[0] == '-' ? PT_OK : refuse_sign(p, word, length);
}

enum pt_status pt_condition_parse(struct pt_condition *condition, const char *text,
                                  struct pt_error *error)
{
    struct parser p = {.condition = condition, .text = text, .at = text, .error = error};
    *condition =
        (struct pt_condition){.text = text, .dimension = "", .comparison = PT_COMPARE_GREATER};
    skip_blanks(&p);
    PT_TRY(parse_metric(&p));
    PT_TRY(parse_label(&p));
    skip_blanks(&p);
    if (*p.at == '\0') return PT_OK;
    PT_TRY(parse_comparison(&p));
    PT_TRY(parse_number(&p));
    skip_blanks(&p);
    if (*p.at == '\0') return PT_OK;
    return REFUSE(&p, p.at, "nothing may follow the condition: give each one of its own");
}
