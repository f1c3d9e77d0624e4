#!/bin/sh
# scenarios.sh RANDOM_WORLDS COUNT: random worlds as scenario files with the reference's answers,
# run by `partita test`: the same worlds, now through YAML.
set -eu
"$1" --scenarios worlds.yaml "$2"
"$PARTITA" test worlds.yaml
