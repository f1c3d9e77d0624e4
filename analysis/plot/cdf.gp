# Distributions of completion times and waits of 1 to 8 results. Set by plot.sh: folder (with
# jct-N.tsv, wait-N.tsv: percent of jobs, seconds; labels: a line each), count, output_file.
#
# Colours are Okabe and Ito's, told apart by whoever sees colours differently; dashes tell the lines
# apart in black and white.

ending = output_file[strlen(output_file) - 3:*]
# a row of legend for each line above both panels; none for a single line
legend = count < 2 ? 0 : 0.06 * count + 0.06
stretch = 1 + legend
if (ending eq ".png") {
    set terminal pngcairo size 1200,520 * stretch font "Sans,13" background "white"
} else { if (ending eq ".pdf") {
    set terminal pdfcairo size 9,3.9 * stretch font "Sans,11"
} else {
    set terminal svg size 900,390 * stretch dynamic font "Helvetica,Arial,sans-serif,13" \
        background "white"
} }
set output output_file
set encoding utf8

set linetype 1 linewidth 2.5 linecolor rgb "#0072B2" dashtype 1
set linetype 2 linewidth 2.5 linecolor rgb "#D55E00" dashtype (14,5)
set linetype 3 linewidth 2.5 linecolor rgb "#009E73" dashtype (3,4)
set linetype 4 linewidth 2.5 linecolor rgb "#CC79A7" dashtype (14,4,3,4)
set linetype 5 linewidth 2.5 linecolor rgb "#E69F00" dashtype (22,5)
set linetype 6 linewidth 2.5 linecolor rgb "#56B4E9" dashtype (7,4)
set linetype 7 linewidth 2.5 linecolor rgb "#000000" dashtype (3,2,3,6)
set linetype 8 linewidth 2.5 linecolor rgb "#8A8A00" dashtype (22,4,3,4,3,4)

label(n) = system(sprintf("sed -n %dp '%s/labels'", n, folder))
file(what, n) = sprintf("%s/%s-%d.tsv", folder, what, n)

# The axes of both panels: from the least time worth showing to the longest there is. A line starts
# at the left edge with the share of jobs that took no longer than that, and ends in 100 %.
longest = 10.
do for [what in "jct wait"] {
    do for [n = 1:count] {
        stats file(what, n) using ($2 < 1e12 ? $2 : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_max > longest) {
            longest = STATS_max
        }
    }
}
shortest = 1.
end = longest * 1.3
at_least(seconds) = seconds < shortest ? shortest : seconds

set logscale x
set xrange [shortest:end]
set xtics ("≤ 1 s" 1, "10 s" 10, "1 min" 60, "10 min" 600, "1 h" 3600, "5 h" 18000, "1 d" 86400, \
    "7 d" 604800, "30 d" 2592000, "1 y" 31536000, "10 y" 315360000)
set mxtics 1
set yrange [0:102]
set ytics ("0 %%" 0, "25 %%" 25, "50 %%" 50, "75 %%" 75, "90 %%" 90, "100 %%" 100)
set grid xtics ytics linetype 1 linewidth 0.7 linecolor rgb "#D8D8D8" dashtype 1
set border 3 linecolor rgb "#606060"
set tics nomirror textcolor rgb "#202020"
set key at screen 0.01,0.985 left top reverse Left samplen 4 spacing 1.2 noautotitle
if (count < 2) { unset key }

set multiplot layout 1,2 margins 0.07,0.985,0.16 / stretch,(0.90 + 0.01 * (count > 1)) / stretch \
    spacing 0.075,0
set title "Completion time: jobs done within" font ",15"
set xlabel "since submission (log scale)"
plot for [n = 1:count] file("jct", n) using (at_least($2)):1 with lines linetype n title label(n)
set title "Wait: jobs started within"
unset key
plot for [n = 1:count] file("wait", n) using (at_least($2)):1 with lines linetype n
unset multiplot
