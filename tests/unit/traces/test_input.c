#include "traces/input.h"

#include <errno.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "reading.h"

static const char csv[] = "submit_s,work_s\n0,1\n1,2\n";

static size_t gzip_bytes(unsigned char *out, size_t capacity, const void *bytes, size_t length)
{
    z_stream stream = {0};
    cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)length;
    stream.next_out = out;
    stream.avail_out = (unsigned)capacity;
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return capacity - stream.avail_out;
}

static size_t zstd_bytes(unsigned char *out, size_t capacity, const void *bytes, size_t length)
{
    size_t result = ZSTD_compress(out, capacity, bytes, length, 3);
    cr_assert_not(ZSTD_isError(result));
    return result;
}

/* All bytes of an input in memory, read in pieces of `step`; the status of the last read. */
static enum pt_status drain(char *out, size_t *total, const void *bytes, size_t length, size_t step,
                            struct pt_error *error)
{
    struct pt__input *input = NULL;
    *total = 0;
    PT_TRY(pt__input_open_memory(&input, "m", bytes, length, error));
    enum pt_status status = PT_OK;
    size_t got = 1;
    while (status == PT_OK && got > 0) {
        status = pt__input_read(&got, input, out + *total, step, error);
        *total += status == PT_OK ? got : 0;
    }
    pt__input_close(input);
    return status;
}

static void expect_whole(const void *bytes, size_t length, const char *expected)
{
    static const size_t steps[] = {1, 7, 4096};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char out[8192];
        size_t total = 0;
        struct pt_error error = {0};
        cr_assert_eq(drain(out, &total, bytes, length, steps[i], &error), PT_OK, "%s",
                     error.message);
        cr_assert_eq(total, strlen(expected));
        cr_assert_arr_eq(out, expected, total);
    }
}

Test(input, reads_plain_gzip_and_zstd)
{
    unsigned char packed[256];
    expect_whole("", 0, "");
    expect_whole("a", 1, "a");
    expect_whole(csv, sizeof csv - 1, csv);
    expect_whole(packed, gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1), csv);
    expect_whole(packed, zstd_bytes(packed, sizeof packed, csv, sizeof csv - 1), csv);
    expect_whole(packed, gzip_bytes(packed, sizeof packed, "", 0), "");
    expect_whole(packed, zstd_bytes(packed, sizeof packed, "", 0), "");
}

Test(input, archives_may_follow_each_other)
{
    unsigned char packed[256];
    size_t half = gzip_bytes(packed, sizeof packed, "abc", 3);
    size_t whole = half + gzip_bytes(packed + half, sizeof packed - half, "def", 3);
    expect_whole(packed, whole, "abcdef");
    half = zstd_bytes(packed, sizeof packed, "abc", 3);
    whole = half + zstd_bytes(packed + half, sizeof packed - half, "def", 3);
    expect_whole(packed, whole, "abcdef");
}

Test(input, an_archive_may_begin_with_what_is_to_be_skipped)
{
    unsigned char packed[256] = {0x5f, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'x', 'y'};
    size_t length = 10 + zstd_bytes(packed + 10, sizeof packed - 10, "abc", 3);
    expect_whole(packed, length, "abc");
}

Test(input, a_cut_archive_is_an_error_wherever_it_is_cut)
{
    unsigned char packed[256];
    char out[8192];
    for (int kind = 0; kind < 2; kind++) {
        size_t length = kind == 0 ? gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1)
                                  : zstd_bytes(packed, sizeof packed, csv, sizeof csv - 1);
        for (size_t cut = 4; cut < length; cut++) {
            struct pt_error error = {0};
            size_t total = 0;
            cr_assert_eq(drain(out, &total, packed, cut, 4096, &error), PT_ERR_INPUT, "%zu", cut);
            cr_assert_str_eq(error.message, "ends in the middle of its archive");
            cr_assert_str_eq(error.file, "m");
        }
    }
}

Test(input, a_broken_archive_is_an_error)
{
    unsigned char packed[256];
    char out[8192];
    struct pt_error error = {0};
    size_t total = 0;
    size_t length = gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1);
    packed[length - 5] ^= 1; /* the checksum */
    cr_assert_eq(drain(out, &total, packed, length, 4096, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is a broken gzip archive");
    packed[length - 5] ^= 1;
    memcpy(packed + length, "rest", 4);
    cr_assert_eq(drain(out, &total, packed, length + 4, 4096, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "has something behind the end of its gzip archive");
    length = zstd_bytes(packed, sizeof packed, csv, sizeof csv - 1);
    memcpy(packed + length, "rest", 4);
    cr_assert_eq(drain(out, &total, packed, length + 4, 4096, &error), PT_ERR_INPUT);
    cr_assert_eq(strncmp(error.message, "is a broken zstd archive", 24), 0);
}

Test(input, every_flipped_bit_of_an_archive_is_noticed_or_harmless)
{
    unsigned char packed[256];
    char out[8192];
    size_t length = gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1);
    for (size_t bit = 32; bit < 8 * length; bit++) {
        packed[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        struct pt_error error = {0};
        size_t total = 0;
        if (drain(out, &total, packed, length, 512, &error) == PT_OK) {
            cr_expect_eq(total, sizeof csv - 1, "bit %zu", bit);
            cr_expect_arr_eq(out, csv, sizeof csv - 1);
        }
        packed[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
}

static void expect_no_file(const char *path, const char *message)
{
    struct reading *reading = read_path("native", path, true);
    cr_assert_eq(reading->status, PT_ERR_INPUT);
    cr_assert_str_eq(reading->error.message, message);
    cr_assert_str_eq(reading->error.file, path);
    end_reading(reading);
}

Test(input, files_that_cannot_be_read_are_input_errors)
{
    expect_no_file("/nowhere/at/all.csv", "cannot be opened: No such file or directory");
    expect_no_file("/tmp", "is a folder, not a trace");
    const char *path = write_file("", 0);
    expect_no_file(path, "is empty: it has no header");
    unlink(path);
}

Test(input, a_read_that_fails_is_no_fault_of_the_user)
{
    /* Address 0 of one's own memory can be opened and not be read. */
    if (access("/proc/self/mem", R_OK) != 0) cr_skip_test("there is no /proc/self/mem");
    struct reading *reading = read_path("native", "/proc/self/mem", true);
    cr_assert_eq(reading->status, PT_ERR_IO);
    cr_assert_str_eq(reading->error.message, "cannot be read: Input/output error");
    end_reading(reading);
}

Test(input, a_file_is_known_by_its_bytes_not_its_name)
{
    unsigned char packed[256];
    size_t length = gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1);
    const char *path = write_file(packed, length);
    struct reading *reading = read_path("native", path, false);
    cr_assert_eq(reading->status, PT_OK, "%s", reading->error.message);
    cr_assert_eq(reading->trace.job_count, 2);
    cr_assert_eq(reading->report.bytes, sizeof csv - 1, "uncompressed");
    end_reading(reading);
    unlink(path);
}

Test(input, a_cut_archive_stops_the_read_even_when_rows_are_skipped)
{
    unsigned char packed[256];
    size_t length = gzip_bytes(packed, sizeof packed, csv, sizeof csv - 1);
    struct reading *reading = read_text((const char *)packed, length - 9, true);
    cr_assert_eq(reading->status, PT_ERR_INPUT);
    cr_assert_str_eq(reading->error.message, "ends in the middle of its archive");
    end_reading(reading);
}
