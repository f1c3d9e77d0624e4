# A point for each group of like jobs, a line through the medians of classes of size.
set logscale xy
set xlabel "GPU hours of the job alone (log scale)"
set ylabel "slowdown (JCT / ideal, log scale)"
set yrange [0.9:*]
set format x "%g"
set format y "%g"
plot for [n = 1:count] data index 2 * (n - 1) using 1:2 with points pointtype 2 * n + 3 \
        pointsize 0.45 linecolor rgb "#60".substr(colour_of(n), 2, 7), \
    for [n = 1:count] data index 2 * (n - 1) + 1 using 1:2 with lines linewidth 4 \
        linecolor rgb "#FFFFFF", \
    for [n = 1:count] data index 2 * (n - 1) + 1 using 1:2 with lines linewidth 2.6 \
        linecolor rgb colour_of(n) dashtype dash_of(n) title label[n].", median"
