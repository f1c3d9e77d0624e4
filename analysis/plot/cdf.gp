# A distribution: percent of the jobs within a time. Lines begin at the left edge with the share
# that took no longer than that.
shortest = 1.
at_least(seconds) = seconds < shortest ? shortest : seconds
end = longest_s > 10 ? longest_s * 1.3 : 13
set logscale x
set xrange [shortest:end]
set yrange [0:102]
set xtics ("≤ 1 s" 1, "10 s" 10, "1 min" 60, "10 min" 600, "1 h" 3600, "5 h" 18000, "1 d" 86400, \
    "7 d" 604800, "30 d" 2592000, "1 y" 31536000, "10 y" 315360000)
set mxtics 1
set ytics ("0" 0, "25" 25, "50" 50, "75" 75, "90" 90, "100" 100)
set ylabel "% of ".heading
set xlabel "time since submission (log scale)"
plot for [n = 1:count] data index n - 1 using (at_least($1)):2 with lines linewidth 2.2 \
    linecolor rgb colour_of(n) dashtype dash_of(n) title label[n]
