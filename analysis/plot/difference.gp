# The change of each metric against the first result, with its interval; filled where it is sure.
set title label[2]." against ".label[1].(paired ? pairs > 1 ? sprintf(", %d seeds", pairs) : ", one run each" : "")
set yrange [rows - 0.4:-0.6]
set xlabel "change, % of the first result".(pairs > 1 ? ", 95 % interval" : "").(from_zero > 0 ? \
    sprintf("; %d more changed from 0", from_zero) : "")
set ytics font "".sized(12)
set arrow from 0, graph 0 to 0, graph 1 nohead linecolor rgb "#606060" linewidth 1
array words[3] = ["neither or not sure", "better", "worse"]
array shades[3] = ["#707070", "#0072B2", "#D55E00"]
array points[3] = [6, 5, 9]
set key samplen 1.5 width -4
plot for [k = 0:2] data using ($5 == k ? $2 : NaN):0:3:4:yticlabel(1) with xerrorbars \
    pointtype points[k + 1] pointsize 0.9 linewidth 1.5 linecolor rgb shades[k + 1] title words[k + 1]
