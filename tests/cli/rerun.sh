#!/bin/sh
# A result holds all that it takes to run it again to the same digest.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
rm -rf first second
mkdir -p first second
cat >first/run.yaml <<'YAML'
partita: 1
name: again
seed: 11
cluster:
  pools:
    - {name: slice, nodes: 2, gpus_per_node: 4, gpu: h100-sxm5-80gb, cpus_per_node: 64, sharing: {mode: time_slice, replicas: 3}}
    - {name: whole, nodes: 1, gpus_per_node: 4, gpu: a100-sxm4-80gb, sharing: {mode: exclusive}}
nodes: [{name: slice-1, pool: slice, down: [[100, 200]], boot: 30}]
trace: {source: native, path: jobs.csv}
policy: {name: fifo, blocking: skip, placement: pack}
tenants: [{name: acme, weight: 2, sla: gold}]
sla: {default: {max_slowdown: 2}, tiers: {gold: {max_wait: 1min}}}
output: {file: out.h5}
YAML
awk 'BEGIN {
    print "id,submit_s,work_s,gpus,tenant,cpus"
    for (i = 0; i < 300; i++) printf "j%d,%d.25,%d,%d,%s,%d\n", i, i, 5 + i * 37 % 91, 1 + i % 3, i % 2 ? "acme" : "", i % 5
}' >first/jobs.csv
exits 0 run first/run.yaml
digest out >digest1
[ -s digest1 ] || fail "there is no digest"
[ -e first/out.h5 ] || fail "output.file does not start at the file that names it"

exits 0 run first/out.h5 --out second/again.h5
digest out >digest2
same digest1 digest2
err_says "same digest"
(cd second && "$PARTITA" run ../first/out.h5 --out third.h5 >out 2>err) || fail "not from another folder"
digest second/out >digest3
same digest1 digest3
mv first/out.h5 second/moved.h5
exits 0 run second/moved.h5
digest out >digest4
same digest1 digest4
exits 0 run second/again.h5
digest out >digest5
same digest1 digest5
[ -e second/out.h5 ] && fail "output.file was taken over by the rerun"

exits 0 run second/moved.h5 --set policy.blocking=strict
digest out >digest6
cmp -s digest1 digest6 && fail "--set on a result changes nothing"
exits 2 run second/moved.h5 --set policy.blokcing=strict
err_says "did you mean 'blocking'?"

exits 0 export second/moved.h5 --format csv --out a.csv
exits 0 export second/again.h5 --format csv --out b.csv
same a.csv b.csv
# another digest is explained by what has changed
cp first/jobs.csv first/gone.csv
sed '2s/,5,/,6,/' first/gone.csv >first/jobs.csv
exits 0 run second/moved.h5
err_says "the digest differs from that of second/moved.h5 ($(cat digest1)): $PWD/first/jobs.csv has changed (xxh3-128:"
cp first/gone.csv first/jobs.csv
older() { /usr/bin/python3 -c 'import h5py, sys
m = h5py.File("second/older.h5", "r+")["manifest"]
m.attrs.modify(sys.argv[1], sys.argv[2].encode().ljust(m.attrs.get_id(sys.argv[1]).dtype.itemsize, b"\0"))' "$1" "$2"; }
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    cp second/moved.h5 second/older.h5
    older digest xxh3-128:00000000000000000000000000000000
    exits 0 run second/older.h5
    err_says "(xxh3-128:00000000000000000000000000000000): version and inputs are the same"
    older version 0.0.9
    exits 0 run second/older.h5
    err_says "that result is of version 0.0.9, this is "
fi
mv first/jobs.csv first/gone.csv
exits 2 run second/moved.h5
err_says "jobs.csv"

# a catalogue is an input like the trace: its digest is kept, and outputs spare it
cp first/gone.csv first/jobs.csv
gpus() { echo "gpus: [{name: h100-sxm5-80gb, speed: {against: a100-sxm4-80gb, mixed: $1}}]" >first/gpus.yaml; }
gpus 2
sed '1a catalog: gpus.yaml' first/run.yaml >first/own.yaml
exits 0 run first/own.yaml --out second/own.h5
exits 0 run second/own.h5
err_says "same digest as second/own.h5"
exits 2 run first/own.yaml --out first/gpus.yaml
exits 2 run first/own.yaml --events first/gpus.yaml
gpus 3
exits 0 run second/own.h5
err_says "$PWD/first/gpus.yaml has changed (xxh3-128:"

# inline jobs need no file at all
small second/small.yaml
exits 0 run second/small.yaml --out second/small.h5
digest out >digest7
rm second/small.yaml
exits 0 run second/small.h5
digest out >digest8
same digest7 digest8

# another policy in the place of the first has its own defaults, not those that the result kept
cat >second/two.yaml <<'YAML'
partita: 1
cluster: {gpus: 1}
interference: none
trace: {jobs: [{id: long, submit_s: 0, work_s: 100}, {id: short, submit_s: 5, work_s: 10}]}
YAML
exits 0 run second/two.yaml --out second/two.h5
exits 0 run second/two.h5 --policy srtf --out second/srtf.h5
out_says "Policy        srtf, blocking skip, by work, placement first_fit, preemption suspend"
out_says "2 done; preempted 1 time"
for policy in fair_share kai priority fifo; do
    exits 0 run second/srtf.h5 --policy $policy
done
finish
