#!/bin/sh
# No committed file holds a mark of unfinished or silenced work, a path of one machine, trailing
# blanks, a tab in C, or more than 100 columns of C.
set -eu
cd "$PARTITA_SOURCE"
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout: nothing to search"; exit 77; }
bad=0
none() { # what pattern pathspec...
    what=$1
    pattern=$2
    shift 2
    if git grep -nIE "$pattern" -- "$@" ':!tests/house/marks.sh'; then
        echo "^ $what"
        bad=1
    fi
}
none 'unfinished work' '\b(TODO|FIXME|XXX|HACK)\b' '*.c' '*.h' '*.sh' '*.cmake' '*CMakeLists.txt' '*.md' '*.yaml' bootstrap
none 'unfinished work' 'not implemented|[Pp]laceholder' '*.c' '*.h' '*.md'
none 'a silenced warning without its reason' '#pragma (GCC|clang) diagnostic ignored[^/]*$' '*.c' '*.h'
none 'a silenced warning without its reason' 'NOLINT[A-Z]*(\([^)]*\))? *$|NOLINT[A-Z]*$' '*.c' '*.h'
none 'a path of one machine' "(^|[ \"'=(])/(work|farm|root|home)/[A-Za-z]" .
none 'a path of one machine' '/tmp/[a-z]+[-_/]' . ':!tests'
none 'trailing blanks' '[ 	]+$' '*.c' '*.h' '*.sh' '*.cmake' '*.md' bootstrap
none 'a tab' '	' '*.c' '*.h' ':!tests/fuzz/corpus'
none 'a line of more than 100 columns' '^.{101,}$' '*.c' '*.h'
# Tests of one program run side by side, and Criterion keeps their deadlines in one list: where limits
# differ it may lose one that comes before the first, and with it the limit and the memory.
for folder in tests/unit/*/; do
    if [ "$(grep -hoE '\.timeout = [0-9.]+' "$folder"*.c | sort -u | wc -l)" -gt 1 ]; then
        grep -nE '\.timeout = ' "$folder"*.c
        echo "^ different time limits in tests of one program"
        bad=1
    fi
done
exit "$bad"
