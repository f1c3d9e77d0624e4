#!/bin/sh
# SIGKILL at fifty random moments: the old result is there, or the whole new one.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
large_for large.yaml 0.3
small small.yaml
exits 0 run large.yaml --out new.h5
exits 0 export new.h5 --format csv --out new.csv
exits 0 run small.yaml --out old.h5
exits 0 export old.h5 --format csv --out old.csv

python3 - "$PARTITA" "$usual" <<'PY' || fail "a result was lost or cut"
import random, shutil, subprocess, sys, time
program, usual = sys.argv[1], float(sys.argv[2])
draw = random.Random(2)
seen = {"old": 0, "new": 0}
for turn in range(50):
    shutil.copy("old.h5", "result.h5")
    run = subprocess.Popen([program, "run", "large.yaml", "--out", "result.h5", "--quiet"],
                           stdout=subprocess.DEVNULL)
    time.sleep(draw.uniform(0, 1.1 * usual))
    run.kill()
    run.wait()
    out = subprocess.run([program, "export", "result.h5", "--format", "csv"], capture_output=True,
                         check=True).stdout
    which = "old" if out == open("old.csv", "rb").read() else "new"
    if which == "new":
        assert out == open("new.csv", "rb").read(), turn
    seen[which] += 1
print(seen, "usual", usual, "s")
assert seen["old"] > 0
PY
rm -f ./*.tmp.*
finish
