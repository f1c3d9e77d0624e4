"""Damaged results: bytes changed, cut off or repeated at random places, and tables that other
programs might have written. Every command has an answer: a result, or exit code 2 or 3 with a message
that names the file. Usage: damaged.py PARTITA WORLD COUNT SEED."""
import os
import random
import re
import subprocess
import sys

PARTITA, WORLD, COUNT, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
COMMANDS = [["export", "bad.h5", "--format", "csv"], ["export", "bad.h5", "--format", "json"],
            ["compare", "good.h5", "bad.h5", "--no-replay"],
            ["plot", "bad.h5", "--only", "utilization,gantt", "--out", "figures"],
            ["run", "bad.h5", "--dry-run"]]

# Under a sanitizer: HDF5 itself loses memory over damaged files, and asks for as much as they claim.
os.environ["ASAN_OPTIONS"] = (os.environ.get("ASAN_OPTIONS", "") +
                              ":detect_leaks=0:allocator_may_return_null=1")


def call(arguments):
    return subprocess.run([PARTITA, *arguments], capture_output=True, timeout=60)


LIMIT = ["sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh"]
# a sanitizer reserves far more addresses than that
QUIET = {tool + "SAN_OPTIONS": "log_path=stderr" for tool in ("A", "UB", "L", "T")}
HAS_LIMIT = subprocess.run([*LIMIT, PARTITA, "--version"], capture_output=True,
                           env={**os.environ, **QUIET}).returncode == 0


def limited(arguments):
    if not HAS_LIMIT: return call(arguments)
    return subprocess.run([*LIMIT, PARTITA, *arguments], capture_output=True, timeout=20)


def damage(draw, good):
    data = bytearray(good)
    for _ in range(draw.choice([1, 1, 2, 8, 64])):
        at, length = draw.randrange(len(data)), draw.choice([1, 1, 1, 2, 4, 8, 64])
        kind = draw.randrange(5)
        if kind == 0: data[at] ^= 1 << draw.randrange(8)
        elif kind == 1: data[at:at + length] = draw.randbytes(len(data[at:at + length]))
        elif kind == 2: data[at:at + length] = b"\xff" * len(data[at:at + length])
        elif kind == 3: data[at:at + length] = bytes(len(data[at:at + length]))
        else:
            other = draw.randrange(len(data))
            part = data[other:other + length]
            data[at:at + len(part)] = part
    if draw.random() < 0.1: del data[draw.randrange(len(data)):]
    return bytes(data)


done = call(["run", WORLD, "--out", "good.h5"])
assert done.returncode == 0, done.stderr
with open("good.h5", "rb") as file: good = file.read()
# of another version: refused in words
HOSTILE = """
import h5py, numpy, shutil
def change(name):
    shutil.copy("good.h5", name + ".h5")
    return h5py.File(name + ".h5", "a")
for version in (0, 2):
    with change("version-%d" % version) as f: f.attrs["schema_version"] = version
with change("version-list") as f:
    del f.attrs["schema_version"]
    f.attrs.create("schema_version", numpy.ones(4000, dtype="<i8"))
with change("version-text") as f:
    del f.attrs["schema_version"]
    f.attrs["schema_version"] = "1"
with change("unit-list") as f:
    for name in ("summary/metrics", "jobs"):
        f[name].attrs.create("FIELD_4_UNITS", numpy.array([b"x" * 64] * 900, dtype="S64"))
for name in ("summary/metrics", "jobs", "intervals", "gpus"):
    with change("huge-" + name.replace("/", "-")) as f:
        kind = f[name].dtype
        del f[name]
        f.create_dataset(name, shape=(2**40,), dtype=kind, chunks=(4096,))
with change("huge-contiguous") as f:
    kind = f["jobs"].dtype
    del f["jobs"]
    f.create_dataset("jobs", shape=(2**30,), dtype=kind)
with change("huge-series") as f:
    del f["series/utilization"]
    f.create_dataset("series/utilization", shape=(2**40,), dtype="<f8", chunks=(2**20,))
with change("link-jobs") as f:
    del f["jobs"]
    f["jobs"] = h5py.ExternalLink("good.h5", "/jobs")
with change("link-soft") as f:
    del f["jobs"]
    f["jobs"] = h5py.SoftLink("/events")
with change("kept-outside") as f:
    kind = f["jobs"].dtype
    del f["jobs"]
    f.create_dataset("jobs", shape=(10,), dtype=kind, external=[("good.h5", 0, 10 * kind.itemsize)])
with change("virtual") as f:
    layout = h5py.VirtualLayout(shape=(10,), dtype="<f8")
    layout[:] = h5py.VirtualSource("good.h5", "series/utilization", shape=(10,))
    del f["series/utilization"]
    f.create_virtual_dataset("series/utilization", layout)
with change("jobs-group") as f:
    del f["jobs"]
    f.create_group("jobs")
with change("jobs-numbers") as f:
    del f["jobs"]
    f["jobs"] = numpy.arange(7.0)
with change("series-texts") as f:
    del f["series/utilization"]
    f["series/utilization"] = numpy.array([b"a", b"b"])
with change("series-short") as f:
    del f["series/utilization"]
    f["series/utilization"] = numpy.arange(2.0)
with change("no-summary") as f: del f["summary"]
with change("no-manifest") as f: del f["manifest"]
with change("strange-jobs") as f:
    jobs = f["jobs"][:]
    del f["jobs"]
    f["jobs"] = jobs[["id", "state", "gpus"]]
"""
ANSWERS = {"version-2": b"newer program (schema_version 2", "version-0": b"can't be read",
           "version-list": b"can't be read", "version-text": b"can't be read"}
MUST_FAIL = {"huge-summary-metrics", "huge-jobs", "huge-contiguous", "link-jobs", "link-soft",
             "kept-outside", "jobs-group", "jobs-numbers", "no-summary"}
for python in ("python3", "/usr/bin/python3"):
    made = subprocess.run([python, "-c", HOSTILE], stderr=subprocess.PIPE)
    if made.returncode == 0: break
if made.returncode == 0:
    names = sorted(n[:-3] for n in os.listdir(".") if n.endswith(".h5") and n[:-3] not in ("good", "bad")
                   and not n.startswith("crash"))
    assert len(names) >= 20, names
    for name in names:
        os.replace(name + ".h5", "bad.h5")
        for arguments in COMMANDS:
            done = limited(arguments)
            assert done.returncode in (0, 2, 3), (name, arguments, done)
            assert len(done.stdout) < 1e6, (name, arguments)
            if name in MUST_FAIL or name in ANSWERS: assert done.returncode == 2, (name, arguments, done)
            assert ANSWERS.get(name, b"") in done.stderr, (name, arguments, done.stderr)
else:
    assert b"No module named" in made.stderr, made.stderr
    print("no h5py here: well-formed files that are hostile were left out")
# empty, no HDF5, cut off, a directory
for bad in (b"", b"\x89HDF\r\n\x1a\n", b"partita: 1\n", good[:512], good[:-1]):
    with open("bad.h5", "wb") as file: file.write(bad)
    for arguments in COMMANDS:
        done = call(arguments)
        assert done.returncode in (0, 2) and done.stdout.count(b"\n") < 100, (arguments, done)
        assert done.returncode == 2 or bad.startswith(b"partita") or arguments[0] == "run", bad[:9]

draw = random.Random(SEED)
codes, crashes = {}, []
for i in range(COUNT):
    bad = damage(draw, good)
    with open("bad.h5", "wb") as file: file.write(bad)
    for arguments in (COMMANDS[i % len(COMMANDS)], COMMANDS[(i // 5 + 2) % len(COMMANDS)]):
        done = call(arguments)
        codes[done.returncode] = codes.get(done.returncode, 0) + 1
        if done.returncode not in (0, 2, 3):
            crashes.append((i, arguments[0], done.returncode, done.stderr[-300:]))
            with open("crash-%d.h5" % i, "wb") as file: file.write(bad)
        elif done.returncode != 0:
            assert re.search(rb"bad\.h5|can't be drawn|nothing to draw", done.stderr), (i, done.stderr)
print(codes)
for crash in crashes: print(crash)
sys.exit(1 if crashes else 0)
