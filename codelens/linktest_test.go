package codelens

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/record"
)

// Tests arm what the fault API has, and nothing else that may have struck.
func TestArmable(t *testing.T) {
	for k, want := range map[faults.Kind]bool{faults.DiskFull: true, faults.Reset: false, faults.Missing: true,
		"": false, faults.NetDown: false, record.Forced: false, "remote-down": false} {
		if got := armable(k); got != want {
			t.Errorf("%q: %t", k, got)
		}
	}
}

// What a comment quotes cannot end it, nor be read by the compiler.
func TestComment(t *testing.T) {
	if got := comment("if (\"\\u000a\".equals(s))\n}"); got != `if ("/u000a".equals(s)) ⏎ }` {
		t.Errorf("the comment is %q", got)
	}
}
