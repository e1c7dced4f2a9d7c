#!/usr/bin/env bash
# Prints the path of the linter, after building it once into the user's cache.
set -euo pipefail

version=v0.8.2
bin="${XDG_CACHE_HOME:-$HOME/.cache}/catchlens-tools/staticcheck-$version-$(go env GOVERSION)"
if [ ! -x "$bin/staticcheck" ]; then
  GOBIN=$bin GOFLAGS=-mod=mod go install "honnef.co/go/tools/cmd/staticcheck@$version" >&2
fi
echo "$bin/staticcheck"
