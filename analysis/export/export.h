/* Results in formats that everything reads. Streamed: memory does not grow with the jobs.
 *
 * Numbers are the shortest decimals that read back as the same double; null is an empty field
 * (CSV) or null (JSON).
 */
#ifndef PT_EXPORT_EXPORT_H
#define PT_EXPORT_EXPORT_H

#include <stdio.h>

#include "analysis/results/results.h"

/* /jobs with a header of the same names, RFC 4180 with LF line ends. PT_ERR_INPUT if the result has
 * no job table, PT_ERR_IO if writing fails. */
PT_USE_RESULT enum pt_status pt_export_csv(FILE *out, struct pt_results_reader *reader,
                                           struct pt_error *error);

/* One object: version, digest, effective_yaml, `summary` (a list of groups, each with dimension,
 * label and its metrics by name) and `jobs` (a list of rows by the same names as in /jobs, one a
 * line; empty if the result has no job table). Infinity, which JSON has not, is the text "inf". */
PT_USE_RESULT enum pt_status pt_export_json(FILE *out, struct pt_results_reader *reader,
                                            struct pt_error *error);

#endif
