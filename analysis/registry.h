/* Files of this folder that are built into the program. Texts are not NUL-terminated. */
#ifndef PT_ANALYSIS_REGISTRY_H
#define PT_ANALYSIS_REGISTRY_H

#include <stddef.h>

/* Scripts of the figures, and what all of them begin with: analysis/plot/NAME.gp. */
extern const unsigned char pt_plot_style_gp[];
extern const size_t pt_plot_style_gp_length;
extern const unsigned char pt_plot_cdf_gp[];
extern const size_t pt_plot_cdf_gp_length;
extern const unsigned char pt_plot_slowdown_gp[];
extern const size_t pt_plot_slowdown_gp_length;
extern const unsigned char pt_plot_bars_gp[];
extern const size_t pt_plot_bars_gp_length;
extern const unsigned char pt_plot_series_gp[];
extern const size_t pt_plot_series_gp_length;
extern const unsigned char pt_plot_gantt_gp[];
extern const size_t pt_plot_gantt_gp_length;
extern const unsigned char pt_plot_difference_gp[];
extern const size_t pt_plot_difference_gp_length;

#endif
