#!/bin/sh
# Plants one forbidden include after another in a small tree and wants include_edges.sh to see each,
# and a clean tree to pass.
set -eu
here=$(dirname "$0")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/sim/include/partita" "$tree/sim/core" "$tree/sim/experiment" "$tree/sim/replicate" "$tree/sim/cli" \
    "$tree/models" "$tree/policies" "$tree/traces" "$tree/analysis/results" "$tree/analysis/plot"
: >"$tree/sim/include/partita/types.h"
for header in sim/core/engine.h sim/experiment/config.h sim/replicate/seeds.h models/registry.h policies/registry.h \
    traces/registry.h analysis/results/results.h; do
    : >"$tree/$header"
done

failed=0
try() { # expected-exit file include
    printf '#include %s\n' "$3" >"$tree/$2"
    code=0
    "$here/include_edges.sh" "$tree" >"$tree/out" 2>&1 || code=$?
    if [ "$code" -ne "$1" ]; then
        echo "$2 including $3: expected exit $1, got $code"
        cat "$tree/out"
        failed=1
    fi
    rm "$tree/$2"
}
try 0 sim/core/a.c '"partita/types.h"'
try 0 sim/core/a.c '<gsl/gsl_rng.h>'
try 0 sim/core/a.c '<stdint.h>'
try 0 sim/cli/a.c '"sim/experiment/config.h"'
try 0 sim/cli/a.c '"sim/replicate/seeds.h"'
try 0 sim/replicate/a.c '"sim/experiment/config.h"'
try 0 sim/experiment/a.c '"policies/registry.h"'
try 0 sim/experiment/yaml.c '<yaml.h>'
try 0 analysis/results/a.c '<hdf5.h>'
try 0 traces/a.c '<zstd.h>'
try 1 sim/include/partita/a.h '"sim/core/engine.h"'
try 1 sim/core/a.c '"policies/registry.h"'
try 1 sim/core/a.c '<zlib.h>'
try 1 policies/a.c '"sim/core/engine.h"'
try 1 policies/a.c '"models/registry.h"'
try 1 models/a.c '"traces/registry.h"'
try 1 traces/a.c '"analysis/results/results.h"'
try 1 traces/a.c '"../sim/core/engine.h"'
try 1 analysis/a.c '<hdf5.h>'
try 1 analysis/a.c '"sim/experiment/config.h"'
try 1 sim/experiment/a.c '<yaml.h>'
try 1 sim/experiment/a.c '"sim/core/engine.h"'
try 1 sim/experiment/a.c '"sim/replicate/seeds.h"'
try 1 sim/replicate/a.c '"sim/core/engine.h"'
try 1 sim/cli/a.c '"sim/core/engine.h"'
try 1 sim/cli/a.c '<hdf5.h>'
try 1 policies/a.c '<curl/curl.h>'
try 1 sim/cli/a.c '"no/such.h"'
exit "$failed"
