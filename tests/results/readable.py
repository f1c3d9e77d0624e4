"""A result file as Python's users open it: h5py, pandas.read_hdf and PyTables, without our help."""

import math
import subprocess
import sys
import time

import h5py
import numpy
import pandas
import tables

partita, world, many, stopped, moved = sys.argv[1:]
INT_NULL = -(2**63)


def run(out, *more, experiment=world):
    subprocess.run([partita, "run", experiment, "--out", out, *more], check=True,
                   stdout=subprocess.DEVNULL)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


run("a.h5")
time.sleep(1.1)  # HDF5 keeps times in seconds, where it keeps them
run("b.h5")

# ---- h5py: attributes, types, units
with h5py.File("a.h5") as f:
    assert f.attrs["schema_version"] == 1
    assert text(f.attrs["producer"]).startswith("partita ")
    names = {"jobs", "events", "intervals", "verdicts", "tenants", "pools", "gpus", "series", "summary",
             "manifest"}
    assert set(f) == names, set(f)
    for table in ("jobs", "events", "intervals", "verdicts", "tenants", "pools", "gpus", "summary/metrics"):
        attrs = f[table].attrs
        assert text(attrs["CLASS"]) == "TABLE" and text(attrs["VERSION"]) == "3.0"
        assert attrs["NROWS"] == len(f[table])
        for i, name in enumerate(f[table].dtype.names):
            assert text(attrs[f"FIELD_{i}_NAME"]) == name
            unit = text(attrs[f"FIELD_{i}_UNITS"])
            assert unit == "s" or not name.endswith("_s") or name == "gpu_time_s", (name, unit)
    jobs = f["jobs"]
    want = ("id tenant user kind priority pool node gpus state reason submit_ns start_ns end_ns "
            "submit_s start_s end_s jct_s wait_s queue_s running_s slowdown sharing_increase sla "
            "sla_met attempts preemptions").split()
    assert list(jobs.dtype.names[: len(want)]) == want, jobs.dtype.names
    assert jobs.attrs["null_int64"] == INT_NULL and math.isnan(jobs.attrs["null_float64"])
    for name in jobs.dtype.names:
        if jobs.dtype[name].kind == "S":
            longest = max(len(value) for value in jobs[name])
            assert jobs.dtype[name].itemsize == max(1, longest), name
    summary = f["summary"].attrs
    assert summary["jobs"] == 7 and summary["done"] == 5 and summary["unschedulable"] == 1
    assert summary["failed"] == 1 and summary["oom_events"] == 1
    for name, value in summary.items():
        if isinstance(value, float) and math.isnan(value):
            assert summary[name + ".count"] == 0, name
        elif name.endswith(".count"):
            assert math.isnan(summary[name.removesuffix(".count")])
    series = f["series"]
    rows = len(series["time_s"])
    assert rows > 1 and text(series["time_s"].attrs["units"]) == "s"
    for name in ("queue_length", "utilization", "allocation", "fragmentation",
                 "pool/whole/utilization", "pool/slice/allocation"):
        assert len(series[name]) == rows, name
        assert text(series[name].attrs["units"]) in ("1", "jobs")
    assert numpy.all(numpy.diff(series["time_s"]) > 0)
    manifest = f["manifest"]
    assert text(manifest.attrs["digest"]).startswith("xxh3-128:")
    assert text(manifest["effective_yaml"][()]).startswith("partita: 1")
    assert text(manifest["host"]["command_line"][()]).find("run") > 0
    host = manifest["host"].attrs
    assert 0 < host["decision_p50_s"] <= host["decision_p99_s"] < 60

    # no object carries a time, and the same inputs give the same bytes outside /manifest/host
    with h5py.File("b.h5") as g:
        def same(name, thing):
            if name.startswith("manifest/host"):
                return
            other = g[name]
            for key in set(thing.attrs) | set(other.attrs):
                assert numpy.array_equal(thing.attrs[key], other.attrs[key], equal_nan=True) \
                    if isinstance(thing.attrs[key], float) else \
                    numpy.array_equal(thing.attrs[key], other.attrs[key]), (name, key)
            if isinstance(thing, h5py.Dataset):
                assert thing.dtype == other.dtype and thing[()].tobytes() == other[()].tobytes(), name
        f.visititems(same)

# ---- pandas
jobs = pandas.read_hdf("a.h5", "jobs").set_index("id")
assert list(jobs.index) == ["a", "b", "oom", "c", "late", "never", "cpu"]
assert jobs.loc["a", "user"] == "zoë" and jobs.loc["b", "user"] == "default"
assert jobs.loc["a", "priority"] == 10 and jobs.loc["c", "priority"] == -3
assert jobs.loc["a", "sla"] == "gold" and jobs.loc["a", "sla_met"] == 0  # deadline 9, end 10
assert jobs.loc["b", "sla_met"] == -1 and jobs.loc["b", "kind"] == "inference"
assert jobs.loc["b", "submit_ns"] == 1 and jobs.loc["b", "submit_s"] == 1e-9
assert jobs.loc["a", "pool"] == "whole" and jobs.loc["b", "node"] == "slice-0"
assert jobs.loc["oom", "state"] == "failed" and jobs.loc["oom", "attempts"] == 1
assert jobs.loc["never", "state"] == "unschedulable" and jobs.loc["never", "reason"] != ""
assert jobs.loc["never", "start_ns"] == INT_NULL and math.isnan(jobs.loc["never", "jct_s"])
assert jobs.loc["late", "start_s"] == 10 and jobs.loc["late", "slowdown"] == 27 / 20
assert math.isnan(jobs.loc["cpu", "slowdown"]) and jobs.loc["cpu", "estimate_s"] == 30
assert math.isnan(jobs.loc["a", "estimate_s"]) and jobs.loc["a", "pool_asked"] == "whole"
done = jobs[jobs.state == "done"]
metrics = pandas.read_hdf("a.h5", "summary/metrics")
everyone = metrics[metrics.dimension == ""].set_index("metric").value
for name, column in (("jct_mean_s", done.jct_s.mean()), ("jct_p90_s", done.jct_s.quantile(0.9)),
                     ("slowdown_mean", done.slowdown.mean()),
                     ("wait_p50_s", jobs.wait_s.median())):
    assert math.isclose(everyone[name], column, rel_tol=1e-12), name
tenants = pandas.read_hdf("a.h5", "tenants").set_index("tenant")
assert tenants.loc["acme", "weight"] == 2 and tenants.loc["acme", "jobs"] == 2
pools = pandas.read_hdf("a.h5", "pools").set_index("pool")
assert pools.loc["slice", "units_per_gpu"] == 2
events = pandas.read_hdf("a.h5", "events")
assert list(events.time_ns) == sorted(events.time_ns)
assert (events.kind == "submit").sum() == 7 and (events.kind == "done").sum() == 5
intervals = pandas.read_hdf("a.h5", "intervals")
# GPU time by tenant is what the intervals say: a replica is half a GPU
held = (intervals.end_s - intervals.start_s) / numpy.where(intervals.gpu < 2, 1, 2)
by_tenant = held.groupby(jobs.tenant.to_numpy()[intervals.job]).sum()
assert numpy.allclose(by_tenant, tenants.gpu_time_s[by_tenant.index], rtol=1e-12)
assert math.isclose(tenants.gpu_time_s["acme"], 2 * 10 + 2 * 20, rel_tol=1e-12)
of_a = intervals[intervals.job == 0]
assert sorted(of_a.gpu) == [0, 1] and set(of_a.end_s) == {10.0}

assert set(intervals.job) == {0, 1, 3, 4}  # a CPU job and an attempt out of memory hold no GPU

# at the horizon: what is held ends there, though the job goes on
run("c.h5", "--set", "horizon=25")
cut = pandas.read_hdf("c.h5", "intervals")
assert set(cut[cut.job == 1].end_s) == {25.0} and cut.end_s.max() == 25
jobs_cut = pandas.read_hdf("c.h5", "jobs").set_index("id")
assert jobs_cut.loc["b", "state"] == "running" and jobs_cut.loc["b", "end_ns"] == INT_NULL

# ---- jobs that are stopped: they hold their GPUs until they are saved
run("d.h5", experiment=stopped)
events = pandas.read_hdf("d.h5", "events")
told = events[events.kind.isin(["preempt", "paused", "ready"])]
assert list(zip(told.kind, told.time_s, told.job)) == [("preempt", 5, 0), ("paused", 7, 0),
                                                       ("ready", 20, 0)]
intervals = pandas.read_hdf("d.h5", "intervals")
held = [(row.job, row.gpu, row.start_s, row.end_s) for row in intervals.itertuples()]
assert sorted(held) == [(0, 0, 0, 7), (0, 0, 17, 35), (0, 1, 0, 7), (0, 1, 17, 35),
                        (1, 0, 7, 17), (1, 1, 7, 17), (2, 0, 35, 36)], held
halted = pandas.read_hdf("d.h5", "jobs").set_index("id")
assert list(halted.preemptions) == [1, 0, 0] and halted.running_s["low"] == 7 + 18
with h5py.File("d.h5") as f:
    assert f["summary"].attrs["preemptions"] == 1 and f["summary"].attrs["migrations"] == 0
verdicts = pandas.read_hdf("d.h5", "verdicts")
assert list(verdicts.columns) == ["time_ns", "time_s", "job", "id", "reason"]
assert (verdicts.id == numpy.array(["low", "high", "wait"])[verdicts.job]).all()
assert (verdicts.time_ns == verdicts.time_s * 1e9).all() and (verdicts.reason != "").all()
assert list(verdicts.time_ns) == sorted(verdicts.time_ns) and "wait" in set(verdicts.id)
# killed for its overrun: it holds nothing from then on, and is in no mean
run("f.h5", "--set", "policy={name: easy_backfill, overrun: kill}",
    "--set", "trace.jobs[low].estimate_s=4", experiment=stopped)
halted = pandas.read_hdf("f.h5", "jobs").set_index("id")
assert list(halted.state) == ["killed", "done", "done"] and halted.end_s["low"] == 4
intervals = pandas.read_hdf("f.h5", "intervals")
assert set(intervals[intervals.job == 0].end_s) == {4.0}
events = pandas.read_hdf("f.h5", "events")
assert list(events[events.kind == "killed"].time_s) == [4.0]
with h5py.File("f.h5") as f:
    assert f["summary"].attrs["killed"] == 1 and f["summary"].attrs["done"] == 2
    assert f["summary"].attrs["jct_max_s"] == 10
# moved: what it held before is one interval, what it holds now another
run("g.h5", experiment=moved)
intervals = pandas.read_hdf("g.h5", "intervals")
held = [(row.job, row.gpu, row.start_s, row.end_s) for row in intervals.itertuples()]
assert sorted(held) == [(0, 0, 0, 10), (0, 3, 10, 103), (1, 2, 0, 100), (2, 0, 10, 20),
                        (2, 1, 10, 20)], held
with h5py.File("g.h5") as f:
    assert f["summary"].attrs["migrations"] == 1 and f["summary"].attrs["preemptions"] == 0
# paused at the end of the world: running, as everything that was started
run("e.h5", "--set", "horizon=10", "--set", "output.verdicts=false", experiment=stopped)
halted = pandas.read_hdf("e.h5", "jobs").set_index("id")
assert list(halted.state) == ["running", "running", "pending"] and halted.running_s["low"] == 7
with h5py.File("e.h5") as f:
    assert "verdicts" not in f and "events" in f
    assert f["summary"].attrs["running"] == 2 and f["summary"].attrs["pending"] == 1

# ---- PyTables
with tables.open_file("a.h5") as h:
    assert [row["id"] for row in h.root.jobs.where("gpus == 64")] == [b"never"]
    assert h.root.jobs.nrows == 7
    assert len(h.root.jobs.read_where("jct_s > 20")) == (jobs.jct_s > 20).sum()
# ---- many chunks; and the CSV has the same numbers to the last bit
run("many.h5", "--set", "trace.jobs=20000", experiment=many)
table = pandas.read_hdf("many.h5", "jobs")
with open("many.csv", "w") as out:
    subprocess.run([partita, "export", "many.h5", "--format", "csv"], check=True, stdout=out)
csv = pandas.read_csv("many.csv", float_precision="round_trip", keep_default_na=False,
                      na_values={name: [""] for name in table if table[name].dtype.kind == "f"})
assert len(table) == 20000 and list(csv) == list(table)
for name in table:
    kind = table[name].dtype.kind
    if kind in "iu":
        null = {1: -1, 4: -1, 8: INT_NULL}[table[name].dtype.itemsize]
        words = {-1: "", 0: "false", 1: "true"}
        want = table[name].map(words if name == "sla_met" else
                               lambda value: "" if value == null else str(value))
        assert (want == csv[name].astype(str)).all(), name
    elif kind == "f":
        assert numpy.array_equal(table[name], csv[name].astype(float), equal_nan=True), name
    else:
        assert (table[name] == csv[name].astype(str)).all(), name
ends = pandas.read_hdf("many.h5", "intervals").groupby("job").end_ns.max()
assert (ends == table.end_ns[ends.index]).all() and len(ends) == 20000

# ---- a text column too wide for every row to carry
ids = [f"a-job-with-quite-a-long-name-{i}" for i in range(60)]
with open("wide.csv", "w") as out:
    print("id,submit_s,work_s,after", file=out)
    for name in ids:
        print(f"{name},0,1,", file=out)
    print(f"last,0,1,{'|'.join(ids)}", file=out)
with open("wide.yaml", "w") as out:
    print("partita: 1\ncluster: {gpus: 4}\npolicy: {name: fifo}\n"
          "trace: {source: native, path: wide.csv}", file=out)
run("wide.h5", experiment="wide.yaml")
wide = pandas.read_hdf("wide.h5", "jobs")
assert "after" not in wide and wide.start_s.iloc[-1] == 15
with h5py.File("wide.h5") as f:
    assert text(f["jobs"].attrs["left_out"]) == "after"

print("read by h5py, pandas and PyTables")
