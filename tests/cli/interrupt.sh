#!/bin/sh
# Ctrl-C and SIGTERM at any time: exit code 130 and a valid partial result, or a whole run.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
large_for large.yaml 0.4
small small.yaml
exits 0 run small.yaml --out result.h5
cp result.h5 old.copy

cat >interrupt.py <<'PY'
"""interrupt.py SIGNAL SHARE USUAL COMMAND...: sends the signal after that share of the usual time."""
import signal, subprocess, sys, time
name, wait = sys.argv[1], float(sys.argv[2]) * float(sys.argv[3])
# a shell's background command would ignore SIGINT: start from the default
run = subprocess.Popen(sys.argv[4:], stdout=open("out", "w"), stderr=open("err", "w"),
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(wait)
run.send_signal(getattr(signal, name))
code = run.wait()
print(wait, code, file=sys.stderr)
# it came before the program could listen or keep anything, and nothing had begun
early = code in (-signal.SIGINT, -signal.SIGTERM) or code == 130 and not open("err").read()
sys.exit(99 if early else code % 256)
PY

cat >begun.py <<'PY'
"""begun.py SIGNAL FILE COMMAND...: sends the signal as soon as the command has begun to write FILE."""
import glob, signal, subprocess, sys, time
run = subprocess.Popen(sys.argv[3:], stdout=open("out", "w"), stderr=open("err", "w"),
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while run.poll() is None and not glob.glob(sys.argv[2] + ".tmp.*"):
    time.sleep(0.001)
time.sleep(0.005)
run.send_signal(getattr(signal, sys.argv[1]))
sys.exit(run.wait() % 256)
PY

# begun SIGNAL FILE COMMAND...: the exit code in $code. On a busy machine the command may be done
# before the signal is sent: then what was there before is put back, and it is tried again.
begun() {
    for _ in 1 2 3 4 5 6 7 8; do
        before=$([ -e "$2" ] && cp "$2" before.copy && echo there)
        python3 begun.py "$@"
        code=$?
        [ "$code" -eq 0 ] || return 0
        rm "$2"
        [ -z "$before" ] || cp before.copy "$2"
    done
}

kept() {
    err_says "interrupted"
    if grep -q "while the trace was read" err; then # nothing had run
        same result.h5 old.copy
        [ ! -e result.partial.h5 ] || fail "a partial result of nothing"
        return
    fi
    out_says "Partial"
    same result.h5 old.copy
    exits 0 export result.partial.h5 --format csv
    [ "$(wc -l <out)" -eq $((jobs + 1)) ] || fail "the partial result has $(wc -l <out) lines"
    rm -f result.partial.h5
}

for signal in SIGINT SIGTERM; do
    begun $signal result.h5 "$PARTITA" run large.yaml --out result.h5
    if [ "$code" -eq 130 ]; then kept; else fail "exit code $code after an early $signal"; fi
done
for signal in SIGINT SIGTERM; do
    for share in 0.01 0.1 0.3 0.5 0.8; do
        python3 interrupt.py $signal $share "$usual" "$PARTITA" run large.yaml --out result.h5
        code=$?
        case $code in
        130)
            kept
            ;;
        0) cp old.copy result.h5 ;; # it was done already
        99) same result.h5 old.copy ;;
        *) fail "exit code $code after $signal" ;;
        esac
        [ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left"
    done
done

# without a result file too
python3 interrupt.py SIGTERM 0.4 "$usual" "$PARTITA" run large.yaml --json
code=$?
if [ $code -eq 130 ] && ! grep -q "while the trace was read" err; then
    python3 -c 'import json; s = json.load(open("out")); assert s["status"] == "interrupted" and s["summary"]["pending"] > 0' ||
        fail "the JSON of an interrupted run"
elif [ $code -ne 0 ] && [ $code -ne 130 ]; then
    fail "exit code $code after SIGTERM without a result file"
fi

# A trace that is being read or drawn is let go of at once: this one would take all memory.
sed 's/jobs: *[0-9]*/jobs: 4000000000/' large.yaml >endless.yaml
python3 interrupt.py SIGTERM 1 0.5 "$PARTITA" run endless.yaml --out endless.h5
code=$?
[ $code -eq 130 ] || fail "exit code $code after SIGTERM while a trace is drawn"
err_says "interrupted while the trace was read"
[ ! -e endless.h5 ] || fail "a result of nothing"

# Other commands end at once with the same code, and leave nothing half done.
exits 0 run large.yaml --out large.h5
exits 0 export large.h5 --format csv --out whole.csv
cp whole.csv kept.copy
for signal in SIGINT SIGTERM; do
    begun $signal whole.csv "$PARTITA" export large.h5 --format csv --out whole.csv
    [ "$code" -eq 130 ] || fail "export: exit code $code after $signal"
    begun $signal drawn.csv.gz "$PARTITA" trace convert --source synthetic \
        --param jobs=300000 --param rate_per_s=1 --param work_mean=5 --out drawn.csv.gz
    [ "$code" -eq 130 ] || fail "convert: exit code $code after $signal"
    same whole.csv kept.copy
    [ ! -e drawn.csv.gz ] || fail "half a trace"
    [ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left: $(find . -name '*.tmp.*')"
done
finish
