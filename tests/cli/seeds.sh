#!/bin/sh
# partita run --seeds: a result a seed, the same for any number of threads, and what it refuses.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
rm -rf runs* again stuck full inputs stopped
large world.yaml 400
small small.yaml

# ---- what it writes ----
exits 0 run world.yaml --seeds 1..6 -j 2 --out runs --json
mv out two.json
exits 0 run world.yaml --seeds 1..6 -j 1 --out runs-1 --json
mv out one.json
exits 0 run world.yaml --seeds 6,5,4,1..3 -j 5 --out runs-5 --json
mv out five.json
[ "$(ls runs)" = "$(printf 'seed-000%d.h5\n' 1 2 3 4 5 6)" ] || fail "runs holds $(ls runs)"
for seed in 1 4; do
    exits 0 run world.yaml --seed $seed --out alone-$seed.h5 --json
    mv out alone-$seed.json
done
python3 - <<'PY' || fail "the JSON"
import json, statistics
one, two, five = (json.load(open(n + ".json")) for n in ("one", "two", "five"))
def bare(runs):
    return [{k: v for k, v in r.items() if k not in ("host", "result", "gates")} for r in runs["runs"]]
assert bare(one) == bare(two) == bare(five)
assert one["metrics"] == two["metrics"] == five["metrics"]
assert [r["seed"] for r in five["runs"]] == [1, 2, 3, 4, 5, 6]
assert len({r["digest"] for r in two["runs"]}) == 6
for seed in (1, 4):
    alone = json.load(open("alone-%d.json" % seed))
    assert bare({"runs": [alone]})[0] == bare(two)[seed - 1]
values = [r["summary"]["jct_mean_s"] for r in two["runs"]]
metric = two["metrics"]["jct_mean_s"]
assert metric["count"] == 6 and metric["min"] == min(values) and metric["max"] == max(values)
assert abs(metric["mean"] - statistics.mean(values)) < 1e-9 * metric["mean"]
assert abs(metric["sd"] - statistics.stdev(values)) < 1e-9 * metric["mean"]
assert two["seeds"] == two["done"] == 6 and two["runs"][2]["result"] == "runs/seed-0003.h5"
PY
for seed in 1 4; do # the tables hold the same
    exits 0 export runs/seed-000$seed.h5 --format csv
    mv out of-many.csv
    exits 0 export alone-$seed.h5 --format csv
    same of-many.csv out
done
# gates are judged on the mean
python3 - >gate.txt <<'PY'
import json
mean = json.load(open("two.json"))["metrics"]["jct_mean_s"]["mean"]
print("jct_mean_s > %.6f\njct_mean_s > %.6f" % (mean * (1 - 1e-6), mean * (1 + 1e-6)))
PY
exits 1 run world.yaml --seeds 1..6 --out runs-5 --fail-on "$(head -n 1 gate.txt)" --json
err_says "gate '$(head -n 1 gate.txt)' fails: got "
[ "$(python3 -c 'import json; print(json.load(open("out"))["gates"][0]["verdict"])')" = failed ] ||
    fail "the gate in the JSON"
exits 0 run world.yaml --seeds 1..6 --out runs-5 --fail-on "$(tail -n 1 gate.txt)"
exits 0 run world.yaml --seeds 12345,7 --out runs-5
out_says "2 of 2 done"
out_says "jct_mean_s"
if [ ! -e runs-5/seed-12345.h5 ] || [ ! -e runs-5/seed-0007.h5 ]; then
    fail "runs-5 holds $(ls runs-5)"
fi

# from a result, with changes, and with progress
exits 0 run runs/seed-0002.h5 --seeds 3 --out again --progress always --set policy.blocking=skip --policy fifo
err_says "1 of 1 runs"
exits 0 run runs/seed-0002.h5 --seeds 2,3 --out again --check
exits 0 run runs/seed-0002.h5 --seeds 3 --json --out again
[ "$(python3 -c 'import json; print(json.load(open("out"))["runs"][0]["digest"])')" = \
    "$(python3 -c 'import json; print(json.load(open("two.json"))["runs"][2]["digest"])')" ] || fail "another digest from a result"

# --dry-run checks once and writes nothing
exits 0 run world.yaml --seeds 1..6 --dry-run --out dry
out_says "Offered load"
out_says "6, 1 to 6"
[ ! -e dry ] || fail "a dry run made a directory"
exits 0 run world.yaml --seeds 1..6 --dry-run

# ---- what it refuses, before anything is run ----
for bad in '' 1.. 1..x 5..1 1,1 -1 1..999999; do
    exits 2 run world.yaml --seeds "$bad" --out refused
    err_says "partita: --seeds: "
done
for bad in 0 -1 x 1.5 ''; do
    exits 2 run world.yaml --seeds 1..2 -j "$bad" --out refused
    err_says "partita: -j: '$bad'"
done
exits 2 run world.yaml -j 2
err_says "-j goes with --seeds"
exits 2 run world.yaml --seeds 1..2 --seed 3 --out refused
err_says "--seed and --seeds"
exits 2 run world.yaml --seeds 1..2
err_says "--seeds needs --out DIR"
exits 2 run world.yaml --seeds 1..2 --out refused --events events.jsonl
err_says "--events and --seeds"
exits 2 run world.yaml --seeds 1..2 --out refused --fail-on 'jct_mena_s > 0'
err_says "did you mean 'jct_mean_s'"
exits 2 run world.yaml --seeds 1..2 --out refused --fail-on 'jct_mean_s > +5%'
err_says "a change needs a base"
exits 2 run world.yaml --seeds 1..2 --out refused --set trace.jobs=x
[ ! -e refused ] || fail "a refused call made a directory"
exits 2 run world.yaml --seeds 1..2 --out small.yaml
err_says "small.yaml: can't hold results: Not a directory"
exits 2 run world.yaml --seeds 1..2 --out no/such
err_says "no/such: can't hold results: No such file"
exits 2 run world.yaml --seeds 1..2 --out ''
mkdir inputs && cp world.yaml inputs/seed-0002.h5
exits 2 run inputs/seed-0002.h5 --seeds 1..3 --out inputs
err_says "seed-0002.h5: is read here"
same world.yaml inputs/seed-0002.h5

# ---- results that are there ----
echo mine >runs/notes.txt
echo old >runs/seed-0002.partial.h5
cp runs/seed-0006.h5 six.copy
exits 0 run world.yaml --seeds 1..3 --out runs                  # the same experiment: more or again
same runs/seed-0006.h5 six.copy
exits 2 run world.yaml --set trace.jobs=300 --seeds 1..5 --out runs
err_says "runs/seed-0006.h5: is of another experiment"
exits 0 run world.yaml --set trace.jobs=300 --seeds 1..6 --out runs
same runs/notes.txt - <<'X'
mine
X
[ ! -e runs/seed-0002.partial.h5 ] || fail "an old part stays beside its whole result"

# ---- seeds that fail ----
# Where jobs are drawn to that nothing can start any more, the world is stuck: here after one job.
cat >stuck.yaml <<'YAML'
partita: 1
name: stuck
cluster: {gpus: 1}
nodes: [{name: main-0, pool: main, down: [[10, inf]]}]
trace: {source: synthetic, jobs: 2, rate_per_s: 0.2, work: exponential, work_mean: 3}
YAML
exits 4 run stuck.yaml --seeds 1..12 -j 3 --out stuck
stuck=$(find stuck -name '*.partial.h5' | wc -l)
whole=$(find stuck -name 'seed-00??.h5' | wc -l)
if [ "$stuck" -lt 1 ] || [ "$whole" -lt 1 ] || [ $((stuck + whole)) -ne 12 ]; then
    fail "$stuck stuck and $whole whole seeds of 12"
fi
[ "$(grep -c '^partita: seed [0-9]*: ' err)" -eq "$stuck" ] || fail "not every stuck seed is named"
out_says "$whole of 12 done"
for part in stuck/*.partial.h5; do
    err_says "is in $part"
done
mkdir full && mkdir full/seed-0002.h5 # no file can be written there
exits 2 run small.yaml --seeds 1..3 --out full
err_says "seed 2: can't be written"
out_says "2 of 3 done"
if [ ! -e full/seed-0001.h5 ] || [ ! -e full/seed-0003.h5 ]; then
    fail "one bad seed stopped the others"
fi
exits 2 run small.yaml --seeds 1..3 --out full --json
python3 -c '
import json
s = json.load(open("out"))
assert [r["status"] for r in s["runs"]][0] == "done" and "error" in s["runs"][1] and s["done"] == 2
assert s["metrics"]["jct_mean_s"]["count"] == 2' || fail "the JSON of a failed seed"

# ---- Ctrl-C ----
large long.yaml 60000
cat >interrupt.py <<'PY'
import glob, signal, subprocess, sys, time
run = subprocess.Popen(sys.argv[1:], stdout=open("out", "w"), stderr=open("err", "w"),
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while run.poll() is None and not glob.glob("stopped/*.tmp.*"):
    time.sleep(0.005)
run.send_signal(signal.SIGINT)
sys.exit(run.wait() % 256)
PY
mkdir stopped
python3 interrupt.py "$PARTITA" run long.yaml --seeds 1..40 -j 2 --out stopped
code=$?
[ $code -eq 130 ] || fail "exit code $code after SIGINT"
err_says "interrupted: "
out_says "of 40 done"
mv err interrupted.err
[ -z "$(find stopped -name '*.tmp.*')" ] || fail "temporary files are left"
for part in stopped/*.partial.h5; do
    [ -e "$part" ] || continue
    grep -qF "is in $part" interrupted.err || fail "$part is not named"
    exits 0 export "$part" --format csv
    [ "$(wc -l <out)" -eq 60001 ] || fail "$part has $(wc -l <out) lines"
done
finish
