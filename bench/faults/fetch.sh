#!/usr/bin/env bash
# Lays out the programs with real input and output on which faults are tried, each with its
# workloads of programs/NAME, in ~/.cache/catchlens-bench/faults
# (CATCHLENS_BENCH_DIR names another folder instead of ~/.cache/catchlens-bench):
#
#   bench/faults/fetch.sh [NAME...]      all of them by default
#
# NAME is a program with its first workload: nanohttpd, minimalftp, muffin, commons-io or
# filedrop; programs/NAME/README.md says where it comes from. NAME-N has the workloads 1 to N.
# NAME-own has the first workload and the program's own tests, for nanohttpd and filedrop.
#
# Nothing of a program is changed, but for commons-io's pom.xml, in whose place
# catchlens.toml says where everything is. CATCHLENS_GIT_BASE is where the repositories are
# cloned from, https://github.com by default. Everything is laid out anew each time: it takes
# seconds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../layout.sh"
root=$bench/faults
junit4="junit:junit:4.13.2 org.hamcrest:hamcrest-core:1.3"
junit5="org.junit.jupiter:junit-jupiter-api:5.11.4 org.junit.jupiter:junit-jupiter-engine:5.11.4 org.junit.platform:junit-platform-commons:1.11.4
  org.junit.platform:junit-platform-engine:1.11.4 org.junit.platform:junit-platform-launcher:1.11.4 org.opentest4j:opentest4j:1.3.0 org.apiguardian:apiguardian-api:1.1.2"

# finish DIR RELEASE ENCODING: compiles and writes catchlens.toml.
finish() {
  local dir=$1
  if [ ! -d "$dir/target/classes" ]; then
    compile "$2" "$3" "$dir/lib/*" "$dir/target/classes" "$dir/src/main/java"
    resources "$dir/src/main/java" "$dir/target/classes"
  fi
  resources "$dir/src/main/resources" "$dir/target/classes"
  compile "$2" UTF-8 "$dir/target/classes:$dir/lib/*" "$dir/target/test-classes" "$dir/src/test/java"
  resources "$dir/src/test/java" "$dir/target/test-classes"
  resources "$dir/src/test/resources" "$dir/target/test-classes"
  {
    echo "encoding = \"$3\""
    echo 'sources = ["src/main/java"]'
    echo 'testSources = ["src/test/java"]'
    echo 'outputs = ["target/classes"]'
    echo 'testOutputs = ["target/test-classes"]'
    echo 'classPath = ["lib/*"]'
    echo 'testClassPath = ["lib/*"]'
    [ ! -d "$dir/src/main/resources" ] || echo 'resources = ["src/main/resources"]'
    [ ! -d "$dir/src/test/resources" ] || echo 'testResources = ["src/test/resources"]'
    echo
    echo '[test]'
    echo 'includes = ["**/*Workload.java", "**/*Test.java", "**/Test*.java"]'
    echo 'systemProperties = { "java.awt.headless" = "true" }'
    judged=$here/programs/$program/infeasible.toml
    [ "$workloads" = 1 ] || [ ! -f "$judged" ] || cat "$judged"
  } >"$dir/catchlens.toml"
  find "$dir/src" -exec touch -d '2020-01-01' {} + # older than classes: nobody compiles them again
}

# place WORK NAME: where it is found.
place() {
  rm -rf "${root:?}/$2"
  mkdir -p "$(dirname "$root/$2")"
  mv "$1" "$root/$2"
  touch "$root/$2/.complete"
  echo "$2: $(find "$root/$2/target/classes" -name '*.class' | wc -l) classes"
}

# workload NAME DIR: the first workloads of the program, as many as were asked for.
workload() {
  local i
  mkdir -p "$2/src/test/java"
  for ((i = 1; i <= workloads; i++)); do cp -r "$here/programs/$1/workload$i/." "$2/src/test/java/"; done
  [ "$workloads" = 1 ] || cp -r "$here/helpers/." "$2/src/test/java/"
}

nanohttpd() { # FOLDER WITH-ITS-TESTS
  local up="$1.up" m
  checkout NanoHttpd/nanohttpd nanohttpd-project-2.3.1 16ed41b22c2739838ec7cb0e6ba26d52f4c8db3e "$up"
  mkdir -p "$1/src/main" "$1/src/test"
  for m in core webserver; do
    cp -r "$up/$m/src/main/." "$1/src/main/"
    [ -z "$2" ] || cp -r "$up/$m/src/test/." "$1/src/test/"
  done
  rm -rf "$up"
  # shellcheck disable=SC2086 # several words
  libraries "$1/lib" $junit4 org.apache.httpcomponents:httpclient:4.4.1 org.apache.httpcomponents:httpmime:4.4.1 \
    org.apache.httpcomponents:httpcore:4.4.1 commons-logging:commons-logging:1.2
  workload nanohttpd "$1"
  finish "$1" 8 UTF-8
}

minimalftp() {
  libraries "$1/up" com.guichaguri:minimalftp:1.0.6
  "$scripts/mvn-get.sh" com.guichaguri:minimalftp:1.0.6:jar:sources >&2
  mkdir -p "$1/src/main/java"
  unzip -qo "$repository/com/guichaguri/minimalftp/1.0.6/minimalftp-1.0.6-sources.jar" -d "$1/src/main/java"
  rm -rf "$1/src/main/java/META-INF" "$1/up"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit4 javax.xml.bind:jaxb-api:2.3.1
  workload minimalftp "$1"
  finish "$1" 8 UTF-8
}

muffin() {
  local up="$1.up"
  checkout boyns/muffin release_0-9-3a b2c5b1be56c3936dc4c1516c61047d65584eeecf "$up"
  mkdir -p "$1/src/main"
  mv "$up/src" "$1/src/main/java"
  cp -r "$up/images" "$up/doc" "$1/src/main/java/"
  rm -rf "$up"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit4
  workload muffin "$1"
  finish "$1" 8 ISO-8859-1
}

commons_io() {
  "$here/../projects/fetch.sh" commons-io >&2
  mkdir -p "$1/src" "$1/target"
  cp -r "$bench/commons-io/src/main" "$1/src/"
  cp -r "$bench/commons-io/target/classes" "$1/target/"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit5
  workload commons-io "$1"
  finish "$1" 8 UTF-8
}

filedrop() { # FOLDER WITH-ITS-TESTS
  mkdir -p "$1/src"
  cp -r "$here/../../examples/filedrop/src/main" "$1/src/"
  [ -z "$2" ] || cp -r "$here/../../examples/filedrop/src/test" "$1/src/"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit5 org.junit.jupiter:junit-jupiter-params:5.11.4
  workload filedrop "$1"
  finish "$1" 11 UTF-8
}

for tool in git tar unzip "${JAVAC:-javac}" "${MVN:-mvn}"; do
  command -v "$tool" >/dev/null || die "needs $tool"
done
[ $# -gt 0 ] || set -- nanohttpd nanohttpd-own minimalftp muffin commons-io filedrop filedrop-own \
  $(cd "$here/programs" && ls -d ./*/workload[2-9] | sed 's|^./||; s|/workload|-|')
mkdir -p "$root"
for name in "$@"; do
  work=$(mktemp -d "$root/.work.XXXXXX")
  workloads=1 program=$name own=
  case $name in
    *-own) program=${name%-own} own=yes ;;
    *-[2-9]) program=${name%-*} workloads=${name##*-} ;;
  esac
  [ -d "$here/programs/$program/workload$workloads" ] || die "there is no $name"
  case $program in
    nanohttpd|filedrop) "$program" "$work" "$own" ;;
    minimalftp|muffin) "$program" "$work" ;;
    commons-io) commons_io "$work" ;;
    *) die "there is no $name" ;;
  esac
  place "$work" "$name"
done
