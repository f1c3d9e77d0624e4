#!/bin/sh
# How well the laws explain published measurements: the bounds that they are held to.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
data=$PARTITA_SHARED/reference/interference
[ -e "$data/gavel/pairs_oracle_1gpu.csv" ] || { echo "the measurements are not there: $data"; exit 77; }

# bound JSON-FILE ABOUT GPU POINTS IN-SAMPLE CROSS-VALIDATED: the errors in percent, at most
bound() {
    python3 - "$@" <<'PY' || fail "the fit of $2 $3 is not what it should be"
import json, sys
name, about, gpu, points, inside, across = sys.argv[1:]
(f,) = [f for f in json.load(open(name))["fits"] if f["about"] == about and (f["gpu"] or "-") == gpu]
mape, cv = 100 * f["in_sample"]["mape"], 100 * f["cross_validation"]["mape"]
print(f"{about} {gpu} {f['law']}: {f['points']} points, {mape:.2f} %, cross-validated {cv:.2f} %")
assert f["points"] == int(points) and f["converged"]
assert mape <= float(inside) and (across == "-" or cv <= float(across))
PY
}

exits 0 predict fit-profiles "$data/gavel/pairs_oracle_1gpu.csv" --json
cp out pairs.json
bound pairs.json pairs v100 633 6.0 6.5
bound pairs.json pairs k80 575 3.6 4.0
for seed in 2 3 4; do
    exits 0 predict fit-profiles "$data/gavel/pairs_oracle_1gpu.csv" --json --seed $seed
    bound out pairs v100 633 6.0 6.5
    bound out pairs k80 575 3.6 4.0
done

# sensitivity S = u / kappa and intensity I = u kappa, as fitted elsewhere
python3 - "$data/gavel/fitted_S_I.csv" <<'PY' || fail "S and I differ from those published with the data"
import csv, json, math, sys
fits = {f["gpu"]: {p["name"]: p for p in f["parameters"]} for f in json.load(open("pairs.json"))["fits"]}
rows, largest = 0, 0
for row in csv.DictReader(open(sys.argv[1])):
    if row["gpu"] not in fits:
        continue
    p = fits[row["gpu"]][row["job"]]
    for ours, theirs in ((p["u"] / p["kappa"], row["S_sensitivity"]), (p["u"] * p["kappa"], row["I_intensity"])):
        largest = max(largest, abs(math.log(ours / float(theirs))))
        rows += 1
print(f"{rows} values of S and I, logarithms differ by at most {largest:.4f}")
assert rows == 2 * (26 + 25) and largest <= 0.02
PY

exits 0 predict fit-profiles "$data/miso/a100_mig_iteration_time.csv" --exclude deepspeech2:4 --exclude deepspeech2:8 --p 2 --json
bound out slices a100 90 4.8 -
exits 0 predict fit-profiles "$data/parvagpu/all.csv" --json
bound out slices - 209 4.5 -
bound out processes - 864 2.9 -
bound out both - 1073 6.2 -
finish
