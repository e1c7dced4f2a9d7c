#!/usr/bin/env bash
# Gets a machine ready for what a make target needs, and says what it does:
#
#   scripts/setup.sh demo        a JDK with Maven, for make demo
#   scripts/setup.sh test        that, Node's packages, Maven artifacts, real projects: make test
#   scripts/setup.sh test-all    that, and the editors: make test-all
#
# On Debian, what is missing comes from apt-get, as root or by sudo; without root
# the packages must be there already, and the script names those that are not.
# What is there costs nothing, so every run may begin with this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/steps.sh
export DEBIAN_FRONTEND=noninteractive

what=${1:-}
for_demo=(ca-certificates git openjdk-17-jdk-headless maven)
for_test=("${for_demo[@]}" make unzip xz-utils patchelf procps gradle openssh-client)
case $what in
demo) packages=("${for_demo[@]}") ;;
test | test-all) packages=("${for_test[@]}") ;;
*)
  echo "usage: scripts/setup.sh demo|test|test-all" >&2
  exit 2
  ;;
esac

# command_of PACKAGE: a command by which the package is known to be there, however it came.
command_of() {
  case $1 in
  openjdk-17-jdk-headless) echo javac ;;
  maven) echo mvn ;;
  xz-utils) echo xz ;;
  procps) echo pgrep ;;
  openssh-client) echo ssh-keygen ;;
  ca-certificates) echo true ;;
  *) echo "$1" ;;
  esac
}

is_installed() { dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed$'; }

debian_packages() {
  local missing=() p
  for p in "${packages[@]}"; do
    is_installed "$p" || command -v "$(command_of "$p")" >/dev/null || missing+=("$p")
  done
  if [ ${#missing[@]} = 0 ]; then
    echo "all ${#packages[@]} packages are there"
    return
  fi
  local root=()
  if ! command -v apt-get >/dev/null; then
    echo "missing: ${missing[*]}. Install them with your system's package manager." >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    root=(sudo -n)
    "${root[@]}" true 2>/dev/null || {
      echo "missing: ${missing[*]}. As root: apt-get install ${missing[*]}" >&2
      return 1
    }
  fi
  echo "installing ${missing[*]}"
  "${root[@]}" apt-get -qq update
  "${root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

go_modules() {
  command -v go >/dev/null || {
    echo "no go command: Go $(sed -n 's/^go //p' go.mod) or later is needed" >&2
    return 1
  }
  go version
  go mod download
}

# Node 20 is what the extension's tools need; Debian 12 has 18.
node_packages() {
  local version folder
  version=$(node --version 2>/dev/null) || version=none
  version=${version#v}
  [ "${version%%.*}" -ge 20 ] 2>/dev/null || {
    echo "needs Node 20 or later with npm, found $version" >&2
    return 1
  }
  for folder in vscode-extension test/editors; do
    if [ $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]; then
      echo "$folder: there"
    else
      (cd $folder && npm ci --no-audit --no-fund)
    fi
  done
}

# begin_editors installs the editors beside the steps that follow: they wait for Maven's servers, it
# waits for others. end_editors shows what it says, waits for its end, and fails if it has.
begin_editors() {
  editors=$(mktemp -d)
  trap 'rm -rf "$editors"' EXIT
  : >"$editors/log"
  (scripts/install-editors.sh && echo 0 >"$editors/code" || echo $? >"$editors/code") >"$editors/log" 2>&1 &
  installing=$!
}

end_editors() {
  tail -n +1 -s 0.2 --pid="$installing" -f "$editors/log"
  return "$(cat "$editors/code")"
}

plan "setup-$what"
# Nothing can be done without these: the first failure ends the script.
step "Debian packages" debian_packages
require
step "Go modules" go_modules
require
[ "$what" = demo ] && finish
step "JDKs 17 and 25" scripts/check-jdks.sh
require
[ "$what" = test ] || begin_editors
step "Maven artifacts" scripts/maven-artifacts.sh
step "effective poms" scripts/effective-poms.sh
step "five real projects" bench/projects/fetch.sh
step "npm packages" node_packages
[ "$what" = test ] || step "editors (0.6 GB when new)" end_editors
finish
