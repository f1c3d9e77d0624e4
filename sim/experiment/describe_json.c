/* JSON text, indented. */
#include "sim/experiment/describe_parts.h"

void pt__json_string(struct pt__json *json, const char *text)
{
    fputc('"', json->stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', json->stream);
        fputc(*text, json->stream);
    }
    fputc('"', json->stream);
}

/* The comma and the line before a member or an element; `key` NULL in arrays. */
void pt__json_item(struct pt__json *json, const char *key)
{
    fputs(json->first ? "\n" : ",\n", json->stream);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->stream);
    json->first = false;
    if (!key) return;
    pt__json_string(json, key);
    fputs(": ", json->stream);
}

void pt__json_open(struct pt__json *json, const char *key, char bracket)
{
    if (json->depth > 0) pt__json_item(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->first = true;
}

void pt__json_close(struct pt__json *json, char bracket)
{
    json->depth--;
    if (!json->first) {
        fputc('\n', json->stream);
        for (unsigned i = 0; i < json->depth; i++)
            fputs("  ", json->stream);
    }
    fputc(bracket, json->stream);
    json->first = false;
}

void pt__json_member(struct pt__json *json, const char *key, const char *text)
{
    pt__json_item(json, key);
    pt__json_string(json, text);
}

/* A member whose value is JSON already. */
void pt__json_raw(struct pt__json *json, const char *key, const char *text)
{
    pt__json_item(json, key);
    fputs(text, json->stream);
}

/* {"KEY": VALUE} as an element, VALUE being JSON already. */
void pt__json_element(struct pt__json *json, const char *key, const char *value)
{
    pt__json_item(json, NULL);
    fprintf(json->stream, "{\"%s\": %s}", key, value);
}
