# make help lists the targets.

version := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
flags   := -trimpath -ldflags "-s -w -X main.version=$(version)"
out     := build
targets := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build demo test test-all test-editors fast update lint bench cross vsix release clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

build: ## the command, as build/catchlens
	CGO_ENABLED=0 go build $(flags) -o build/catchlens ./cmd/catchlens

demo: ## the main job on examples/filedrop: analysis, a real run, verdicts, the HTML page
	scripts/setup.sh demo
	$(MAKE) --no-print-directory build
	build/catchlens demo

test: ## formatting, linters, all Go tests but the slow ones, -race, the extension: about 12 minutes
	STEPS_AFTER=test scripts/setup.sh test
	scripts/test.sh

test-all: ## make test, and what takes longer: slow tests, other systems, editors; as .ci/run does
	STEPS_AFTER="test long" scripts/setup.sh test-all
	STEPS_AFTER=long scripts/test.sh
	scripts/test.sh long

test-editors: vsix build ## the extension in VS Code and the plug-in in Neovim; scripts/install-editors.sh installs both
	cd test/editors && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && npm test

fast: ## formatting, vet, and the tests that take seconds
	scripts/test.sh fast

update: ## write files of expected answers anew: schemas, tables of reference pages
	go test $$(git grep -l 'catchlens/internal/golden"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') \
	  -run '^TestGolden' -update

lint: ## gofmt, vet and staticcheck
	test -z "$$(git ls-files '*.go' | xargs gofmt -l)"
	go vet -tags slow ./...
	"$$(scripts/staticcheck.sh)" -tags slow ./...

bench: build ## measure again analysis, campaigns, latency, peers, Table 1, call chains, PIT, disarmed faults
	bench/projects/fetch.sh
	go run ./bench figures -catchlens build/catchlens
	go run ./bench peers -catchlens build/catchlens
	go run ./bench latency
	go test -tags slow -run x -bench Suites -benchtime=5x -timeout 1h ./instrument/fault
	bench/reproduction/fetch.sh
	go run ./bench reproduction -catchlens build/catchlens
	go run ./bench reproduction -catchlens build/catchlens -agree -only spojo-core,commons-codec
	bench/chains/fetch.sh
	go run ./bench chains
	CATCHLENS=build/catchlens bench/pit/run.sh commons-codec 'org.apache.commons.codec.net.*'
	CATCHLENS_PROJECTS=all go test -tags slow -timeout 3h -run '^TestProjects$$' ./test/edges
	CATCHLENS_PROJECTS=all go test -tags slow -timeout 3h -run '^TestCallGraphs$$' ./test/projects

cross: ## Linux, macOS and Windows on x86-64 and arm64, without cgo
	@set -e; for t in $(filter-out $(except),$(targets)); do \
	  os=$${t%/*}; arch=$${t#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	  echo "$$t"; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build $(flags) -o $(out)/catchlens-$$os-$$arch$$ext ./cmd/catchlens; \
	done

vsix: ## the VS Code extension, as vscode-extension/catchlens.vsix
	cd vscode-extension && npm ci --no-audit --no-fund && npm run package

release: ## archives, extensions, checksums and notes of the tagged version, in build/release; VERSION=0.1.0 tries one, KEY=FILE signs
	go run ./scripts/release $(if $(VERSION),-version $(VERSION)) $(if $(KEY),-sign $(KEY))

clean: ## remove what was built
	rm -rf build vscode-extension/dist vscode-extension/*.vsix examples/filedrop/target
