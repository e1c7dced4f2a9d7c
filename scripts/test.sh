#!/usr/bin/env bash
# Every check of the repository, as `make test` and .ci/run run it:
#
#   scripts/test.sh          all of them
#   scripts/test.sh fast     formatting, vet and `go test ./...` only
#
# All steps run even if one fails; the exit code is 1 if any did.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/steps.sh

mode=${1:-all}
case $mode in all|fast) ;; *) echo "usage: scripts/test.sh [fast]" >&2; exit 2 ;; esac

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Random tests draw the same programs each time here; `go test` draws others.
export RAPID_SEED=${RAPID_SEED:-20041}

# Packages whose code runs in several goroutines at a time.
concurrent=()
for p in lsp session analysis/facts analysis/snapshot instrument/campaign instrument/worker instrument/build \
  instrument/results instrument/osfault internal/expect internal/seccomp; do
  [ -n "$(find "$p" -name '*.go' -print -quit 2>/dev/null)" ] && concurrent+=("./$p/...")
done

formatted() {
  local wrong
  wrong=$(git ls-files '*.go' | xargs gofmt -l)
  [ -z "$wrong" ] || { echo "gofmt would change:"; echo "$wrong"; return 1; }
}

# gotest NAME ARGUMENT...: keeps the lines for the end of the output as well.
gotest() {
  local name=$1
  shift
  go test "$@" 2>&1 | tee "$log/$name"
}

lint() { "$(scripts/staticcheck.sh)" -tags slow ./...; }

filedrop() { "${MVN:-mvn}" -B -q -Dstyle.color=never -f examples/filedrop/pom.xml test; }

extension() {
  cd vscode-extension
  [ -d node_modules ] || npm ci --no-audit --no-fund
  npm run check
  npm run lint
  npm run --if-present test 2>&1 | tee "$log/extension"
  npm run package
}

editors() {
  make --no-print-directory build
  cd test/editors
  [ -d node_modules ] || npm ci --no-audit --no-fund
  npm test 2>&1 | tee "$log/editors"
}

step "gofmt" formatted
step "go vet" go vet -tags slow ./...
if [ "$mode" = fast ]; then
  step "go test" gotest fast -timeout 10m ./...
else # the slow tests below have the fast ones with them
  step "staticcheck" lint
  step "go test -race" gotest race -race -timeout 15m "${concurrent[@]}"
  step "go test -tags slow" gotest slow -tags slow -timeout 30m ./...
  step "cross-compilation" make --no-print-directory cross
  step "filedrop's own tests" filedrop
  step "VS Code extension" extension
  if [ "${CI:-}" = true ] || [ -d "${CATCHLENS_EDITORS:-$HOME/.cache/catchlens-editors}" ]; then
    step "editors" editors
  else
    echo "No editors to test with: scripts/install-editors.sh installs them."
  fi
fi

printf '\n==> results of go test\n'
cat "$log"/{fast,race,slow} 2>/dev/null | grep -E '^(ok|FAIL|---|panic:)' | grep -v -e '^--- PASS' -e 'no test files' || true
printf '\n==> failures of the extension and the editors\n'
cat "$log"/{extension,editors} 2>/dev/null | grep -E -A 25 '^not ok' || true
finish
