#!/bin/sh
# The top level holds what CONTRIBUTING.md lists and nothing else (dotfiles apart).
set -eu
cd "$PARTITA_SOURCE"
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout: nothing to compare"; exit 77; }
allowed=' CMakeLists.txt CMakePresets.json README.md CONTRIBUTING.md CHANGELOG.md LICENSE bootstrap sim policies models traces configs analysis tests '
odd=0
for entry in $(git ls-files | cut -d/ -f1 | sort -u); do
    case $entry in
    .*) continue ;;
    esac
    case $allowed in
    *" $entry "*) ;;
    *) echo "the top level holds $entry"; odd=1 ;;
    esac
done
for entry in $allowed; do
    [ -e "$entry" ] || { echo "the top level lacks $entry"; odd=1; }
done
exit "$odd"
