#!/bin/sh
# The experiments in configs/ that need nothing from elsewhere run, say what they are there to show,
# and lose no money.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
configs=$PARTITA_SOURCE/configs

ran=0
for experiment in "$configs"/*.yaml; do
    grep -q 'path: \.\./\.\./shared/' "$experiment" && continue
    name=$(basename "$experiment" .yaml)
    case $name in demo*) continue ;; esac # house.readme runs these
    exits 0 run "$experiment" --out "$name.h5" --json
    cp out "$name.json"
    ran=$((ran + 1))
done
[ "$ran" -ge 3 ] || fail "only $ran experiments of configs/ were run"

"$PARTITA" export fleet.h5 --format csv >fleet.csv
python3 - <<'PY' || fail "fleet"
import csv, json
summary = json.load(open("fleet.json"))
jobs = list(csv.DictReader(open("fleet.csv")))
assert len(jobs) == summary["summary"]["jobs"] and {j["state"] for j in jobs} <= {"done", "failed"}
modes = {j["pool"] for j in jobs}
assert modes == {"whole", "slices", "cut", "clients", "parts", "turns"}, modes
metrics = summary["summary"]
assert metrics["oom_events"] > 0 and metrics["energy_kwh"] > 0
faults = [j for j in jobs if int(j["attempts"]) > 1 and j["pool"] == "slices"]
assert len(faults) <= 1, faults
# every second of every GPU at its price, and electricity
prices = {"whole": 8 * 2.5, "slices": 4 * 2.5, "cut": 4 * 1.4, "clients": 4 * 1.4, "parts": 4 * 1.4, "turns": 4 * 0.8}
gpus = sum(prices.values()) * metrics["makespan_s"] / 3600
paid = sum(float(j["cost"]) for j in jobs) + metrics["idle_cost"]
assert abs(paid / gpus - 1) < 1e-9, (paid, gpus)
assert abs((metrics["cost"] - metrics["energy_kwh"] * 0.15) / gpus - 1) < 1e-9
PY

# The same jobs three times: the same work for each pool, and turns give idle time away.
"$PARTITA" export three-ways.h5 --format csv >three.csv
python3 - <<'PY' || fail "three ways"
import csv
work, late = {}, {}
for j in csv.DictReader(open("three.csv")):
    assert j["state"] == "done"
    work[j["pool"]] = work.get(j["pool"], 0) + float(j["work_s"])
    late[j["pool"]] = late.get(j["pool"], 0) + float(j["jct_s"])
assert len(set(work.values())) == 1 and set(work) == {"turns", "clients", "slices"}, work
assert late["turns"] < min(late["clients"], late["slices"]), late
PY

# Pairs as they were measured and the law that was fitted to them tell the same story of a fleet, in
# which pairs that did not fit ran out of memory.
exits 0 run "$configs/measured-pairs.yaml" --set interference=fitted --out law.h5 --json
cp out law.json
python3 - <<'PY' || fail "measured pairs"
import json
pairs, law = (json.load(open(name))["summary"] for name in ("measured-pairs.json", "law.json"))
assert pairs["done"] == law["done"] == pairs["jobs"] and pairs["oom_events"] > 0 == law["oom_events"]
assert abs(law["jct_mean_s"] / pairs["jct_mean_s"] - 1) < 0.05, (pairs["jct_mean_s"], law["jct_mean_s"])
PY
finish
