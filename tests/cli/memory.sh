#!/bin/bash
# S-58: a million jobs on 1,000 GPUs within 512 MiB, of address space even.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
cat >million.yaml <<'YAML'
partita: 1
cluster: {pools: [{name: main, nodes: 125, gpus_per_node: 8, gpu: h100-sxm5-80gb, sharing: {mode: exclusive}}]}
trace: {source: synthetic, jobs: 1000000, rate_per_s: 9, work: exponential, work_mean: 100}
YAML
(
    ulimit -v 524288
    exits 0 run million.yaml --out million.h5
    out_says "1,000,000 done"
    [ "$failures" -eq 0 ]
) || fail "not within 512 MiB"
rm -f million.h5
finish
