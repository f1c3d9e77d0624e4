#!/bin/sh
# tidy.sh BUILD JOBS: clang-tidy over the product's sources (.clang-tidy holds the checks).
# Criterion's macros are not ours to tidy, so unit tests are left out.
set -eu
build=$1
jobs=$2
log=$build/clang-tidy.log
code=0
run-clang-tidy -quiet -p "$build" -j "$jobs" \
    "$PWD/(sim|models|policies|traces|analysis)/.*\\.c$" >"$log" 2>"$log.err" || code=$?
if [ "$code" -ne 0 ]; then
    grep -E 'warning:|error:' "$log" | sort -u || cat "$log.err"
    exit 1
fi
grep -c '^clang-tidy' "$log" | sed 's/$/ files/'
