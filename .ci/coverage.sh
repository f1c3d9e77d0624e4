#!/bin/sh
# coverage.sh JOBS: builds with gcc's counters, runs the fast tests, prints lines per folder.
set -eu
jobs=$1
mkdir -p build
cmake --preset coverage >build/configure-coverage.log 2>&1 || { cat build/configure-coverage.log; exit 1; }
cmake --build --preset coverage --parallel "$jobs"
find build/coverage -name '*.gcda' -delete
ctest --preset coverage --parallel "$jobs" --quiet --no-tests=error -L 'unit|scenario|cli|property|fuzz'
gcovr --root . --object-directory build/coverage --gcov-ignore-parse-errors \
    --filter 'sim/' --filter 'models/' --filter 'policies/' --filter 'traces/' --filter 'analysis/' \
    --csv build/coverage/files.csv -j "$jobs" >build/coverage/gcovr.log 2>&1 || { cat build/coverage/gcovr.log; exit 1; }
awk -F, '
    NR == 1 { next }
    {
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        lines[folder] += $2; covered[folder] += $3
        all += $2; all_covered += $3
    }
    END {
        printf "%-24s %8s %8s %7s\n", "folder", "lines", "covered", "%"
        for (folder in lines) {
            printf "%-24s %8d %8d %6.1f%%\n", folder, lines[folder], covered[folder],
                100 * covered[folder] / lines[folder] | "sort"
        }
        close("sort")
        if (!all) { print "nothing was measured"; exit 1 }
        printf "%-24s %8d %8d %6.1f%%\n", "all", all, all_covered, 100 * all_covered / all
    }
' build/coverage/files.csv
