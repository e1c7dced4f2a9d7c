#!/usr/bin/env bash
# Runs the tests of one of the five projects as the project itself does, with
# Maven Surefire and the settings of its own pom.xml, on JDK 17:
#
#   bench/projects/run-own.sh NAME [RUNS]      1 run by default
#
# It works on a copy of the laid-out project. The outcome of each test method is
# left in NAME.own.txt beside the project (of several runs: NAME.own.2.txt, ...);
# the summary on standard output has the form of the files in reference/.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${CATCHLENS_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/catchlens-bench}
name=${1:?usage: run-own.sh NAME [RUNS]}
runs=${2:-1}
[ -z "${M2_REPO:-}" ] || export MAVEN_OPTS="${MAVEN_OPTS:-} -Dmaven.repo.local=$M2_REPO"
[ -f "$root/$name/.complete" ] || "$here/fetch.sh" "$name" >&2

# What the command line must add so that Surefire finds the settings of each pom.
goal=surefire:test options=()
case $name in
  commons-lang3) goal=surefire:test@plain ;; # its includes belong to that execution
  commons-codec) options=(-DargLine=-Xmx2g) ;; # see settings/commons-codec.toml
  commons-io) options=(-DargLine=) ;;        # set by its code coverage plugin otherwise
esac

if [ -z "${JAVA_HOME:-}" ]; then
  for home in "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")" /usr/lib/jvm/*; do
    if grep -qs '^JAVA_VERSION="17' "$home/release"; then
      export JAVA_HOME=$home
      break
    fi
  done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for ((i = 1; i <= runs; i++)); do
  rm -rf "$work/project"
  cp -r "$root/$name" "$work/project"
  "${MVN:-mvn}" -B -Dstyle.color=never -f "$work/project/pom.xml" "$goal" "${options[@]}" \
    -Dmaven.test.failure.ignore=true >"$root/$name.own.log" 2>&1 ||
    { tail -n 30 "$root/$name.own.log" >&2; exit 1; }
  suffix=; [ "$i" -gt 1 ] && suffix=.$i
  (cd "$here/../.." && go run ./bench outcomes "$work/project/target/surefire-reports") >"$root/$name.own$suffix.txt"
  (cd "$here/../.." && go run ./bench outcomes -summary "$work/project/target/surefire-reports")
done
