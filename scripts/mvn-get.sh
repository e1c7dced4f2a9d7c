#!/usr/bin/env bash
# Puts Maven artifacts into the local repository, without what they depend on:
#
#   scripts/mvn-get.sh GROUP:ARTIFACT:VERSION[:PACKAGING[:CLASSIFIER]]...
#
# Those that are there already cost nothing; the others are fetched by one run of
# Maven. M2_REPO names a local repository other than ~/.m2/repository.
set -euo pipefail

repository=${M2_REPO:-$HOME/.m2/repository}
[ -z "${M2_REPO:-}" ] || export MAVEN_OPTS="${MAVEN_OPTS:-} -Dmaven.repo.local=$M2_REPO"
items=
for coordinates in "$@"; do
  IFS=: read -r group artifact version packaging classifier <<<"$coordinates"
  : "${packaging:=jar}"
  file="$repository/${group//.//}/$artifact/$version/$artifact-$version${classifier:+-$classifier}.$packaging"
  [ -f "$file" ] && continue
  items+="<artifactItem><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
  items+="<type>$packaging</type>${classifier:+<classifier>$classifier</classifier>}</artifactItem>"
done
[ -n "$items" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/pom.xml" <<EOF
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>none</groupId>
  <artifactId>mvn-get</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>3.8.1</version>
        <configuration>
          <artifactItems>$items</artifactItems>
          <outputDirectory>$work/copies</outputDirectory>
          <overWriteReleases>true</overWriteReleases>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
EOF
"${MVN:-mvn}" -B -q -Dstyle.color=never -f "$work/pom.xml" dependency:copy </dev/null
