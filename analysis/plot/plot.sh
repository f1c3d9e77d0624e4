#!/bin/sh
# plot.sh PARTITA RESULT.h5... OUT.svg|png|pdf
#
# Draws how completion times and waits are distributed in one result or several: what share of the
# jobs was done, or had started, after how long. Reads the results through `partita export`.
set -eu
[ $# -ge 3 ] || {
    echo "usage: $0 PARTITA RESULT.h5... OUT.svg|png|pdf" >&2
    exit 2
}
here=$(dirname "$0")
partita=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# At most 400 points of the distribution of column $2 of the job table $1: percent of the jobs, and
# seconds; below a second one point is enough. Jobs without a value (never done, never started) are
# in none. Fields may be quoted.
distribution() {
    awk -v wanted="$2" '
        function fields(line,   i, c, quoted, n, cell) {
            if (index(line, "\"") == 0) return split(line, field, ",")
            n = 0; cell = ""; quoted = 0
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) { field[++n] = cell; cell = "" }
                else cell = cell c
            }
            field[++n] = cell
            return n
        }
        {
            line = line $0
            if (gsub(/"/, "\"", line) % 2) { line = line "\n"; next } # the field goes on
            n = fields(line); line = ""
            if (!header) {
                for (header = 1; header <= n && field[header] != wanted; header++);
                for (state = 1; state <= n && field[state] != "state"; state++);
                next
            }
            if (field[header] != "" && (wanted != "jct_s" || field[state] == "done"))
                print field[header]
        }' "$1" | sort -g |
        awk '{ value[NR] = $1 }
             END {
                 for (i = 0; i <= 400 && NR > 0; i++) {
                     rank = int(i * NR / 400 + 0.999999)
                     if (rank < 1) rank = 1
                     above = int((i + 1) * NR / 400 + 0.999999)
                     if (i < 400 && value[above > NR ? NR : above] <= 1) continue
                     printf "%.4f\t%s\n", i / 4, value[rank]
                 }
                 if (NR > 0) print "100\t1e12" # and so for ever
             }'
}

count=0
while [ $# -gt 1 ]; do
    count=$((count + 1))
    "$partita" export "$1" --format csv >"$work/jobs.csv"
    distribution "$work/jobs.csv" jct_s >"$work/jct-$count.tsv"
    distribution "$work/jobs.csv" wait_s >"$work/wait-$count.tsv"
    basename "$1" .h5 >>"$work/labels"
    shift
done
gnuplot -e "folder='$work'; count=$count; output_file='$1'" "$here/cdf.gp"
echo "$1"
