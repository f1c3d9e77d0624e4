#!/bin/sh
# Every public header compiles alone, as C17 and as C++17, with the warnings of the house.
set -eu
include=$PARTITA_SOURCE/sim/include
cc=${CC:-cc}
case $cc in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac
gsl=$(pkg-config --cflags gsl)
failed=0
count=0
for header in "$include"/partita/*.h; do
    name=partita/${header##*/}
    count=$((count + 1))
    # shellcheck disable=SC2086 # flags are words
    printf '#include "%s"\n' "$name" | "$cc" -std=c17 -D_POSIX_C_SOURCE=200809L -I"$include" $gsl \
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Werror \
        -fsyntax-only -x c - || { echo "$name does not stand alone as C17"; failed=1; }
    if command -v "$cxx" >/dev/null; then
        # shellcheck disable=SC2086
        printf '#include "%s"\n' "$name" | "$cxx" -std=c++17 -D_POSIX_C_SOURCE=200809L \
            -I"$include" $gsl -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
            -fsyntax-only -x c++ - || { echo "$name does not stand alone as C++17"; failed=1; }
    fi
done
[ "$count" -gt 0 ] || { echo "no public header found"; exit 1; }
command -v "$cxx" >/dev/null || { echo "no $cxx here: C++17 was not tried"; exit 77; }
exit "$failed"
