#!/usr/bin/env bash
# Lays out the projects of projects.toml, each at its commit:
#
#   bench/verdicts/fetch.sh DIR [NAME...]      all of projects.toml by default
#
# CATCHLENS_GIT_BASE is where the repositories are cloned from, https://github.com by
# default; a folder of local ones will do. A project that is laid out already is left alone.
# Builds that ask for a git repository have none: projects.toml says what skips that.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
base=${CATCHLENS_GIT_BASE:-https://github.com}
dir=${1:?usage: fetch.sh DIR [NAME...]}
shift

# rows: name, repository and commit of each project of the table.
rows() {
  awk -F'"' '/^name = /{n=$2} /^repository = /{r=$2} /^commit = /{print n, r, $2}' "$here/projects.toml"
}

lay_out() {
  local name=$1 repo=$2 commit=$3
  if [ "$(cat "$dir/$name.commit" 2>/dev/null)" = "$commit" ]; then
    echo "$name: there already"
    return
  fi
  rm -rf "${dir:?}/$name" "$dir/$name.git"
  mkdir -p "$dir/$name"
  git init -q --bare "$dir/$name.git"
  git -C "$dir/$name.git" fetch -q --depth 1 "$base/$repo" "$commit"
  git -C "$dir/$name.git" archive "$commit" | tar xf - -C "$dir/$name"
  rm -rf "$dir/$name.git"
  echo "$commit" >"$dir/$name.commit"
  echo "$name: $repo at $commit"
}

mkdir -p "$dir"
while read -r name repo commit; do
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  lay_out "$name" "$repo" "$commit" </dev/null
done < <(rows)
