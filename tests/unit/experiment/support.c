#include "tests/unit/experiment/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static size_t count_sets(const char *const *sets)
{
    size_t count = 0;
    while (sets && sets[count])
        count++;
    return count;
}

char *printed(const struct pt_messages *messages, bool color)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    cr_assert_not_null(stream);
    pt_messages_print(messages, stream, color);
    cr_assert_eq(fclose(stream), 0);
    return text;
}

struct pt_config *load(const char *text, const char *const *sets)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_config_load_text(&config, "test.yaml", text, strlen(text), NULL,
                                                sets, count_sets(sets), &messages);
    char *said = printed(&messages, false);
    cr_assert_eq(status, PT_OK, "%s\n%s", said, text);
    free(said);
    pt_messages_fini(&messages);
    return config;
}

char *refusal(const char *text, const char *const *sets)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_config_load_text(&config, "test.yaml", text, strlen(text), NULL,
                                                sets, count_sets(sets), &messages);
    char *said = printed(&messages, false);
    cr_assert_eq(status, PT_ERR_INPUT, "not refused:\n%s", text);
    cr_assert_null(config);
    cr_assert_gt(messages.error_count, 0);
    pt_messages_fini(&messages);
    return said;
}

void assert_refused(const char *text, const char *set, const char *message)
{
    const char *const sets[] = {set, NULL};
    char *said = refusal(text, set ? sets : NULL), *kept = said;
    for (const char *line = said; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        if (*line != ' ') {
            memmove(kept, line, length);
            kept += length;
        }
        line += length;
    }
    *kept = '\0';
    cr_assert_str_eq(said, message);
    free(said);
}
