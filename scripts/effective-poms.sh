#!/usr/bin/env bash
# Asks Maven for the effective models of what scripts/effective-poms.txt lists, for a test that
# compares them with ours: build/effective-poms/pom.xml has these poms as modules, and effective.xml
# beside it what Maven makes of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=build/effective-poms
list=scripts/effective-poms.txt
if [ -f $work/effective.xml ] && cmp -s $list $work/list.txt; then
  echo "there"
  exit 0
fi
rm -rf $work
mkdir -p $work
coordinates=()
while IFS=: read -r group artifact version; do
  case $group in ''|'#'*) continue ;; esac
  coordinates+=("$group:$artifact:$version:pom")
done <$list
scripts/mvn-get.sh "${coordinates[@]}"
modules=
for c in "${coordinates[@]}"; do
  IFS=: read -r group artifact version _ <<<"$c"
  mkdir "$work/$artifact"
  cp "${M2_REPO:-$HOME/.m2/repository}/${group//.//}/$artifact/$version/$artifact-$version.pom" "$work/$artifact/pom.xml"
  modules+="<module>$artifact</module>"
done
cat >$work/pom.xml <<EOP
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>none</groupId>
  <artifactId>effective-poms</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <modules>$modules</modules>
</project>
EOP
# In that folder, as extensions of these poms write files where Maven is started.
(
  cd $work
  "${MVN:-mvn}" -B -q -Dstyle.color=never \
    org.apache.maven.plugins:maven-help-plugin:3.5.1:effective-pom -Doutput="$PWD/effective.xml" </dev/null
)
cp $list $work/list.txt
echo "${#coordinates[@]} effective poms"
