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


def call(arguments):
    return subprocess.run([PARTITA, *arguments], capture_output=True, timeout=60)


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
SET_VERSION = "import h5py, sys; h5py.File('bad.h5', 'a').attrs['schema_version'] = int(sys.argv[1])"
for version, words in ((2, b"newer program (schema_version 2"), (0, b"schema_version can't be read")):
    with open("bad.h5", "wb") as file: file.write(good)
    if not any(subprocess.run([python, "-c", SET_VERSION, str(version)], stderr=subprocess.DEVNULL)
               .returncode == 0 for python in ("python3", "/usr/bin/python3")):
        print("no h5py here: results of other versions were left out")
        break
    for arguments in COMMANDS:
        done = call(arguments)
        assert done.returncode == 2 and words in done.stderr, (version, arguments, done.stderr)
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
