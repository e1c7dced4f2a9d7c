#!/usr/bin/env bash
# Says which JDKs are here, and fails when one that the tests need is not.
#
# They are looked for as internal/testjdk does: CATCHLENS_TEST_JDKS, JAVA_HOME,
# javac on PATH, /usr/lib/jvm.
set -euo pipefail

declare -A homes=()
candidates=()
IFS=: read -ra listed <<<"${CATCHLENS_TEST_JDKS:-}"
candidates+=("${listed[@]}" "${JAVA_HOME:-}")
if javac=$(command -v javac); then
  candidates+=("$(dirname "$(dirname "$(readlink -f "$javac")")")")
fi
candidates+=(/usr/lib/jvm/*)
for home in "${candidates[@]}"; do
  [ -n "$home" ] && [ -x "$home/bin/javac" ] && [ -f "$home/release" ] || continue
  version=$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$home/release")
  feature=${version#1.}
  feature=${feature%%[!0-9]*}
  [ -n "$feature" ] && [ -z "${homes[$feature]:-}" ] && homes[$feature]="$home ($version)"
done
missing=0
for feature in 17 25; do
  if [ -n "${homes[$feature]:-}" ]; then
    echo "JDK $feature: ${homes[$feature]}"
    continue
  fi
  missing=1
  echo "JDK $feature is missing." >&2
  [ "$feature" = 17 ] || cat >&2 <<EOF
No Debian 12 package, Maven artifact or PyPI package brings a JDK $feature with a compiler. Unpack one
from its vendor below /usr/lib/jvm, or name its home in CATCHLENS_TEST_JDKS.
EOF
done
exit $missing
