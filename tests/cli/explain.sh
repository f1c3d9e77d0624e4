#!/bin/sh
# What the models say of themselves: list models, list profiles, explain speed.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

exits 0 list models
out_says "time_slice"
out_says "fitted"
out_says "(assumed)"
exits 0 list models --json
python3 - <<'PY' || fail "list models --json"
import json
models = json.load(open("out"))
kinds = {m["kind"] for m in models}
assert kinds == {"sharing mode", "preset", "interference", "coefficient"}, kinds
fitted = next(m for m in models if m["name"] == "fitted")
defaults = {p["name"]: p["default"] for p in fitted["parameters"]}
assert float(defaults["g"]) == 0.45 and defaults["laws.mps"] == "rank1", defaults
assert all(m["source"] for m in models)
PY
exits 0 list profiles --json
python3 - <<'PY' || fail "list profiles --json"
import json
rows = json.load(open("out"))
assert len({r["name"] for r in rows}) > 100
assert {r["law"] for r in rows} >= {"turns", "rank1", "pnorm"}
assert all(r["source"] and r["u"] > 0 and r["kappa"] > 0 for r in rows)
assert len({(r["name"], r["gpu"], r["law"]) for r in rows}) == len(rows)
PY
exits 2 list policies --gpu h100-sxm5-80gb

exits 0 explain speed --set switch_loss=0.11 1 1 --json
python3 - <<'PY' || fail "two saturating jobs in turns"
import json
answer = json.load(open("out"))
assert answer["gpu"] == "h100-sxm5-80gb" and answer["mode"] == "time_slice", answer
for job in answer["jobs"]:
    assert abs(job["slowdown"] - 2.22) < 1e-12 and abs(job["speed"] * 2.22 - 1) < 1e-12, job
    assert {t["term"] for t in job["terms"]} >= {"turns", "switch loss"}, job
PY
exits 0 explain speed --gpu a100-sxm4-80gb --mode mig --set reconfigure=partial 0.9:1g.10gb 0.5:auto --json
python3 - <<'PY' || fail "MIG instances"
import json
first, second = json.load(open("out"))["jobs"]
assert first["instance"] == "1g.10gb" and abs(first["speed"] - 1) < 1e-9, first
assert first["terms"][0]["term"] == "instance" and second["runs"], (first, second)
PY
exits 0 explain speed --mode mps --set replicas=4 "CycleGAN" "A3C:0.5"
out_says "CycleGAN: speed "
out_says "cap"
exits 0 explain speed --mode exclusive 1 1
out_says "does not run: no room beside those before it"
exits 0 explain speed --set interference=none --set switch_loss=0 1 1 --json
python3 -c 'import json; assert [j["speed"] for j in json.load(open("out"))["jobs"]] == [0.5, 0.5]' ||
    fail "textbook shares"

cat >world.yaml <<'YAML'
partita: 1
cluster:
  pools:
    - {name: whole, nodes: 9, gpus_per_node: 8, gpu: h100-sxm5-80gb}
    - {name: turns, nodes: 9, gpus_per_node: 8, gpu: h100-sxm5-80gb, sharing: {mode: time_slice, replicas: 2, switch_loss: 0}}
profiles: [{name: mine, u: 0.5}]
trace: {source: native, path: is-not-read.csv}
YAML
exits 0 explain speed --experiment world.yaml --pool turns mine mine --json
python3 -c 'import json; assert all(abs(j["slowdown"] - 1.25) < 1e-12 for j in json.load(open("out"))["jobs"])' ||
    fail "two halves in turns"
exits 0 explain speed --experiment world.yaml mine
out_says "exclusive"
exits 2 explain speed --experiment world.yaml --pool turn mine
err_says "unknown pool 'turn' (did you mean 'turns'?)"
exits 2 explain speed --experiment world.yaml --mode mps mine
exits 2 explain speed --pool turns 0.5
exits 2 explain speed --experiment nothing.yaml mine

exits 2 explain speed cyclegan
err_line "partita: unknown profile 'cyclegan' (did you mean 'CycleGAN'?)"
exits 2 explain speed --gpu l40s --mode mig 0.5
exits 2 explain speed --set replica=2 0.5
err_says "did you mean 'replicas'?"
exits 2 explain speed --mode mpss 0.5
err_says "did you mean 'mps'?"
exits 2 explain speed ''
err_line "partita: '' names no job: give a profile, or its SM utilisation alone"
exits 2 explain speed :0.5
exits 2 explain speed 0.5:
err_line "partita: '0.5:' has nothing behind the colon: give a fraction, or a MIG profile"
exits 0 explain speed 0.5:1g.10gb --mode mps
out_says "0.5:1g.10gb: does not run: no pool offers a MIG instance that it may use"
exits 2 explain sped 0.5
err_says "did you mean 'speed'?"
finish
