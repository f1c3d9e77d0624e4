#!/bin/sh
# partita plot: every figure in every format, what the SVG holds of the numbers, and what it refuses.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
command -v gnuplot >/dev/null || {
    echo "skipped: no gnuplot here"
    exit 77
}
rm -rf figures png pdf one again seeds empty nothing bare
figures='jct_cdf wait_cdf slowdown sla cost utilization queue fragmentation gantt difference'

cat >jobs.py <<'PY'
import random
draw = random.Random(3)
at = 0
print("id,submit_s,work_s,gpus,tenant,kind")
for i in range(300):
    at += draw.expovariate(1 / 250)
    print("j%d,%.3f,%.3f,%d,%s,%s" % (i, at, draw.lognormvariate(6, 1), draw.choice([1, 1, 2, 4]),
          draw.choice(["acme", 'q"uo\\te', "%s _^{x}"]).replace('"', "''"),
          draw.choice(["training", "inference"])))
PY
python3 jobs.py >jobs.csv
cat >world.yaml <<'Y'
partita: 1
name: figures
cluster:
  pools:
    - {name: main, nodes: 1, gpus_per_node: 8, gpu: h100-sxm5-80gb, price_per_gpu_hour: 2,
       sharing: {mode: time_slice, replicas: 2}}
trace: {source: native, path: jobs.csv}
policy: {name: fifo, blocking: skip}
sla: {default: {max_slowdown: 1.5}}
output: {events: true}
Y
exits 0 run world.yaml --out fifo.h5
exits 0 run world.yaml --policy sjf --out sjf.h5

# ---- every figure ----
exits 0 plot fifo.h5 sjf.h5 --out figures
silent err
for name in $figures; do
    out_says "figures/$name.svg"
    for ending in svg tsv gp; do
        [ -s "figures/$name.$ending" ] || fail "no figures/$name.$ending"
    done
done
[ "$(find figures -type f | wc -l)" -eq 30 ] || fail "figures holds $(ls -A figures)"
exits 0 plot fifo.h5 sjf.h5 --out png --format png
exits 0 plot fifo.h5 sjf.h5 --out pdf --format pdf
for name in $figures; do
    [ "$(head -c 8 "png/$name.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] ||
        fail "$name.png is no PNG"
    [ "$(head -c 5 "pdf/$name.pdf")" = %PDF- ] || fail "$name.pdf is no PDF"
    same "figures/$name.tsv" "png/$name.tsv"
done

# the script draws the same again, from anywhere
mkdir again
cp figures/*.gp figures/*.tsv again
for name in $figures; do
    (cd again && gnuplot "$name.gp") 2>said || fail "$name.gp is not drawn again"
    # of the degree sign, in a locale that has none
    grep -v '^$' said | grep -v iconv >rest.txt
    [ ! -s rest.txt ] || fail "gnuplot says of $name.gp: $(cat rest.txt)"
    same "figures/$name.svg" "again/$name.svg"
done

# ---- what the SVG holds ----
python3 - <<'PY' || fail "the SVG"
import re, xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
def blocks(name):
    text = open("figures/%s.tsv" % name).read()
    lists = [[line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
             for block in text.split("\n\n\n")]
    return lists
def texts(name):
    return [t.text.strip() for t in tree.parse("figures/%s.svg" % name).iter(SVG + "text") if t.text]
def plots(name):
    """What each plot of the figure holds: its longest stroke, all paths and markers."""
    found = []
    for group in tree.parse("figures/%s.svg" % name).iter(SVG + "g"):
        if not group.get("id", "").startswith("gnuplot_plot_"): continue
        paths = [re.findall(r"([ML])\s*(-?[\d.]+),(-?[\d.]+)", p.get("d", ""))
                 for p in group.iter(SVG + "path")]
        line = [] # the longest stroke: the sample of the legend is another
        for path in paths:
            starts = [i for i, point in enumerate(path) if point[0] == "M"] + [len(path)]
            for a, b in zip(starts, starts[1:]):
                if b - a > len(line): line = path[a:b]
        found.append({"line": line, "paths": paths,
                      "boxes": len(list(group.iter(SVG + "polygon"))),
                      "marks": [u for u in group.iter(SVG + "use")]})
    return found
def numbers(name):
    return [t for t in texts(name) if re.fullmatch(r"-?[\d.]+", t.strip())]

# distributions: a point a row, from the least share to 100 %, axes with their units
for name, what in (("jct_cdf", "% of jobs done within"), ("wait_cdf", "% of jobs started within")):
    rows, drawn, words = blocks(name), plots(name), texts(name)
    assert len(rows) == len(drawn) == 2, (name, len(rows), len(drawn))
    for row, plot in zip(rows, drawn):
        assert all(float(a[0]) <= float(b[0]) and float(a[1]) < float(b[1])
                   for a, b in zip(row, row[1:]))
        assert float(row[-1][1]) == 100
        # the renderer leaves out points that fall on the one before
        assert 0.6 * len(row) <= len(plot["line"]) <= len(row), (len(row), len(plot["line"]))
    assert what in words and "time since submission (log scale)" in words
    assert {"fifo", "sjf", "10 s", "1 min", "0", "25", "50", "75", "90", "100"} <= set(words)
tops = [min(float(y) for _, _, y in p["line"]) for p in plots("jct_cdf")]
assert abs(tops[0] - tops[1]) < 0.02 # 100 % is where it is in both
# it is the table of the jobs
import csv, subprocess, os
table = list(csv.DictReader(subprocess.run([os.environ["PARTITA"], "export", "fifo.h5", "--format",
                                            "csv"], capture_output=True, text=True).stdout.splitlines()))
times = sorted(float(r["jct_s"]) for r in table if r["state"] == "done")
assert len(times) == 300
for value, share in ((float(a), float(b)) for a, b in blocks("jct_cdf")[0]):
    assert abs(sum(t <= value * (1 + 1e-8) for t in times) / 300 - share / 100) < 1e-9

# slowdown: a mark a row, medians as a line
rows, drawn = blocks("slowdown"), plots("slowdown")
assert len(rows) == 4 and all(len(r) > 3 for r in rows)
assert len(drawn[0]["marks"]) == len(rows[0]) and len(drawn[1]["marks"]) == len(rows[2])
assert "slowdown (JCT / ideal, log scale)" in texts("slowdown")
assert {"fifo, median", "sjf, median"} <= set(texts("slowdown"))

# bars: one for each result and group, and as high as the value
rows, drawn = blocks("sla")[0], plots("sla")
assert [r[0] for r in rows] == ["all"] + 3 * ["tenant"] + 2 * ["kind"], rows
assert "% of jobs with a bound" in texts("sla") and "100" in texts("sla")
for column in (2, 3):
    values = [float(r[column]) for r in rows]
    assert all(0 < v <= 100 for v in values)
    heights = []
    for path in drawn[column - 2]["paths"]:
        ys = [float(y) for _, _, y in path]
        if len(path) >= 4: heights.append(max(ys) - min(ys))
    heights = [h for h in heights if h > 12][-2 * len(rows):]
    assert len(heights) >= len(rows), (len(heights), len(rows))
assert sorted(r[1] for r in blocks("cost")[0]) == sorted(
    ['"acme"', '"%s _^{x}"', '"q\'\'uo\\\\te"']), blocks("cost")
assert "q''uo\\te" in texts("cost")

# over time: the range of the axis is that of the data
for name, panels in (("utilization", 2), ("queue", 1), ("fragmentation", 1)):
    rows = blocks(name)
    assert len(rows) == 2 * panels and len(plots(name)) == 2 * panels, name
    assert all(len(r) > 20 for r in rows), name
    assert "time (hours)" in texts(name), name
    last = max(float(r[-1][0]) for r in rows) / 3600
    ticks = [float(t) for t in numbers(name)]
    assert max(t for t in ticks if t <= last) > 0.6 * last, (name, last, ticks)
assert all(0 <= float(v) <= 100 for r in blocks("utilization") for _, v in r)

# Gantt: a box a row, all GPUs named, lanes within their number
rows = blocks("gantt")[0]
boxes = sum(p["boxes"] for p in plots("gantt")) - 3 # those of the legend
assert len(rows) >= 300 and boxes == len(rows), (len(rows), boxes)
assert {"main-0:%d" % g for g in range(8)} <= set(texts("gantt"))
assert {"acme", "%s _^{x}", "q''uo\\te"} <= set(texts("gantt"))
assert all(int(r[3]) < int(r[4]) <= 2 and float(r[1]) <= float(r[2]) for r in rows)

# difference: a row a metric, with its name
rows = blocks("difference")[0]
assert len(rows) > 8 and {r[0] for r in rows} <= set(texts("difference"))
assert "sjf against fifo, one run each" in texts("difference")
PY

# ---- one result, seeds, only, and results with little in them ----
exits 0 plot fifo.h5 --out one --only jct_cdf,gantt
[ "$(ls one)" = "$(printf 'gantt.gp\ngantt.svg\ngantt.tsv\njct_cdf.gp\njct_cdf.svg\njct_cdf.tsv\n')" ] ||
    fail "one holds $(ls one)"
exits 0 run world.yaml --set trace.limit=40 --seeds 1..3 --out a
exits 0 run world.yaml --set trace.limit=40 --policy sjf --seeds 1..3 --out b
exits 0 plot a b --out seeds
exits 0 plot fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 --out one
exits 2 plot fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 fifo.h5 --out one
cat >none.yaml <<'Y'
partita: 1
name: none
cluster: {gpus: 1}
trace: {jobs: []}
policy: {name: fifo}
output: {series: false}
Y
exits 0 run none.yaml --out none.h5
exits 2 plot none.h5 --out empty
err_says "hold nothing to draw"
exits 2 plot none.h5 --out empty --only jct_cdf
err_says "jct_cdf can't be drawn: no job was done"
cat >waits.yaml <<'Y'
partita: 1
name: waits
cluster: {gpus: 1}
trace: {jobs: [{id: A, submit_s: 0, work_s: 1, gpus: 2}]}
policy: {name: fifo}
Y
exits 0 run waits.yaml --out waits.h5
exits 2 plot waits.h5 --only slowdown --out empty
cat >single.yaml <<'Y'
partita: 1
name: single
cluster: {gpus: 1}
trace: {jobs: [{id: A, submit_s: 0, work_s: 1}]}
policy: {name: fifo}
output: {events: true}
Y
exits 0 run single.yaml --out single.h5
exits 0 plot single.h5 --out bare --verbose

# ---- refused ----
exits 2 plot
exits 2 plot fifo.h5 --only jct_cfd --out one
err_says "did you mean 'jct_cdf'"
exits 2 plot fifo.h5 --format gif --out one
exits 2 plot missing.h5 --out nothing
[ ! -e nothing ] || fail "a directory was made for nothing"
exits 2 plot world.yaml --out nothing
exits 2 plot fifo.h5 --out world.yaml
err_says "can't hold figures"

# without gnuplot the numbers and the script are kept
mkdir -p nowhere
PATH=$PWD/nowhere exits 3 plot fifo.h5 --only jct_cdf --out nothing
err_says "gnuplot is not installed"
[ "$(ls -A nothing)" = "$(printf 'jct_cdf.gp\njct_cdf.tsv')" ] || fail "nothing holds $(ls -A nothing)"
finish
