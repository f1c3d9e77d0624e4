#!/bin/sh
# What ./bootstrap does where it can't work: it explains, and installs nothing.
set -eu
bootstrap=$PARTITA_SOURCE/bootstrap
tools=$PWD/tools
rm -rf "$tools"
mkdir "$tools"
for tool in sh dirname cat nproc grep; do ln -s "$(command -v "$tool")" "$tools/$tool"; done

expect() { # exit text command...
    want=$1
    text=$2
    shift 2
    code=0
    "$@" >out 2>&1 </dev/null || code=$?
    if [ "$code" -ne "$want" ] || ! grep -q -e "$text" out; then
        echo "$*: expected exit $want and '$text', got exit $code and:"
        cat out
        exit 1
    fi
}
expect 0 'Usage: ./bootstrap' "$bootstrap" --help
expect 2 'Usage: ./bootstrap' "$bootstrap" frobnicate
expect 1 'no further arguments' "$bootstrap" run fast
for command in build run test check; do
    expect 1 'libhdf5-dev' env PATH="$tools" "$bootstrap" "$command"
    expect 1 'not Debian or Ubuntu' env PATH="$tools" "$bootstrap" "$command"
done

# A Debian without the packages, for one who is neither root nor has sudo.
printf '#!/bin/sh\nexit 1\n' >"$tools/dpkg-query"
printf '#!/bin/sh\necho "apt-get was called: $*"\n' >"$tools/apt-get"
printf '#!/bin/sh\necho 1000\n' >"$tools/id"
chmod +x "$tools/dpkg-query" "$tools/apt-get" "$tools/id"
expect 1 'installing with apt-get: gcc' env PATH="$tools" "$bootstrap" build
expect 1 'neither root nor sudo: run this as root first: apt-get' env PATH="$tools" "$bootstrap" build
if grep -q 'apt-get was called' out; then
    echo "bootstrap called apt-get without being root"
    exit 1
fi

# With a sudo that wants a password and nobody to type it.
printf '#!/bin/sh\nexit 1\n' >"$tools/sudo"
chmod +x "$tools/sudo"
expect 1 'sudo wants a password' env PATH="$tools" CI=true "$bootstrap" build
