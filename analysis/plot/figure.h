/* Private to analysis/plot: what a figure is made of. */
#ifndef PT_PLOT_FIGURE_H
#define PT_PLOT_FIGURE_H

#include <stdio.h>

#include "analysis/plot/plot.h"

/* The files of a figure while it is made. Data are blocks of lines with two blank lines between
 * them, as gnuplot counts them (`index`); variables of the script are set before it. */
struct pt__canvas {
    const struct pt_plot *plot;
    FILE *data, *script;
    const char *nothing; /* set by a figure that has nothing to draw: why */
};

struct pt__figure {
    const char *name, *about;
    const unsigned char *script;
    const size_t *script_length;
    enum pt_status (*draw)(struct pt__canvas *canvas, struct pt_error *error);
};
extern const struct pt__figure pt__figures[]; /* ends with a NULL name */

enum pt_status pt__draw_jct(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_wait(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_slowdown(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_sla(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_cost(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_utilization(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_queue(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_fragmentation(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_gantt(struct pt__canvas *canvas, struct pt_error *error);
enum pt_status pt__draw_difference(struct pt__canvas *canvas, struct pt_error *error);

/* A text as a string of gnuplot, in quotes; control characters become blanks. */
void pt__script_text(FILE *script, const char *text);
/* The unit that keeps times up to `span_s` short: sets `time_unit` and returns seconds a unit. */
double pt__script_time_unit(FILE *script, double span_s);
/* The canvas has this file's name in an error without one. */
enum pt_status pt__of_run(const struct pt_plot_run *run, enum pt_status status,
                          struct pt_error *error);

/* Runs gnuplot on NAME.gp in `directory`. PT_ERR_IO with what it said last. */
PT_USE_RESULT enum pt_status pt__gnuplot(const char *directory, const char *script,
                                         struct pt_error *error);

#endif
