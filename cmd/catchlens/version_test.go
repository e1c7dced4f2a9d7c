package main

import (
	"runtime/debug"
	"testing"
)

// A program that `go install PATH@VERSION` made has the version of its module; any other that which
// its build has set, or of a snapshot of the work tree.
func TestVersionOf(t *testing.T) {
	for _, x := range []struct {
		sum, version, want string
	}{
		{"h1:abc=", "v1.2.3", "1.2.3"},
		{"", "v0.0.0-20260101000000-0123456789ab+dirty", "set"},
		{"", "(devel)", "set"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: x.version, Sum: x.sum}}
		if got := versionOf("set", info); got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
	}
}
