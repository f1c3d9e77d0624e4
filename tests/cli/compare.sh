#!/bin/sh
# partita compare: what differs, how sure, where two runs part, gates; and what it refuses.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
rm -rf base new other mixed partial none moved twice
cat >jobs.csv <<'C'
id,submit_s,work_s,gpus,tenant,kind
resnet,0,3600,4,vision,training
bert,60,7200,8,language,training
notebook,90,1800,1,vision,inference
sweep-1,120,900,1,language,training
sweep-2,120,900,1,language,training
C
cat >world.yaml <<'Y'
partita: 1
name: world
cluster: {gpus: 8}
trace: {source: native, path: jobs.csv}
policy: {name: fifo, blocking: skip}
sla: {default: {max_slowdown: 2.0}}
Y
cat >drawn.yaml <<'Y'
partita: 1
name: drawn
cluster: {gpus: 4}
trace: {source: synthetic, jobs: 150, arrivals: poisson, mean_interarrival: 60s, work: exponential,
        work_mean: 200s}
policy: {name: fifo}
Y
exits 0 run world.yaml --out skip.h5
exits 0 run world.yaml --set policy.blocking=strict --out strict.h5

# ---- one run each ----
exits 0 compare skip.h5 strict.h5
silent err
out_says "one run each, same seed"
out_says "jct_p95_s"
out_says "tenant vision"
out_says "base: start of job notebook (1 GPU, tenant vision) on main-0:4"
out_says "new:  submit of job sweep-1 (1 GPU, tenant language), at 120 s"
out_says "bert, 8 GPUs, language, 30.0 s"
out_says "4 of 8 idle in main"
exits 0 compare skip.h5 strict.h5 --no-replay
grep -q Parting out && fail "a replay that was not wanted"
exits 0 compare skip.h5 skip.h5
out_says "the same, event by event"
out_says "All the same"
exits 0 compare skip.h5 strict.h5 --all
out_says "reconfiguration_failures"

# ---- gates ----
exits 1 compare skip.h5 strict.h5 --fail-on 'jct_p95_s{tenant=vision} > +5%' --junit gates.xml
err_says "gate 'jct_p95_s{tenant=vision} > +5%' fails: got 12064.5 s, base 3510 s, change +243.7 %"
grep -q 'failures="1"' gates.xml || fail "JUnit: $(cat gates.xml)"
grep -q 'base 3510 s' gates.xml || fail "JUnit without the base"
exits 0 compare skip.h5 strict.h5 --fail-on 'jct_p95_s{tenant=vision} > +300%'
exits 0 compare skip.h5 skip.h5 --fail-on 'jct_p95_s > +0%' --fail-on 'jct_p95_s < -0%'
exits 1 compare skip.h5 strict.h5 --fail-on 'sla_satisfaction < 0.5'
printf 'gates:\n  - {name: slow, fail_on: jct_p95_s > +5%%}\n' >gates.yaml
exits 1 compare skip.h5 strict.h5 --gate gates.yaml
err_says "gate 'slow' fails"
exits 2 compare skip.h5 strict.h5 --fail-on 'jct_p59_s > +5%'
err_says "did you mean 'jct_p"
exits 2 compare skip.h5 strict.h5 --fail-on 'jct_p95_s{tenant=visoin} > +5%'
err_says "did you mean 'vision'"
silent out
exits 2 compare skip.h5 strict.h5 --fail-on 'jct_p95_s > 5%'
exits 2 compare skip.h5 strict.h5 --significance 0
exits 2 compare skip.h5 strict.h5 --significance much

# ---- groups of seeds ----
exits 0 run drawn.yaml --seeds 1..6 --out base
exits 0 run drawn.yaml --policy sjf --seeds 1..6 --out new
exits 0 run drawn.yaml --policy sjf --seeds 11..14 --out other
exits 0 compare base new
out_says "pair by pair, by seed"
out_says "6 runs"
exits 0 compare base new --json
mv out pairs.json
exits 0 compare base other --json
mv out groups.json
exits 0 compare base base --json
mv out same.json
exits 0 compare base/seed-0003.h5 new --json
mv out one.json
exits 0 compare skip.h5 strict.h5 --json
mv out single.json
python3 - <<'PY' || fail "the JSON"
import json, math, statistics, subprocess, os
load = lambda name: json.load(open(name + ".json"))
pairs, groups, same, one, single = map(load, ("pairs", "groups", "same", "one", "single"))
def jct(path):
    run = subprocess.run([os.environ["PARTITA"], "export", path, "--format", "json"],
                         capture_output=True, text=True)
    return json.loads(run.stdout)["summary"][0]["jct_mean_s"]
base = [jct("base/seed-%04d.h5" % s) for s in range(1, 7)]
new = [jct("new/seed-%04d.h5" % s) for s in range(1, 7)]
m = pairs["groups"][0]["metrics"]["jct_mean_s"]
d = [b - a for a, b in zip(base, new)]
half = 2.5705818356363 * statistics.stdev(d) / math.sqrt(6) # Student's t, 5 degrees of freedom
assert pairs["paired"] and pairs["base"]["runs"] == 6 and pairs["groups"][0]["dimension"] == ""
assert math.isclose(m["base"], statistics.mean(base), rel_tol=1e-9)
assert math.isclose(m["difference"], statistics.mean(d), rel_tol=1e-9)
assert math.isclose(m["interval"][0], statistics.mean(d) - half, rel_tol=1e-6)
assert math.isclose(m["interval"][1], statistics.mean(d) + half, rel_tol=1e-6)
assert m["bootstrap_interval"][0] < m["difference"] < m["bootstrap_interval"][1]
assert m["p"] <= m["adjusted_p"] <= 1
assert pairs["first_difference"]["found"] and pairs["jct"]["base_jobs"] == 150
assert not groups["paired"] and groups["new"]["runs"] == 4
assert groups["groups"][0]["metrics"]["jct_mean_s"]["interval"] is not None
assert same["same_event_logs"] == 6 and same["first_difference"] is None
assert all(v["change"] in ("equal", "unknown") for v in same["groups"][0]["metrics"].values())
assert one["paired"] and one["new"]["runs"] == 1 and one["new"]["left_out"] == 5
assert one["groups"][0]["metrics"]["jct_mean_s"]["interval"] is None
first = single["first_difference"]
assert first["events_before"] == 7 and first["time_s"] == 90
assert [q["id"] for q in first["base"]["queue"]] == ["bert", "notebook"]
assert [q["id"] for q in first["new"]["queue"]] == ["bert", "notebook"]
assert first["base"]["pools"] == [{"name": "main", "idle_gpus": 4, "gpus": 8}]
assert {g["dimension"] for g in single["groups"]} >= {"", "tenant", "pool", "tier", "kind"}
PY
# what the policy said last of those who wait is told, also of the last instant before they part
cat >waits.yaml <<'Y'
partita: 1
name: waits
cluster: {gpus: 2}
policy: {name: fifo, blocking: skip}
queue: {give_up: 15s}
trace:
  jobs:
    - {id: A, submit_s: 0, work_s: 50, gpus: 2}
    - {id: B, submit_s: 10, work_s: 50, gpus: 2}
    - {id: C, submit_s: 20, work_s: 5}
Y
exits 0 run waits.yaml --out waits.h5
exits 0 run waits.yaml --set queue.give_up=100s --out waits-on.h5
exits 0 compare waits.h5 waits-on.h5 --json
python3 - <<'PY' || fail "the reasons of those who wait"
import json
first = json.load(open("out"))["first_difference"]
assert first["time_s"] == 25
for side in ("base", "new"):
    assert [q["id"] for q in first[side]["queue"]] == ["B", "C"]
    assert all(q["reason"].startswith("too few free GPUs") for q in first[side]["queue"]), first[side]
PY
# a gate on a change that may be chance passes, with its p
exits 0 compare base other --fail-on 'makespan_s > +0.001%' --fail-on 'makespan_s < -0.001%' --json
grep -q 'may be chance' out || fail "a change by chance is not said to be one"

# ---- Markdown ----
exits 1 compare skip.h5 strict.h5 --fail-on 'jct_p95_s > +5%' --markdown comment.md
for text in '1 of 1 gates fail' '| jct\_p95\_s \> +5% | **failed** |' '| jct_p95_s | 2.59 h | 3.42 h |' \
    'First decision that differs'; do
    grep -qF -- "$text" comment.md || fail "the Markdown has no '$text'"
done
cp comment.md old.md
exits 2 compare skip.h5 missing.h5 --markdown comment.md
same comment.md old.md
exits 2 compare skip.h5 strict.h5 --markdown skip.h5
exits 2 compare skip.h5 strict.h5 --junit gates.yaml --gate gates.yaml
exits 2 compare skip.h5 strict.h5 --junit same.out --markdown same.out

# ---- inputs that are not there any more, or others ----
mkdir moved
cp jobs.csv world.yaml moved
exits 0 run moved/world.yaml --set policy.blocking=strict --out moved.h5
sed 's/notebook,90/notebook,91/' jobs.csv >moved/jobs.csv
exits 0 compare skip.h5 moved.h5
out_says "not found: "
out_says "has changed since the run"
rm -r moved
exits 0 compare skip.h5 moved.h5
out_says "not found: "
out_says "jct_p95_s"

# ---- little or nothing in them ----
printf 'partita: 1\nname: none\ncluster: {gpus: 1}\ntrace: {jobs: []}\npolicy: {name: fifo}\n' >none.yaml
printf 'partita: 1\nname: one\ncluster: {gpus: 1}\ntrace: {jobs: [{id: A, submit_s: 0, work_s: 1}]}\npolicy: {name: fifo}\n' >one.yaml
printf 'partita: 1\nname: big\ncluster: {gpus: 1}\ntrace: {jobs: [{id: A, submit_s: 0, work_s: 1, gpus: 2}]}\npolicy: {name: fifo}\n' >big.yaml
for name in none one big; do exits 0 run $name.yaml --out $name.h5; done
for left in none one big skip; do
    for right in none one big skip; do
        exits 0 compare $left.h5 $right.h5
    done
done
exits 1 compare none.h5 one.h5 --fail-on 'jct_p95_s > +5%'
err_says "it can't be judged"

# ---- refused ----
exits 2 compare skip.h5
exits 2 compare skip.h5 world.yaml
exits 2 compare skip.h5 missing
mkdir none
exits 2 compare none skip.h5
err_says "holds no results"
mkdir mixed twice
cp base/seed-0001.h5 new/seed-0002.h5 mixed
exits 2 compare mixed base
err_says "is of another experiment"
cp base/seed-0001.h5 twice
cp base/seed-0001.h5 twice/again.h5
exits 2 compare twice base
err_says "has the seed of"
mkdir partial
cp base/seed-0001.h5 partial
cp base/seed-0002.h5 partial/seed-0002.partial.h5
exits 0 compare partial base
out_says "1 partial: left out"
finish
