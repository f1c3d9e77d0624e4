#!/bin/sh
# plot.sh PARTITA SOURCE: the picture of two results is drawn, in every format, whatever the texts in
# the job table. Skipped (77), and says so, without gnuplot.
set -eu
command -v gnuplot >/dev/null || {
    echo "skipped: no gnuplot here"
    exit 77
}
"$1" run "$2/tests/results/world.yaml" --out a.h5 >/dev/null
"$1" run "$2/tests/results/world.yaml" --out b.h5 \
    --set 'trace.jobs[0].user=a "quoted", user' >/dev/null
for format in svg png pdf; do
    "$2/analysis/plot/plot.sh" "$1" a.h5 b.h5 "two.$format" 2>messages
    if [ -s messages ]; then
        cat messages
        exit 1
    fi
done
"$2/analysis/plot/plot.sh" "$1" a.h5 "one.svg"
# two lines in each panel, and none for what is not there
[ "$(grep -c "<path stroke='rgb(  0, 114, 178)'" two.svg)" -ge 2 ]
[ "$(grep -c "<path stroke='rgb(213,  94,   0)'" two.svg)" -ge 2 ]
if grep -q "<path stroke='rgb(213,  94,   0)'" one.svg; then exit 1; fi
# the same jobs, the same line, quoted texts or not
"$2/analysis/plot/plot.sh" "$1" b.h5 "quoted.svg"
sed 's/<title>.*//' one.svg >one
sed 's/<title>.*//' quoted.svg | cmp - one
