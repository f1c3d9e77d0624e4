#!/bin/sh
# Valgrind on the program as users get it (build/release): runs that end well and runs that don't.
set -eu
partita=$PWD/build/release/partita
valgrind=$PWD/tests/house/valgrind.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

try() { # expected-exit argument...
    want=$1
    shift
    code=0
    "$valgrind" "$partita" "$@" >"$work/out" 2>&1 || code=$?
    count=$((count + 1))
    if [ "$code" -ne "$want" ]; then
        echo "valgrind: partita $*: expected exit $want, got $code"
        cat "$work/out"
        exit 1
    fi
}
printf 'partita: 1\ncluster: {gpus: 2\n' >"$work/broken.yaml"
printf 'partita: 1\nclutser: {gpus: 2}\n' >"$work/typo.yaml"
try 0 --version
try 0 run configs/demo.yaml --set trace.jobs=200 --out "$work/demo.h5"
try 0 run "$work/demo.h5" --out "$work/again.h5"
try 0 export "$work/demo.h5" --format csv
try 2 run "$work/broken.yaml"
try 2 run "$work/typo.yaml"
try 2 run "$work/missing.yaml"
try 2 run configs/demo.yaml --set cluster.nonsense=1
for scenario in tests/scenarios/*.yaml; do
    try 0 test "$scenario"
done
echo "$count runs, no error and no leak"
