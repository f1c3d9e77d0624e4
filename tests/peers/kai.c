/* KAI-Scheduler's division of GPUs among queues, queue by queue, as its proportion plugin computes
 * it (kai-scheduler/KAI-Scheduler at d5bc503): its own table of cases, its documentation's, and
 * whatever other files of cases lie beside them. At that version whole GPUs that rounding left at a
 * high priority were given out after the lower ones had got theirs, and also to queues that needed
 * less than a whole one.
 *
 *   peer_kai
 *
 * Every share and every rest must be equal to the last bit. Skips where the shared reference data
 * is not there.
 */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/queues/kai_share.h"
#include "tests/support/rig.h"

#define QUEUES_MAX 4096u

/* A queue of a case: where it stands there, and what breaks ties. */
struct entry {
    const char *uid;
    uint32_t index;
    double created, expected;
    struct pt_kai_queue queue;
};

static double number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

/* An amount where nothing, null and -1 stand for unlimited. */
static double amount(const json_t *object, const char *key)
{
    double value = number(object, key, -1);
    return value < 0 ? PT_KAI_UNLIMITED : value;
}

static int by_age(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->created < b->created || a->created > b->created) return a->created < b->created ? -1 : 1;
    return strcmp(a->uid, b->uid);
}

/* Sums of fractions depend on their order: within a priority it is that of the case. */
static int by_priority(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->queue.priority != b->queue.priority)
        return a->queue.priority > b->queue.priority ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void read_queue(struct entry *entry, const json_t *from, const json_t *expected)
{
    const char *uid = json_string_value(json_object_get(from, "uid"));
    *entry = (struct entry){.uid = uid == NULL ? "" : uid,
                            .created = number(from, "created", 0),
                            .expected = json_number_value(expected),
                            .queue = {.deserved = amount(from, "deserved"),
                                      .limit = amount(from, "max_allowed"),
                                      .request = number(from, "request", 0),
                                      .weight = number(from, "over_quota_weight", 0),
                                      .usage = number(from, "usage", 0),
                                      .priority = (int64_t)number(from, "priority", 0)}};
}

static bool equal(double a, double b)
{
    return a >= b && a <= b;
}

/* True if the case came out as the peer's. */
static bool check(const char *file, const json_t *given)
{
    static struct entry entries[QUEUES_MAX];
    static struct pt_kai_queue queues[QUEUES_MAX];
    static uint32_t heap[QUEUES_MAX];
    const json_t *list = json_object_get(given, "queues");
    const json_t *expected = json_object_get(given, "expected_share");
    const char *name = json_string_value(json_object_get(given, "name"));
    uint32_t count = (uint32_t)json_array_size(list);
    if (count == 0 || count > QUEUES_MAX || json_array_size(expected) != count)
        rig_die("%s: case %s: not as expected", file, name);
    for (uint32_t i = 0; i < count; i++)
        read_queue(&entries[i], json_array_get(list, i), json_array_get(expected, i));
    for (uint32_t i = 0; i < count; i++)
        entries[i].index = i;
    qsort(entries, count, sizeof *entries, by_age);
    for (uint32_t i = 0; i < count; i++)
        entries[i].queue.age = i;
    qsort(entries, count, sizeof *entries, by_priority);
    for (uint32_t i = 0; i < count; i++)
        queues[i] = entries[i].queue;
    struct pt_kai_rules rules = {
        .k = number(given, "k", 0), .leftovers_last = true, .leftovers_whole = true};
    double rest = pt__kai_divide(queues, count, number(given, "total", 0), &rules, heap);
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        if (equal(queues[i].share, entries[i].expected)) continue;
        if (right)
            printf("%s, case %s: queue %s gets %.17g, the peer says %.17g\n", file, name,
                   entries[i].uid, queues[i].share, entries[i].expected);
        right = false;
    }
    const json_t *left = json_object_get(given, "expected_remaining");
    if (json_is_number(left) && !equal(rest, json_number_value(left))) {
        printf("%s, case %s: %.17g is left, the peer says %.17g\n", file, name, rest,
               json_number_value(left));
        right = false;
    }
    return right;
}

static void check_file(const char *path, const char *name, uint32_t *cases, uint32_t *wrong)
{
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error);
    if (!json_is_array(all)) rig_die("%s: %s", path, all == NULL ? error.text : "not a list");
    for (size_t i = 0; i < json_array_size(all); i++, ++*cases)
        *wrong += !check(name, json_array_get(all, i));
    json_decref(all);
}

int main(void)
{
    const char *shared = getenv("PARTITA_SHARED");
    char folder[2048], path[4096];
    uint32_t cases = 0, wrong = 0;
    snprintf(folder, sizeof folder, "%s/reference/peers/kai_fairshare",
             shared != NULL ? shared : "../shared");
    DIR *files = opendir(folder);
    if (files == NULL) {
        printf("skipped: %s is not there\n", folder);
        return 77;
    }
    for (const struct dirent *file; (file = readdir(files)) != NULL;) {
        size_t length = strlen(file->d_name);
        if (length < 5 || strcmp(file->d_name + length - 5, ".json") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        check_file(path, file->d_name, &cases, &wrong);
    }
    closedir(files);
    if (cases == 0) rig_die("%s: no cases", folder);
    printf("%u cases, %u differ from the peer\n", cases, wrong);
    return wrong != 0;
}
