#!/bin/sh
# Every C file is formatted as .clang-format says.
set -eu
git ls-files -z -- '*.c' '*.h' | xargs -0 clang-format --dry-run -Werror
