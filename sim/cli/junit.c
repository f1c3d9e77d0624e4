#include "sim/cli/junit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/experiment/outfile.h"

struct verdict {
    char *file, *name, *text; /* text: the messages, "" when it passed */
    enum pt_verdict verdict;
    bool skipped;
    double wall_s;
};

struct pt__junit {
    struct pt_outfile out;
    struct verdict *list;
    size_t count, capacity;
};

static void release(struct pt__junit *junit)
{
    for (size_t i = 0; i < junit->count; i++) {
        free(junit->list[i].file);
        free(junit->list[i].name);
        free(junit->list[i].text);
    }
    free(junit->list);
    free(junit);
}

enum pt_status pt__junit_open(struct pt__junit **junit, const char *path, struct pt_error *error)
{
    *junit = calloc(1, sizeof **junit);
    if (!*junit) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    enum pt_status status = pt_outfile_open(&(*junit)->out, path, error);
    if (status != PT_OK) {
        release(*junit);
        *junit = NULL;
    }
    return status;
}

static char *copy(const char *text)
{
    size_t room = strlen(text) + 1;
    char *out = malloc(room);
    return out ? memcpy(out, text, room) : NULL;
}

/* The messages a line each; malloc'ed. */
static char *messages_text(const struct pt_messages *messages)
{
    size_t room = 1;
    for (unsigned i = 0; i < messages->count; i++)
        room += strlen(messages->list[i].error.file) + strlen(messages->list[i].error.message) + 32;
    char *text = malloc(room), *at = text;
    for (unsigned i = 0; text && i < messages->count; i++) {
        const struct pt_error *error = &messages->list[i].error;
        size_t left = room - (size_t)(at - text);
        if (error->line > 0)
            at += snprintf(at, left, "%s:%u:%u: %s\n", error->file, error->line, error->column,
                           error->message);
        else
            at += snprintf(at, left, "%s: %s\n", error->file, error->message);
    }
    if (text) *at = '\0';
    return text;
}

/* Room for one more; NULL when memory is out. */
static struct verdict *next(struct pt__junit *junit)
{
    if (junit->count == junit->capacity) {
        size_t capacity = junit->capacity ? 2 * junit->capacity : 64;
        struct verdict *more = realloc(junit->list, capacity * sizeof *more);
        if (!more) return NULL;
        junit->list = more;
        junit->capacity = capacity;
    }
    return &junit->list[junit->count++];
}

static enum pt_status whole(const struct verdict *verdict)
{
    return verdict->file && verdict->name && verdict->text ? PT_OK : PT_ERR_MEMORY;
}

enum pt_status pt__junit_add(struct pt__junit *junit, const char *file,
                             const struct pt_scenario *scenario)
{
    struct verdict *verdict = next(junit);
    if (!verdict) return PT_ERR_MEMORY;
    *verdict = (struct verdict){.file = copy(file),
                                .name = copy(scenario->name),
                                .text = messages_text(&scenario->messages),
                                .verdict = scenario->verdict,
                                .wall_s = scenario->wall_s};
    return whole(verdict);
}

/* "SCENARIO: GATE"; malloc'ed. */
static char *gate_name(const struct pt_scenario *scenario, const struct pt_gate *gate)
{
    size_t room = strlen(scenario->name) + strlen(gate->name) + 3;
    char *name = malloc(room);
    if (name) snprintf(name, room, "%s: %s", scenario->name, gate->name);
    return name;
}

enum pt_status pt__junit_add_gate(struct pt__junit *junit, const char *file,
                                  const struct pt_scenario *scenario, const struct pt_gate *gate)
{
    char text[256] = "not judged";
    struct verdict *verdict = next(junit);
    if (!verdict) return PT_ERR_MEMORY;
    bool passed = gate->judgement.verdict == PT_JUDGED_PASSED;
    if (scenario->judged) pt_judgement_text(text, sizeof text, &gate->condition, &gate->judgement);
    *verdict = (struct verdict){.file = copy(file),
                                .name = gate_name(scenario, gate),
                                .text = copy(text),
                                .verdict = !scenario->judged || passed ? PT_VERDICT_PASSED
                                                                       : PT_VERDICT_FAILED,
                                .skipped = !scenario->judged};
    return whole(verdict);
}

enum pt_status pt__junit_add_judged(struct pt__junit *junit, const char *file,
                                    const struct pt_gate *gate)
{
    char text[256];
    struct verdict *verdict = next(junit);
    if (!verdict) return PT_ERR_MEMORY;
    bool passed = gate->judgement.verdict == PT_JUDGED_PASSED;
    pt_judgement_text(text, sizeof text, &gate->condition, &gate->judgement);
    *verdict = (struct verdict){.file = copy(file),
                                .name = copy(gate->name),
                                .text = copy(text),
                                .verdict = passed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED};
    return whole(verdict);
}

/* U+FFFE and U+FFFF: UTF-8, but no XML. */
static bool is_no_character(const char *text)
{
    return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

/* XML 1.0 text: markup escaped, characters that XML can't hold left out; of what is not UTF-8,
 * like a name of a file or a message cut short, the ASCII part alone. */
static void escaped(FILE *out, const char *text)
{
    bool is_text = pt_yaml_is_text(text, strlen(text));
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x80 && !is_text)
            fputc('?', out);
        else if (byte == 0xef && is_no_character(text))
            text += 2;
        else if (byte == '&')
            fputs("&amp;", out);
        else if (byte == '<')
            fputs("&lt;", out);
        else if (byte == '>')
            fputs("&gt;", out);
        else if (byte == '"')
            fputs("&quot;", out);
        else if (byte >= 0x20 || byte == '\n' || byte == '\t')
            fputc(byte, out);
    }
}

static void write_case(FILE *out, const struct verdict *verdict)
{
    fputs("    <testcase classname=\"", out);
    escaped(out, verdict->file);
    fputs("\" name=\"", out);
    escaped(out, verdict->name);
    fprintf(out, "\" time=\"%.6f\"", verdict->wall_s);
    if (verdict->skipped) {
        fputs(">\n      <skipped message=\"", out);
        escaped(out, verdict->text);
        fputs("\"/>\n    </testcase>\n", out);
        return;
    }
    if (verdict->verdict == PT_VERDICT_PASSED) {
        fputs("/>\n", out);
        return;
    }
    const char *tag = verdict->verdict == PT_VERDICT_FAILED ? "failure" : "error";
    fprintf(out, ">\n      <%s message=\"", tag);
    size_t first_line = strcspn(verdict->text, "\n");
    char *first = copy(verdict->text);
    if (first) first[first_line] = '\0';
    escaped(out, first ? first : "");
    free(first);
    fputs("\">", out);
    escaped(out, verdict->text);
    fprintf(out, "</%s>\n    </testcase>\n", tag);
}

static size_t write_suite(FILE *out, const struct pt__junit *junit, size_t first)
{
    size_t end = first;
    unsigned counts[3] = {0}, skipped = 0;
    double wall_s = 0;
    for (; end < junit->count && strcmp(junit->list[end].file, junit->list[first].file) == 0;
         end++) {
        counts[junit->list[end].verdict]++;
        skipped += junit->list[end].skipped;
        wall_s += junit->list[end].wall_s;
    }
    fputs("  <testsuite name=\"", out);
    escaped(out, junit->list[first].file);
    fprintf(out, "\" tests=\"%zu\" failures=\"%u\" errors=\"%u\"", end - first,
            counts[PT_VERDICT_FAILED], counts[PT_VERDICT_BROKEN]);
    if (skipped > 0) fprintf(out, " skipped=\"%u\"", skipped);
    fprintf(out, " time=\"%.6f\">\n", wall_s);
    for (size_t i = first; i < end; i++)
        write_case(out, &junit->list[i]);
    fputs("  </testsuite>\n", out);
    return end;
}

enum pt_status pt__junit_close(struct pt__junit *junit, struct pt_error *error)
{
    FILE *out = junit->out.stream;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"partita\">\n", out);
    for (size_t i = 0; i < junit->count;)
        i = write_suite(out, junit, i);
    fputs("</testsuites>\n", out);
    enum pt_status status = pt_outfile_close(&junit->out, false, error);
    release(junit);
    return status;
}

void pt__junit_abandon(struct pt__junit *junit)
{
    if (!junit) return;
    pt_outfile_abandon(&junit->out);
    release(junit);
}
