#!/bin/sh
# include_edges.sh ROOT: every #include of the house goes along an allowed edge.
#
# cli -> replicate -> experiment -> {policies, models, traces, analysis} -> sim/include/partita -> libc, GSL;
# sim/core implements the public headers and includes nobody else's. Third-party libraries have one
# place each.
set -eu
cd "$1"

# from folder : what it may include (folders, then third-party headers in <>)
edges='
sim/include/partita : sim/include/partita <gsl>
sim/core            : sim/include/partita sim/core <gsl>
models              : sim/include/partita models <gsl>
policies            : sim/include/partita policies <gsl>
traces              : sim/include/partita traces <gsl> <zlib> <zstd>
analysis            : sim/include/partita analysis <gsl> <xxhash> <jansson>
analysis/results    : sim/include/partita analysis <gsl> <xxhash> <jansson> <hdf5>
sim/experiment      : sim/include/partita sim/experiment policies models traces analysis <gsl>
sim/experiment/yaml.c : sim/include/partita sim/experiment <yaml>
sim/replicate       : sim/include/partita sim/replicate sim/experiment policies models traces analysis <gsl>
sim/cli             : sim/include/partita sim/cli sim/replicate sim/experiment policies models traces analysis <gsl> <xxhash> <jansson>
'

files=$(find sim policies models traces analysis -name '*.[ch]' | sort)
[ -n "$files" ] || { echo "no sources found below $1"; exit 1; }

# shellcheck disable=SC2086 # the list is split on purpose; our file names have no spaces
awk -v edges="$edges" '
    function exists(path,   line, found) {
        found = (getline line < path) >= 0
        close(path)
        return found
    }
    function longest_prefix(path,   i, best) {
        best = ""
        for (i = 1; i <= count; i++)
            if ((index(path, from[i] "/") == 1 || path == from[i]) && length(from[i]) > length(best))
                best = from[i]
        return best
    }
    function library(header) {
        if (header ~ /^gsl\//) return "<gsl>"
        if (header ~ /^(hdf5|hdf5_hl|H5[A-Za-z]*)\.h$/) return "<hdf5>"
        if (header ~ /^(yaml|zlib|zstd|xxhash|jansson)\.h$/) return "<" substr(header, 1, length(header) - 2) ">"
        if (header ~ /^(assert|ctype|dirent|errno|fcntl|fenv|float|fnmatch|glob|inttypes|libgen|limits|locale|math|pthread|poll|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|termios|time|unistd|wchar)\.h$/) return ""
        if (header ~ /^sys\/[a-z]+\.h$/) return ""
        return "<" header ">"
    }
    function complain(text) {
        printf "%s:%d: %s\n", FILENAME, FNR, text
        bad = 1
    }
    BEGIN {
        lines = split(edges, line, "\n")
        for (l = 1; l <= lines; l++) {
            if (split(line[l], part, " : ") != 2) continue
            sub(/ +$/, "", part[1])
            from[++count] = part[1]
            allowed[part[1]] = " " part[2] " "
        }
    }
    FNR == 1 { seen++ }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\""); header = quoted[2]
        directory = FILENAME; sub(/\/[^\/]*$/, "", directory)
        if (header ~ /\.\./) { complain("\"" header "\" climbs up: name the folder"); next }
        if (index(header, "partita/") == 1) target = "sim/include/" header
        else if (exists(directory "/" header)) target = directory "/" header
        else target = header
        if (!exists(target)) { complain("\"" header "\" is not a file of the house"); next }
        mine = longest_prefix(FILENAME); theirs = target
        ok = 0
        n = split(allowed[mine], may, " ")
        for (i = 1; i <= n; i++) if (index(theirs, may[i] "/") == 1) ok = 1
        # sim/core is the engine'"'"'s own; sim/include/partita is how others see it.
        if (!ok) complain(mine " may not include " target)
        next
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
        header = $0; sub(/^[^<]*</, "", header); sub(/>.*/, "", header)
        mine = longest_prefix(FILENAME)
        if (header ~ /^partita\//) next
        need = library(header)
        if (need != "" && index(allowed[mine], " " need " ") == 0)
            complain(mine " may not include <" header ">")
    }
    /gnuplot/ && FILENAME !~ /^sim\/cli\/plot\.c$/ && FILENAME !~ /^analysis\/plot\// { complain("gnuplot is known to analysis/plot alone") }
    END {
        printf "%d files looked at\n", seen
        exit bad
    }
' $files
