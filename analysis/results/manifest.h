/* /manifest: all it takes to run the experiment again, and to know that it came out the same;
 * /manifest/host: what depends on the machine and the moment. */
#ifndef PT_RESULTS_MANIFEST_H
#define PT_RESULTS_MANIFEST_H

#include "analysis/results/h5.h"
#include "analysis/results/results.h"

/* Writes /manifest, and /manifest/host if asked for. */
PT_USE_RESULT enum pt_status pt__manifest_write(hid_t file, const struct pt_manifest *manifest,
                                                struct pt_error *error);

#endif
