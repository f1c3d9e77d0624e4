#include "sim/experiment/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "sim/experiment/sniff.h"

/* Past so many errors a message goes without its line: finding a line costs a scan. */
#define LINES_SHOWN 1000u

void pt_yaml_init(struct pt_yaml *yaml)
{
    *yaml = (struct pt_yaml){0};
}

void pt_yaml_fini(struct pt_yaml *yaml)
{
    pt_arena_fini(&yaml->arena);
    pt_yaml_init(yaml);
}

/* Bytes of the line break at `text`, 0 if there is none: the five that YAML 1.1 knows. */
static size_t break_length(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    if (length == 0) return 0;
    if (at[0] == '\r') return length > 1 && at[1] == '\n' ? 2 : 1;
    if (at[0] == '\n') return 1;
    if (length > 1 && at[0] == 0xc2 && at[1] == 0x85) return 2;
    if (length > 2 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] | 1) == 0xa9) return 3;
    return 0;
}

/* The text of a line, counted from 1. */
static const char *find_line(const struct pt_yaml *yaml, uint32_t line, size_t *line_length)
{
    size_t at = 0, begin = 0;
    uint32_t number = 1;
    while (at < yaml->length) {
        size_t broken = break_length(yaml->text + at, yaml->length - at);
        if (broken > 0 && number == line) break;
        at += broken > 0 ? broken : 1;
        if (broken > 0) {
            number++;
            begin = at;
        }
    }
    *line_length = at - begin;
    return number == line ? yaml->text + begin : NULL;
}

/* Line and column of a byte, both from 1. */
static struct pt_yaml_place place_of_byte(const struct pt_yaml *yaml, size_t offset)
{
    struct pt_yaml_place place = {yaml->file, 1, 1};
    size_t at = 0;
    while (at < offset && at < yaml->length) {
        size_t broken = break_length(yaml->text + at, yaml->length - at);
        if (broken > 0) {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)yaml->text[at] & 0xc0u) != 0x80u) {
            place.column++;
        }
        at += broken > 0 ? broken : 1;
    }
    return place;
}

void pt_yaml_vsay(const struct pt_yaml *yaml, struct pt_messages *messages, bool warning,
                  struct pt_yaml_place place, const char *format, va_list arguments)
{
    struct pt_error error;
    enum pt_status status =
        pt_vfail_at(&error, PT_ERR_INPUT, place.file, place.line, place.column, format, arguments);
    const char *line = NULL;
    size_t line_length = 0;
    if (status == PT_ERR_INPUT && yaml && place.line > 0 && place.file == yaml->file &&
        messages->error_count < LINES_SHOWN)
        line = find_line(yaml, place.line, &line_length);
    pt_messages_add(messages, warning, &error, line, line_length);
}

void pt_yaml_say(const struct pt_yaml *yaml, struct pt_messages *messages, bool warning,
                 struct pt_yaml_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_yaml_vsay(yaml, messages, warning, place, format, arguments);
    va_end(arguments);
}

/* Says it and answers PT_ERR_INPUT. */
PT_PRINTF(4, 5)
static enum pt_status refuse(const struct pt_yaml *yaml, struct pt_messages *messages,
                             struct pt_yaml_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_yaml_vsay(yaml, messages, false, place, format, arguments);
    va_end(arguments);
    return PT_ERR_INPUT;
}

/* Bytes of the UTF-8 character at `text`, 0 if it is none (overlong, a surrogate, cut off). */
static size_t character_length(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0u) != 0x80u) return 0;
    bool overlong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    bool outside = (lead == 0xed && text[1] > 0x9f) || (lead == 0xf4 && text[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

bool pt_yaml_is_text(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        bool control = (at[i] < ' ' && !strchr("\t\n\r", at[i])) || at[i] == 0x7f;
        size_t step = control || at[i] == 0 ? 0 : character_length(at + i, length - i);
        if (step == 0) return false;
        i += step;
    }
    return true;
}

bool pt_yaml_is_nothing(const struct pt_yaml_node *node)
{
    return node->kind == PT_YAML_SCALAR && !node->quoted &&
           (node->length == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

struct pt_yaml_node *pt_yaml_get(const struct pt_yaml_node *map, const char *key)
{
    if (!map || map->kind != PT_YAML_MAP) return NULL;
    for (struct pt_yaml_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

struct pt_yaml_node *pt_yaml_new(struct pt_yaml *yaml, enum pt_yaml_kind kind,
                                 struct pt_yaml_place place)
{
    struct pt_yaml_node *node = pt_arena_alloc(&yaml->arena, 1, sizeof *node);
    if (!node) return NULL;
    yaml->node_count++;
    node->kind = kind;
    node->place = node->key_place = place;
    return node;
}

struct pt_yaml_node *pt_yaml_new_scalar(struct pt_yaml *yaml, struct pt_yaml_place place,
                                        const char *text, size_t length)
{
    struct pt_yaml_node *node = pt_yaml_new(yaml, PT_YAML_SCALAR, place);
    if (!node) return NULL;
    node->text = pt_arena_text(&yaml->arena, text, length);
    node->length = length;
    return node->text ? node : NULL;
}

void pt_yaml_append(struct pt_yaml_node *parent, struct pt_yaml_node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

/* The link that points to `child`; NULL if it is not there. */
static struct pt_yaml_node **link_of(struct pt_yaml_node *parent, const struct pt_yaml_node *child,
                                     struct pt_yaml_node **before)
{
    struct pt_yaml_node **link = &parent->first;
    *before = NULL;
    while (*link && *link != child) {
        *before = *link;
        link = &(*link)->next;
    }
    return *link ? link : NULL;
}

void pt_yaml_replace(struct pt_yaml_node *parent, struct pt_yaml_node *old,
                     struct pt_yaml_node *fresh)
{
    struct pt_yaml_node *before, **link = link_of(parent, old, &before);
    if (!link) return;
    fresh->next = old->next;
    *link = fresh;
    if (parent->last == old) parent->last = fresh;
    old->next = NULL;
}

void pt_yaml_remove(struct pt_yaml_node *parent, struct pt_yaml_node *child)
{
    struct pt_yaml_node *before, **link = link_of(parent, child, &before);
    if (!link) return;
    *link = child->next;
    if (parent->last == child) parent->last = before;
    child->next = NULL;
    parent->count--;
}

/* Recursion as deep as the tree: at most PT_YAML_DEPTH_MAX. */
struct pt_yaml_node *pt_yaml_copy_node(struct pt_yaml *yaml, const struct pt_yaml_node *node)
{
    struct pt_yaml_place place = {yaml->file, node->place.line, node->place.column};
    struct pt_yaml_node *made = pt_yaml_new(yaml, node->kind, place);
    if (!made) return NULL;
    made->quoted = node->quoted;
    made->on_one_line = node->on_one_line;
    made->key_place =
        (struct pt_yaml_place){yaml->file, node->key_place.line, node->key_place.column};
    made->length = node->length;
    if (node->key) made->key = pt_arena_text(&yaml->arena, node->key, strlen(node->key));
    if (node->text) made->text = pt_arena_text(&yaml->arena, node->text, node->length);
    if ((node->key && !made->key) || (node->text && !made->text)) return NULL;
    for (const struct pt_yaml_node *child = node->first; child; child = child->next) {
        struct pt_yaml_node *inner = pt_yaml_copy_node(yaml, child);
        if (!inner) return NULL;
        pt_yaml_append(made, inner);
    }
    return made;
}

bool pt_yaml_copy(struct pt_yaml *copy, const struct pt_yaml *yaml,
                  const struct pt_yaml_node *document)
{
    copy->file = pt_arena_text(&copy->arena, yaml->file, strlen(yaml->file));
    copy->text = pt_arena_text(&copy->arena, yaml->text, yaml->length);
    copy->length = yaml->length;
    if (!copy->file || !copy->text) return false;
    copy->first_document = pt_yaml_copy_node(copy, document);
    copy->document_count = 1;
    return copy->first_document != NULL;
}

/* ---- parsing ---- */

/* A key that a map has: a slot of the hash set of all keys of all maps. */
struct seen {
    const struct pt_yaml_node *parent, *child; /* child NULL = an empty slot */
};

struct reader {
    struct pt_yaml *yaml;
    struct pt_messages *messages;
    yaml_parser_t parser;
    struct pt_yaml_node *stack[PT_YAML_DEPTH_MAX];
    unsigned depth;
    const char *key; /* of the map on top, read but without its value yet */
    struct pt_yaml_place key_place;
    struct pt_yaml_node *last_document;
    struct seen *seen;
    size_t seen_capacity, seen_count; /* capacity is a power of two */
    bool duplicates;
};

static struct pt_yaml_place place_of(const struct reader *reader, yaml_mark_t mark)
{
    return (struct pt_yaml_place){reader->yaml->file, (uint32_t)mark.line + 1,
                                  (uint32_t)mark.column + 1};
}

static enum pt_status out_of_memory(const struct reader *reader)
{
    (void)refuse(reader->yaml, reader->messages, (struct pt_yaml_place){reader->yaml->file, 0, 0},
                 "out of memory");
    return PT_ERR_MEMORY;
}

static size_t hash_key(const struct pt_yaml_node *parent, const char *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)parent * UINT64_C(0x9e3779b97f4a7c15);
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 29));
}

/* The slot that has (parent, key), or the empty one where it belongs. */
static struct seen *find_seen(const struct reader *reader, const struct pt_yaml_node *parent,
                              const char *key)
{
    size_t mask = reader->seen_capacity - 1, slot = hash_key(parent, key) & mask;
    while (reader->seen[slot].child &&
           (reader->seen[slot].parent != parent || strcmp(reader->seen[slot].child->key, key) != 0))
        slot = (slot + 1) & mask;
    return &reader->seen[slot];
}

static bool grow_seen(struct reader *reader)
{
    struct seen *old = reader->seen;
    size_t old_capacity = reader->seen_capacity;
    struct seen *grown = calloc(old_capacity ? old_capacity * 2 : 64, sizeof *grown);
    if (!grown) return false;
    reader->seen = grown;
    reader->seen_capacity = old_capacity ? old_capacity * 2 : 64;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].child) *find_seen(reader, old[i].parent, old[i].child->key) = old[i];
    free(old);
    return true;
}

/* Notes the key of `child`; says so if the map has it already. */
static enum pt_status note_key(struct reader *reader, const struct pt_yaml_node *parent,
                               const struct pt_yaml_node *child)
{
    if (2 * (reader->seen_count + 1) > reader->seen_capacity && !grow_seen(reader))
        return out_of_memory(reader);
    struct seen *slot = find_seen(reader, parent, child->key);
    if (slot->child) {
        reader->duplicates = true;
        (void)refuse(reader->yaml, reader->messages, child->key_place,
                     "duplicate key '%.64s' (first on line %u)", child->key,
                     (unsigned)slot->child->key_place.line);
        return PT_OK;
    }
    *slot = (struct seen){parent, child};
    reader->seen_count++;
    return PT_OK;
}

static enum pt_status attach(struct reader *reader, struct pt_yaml_node *node)
{
    if (reader->depth == 0) {
        if (reader->last_document)
            reader->last_document->next = node;
        else
            reader->yaml->first_document = node;
        reader->last_document = node;
        reader->yaml->document_count++;
        return PT_OK;
    }
    struct pt_yaml_node *parent = reader->stack[reader->depth - 1];
    if (parent->kind == PT_YAML_MAP) {
        node->key = reader->key;
        node->key_place = reader->key_place;
        reader->key = NULL;
        PT_TRY(note_key(reader, parent, node));
    }
    pt_yaml_append(parent, node);
    return PT_OK;
}

/* True where the next event is a key. */
static bool expects_key(const struct reader *reader)
{
    return reader->depth > 0 && reader->stack[reader->depth - 1]->kind == PT_YAML_MAP &&
           !reader->key;
}

static enum pt_status begin_collection(struct reader *reader, enum pt_yaml_kind kind,
                                       bool on_one_line, struct pt_yaml_place place)
{
    if (expects_key(reader))
        return refuse(reader->yaml, reader->messages, place, "a key must be a plain word");
    if (reader->depth == PT_YAML_DEPTH_MAX)
        return refuse(reader->yaml, reader->messages, place, "nested deeper than %d",
                      PT_YAML_DEPTH_MAX);
    struct pt_yaml_node *node = pt_yaml_new(reader->yaml, kind, place);
    if (!node) return out_of_memory(reader);
    node->on_one_line = on_one_line;
    PT_TRY(attach(reader, node));
    reader->stack[reader->depth++] = node;
    return PT_OK;
}

static enum pt_status add_scalar(struct reader *reader, const yaml_event_t *event,
                                 struct pt_yaml_place place)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length))
        return refuse(reader->yaml, reader->messages, place, "a text with a NUL character");
    if (!pt_yaml_is_text(text, length)) /* written with an escape: it would reach terminals */
        return refuse(reader->yaml, reader->messages, place, "a text with a control character");
    if (expects_key(reader)) {
        reader->key = pt_arena_text(&reader->yaml->arena, text, length);
        reader->key_place = place;
        return reader->key ? PT_OK : out_of_memory(reader);
    }
    struct pt_yaml_node *node = pt_yaml_new_scalar(reader->yaml, place, text, length);
    if (!node) return out_of_memory(reader);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return attach(reader, node);
}

/* Anchors, aliases and tags: what our subset does not have. */
static enum pt_status check_extras(const struct reader *reader, const yaml_event_t *event,
                                   struct pt_yaml_place place)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(reader->yaml, reader->messages, place, "aliases (*%.64s) are not allowed",
                      (const char *)event->data.alias.anchor);
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return refuse(reader->yaml, reader->messages, place, "anchors (&%.64s) are not allowed",
                      (const char *)anchor);
    if (tag)
        return refuse(reader->yaml, reader->messages, place, "tags (%.64s) are not allowed",
                      (const char *)tag);
    return PT_OK;
}

static enum pt_status take_event(struct reader *reader, const yaml_event_t *event)
{
    struct pt_yaml_place place = place_of(reader, event->start_mark);
    PT_TRY(check_extras(reader, event, place));
    if (reader->yaml->node_count >= PT_YAML_NODES_MAX)
        return refuse(reader->yaml, reader->messages, place,
                      "more than %u values (many jobs belong in a trace file)", PT_YAML_NODES_MAX);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(reader, event, place);
    case YAML_SEQUENCE_START_EVENT:
        return begin_collection(reader, PT_YAML_LIST,
                                event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                                place);
    case YAML_MAPPING_START_EVENT:
        return begin_collection(reader, PT_YAML_MAP,
                                event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE, place);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader->depth--;
        return PT_OK;
    default: /* starts and ends of the stream and its documents */
        return PT_OK;
    }
}

static enum pt_status syntax_error(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR) return out_of_memory(reader);
    const char *problem = parser->problem ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR)
        return refuse(reader->yaml, reader->messages,
                      place_of_byte(reader->yaml, parser->problem_offset), "not YAML text: %s",
                      problem);
    struct pt_yaml_place place = place_of(reader, parser->problem_mark);
    if (!parser->context) return refuse(reader->yaml, reader->messages, place, "YAML: %s", problem);
    return refuse(reader->yaml, reader->messages, place, "YAML: %s (%s that begins on line %u)",
                  problem, parser->context, (unsigned)parser->context_mark.line + 1);
}

static enum pt_status read_events(struct reader *reader)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event)) return syntax_error(reader);
        bool end = event.type == YAML_STREAM_END_EVENT;
        enum pt_status status = take_event(reader, &event);
        yaml_event_delete(&event);
        if (status != PT_OK) return status;
        if (end) break;
    }
    if (reader->yaml->document_count == 0) {
        const struct pt_yaml_place start = {reader->yaml->file, 1, 1};
        struct pt_yaml_node *nothing = pt_yaml_new_scalar(reader->yaml, start, "", 0);
        if (!nothing) return out_of_memory(reader);
        PT_TRY(attach(reader, nothing));
    }
    return reader->duplicates ? PT_ERR_INPUT : PT_OK;
}

enum pt_status pt_yaml_parse(struct pt_yaml *yaml, const char *file, const char *text,
                             size_t length, struct pt_messages *messages)
{
    struct reader reader = {.yaml = yaml, .messages = messages};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* a byte order mark, which would shift the first line's columns */
        length -= 3;
    }
    yaml->file = pt_arena_text(&yaml->arena, file, strlen(file));
    if (!yaml->file) return out_of_memory(&reader);
    if (length > PT_YAML_BYTES_MAX)
        return refuse(yaml, messages, (struct pt_yaml_place){yaml->file, 0, 0},
                      "larger than %u MiB (many jobs belong in a trace file)",
                      (unsigned)(PT_YAML_BYTES_MAX >> 20));
    yaml->text = pt_arena_text(&yaml->arena, text, length);
    yaml->length = length;
    if (!yaml->text || !yaml_parser_initialize(&reader.parser)) return out_of_memory(&reader);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)yaml->text, length);
    enum pt_status status = read_events(&reader);
    yaml_parser_delete(&reader.parser);
    free(reader.seen);
    return status;
}

enum pt_status pt_yaml_load(struct pt_yaml *yaml, const char *path, struct pt_messages *messages)
{
    enum pt_status status = PT_ERR_INPUT;
    char *text = NULL;
    size_t length = 0, capacity = 0;
    const struct pt_yaml_place nowhere = {path, 0, 0};
    FILE *stream = fopen(path, "rb");
    if (!stream) return refuse(NULL, messages, nowhere, "can't be opened: %s", strerror(errno));
    do {
        if (length == capacity) {
            capacity = capacity ? capacity * 4 : (size_t)64 * 1024;
            char *grown = realloc(text, capacity);
            if (!grown) {
                status = PT_ERR_MEMORY;
                (void)refuse(NULL, messages, nowhere, "out of memory");
                goto out;
            }
            text = grown;
        }
        errno = 0;
        length += fread(text + length, 1, capacity - length, stream);
    } while (length == capacity && length <= PT_YAML_BYTES_MAX);
    if (ferror(stream)) {
        (void)refuse(NULL, messages, nowhere, "can't be read: %s", strerror(errno));
        goto out;
    }
    const char *other = pt__sniff(text, length);
    status = other ? refuse(NULL, messages, nowhere, "%s", other)
                   : pt_yaml_parse(yaml, path, text, length, messages);
out:
    free(text);
    fclose(stream);
    return status;
}

/* ---- writing ---- */

struct writer {
    yaml_emitter_t emitter;
    char *text;
    size_t length, capacity;
};

static int write_bytes(void *context, unsigned char *bytes, size_t count)
{
    struct writer *writer = context;
    if (count >= writer->capacity - writer->length) {
        size_t capacity = writer->capacity ? writer->capacity : 4096;
        while (count >= capacity - writer->length)
            capacity *= 2;
        char *grown = realloc(writer->text, capacity);
        if (!grown) return 0;
        writer->text = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->text + writer->length, bytes, count);
    writer->length += count;
    writer->text[writer->length] = '\0';
    return 1;
}

static bool emit_scalar(struct writer *writer, const char *text, size_t length, bool quoted)
{
    yaml_event_t event;
    return yaml_scalar_event_initialize(
               &event, NULL, NULL, (const yaml_char_t *)text, (int)length, 1, 1,
               quoted ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE) &&
           yaml_emitter_emit(&writer->emitter, &event);
}

/* Recursion as deep as the tree, which the parser and the schemas keep below PT_YAML_DEPTH_MAX. */
static bool emit_node(struct writer *writer, const struct pt_yaml_node *node)
{
    yaml_event_t event;
    if (node->kind == PT_YAML_SCALAR)
        return emit_scalar(writer, node->text, node->length, node->quoted);
    bool is_map = node->kind == PT_YAML_MAP;
    int made =
        is_map ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                     node->on_one_line ? YAML_FLOW_MAPPING_STYLE
                                                                       : YAML_BLOCK_MAPPING_STYLE)
               : yaml_sequence_start_event_initialize(
                     &event, NULL, NULL, 1,
                     node->on_one_line ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    if (!made || !yaml_emitter_emit(&writer->emitter, &event)) return false;
    for (const struct pt_yaml_node *child = node->first; child; child = child->next) {
        if (is_map && !emit_scalar(writer, child->key, strlen(child->key), false)) return false;
        if (!emit_node(writer, child)) return false;
    }
    made = is_map ? yaml_mapping_end_event_initialize(&event)
                  : yaml_sequence_end_event_initialize(&event);
    return made && yaml_emitter_emit(&writer->emitter, &event);
}

static bool emit_document(struct writer *writer, const struct pt_yaml_node *root)
{
    yaml_event_t event;
    return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) &&
           yaml_emitter_emit(&writer->emitter, &event) &&
           yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
           yaml_emitter_emit(&writer->emitter, &event) && emit_node(writer, root) &&
           yaml_document_end_event_initialize(&event, 1) &&
           yaml_emitter_emit(&writer->emitter, &event) &&
           yaml_stream_end_event_initialize(&event) &&
           yaml_emitter_emit(&writer->emitter, &event) && yaml_emitter_flush(&writer->emitter);
}

enum pt_status pt_yaml_write(char **text, size_t *length, const struct pt_yaml_node *root,
                             struct pt_error *error)
{
    struct writer writer = {0};
    *text = NULL;
    *length = 0;
    if (!yaml_emitter_initialize(&writer.emitter))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    yaml_emitter_set_output(&writer.emitter, write_bytes, &writer);
    yaml_emitter_set_unicode(&writer.emitter, 1);
    yaml_emitter_set_width(&writer.emitter, -1); /* never fold a line */
    bool ok = emit_document(&writer, root);
    bool no_memory = writer.emitter.error != YAML_EMITTER_ERROR;
    const char *problem = writer.emitter.problem ? writer.emitter.problem : "unknown";
    enum pt_status status = PT_OK;
    if (!ok) {
        status = no_memory ? pt_fail(error, PT_ERR_MEMORY, "out of memory")
                           : pt_fail(error, PT_ERR_INVARIANT, "YAML can't be written: %s", problem);
        free(writer.text);
    } else {
        *text = writer.text;
        *length = writer.length;
    }
    yaml_emitter_delete(&writer.emitter);
    return status;
}
