#include "tests/peers/peers.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAID_MAX 5u /* differences of a set that are printed */

/* ---- tables ---- */

char *peer_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) return NULL;
    if (fseek(in, 0, SEEK_END) != 0) rig_die("%s can't be read", path);
    long size = ftell(in);
    rewind(in);
    char *text = malloc((size_t)size + 2);
    if (size < 0 || text == NULL || fread(text, 1, (size_t)size, in) != (size_t)size)
        rig_die("%s can't be read", path);
    fclose(in);
    text[size] = '\0';
    return text;
}

static uint32_t count_of(const char *text, size_t length, char wanted)
{
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == wanted;
    return count;
}

bool peer_read(struct peer_table *table, const char *set, const char *name)
{
    snprintf(table->path, sizeof table->path, "%s/%s", set, name);
    table->text = peer_file(table->path);
    if (table->text == NULL) return false;
    uint32_t lines = count_of(table->text, strlen(table->text), '\n') + 1;
    table->columns = count_of(table->text, strcspn(table->text, "\n"), ',') + 1;
    table->cell = calloc((size_t)lines * table->columns, sizeof *table->cell);
    if (table->cell == NULL) rig_die("out of memory");
    uint32_t at = 0;
    for (char *line = table->text, *next; *line != '\0'; line = next) {
        size_t length = strcspn(line, "\r\n");
        next = line + length;
        while (*next == '\r' || *next == '\n')
            *next++ = '\0';
        if (count_of(line, length, ',') + 1 != table->columns)
            rig_die("%s: not %u columns: %s", table->path, table->columns, line);
        for (char *cell = line; cell != NULL; at++) {
            table->cell[at] = cell;
            cell = strchr(cell, ',');
            if (cell != NULL) *cell++ = '\0';
        }
    }
    table->rows = at / table->columns - 1;
    if (table->rows == 0) rig_die("%s is empty", table->path);
    return true;
}

void peer_free(struct peer_table *table)
{
    free(table->text);
    free(table->cell);
}

uint32_t peer_column(const struct peer_table *table, const char *name)
{
    for (uint32_t c = 0; c < table->columns; c++)
        if (strcmp(table->cell[c], name) == 0) return c;
    return PT_NONE;
}

const char *peer_text(const struct peer_table *table, uint32_t row, const char *column)
{
    uint32_t c = peer_column(table, column);
    if (c == PT_NONE) rig_die("%s has no column %s", table->path, column);
    return table->cell[(size_t)(row + 1) * table->columns + c];
}

int64_t peer_int(const struct peer_table *table, uint32_t row, const char *column)
{
    const char *text = peer_text(table, row, column);
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0') rig_die("%s:%u: %s is %s", table->path, row + 2, column, text);
    return value;
}

/* ---- sets ---- */

static int is_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int peer_every_set(const char *kind, const char *policy, peer_compare_fn *compare)
{
    const char *shared = getenv("PARTITA_SHARED");
    char directory[2048], set[4096];
    struct dirent **entries;
    struct peer_count sum = {0};
    snprintf(directory, sizeof directory, "%s/reference/peers/%s",
             shared != NULL ? shared : "../shared", kind);
    int count = scandir(directory, &entries, is_name, alphasort);
    for (int i = 0; i < count; i++) {
        struct peer_count one = {0};
        snprintf(set, sizeof set, "%s/%s", directory, entries[i]->d_name);
        if (compare(&one, set, policy)) {
            printf("%s, %s: %u jobs, %u differ from the peer\n", entries[i]->d_name, policy,
                   one.jobs, one.wrong);
            sum.sets++;
            sum.jobs += one.jobs;
            sum.wrong += one.wrong;
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    if (sum.sets == 0) {
        printf("skipped: no results of %s under %s\n", policy, directory);
        return 77;
    }
    printf("%u sets, %u jobs, %u differ\n", sum.sets, sum.jobs, sum.wrong);
    return sum.jobs == 0 || sum.wrong != 0;
}

bool peer_same(const struct rig *rig, pt_job job, const struct peer_table *out, uint32_t row,
               const char *waited, const struct peer_count *count)
{
    const struct pt_job_result *r = &rig->results[job];
    int64_t start_s = peer_int(out, row, "start_s"), end_s = peer_int(out, row, "end_s");
    int64_t waited_ns = r->end_ns - pt_trace_submit_ns(&rig->trace)[job] - r->running_ns;
    int64_t preemptions = r->preemptions;
    if (peer_column(out, "preemptions") != PT_NONE) preemptions = peer_int(out, row, "preemptions");
    int64_t waited_s = waited == NULL ? 0 : peer_int(out, row, waited);
    if (r->state == PT_STATE_DONE && r->start_ns == start_s * PT_NS_PER_S &&
        r->end_ns == end_s * PT_NS_PER_S && r->preemptions == preemptions &&
        (waited == NULL || waited_ns == waited_s * PT_NS_PER_S))
        return true;
    if (count->wrong >= SAID_MAX) return false;
    printf("%s: row %u: [%.9g, %.9g] s, %u preemptions, %.9g s not running; peer [%" PRId64
           ", %" PRId64 "] s, %" PRId64 ", %" PRId64 " s\n",
           out->path, row, pt_seconds(r->start_ns), pt_seconds(r->end_ns), r->preemptions,
           pt_seconds(waited_ns), start_s, end_s, preemptions, waited_s);
    return false;
}

/* ---- generated traces ---- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

void peer_generate(struct literal_job *jobs, uint32_t count, uint64_t seed, const uint32_t *sizes,
                   uint32_t size_count, uint32_t gap_s, uint32_t work_s)
{
    static const uint32_t common[] = {5, 10, 20, 40};
    int64_t at_s = 0;
    uint64_t state = seed;
    for (uint32_t j = 0; j < count; j++) {
        if (draw(&state, 10) < 7) at_s += draw(&state, gap_s);
        uint32_t some_s = draw(&state, 2) ? common[draw(&state, 4)] : 1 + draw(&state, work_s);
        uint32_t other_s = draw(&state, 3) ? some_s : 1 + draw(&state, work_s);
        jobs[j] = (struct literal_job){.submit_s = at_s,
                                       .work_s = some_s,
                                       .estimate_s = other_s,
                                       .gpus = sizes[draw(&state, size_count)]};
    }
}

uint32_t peer_differ(const struct rig *rig, const struct literal_job *jobs, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t j = 0; j < count; j++) {
        const struct pt_job_result *r = &rig->results[j];
        if (r->state == PT_STATE_DONE && r->start_ns == jobs[j].start_s * PT_NS_PER_S &&
            r->end_ns == jobs[j].end_s * PT_NS_PER_S && r->preemptions == jobs[j].preemptions)
            continue;
        if (wrong++ < SAID_MAX)
            printf("job %u: [%.9g, %.9g] s, %u preemptions; literally [%" PRId64 ", %" PRId64
                   "] s, %u\n",
                   j, pt_seconds(r->start_ns), pt_seconds(r->end_ns), r->preemptions,
                   jobs[j].start_s, jobs[j].end_s, jobs[j].preemptions);
    }
    return wrong;
}
