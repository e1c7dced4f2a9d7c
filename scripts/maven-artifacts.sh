#!/usr/bin/env bash
# Fetches what scripts/maven-artifacts.txt lists into the local Maven repository.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
coordinates=()
while IFS=: read -r group artifact version classifier; do
  case $group in ''|'#'*) continue ;; esac
  coordinates+=("$group:$artifact:$version:jar${classifier:+:$classifier}")
done <"$here/maven-artifacts.txt"
"$here/mvn-get.sh" "${coordinates[@]}"
echo "${#coordinates[@]} Maven artifacts are there"
