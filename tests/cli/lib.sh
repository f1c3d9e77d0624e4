# Helpers of the tests of the program. Sourced: `. "$PARTITA_SOURCE/tests/cli/lib.sh"`.
# shellcheck shell=sh
set -u
[ -n "${PARTITA:-}" ] || { echo "the program is not built"; exit 77; }
LC_ALL=C
export LC_ALL
unset NO_COLOR
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# exits CODE ARGUMENT...: runs partita, keeps stdout and stderr in ./out and ./err.
exits() {
    wanted=$1
    shift
    "$PARTITA" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] || {
        fail "partita $*: exit code $got, expected $wanted"
        sed 's/^/    /' err | head -n 5
    }
}

# err_says TEXT: the last stderr holds the text; err_line TEXT: has it as a whole line.
err_says() { grep -qF -- "$1" err || { fail "stderr does not say '$1' but:"; head -n 5 err; }; }
err_line() { grep -qxF -- "$1" err || { fail "stderr has no line '$1' but:"; head -n 5 err; }; }
out_says() { grep -qF -- "$1" out || { fail "stdout does not say '$1' but:"; head -n 5 out; }; }
silent() { [ ! -s "$1" ] || { fail "$1 should be empty but says:"; head -n 5 "$1"; }; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

digest() { sed -n 's/^Digest *//p' "$1"; }

finish() {
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}

# small FILE: an experiment that runs in no time.
small() {
    cat >"$1" <<'YAML'
partita: 1
name: small
cluster: {gpus: 2}
trace:
  jobs:
    - {id: A, submit_s: 0, work_s: 10}
    - {id: B, submit_s: 1, work_s: 20, gpus: 2}
    - {id: C, submit_s: 2, work_s: 30}
YAML
}

# large FILE JOBS: one that takes a while.
large() {
    cat >"$1" <<YAML
partita: 1
name: large
seed: 7
cluster: {pools: [{name: main, nodes: 16, gpus_per_node: 8, gpu: h100-sxm5-80gb, sharing: {mode: time_slice, replicas: 2}}]}
trace: {source: synthetic, jobs: $2, rate_per_s: 1, work: exponential, work_mean: 50, gpus: "1:70|2:20|4:10"}
YAML
}

# large_for FILE SECONDS: a large experiment that takes at least so long here; $jobs and $usual tell
# its jobs and its time.
large_for() {
    jobs=1000
    while :; do
        large "$1" $jobs
        usual=$(python3 -c '
import subprocess, sys, time
begin = time.time()
subprocess.run([sys.argv[1], "run", sys.argv[2], "--out", "usual.h5"], stdout=subprocess.DEVNULL, check=True)
print(round(time.time() - begin, 3))' "$PARTITA" "$1")
        rm -f usual.h5
        [ "$(awk "BEGIN {print ($usual >= $2)}")" -eq 1 ] && break
        jobs=$((jobs * 2))
    done
}
