#!/bin/sh
# scenarios.sh RANDOM_WORLDS COUNT KIND...: random worlds as scenario files with the reference's
# answers, run by `partita test`: the same worlds, now through YAML.
set -eu
program=$1 count=$2
shift 2
for kind; do
    "$program" --scenarios "$kind.yaml" "$count" "$kind"
    "$PARTITA" test "$kind.yaml"
done
