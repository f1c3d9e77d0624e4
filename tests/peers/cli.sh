#!/bin/sh
# The experiments of configs/peers through the whole program, compared job by job with what the
# other simulators wrote. Skips where the shared reference data is not there.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
peers=$PARTITA_SHARED/reference/peers
[ -d "$peers" ] || { echo "skipped: $peers is not there"; exit 77; }

# native gpus|shares < TRACE: as a native trace; `later` seconds are added to the work. There a share
# is in whole per cent of a GPU, half to even; here it is in millionths of 8 GPUs.
native() {
    awk -F, -v later="${later:-0}" -v kind="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 1 && kind == "gpus" { print "id,submit_s,work_s,gpus,estimate_s" }
        NR == 1 && kind == "shares" { print "id,submit_s,work_s,gpus,gpu_frac,cpus" }
        NR == 1 { next }
        { printf "%s,%s,%d,", $at["job_id"], $at["submit_s"], $at["duration_s"] + later }
        kind == "gpus" { print $at["gpus"] "," $at["est_duration_s"]; next }
        {
            share = sprintf("%.0f", $at["gpu_milli"] / 10) * 0.00125
            part = share == 0 ? "" : sprintf("%.6f", share)
            printf("%d,%s,%.2f\n", part != "", part, sprintf("%.0f", $at["cpu_milli"] / 10) / 100)
        }'
}

# columns < CSV: id, start, end (in whole seconds) and preemptions, by the header.
columns() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 1 { id = "job_id" in at ? at["job_id"] : at["id"]; next }
        {
            printf "%s %.9g %.9g %s\n", $id, $at["start_s"], $at["end_s"],
                "preemptions" in at ? $at["preemptions"] : 0
        }'
}

# compare KIND POLICY COLUMNS CONFIG [--set ...]: every set of the kind that has this policy.
compare() {
    kind=$1 policy=$2 table=$3 config=$4
    shift 4
    for set in "$peers/$kind"/*/; do
        out=$set/out_$policy.csv
        [ -f "$out" ] || continue
        [ ! -f "$set/vc.json" ] || [ "$(tr -d ' \n' <"$set/vc.json")" = '{"vc0":8}' ] || continue
        native "$table" <"$set/trace.csv" >peer.csv
        exits 0 run "$PARTITA_SOURCE/configs/peers/$config.yaml" --set "trace.path=$PWD/peer.csv" \
            "$@" --quiet --out peer.h5
        exits 0 export peer.h5 --format csv
        columns <out >ours
        columns <"$out" >theirs
        same ours theirs
        compared=$((compared + 1))
    done
}

compared=0
compare helios fifo gpus helios
compare helios sjf gpus helios --set policy.name=sjf
compare helios qssf gpus helios --set policy.name=qssf --set policy.first_by_gpus=true
later=1
compare helios srtf gpus helios-srtf
later=0
compare tiresias fifo gpus tiresias --set 'policy={name: fifo, blocking: strict}'
compare tiresias fjf gpus tiresias --set 'policy={name: fifo, blocking: skip}'
compare tiresias sjf gpus tiresias --set policy.order=smallest
compare tiresias shortest gpus tiresias --set policy.order=remaining
compare tiresias shortest-gpu gpus tiresias --set policy.order=remaining_gpus
compare tiresias dlas gpus tiresias --set policy.order=service
compare tiresias dlas-gpu gpus tiresias
compare alibaba_pai_fractional fifo_skip shares pai
compare alibaba_pai_fractional sjf_skip shares pai --set policy.name=sjf
echo "$compared sets and policies compared"
[ "$compared" -gt 0 ] || fail "no set was compared"
finish
