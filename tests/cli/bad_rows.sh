#!/bin/sh
# Rows of a trace that are wrong: said by line and column, refused or skipped and counted.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
cat >run.yaml <<'YAML'
partita: 1
cluster: {gpus: 1}
trace: {source: native, path: jobs.csv}
YAML

# S-11: six odd fractions among four good rows
cat >jobs.csv <<'CSV'
id,submit_s,work_s,gpu_frac
good1,0,1,0.5
nan,0,1,NaN
good2,0,1,1
minus,0,1,-0.5
tiny,0,1,1e-400
good3,0,1,
large,0,1,1.5
comma,0,1,"0,5"
good4,0,1,0.000001
fine,0,1,0.0000001
CSV
exits 2 run run.yaml
err_says "jobs.csv:3:9: "
silent out
exits 0 run run.yaml --on-bad-row skip
out_says "10 rows read, 6 bad ones skipped"
out_says "4 done"
for place in 3:9 5:11 6:10 8:11 9:11 11:10; do err_says "jobs.csv:$place: "; done
exits 0 run run.yaml --on-bad-row skip --json
python3 -c 'import json; t = json.load(open("out"))["trace"]; assert (t["rows"], t["accepted"], t["bad_rows"]) == (10, 4, 6), t' ||
    fail "the JSON counts rows wrongly"
exits 2 trace check jobs.csv
out_says "10 rows, 6 bad"
[ "$(grep -c '^jobs.csv:' err)" -eq 6 ] || fail "trace check says $(grep -c '^jobs.csv:' err) rows"

# S-55
printf 'submit_s,work_s\n0,-1\n0,0\n0,\n0,1.5e3\n0,12:30\n' >jobs.csv
exits 2 trace check jobs.csv
out_says "5 rows, 3 bad"
for place in 2:3 4:3 6:3; do err_says "jobs.csv:$place: "; done

one() {
    printf '%s\n' "$1" >jobs.csv
    exits 2 run run.yaml
    [ -s err ] || fail "'$1': no reason is said"
    silent out
}
one 'submit_s,work_s
1e400,1'
one 'submit_s,work_s
0,inf'
one 'submit_s,wrok_s
0,1'
err_says "did you mean 'work_s'?"
one 'submit_s
0'
one 'submit_s,work_s,submit_s
0,1,2'
one 'id,submit_s,work_s
a,0,1
a,1,1'
err_line "jobs.csv:3:1: id is not unique: 'a' (also in line 2)"
one 'submit_s,work_s,after
0,1,
0,1,7'
err_line "jobs.csv:3:5: after names '7', and there is no such job"
exits 2 trace info jobs.csv
err_line "jobs.csv:3:5: after names '7', and there is no such job"
one 'submit_s,work_s
0,1,2'
one 'submit_s,work_s
0,"1'
: >jobs.csv
exits 2 run run.yaml
head -c 100000 /dev/urandom >jobs.csv
exits 2 run run.yaml
{ printf 'submit_s,work_s,name\n0,1,'; head -c 100000000 /dev/zero | tr '\0' x; echo; } >jobs.csv
exits 2 run run.yaml
err_says "jobs.csv:2"
rm jobs.csv
exits 2 run run.yaml
err_says "jobs.csv"

# a later row of an id is a bad row like any other; a row's number stays its id
cat >jobs.csv <<'CSV'
id,submit_s,work_s
a,9,1
4,8,1
a,7,2
b,6,x
,5,4
a,4,8
,3,16
CSV
exits 2 run run.yaml
exits 0 run run.yaml --on-bad-row skip --out skip.h5
out_says "7 rows read, 3 bad ones skipped"
out_says "4 done"
for line in 4 7; do err_line "jobs.csv:$line: id is not unique: 'a' (also in line 2)"; done
err_says "jobs.csv:5:5: "
exits 2 trace check jobs.csv
out_says "7 rows, 3 bad"
exits 0 trace convert jobs.csv --on-bad-row skip --out good.csv
printf 'id,submit_s,work_s,gpus\n5,3,16,1\n3,5,4,1\n4,8,1,1\na,9,1,1\n' >expected.csv
same good.csv expected.csv

# what is unsorted is accepted, sorted, and said
printf 'id,submit_s,work_s\nb,5,1\na,0,1\n' >jobs.csv
exits 0 run run.yaml
out_says "sorted by submit time"

# what a header holds does not steer the terminal
printf '\033[31mx,submit_s\n' >jobs.csv
exits 2 trace check jobs.csv
err_says "unknown column '?[31mx'"
grep -q "$(printf '\033')" err && fail "an escape reaches the terminal"
finish
