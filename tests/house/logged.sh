#!/bin/sh
# logged.sh COMMAND...: runs a command whose sanitizers write their reports to files, and fails if
# there is any report, whatever the command's own exit code: Criterion swallows that of a child.
set -u
logs=$PWD/sanitizer-logs
rm -rf "$logs"
mkdir -p "$logs"
# A child that is ended by a signal on purpose (a tested assert) is no report.
common="log_path=$logs/report:print_stacktrace=1:handle_abort=0"
ASAN_OPTIONS="$common:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
UBSAN_OPTIONS="$common${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
LSAN_OPTIONS="log_path=$logs/report${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
TSAN_OPTIONS="log_path=$logs/report:halt_on_error=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS

"$@"
code=$?

# What LeakSanitizer says when a test kills the process that it is looking at is no finding.
if find "$logs" -type f -exec cat {} + | grep -v 'Unable to get registers from thread' | grep -q .; then
    echo "logged.sh: a sanitizer has something to say:"
    find "$logs" -type f -size +0 -exec head -n 60 {} +
    exit 99
fi
exit "$code"
