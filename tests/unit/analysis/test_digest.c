#include "analysis/results/digest.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Test(digest, of_nothing_is_the_published_value)
{
    struct pt_digest *digest;
    char text[PT_DIGEST_TEXT_MAX];
    cr_assert_eq(pt_digest_create(&digest, NULL), PT_OK);
    pt_digest_text(text, digest);
    cr_assert_str_eq(text, "xxh3-128:99aa06d3014798d86001c324468d497f");
    pt_digest_destroy(digest);
    pt_digest_destroy(NULL);
}

Test(digest, does_not_depend_on_the_batches)
{
    struct pt_digest *whole, *parts;
    char text[2][PT_DIGEST_TEXT_MAX];
    struct pt_event events[100];
    memset(events, 0, sizeof(events));
    for (int i = 0; i < 100; i++)
        events[i].time_ns = i * i;
    cr_assert_eq(pt_digest_create(&whole, NULL), PT_OK);
    cr_assert_eq(pt_digest_create(&parts, NULL), PT_OK);
    cr_assert_eq(pt_digest_on_events(whole, events, 100, NULL), PT_OK);
    for (size_t i = 0; i < 100; i += 25) {
        cr_assert_eq(pt_digest_on_events(parts, events + i, 25, NULL), PT_OK);
        pt_digest_text(text[1], parts); /* looking changes nothing */
    }
    pt_digest_text(text[0], whole);
    pt_digest_text(text[1], parts);
    cr_assert_str_eq(text[0], text[1]);
    events[99].reason = 1;
    cr_assert_eq(pt_digest_on_events(parts, events + 99, 1, NULL), PT_OK);
    pt_digest_text(text[1], parts);
    cr_assert_str_neq(text[0], text[1]);
    pt_digest_destroy(whole);
    pt_digest_destroy(parts);
}

Test(digest, of_a_file)
{
    char text[PT_DIGEST_TEXT_MAX], name[] = "digest-XXXXXX";
    struct pt_error error;
    int fd = mkstemp(name);
    cr_assert_eq(write(fd, "abc", 3), 3);
    close(fd);
    cr_assert_eq(pt_digest_file(text, name, &error), PT_OK);
    cr_assert_str_eq(text, "xxh3-128:06b05ab6733a618578af5f94892f3950");
    unlink(name);
    cr_assert_eq(pt_digest_file(text, name, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.file, name);
    cr_assert_eq(pt_digest_file(text, ".", &error), PT_ERR_IO);
}
