#!/bin/sh
# One experiment under every policy, as a Markdown table.
#
#   analysis/policies/table.sh EXPERIMENT.yaml [--set PATH=VALUE]...
#
# PARTITA names the program (default: build/partita, else the one in PATH). Each run must account for
# every job; one that does not ends the table with exit 1.
set -eu

if [ $# -lt 1 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
partita=${PARTITA:-build/partita}
command -v "$partita" >/dev/null 2>&1 || partita=partita
command -v "$partita" >/dev/null 2>&1 ||
    { echo 'table.sh: no partita: build it, or name it in PARTITA' >&2; exit 2; }

# The number after "name": in the first object "summary" of the JSON on stdin, rounded.
row() {
    awk -v policy="$1" '
        function number(name) {
            if (!(name in value)) return "-"
            return value[name] == "null" ? "-" : value[name]
        }
        function rounded(name, digits) {
            return number(name) == "-" ? "-" : sprintf("%." digits "f", number(name))
        }
        /^  "[a-z_]+": \{/ { section = $1; gsub(/[":]/, "", section) }
        /^    "[a-z0-9_]+": [^{]/ {
            name = $1; gsub(/[":]/, "", name)
            content = $2; sub(/,$/, "", content)
            if (section == "summary" || section == "host") value[name] = content
        }
        END {
            ended = value["done"] + value["failed"] + value["killed"] + value["withdrawn"] + \
                    value["unschedulable"] + value["running"] + value["pending"]
            if (value["jobs"] == "" || ended != value["jobs"]) {
                printf "%s: %s of %s jobs are accounted for\n", policy, ended, value["jobs"] \
                    >"/dev/stderr"
                exit 1
            }
            printf "| `%s` | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", policy, \
                value["done"], rounded("jct_mean_s", 0), rounded("jct_p50_s", 0), \
                rounded("jct_p99_s", 0), rounded("wait_mean_s", 1), rounded("wait_p99_s", 0), \
                rounded("slowdown_mean", 2), rounded("jain_fairness", 3), number("preemptions"), \
                rounded("wall_s", 2)
        }'
}

echo '| policy | done | JCT mean (s) | p50 | p99 | wait mean (s) | p99 | slowdown mean | Jain | preemptions | simulator (s) |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
policies=$("$partita" list policies --json) || exit
printf '%s\n' "$policies" | awk '/"kind": "order"/ { order = 1 }
    order && /"name":/ { gsub(/[",]/, "", $2); print $2; order = 0 }' |
    while read -r policy; do
        "$partita" run "$@" --policy "$policy" --json --quiet >"${TMPDIR:-/tmp}/policy_table.$$" ||
            { rm -f "${TMPDIR:-/tmp}/policy_table.$$"; echo "$policy: the run failed" >&2; exit 1; }
        row "$policy" <"${TMPDIR:-/tmp}/policy_table.$$"
        rm -f "${TMPDIR:-/tmp}/policy_table.$$"
    done
