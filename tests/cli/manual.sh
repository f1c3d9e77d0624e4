#!/bin/sh
# The man page and the completion hold every command and option that --help shows.
. "$PARTITA_SOURCE/tests/cli/lib.sh"
[ -e "$PARTITA_BUILD/partita.1" ] || { echo "the manual is not built"; exit 77; }

for command in run test export "list" schema "trace check" "trace info" "trace convert" "predict fit-profiles"; do
    # shellcheck disable=SC2086
    exits 0 $command --help
    # shellcheck disable=SC2013 # options are words
    for option in $(grep -oE '^ +(-[a-z], )?--[a-z-]+' out | grep -oE -- '--[a-z-]+'); do
        roff=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
        grep -q -- "$roff" "$PARTITA_BUILD/partita.1" || fail "$command: the manual lacks $option"
        grep -q -- "$option" "$PARTITA_BUILD/partita.bash" || fail "$command: the completion lacks $option"
    done
done
for key in 'cluster.pools' 'trace.path' 'queue.give_up' submit_s gpu_mem_gib jobs.NAME.wait_s; do
    grep -q "$key" "$PARTITA_BUILD/partita.1" || fail "the manual lacks $key"
done

cat >complete.bash <<BASH
. "$PARTITA_BUILD/partita.bash"
complete_words() {
    COMP_WORDS=("\$@") COMP_CWORD=\$((\$# - 1))
    _partita
    echo "\${COMPREPLY[*]}"
}
complete_words partita r
complete_words partita trace co
complete_words partita run --on-bad-row s
complete_words partita list po
complete_words partita run --dry
complete_words partita list policies first_
complete_words partita list policies fifo first_
complete_words partita run --policy fif
BASH
printf 'run\nconvert\nstop skip\npolicies\n--dry-run\nfirst_fit\nfirst_fit\nfifo\n' >expected
bash complete.bash >completed 2>&1 || fail "the completion does not run: $(cat completed)"
same completed expected
if command -v man >/dev/null && command -v groff >/dev/null; then
    groff -man -Tutf8 -Kutf8 -ww "$PARTITA_BUILD/partita.1" 2>&1 >/dev/null | grep -v '^$' >warnings
    [ ! -s warnings ] || fail "groff warns: $(head -n 3 warnings)"
fi
finish
