package campaign

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
)

// Where tests are confined a note says that this may be why they fail. Another one says of how many
// that what is beside their module is not there, whichever fails first.
func TestNoteDenied(t *testing.T) {
	run := func(test, stack string) *record.TestRun {
		return &record.TestRun{Test: "p.A#" + test, Outcome: record.Fail, Stack: stack}
	}
	passed := run("a", "java.nio.file.AccessDeniedException: /a")
	passed.Outcome = record.Pass
	denied := []*record.TestRun{passed, run("b", "java.nio.file.AccessDeniedException: /b"),
		run("c", "java.io.FileNotFoundException: ../c (Permission denied)"), run("d", "java.lang.AssertionError")}
	absent := []*record.TestRun{run("x", "java.nio.file.NoSuchFileException: ../x")}
	const writes = "m: tests can write nowhere but in their working copy and private folders: that may be why 2 " +
		"tests fail (p.A#b: /b)"
	const reads = "m: tests run in a copy of the module's folder, without what is beside it: that may be why one " +
		"test fails (p.A#x: ../x)"
	for _, c := range []struct {
		runs                 []*record.TestRun
		unconfined, confined string
	}{
		{denied, "", writes},
		{absent, reads, reads},
		{slices.Concat(denied, absent), reads, writes + "; " + reads},
		{slices.Concat(absent, denied), reads, writes + "; " + reads},
	} {
		for unconfined, want := range map[string]string{"": c.confined, "no Landlock": c.unconfined} {
			r := &moduleRun{c: New(nil, nil, Options{}), lab: labOf(&workspace.Module{Name: "m"})}
			r.c.sum.Unconfined = unconfined
			r.noteDenied(c.runs)
			if notes := strings.Join(r.c.summary().Notes, "; "); notes != want {
				t.Errorf("unconfined %q: notes %q, want %q", unconfined, notes, want)
			}
		}
	}
}
