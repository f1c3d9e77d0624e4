#!/bin/sh
# golden.sh [--update]: what people read is what it was, word for word. --update writes it anew.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
golden=$PARTITA_SOURCE/tests/cli/golden
update=${1:-}

cat >world.yaml <<'YAML'
partita: 1
name: three kinds of promise
cluster:
  pools:
    - {name: slice, nodes: 2, gpus_per_node: 4, gpu: h100-sxm5-80gb, sharing: {mode: time_slice, replicas: 2, switch_loss: 0}}
    - {name: whole, nodes: 1, gpus_per_node: 4, gpu: a100-sxm4-80gb, sharing: {mode: exclusive}}
trace: {source: native, path: jobs.csv, reference_gpu: h100-sxm5-80gb}
interference: none
policy: {name: fifo, blocking: skip, placement: pack}
tenants: [{name: acme, weight: 2, sla: gold}]
sla: {default: {max_slowdown: 3}, tiers: {gold: {max_wait: 10s}}}
YAML
awk 'BEGIN {
    print "id,submit_s,work_s,gpus,tenant,kind,estimate_s"
    for (i = 0; i < 60; i++)
        printf "j%d,%d,%d,%d,%s,%s,%s\n", i, 10 * i, 20 + i * 37 % 191, i % 20 == 7 ? 9 : 1 + i % 3,
            i % 3 ? "acme" : "", i % 4 ? "training" : "interactive", i % 5 ? "" : 100
    print "bad,0,-1,1,,,"
}' >jobs.csv

compare() {
    if [ "$update" = --update ]; then
        cp "$1" "$golden/$2"
    elif ! diff -u "$golden/$2" "$1"; then
        fail "$2 is not what it was; tests/cli/golden.sh --update if that is meant"
    fi
}

exits 0 run world.yaml --on-bad-row skip
# the digest is for machines
sed 's/^Digest .*/Digest .../' out >summary
compare summary summary.txt
compare err skipped.txt
exits 0 run world.yaml --on-bad-row skip --dry-run
compare out dry-run.txt
exits 2 run world.yaml
compare err refused.txt
exits 0 trace info jobs.csv --limit 60
compare out trace-info.txt
exits 0 --help
compare out help.txt
exits 0 run --help
compare out run-help.txt
finish
