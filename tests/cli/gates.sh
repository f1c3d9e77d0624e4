#!/bin/sh
# --fail-on: what holds fails the run, what can't be judged too, and what is no condition stops it.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

cat >world.yaml <<'YAML'
partita: 1
name: gates
cluster: {gpus: 2}
tenants: [{name: acme}, {name: "odd, name"}]
sla: {tiers: {gold: {max_slowdown: 1.2}}}
trace:
  jobs:
    - {id: a, submit_s: 0, work_s: 10, tenant: acme, sla: gold}
    - {id: b, submit_s: 0, work_s: 20, gpus: 2, tenant: "odd, name"}
YAML

# Completion times are 10 s and 30 s: a mean of 20 s, at which > does not hold and >= does.
exits 0 run world.yaml --out good.h5 --fail-on 'jct_mean_s > 20' --fail-on 'failed' --fail-on 'jct_p95_s > 1min'
silent err
exits 1 run world.yaml --out bad.h5 --fail-on 'jct_mean_s >= 20s' --fail-on 'jct_max_s > 3600' --fail-on 'done'
err_line "partita: gate 'jct_mean_s >= 20s' fails: got 20 s, limit >= 20 s"
err_line "partita: gate 'done' fails: got 2, limit > 0"
[ "$(grep -c fails err)" -eq 2 ] || fail "a gate that passed is said to fail"
out_says "Makespan"
[ -s bad.h5 ] || fail "a run that fails a gate keeps no result"
exits 1 run world.yaml --quiet --fail-on 'jct_mean_s{tenant="odd, name"} > 29'
err_line "partita: gate 'jct_mean_s{tenant=\"odd, name\"} > 29' fails: got 30 s, limit > 29 s"
exits 0 run world.yaml --fail-on 'jct_mean_s{tenant=acme} > 29' --fail-on 'sla_satisfaction{tier=gold} < 1'
exits 0 run world.yaml --fail-on 'utilization{pool=main} > 1' --fail-on 'done{kind=training} != 2'
exits 1 run world.yaml --fail-on 'cost > 5'
err_line "partita: gate 'cost > 5' fails: got null, limit > 5: it can't be judged"
exits 1 run good.h5 --fail-on 'makespan_s == 30'

# What is no condition is said before anything runs, all of it at once.
refused() { # CONDITION MESSAGE CARET-COLUMN
    rm -f never.h5
    exits 2 run world.yaml --out never.h5 --events never.jsonl --fail-on "$1"
    err_line "--fail-on: $2"
    err_line "  $1"
    err_line "  $(printf "%*s" "$3" "^")"
    silent out
    { [ ! -e never.h5 ] && [ ! -e never.jsonl ]; } || fail "'$1': something was run"
}
refused 'jct_p95 > 5' "unknown metric 'jct_p95' (did you mean 'jct_p95_s'?)" 1
refused 'failed{tenat=acme}' "unknown label 'tenat' (did you mean 'tenant'?)" 8
refused 'failed => 5' "unknown comparison '=>' (did you mean '>='?)" 8
refused 'failed > many' "'many' is not a number" 10
refused 'failed{tenant=acmee} > 3' "no tenant 'acmee' is in this result (did you mean 'acme'?)" 15
refused 'failed{kind=inference}' "no kind 'inference' is in this result" 13
refused 'jain_fairness{pool=main} < 1' "jain_fairness is not kept by pool" 1
refused 'tardiness_max_s' "tardiness_max_s is not in this result: it has no inputs for it" 1
refused 'jct_p95_s > +5%' "a change needs a base to be compared with, and there is none here" 13
refused 'jct_p95_s > 5%' "a percentage is a change against a base and has its sign: '+5%'" 13
exits 2 run nothing.yaml --fail-on 'jct > 5' --fail-on 'jct_p95_s ! 5'
err_line "--fail-on: unknown metric 'jct'; 'partita list metrics' shows them"
err_line "--fail-on: unknown comparison '!' (did you mean '!='?)"
exits 2 run world.yaml --fail-on
exits 0 run world.yaml --dry-run --fail-on 'failed{tenant=acme}'
exits 2 run world.yaml --dry-run --fail-on 'failed{tenant=b}'

# The same for programs.
exits 1 run world.yaml --json --fail-on 'jct_mean_s{tenant=acme} > 5' --fail-on 'cost' --fail-on failed
python3 - <<'PY' || fail "gates of --json"
import json
first, second, third = json.load(open("out"))["gates"]
assert first["fail_on"] == first["name"] == "jct_mean_s{tenant=acme} > 5", first
assert (first["verdict"], first["got"], first["limit"]) == ("failed", 10, 5), first
assert (first["metric"], first["labels"], first["comparison"]) == ("jct_mean_s", {"tenant": "acme"}, ">")
assert (second["verdict"], second["got"]) == ("unknown", None), second
assert (third["verdict"], third["got"], third["labels"]) == ("passed", 0, {}), third
PY
exits 0 run world.yaml --json
python3 -c 'import json; assert json.load(open("out"))["gates"] == []' || fail "no gates, no list"

# A file of gates.
cat >gates.yaml <<'YAML'
gates:
  - name: soon done
    fail_on: jct_max_s > 25
  - {name: nobody is late, fail_on: 'jct_mean_s{tenant=acme} > 1min'}
YAML
exits 1 run world.yaml --gate gates.yaml --fail-on failed --json
err_line "partita: gate 'soon done' fails: got 30 s, limit > 25 s"
python3 - <<'PY' || fail "gates of a file in --json"
import json
gates = json.load(open("out"))["gates"]
assert [gate["name"] for gate in gates] == ["soon done", "nobody is late", "failed"], gates
assert [gate["verdict"] for gate in gates] == ["failed", "passed", "passed"], gates
PY
cp gates.yaml kept.yaml
exits 2 run world.yaml --gate gates.yaml --out gates.yaml
exits 2 run world.yaml --gate gates.yaml --events gates.yaml
same gates.yaml kept.yaml
cat >wrong.yaml <<'YAML'
gates:
  - {name: one, fail_on: 'jct_maxs > 25'}
  - {name: two, fail_on: jct_max_s > +5%}
  - {name: three, fail_onn: jct_max_s}
YAML
exits 2 run world.yaml --gate wrong.yaml
err_line "wrong.yaml:4:19: unknown key 'fail_onn' (did you mean 'fail_on'?)"
sed -i '$d' wrong.yaml
exits 2 run world.yaml --gate wrong.yaml
err_line "wrong.yaml:2:27: unknown metric 'jct_maxs' (did you mean 'jct_max_s'?)"
err_line "wrong.yaml:3:38: a change needs a base to be compared with, and there is none here"
printf 'gates:\n  - {name: x, fail_on: "failed{tenant=acne}"}\n' >tenant.yaml
exits 2 run world.yaml --gate tenant.yaml
err_line "tenant.yaml:2:39: no tenant 'acne' is in this result (did you mean 'acme'?)"
err_line '    - {name: x, fail_on: "failed{tenant=acne}"}'
for text in '' 'gates: []' 'gates: [{name: x, fail_on: failed}, {name: x, fail_on: done}]' 'gates: 5' '[1]'; do
    echo "$text" >odd.yaml
    exits 2 run world.yaml --gate odd.yaml
done
exits 2 run world.yaml --gate nothing.yaml
err_says "nothing.yaml: "
exits 0 schema gates
out_says '"fail_on"'

# Scenario files: each scenario's summary is judged.
cat >scenarios.yaml <<'YAML'
partita: 1
name: two in turn
cluster: {gpus: 1}
trace: {jobs: [{id: a, submit_s: 0, work_s: 10}, {id: b, submit_s: 0, work_s: 20}]}
expect: {summary: {done: 2}}
---
partita: 1
name: no such key
clusterr: {gpus: 1}
expect: {exit: 2}
YAML
exits 1 test scenarios.yaml --fail-on 'jct_mean_s > 15s' --fail-on 'done != 2' --junit report.xml
out_says "  FAIL  two in turn: jct_mean_s > 15s: got 20 s, limit > 15 s"
out_says "  -     no such key: done != 2: not judged, as no world was run"
out_says "3 passed, 1 failed"
python3 - <<'PY' || fail "the report of scenarios and gates"
import xml.etree.ElementTree as tree
suite = tree.parse("report.xml").getroot().find("testsuite")
assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "1", "2"), suite.attrib
cases = {case.get("name"): case for case in suite}
assert len(cases) == 6
failure = cases["two in turn: jct_mean_s > 15s"].find("failure")
assert failure.get("message") == "got 20 s, limit > 15 s", failure.attrib
assert len(cases["two in turn: done != 2"]) == 0
assert cases["no such key: done != 2"].find("skipped") is not None
PY
exits 0 test scenarios.yaml --verbose --fail-on 'done != 2'
out_says "  ok    two in turn: done != 2: got 2, limit != 2"
exits 2 test scenarios.yaml --fail-on 'done{tenant=x}'
out_says "--fail-on: no tenant 'x' is in this result"
exits 2 test scenarios.yaml --fail-on 'dome'
err_says "unknown metric 'dome'"
silent out

# The examples for continuous integration: their own lines are run.
mkdir -p scheduling/scenarios base/scheduling
small scheduling/experiment.yaml
small base/scheduling/experiment.yaml
cp "$PARTITA_SOURCE/tests/scenarios/"s*.yaml scheduling/scenarios/
PATH=$(dirname "$PARTITA"):$PATH
for example in "$PARTITA_SOURCE"/configs/ci/*.yaml; do
    sed -n 's/^[ -]*\(partita [a-z]* .*\)/\1/p' "$example" >commands
    [ "$(wc -l <commands)" -ge 4 ] || fail "$example: four commands were expected"
    rm -f scenarios.xml gates.xml result.h5
    sh -eu commands >out 2>err </dev/null || fail "$example: its commands fail: $(head -n 3 err)"
    { [ -s scenarios.xml ] && [ -s gates.xml ] && [ -s result.h5 ]; } || fail "$example: its commands left no reports"
    python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))' "$example" 2>yaml.err ||
        grep -q "No module named 'yaml'" yaml.err || fail "$example: is no YAML"
done
finish
