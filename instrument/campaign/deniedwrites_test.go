package campaign

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
)

// Where tests are confined a note says that this may be why they fail.
func TestNoteDenied(t *testing.T) {
	runs := []*record.TestRun{
		{Test: "p.A#a", Outcome: record.Pass, Stack: "java.nio.file.AccessDeniedException: /a"},
		{Test: "p.A#b", Outcome: record.Fail, Stack: "java.nio.file.AccessDeniedException: /b"},
		{Test: "p.A#c", Outcome: record.Fail, Stack: "java.nio.file.AccessDeniedException: /c"},
		{Test: "p.A#d", Outcome: record.Fail, Stack: "java.lang.AssertionError"},
	}
	for _, unconfined := range []string{"", "no Landlock"} {
		r := &moduleRun{c: New(nil, nil, Options{}), lab: labOf(&workspace.Module{Name: "m"})}
		r.c.sum.Unconfined = unconfined
		r.noteDenied(runs)
		notes := strings.Join(r.c.summary().Notes, "; ")
		if says := strings.HasSuffix(notes, "that may be why 2 tests fail (p.A#b: /b)"); says != (unconfined == "") {
			t.Errorf("unconfined %q: notes %q", unconfined, notes)
		}
	}
}
