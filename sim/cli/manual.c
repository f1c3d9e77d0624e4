/* Writes partita(1) or the bash completion to stdout, from the tables of the commands: run once
 * when the program is built. */
#include <stdio.h>
#include <string.h>

#include "partita/trace.h"
#include "sim/cli/commands.h"
#include "sim/cli/help.h"
#include "sim/experiment/describe.h"
#include "sim/experiment/tables.h"

/* The keys of an experiment and the columns of a trace, behind the commands. */
static void write_files(void)
{
    puts(".SH EXPERIMENT FILE\nYAML. Durations are seconds or have a unit (500ms 30s 15min 2h 7d), "
         "memory is GiB or has one (GiB MiB GB MB).");
    pt_describe_keys(stdout, &pt_schema_experiment, PT_DESCRIBE_ROFF);
    puts(".SH SCENARIO FILE\nYAML: an experiment and a key `expect`, which holds these keys; --- "
         "begins "
         "a further scenario. An expected number is a number, null (it does not exist), or a map "
         "with some of the keys said of the first one: {min: 3, max: 4.5}.");
    pt_describe_keys(stdout, &pt_schema_expect, PT_DESCRIBE_ROFF);
    puts(".SH CATALOGUE FILE\nYAML: GPUs of one's own, which the key `catalog` of an experiment "
         "names. A GPU that is called as one that is built in gets what the file says of it; one "
         "that is `like` another has whatever else that has. What is needed may be left out then. "
         "A figure is a number, or {value, source} where its source is not the row's.");
    pt_describe_keys(stdout, &pt_schema_catalog, PT_DESCRIBE_ROFF);
    puts(".SH GATES FILE\nYAML: conditions that fail a run, for \\-\\-gate.");
    pt_describe_keys(stdout, &pt_schema_gates, PT_DESCRIBE_ROFF);
    puts(
        ".SH NATIVE TRACE\nCSV with a header, gzip or zstd allowed, columns in any order; a column "
        "whose name begins with x_ is ignored.");
    for (int i = 0; i < PT_COLUMN_COUNT_; i++) {
        const struct pt_column_info *column = &pt_columns[i];
        printf(".TP\n.B %s\n%s%s%s%s.", column->name, column->help, column->unit[0] ? " (" : "",
               column->unit, column->unit[0] ? ")" : "");
        if (!column->fallback)
            fputs(" Required.", stdout);
        else if (column->fallback[0])
            printf(" Default: %s.", column->fallback);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "man") == 0) {
        pt__help_man(stdout, pt__commands, PARTITA_VERSION);
        write_files();
    } else if (argc == 2 && strcmp(argv[1], "bash") == 0) {
        pt__help_completion(stdout, pt__commands);
    } else {
        fprintf(stderr, "usage: %s man|bash\n", argv[0]);
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
