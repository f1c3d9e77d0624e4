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
# Nor may two outputs be one file, by whatever names.
exits 2 run file.yaml --out new.h5 --events ./new.h5
err_says "is named for two outputs"
exits 2 run file.yaml --out old.h5 --events "$PWD/old.h5"
[ -e new.h5 ] && fail "something was written"
same old.h5 old.copy
# A name that is empty is no name, said before the run.
for option in --out --events; do
    exits 2 run small.yaml $option ''
    silent out
done
exits 2 test small.yaml --junit ''
exits 2 export old.h5 --format csv --out ''
exits 2 trace convert jobs.csv --out ''
# A link stays a link: what it points to is replaced.
echo old >target.txt
ln -sf target.txt link.txt
exits 0 run small.yaml --events link.txt
[ -L link.txt ] || fail "the link is gone"
grep -q '"event"' target.txt || fail "the link's target is not replaced"
exits 0 trace convert jobs.csv --out link.txt
[ -L link.txt ] || fail "the link is gone"
grep -q "^A,0,10" target.txt || fail "convert: the link's target is not replaced"

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
    exits 3 export old.h5 --format csv --out /dev/full
    err_says "/dev/full: "
fi

# A standard stream that is closed is no place for a file: its number isn't taken by one.
"$PARTITA" run small.yaml --events events.jsonl >&- 2>err
[ $? -eq 3 ] || fail "a closed stdout is not noticed"
python3 -c 'import json; [json.loads(line) for line in open("events.jsonl")]' ||
    fail "what was meant for the closed stdout is in the events"
"$PARTITA" run small.yaml --out old.h5 <&- >&- 2>&-
exits 0 export old.h5 --format csv
"$PARTITA" run small.yaml --events events.jsonl --set nonsense=1 <&- 2>&- >out
[ $? -eq 2 ] || fail "closed stdin and stderr change the exit code"

# A reader that goes away costs no result and leaves no temporary file.
rm -f piped.h5
{ sleep 0.2; "$PARTITA" run small.yaml --out piped.h5 --events events.jsonl 2>err; } | true
exits 0 export piped.h5 --format csv
[ -z "$(find . -name '*.tmp.*')" ] || fail "temporary files are left: $(find . -name '*.tmp.*')"
finish
