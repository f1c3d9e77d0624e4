/* The readers, one a file, and what they share: the handling of a row that is wrong. */
#ifndef PT_TRACES_READERS_H
#define PT_TRACES_READERS_H

#include "partita/reader.h"

extern const struct pt_reader_ops pt__reader_native;
extern const struct pt_reader_ops pt__reader_synthetic;
extern const struct pt_reader_ops pt__reader_helios;
extern const struct pt_reader_ops pt__reader_philly;

/* The columns of the fixed formats, NULL-terminated. */
extern const char *const pt__helios_columns[];
extern const char *const pt__philly_columns[];

/* For readers without parameters. */
extern const struct pt_param pt__no_params[];

/* Counts and reports a bad row; returns PT_OK if the read goes on without it, else the row's error.
 * `error` holds the row's error with its place. Errors other than PT_ERR_INPUT always stop. */
PT_USE_RESULT enum pt_status pt__bad_row(struct pt_read_report *report,
                                         const struct pt_read_request *request,
                                         const struct pt_error *error);

/* PT_ERR_INTERRUPTED once the request says so. */
PT_USE_RESULT enum pt_status pt__read_goes_on(const struct pt_read_request *request,
                                              struct pt_error *error);

/* Gives row `row` the id that the file's row number is, where rows left out have made the two
 * differ; for sources without ids. */
PT_USE_RESULT enum pt_status pt__keep_row_number(struct pt_trace *trace, pt_job row,
                                                 uint64_t file_row, struct pt_error *error);

/* Native CSV from memory, for tests and fuzzing; `name` stands for the path in messages. */
PT_USE_RESULT enum pt_status pt__native_read_memory(struct pt_trace *trace,
                                                    struct pt_read_report *report,
                                                    const struct pt_read_request *request,
                                                    const char *name, const void *bytes,
                                                    size_t length, struct pt_error *error);

#endif
