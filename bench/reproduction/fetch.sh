#!/usr/bin/env bash
# Lays out the programs of Table 1 of Cornu, Seinturier, Monperrus (2014) that can be
# had and built today, at the versions that projects.tsv names:
#
#   bench/reproduction/fetch.sh [NAME...]      all of projects.tsv by default
#
# Sources and tests come from the projects' public repositories at pinned commits,
# libraries from Maven Central. Everything is compiled with javac 17 --release 8 and
# laid out in ~/.cache/catchlens-bench/table1/NAME (CATCHLENS_BENCH_DIR names another
# folder instead of ~/.cache/catchlens-bench):
#
#   catchlens.toml  the project's own files  target/classes  target/test-classes  lib
#
# Nothing of a project is changed; its build files are left out, as catchlens.toml says
# all that is needed of them. CATCHLENS_GIT_BASE is where the repositories are cloned from,
# https://github.com by default; a folder of local ones will do.
# A project that is laid out already is left alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../layout.sh"
root=$bench/table1
layout=2

# time_zones FOLDER: the step of Joda-Time's build that makes its time zones.
time_zones() {
  (cd "$1" && java -Dorg.joda.time.DateTimeZone.Provider=org.joda.time.tz.UTCProvider -cp "target/classes:lib/*" \
    org.joda.time.tz.ZoneInfoCompiler -src src/main/java/org/joda/time/tz/src -dst target/classes/org/joda/time/tz/data \
    africa antarctica asia australasia europe northamerica southamerica pacificnew etcetera backward systemv >/dev/null)
}

# settings NAME FOLDER ROW...: catchlens.toml: where everything stands, and what the project's build says of its tests.
settings() {
  local name=$1 dir=$2 sources=$3 tests=$4 res=$5 test_res=$6 encoding=$7
  {
    echo "encoding = \"$encoding\""
    echo "sources = [\"$sources\"]"
    echo "testSources = [\"$tests\"]"
    echo 'outputs = ["target/classes"]'
    echo 'testOutputs = ["target/test-classes"]'
    [ ! -d "$dir/$res" ] || [ "$res" = "$sources" ] || echo "resources = [\"$res\"]"
    [ ! -d "$dir/$test_res" ] || echo "testResources = [\"$test_res\"]"
    echo 'classPath = ["lib/*"]'
    echo 'testClassPath = ["lib/*"]'
    echo
    cat "$here/settings/$name.toml"
  } >"$dir/catchlens.toml"
}

lay_out() {
  local name=$1 repo=$2 tag=$3 commit=$4 folder=$5 sources=$6 tests=$7 res=$8 test_res=$9 encoding=${10}
  shift 10
  if [ "$(cat "$root/$name/.complete" 2>/dev/null)" = "$commit, layout $layout" ]; then
    echo "$name $tag: there already"
    return
  fi
  local work
  mkdir -p "$root"
  work=$(mktemp -d "$root/.$name.XXXXXX")
  checkout "$repo" "$tag" "$commit" "$work"
  local dir="$work"
  [ "$folder" = . ] || dir="$work/$folder"
  rm -f "$dir"/pom.xml "$dir"/build.xml # old builds, which need what is not to be had any more: catchlens.toml says it all
  libraries "$dir/lib" "$@"
  compile 8 "$encoding" "$dir/lib/*" "$dir/target/classes" "$dir/$sources"
  resources "$dir/$res" "$dir/target/classes"
  [ "$name" != joda-time ] || time_zones "$dir"
  compile 8 "$encoding" "$dir/target/classes:$dir/lib/*" "$dir/target/test-classes" "$dir/$tests"
  resources "$dir/$tests" "$dir/target/test-classes"
  resources "$dir/$test_res" "$dir/target/test-classes"
  settings "$name" "$dir" "$sources" "$tests" "$res" "$test_res" "$encoding"
  find "$dir/src" -exec touch -d '2020-01-01' {} + # older than classes: nobody compiles them again
  echo "$commit, layout $layout" >"$dir/.complete"
  rm -rf "${root:?}/$name"
  mv "$dir" "$root/$name"
  rm -rf "$work"
  echo "$name $tag: $(find "$root/$name/target/classes" -name '*.class' | wc -l) classes," \
    "$(find "$root/$name/target/test-classes" -name '*.class' | wc -l) test classes"
}

for tool in git tar java "${JAVAC:-javac}" "${MVN:-mvn}"; do
  command -v "$tool" >/dev/null || die "needs $tool"
done
wanted=" $* " found=0
while IFS=$'\t' read -r name repo tag commit folder sources tests res test_res encoding libs; do
  case $name in ''|'#'*) continue ;; esac
  [ $# -eq 0 ] || [[ $wanted == *" $name "* ]] || continue
  found=$((found + 1))
  # shellcheck disable=SC2086 # the libraries are several words
  lay_out "$name" "$repo" "$tag" "$commit" "$folder" "$sources" "$tests" "$res" "$test_res" "$encoding" $libs
done <"$here/projects.tsv"
[ "$found" -ge $(($# > 0 ? $# : 1)) ] || die "not all of$wanted are in projects.tsv"
