#!/bin/sh
# Every wrong parameter of every policy and placement: its place, its line with a caret, its name.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

"$PARTITA" list policies --json >policies.json
python3 - "$PARTITA" <<'PY' || fail "parameters that are wrong"
import json, subprocess, sys

PROGRAM, WORDY = sys.argv[1], ("text", "word or list of words")
SMALL = "partita: 1\ncluster: {gpus: 2}\ntrace: {jobs: [{submit_s: 0, work_s: 1}]}\n"
tried = 0

def wrong_values(param):
    yield "{a: 1}"
    if param["type"] in WORDY:
        return
    yield "no-such-value"
    if param["type"] != "word":
        if param["min"] is not None and not param["min"].startswith("-"):
            yield "-1"
        if param["max"] not in (None, "inf"):
            yield "1000000000000"

def check(policy, params):
    """A file with each of these (key, value) on a line of its own; each is told of there."""
    global tried
    head = SMALL + ("policy:\n  placement:\n" if policy["kind"] == "placement" else "policy:\n")
    indent = " " * (4 if policy["kind"] == "placement" else 2)
    lines = [f"{indent}name: {policy['name']}"] + [f"{indent}{k}: {v}" for k, v in params]
    with open("t.yaml", "w") as f:
        f.write(head + "\n".join(lines) + "\n")
    done = subprocess.run([PROGRAM, "run", "t.yaml"], capture_output=True, text=True)
    said = done.stderr.splitlines()
    assert done.returncode == 2, (policy["name"], params, done)
    first = head.count("\n") + 2
    for i, (key, value) in enumerate(params):
        column = len(indent) + len(key) + 3
        at = [n for n, line in enumerate(said) if line.startswith(f"t.yaml:{first + i}:")]
        assert len(at) == 1, (policy["name"], key, value, said)
        place, what = said[at[0]].split(": ", 1)
        # a map's message may be about a key inside of it
        assert value.startswith("{") or place == f"t.yaml:{first + i}:{column}", said[at[0]]
        assert key in what, said[at[0]]
        assert said[at[0] + 1].strip() == f"{key}: {value}".strip(), said
        assert said[at[0] + 2].strip() == "^", said
        tried += 1

for policy in json.load(open("policies.json")):
    plain = [p for p in policy["parameters"] if "." not in p["name"]]
    for some in (plain[i:i + 15] for i in range(0, len(plain), 15)):
        rounds = [list(wrong_values(p)) for p in some]
        for r in range(max(map(len, rounds), default=0)):
            check(policy, [(p["name"], v[r]) for p, v in zip(some, rounds) if r < len(v)])
    for param in (p for p in policy["parameters"] if "." in p["name"]):
        outer, inner = param["name"].split(".")
        for value in list(wrong_values(param))[1:]:
            lines = SMALL + f"policy:\n  name: {policy['name']}\n  {outer}:\n    {inner}: {value}\n"
            open("t.yaml", "w").write(lines)
            said = subprocess.run([PROGRAM, "run", "t.yaml"], capture_output=True, text=True).stderr
            assert f"t.yaml:7:{len(inner) + 7}: {inner}: " in said, said
            tried += 1
assert tried > 150, tried
PY

# what only the policy itself can judge: POLICY COLUMN-IN-IT MESSAGE
says() {
    column=$(($2 + 8))
    printf 'partita: 1\ncluster: {gpus: 2}\npolicy: %s\ntrace: {jobs: [{submit_s: 0, work_s: 1}]}\n' "$1" >own.yaml
    exits 2 run own.yaml --out own.h5
    err_line "own.yaml:3:$column: $3"
    grep -qxF "  policy: $1" err || fail "$1: the line is not shown"
    grep -qx "$(printf "  %$((column - 1))s^" '')" err || fail "$1: the caret is not at $column"
    [ -e own.h5 ] && fail "$1: a result was written"
    silent out
}
says '{name: dlas, thresholds: [7200, 3250]}' 33 "thresholds: '3250' is not above the one before it"
says '{name: dlas, thresholds: [10, 10]}' 31 "thresholds: '10' is not above the one before it"
says '{name: dlas, thresholds: []}' 26 "'thresholds' is empty"
says '{name: tiresias, thresholds: [0, 10]}' 31 "thresholds: '0' is not above 0"
says '{name: tiresias, thresholds: ten}' 30 "thresholds: 'ten' is not a duration (30, 500ms, 30s, 15min, 2h, 7d)"
says '{name: tiresias, thresholds: "20,10"}' 30 "thresholds: '10' is not above the one before it"
says '{name: gittins, samples: [10, 0]}' 31 "samples: '0' is shorter than 1us"
says '{name: gittins, samples: []}' 26 "'samples' is empty"
says '{name: gittins, samples: ""}' 26 "'samples' is empty"
says '{name: gittins, samples: [-1s]}' 27 "samples: '-1s' is negative"
says '{name: gittins, samples: 9, history: trace}' 26 "samples: no use beside \`history: trace\`"
says '{name: fair_share, pool_order: [man]}' 33 "pool_order: 'man' is no pool of the cluster (did you mean 'main'?)"
says '{name: fair_share, pool_order: [main, main]}' 39 "pool_order: 'main' is there twice"
for policy in fifo sjf priority; do
    at=$((22 + ${#policy}))
    says "{name: $policy, defragment: 0.5}" "$at" \
        "defragment.threshold: moves running jobs: it needs a \`preemption\` mode"
    says "{name: $policy, defragment: {moves: 2, threshold: 0.5}}" $((at + 22)) \
        "defragment.threshold: moves running jobs: it needs a \`preemption\` mode"
done

# an order that does not look at jobs' work has no `by`: it would be ignored
for policy in random smallest_first fifo priority; do
    says "{name: $policy, by: estimate}" $((10 + ${#policy})) \
        "unknown key 'by' of policy '$policy': 'sjf', 'srtf', 'srsf', 'qssf' and 'edf' have it"
done

# an argument is named, not a place in the file
small small.yaml
exits 2 run small.yaml --policy dlas --set 'policy.thresholds=[10,5]'
err_line "--set policy.thresholds=[10,5]: thresholds: '5' is not above the one before it"
# what may be left out is left out of the effective experiment too, which is run again
exits 0 run small.yaml --policy gittins --out gittins.h5
exits 0 run gittins.h5
finish
