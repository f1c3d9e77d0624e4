#include "sim/experiment/group.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *pt_group_key(const struct pt_param *param)
{
    const char *dot = strchr(param->name, '.');
    return dot ? dot + 1 : NULL;
}

/* Length of the map's name; the name has a dot. */
static size_t map_length(const struct pt_param *param)
{
    return strcspn(param->name, ".");
}

bool pt_group_has(const struct pt_param *param, const char *map)
{
    size_t length = strlen(map);
    return strncmp(param->name, map, length) == 0 && param->name[length] == '.';
}

static bool same_map(const struct pt_param *a, const struct pt_param *b)
{
    return b->name && strncmp(a->name, b->name, map_length(a) + 1) == 0;
}

const struct pt_param *pt_group_next(const struct pt_param *param)
{
    const struct pt_param *next = param + 1;
    while (pt_group_key(param) && same_map(param, next))
        next++;
    return next;
}

void pt_group_make(struct pt_group *group, const struct pt_param *first)
{
    size_t count = 0, used;
    bool required = false;
    snprintf(group->name, sizeof group->name, "%.*s", (int)map_length(first), first->name);
    used = (size_t)snprintf(group->help, sizeof group->help, "a map, or its first key alone:");
    for (const struct pt_param *param = first; same_map(first, param); param++) {
        assert(count < PT_GROUP_MAX);
        group->rows[count] = (struct pt_row){.param = *param};
        group->rows[count++].param.name = pt_group_key(param);
        required = required || !param->fallback;
        if (used < sizeof group->help)
            used += (size_t)snprintf(group->help + used, sizeof group->help - used, "%s %s",
                                     count > 1 ? "," : "", pt_group_key(param));
    }
    group->rows[count] = (struct pt_row){0};
    group->schema =
        (struct pt_schema){.name = group->name, .rows = group->rows, .scalar_first = true};
    group->row = (struct pt_row){.param = {.name = group->name,
                                           .type = PT_PARAM_TEXT,
                                           .unit = "",
                                           .fallback = required ? NULL : "",
                                           .help = group->help},
                                 .shape = PT_SHAPE_MAP,
                                 .child = &group->schema};
}
