#!/bin/sh
# plant.sh TOOL: builds plants/TOOL.c, runs it the way the suite runs under that tool, and wants the
# tool to see the fault. The same program without the tool must run to its end unharmed, or the
# plant would prove nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tool=$1
cc=${CC:-cc}
# Sanitizers run under clang in this project (see CMakePresets.json) where there is one.
clang=$(command -v clang || echo "$cc")

want() { # code-or-any text: what the last run must have given
    if [ "$1" = any ]; then [ "$code" -ne 0 ]; else [ "$code" -eq "$1" ]; fi || {
        cat out
        echo "plant.sh: $tool: expected exit $1, got $code"
        exit 1
    }
    grep -q "$2" out || {
        cat out
        echo "plant.sh: $tool: the report does not say '$2'"
        exit 1
    }
}
run() {
    code=0
    "$@" >out 2>&1 || code=$?
}

case $tool in
address) flags=address text='heap-buffer-overflow' ;;
undefined) flags=undefined text='signed integer overflow' ;;
leak) flags=address text='detected memory leaks' ;;
thread) flags=thread text='data race' ;;
criterion) flags=address text='detected memory leaks' ;;
fuzzer) flags=fuzzer,address text='deadly signal' ;;
valgrind) ;;
*) echo "plant.sh: no plant for $tool"; exit 2 ;;
esac

case $tool in
valgrind)
    command -v valgrind >/dev/null || { echo "no valgrind here"; exit 77; }
    "$cc" -g -O0 "$here/plants/address.c" -o plant
    ./plant
    run "$here/valgrind.sh" ./plant
    want 98 'Invalid read of size 4'
    "$cc" -g -O0 "$here/plants/leak.c" -o plant
    run "$here/valgrind.sh" ./plant
    want 98 '100 bytes in 1 blocks are definitely lost'
    ;;
fuzzer)
    case $clang in
    *clang*) ;;
    *) echo "no clang here"; exit 77 ;;
    esac
    "$clang" -g -O1 -fsanitize="$flags" "$here/plants/fuzzer.c" -o plant
    run ./plant -seed=1 -max_total_time=60 -artifact_prefix=./
    want any "$text"
    ;;
*)
    library=''
    [ "$tool" != criterion ] || library=$(pkg-config --cflags --libs criterion)
    # shellcheck disable=SC2086 # flags are words
    "$cc" -g -O0 "$here/plants/$tool.c" -o plain -pthread $library
    ./plain
    # shellcheck disable=SC2086
    "$clang" -g -O1 -fsanitize=$flags -fno-sanitize-recover=all -fno-omit-frame-pointer \
        "$here/plants/$tool.c" -o plant -pthread $library
    run "$here/logged.sh" ./plant
    want 99 "$text"
    ;;
esac
