#!/usr/bin/env bash
# Builds the packages that have fuzz targets, two at a time: most of that is linking, which uses one
# processor. Then runs each target for ten seconds (or so many as the argument says), two at a time with
# one processor each, and prints how many executions a second it made. The exit code is 1 if one found
# something, 2 if no target was found. Inputs that reach new code are made smaller ten times at most:
# by default that takes up to a minute for each, in which nothing else is tried.
#
# Go's fuzzer up to 1.26 now and then fails with "context deadline exceeded" when its time is over,
# though no input failed (golang/go issue 75804). An input that fails is always written and named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export seconds work

# only_out_of_time FILE: whether the output of a failed run tells of the end of its time and of nothing else.
only_out_of_time() {
  [ "$(sed -n '/^--- FAIL/,$p' "$1" | grep -vE '^--- FAIL|^FAIL$' | tr -d ' \n')" = contextdeadlineexceeded ] &&
    ! grep -q 'Failing input written' "$1"
}

# fuzz NUMBER FOLDER TARGET: runs one target of the test binary that was built for its folder. What it
# prints comes at once: another target prints, too.
fuzz() {
  local number=$1 folder=$2 target=$3
  local out=$work/out.$number
  if ! (cd "$folder" && timeout $((seconds + 120)) "$work/${folder//\//.}.test" -test.run '^$' -test.fuzz "^$target\$" \
    -test.fuzztime "${seconds}s" -test.parallel 1 -test.fuzzminimizetime 10x \
    -test.fuzzcachedir "$work/corpus.$number") >"$out" 2>&1 && ! only_out_of_time "$out"; then
    printf '%s\n' "$folder $target failed:" "$(tail -n 40 "$out")"
    return 1
  fi
  # "fuzz: elapsed: 10s, execs: 12345 (1200/sec), ..."
  local execs
  execs=$(grep -oE 'execs: [0-9]+' "$out" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
  echo "$folder $target: $((execs / seconds)) executions a second"
}
export -f fuzz only_out_of_time

build() { go test -c -ldflags=-w -fuzz=. -o "$work/${1//\//.}.test" "./$1"; }
export -f build

git grep -lE '^func Fuzz' -- '*_test.go' | xargs -r -n 1 dirname | sort -u >"$work/folders" || true
xargs -r -P 2 -n 1 bash -c 'build "$1"' build <"$work/folders" || exit 1
while read -r folder; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$folder"/*_test.go | sed "s|^func |$folder |" | sort -u
done <"$work/folders" >"$work/targets"

[ -s "$work/targets" ] || { echo "no fuzz target was found"; exit 2; }
nl -ba -w1 -s' ' "$work/targets" | xargs -P 2 -n 3 bash -c 'fuzz "$@"' fuzz || exit 1
