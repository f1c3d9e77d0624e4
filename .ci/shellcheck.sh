#!/bin/sh
# Every shell script is clean; the scripts are found by their first line.
set -eu
scripts=$(git grep -lI -m1 -E '^#!(/usr/bin/env |/bin/)(ba)?sh' -- .)
# shellcheck disable=SC2086 # our file names have no spaces
shellcheck -x $scripts
