#!/bin/sh
# cppcheck.sh BUILD JOBS: cppcheck over the product's sources.
#
# What is left out, and why: missingIncludeSystem, since system headers are not analysed;
# unusedFunction is not asked for, since the library's functions are its users' to call;
# unmatchedSuppression, since an inline suppression may be for one compiler's configuration only.
set -eu
build=$1
jobs=$2
mkdir -p "$build/cppcheck"
cppcheck --project="$build/compile_commands.json" --cppcheck-build-dir="$build/cppcheck" \
    -j "$jobs" --quiet --error-exitcode=1 --inline-suppr \
    --enable=warning,performance,portability --std=c11 \
    --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
    -i"$PWD/tests" -i"$PWD/build"
