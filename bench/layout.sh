# shellcheck shell=bash disable=SC2034 # what the scripts use
# Sourced by the scripts that lay out programs (bench/faults, bench/reproduction):
# where public repositories and jars come from. They set -euo pipefail themselves.

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../scripts" && pwd)
bench=${CATCHLENS_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/catchlens-bench}
repository=${M2_REPO:-$HOME/.m2/repository}
base=${CATCHLENS_GIT_BASE:-https://github.com}

die() { echo "fetch.sh: $*" >&2; exit 1; }

# checkout REPOSITORY TAG COMMIT FOLDER: the files of that commit.
checkout() {
  mkdir -p "$4"
  git init -q --bare "$4.git"
  git -C "$4.git" fetch -q --depth 1 "$base/$1" "refs/tags/$2"
  [ "$(git -C "$4.git" rev-parse 'FETCH_HEAD^{commit}')" = "$3" ] || die "$1: tag $2 is not commit $3 any more"
  git -C "$4.git" archive "$3" | tar xf - -C "$4"
  rm -rf "$4.git"
}

# libraries FOLDER COORDINATES...: their jars.
libraries() {
  local lib=$1 group artifact version c
  shift
  "$scripts/mvn-get.sh" "$@" >&2
  mkdir -p "$lib"
  for c in "$@"; do
    IFS=: read -r group artifact version <<<"$c"
    cp "$repository/${group//.//}/$artifact/$version/$artifact-$version.jar" "$lib/"
  done
}

# compile RELEASE ENCODING CLASS-PATH OUTPUT SOURCE-FOLDER
compile() {
  local list
  list=$(mktemp)
  find "$5" -name '*.java' ! -name package-info.java ! -name module-info.java | sort >"$list"
  mkdir -p "$4"
  "${JAVAC:-javac}" -nowarn -Xlint:none -g --release "$1" -encoding "$2" -proc:none -d "$4" -cp "$3" "@$list" 2>"$list.err" ||
    { grep -A3 error "$list.err" >&2; die "$5 does not compile"; }
  rm -f "$list" "$list.err"
}

# resources FROM TO: all but sources.
resources() {
  [ -d "$1" ] || return 0
  mkdir -p "$2"
  (cd "$1" && find . -type f ! -name '*.java' -print0 | tar cf - --null -T -) | tar xf - -C "$2"
}
