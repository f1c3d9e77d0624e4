#!/bin/sh
# coverage.sh JOBS: builds with gcc's counters, then prints the executed lines
#   - of each parser by its fuzz corpus alone, which has to reach 85 %;
#   - of each folder by the fast tests.
set -eu
jobs=$1
build=build/coverage
mkdir -p build
cmake --preset coverage >build/configure-coverage.log 2>&1 || { cat build/configure-coverage.log; exit 1; }
cmake --build --preset coverage --parallel "$jobs"

tests() { # ctest-option...
    ctest --preset coverage --parallel "$jobs" --quiet --no-tests=error "$@"
}
clear_counters() {
    find "$build" -name '*.gcda' -delete
}
# measure NAME: NAME.csv gets a line for each source: file,lines,covered,...
measure() {
    gcovr --root . --object-directory "$build" --gcov-ignore-parse-errors \
        --filter 'sim/' --filter 'models/' --filter 'policies/' --filter 'traces/' \
        --filter 'analysis/' --csv "$build/$1.csv" -j "$jobs" >"$build/gcovr.log" 2>&1 ||
        { cat "$build/gcovr.log"; exit 1; }
}

bad=0
printf '%-24s %8s %8s %7s\n' 'parser, by its corpus' lines covered '%'
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    paths=$(sed -n 's|^.*parses: *\([^*]*\).*$|\1|p' "$source" | tr '\n' ' ')
    clear_counters
    tests -R "^fuzz\\.$name\$"
    measure "corpus-$name"
    awk -F, -v paths="$paths" -v name="$name" '
        BEGIN { count = split(paths, path, " ") }
        NR > 1 {
            for (i = 1; i <= count; i++)
                if (index($1, path[i]) == 1) { lines += $2; covered += $3; break }
        }
        END {
            share = lines ? 100 * covered / lines : 0
            printf "%-24s %8d %8d %6.1f%%\n", name, lines, covered, share
            exit share < 85
        }
    ' "$build/corpus-$name.csv" || { echo "^ below 85 %"; bad=1; }
done

clear_counters
tests -L 'unit|scenario|cli|property|fuzz'
measure files
printf '\n%-24s %8s %8s %7s\n' 'folder, by the tests' lines covered '%'
awk -F, '
    NR > 1 {
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        lines[folder] += $2; covered[folder] += $3
        all += $2; all_covered += $3
    }
    END {
        for (folder in lines)
            printf "%-24s %8d %8d %6.1f%%\n", folder, lines[folder], covered[folder],
                100 * covered[folder] / lines[folder] | "sort"
        close("sort")
        if (!all) { print "nothing was measured"; exit 1 }
        printf "%-24s %8d %8d %6.1f%%\n", "all", all, all_covered, 100 * all_covered / all
    }
' "$build/files.csv"
exit "$bad"
