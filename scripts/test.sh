#!/usr/bin/env bash
# The checks of the repository:
#
#   scripts/test.sh          what `make test` runs
#   scripts/test.sh long     what takes longer: slow tests, other systems, known vulnerabilities, fuzzing, editors
#   scripts/test.sh fast     formatting, vet and `go test ./...` only
#
# All steps run even if one fails; the exit code is 1 if any did.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/steps.sh

mode=${1:-test}
case $mode in test|long|fast) ;; *) echo "usage: scripts/test.sh [fast|long]" >&2; exit 2 ;; esac

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Random tests draw the same programs each time here; `go test` draws others.
export RAPID_SEED=${RAPID_SEED:-20041}

# Packages whose code runs in several goroutines at a time. `fast` runs their tests like all others;
# else each test runs once: with -race, but for those below.
concurrent=()
for p in lsp session analysis/facts analysis/factcache analysis/snapshot analysis/build \
  instrument/campaign instrument/baseline instrument/injection \
  instrument/faulting instrument/stretching instrument/lab instrument/worker instrument/buildtool instrument/osfault internal/expect internal/seccomp internal/defect; do
  [ -d "$p" ] || { echo "there is no package $p" >&2; exit 1; }
  concurrent+=("./$p/...")
done

# Tests of these packages that ask what comes of code which others run with -race, too, one call after
# the other: they begin no work of their own (internal/repocheck), and wait for each analysis before
# they look at it. They run without -race. What an analysis does at a time is run there by TestTakeOver,
# TestLandingsOfEachCall (points-to), TestCancelledSaves and TestLinksAreCancelled; a session by the
# rest of its tests: edits, trust and saves by TestSourcesNewerThanClasses, results by TestRunsAreShown.
sequential=(TestTakeOverPromises TestTakeOverValues TestManyLinksShare TestSameCode TestLinkIDOfRef
  TestFailuresOfLinks TestLandingsAreLinks TestLinkTestsCompile TestLinkTestsNotOffered
  TestDamagedClasses TestDamagedServer
  TestLibrarySettingsAreKept TestCompiledByAnEarlierSession TestObservedMakesNothingStale
  TestOwnFaults TestJDKNeedsTrust TestGeneratedSources TestNothingRan TestFaultsThatReach
  TestUnresolvedStaysSaid TestStretchedSources TestPreparedBeforeOrigins TestSameClassInTwoModules)

# Tests that write from several goroutines, of a package that starts none and is in no list above:
# they alone run with -race, too.
writers=(TestTwoWriters)
writing=./instrument/results

for t in "${sequential[@]}" "${writers[@]}"; do
  git grep -qE "^func $t\(" -- '*_test.go' || { echo "there is no test $t" >&2; exit 1; }
done

# any NAME...: the pattern of tests with these names.
any() { echo "^($(IFS='|'; echo "$*"))\$"; }

formatted() {
  local wrong
  wrong=$(git ls-files '*.go' | xargs gofmt -l)
  [ -z "$wrong" ] || { echo "gofmt would change:"; echo "$wrong"; return 1; }
}

# gotest NAME ARGUMENT...: keeps the lines for the end of the output as well. `go vet` is a step of its
# own, and looks at all files; linking without tables for debuggers takes half as long.
gotest() {
  local name=$1
  shift
  go test -vet=off -ldflags=-w "$@" 2>&1 | tee "$log/$name"
}

# others: the packages that are not in concurrent.
others() { go list ./... | grep -vxFf <(go list "${concurrent[@]}"); }

# holding NAME...: the folders of concurrent that have a test of one of these names.
holding() {
  git grep -lE "^func ($(IFS='|'; echo "$*"))\(" -- "${concurrent[@]/%...}" | xargs -n 1 dirname | sort -u | sed 's,^,./,'
}

# without_race and in_turn run what no step runs with -race.
without_race() {
  local packages
  mapfile -t packages < <(others)
  gotest others -timeout 10m "${packages[@]}"
}

in_turn() {
  local packages
  mapfile -t packages < <(holding "${sequential[@]}")
  gotest sequential -timeout 10m -run "$(any "${sequential[@]}")" "${packages[@]}"
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

# cross compiles and links for each system and throws away what comes of it: only the program for this
# machine, which the editors start, is optimised: a third of the work is that.
cross() {
  make --no-print-directory build
  make --no-print-directory cross except="$(go env GOOS)/$(go env GOARCH)" out="$log" \
    flags='-trimpath -ldflags=-w "-gcflags=all=-N -l"'
}

# with_slow_tests lists the packages that have tests of the build tag slow.
with_slow_tests() {
  git grep -lE '^//go:build slow' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,'
}

# slow_tests is the pattern of the tests of the build tag slow; `go test` runs the others.
slow_tests() {
  local names
  names=$(git grep -lE '^//go:build slow' -- '*_test.go' | xargs grep -hoE '^func (Test|Example)[A-Za-z0-9_]*' |
    sed 's/^func //' | sort -u | paste -sd '|')
  echo "^($names)\$"
}

checks() {
  step "gofmt" formatted
  step "go vet" go vet -tags slow ./...
  if [ "$mode" = fast ]; then
    step "go test" gotest fast -timeout 10m ./...
    return
  fi
  step "staticcheck" lint
  step "filedrop's own tests" filedrop
  step "VS Code extension" extension
  step "go test" without_race
  step "go test, one call after the other" in_turn
  # A program with -race that ends waits 20 ms for races of what still runs, not a second: each
  # process that a test begins with its own program ends so. osfault's tests take 20 s instead of 42.
  export GORACE=atexit_sleep_ms=20
  step "go test -race" gotest race -race -timeout 15m -skip "$(any "${sequential[@]}")" "${concurrent[@]}"
  step "go test -race, two writers" gotest writers -race -timeout 5m -run "$(any "${writers[@]}")" "$writing"
}

# What is short comes first, in both: whoever waits hears of a failure early.
plan "$mode"
if [ "$mode" = long ]; then
  mapfile -t slow < <(with_slow_tests)
  step "cross-compilation" cross
  step "known vulnerabilities" go run ./scripts/vulncheck
  step "fuzzing" scripts/fuzz.sh
  step "editors" editors
  step "go test -tags slow" gotest slow -tags slow -timeout 40m -run "$(slow_tests)" "${slow[@]}"
else
  checks
fi

printf '\n==> results of go test\n'
cat "$log"/{fast,others,sequential,race,writers,slow} 2>/dev/null | grep -E '^(ok|FAIL|---|panic:)' | grep -v -e '^--- PASS' -e 'no test files' || true
printf '\n==> failures of the extension and the editors\n'
cat "$log"/{extension,editors} 2>/dev/null | grep -E -A 25 '^not ok' || true
finish
