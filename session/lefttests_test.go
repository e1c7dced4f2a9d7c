package session

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
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
			"of its name is in the tests of a, and one class of a name is analysed; `catchlens run " +
			filepath.Join(root, "x", "b") + "`, or that folder by itself in an editor, runs them",
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
		if got := strings.Join(notRun(snap, nil, leftTestsOf(snap)), ", "); got != c.names {
			t.Errorf("%s: left out %q, want %q", name, got, c.names)
		}
		got := strings.Join(LeftTests(snap), "\n")
		if !strings.HasPrefix(got, c.note) || (c.note == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, c.note)
		}
	}
}

// Where running a module by itself would leave out the same tests, no command is told. A source in
// Kotlin whose class is left out so is compiled.
func TestLeftTestsWayOut(t *testing.T) {
	root := testfiles.Files{"x y/src/test/kotlin/ATest.kt": "import org.junit.Test\nclass ATest { @Test fun a() { } }"}.
		In(t, t.TempDir())
	for name, c := range map[string]struct{ dir, by, want string }{
		"other module":   {"x y", "the tests of a", "; `catchlens run '" + filepath.Join(root, "x y") + "'`, or that "},
		"own main code":  {"x y", "b", ""},
		"another's main": {"x y", "a", "; `catchlens run '" + filepath.Join(root, "x y") + "'`, or that "},
		"in the root":    {"", "the tests of a", ""},
	} {
		m := &workspace.Module{Name: "b", Dir: filepath.Join(root, c.dir)}
		snap := &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: root,
			Modules: []*workspace.Module{m}}, LeftTests: []*snapshot.LeftTest{{By: c.by, Class: snapshot.Class{
			Name: "ATest", Module: "b", InTests: true, Facts: &facts.Class{Name: "ATest", SourceFile: "ATest.kt"}}}}}
		for _, scope := range []Scope{{background: true}, {Catches: []string{"p/C.m()#0"}}} {
			if left := leftBy(snap, scope); len(left) > 0 {
				t.Errorf("%s: %v, where nobody hears of it", name, left)
			}
		}
		if left := leftBy(snap, Scope{}); len(left) != 1 {
			t.Errorf("%s: a run leaves out %v", name, left)
		}
		notes := LeftTests(snap)
		if len(notes) != 1 {
			t.Errorf("%s: %q, want one note", name, notes)
			continue
		}
		_, way, _ := strings.Cut(notes[0], " is analysed")
		if !strings.HasPrefix(way, c.want) || (way == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, way, c.want)
		}
	}
}
