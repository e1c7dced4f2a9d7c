#!/usr/bin/env bash
# Lays out the five real projects that tests and benchmarks run on, unmodified:
#
#   bench/projects/fetch.sh [NAME...]      all of projects.tsv by default
#
# Each becomes a Maven project with its build already done, in
# ~/.cache/catchlens-bench/NAME (CATCHLENS_BENCH_DIR overrides the folder):
#
#   pom.xml  LICENSE.txt  NOTICE.txt  src/main/java  src/test/java  src/test/resources
#   target/classes  target/test-classes  lib (the jars that its tests need)
#
# Classes, sources, test classes and test sources are the jars that the project
# published on Maven Central, checked against SHA256SUMS. Joda-Time publishes
# no tests: its test sources are those of Debian's source package of the same
# version, compiled here against the published classes.
#
# A file of settings/ becomes the project's catchlens.toml. A project that is laid
# out already is left alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${CATCHLENS_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/catchlens-bench}
repository=${M2_REPO:-$HOME/.m2/repository}
[ -z "${M2_REPO:-}" ] || export MAVEN_OPTS="${MAVEN_OPTS:-} -Dmaven.repo.local=$M2_REPO"

die() { echo "fetch.sh: $*" >&2; exit 1; }

# complete NAME VERSION: whether it is laid out already, by this form of the script.
complete() { [ "$(cat "$root/$1/.complete" 2>/dev/null)" = "$2, layout 4" ]; }

# artifact GROUP ARTIFACT VERSION SUFFIX: prints the path of the file in the
# local repository. SUFFIX is .jar, .pom, -sources.jar and so on.
artifact() {
  local path="$repository/${1//.//}/$2/$3/$2-$3$4"
  [ -f "$path" ] || die "$path is missing"
  verify "$path"
  echo "$path"
}

# verify FILE: compares it with SHA256SUMS, in which it must stand.
verify() {
  local name sum
  name=$(basename "$1")
  sum=$(awk -v n="$name" '$2 == n {print $1}' "$here/SHA256SUMS")
  [ -n "$sum" ] || die "$name is not in SHA256SUMS"
  echo "$sum  $1" | sha256sum --check --quiet >&2 || die "$1 is not what SHA256SUMS says"
}

# unpack JAR FOLDER: everything in it.
unpack() { mkdir -p "$2" && unzip -qo "$1" -d "$2"; }

# split_sources JAR JAVA-FOLDER RESOURCE-FOLDER
split_sources() {
  unpack "$1" "$2"
  rm -rf "$2/META-INF"
  mkdir -p "$3"
  (cd "$2" && find . -type f ! -name '*.java' -print0 | tar cf - --null -T -) | tar xf - -C "$3"
  find "$2" -type f ! -name '*.java' -delete
  find "$2" -type d -empty -delete
}

# debian_sources PACKAGE FOLDER: the upstream part of a source package.
debian_sources() {
  local work sources=() f
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial"
  for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    case $f in *.list|*.sources) [ -f "$f" ] && sources+=("$f") ;; esac
  done
  [ ${#sources[@]} -gt 0 ] || die "$1: needs Debian's package sources"
  for f in "${sources[@]}"; do
    case $f in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$f" >>"$work/all.sources"; echo >>"$work/all.sources" ;;
      *.list) sed -n 's/^deb /deb-src /p' "$f" >>"$work/all.list" ;;
    esac
  done
  local list
  for list in "$work/all.sources" "$work/all.list"; do
    [ -s "$list" ] || continue
    # What apt-get keeps of the lists is the system's: another one may be installing packages by it.
    local options=(-qq -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
      -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update >&2
    (cd "$work" && apt-get "${options[@]}" source --tar-only --download-only "$1" >&2) && break
  done
  local tarball
  tarball=$(find "$work" -maxdepth 1 -name '*.orig.tar.*' | head -n 1)
  [ -n "$tarball" ] || die "$1: Debian's source package could not be had"
  verify "$tarball"
  mkdir -p "$2"
  tar xf "$tarball" -C "$2" --strip-components=1
  rm -rf "$work"
}

# published_tests GROUP ARTIFACT VERSION FOLDER
published_tests() {
  local jar
  jar=$(artifact "$1" "$2" "$3" -test-sources.jar)
  split_sources "$jar" "$4/src/test/java" "$4/src/test/resources"
  jar=$(artifact "$1" "$2" "$3" -tests.jar)
  unpack "$jar" "$4/target/test-classes"
}

# compiled_tests PACKAGE FOLDER: test sources from Debian, compiled here.
compiled_tests() {
  local upstream="$2/upstream" file
  debian_sources "$1" "$upstream"
  mkdir -p "$2/src/test" "$2/target/test-classes"
  mv "$upstream/src/test/java" "$2/src/test/java"
  mv "$upstream/src/test/resources" "$2/src/test/resources"
  rm -rf "$upstream"
  cp -r "$2/src/test/resources/." "$2/target/test-classes/"
  file=$(mktemp)
  find "$2/src/test/java" -name '*.java' | sort >"$file"
  javac -nowarn -Xlint:none -g --release 8 -encoding UTF-8 -proc:none -d "$2/target/test-classes" \
    -cp "$2/target/classes:$2/lib/*" "@$file" 2>&1 | { grep -v -e '^Note:' -e '^warning:' -e '^[0-9]* warning' || true; } >&2
  rm -f "$file"
}

lay_out() {
  local name=$1 group=$2 art=$3 version=$4 tests=$5 jar file
  local folder="$root/$name" work
  if complete "$name" "$version"; then
    echo "$name $version: there already"
    return
  fi
  mkdir -p "$root"
  work=$(mktemp -d "$root/.$name.XXXXXX")
  jar=$(artifact "$group" "$art" "$version" .pom)
  cp "$jar" "$work/pom.xml"
  jar=$(artifact "$group" "$art" "$version" -sources.jar)
  split_sources "$jar" "$work/src/main/java" "$work/src/main/resources"
  jar=$(artifact "$group" "$art" "$version" .jar)
  unpack "$jar" "$work/target/classes"
  for file in LICENSE.txt NOTICE.txt; do # some tests read them where the repository has them
    [ ! -f "$work/target/classes/META-INF/$file" ] || cp "$work/target/classes/META-INF/$file" "$work/"
  done
  "${MVN:-mvn}" -B -q -Dstyle.color=never -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=test -DoutputDirectory="$work/lib" >&2
  mkdir -p "$work/src/site/xdoc" # a directory that commons-io's tests compare with another
  case $tests in
    maven) published_tests "$group" "$art" "$version" "$work" ;;
    debian:*) compiled_tests "${tests#debian:}" "$work" ;;
    *) die "$name: tests from $tests?" ;;
  esac
  [ ! -f "$here/settings/$name.toml" ] || cp "$here/settings/$name.toml" "$work/catchlens.toml"
  # Sources older than classes: nobody compiles them again.
  find "$work/src" -exec touch -d '2020-01-01' {} +
  find "$work/target" -exec touch -d '2020-01-02' {} +
  echo "$version, layout 4" >"$work/.complete"
  rm -rf "$folder"
  mv "$work" "$folder"
  echo "$name $version: $(find "$folder/target/classes" -name '*.class' | wc -l) classes," \
    "$(find "$folder/target/test-classes" -name '*.class' | wc -l) test classes"
}

for tool in unzip sha256sum javac "${MVN:-mvn}"; do
  command -v "$tool" >/dev/null || die "needs $tool"
done
wanted=" $* "
rows=() jars=()
while IFS=$'\t' read -r name group art version tests; do
  case $name in ''|'#'*) continue ;; esac
  [ $# -eq 0 ] || [[ $wanted == *" $name "* ]] || continue
  rows+=("$name $group $art $version $tests")
  complete "$name" "$version" && continue
  jars+=("$group:$art:$version:pom" "$group:$art:$version:jar" "$group:$art:$version:jar:sources")
  [ "$tests" != maven ] || jars+=("$group:$art:$version:jar:tests" "$group:$art:$version:jar:test-sources")
done <"$here/projects.tsv"
[ ${#rows[@]} -ge $(($# > 0 ? $# : 1)) ] || die "not all of$wanted are in projects.tsv"
[ ${#jars[@]} -eq 0 ] || "$here/../../scripts/mvn-get.sh" "${jars[@]}" >&2
for row in "${rows[@]}"; do
  read -r name group art version tests <<<"$row"
  lay_out "$name" "$group" "$art" "$version" "$tests"
done
