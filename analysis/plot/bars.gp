# A bar for each result in each group, by fill pattern too.
set style fill pattern 0 border linecolor rgb "#202020"
set title heading
set ylabel unit
set yrange [0:is_share ? 100 : largest > 0 ? 1.08 * largest : 1]
width = 0.8 / count
# few groups do not become broad ones
pad = rows < 4 ? (4 - rows) / 2. : 0
set xrange [-0.6 - pad:rows - 0.4 + pad]
unset grid
set grid ytics linetype 1 linewidth 0.5 linecolor rgb "#D8D8D8"
# "tenant" above the label where there are several dimensions
named(dimension, text) = dimension eq "all" || is_share == 0 ? text : dimension." ".text
if (rows > 5) { set xtics rotate by -35 }
if (left_out > 0) { set xlabel sprintf("%d more groups are not shown", left_out) }
array fills[8] = [3, 1, 2, 4, 5, 6, 7, 0]
plot for [n = 1:count] data using ($0 + (n - 0.5) * width - 0.4):(column(n + 2)):(0.9 * width) \
        with boxes fillstyle pattern fills[n] linecolor rgb colour_of(n) title label[n], \
    data using 0:(0):xticlabel(named(stringcolumn(1), stringcolumn(2))) with points pointtype 0 notitle
