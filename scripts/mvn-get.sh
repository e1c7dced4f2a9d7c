#!/usr/bin/env bash
# Puts Maven artifacts into the local repository, without what they depend on:
#
#   scripts/mvn-get.sh GROUP:ARTIFACT:VERSION[:PACKAGING[:CLASSIFIER]]...
#
# One that is there already costs nothing.
set -euo pipefail

repository=${M2_REPO:-$HOME/.m2/repository}
for coordinates in "$@"; do
  IFS=: read -r group artifact version packaging classifier <<<"$coordinates"
  : "${packaging:=jar}"
  file="$repository/${group//.//}/$artifact/$version/$artifact-$version${classifier:+-$classifier}.$packaging"
  [ -f "$file" ] && continue
  "${MVN:-mvn}" -B -q -Dstyle.color=never org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get -Dtransitive=false \
    -Dartifact="$group:$artifact:$version:$packaging${classifier:+:$classifier}"
done
