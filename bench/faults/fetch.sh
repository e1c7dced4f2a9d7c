#!/usr/bin/env bash
# Lays out the programs with real input and output on which faults are tried, each
# with its workload of workloads/NAME, in ~/.cache/catchlens-bench/faults/NAME
# (CATCHLENS_BENCH_DIR names another folder instead of ~/.cache/catchlens-bench):
#
#   bench/faults/fetch.sh [NAME...]      all of them by default
#
#   nanohttpd   core and webserver of NanoHTTPD 2.3.1, from its public repository
#   minimalftp  MinimalFTP 1.0.6, from the sources on Maven Central
#   muffin      Muffin 0.9.3a, a program of the paper, from its public repository
#   commons-io  as bench/projects/fetch.sh lays it out
#   filedrop    examples/filedrop of this repository
#
# Nothing of a program is changed, but for commons-io's pom.xml, in whose place
# catchlens.toml says where everything is. The tests are the workload;
# own/NAME beside it has the program's own tests too, for NanoHTTPD and filedrop;
# second/NAME has workload 2 of workloads2/NAME beside the workload, third/NAME workload 3 of
# workloads3/NAME beside both, for Muffin, NanoHTTPD and filedrop, fourth/NAME workload 4 beside these, and
# fifth/NAME and sixth/NAME workloads 5 and 6, too, for Muffin and NanoHTTPD, and seventh/muffin workload 7. What is in NAME.root has the folders of its packages.
# CATCHLENS_GIT_BASE is where the repositories are cloned from, https://github.com by
# default. Everything is laid out anew each time: it takes seconds.
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
    [ "$workloads" = 1 ] || [ ! -f "$here/workloads2/infeasible/${name#*/}.toml" ] || cat "$here/workloads2/infeasible/${name#*/}.toml"
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

# workload NAME DIR PACKAGE-FOLDER
workload() {
  mkdir -p "$2/src/test/java/$3"
  cp "$here/workloads/$1/"*.java "$2/src/test/java/$3/"
  [ "$workloads" -gt 1 ] || return 0
  mkdir -p "$2/src/test/java/served"
  cp "$here/workloads2/served/"*.java "$2/src/test/java/served/"
  local i
  for ((i = 2; i <= workloads; i++)); do
    cp -r "$here/workloads$i/$1/." "$2/src/test/java/$3/"
    [ ! -d "$here/workloads$i/$1.root" ] || cp -r "$here/workloads$i/$1.root/." "$2/src/test/java/"
  done
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
  workload nanohttpd "$1" fi/iki/elonen
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
  workload minimalftp "$1" com/guichaguri/minimalftp
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
  workload muffin "$1" org/doit/muffin
  finish "$1" 8 ISO-8859-1
}

commons_io() {
  "$here/../projects/fetch.sh" commons-io >&2
  mkdir -p "$1/src" "$1/target"
  cp -r "$bench/commons-io/src/main" "$1/src/"
  cp -r "$bench/commons-io/target/classes" "$1/target/"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit5
  workload commons-io "$1" org/apache/commons/io
  finish "$1" 8 UTF-8
}

filedrop() { # FOLDER WITH-ITS-TESTS
  mkdir -p "$1/src"
  cp -r "$here/../../examples/filedrop/src/main" "$1/src/"
  [ -z "$2" ] || cp -r "$here/../../examples/filedrop/src/test" "$1/src/"
  # shellcheck disable=SC2086
  libraries "$1/lib" $junit5 org.junit.jupiter:junit-jupiter-params:5.11.4
  workload filedrop "$1" filedrop
  finish "$1" 11 UTF-8
}

for tool in git tar unzip "${JAVAC:-javac}" "${MVN:-mvn}"; do
  command -v "$tool" >/dev/null || die "needs $tool"
done
[ $# -gt 0 ] || set -- nanohttpd own/nanohttpd minimalftp muffin commons-io filedrop own/filedrop \
  second/nanohttpd second/minimalftp second/muffin second/commons-io second/filedrop third/nanohttpd third/muffin third/filedrop \
  fourth/nanohttpd fourth/muffin fourth/filedrop fifth/nanohttpd fifth/muffin sixth/nanohttpd sixth/muffin seventh/muffin
mkdir -p "$root"
for name in "$@"; do
  work=$(mktemp -d "$root/.work.XXXXXX")
  workloads=1 program=$name
  case $name in
    second/*) workloads=2 program=${name#second/} ;;
    third/nanohttpd|third/muffin|third/filedrop) workloads=3 program=${name#third/} ;;
    fourth/nanohttpd|fourth/muffin|fourth/filedrop) workloads=4 program=${name#fourth/} ;;
    fifth/nanohttpd|fifth/muffin) workloads=5 program=${name#fifth/} ;;
    sixth/nanohttpd|sixth/muffin) workloads=6 program=${name#sixth/} ;;
    seventh/muffin) workloads=7 program=muffin ;;
  esac
  case $program in
    nanohttpd|filedrop) "$program" "$work" "" ;;
    own/nanohttpd|own/filedrop) "${name#own/}" "$work" yes ;;
    minimalftp|muffin) "$program" "$work" ;;
    commons-io) commons_io "$work" ;;
    *) die "there is no $name" ;;
  esac
  place "$work" "$name"
done
