#include "tests/bench/figures.h"

#include <stdlib.h>
#include <time.h>

static FILE *json;
static int count;

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double figures_cpu_s(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double figures_wall_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void figures_open(const char *path)
{
    json = fopen(path, "w");
    if (json == NULL) {
        perror(path);
        exit(1);
    }
    fputc('{', json);
}

void figures_close(void)
{
    fputs("\n}\n", json);
    if (fclose(json) != 0) {
        perror("figures");
        exit(1);
    }
}

void figures_title(const char *title)
{
    printf("\n%s\n", title);
}

void figures_add(const char *key, double value, const char *unit, const char *limit)
{
    printf("  %-44s %12.4g %-10s %s\n", key, value, unit, limit != NULL ? limit : "");
    fprintf(json, "%s\n  \"%s\": %.6g", count++ > 0 ? "," : "", key, value);
    fflush(stdout);
}
