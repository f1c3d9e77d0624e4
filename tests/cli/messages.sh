#!/bin/sh
# What is misspelt is refused with the nearest known word, and where it stands (S-65).
. "$PARTITA_SOURCE/tests/cli/lib.sh"

cat >cluster.yaml <<'YAML'
partita: 1
cluster:
  pools:
  - name: main
    nodes: 1
    sharing: {mode: time_slice,
    replcas: 4}
    gpus_per_node: 1
    gpu: h100-sxm5-80gb
trace: {jobs: []}
YAML
exits 2 run cluster.yaml
err_line "cluster.yaml:7:5: unknown key 'replcas' (did you mean 'replicas'?)"
grep -qx '  *\^' err || fail "there is no caret"
silent out

exits 2 run cluster.yaml --polcy fifo
err_says "unknown option '--polcy' (did you mean '--policy'?)"
silent out
exits 2 rnu cluster.yaml
err_says "unknown command 'rnu' (did you mean 'run'?)"
small small.yaml
exits 2 run small.yaml --policy fifi
err_says "did you mean 'fifo'?"
exits 2 run small.yaml --set polcy.name=fifo
err_says "polcy"
err_says "did you mean 'policy'?"
exits 2 run small.yaml --set seed=x
err_says "seed=x"
exits 2 run small.yaml --seed -1
err_says "--seed"
printf 'partita: 1\ncluster: {gpus: one}\ntrace: {jobs: []}\nexpect: {exit: 4}\n' >world.yaml
exits 1 test world.yaml
out_says "world.yaml:2:17: exit code is 2, expected 4: gpus: 'one' is not a number"
printf 'submit_s,work_s\n0,1\n' >one.csv
exits 2 trace info one.csv --limit x
err_line "partita: --limit: 'x' is not a number"
exits 2 trace check one.csv --seed -1
err_says "--seed: '-1' is"
exits 2 run small.yaml --color somtimes
exits 2 run small.yaml --color neve
err_says "did you mean 'never'?"
exits 2 run small.yaml --json=1
exits 2 run small.yaml --out
exits 2 run small.yaml extra.yaml
exits 2 run
err_line "partita: needs an argument: EXPERIMENT.yaml|RESULT.h5"
exits 2 test
err_line "partita: needs an argument: SCENARIO.yaml..."
exits 2 trace info --source native
err_line "partita: needs an argument: FILE"

# of wrong keys and values all in one go, up to 20
{
    echo "partita: 1"
    echo "cluster: {gpus: 1}"
    echo "trace: {jobs: []}"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do echo "wrong$i: $i"; done
} >many.yaml
exits 2 run many.yaml
[ "$(grep -c 'unknown key' err)" -eq 20 ] || fail "$(grep -c 'unknown key' err) keys are said, expected 20"

# --quiet says errors alone; --color always colours
exits 0 run small.yaml --quiet
silent err
exits 2 run many.yaml --quiet
err_says "unknown key"
exits 0 run small.yaml --color always
grep -q "$(printf '\033')" out || fail "--color always shows no colour"
exits 0 run small.yaml
grep -q "$(printf '\033')" out && fail "colours without a terminal"
exits 0 run small.yaml --progress always
err_says "3 of 3 jobs"
exits 0 run small.yaml
silent err

# a tenant that no job has is most likely misspelt
printf 'partita: 1\ncluster: {gpus: 1}\ntrace: {source: native, path: ml.csv}\ntenants:\n- {name: mll, weight: 2}\n- {name: web}\n' >tenants.yaml
printf 'submit_s,work_s,tenant\n0,1,ml\n0,1,web\n' >ml.csv
exits 0 run tenants.yaml
err_line "tenants.yaml:5:10: warning: no job of the trace has the tenant 'mll' (did you mean 'ml'?)"
out_says "- tenant 'mll' is without effect: no job of the trace has it"
grep -q "'web'" out err && fail "a tenant that has jobs is warned of"
exits 0 run tenants.yaml --quiet
silent err

# a word of the trace that means nothing is said by its line, of an unsorted file too
printf 'partita: 1\ncluster: {gpus: 1}\ntrace: {source: native, path: words.csv}\n' >words.yaml
word() {
    printf 'submit_s,work_s,%s\n5,1,\n\n0,1,%s\n' "$1" "$2" >words.csv
    exits 2 run words.yaml
    err_line "words.csv:4:5: job '1': unknown $3 '$2'${4:-}"
    silent out
}
word gpu_type h10 "GPU type" " (did you mean 'h100'?)"
word pool mian pool " (did you mean 'main'?)"
word sla gold "SLA tier"
word priority urgent "priority class"

# a file of another source read as a native one
cp "$PARTITA_SOURCE/traces/samples/helios.csv" words.csv
exits 2 run words.yaml
err_line "words.csv:1:1: unknown column 'job_id' (looks like source helios: use --source helios, in an experiment trace: {source: helios})"
exits 2 trace check "$PARTITA_SOURCE/traces/samples/philly.csv"
err_says "looks like source philly: use --source philly"
sed 's/gpu_count/gpus/' "$PARTITA_SOURCE/traces/samples/helios.csv" >words.csv
exits 2 run words.yaml
grep -q "looks like" err && fail "half a header is taken for a known one"

# a scenario is for `partita test`
{ cat small.yaml && echo 'expect: {summary: {done: 3}}'; } >scenario.yaml
exits 2 run scenario.yaml
err_line "scenario.yaml:9:1: this is a scenario: partita test scenario.yaml"
{ cat small.yaml && echo --- && cat scenario.yaml; } >scenarios.yaml
exits 2 run scenarios.yaml
err_line "scenarios.yaml:18:1: this is a scenario: partita test scenarios.yaml"

# nothing expected is said; a state that there is not is no expectation
exits 0 test small.yaml scenario.yaml
[ "$(grep -c '  ok    small (nothing expected)' out)" -eq 1 ] || fail "not said: nothing is expected"
{ cat small.yaml && printf 'expect: {jobs: {B: {state: broken}}}\n'; } >state.yaml
exits 2 test state.yaml
out_says "state.yaml:9:28: state: 'broken' is unknown (known: done, failed, killed, withdrawn, unschedulable, running, pending)"

# a format that is too new is told from one that is wrong
sed 's/partita: 1/partita: 2/' small.yaml >format.yaml
exits 2 run format.yaml
err_line "format.yaml:1:10: format 2 is newer than this program (it knows 1)"
sed 's/partita: 1/partita: 0/' small.yaml >format.yaml
exits 2 run format.yaml
grep -q newer err && fail "format 0 is called newer"
finish
