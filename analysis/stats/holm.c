#include "analysis/stats/holm.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

enum pt_status pt_holm_adjust(double *p, size_t m, struct pt_error *error)
{
    size_t tests = 0;
    double *found = malloc((m + 1) * sizeof(*found));
    size_t *place = malloc((m + 1) * sizeof(*place));
    size_t *order = malloc((m + 1) * sizeof(*order));
    if (found == NULL || place == NULL || order == NULL) {
        free(found);
        free(place);
        free(order);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu p-values", m);
    }
    for (size_t i = 0; i < m; i++) {
        if (isnan(p[i])) continue;
        found[tests] = p[i];
        place[tests++] = i;
    }
    if (tests > 0) gsl_sort_index(order, found, 1, tests);
    double highest = 0;
    for (size_t i = 0; i < tests; i++) {
        double adjusted = (double)(tests - i) * found[order[i]];
        if (adjusted > highest) highest = adjusted;
        p[place[order[i]]] = highest < 1 ? highest : 1;
    }
    free(found);
    free(place);
    free(order);
    return PT_OK;
}
