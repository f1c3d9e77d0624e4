# Means over intervals, as steps; least and largest where many intervals are one column.
set xrange [0:longest_s > 0 ? longest_s / seconds_a_unit : 1]
set yrange [0:in_percent ? 102 : largest > 0 ? 1.05 * largest : 1]
if (in_percent == 0) { set format y "%.0f" }
set xlabel "time (".time_unit.")"
if (panels > 1) {
    set multiplot layout panels,1
    set xlabel ""
}
do for [p = 1:panels] {
    if (panels > 1) { set title heading[p] } else { set ylabel heading[p] }
    if (p > 1) { unset key }
    if (p == panels) { set xlabel "time (".time_unit.")" }
    plot for [n = 1:count] data index (p - 1) * count + n - 1 using ($1 / seconds_a_unit):2 \
        with steps linewidth 1.6 linecolor rgb colour_of(n) dashtype dash_of(n) title label[n]
}
if (panels > 1) { unset multiplot }
