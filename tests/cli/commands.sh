#!/bin/sh
# Every command does what its help says, and exits as the manual says.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
small small.yaml

exits 0 --version
out_says "partita "
exits 0 --help
for command in run test export list schema explain trace predict; do
    out_says "$command"
    exits 0 $command --help
    out_says "Example:"
    silent err
    exits 0 --help
done
for command in check info convert; do
    exits 0 trace $command --help
    out_says "Example:"
done
exits 2
exits 2 trace
exits 0 predict fit-profiles --help
out_says "Example:"
exits 2 predict
exits 2 predict train
err_says "unknown command 'train'"

exits 0 run small.yaml
out_says "3 rows read"
out_says "Digest"
exits 0 run small.yaml --json --quiet
silent err
python3 - <<'PY' || fail "the JSON summary is not what it should be"
import json
s = json.load(open("out"))
assert s["summary"]["jobs"] == 3 and s["summary"]["done"] == 3, s
assert abs(s["summary"]["jct_mean_s"] - (10 + 29 + 58) / 3) < 1e-9, s["summary"]["jct_mean_s"]
assert s["digest"].startswith("xxh3-128:") and len(s["digest"]) == 41
assert s["assumptions"] and s["trace"]["rows"] == 3 and s["never_fits"]["jobs"] == 0
assert s["summary"]["sla_satisfaction"] is None
PY
cp out first.json
exits 0 run small.yaml --json --quiet
python3 - <<'PY' || fail "two runs differ beyond the host's times"
import json
a, b = json.load(open("first.json")), json.load(open("out"))
a.pop("host"), b.pop("host")
assert json.dumps(a) == json.dumps(b)
PY

exits 0 run small.yaml --dry-run
grep -q Digest out && fail "--dry-run ran something"
exits 0 run small.yaml --dry-run --out dry.h5
[ -e dry.h5 ] && fail "--dry-run wrote something"
exits 0 run small.yaml --check
exits 0 run small.yaml --events events.jsonl
python3 - <<'PY' || fail "the event lines are not what they should be"
import json
lines = [json.loads(line) for line in open("events.jsonl")]
assert [e["event"] for e in lines if e.get("job") == "B"] == ["submit", "start", "unit", "done"], lines
assert [e["time_s"] for e in lines if e.get("job") == "B"] == [1, 10, 10, 30]
PY
exits 0 run small.yaml --set cluster.gpus=1 --set "policy.blocking=skip"
out_says "1 unschedulable"
exits 0 run small.yaml --policy fifo --seed 3

exits 0 run small.yaml --out small.h5
exits 0 export small.h5 --format csv --out small.csv
silent out
[ "$(wc -l <small.csv)" -eq 4 ] || fail "the CSV has $(wc -l <small.csv) lines, expected 4"
exits 0 export small.h5 --format csv
same out small.csv
exits 0 export small.h5 --format json
python3 -c 'import json; d = json.load(open("out")); assert [j["end_s"] for j in d["jobs"]] == [10, 30, 60], d["jobs"]' ||
    fail "the exported JSON is wrong"
exits 2 export small.h5
exits 2 export small.yaml --format csv

for what in policies gpus profiles sources metrics models; do
    exits 0 list $what
    exits 0 list $what --json
    python3 -c 'import json; assert json.load(open("out"))' || fail "list $what --json"
done
exits 2 list polices
err_says "did you mean 'policies'?"
for what in experiment scenario catalog; do
    exits 0 schema $what
    python3 - <<'PY' || fail "schema $what"
import json
assert json.load(open("out"))["$schema"].endswith("2020-12/schema")
PY
done
# The schema refuses what the loader refuses, where one value alone says so.
exits 0 schema experiment
python3 - <<'PY' || fail "the schema of experiments accepts what the loader refuses, or the other way"
import json, re
top = json.load(open("out"))["properties"]
pool = top["cluster"]["anyOf"][-1]["properties"]["pools"]["items"]["properties"]
assert "h100-sxm5-80gb" in pool["gpu"]["anyOf"][0]["enum"], pool["gpu"]
words = pool["sharing"]["anyOf"][0]["enum"]
assert "exclusive" in words and "time_slice" not in words, words  # it needs replicas
text = json.dumps(top["trace"])
assert '"enum": ["training", "batch", "interactive", "inference"]' in text
assert '{"enum": [null, ""]}' in text
pattern = re.compile([s["pattern"] for s in top["horizon"]["anyOf"] if "pattern" in s][0])
for good in "5s", "1.5e3", ".5", "5.", "+5ms", "-0", "1e-3h":
    assert pattern.search(good), good
for bad in "-5s", "-0.1", "5 s", "0x10", "1:30", "s", "5m", "":
    assert not pattern.search(bad), bad
PY

printf 'submit_s,work_s,gpus\n0,10,1\n5,1.5e3,2\n' >jobs.csv
exits 0 trace check jobs.csv
out_says "2 rows, 0 bad"
exits 0 trace info jobs.csv
out_says "submit_s"
exits 0 trace info jobs.csv --json
exits 0 trace convert jobs.csv --out again.csv
exits 0 trace convert again.csv
same out again.csv
exits 0 trace convert jobs.csv --out again.csv.gz
exits 0 trace check again.csv.gz
exits 0 trace info --source synthetic --param jobs=10 --param work_mean=5s --param rate_per_s=1
exits 2 trace info --source synthetic --param jbos=10
err_says "did you mean 'jobs'?"

# partita test: 0, 1 and 2; -k; JUnit
cat small.yaml - >good.yaml <<'YAML'
expect: {jobs: {A: {end_s: 10}, C: {end_s: 60}}}
YAML
sed 's/end_s: 60/end_s: 61/; s/name: small/name: wrong/' good.yaml >wrong.yaml
exits 0 test good.yaml
out_says "1 passed, 0 failed"
exits 1 test good.yaml wrong.yaml --junit report.xml
out_says "1 passed, 1 failed"
out_says "wrong.yaml:9:44: job C: end_s is 60, expected 61"
python3 - <<'PY' || fail "the JUnit report is not what it should be"
import xml.etree.ElementTree as ET
root = ET.parse("report.xml").getroot()
assert root.tag == "testsuites" and len(root) == 2
assert [s.get("failures") for s in root] == ["0", "1"]
assert "expected 61" in root[1][0][0].text
PY
exits 0 test good.yaml wrong.yaml -k small
exits 0 test good.yaml wrong.yaml -k 'sm*l'
exits 2 test good.yaml -k nothing
for slip in 's/A: {end_s/X: {end_s/' 's/A: {end_s/A: {ends_s/' 's/expect: {/expect: {summary: {jct_maen_s: 3}, /' \
    's/expect: {/expect: {always: [{pool: mian, running_max: 1}], /'; do
    sed "$slip" good.yaml >slip.yaml
    exits 2 test slip.yaml
    grep -Eq 'slip.yaml:9:[0-9]+: ' out || fail "no place is said for $slip"
done

# expectations of a world that never began do not hold
cat small.yaml - >never.yaml <<'YAML'
seed: -1
expect: {exit: 2, error: negative, jobs: {A: {end_s: 10}}}
YAML
sed -i 's/negative/seed/' never.yaml
exits 1 test never.yaml
out_says "never.yaml:10:32: nothing was run that 'jobs' could be compared with"
sed -i 's/, jobs: .*/}/' never.yaml
exits 0 test never.yaml
sed 's/end_s: 10/end_s: {equals: 10, rel: 0.1}/' good.yaml >rel.yaml
exits 2 test rel.yaml
out_says "'rel' needs 'approx'"
sed 's/end_s: 10/state: dnoe/' good.yaml >state.yaml
exits 2 test state.yaml
out_says "(did you mean 'done'?)"
sed 's/end_s: 10/state: done, reason: null/' good.yaml >state.yaml
exits 0 test state.yaml

# JUnit: what can't be read is an error there too; any name makes good XML
printf 'a: [\n' >broken.yaml
sed 's/name: wrong/name: "<a \& \\"b\\"> \\uFFFE ]]> \\U0001F600"/' wrong.yaml >odd.yaml
long=$(printf '%0200d' 0 | sed 's/0/é/g')
printf 'partita: 1\nname: cut\ncluster: {gpus: 1}\ntrace: {jobs: []}\n%s: 1\n' "x$long" >cut.yaml
cp good.yaml "$(printf 'name-\377.yaml')"
exits 2 test broken.yaml missing.yaml odd.yaml cut.yaml "$(printf 'name-\377.yaml')" --junit report.xml
python3 - <<'PY' || fail "the JUnit report of odd names"
import xml.etree.ElementTree as ET
root = ET.parse("report.xml").getroot()
assert [s.get("errors") for s in root] == ["1", "1", "0", "0", "0"], [s.attrib for s in root]
assert root[2][0].get("name") == '<a & "b">  ]]> \U0001F600', root[2][0].attrib
PY
finish
