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
# ended by the signal itself: it came before the program could listen, and nothing had begun
early = code in (-signal.SIGINT, -signal.SIGTERM) and float(sys.argv[2]) < 0.1
sys.exit(99 if early else code % 256)
PY

interrupted=0
for signal in SIGINT SIGTERM; do
    for share in 0.01 0.1 0.3 0.5 0.8; do
        python3 interrupt.py $signal $share "$usual" "$PARTITA" run large.yaml --out result.h5
        code=$?
        case $code in
        130)
            interrupted=$((interrupted + 1))
            err_says "interrupted"
            out_says "Partial"
            same result.h5 old.copy
            exits 0 export result.partial.h5 --format csv
            [ "$(wc -l <out)" -eq $((jobs + 1)) ] || fail "the partial result has $(wc -l <out) lines"
            rm -f result.partial.h5
            ;;
        0) cp old.copy result.h5 ;; # it was done already
        99) same result.h5 old.copy ;;
        *) fail "exit code $code after $signal" ;;
        esac
        [ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left"
    done
done
[ "$interrupted" -ge 2 ] || fail "only $interrupted runs were interrupted"

# without a result file too
python3 interrupt.py SIGTERM 0.4 "$usual" "$PARTITA" run large.yaml --json
code=$?
if [ $code -eq 130 ]; then
    python3 -c 'import json; s = json.load(open("out")); assert s["status"] == "interrupted" and s["summary"]["pending"] > 0' ||
        fail "the JSON of an interrupted run"
elif [ $code -ne 0 ]; then
    fail "exit code $code after SIGTERM without a result file"
fi
finish
