#!/usr/bin/env bash
# Runs each fuzz target for ten seconds (or so many as the argument says) on two processors, with one
# build for each package, and prints how many executions a second it made. The exit code is 1 if one
# found something, 2 if no target was found. Inputs that reach new code are made smaller ten times at most:
# by default that takes up to a minute for each, in which nothing else is tried.
#
# Go's fuzzer up to 1.26 now and then fails with "context deadline exceeded" when its time is over,
# though no input failed (golang/go issue 75804). An input that fails is always written and named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# only_out_of_time FILE: whether the output of a failed run tells of the end of its time and of nothing else.
only_out_of_time() {
  [ "$(sed -n '/^--- FAIL/,$p' "$1" | grep -vE '^--- FAIL|^FAIL$' | tr -d ' \n')" = contextdeadlineexceeded ] &&
    ! grep -q 'Failing input written' "$1"
}

# fuzz FOLDER TARGET: runs one target of the test binary that was built.
fuzz() {
  local folder=$1 target=$2
  count=$((count + 1))
  if ! (cd "$folder" && timeout $((seconds + 120)) "$work/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${seconds}s" \
    -test.parallel 2 -test.fuzzminimizetime 10x -test.fuzzcachedir "$work/corpus") >"$work/out" 2>&1 &&
    ! only_out_of_time "$work/out"; then
    failed=1
    echo "$folder $target failed:"
    tail -n 40 "$work/out"
    return
  fi
  # "fuzz: elapsed: 10s, execs: 12345 (1200/sec), ..."
  local execs
  execs=$(grep -oE 'execs: [0-9]+' "$work/out" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
  echo "$folder $target: $((execs / seconds)) executions a second"
}

while read -r folder; do
  go test -c -fuzz=. -o "$work/test" "./$folder"
  while read -r target; do
    fuzz "$folder" "$target"
  done < <(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$folder"/*_test.go | sed 's/^func //' | sort -u)
done < <(git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u)

[ "$count" -gt 0 ] || { echo "no fuzz target was found"; exit 2; }
exit "$failed"
