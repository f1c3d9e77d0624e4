#!/bin/sh
# One experiment under every policy: a row for each that is listed, with all jobs accounted for.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

cat >few.yaml <<'YAML'
partita: 1
name: few
cluster: {gpus: 4}
trace: {source: synthetic, jobs: 200, mean_interarrival: 10s, work: exponential, work_mean: 30s, gpus: "1:3|2:1"}
YAML
table=$PARTITA_SOURCE/analysis/policies/table.sh
PARTITA=$PARTITA "$table" few.yaml >table.md || fail "the table fails: $(cat table.md)"
"$PARTITA" list policies --json >policies.json
listed=$(grep -c '"kind": "order"' policies.json)
rows=$(grep -c "^| .[a-z0-9_]*. | 200 |" table.md)
[ "$rows" = "$listed" ] || fail "$rows rows of done jobs for $listed policies: $(cat table.md)"
if PARTITA=/nowhere/partita PATH=/usr/bin:/bin "$table" few.yaml >none.md 2>none.txt; then
    fail "a table without a program is no success"
fi
finish
