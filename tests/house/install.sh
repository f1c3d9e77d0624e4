#!/bin/sh
# Installs the build into an empty prefix and uses it as a stranger would: the program runs, its
# manual and completion are there, and a C and a C++ program compile and link through pkg-config and
# through find_package(Partita).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf prefix consumer-build
prefix=$PWD/prefix
cmake --install "$PARTITA_BUILD" --prefix "$prefix" >install.log || { cat install.log; exit 1; }

expect() {
    [ -e "$prefix/$1" ] || { echo "not installed: $1"; find "$prefix" -type f; exit 1; }
}
expect include/partita/sim.h
package=$(find "$prefix" -name partita.pc)
[ -n "$package" ] || { echo "partita.pc is not installed"; exit 1; }
if [ -n "${PARTITA:-}" ]; then
    "$prefix/bin/partita" --version
    expect share/man/man1/partita.1
    expect share/bash-completion/completions/partita
    bash -n "$prefix/share/bash-completion/completions/partita"
fi

PKG_CONFIG_PATH=$(dirname "$package")
export PKG_CONFIG_PATH
cc=${CC:-cc}
case $cc in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac
# shellcheck disable=SC2046 # flags are words
"$cc" -std=c17 -Wall -Wextra -Werror "$here/consumer/consumer.c" -o consumer-c \
    $(pkg-config --cflags --libs partita)
./consumer-c
# shellcheck disable=SC2046
"$cxx" -std=c++17 -Wall -Wextra -Werror -x c++ "$here/consumer/consumer.c" -o consumer-cpp \
    $(pkg-config --cflags --libs partita)
./consumer-cpp

CXX=$cxx cmake -S "$here/consumer" -B consumer-build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log ||
    { cat cmake.log; exit 1; }
cmake --build consumer-build >build.log || { cat build.log; exit 1; }
consumer-build/consumer_c
consumer-build/consumer_cpp
