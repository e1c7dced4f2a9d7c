#!/usr/bin/env bash
# Lays out the tests of the Mauve suite for java.text and java.util.zip, compiled, in
# ~/.cache/catchlens-bench/mauve (CATCHLENS_BENCH_DIR names another folder instead of
# ~/.cache/catchlens-bench): src, with the files that tests read, and classes.
# They come from a public repository at a pinned commit; CATCHLENS_GIT_BASE is where it is cloned
# from, https://github.com by default. What is laid out already is left alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../layout.sh"
root=$bench/mauve
repo=ingelabs/mauve commit=f21a57f11bc12213386bd0abae7513dd6e531b52

if [ "$(cat "$root/.complete" 2>/dev/null)" = "$commit" ]; then
  echo "mauve: there already"
  exit
fi
mkdir -p "$bench"
work=$(mktemp -d "$bench/.mauve.XXXXXX")
git init -q --bare "$work/git"
git -C "$work/git" fetch -q --depth 1 "$base/$repo" "$commit"
mkdir -p "$work/all" "$work/src/gnu/testlet/java/util"
git -C "$work/git" archive "$commit" | tar xf - -C "$work/all"
(cd "$work/all/gnu/testlet" && cp ./*.java "$work/src/gnu/testlet/" && cp -r java/text "$work/src/gnu/testlet/java/" &&
  cp -r java/util/zip "$work/src/gnu/testlet/java/util/")
sed 's/@CHECK_FILE_SEPARATOR@/\//; s/@CHECK_PATH_SEPARATOR@/:/; s/@TMPDIR@/\/tmp/; s/@[A-Z_]*@//' \
  "$work/all/gnu/testlet/config.java.in" >"$work/src/gnu/testlet/config.java"
rm -f "$work"/src/gnu/testlet/{Single,Visual}*.java
compile 8 UTF-8 "" "$work/classes" "$work/src"
echo "$commit" >"$work/.complete"
rm -rf "$work/git" "$work/all" "${root:?}"
mv "$work" "$root"
echo "mauve: $(find "$root/classes" -name '*.class' | wc -l) classes"
