#!/usr/bin/env bash
# Runs PIT's mutation analysis on one of the programs of bench/reproduction, as the
# side-by-side for catchlens's runs of tests per second:
#
#   bench/pit/run.sh NAME CLASSES [TESTS]     e.g. commons-codec-1.5 'org.apache.commons.codec.net.*'
#
# CLASSES and TESTS are PIT's globs of the classes to mutate and of the test classes.
# PIT comes from Maven Central and is no dependency of anything. What it did and what
# it cost (wall and processor time, with all its JVMs) is written to standard output.
# Where CATCHLENS names the command, that runs on the same classes and tests afterwards,
# with an empty cache folder.
set -euo pipefail

[ -z "${CATCHLENS:-}" ] || CATCHLENS=$(realpath "$CATCHLENS")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=${1:?usage: run.sh NAME CLASSES [TESTS]} classes=${2:?usage: run.sh NAME CLASSES [TESTS]} tests=${3:-$2}
dir=${CATCHLENS_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/catchlens-bench}/table1/$name
[ -f "$dir/.complete" ] || "$here/../reproduction/fetch.sh" "$name" >&2
repository=${M2_REPO:-$HOME/.m2/repository}

artifacts=(org.pitest:pitest:1.25.9 org.pitest:pitest-entry:1.25.9 org.pitest:pitest-command-line:1.25.9
  org.ow2.asm:asm:9.10.1 org.ow2.asm:asm-util:9.10.1 org.ow2.asm:asm-tree:9.10.1 org.ow2.asm:asm-analysis:9.10.1
  org.ow2.asm:asm-commons:9.10.1 org.apache.commons:commons-text:1.14.0 org.apache.commons:commons-lang3:3.18.0)
"$here/../../scripts/mvn-get.sh" "${artifacts[@]}" >&2
pit=
for a in "${artifacts[@]}"; do
  IFS=: read -r group artifact version <<<"$a"
  pit+=":$repository/${group//.//}/$artifact/$version/$artifact-$version.jar"
done
project=$dir/target/classes:$dir/target/test-classes
for jar in "$dir"/lib/*.jar; do project+=":$jar"; done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$dir/." "$work/project"
cd "$work/project"
/usr/bin/time -f 'wall %e s, processor %U s user and %S s system' \
  java -cp "${pit#:}:$project" org.pitest.mutationtest.commandline.MutationCoverageReport \
  --reportDir "$work/report" --targetClasses "$classes" --targetTests "$tests" --sourceDirs "$dir/src" \
  --threads "${THREADS:-2}" --outputFormats CSV --timestampedReports=false 2>&1 |
  grep -E '^>> |^> |wall|[Ee]rror|Exception' || true
[ -n "${CATCHLENS:-}" ] || exit 0

cp -r "$dir/." "$work/ours"
sed -i "s|^includes = .*|includes = [\"**/$(tr . / <<<"${tests%.*}")/*Test.java\"]|" "$work/ours/catchlens.toml"
echo "== catchlens, the tests of ${tests%.*}"
/usr/bin/time -f 'wall %e s, processor %U s user and %S s system' \
  "$CATCHLENS" run --verbose --cache "$work/cache" -j "${THREADS:-2}" "$work/ours" 2>&1 >/dev/null |
  grep -E '^[0-9]+ tests|^times|wall|[Ee]rror' || true
