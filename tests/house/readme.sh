#!/bin/sh
# Runs the examples of README.md and CONTRIBUTING.md as a reader would, in order, in an empty folder.
#
# A block ```sh is run by `sh -eu`, a block ```python by python3; after a line
# `<!-- file: NAME -->` a block is written to NAME instead. A line `<!-- not run: WHY -->` before a
# block leaves it out.
set -eu
[ -n "${PARTITA:-}" ] || { echo "the program is not built"; exit 77; }
rm -rf example rows
mkdir example
cd example
ln -s "$PARTITA_SOURCE/configs" configs
PATH=$(dirname "$PARTITA"):$PATH
export PATH

total=0
for page in README.md CONTRIBUTING.md; do
    rm -rf ../blocks
    mkdir ../blocks
    awk -v folder=../blocks '
        /^<!-- file: / { sub(/^<!-- file: */, ""); sub(/ *-->.*/, ""); name = $0; next }
        /^<!-- not run: / { skip = 1; next }
        !inside && /^```/ {
            language = substr($0, 4); inside = 1
            action = name != "" ? "write " name : language
            runs = !skip && (name != "" || language == "sh" || language == "python")
            if (runs) {
                path = sprintf("%s/%03d", folder, ++count)
                print action > (path ".action")
                printf "" > (path ".text")
            }
            name = ""; skip = 0
            next
        }
        inside && /^```/ { inside = 0; next }
        inside && runs { print > (path ".text") }
        !inside && NF { name = ""; skip = 0 }
    ' "$PARTITA_SOURCE/$page"
    for action in ../blocks/*.action; do
        [ -e "$action" ] || continue
        text=${action%.action}.text
        read -r what name <"$action" || true
        case $what in
        write) cp "$text" "$name" ;;
        sh) interpreter='sh -eu' ;;
        python)
            interpreter=''
            for one in python3 /usr/bin/python3; do
                if "$one" -c 'import h5py, pandas, tables' 2>/dev/null; then interpreter=$one; fi
            done
            [ -n "$interpreter" ] || { echo "no h5py or pandas here: a Python example was left out"; continue; }
            ;;
        esac
        total=$((total + 1))
        [ "$what" != write ] || continue
        $interpreter "$text" >../output 2>&1 </dev/null || {
            echo "$page: this example fails:"
            cat "$text"
            echo "-- it says:"
            cat ../output
            exit 1
        }
    done
done
echo "$total examples"
[ "$total" -ge 5 ] || { echo "fewer examples than README.md has had: were they found?"; exit 1; }

# The table of the first result says what the demo says.
cell() { # file line-name field
    awk -F '  +' -v name="$2" -v field="$3" '$1 == name { print $field; exit }' "$1"
}
for demo in demo demo-shared; do
    partita run "configs/$demo.yaml" --out table.h5 >"../$demo.txt"
done
grep '^| .* | .* | .* |$' "$PARTITA_SOURCE/README.md" | while IFS='|' read -r _ row whole shared _; do
    case $row in
    ' slowdown, mean ') name=Slowdown field=2 ;;
    ' slowdown, 95th percentile ') name=Slowdown field=5 ;;
    ' completion time, median ') name=JCT field=3 ;;
    ' completion time, mean ') name=JCT field=2 ;;
    ' completion time, 99th percentile ') name=JCT field=6 ;;
    ' jobs with a slowdown of 3 at most ') name='SLA met' field=2 ;;
    *) continue ;;
    esac
    echo "$row" >>../rows
    for pair in "demo:$whole" "demo-shared:$shared"; do
        says=$(cell "../${pair%%:*}.txt" "$name" "$field")
        [ " $says " = "${pair#*:}" ] || {
            echo "README.md says '${pair#*:}' for$row, ${pair%%:*} says '$says'"
            exit 1
        }
    done
done
[ "$(wc -l <../rows)" -eq 6 ] || { echo "the table of README.md was not found whole"; exit 1; }

# So does the table of the three ways to share.
partita run configs/three-ways.yaml --out table.h5 >../fitted.txt
partita run configs/three-ways.yaml --set interference=none --out table.h5 >../textbook.txt
cells() { # file pool: JCT mean | slowdown, 95th percentile | SLA met
    awk -F '  +' -v pool="$2" '$2 == pool { print $4 " | " $7 " | " $9; exit }' "$1"
}
for pool in turns clients slices; do
    says="$(cells ../fitted.txt $pool) | $(cells ../textbook.txt $pool)"
    row=$(grep "^| \`$pool\`: " "$PARTITA_SOURCE/README.md") || { echo "README.md has no row for $pool"; exit 1; }
    [ "${row#*: * | }" = "$says |" ] || {
        echo "README.md says '$row', three-ways says '$says |'"
        exit 1
    }
done

# So does the table of measured pairs.
for model in table fitted none; do
    partita run configs/measured-pairs.yaml --set interference=$model --out table.h5 >"../$model.txt"
done
for line in 'JCT, mean:JCT:2' 'slowdown, of 19 in 20 at most:Slowdown:5'; do
    name=${line#*:}
    row="| ${line%%:*} |"
    for model in table fitted none; do
        row="$row $(cell ../$model.txt "${name%:*}" "${line##*:}") |"
    done
    grep -qxF "$row" "$PARTITA_SOURCE/README.md" || { echo "README.md should have this row: $row"; exit 1; }
done
