#include <math.h>
#include <string.h>

#include "sim/experiment/loader.h"

static double number_or(const struct pt_yaml_node *map, const char *key, double fallback)
{
    const struct pt_yaml_node *node = pt_yaml_get(map, key);
    return node ? node->value.number : fallback;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_profile(struct pt__loader *loader, const struct pt_profile *own, uint32_t count,
                          const struct pt_yaml_node *map)
{
    const struct pt_profile *last = &own[count - 1];
    const struct pt_yaml_node *p = pt_yaml_get(map, "p"), *f_c = pt_yaml_get(map, "f_c");
    if (p && p->value.integer == 3)
        pt__loader_say(loader, p->place, "p: 3 is no norm of the laws: 1, 2 or 4");
    if (!isnan(last->f_c) != !isnan(last->f_m))
        pt__loader_say(loader, map->place, "'f_c' and 'f_m' go together");
    else if (f_c && last->f_c + last->f_m > 1)
        pt__loader_say(loader, f_c->place, "f_c and f_m together are more than 1");
    for (uint32_t i = 0; i + 1 < count; i++)
        if (strcmp(own[i].name, last->name) == 0 && own[i].law == last->law &&
            same_text(own[i].gpu, last->gpu)) {
            pt__loader_say(loader, pt_yaml_get(map, "name")->place,
                           "a second profile with the name '%.64s', the same law and GPU",
                           last->name);
            return;
        }
}

static struct pt_profile make_profile(const struct pt_yaml_node *map)
{
    struct pt_profile profile = pt_profile_blank();
    const struct pt_yaml_node *p = pt_yaml_get(map, "p"), *gpu = pt_yaml_get(map, "gpu");
    const struct pt_yaml_node *memory = pt_yaml_get(map, "mem_gib");
    profile.name = pt_yaml_get(map, "name")->text;
    profile.gpu = gpu ? gpu->text : NULL;
    profile.law = (enum pt_law)pt__loader_value(map, "law")->integer;
    profile.u = pt__loader_value(map, "u")->number;
    profile.kappa = pt__loader_value(map, "kappa")->number;
    profile.p = p ? (uint8_t)p->value.integer : 0;
    profile.busy = number_or(map, "busy", NAN);
    profile.membw = pt__loader_value(map, "membw")->number;
    profile.pcie = pt__loader_value(map, "pcie")->number;
    profile.mem_mib = memory ? (uint32_t)memory->value.integer : PT_NONE;
    profile.power_w = number_or(map, "power_w", 0);
    profile.class_ = (enum pt_speed_class)pt__loader_value(map, "class")->integer;
    profile.f_c = number_or(map, "f_c", NAN);
    profile.f_m = number_or(map, "f_m", NAN);
    profile.source = "this experiment";
    return profile;
}

void pt__load_profiles(struct pt__loader *loader)
{
    const struct pt_yaml_node *list = pt_yaml_get(loader->root, "profiles");
    struct pt_profile *own = pt__loader_alloc(loader, list->count, sizeof *own);
    struct pt_error error;
    uint32_t count = 0;
    if (!own) return;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        own[count++] = make_profile(map);
        check_profile(loader, own, count, map);
    }
    if (pt_profiles_init(&loader->config->profiles, own, count, &error) == PT_OK) return;
    if (error.status == PT_ERR_MEMORY) loader->no_memory = true;
    pt__loader_say(loader, list->place, "%s", error.message);
}
