#!/bin/sh
# partita predict fit-profiles: formats, what is left out, what is refused and where it stands.
. "$PARTITA_SOURCE/tests/cli/lib.sh"

# figure JSON-EXPRESSION: a value of ./out, f being its fits
figure() { python3 -c "import json; f = json.load(open('out'))['fits']; print($1)"; }
is() { [ "$(figure "$1")" = "$2" ] || fail "$1 is $(figure "$1"), expected $2"; }

# pairs made by rank1: u, kappa of a, b, c are (.8, 2), (.5, 1), (.9, .5)
python3 - <<'PY'
jobs = {"a (batch size 4)": (.8, 2), "a (batch size 8)": (.5, 1), "c": (.9, .5)}
with open("pairs.csv", "w") as f:
    print("gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,slowdown_a,slowdown_b,fits", file=f)
    for x, (ux, kx) in jobs.items():
        for y, (uy, ky) in jobs.items():
            sx, sy = 1 + ux * uy * ky / kx, 1 + ux * uy * kx / ky
            print(f"v100,{x},{y},10,20,{10 / sx},{20 / sy},{sx},{sy},1", file=f)
    print("v100,c,big,10,5,0,0,,,0", file=f)
    print("x9,c,c,10,10,5,4,2,2.5,1", file=f)
PY
exits 0 predict fit-profiles pairs.csv --json --gpu v100
silent err
is 'len(f)' 1
is '[p["name"] for p in f[0]["parameters"]]' "['a (batch size 4)', 'a (batch size 8)', 'c']"
is '[round(p["u"], 4) for p in f[0]["parameters"]]' '[0.8, 0.5, 0.9]'
is '[round(p["kappa"], 4) for p in f[0]["parameters"]]' '[2.0, 1.0, 0.5]'
is 'f[0]["points"]' 9
is 'f[0]["left_out"]' "[{'reason': 'do not fit together', 'rows': 1}, {'reason': 'of other GPUs', 'rows': 1}]"
is 'round(f[0]["in_sample"]["mape"], 6)' 0.0
is 'f[0]["cross_validation"]["folds"]' 5
exits 0 predict fit-profiles pairs.csv
out_says "rank1: s_i = 1 + u_i u_j kappa_j / kappa_i"
out_says "rows: 1 do not fit together"
out_says "x9: pairs of jobs on one GPU"
out_says "CV             -: too few points"
exits 0 predict fit-profiles pairs.csv --gpu x9 --json
is '(f[0]["points"], round(f[0]["parameters"][0]["u"] ** 2, 6))' '(1, 1.25)'

# the same by either kind of column, by measurements of one pair in two rows, packed, by format
cut -d, -f1-7,10 pairs.csv >speeds.csv
exits 0 predict fit-profiles speeds.csv --gpu v100 --json
is '[round(p["u"], 4) for p in f[0]["parameters"]]' '[0.8, 0.5, 0.9]'
cut -d, -f2,3,8,9 pairs.csv | sed '/big/d; /^c,c,2,/d' >slow.csv
exits 0 predict fit-profiles slow.csv --json
is '(f[0]["gpu"], f[0]["points"])' '(None, 9)'
gzip -k slow.csv
exits 0 predict fit-profiles slow.csv.gz --json --format gavel --gpu v100
is '(f[0]["gpu"], f[0]["points"])' "('v100', 9)"
printf 'job_a,scale_a,job_b,scale_b,slowdown_a,slowdown_b\nm,1,m,1,1.5,1.7\nm,2,m,2,1.2,1.2\n' >scale.csv
exits 0 predict fit-profiles scale.csv --json
is '[(p["name"], round(p["u"] ** 2, 4)) for p in f[0]["parameters"]]' "[('m', 0.6), ('m x2', 0.2)]"
printf 'job_a,job_b,solo_a,solo_b,co_a,co_b,slowdown_a,slowdown_b\nm,m,1,1,1,1,1.5,1.5\n' >two.csv
exits 0 predict fit-profiles two.csv
out_says "2 slow-downs differ from the ratio of the speeds beside them by more than 1 %"

# what the points don't tell is not made up
printf 'job_a,job_b,slowdown_a,slowdown_b\na,b,1.5,1.7\n' >cross.csv
exits 0 predict fit-profiles cross.csv --out cross.yaml
out_says "not told"
grep -q '^  # not told by the points: - {name: "a"' cross.yaml || fail "untold values are written as if they were told"
exits 0 predict fit-profiles cross.csv --json
is '[p["u"] for p in f[0]["parameters"]]' '[None, None]'

# MIG slices, by names that tell the GPU or not
python3 - <<'PY'
us = {("m", 1): .3, ("m", 8): .9, ("odd", 1): .5}
with open("slices.csv", "w") as f:
    print("slice,model,batch,median_s", file=f)
    for (m, b), u in us.items():
        for name, x in ("1g.5gb", 1 / 7), ("2g.10gb", 2 / 7), ("3g.20gb", 3 / 7), ("4g.20gb", 4 / 7), ("7g.40gb", 1):
            print(f"{name},{m},{b},{.1 * (1 - u**2 + (u / x)**2)**.5}", file=f)
    print("7g.40gb,whole,1,1\n1g.5gb,part,1,1\n1g.5gb,whole,1,0", file=f)
PY
exits 0 predict fit-profiles slices.csv --json --exclude odd --exclude whole:1
is '[(p["name"], round(p["u"], 4)) for p in f[0]["parameters"]]' "[('m-b1', 0.3), ('m-b8', 0.9)]"
is '{r["reason"]: r["rows"] for r in f[0]["left_out"]}' "{'excluded': 7, 'without the whole GPU to compare with': 1}"
is '(f[0]["p"], f[0]["gpu"], f[0]["points"])' "(2, 'a100', 8)"
exits 0 predict fit-profiles slices.csv --json
is '{r["reason"]: r["rows"] for r in f[0]["left_out"]}' "{'do not fit': 1, 'without the whole GPU to compare with': 1}"
exits 0 predict fit-profiles slices.csv --p 4 --by model --json
is '[p["name"] for p in f[0]["parameters"]]' "['m', 'odd']"
sed 's/7g.40gb/7g.80gb/; s/4g.20gb/4g.40gb/; s/3g.20gb/3g.40gb/; s/2g.10gb/2g.20gb/; s/1g.5gb/1g.10gb/' slices.csv >eighty.csv
exits 0 predict fit-profiles eighty.csv --json
is 'f[0]["gpu"]' None
exits 0 predict fit-profiles eighty.csv --gpu h100-sxm5-80gb
out_says "h100-sxm5-80gb: MIG slices against the whole GPU"
exits 0 predict fit-profiles eighty.csv
out_says "a slice's share of the SMs is taken as its compute slices / 7"

# slices and processes
python3 - <<'PY'
with open("model-x.csv", "w") as f, open("processes.csv", "w") as g:
    print("Mig instance,Batch size,Workload Number,Throughput,Latency", file=f)
    print("model,mig_g,batch,nproc,throughput_per_proc,latency_s", file=g)
    for c in 1, 2, 3, 4, 7:
        for n in range(1, 6):
            t = 0 if (c, n) == (1, 5) else 100 / (1 - .6**4 + (.6 * n * 7 / c)**4)**.25
            print(f"{c},16,{n},{t},0", file=f)
            print(f"x,{c},16,{n},{t},0", file=g)
PY
exits 0 predict fit-profiles processes.csv --json
is '[(i["about"], i["points"], i["p"]) for i in f]' "[('slices', 4, 4), ('processes', 19, 4), ('both', 23, 4)]"
is '[(p["name"], round(p["u"], 4)) for p in f[2]["parameters"]]' "[('x-b16', 0.6)]"
is '[p["name"] for p in f[1]["parameters"]]' "['x-b16@1g', 'x-b16@2g', 'x-b16@3g', 'x-b16@4g', 'x-b16@7g']"
exits 0 predict fit-profiles model-x.csv --points both --json
is '[(p["name"], round(p["u"], 4)) for p in f[0]["parameters"]]' "[('model-x-b16', 0.6)]"

# the profiles are a part of an experiment
exits 0 predict fit-profiles processes.csv --out profiles.yaml --quiet
grep -qF '  - {name: "x-b16", u: 0.6000, p: 4, law: pnorm}' profiles.yaml || fail "profiles.yaml lacks the profile: $(cat profiles.yaml)"
[ "$(grep -c 'name:' profiles.yaml)" -eq 1 ] || fail "not one u for all is written"
exits 0 predict fit-profiles pairs.csv --gpu v100 --out profiles.yaml
grep -qF '  - {name: "c", u: 0.9000, kappa: 0.5000, law: rank1, gpu: "v100"}' profiles.yaml || fail "profiles.yaml lacks c"
{
    cat <<'YAML'
partita: 1
name: fitted profiles in a run
cluster: {pools: [{name: main, nodes: 1, gpus_per_node: 1, gpu: v100-16gb, sharing: {mode: mps, replicas: 2}}]}
interference: {model: fitted, guard: off}
trace:
  reference_gpu: v100-16gb
  jobs:
    - {id: A, submit_s: 0, work_s: 1000, gpu_frac: 1, profile: "a (batch size 4)"}
    - {id: C, submit_s: 0, work_s: 3880, gpu_frac: 1, profile: c}
expect: {jobs: {A: {end_s: 1180}, C: {end_s: {approx: 4755.876289, rel: 1e-8}}}}
YAML
    cat profiles.yaml
} >profiled.yaml
exits 0 test profiled.yaml
# what no experiment can have stays a comment, and the file a part of one
cat >odd.csv <<'CSV'
gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,fits
v100,a,b,1,1,0.00001,1,1
v100,a,a,1,1,0.5,0.5,1
v100,b,b,1,1,0.9999,0.9999,1
v100,c,d,1,1,0.5,0.5,1
CSV
printf 'gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,fits\nv100,c,d,1,1,0.5,0.5,1\n' >untold.csv
for odd in odd untold; do
    exits 0 predict fit-profiles $odd.csv --folds 0 --out $odd.yaml
    printf 'partita: 1\ncluster: {gpus: 1}\ntrace: {jobs: [{submit_s: 0, work_s: 1}]}\n' >>$odd.yaml
    exits 0 run $odd.yaml --dry-run
done
grep -qF '# beyond what profiles hold: - {name: "b"' odd.yaml || fail "odd.yaml has b: $(cat odd.yaml)"
grep -qF '# not told by the points: - {name: "c"' untold.yaml || fail "untold.yaml has c"
exits 2 predict fit-profiles pairs.csv --out pairs.csv
grep -q '^gpu,' pairs.csv || fail "the measurements are overwritten"
exits 2 predict fit-profiles pairs.csv --out none/profiles.yaml

# the same file and seed give the same text
exits 0 predict fit-profiles pairs.csv --seed 3
cp out first
exits 0 predict fit-profiles pairs.csv --seed 3
same out first

# ---- refused, with the place
wrong() { # COLUMNS-AND-ROWS PLACE-AND-TEXT OPTION...
    printf '%b' "$1" >bad.csv
    says=$2
    shift 2
    exits 2 predict fit-profiles bad.csv "$@"
    err_says "$says"
    silent out
}
P='gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,fits\n'
S='slice,model,batch,median_s\n'
N='model,mig_g,batch,nproc,throughput_per_proc\n'
wrong '' 'bad.csv:1: is empty: it has no header'
wrong 'a,b\n1,2\n' 'bad.csv:1:1: is no file of measurements that is known: gavel has the columns job_a,'
wrong 'slice,model,batch,medain_s\n' "bad.csv:1:19: the header lacks the column 'median_s' of format miso (is 'medain_s' meant to be it?)"
wrong "$S" "the header lacks the column 'job_a' of format gavel" --format gavel
wrong 'slice,model,model,median_s\n' "bad.csv:1:13: column named twice: 'model'"
wrong "$S"'1g.5gb,m,1\n' 'bad.csv:2:1: the row has 3 cells, the header 4'
wrong "$S"'1g.5gb,m,1,0.5x\n' "bad.csv:2:12: median_s '0.5x' "
wrong "$S"'1g.5gb,m,1,-1\n' "bad.csv:2:12: median_s '-1' is less than 0"
wrong "$S"'1g.5gb,m,1,\n' "bad.csv:2:12: median_s '' is empty"
wrong "$S"'1g.5gb,m,1,nan\n' "bad.csv:2:12: median_s 'nan' "
wrong "$S"'7g.40gb,m,1,1\ng1,m,1,1\n' "bad.csv:3:1: slice 'g1' is no MIG slice, like 1g.5gb or 3"
wrong "$S"'9g.90gb,m,1,1\n' "bad.csv:2:1: slice '9g.90gb' has more than 7 compute slices: say the GPU by --gpu"
wrong "$S"'7g.40gb,m,1,1\n1g.10gb,m,1,1\n' "bad.csv:2:1: slice '7g.40gb' is no MIG profile of h100-sxm5-80gb: it has 1g.10gb" --gpu h100-sxm5-80gb
wrong "$S"'7g.40gb,m,1,1\n' "--gpu: unknown GPU 'h10' (did you mean 'h100'?)" --gpu h10
wrong "$S"'7g.40gb,m,1,1\n' "--gpu: l40s has no MIG, and the file holds MIG slices" --gpu l40s
wrong "$S"'7g.40gb,m,1,1\n' 'bad.csv: no points to fit are left of 1 row'
wrong "$S"'1g.5gb,m,1,1\n' 'no points to fit are left of 1 row: 1 without the whole GPU to compare with'
wrong "$S"'1g.5gb,,1,1\n' "bad.csv:2:8: model '' names no model"
wrong "$S"'7g.40gb,m,1,1e-9\n1g.5gb,m,1,1\n' "bad.csv:3:12: median_s '1' is more than a million times what it is compared with"
wrong "$P"'v,a,b,1,1,1e-7,1,1\n' "bad.csv:2:11: co_a '1e-7' gives a slow-down of more than a million"
wrong "$N"'m,1,1,0,5\n' "bad.csv:2:7: nproc '0' is less than 1"
wrong "$N"'m,1,1,1.5,5\n' "bad.csv:2:7: nproc '1.5' is not a whole number"
wrong "$P"'v,a,b,1,1,1,1,2\n' "bad.csv:2:15: fits '2' is neither 0 nor 1"
wrong "$P"'v,,b,1,1,1,1,1\n' "bad.csv:2:3: job_a '' names no job"
wrong "$P"'v,a,b,1,1,,1,1\n' 'bad.csv:2:1: the row fits but has no slow-down: neither slowdown_a nor both speeds'
wrong "$P"'v,a,b,1,1,-1,1,1\n' "bad.csv:2:11: co_a '-1' is less than 0"
wrong "$P"'v,a,b,1,1,0,0,1\n' 'no points to fit are left of 1 row: 1 do not fit together'
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--gpu: no row is of GPU 'v2' (did you mean 'v1'?)" --gpu v2
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--exclude: no row of bad.csv has the model, or the job, 'z'" --exclude z
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--points is for slices" --points both
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--by is for slices" --by model
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--p goes with --law pnorm" --p 2
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--folds: 1 pair can't be dealt into 5 folds" --folds 5
wrong "$P"'v1,a,b,1,1,1,1,1\n' "--folds: 1 fold leaves nothing to fit" --folds 1
wrong "$S"'7g.40gb,m,1,1\n' "--law rank1 is for pairs, and bad.csv holds slices: take pnorm" --law rank1
wrong "$S"'7g.40gb,m,1,1\n' "--points: bad.csv holds slices with one process only" --points both
exits 2 predict fit-profiles nowhere.csv
err_says "nowhere.csv"
exits 2 predict fit-profiles
err_line "partita: needs an argument: FILE.csv"
exits 2 predict fit-profiles pairs.csv --law rank2
err_says "did you mean 'rank1'?"
exits 2 predict fit-profiles pairs.csv --p 3
err_says "it is one of 1, 2, 4"
exits 2 predict fit-profile
err_says "did you mean 'fit-profiles'?"
finish
