#include "sim/experiment/event_lines.h"

#include <stdlib.h>

#include "sim/experiment/outfile.h"

struct pt_event_lines {
    const struct pt_cluster *cluster;
    const struct pt_trace *trace;
    struct pt_outfile file;
};

/* JSON text: quotes, backslashes and control characters; the rest as it is (UTF-8). */
static void quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(stream, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(stream, "\\u%04x", byte);
        else
            fputc(byte, stream);
    }
    fputc('"', stream);
}

/* What the event's count counts; NULL = nothing to show. */
static const char *count_name(enum pt_event_kind kind)
{
    switch (kind) {
    case PT_EVENT_SUBMIT:
    case PT_EVENT_START:
    case PT_EVENT_UNIT:
    case PT_EVENT_MIGRATE:
        return "gpus";
    case PT_EVENT_PREEMPT:
    case PT_EVENT_PAUSED:
        return "preemptions";
    case PT_EVENT_OOM:
    case PT_EVENT_FAULT:
        return "attempt";
    case PT_EVENT_HORIZON:
        return "running";
    default:
        return NULL;
    }
}

/* Where it happened: a GPU, or a node for what holds none. */
static void write_where(struct pt_event_lines *lines, const struct pt_event *event)
{
    FILE *out = lines->file.stream;
    if (event->gpu == PT_NONE) return;
    bool holds_gpus =
        event->job != PT_NONE && pt_trace_u32(lines->trace, PT_COL_GPUS, event->job) > 0;
    if (holds_gpus) fprintf(out, ", \"gpu\": %u", event->gpu);
    fputs(", \"node\": ", out);
    quoted(out, lines->cluster->nodes[pt_cluster_node_of_gpu(lines->cluster, event->gpu)].name);
}

static void write_event(struct pt_event_lines *lines, const struct pt_event *event)
{
    FILE *out = lines->file.stream;
    enum pt_event_kind kind = (enum pt_event_kind)event->kind;
    char seconds[PT_SECONDS_TEXT_MAX];
    size_t length = pt_format_seconds(seconds, event->time_ns);
    fprintf(out, "{\"time_ns\": %lld, \"time_s\": %.*s, \"event\": \"%s\"",
            (long long)event->time_ns, (int)length, seconds, pt_event_name(kind));
    if (event->job != PT_NONE) {
        char buffer[PT_ID_BUFFER];
        fputs(", \"job\": ", out);
        quoted(out, pt_trace_id(lines->trace, event->job, buffer));
    }
    write_where(lines, event);
    if (count_name(kind)) fprintf(out, ", \"%s\": %u", count_name(kind), event->count);
    if (event->reason != PT_REASON_NONE) {
        fputs(", \"reason\": ", out);
        quoted(out, pt_reason_text((enum pt_reason)event->reason));
    }
    fputs("}\n", out);
}

enum pt_status pt_event_lines_open(struct pt_event_lines **lines, const char *path,
                                   const struct pt_cluster *cluster, const struct pt_trace *trace,
                                   struct pt_error *error)
{
    *lines = calloc(1, sizeof **lines);
    if (!*lines) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    (*lines)->cluster = cluster;
    (*lines)->trace = trace;
    enum pt_status status = pt_outfile_open(&(*lines)->file, path, error);
    if (status != PT_OK) {
        free(*lines);
        *lines = NULL;
    }
    return status;
}

enum pt_status pt_event_lines_write(void *ctx, const struct pt_event *events, size_t count,
                                    struct pt_error *error)
{
    struct pt_event_lines *lines = ctx;
    for (size_t i = 0; i < count; i++)
        write_event(lines, &events[i]);
    return pt_outfile_check(&lines->file, error);
}

enum pt_status pt_event_lines_close(struct pt_event_lines *lines, bool partial,
                                    struct pt_error *error)
{
    enum pt_status status = pt_outfile_close(&lines->file, partial, error);
    free(lines);
    return status;
}

void pt_event_lines_abandon(struct pt_event_lines *lines)
{
    if (!lines) return;
    pt_outfile_abandon(&lines->file);
    free(lines);
}
