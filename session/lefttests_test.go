package session

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// Of test classes in whose place others run, those that the build would run are told, with the way
// to run them; the run does not count as one of all tests.
func TestLeftTests(t *testing.T) {
	root := t.TempDir()
	left := func(module, name, outer string) *snapshot.LeftTest {
		return &snapshot.LeftTest{Class: snapshot.Class{Name: name, Module: module, InTests: true,
			Facts: &facts.Class{Name: name, Outer: outer}}, By: "the tests of a"}
	}
	for name, c := range map[string]struct {
		left        []*snapshot.LeftTest
		note, names string
	}{
		"none":       {},
		"no test":    {left: []*snapshot.LeftTest{left("b", "p/Helper", "")}},
		"no by name": {left: []*snapshot.LeftTest{left("b", "p/ATest$Inner", "p/ATest")}},
		"one": {[]*snapshot.LeftTest{left("b", "p/ATest", "")}, "the tests of p.ATest in b are left out: a class " +
			"of its name is in the tests of a, and one class of a name is analysed; `catchlens run x/b`, ",
			"p.ATest in b"},
		"more": {[]*snapshot.LeftTest{left("b", "p/ATest", ""), left("b", "p/BTest", ""), left("c", "p/ATest", "")},
			"the tests of p.ATest and 1 more in b are left out: classes of their names are in the tests of a, ",
			"p.ATest and 1 more in b, p.ATest in c"},
	} {
		snap := &snapshot.Snapshot{LeftTests: c.left,
			Workspace: &workspace.Workspace{Root: root}}
		for _, m := range []string{"a", "b", "c"} {
			snap.Workspace.Modules = append(snap.Workspace.Modules, &workspace.Module{Name: m,
				Dir: filepath.Join(root, "x", m), Kind: workspace.Maven,
				Test: workspace.TestSettings{Selection: workspace.Selection{Includes: []string{"**/*Test.java"}}}})
		}
		if got := strings.Join(notRun(snap, nil), ", "); got != c.names {
			t.Errorf("%s: left out %q, want %q", name, got, c.names)
		}
		got := strings.Join(LeftTests(snap), "\n")
		if !strings.HasPrefix(got, c.note) || (c.note == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, c.note)
		}
	}
}
