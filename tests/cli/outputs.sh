#!/bin/sh
# Outputs: unwritable ones are refused before the run; a full disk costs no old result.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
small small.yaml
large large.yaml 5000

exits 2 run small.yaml --out missing-folder/result.h5
err_says "missing-folder/result.h5"
grep -q Digest out && fail "it ran before it found that it can't write"
exits 2 run small.yaml --events missing-folder/events.jsonl
exits 2 export missing.h5 --format csv
exits 2 test "$PARTITA_SOURCE/tests/scenarios/nothing.yaml" --junit missing-folder/report.xml
mkdir -p folder.h5
exits 2 run small.yaml --out folder.h5
if [ "$(id -u)" -ne 0 ]; then
    mkdir -p locked
    chmod a-w locked
    exits 2 run small.yaml --out locked/result.h5
    chmod u+w locked
fi

# Nothing of a refused run is left behind.
exits 0 run small.yaml --out old.h5
cp old.h5 old.copy
exits 2 run small.yaml --out old.h5 --set nonsense=1
exits 2 run small.yaml --out old.h5 --events missing-folder/x
same old.h5 old.copy
[ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left: $(find . -name '*.tmp.*')"

# No output may take the place of what the command reads.
printf 'id,submit_s,work_s\nA,0,10\n' >jobs.csv
sed '/^trace:/,$d' small.yaml >file.yaml
echo 'trace: {source: native, path: jobs.csv}' >>file.yaml
ln -sf jobs.csv link.csv
for name in small.yaml jobs.csv old.h5; do cp "$name" "$name.copy"; done
exits 2 run small.yaml --out small.yaml
err_says "small.yaml: is read here: it would be overwritten"
exits 2 run small.yaml --out ./small.yaml
exits 2 run small.yaml --events small.yaml
exits 2 run file.yaml --out jobs.csv
exits 2 run file.yaml --events link.csv
exits 2 run file.yaml --set output.file=jobs.csv
exits 2 run old.h5 --events old.h5
exits 2 export old.h5 --format csv --out old.h5
exits 2 test small.yaml --junit small.yaml
for name in small.yaml jobs.csv old.h5; do same "$name" "$name.copy"; done
exits 0 run old.h5 --out old.h5
exits 0 trace convert jobs.csv --out jobs.csv
exits 0 run old.h5 --out old.h5 --events /dev/null
cp old.h5 old.copy

# A disk that fills up: a limit on the size of files, its signal ignored, fails every write past it.
# The program's own messages must get through: they go to a pipe.
full() {
    (
        trap '' XFSZ
        ulimit -f "$1"
        shift
        { "$PARTITA" "$@" 3>&1 >/dev/null 2>&3; echo "exit $?"; } | cat
    ) 2>&1
}
full 64 run large.yaml --out old.h5 >said
grep -q '^exit 3$' said || fail "a full disk: $(cat said)"
grep -q 'old.h5' said || fail "a full disk: the file is not named: $(cat said)"
same old.h5 old.copy
full 64 run large.yaml --out fresh.h5 >said
grep -q '^exit 3$' said || fail "a full disk, fresh file: $(cat said)"
[ -e fresh.h5 ] && fail "a result appeared on a full disk"
printf 'old events\n' >events.jsonl
full 64 run large.yaml --events events.jsonl >said
grep -q '^exit 3$' said || fail "a full disk, events: $(cat said)"
[ "$(cat events.jsonl)" = "old events" ] || fail "old events are lost"
[ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left: $(find . -name '*.tmp.*')"

if [ -w /dev/full ]; then
    "$PARTITA" run small.yaml >/dev/full 2>err
    [ $? -eq 3 ] || fail "stdout on a full disk is not noticed"
    exits 3 run large.yaml --events /dev/full
fi
finish
