"""Where two runs part: what `partita compare` finds by running both again against a plain walk over
both complete event logs, in random worlds under two policies or with one key changed. Usage:
parting.py PARTITA WORLDS FIRST_SEED."""
import json
import os
import random
import subprocess
import sys

PARTITA, WORLDS, FIRST = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
AWAY = {"done", "oom", "fault", "failed", "killed", "withdrawn", "unschedulable", "held"}
RELEASES = {"done", "oom", "fault", "failed", "killed", "paused", "migrate"}


def run(*arguments, codes=(0,)):
    done = subprocess.run([PARTITA, *arguments], capture_output=True, text=True)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr)
    return done.stdout


def world(draw):
    """A small cluster in which some sharing, preemption, failing and giving up goes on."""
    gpus, modes = draw.choice([2, 4, 8]), ["exclusive", "{mode: time_slice, replicas: 2}",
                                           "{mode: fractional}"]
    jobs, at = [], 0
    for i in range(draw.randrange(2, 25)):
        at += draw.choice([0, 0, 1, 5, 20])
        jobs.append("{id: j%d, submit_s: %d, work_s: %d, gpus: %d, tenant: t%d, estimate_s: %d}" % (
            i, at, draw.randrange(1, 60), draw.choice([1, 1, 1, 2, 2, gpus, gpus + 1]),
            draw.randrange(3), draw.randrange(1, 90)))
    lines = ["partita: 1", "name: world", "seed: %d" % draw.randrange(1000), "cluster:", "  pools:",
             "  - {name: main, nodes: 2, gpus_per_node: %d, gpu: h100-sxm5-80gb, sharing: %s}" % (
                 gpus // 2, draw.choice(modes)),
             "interference: none", "policy: {name: fifo, blocking: skip}",
             "preemption: {mode: suspend, save: {base: %ds}, restore: {base: 1s}}" %
             draw.randrange(3), "trace:", "  jobs:"] + ["  - " + job for job in jobs]
    if draw.random() < 0.3:
        lines.append("faults: {events: [{at: %d, node: main-1}]}" % draw.randrange(1, 80))
        lines.append("retries: {fault: 2}")
    if draw.random() < 0.2: lines.append("queue: {give_up: 15s}")
    if draw.random() < 0.2: lines.append("horizon: 60")
    if draw.random() < 0.3: lines.append("output: {events: true}")
    return "\n".join(lines) + "\n"


def state_after(events):
    """Who waits and which GPUs are held, by id and number."""
    waits, held = {}, {}
    for event in events:
        kind, job = event["event"], event.get("job")
        if kind in ("submit", "pending", "paused"): waits[job] = True
        if kind in ("start", "unit"):
            waits.pop(job, None)
            if event["gpus"] > 0: held.setdefault(job, []).append(event["gpu"])
        if kind in AWAY: waits.pop(job, None)
        if kind in RELEASES: held.pop(job, None)
    return waits, {gpu for gpus in held.values() for gpu in gpus}


def check(seed):
    draw = random.Random(seed)
    with open("world.yaml", "w") as file: file.write(world(draw))
    change = draw.choice([["--policy", p] for p in ("srtf", "sjf", "smallest_first", "edf",
                                                    "las", "fair_share", "priority", "random")] +
                         [["--set", "policy.blocking=strict"], ["--set", "policy.placement=pack"],
                          ["--set", "preemption.save.base=5s"], ["--set", "interference=fitted"]])
    for name in ("base", "new"):
        for ending in (".h5", ".partial.h5", ".jsonl", ".jsonl.partial"):
            if os.path.exists(name + ending): os.remove(name + ending)
    logs = []
    for name, extra in (("base", []), ("new", change)):
        # 4: nothing can ever start what is left, and the log ends there
        run("run", "world.yaml", "--out", name + ".h5", "--events", name + ".jsonl", *extra,
            codes=(0, 4))
        logs.append(name)
    paths = [n + (".h5" if os.path.exists(n + ".h5") else ".partial.h5") for n in logs]
    events = []
    for name in logs:
        path = name + ".jsonl" if os.path.exists(name + ".jsonl") else name + ".jsonl.partial"
        with open(path) as file: events.append([json.loads(line) for line in file])
    found = json.loads(run("compare", *paths, "--json"))["first_difference"]
    parted = next((i for i, (a, b) in enumerate(zip(*events)) if a != b), None)
    if parted is None and len(events[0]) != len(events[1]): parted = min(map(len, events))
    if parted is None:
        assert found is None or not found["found"], (seed, found)
        return False
    assert found and found["found"], (seed, parted, found)
    assert found["events_before"] == parted, (seed, parted, found["events_before"])
    times = [e[parted]["time_ns"] for e in events if parted < len(e)]
    assert abs(found["time_s"] - min(times) / 1e9) < 1e-9, (seed, found["time_s"], times)
    waits, held = state_after(events[0][:parted])
    for side, log in zip(("base", "new"), events):
        shown = found[side]
        assert shown["pending"] == len(waits), (seed, side, shown, waits)
        assert {q["id"] for q in shown["queue"]} <= set(waits), (seed, side)
        assert len(shown["queue"]) == min(8, len(waits)), (seed, side)
        pool = shown["pools"][0]
        assert pool["idle_gpus"] == pool["gpus"] - len(held), (seed, side, pool, held)
        if parted < len(log):
            assert shown["event"] == log[parted]["event"], (seed, side)
            assert shown.get("job", {}).get("id") == log[parted].get("job"), (seed, side)
        else:
            assert shown["next"] == "nothing any more", (seed, side, shown)
    return True


parted = sum(check(seed) for seed in range(FIRST, FIRST + WORLDS))
print("%d worlds, %d of them part" % (WORLDS, parted))
assert parted > WORLDS // 3
