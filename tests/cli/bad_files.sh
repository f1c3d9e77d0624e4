#!/bin/sh
# Files that are no experiments: refused at once, with exit code 2 and a reason; nothing is run.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
small small.yaml

refused() {
    exits 2 run "$1" --out result.h5
    [ -s err ] || fail "$1: no reason is said"
    [ -e result.h5 ] && fail "$1: a result was written"
}

: >empty.yaml
refused empty.yaml
refused missing.yaml
err_says "missing.yaml"
mkdir -p folder.yaml
refused folder.yaml
head -c 100000 /dev/urandom >binary.yaml
refused binary.yaml
printf 'partita: 1\nname: "a\0b"\n' >nul.yaml
refused nul.yaml
printf 'partita: 1\nname: "\\e[31mred"\n' >escape.yaml
refused escape.yaml
err_says "escape.yaml:2:7: a text with a control character"
printf '\211HDF\r\n\032\n and then nothing' >fake.h5
refused fake.h5

# 200,000 nested brackets are refused at depth 64, at once
{ printf 'partita: '; head -c 200000 /dev/zero | tr '\0' '['; } >deep.yaml
start=$(date +%s)
refused deep.yaml
[ $(($(date +%s) - start)) -le 5 ] || fail "200,000 brackets took too long"
err_says "64"

# one line of 100 MB
{ printf 'partita: 1\nname: '; head -c 100000000 /dev/zero | tr '\0' 'x'; echo; } >long.yaml
refused long.yaml
rm -f long.yaml

for text in 'a: &x 1' 'a: *x' 'a: !!int 1' '- 1' 'partita: 2' 'partita: 1' '{' 'partita: [' \
    'partita: 1
partita: 1' '	partita: 1'; do
    printf '%s\n' "$text" >wrong.yaml
    refused wrong.yaml
done

# keys twice, numbers that are none
for change in 's/cluster: {gpus: 2}/cluster: {gpus: 2, gpus: 3}/' 's/gpus: 2}/gpus: .nan}/' \
    's/gpus: 2}/gpus: -2}/' 's/gpus: 2}/gpus: 1e400}/' 's/gpus: 2}/gpus: 0x10}/' 's/gpus: 2}/gpus: 1:30}/' \
    's/gpus: 2}/gpus: 2.5}/' 's/gpus: 2}/gpus: }/' 's/submit_s: 1/submit_s: -1/' 's/id: B/id: A/'; do
    sed "$change" small.yaml >wrong.yaml
    cmp -s small.yaml wrong.yaml && fail "'$change' changed nothing"
    refused wrong.yaml
    grep -q '^wrong.yaml:[0-9]*:[0-9]*: ' err || fail "$change: no place is said"
done

# other files than experiments are named for what they look like
exits 2 run "$PARTITA_SOURCE/traces/samples/native.csv"
err_says "native.csv: looks like a CSV file, and no YAML: a trace is named in an experiment"
gzip -c "$PARTITA_SOURCE/traces/samples/native.csv" >trace.csv.gz
exits 2 run trace.csv.gz
err_says "trace.csv.gz: is a compressed file"
exits 2 test fake.h5
err_says "fake.h5: is an HDF5 file, as results are"
echo "Dear reader, this is a letter" | tr -d , >letter.txt
exits 2 run letter.txt
err_line "letter.txt:1:1: this is text and no experiment, which begins with a line 'partita: 1' ('partita schema experiment' tells its keys)"
for text in 'partita: 1, 2' '{partita: 1, x: 2}' '# a, b'; do
    printf '%s\n' "$text" >wrong.yaml
    exits 2 run wrong.yaml
    grep -q CSV err && fail "'$text' is taken for CSV"
done

# A truncated result can't be run again, nor exported.
exits 0 run small.yaml --out whole.h5
head -c 2000 whole.h5 >half.h5
refused half.h5
exits 2 export half.h5 --format csv
finish
