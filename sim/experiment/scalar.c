#include "sim/experiment/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "partita/number.h"
#include "partita/suggest.h"

/* Beyond this a number has no exact millionths. */
#define PPM_NUMBER_MAX 9e12

static bool equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static enum pt_status parse_bool(struct pt_value *value, const char *text, size_t length,
                                 struct pt_error *error)
{
    bool yes = equals(text, length, "true");
    if (!yes && !equals(text, length, "false"))
        return pt_fail(error, PT_ERR_INPUT, "is neither true nor false");
    value->integer = yes;
    return PT_OK;
}

static enum pt_status parse_number(struct pt_value *value, const char *text, size_t length,
                                   struct pt_error *error)
{
    PT_TRY(pt_parse_double(&value->number, text, length, error));
    double clamped = fmax(-PPM_NUMBER_MAX, fmin(PPM_NUMBER_MAX, value->number));
    value->ppm = llround(clamped * 1e6);
    return PT_OK;
}

static enum pt_status parse_choice(struct pt_value *value, const struct pt_param *param,
                                   const char *text, size_t length, struct pt_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; param->choices[i]; i++) {
        if (equals(text, length, param->choices[i])) {
            value->integer = (int64_t)i;
            return PT_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                     param->choices[i]);
    }
    const char *near = pt_suggest(text, length, param->choices);
    if (near) return pt_fail(error, PT_ERR_INPUT, "is unknown (did you mean '%s'?)", near);
    return pt_fail(error, PT_ERR_INPUT, "is unknown (known: %s)", known);
}

/* The value without a look at the row's bounds. */
static enum pt_status parse_any(struct pt_value *value, const struct pt_param *param,
                                const char *text, size_t length, struct pt_error *error)
{
    uint32_t small;
    switch (param->type) {
    case PT_PARAM_BOOL:
        return parse_bool(value, text, length, error);
    case PT_PARAM_INT:
        return pt_parse_int(&value->integer, text, length, INT64_MIN, INT64_MAX, error);
    case PT_PARAM_NUMBER:
        return parse_number(value, text, length, error);
    case PT_PARAM_FRACTION:
        PT_TRY(pt_parse_fraction_ppm(&small, text, length, error));
        value->integer = value->ppm = small;
        return PT_OK;
    case PT_PARAM_DURATION:
        return pt_parse_duration(&value->integer, text, length, error);
    case PT_PARAM_MEMORY:
        PT_TRY(pt_parse_memory(&small, text, length, false, error));
        value->integer = small;
        return PT_OK;
    case PT_PARAM_CHOICE:
        return parse_choice(value, param, text, length, error);
    case PT_PARAM_TEXT:
    case PT_PARAM_WORDS:
        return PT_OK;
    }
    return pt_fail(error, PT_ERR_ARGUMENT, "has no type");
}

static bool may_be_infinite(const struct pt_param *param)
{
    return param->max && strcmp(param->max, "inf") == 0 && param->type != PT_PARAM_TEXT &&
           param->type != PT_PARAM_WORDS;
}

/* -1, 0, 1 as the value is below, at or above the bound; the bound is the table's, so it parses. */
static int compare(const struct pt_param *param, const struct pt_value *value, const char *bound)
{
    struct pt_value limit = {0};
    struct pt_error ignored;
    if (parse_any(&limit, param, bound, strlen(bound), &ignored) != PT_OK) return 0;
    if (param->type == PT_PARAM_NUMBER)
        return (value->number > limit.number) - (value->number < limit.number);
    return (value->integer > limit.integer) - (value->integer < limit.integer);
}

/* The unit to put behind a bound: none behind one that has its own (`1ms`). */
static const char *unit_behind(const struct pt_param *param, const char *bound)
{
    size_t length = strlen(bound);
    bool bare = length == 0 || (bound[length - 1] >= '0' && bound[length - 1] <= '9');
    return bare && param->unit ? param->unit : "";
}

static enum pt_status out_of_range(const struct pt_param *param, const char *what,
                                   const char *bound, struct pt_error *error)
{
    const char *unit = unit_behind(param, bound);
    return pt_fail(error, PT_ERR_INPUT, "%s %s%s%s", what, bound, unit[0] ? " " : "", unit);
}

static enum pt_status check_range(const struct pt_param *param, const struct pt_value *value,
                                  size_t length, struct pt_error *error)
{
    if (param->type == PT_PARAM_TEXT || param->type == PT_PARAM_WORDS) {
        if (param->min && length == 0) return pt_fail(error, PT_ERR_INPUT, "is empty");
        return PT_OK;
    }
    if (param->min && compare(param, value, param->min) < 0)
        return out_of_range(param, "is too small: at least", param->min, error);
    if (param->max && !may_be_infinite(param) && compare(param, value, param->max) > 0)
        return out_of_range(param, "is too large: at most", param->max, error);
    return PT_OK;
}

enum pt_status pt_scalar_parse(struct pt_value *value, const struct pt_param *param,
                               const char *text, size_t length, struct pt_error *error)
{
    *value = (struct pt_value){.text = text};
    if (may_be_infinite(param) && equals(text, length, "inf")) {
        value->integer = value->ppm = PT_SCALAR_INF;
        value->number = INFINITY;
        return PT_OK;
    }
    PT_TRY(parse_any(value, param, text, length, error));
    return check_range(param, value, length, error);
}

const char *pt_scalar_type_text(enum pt_param_type type)
{
    switch (type) {
    case PT_PARAM_BOOL:
        return "true or false";
    case PT_PARAM_INT:
        return "a whole number";
    case PT_PARAM_NUMBER:
        return "a number";
    case PT_PARAM_FRACTION:
        return "a fraction above 0, at most 1";
    case PT_PARAM_DURATION:
        return "a duration";
    case PT_PARAM_MEMORY:
        return "an amount of memory";
    case PT_PARAM_CHOICE:
        return "a choice";
    case PT_PARAM_TEXT:
        return "a text";
    case PT_PARAM_WORDS:
        return "a word or a list of words";
    }
    return "a value";
}

bool pt_scalar_needs_quotes(const char *text, size_t length)
{
    static const char *const words[] = {"true", "false", "yes",  "no", "on", "off",
                                        "y",    "n",     "null", "~",  "<<", "="};
    if (length == 0) return true;
    if ((text[0] >= '0' && text[0] <= '9') || strchr("+-.", text[0])) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) return true;
    return false;
}
