#!/bin/sh
# fuzz.sh SECONDS JOBS: replays every corpus under libFuzzer's sanitizers, then fuzzes the parsers
# that changed, SECONDS in all, JOBS at a time. Lines "parses: PATH..." in tests/fuzz/fuzz_NAME.c
# say which sources it is for.
set -eu

# fuzz.sh --one SECONDS NAME: fuzzes one target; the corpus is read, finds are kept in the build.
if [ "$1" = --one ]; then
    name=$3
    mkdir -p "build/fuzz/found/$name" build/fuzz/artifacts
    code=0
    build/fuzz/tests/fuzz/"$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 \
        -max_len=16384 -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" \
        "build/fuzz/found/$name" "tests/fuzz/corpus/${name#fuzz_}" >"build/fuzz/$name.log" 2>&1 ||
        code=$?
    if [ "$code" -eq 0 ]; then
        sed -n "s/^stat::number_of_executed_units: */$name: runs: /p" "build/fuzz/$name.log"
    else
        echo "$name FAILED (build/fuzz/$name.log, the input is in build/fuzz/artifacts):"
        tail -n 60 "build/fuzz/$name.log"
        exit 1
    fi
    exit 0
fi

seconds=$1
jobs=$2
mkdir -p build
cmake --preset fuzz >build/configure-fuzz.log 2>&1 || { cat build/configure-fuzz.log; exit 1; }
cmake --build --preset fuzz --parallel "$jobs" --target fuzzers

base=${CHECK_BASE:-}
if [ -z "$base" ]; then
    # A day of commits: since the last one that is a day older than HEAD, else since the beginning.
    day_before=$(($(git log -1 --format=%ct) - 86400))
    base=$(git rev-list -1 --before="$day_before" HEAD)
    [ -n "$base" ] || base=$(git hash-object -t tree /dev/null)
fi

changed=''
count=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    paths=$(sed -n 's|^.*parses: *\([^*]*\).*$|\1|p' "$source" | tr '\n' ' ')
    [ -n "$paths" ] || { echo "$source does not say what it parses"; exit 1; }
    echo "$name: corpus: $(build/fuzz/tests/fuzz/"$name" -runs=0 "tests/fuzz/corpus/${name#fuzz_}" \
        2>&1 | tail -n 1)"
    # shellcheck disable=SC2086 # paths are words
    if ! git diff --quiet "$base" -- $paths "$source"; then
        changed="$changed $name"
        count=$((count + 1))
    fi
done
[ "$count" -gt 0 ] || { echo "no parser changed: nothing to fuzz"; exit 0; }
echo "fuzzing for $((seconds / count)) s each:$changed"
# shellcheck disable=SC2086 # names are words
printf '%s\n' $changed | xargs -P "$jobs" -I NAME "$0" --one $((seconds / count)) NAME
