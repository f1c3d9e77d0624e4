#!/bin/sh
# The GPU catalogue, MIG tables and policies as `partita list` shows them.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

exits 0 list gpus
silent err
[ "$(awk '{ print length }' out | sort -n | tail -1)" -le 100 ] || fail "list gpus is too wide"
grep -Eq '^h100-sxm5-80gb +132 +81559 +989.4 +3350 +700 +70\? +yes +1.99-5.00 \(May 2026\)$' out || fail "the line of h100-sxm5-80gb"
grep -Eq '^l40s +142 .* no +-$' out || fail "the line of l40s"
out_says "a100, h100, v100"
exits 0 list gpus --verbose
grep -Eq '^    memory_mib +nvidia-smi print$' out || fail "no sources with --verbose"
exits 0 list gpus --json
python3 - <<'PY' || fail "list gpus --json"
import json
gpus = {g["name"]: g for g in json.load(open("out"))}
assert len(gpus) == 23, len(gpus)
numbers = ["sms", "mem_mib", "fp16_tflops", "mem_gb_per_s", "l2_mib", "tdp_w", "idle_w", "pcie_gb_per_s", "mps_clients"]
for g in gpus.values():
    assert all(g[key] > 0 and len(g["sources"][key]) > 5 for key in numbers), g
    assert (g["price"] is None) == ("price" not in g["sources"]), g
    assert (g["mig"] is None) == ("mig" not in g["sources"]), g
h100 = gpus["h100-sxm5-80gb"]
assert h100["price"] == {"low": 1.99, "high": 5.0, "date": "May 2026", "unit": "US$ per GPU-hour"}
assert h100["mig"]["profiles"] == ["1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"]
assert h100["mig"]["compute_slices"] == 7 and h100["mig"]["memory_slices"] == 8
assert gpus["l40s"]["mig"] is None and gpus["p100"]["mps_clients"] == 16
assert "stand-in" in gpus["g2"]["source"]
PY

exits 0 list profiles --gpu h100-sxm5-80gb
out_says "MIG profiles of h100-sxm5-80gb: 7 compute slices, 8 memory slices"
grep -Eq '^1g.20gb +1 +2 +26 +20096 +4  0 2 4 6$' out || fail "the line of 1g.20gb"
exits 0 list profiles --gpu h100-pcie-80gb
grep -Eq '^3g.40gb +3 +4 +48\? +40448\? +2  0 4$' out || fail "the line of 3g.40gb of h100-pcie-80gb"
exits 0 list profiles --gpu a100-sxm4-40gb --json
python3 - <<'PY' || fail "list profiles --json"
import json
table = {p["name"]: p for p in json.load(open("out"))}
assert [p["max_instances"] for p in table.values()] == [7, 1, 4, 3, 2, 1, 1]
assert table["3g.20gb"]["starts"] == [0, 4] and table["7g.40gb"]["sms"] == 98
assert all(p["gpu"] == "a100-sxm4-40gb" and p["source"] for p in table.values())
PY
exits 0 list profiles --gpu l40s
out_says "l40s has no MIG. GPUs that have it: a100-sxm4-40gb, "
exits 0 list profiles --gpu l40s --json
[ "$(tr -d ' \n' <out)" = "[]" ] || fail "l40s has profiles"
exits 2 list profiles --gpu h100
err_says "--gpu h100: is a family, name one of it: h100-sxm5-80gb, "
exits 2 list profiles --gpu h100-smx5-80gb
err_says "(did you mean 'h100-sxm5-80gb'?)"
exits 2 list gpus --gpu t4
err_says "--gpu belongs to list profiles"
exits 2 list metrics --gpu t4
err_says "--gpu belongs to list profiles"
exits 2 list metrics --catalog x.yaml
err_says "--catalog belongs to list gpus and list profiles"

own=$PARTITA_SOURCE/configs/catalog/own.yaml
exits 0 list gpus --catalog "$own"
grep -Eq '^prototype +100 +32768 +156 +1019.5 +- +- +yes +-$' out || fail "the line of prototype"
exits 0 list profiles --gpu prototype --catalog "$own"
grep -Eq '^1h.16gb +1 +1 +50 +16000 +2  0 1$' out || fail "the line of 1h.16gb"
exits 0 list gpus --json --catalog "$own"
python3 - <<'PY' || fail "speeds in list gpus --json"
import json
h100 = [g for g in json.load(open("out")) if g["name"] == "h100-sxm5-80gb"][0]
assert h100["speed"] == {"against": "a100-sxm4-80gb", "compute": 2.9, "bandwidth": 1.8}
assert h100["sources"]["speed"] == "our own measurements"
PY
exits 2 list gpus --catalog nowhere.yaml
err_says "nowhere.yaml: can't be opened"
echo 'gpus: [{name: t4, tdp_w: -1}]' >wrong.yaml
exits 2 list gpus --catalog wrong.yaml
err_says "wrong.yaml:1:26: "
silent out

# Every policy and placement says what it is, where it comes from and what it reads.
exits 0 schema experiment
mv out schema.json
exits 0 list policies --json
silent err
python3 - <<'PY' || fail "list policies --json"
import json
def columns(node):
    if isinstance(node, dict):
        if "submit_s" in node.get("properties", {}):
            return set(node["properties"])
        node = list(node.values())
    return next((found for each in node if (found := columns(each))), None) if isinstance(node, list) else None
known = columns(json.load(open("schema.json")))
both = json.load(open("out"))
names = [(p["kind"], p["name"]) for p in both]
assert len(set(names)) == len(names), "a name twice"
for p in both:
    assert len(p["summary"]) > 5 and len(p["source"]) > 5, p
    assert all(q["help"] and q["type"] for q in p["parameters"]), p
orders = {p["name"]: p for p in both if p["kind"] == "order"}
for p in orders.values():
    assert set(p["columns"]) <= known, p
    assert p["preemption"] in ("none", "suspend", "checkpoint", "kill"), p
assert orders["fifo"]["work_conserving"] is False
assert {name for name, p in orders.items() if p["quotas"]} >= {"kai", "kueue", "k8s"}
assert orders["fifo"]["work_conserving_with"] == "blocking: skip"
assert {"first_fit", "pack", "spread"} <= {p["name"] for p in both if p["kind"] == "placement"}
PY
exits 0 list policies fifo
grep -q '^  fifo ' out || fail "fifo by its name"
out_says "work-conserving: no, but yes with blocking: skip; stops nobody"
out_says "source: "
! grep -q first_fit out || fail "more than fifo"
exits 0 list policies spread --json
[ "$(grep -c '"kind"' out)" = 1 ] || fail "more than spread"
exits 0 list policies spread fifo --json
[ "$(grep '"name": "\(fifo\|spread\)",' out | tr -d ' \n')" = '"name":"fifo","name":"spread",' ] || fail "two by their names"
exits 0 list policies sjf pack
if ! grep -q '^  sjf ' out || ! grep -q '^  pack ' out; then
    fail "an order and a placement by their names"
fi
# all of them: two or three lines each, with the names of their parameters; --verbose tells all
exits 0 list policies
[ "$(wc -l <out)" -le 140 ] || fail "list policies has $(wc -l <out) lines"
[ "$(awk '{ print length }' out | sort -n | tail -1)" -le 100 ] || fail "list policies is too wide"
grep -q '^  fifo  *first in, first out; ' out || fail "fifo in short"
out_says "[blocking, defragment]"
out_says "[blocking, by_gpus, thresholds, promotion]"
grep -q 'source:\|default' out && fail "list policies tells more than names"
mv out short.txt
exits 0 list policies --verbose
out_says "defragment.moves: whole number, default 4"
sed -n 's/^  \([a-z0-9_]*\) .*/\1/p' short.txt >names.txt
while read -r name; do
    grep -q "^  $name " out || fail "$name is not in full"
done <names.txt
exits 2 list policies fifo fofo
err_says "unknown policy 'fofo' (did you mean 'fifo'?)"
exits 2 list policies fofo
err_says "unknown policy 'fofo' (did you mean 'fifo'?)"
exits 2 list sources fifo
err_says "unexpected argument 'fifo'"
finish
