#!/bin/sh
# compilers.sh [DIRECTORY]: builds the engine with gcc and clang, -O0 and -O3, and compares the
# digests of the same worlds. Builds go to DIRECTORY (build/compilers by default) and are kept.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
directory=${1:-$source/build/compilers}
first=''
policies=$(sed -n '/pt_policies\[\] = {/,/NULL}/s/.*&pt__\([a-z0-9_]*\),$/\1/p' \
    "$source/policies/registry.c")
failed=0
for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "compilers.sh: no $compiler: skipped"
        exit 77
    fi
    for level in O0 O3; do
        build=$directory/$compiler-$level
        mkdir -p "$build"
        cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DPARTITA_TESTS=ON \
            -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="-$level" >"$build/configure.log" 2>&1 ||
            { cat "$build/configure.log"; exit 1; }
        cmake --build "$build" --target digests modelled_worlds conformance >"$build/build.log" 2>&1 ||
            { cat "$build/build.log"; exit 1; }
        "$build/tests/determinism/digests" --print >"$build/digests.txt"
        "$build/tests/property/modelled_worlds" 100 >>"$build/digests.txt"
        for policy in $policies; do
            "$build/tests/property/conformance" "$policy" 2 >>"$build/digests.txt"
        done
        if [ -z "$first" ]; then
            first=$build/digests.txt
            cat "$first"
        fi
        if cmp -s "$first" "$build/digests.txt"; then
            echo "$compiler -$level: the same"
        else
            echo "$compiler -$level: DIFFERENT"
            diff "$first" "$build/digests.txt" || true
            failed=1
        fi
    done
done
exit "$failed"
