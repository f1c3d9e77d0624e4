# A row for each GPU; who shares it is drawn one above the other, idle time and the time that a job
# was stopped for are gaps.
set title label[1].(count > 1 ? " (the first result)" : "")
set xrange [0:end_s / seconds_a_unit]
set yrange [gpus + 0.5:0.5]
set xlabel "time (".time_unit.")".(gpus_left_out > 0 ? \
    sprintf("; %d more GPUs held jobs", gpus_left_out) : "").(thin > 0 ? \
    sprintf("; %d intervals too short to draw are left out", thin) : "")
unset grid
set grid xtics linetype 1 linewidth 0.5 linecolor rgb "#D8D8D8"
set ytics (gpu[1] 1)
do for [g = 2:gpus] { set ytics add (gpu[g] g) }
if (gpus > 16) { set ytics font "".sized(10) }
top(row, lane, lanes) = row - 0.42 + 0.84 * lane / lanes
bottom(row, lane, lanes) = row - 0.42 + 0.84 * (lane + 1) / lanes
set style fill solid 0.75 border linecolor rgb "#303030"
if (bars > 400) { set style fill solid 0.85 noborder }
plot for [t = 1:tenants] data using ($6 == t ? $2 / seconds_a_unit : NaN):1:($2 / seconds_a_unit): \
        ($3 / seconds_a_unit):(top($1, $4, $5)):(bottom($1, $4, $5)) with boxxyerror \
        linewidth 0.5 linecolor rgb palette[t] title tenant[t], \
    data using (names && $3 - $2 > 0.03 * end_s ? ($2 + $3) / 2 / seconds_a_unit : NaN): \
        ((top($1, $4, $5) + bottom($1, $4, $5)) / 2):(sprintf("%d", $7)) with labels font sized(10) notitle
