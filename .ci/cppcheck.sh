#!/bin/sh
# cppcheck.sh BUILD JOBS: cppcheck over the product's sources.
#
# What is left out, and why: missingIncludeSystem, since system headers are not analysed;
# unusedFunction is not asked for, since the library's functions are its users' to call;
# unmatchedSuppression, since an inline suppression may be for one compiler's configuration only.
set -eu
build=$1
jobs=$2
mkdir -p "$build/cppcheck"
python3 - "$PWD" "$build/compile_commands.json" >"$build/cppcheck/product.json" <<'PYTHON'
import json, sys

root, path = sys.argv[1:]
folders = tuple(f"{root}/{name}/" for name in ("sim", "models", "policies", "traces", "analysis"))
json.dump([c for c in json.load(open(path)) if c["file"].startswith(folders)], sys.stdout)
PYTHON
cppcheck --project="$build/cppcheck/product.json" --cppcheck-build-dir="$build/cppcheck" \
    -j "$jobs" --quiet --error-exitcode=1 --inline-suppr \
    --enable=warning,performance,portability --std=c11 \
    --suppress=missingIncludeSystem --suppress=unmatchedSuppression
