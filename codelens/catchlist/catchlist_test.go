package catchlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// workspaceOf is a view of one file with catches of these names, each compiled.
func workspaceOf(names ...string) (codelens.View, map[string]*snapshot.Catch) {
	text := "package p;\nclass C {\n"
	for _, n := range names {
		text += "  void " + n + "() { try { n(); } catch (java.io.IOException e) { } }\n"
	}
	src := javasource.Parse([]byte(text + "}\n"))
	f := &snapshot.File{Path: "src/p/C.java", Text: []byte(text + "}\n"), Source: src}
	s := &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: "/ws"}, Files: []*snapshot.File{f}}
	s.Config, _ = snapshot.Settings{}.Config()
	by := map[string]*snapshot.Catch{}
	for i, n := range names {
		c := &snapshot.Catch{ID: n, File: f, Line: 3 + i, Source: src.Catches[i], Class: "p.C", Method: n + "()V",
			Compiled: true, Types: []string{"java.io.IOException"}, Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
		s.Catches, by[n] = append(s.Catches, c), c
	}
	f.Catches = s.Catches
	return codelens.View{Snap: s, Results: &results.Overlay{ByCatch: map[string]*results.State{}}}, by
}

// state is what a run has found of a catch that a test makes run.
func state(a shortcircuit.Answer) *results.State {
	return &results.State{Ran: true, Tests: []string{"p.CTest#m"}, Usage: record.Usage{White: 1},
		Matrix: []record.Cell{{}}, Verdict: shortcircuit.Verdict{SourceIndependence: a}}
}

func ids(list []Entry) (out []string) {
	for _, e := range list {
		out = append(out, e.Catch.ID+" "+e.Kind)
	}
	return out
}

// The list begins with what does not cope and what no analysis predicted; what is known to cope
// comes after what is not known; catches of tests are not in it.
func TestWorstFirst(t *testing.T) {
	v, by := workspaceOf("copes", "idle", "old", "odd", "bad", "alone", "mine")
	by["mine"].InTests = true
	by["old"].Compiled = false
	holds, violated := shortcircuit.Holds, shortcircuit.Violated
	v.Results.ByCatch["copes"], v.Results.ByCatch["bad"], v.Results.ByCatch["odd"] =
		state(holds), state(violated), state(holds)
	v.Results.ByCatch["alone"] = &results.State{Ran: true}
	v.Results.Unpredicted = []results.Unpredicted{{Catch: by["odd"]}, {Catch: by["copes"], Pending: true},
		{Catch: by["copes"], Experienced: results.Experienced{Stale: true}}}
	list := Of(v)
	want := []string{"bad depends", "odd unpredicted", "alone untested", "idle not-run", "copes copes",
		"old not-compiled"}
	if got := ids(list); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, e := range list {
		if want := e.Catch.ID == "bad" || e.Catch.ID == "odd"; e.Look() != want {
			t.Errorf("%s: look %v", e.Catch.ID, e.Look())
		}
		if e.Method != "C."+e.Catch.ID || !slices.Equal(e.Exceptions, []string{"IOException"}) {
			t.Errorf("%+v", e)
		}
	}
	if e := list[0]; e.Verdict != "fails if it comes earlier" || !strings.HasSuffix(e.Title, e.Verdict) ||
		e.Group != "depend on the source" {
		t.Errorf("%+v", e)
	}
	if list := Of(codelens.View{}); list != nil {
		t.Errorf("without an analysis: %v", list)
	}
}

// Of one kind, the catch with the most failures that no test made happen comes first, wherever it
// stands.
func TestMostUntestedFirst(t *testing.T) {
	v, by := workspaceOf("few", "many")
	for n, name := range []string{"few", "many"} {
		for i := range 1 + 2*n {
			l := &snapshot.Link{ID: fmt.Sprint(name, i), Catch: by[name], Exception: fmt.Sprintf("java.io.E%d", i),
				Site: &snapshot.Site{Class: "java.io.File", Method: "open()V", Kind: "native"}}
			l.SetChain([]snapshot.Frame{{Class: "p.C", Method: name + "()V", Line: 5, File: "src/p/C.java"},
				{Class: "java.io.File", Method: "open()V"}})
			by[name].Links = append(by[name].Links, l)
		}
	}
	list := Of(v)
	if got := ids(list); !slices.Equal(got, []string{"many not-run", "few not-run"}) {
		t.Errorf("%q", got)
	}
	if e := list[0]; e.All != 3 || e.Tested != 0 || e.Title != "3 failures, none tested" {
		t.Errorf("%+v", e)
	}
}

// A run that is under way moves no catch to another place of the list.
func TestRunningStaysInPlace(t *testing.T) {
	v, _ := workspaceOf("a", "b")
	v.Results.ByCatch["a"], v.Results.ByCatch["b"] = state(shortcircuit.Unknown), state(shortcircuit.Holds)
	before := Of(v)
	v.Runs = &codelens.Runs{Catches: []string{"a"}}
	during := Of(v)
	if got, want := ids(during), ids(before); !slices.Equal(got, want) || want[0] != "a unknown" {
		t.Errorf("%q while a runs, %q before", got, want)
	}
	if !during[0].Running || during[1].Running || during[0].Title != before[0].Title {
		t.Errorf("%+v", during)
	}
}

// Each key that a catch can have is one of the kinds.
func TestKindsAreKnown(t *testing.T) {
	v, by := workspaceOf("hidden", "removed", "injected")
	by["hidden"].HiddenBy, by["removed"].Handlers = "m", nil
	v.Results.ByCatch["injected"] = &results.State{Ran: true, Tests: []string{"p.CTest#m"},
		Usage: record.Usage{White: 1}}
	for _, e := range Of(v) {
		if !slices.Contains(Kinds, e.Kind) {
			t.Errorf("%s is of the kind %s", e.Catch.ID, e.Kind)
		}
		if e.Runnable != (e.Catch.ID != "removed") {
			t.Errorf("%s: runnable %v", e.Catch.ID, e.Runnable)
		}
	}
}
