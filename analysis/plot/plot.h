/* Figures of results, drawn by gnuplot: `partita plot`.
 *
 * Each figure NAME becomes three files: NAME.svg, .png or .pdf, the numbers that it shows in
 * NAME.tsv, and NAME.gp, which draws it again by plain `gnuplot NAME.gp` beside the numbers. They
 * appear together when all are whole: everything is made in a directory of its own and renamed.
 */
#ifndef PT_PLOT_PLOT_H
#define PT_PLOT_PLOT_H

#include "analysis/compare/side.h"

enum { PT_PLOT_RUNS_MAX = 8 };

/* One result to draw. Of a directory the run of the least seed stands for all where jobs or time
 * are drawn; their mean and spread are in `difference`. */
struct pt_plot_run {
    struct pt_side side;
    struct pt_results_reader *reader;
    char *label;     /* the policy where that tells all apart, else the file's name */
    unsigned colour; /* from 1: one for each policy, of results of one policy one for each */
};

struct pt_plot {
    size_t count;
    struct pt_plot_run runs[PT_PLOT_RUNS_MAX];
};

/* Reads 1 to PT_PLOT_RUNS_MAX results. PT_ERR_INPUT with the file's name. Free it with fini also
 * after an error. */
PT_USE_RESULT enum pt_status pt_plot_read(struct pt_plot *plot, const char *const *paths,
                                          size_t count, struct pt_error *error);
void pt_plot_fini(struct pt_plot *plot);

enum pt_plot_format { PT_PLOT_SVG, PT_PLOT_PNG, PT_PLOT_PDF, PT_PLOT_FORMAT_COUNT };
extern const char *const pt_plot_formats[]; /* "svg", ...; NULL-terminated */

/* Figures by index; NULL past the end. */
const char *pt_figure_name(size_t index);
const char *pt_figure_about(size_t index); /* one line */

/* Draws one figure into a directory that is there. Where the results have nothing to draw, *why
 * says so in words (a constant), PT_OK is returned and nothing is written; else *why is NULL.
 * PT_ERR_IO when gnuplot is not there or fails: NAME.tsv and NAME.gp are kept then. */
PT_USE_RESULT enum pt_status pt_figure_draw(size_t index, const struct pt_plot *plot,
                                            const char *directory, enum pt_plot_format format,
                                            const char **why, struct pt_error *error);

#endif
