package main

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// While a run of some catches goes on, each verdict is told when it is there, once, and told again
// where it is another one; what was known before is no news, nor are other catches.
func TestVerdictNews(t *testing.T) {
	src := javasource.Parse([]byte("class C {\n" +
		strings.Repeat("  static { try { m(); } catch (java.io.IOException e) { } }\n", 3) + "}\n"))
	f := &snapshot.File{Path: "src/p/C.java", Source: src}
	v := codelens.View{Snap: &snapshot.Snapshot{ByID: map[string]*snapshot.Catch{}},
		Results: &results.Overlay{ByCatch: map[string]*results.State{}}}
	for k, id := range []string{"asked", "known", "other"} {
		v.Snap.ByID[id] = &snapshot.Catch{ID: id, File: f, Line: k + 2, Source: src.Catches[k], Compiled: true,
			Types: []string{"java.io.IOException"}, Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
	}
	is := func(id string, a shortcircuit.Answer) {
		v.Results.ByCatch[id] = &results.State{Ran: true, Tests: []string{"p.CTest#m"}, Usage: record.Usage{White: 1},
			Matrix: []record.Cell{{}}, Verdict: shortcircuit.Verdict{SourceIndependence: a}}
	}
	is("known", shortcircuit.Holds)
	var out strings.Builder
	var order []string
	p := newVerdictNews(&out, []string{"asked", "known"}, func() codelens.View { return v }).
		with(func(_ int, message string) { order = append(order, message+out.String()) })
	says := func(message, want string) {
		t.Helper()
		out.Reset()
		p(0, message)
		if out.String() != want {
			t.Errorf("%s: %q, want %q", message, out.String(), want)
		}
	}
	says("begins", "")
	is("other", shortcircuit.Violated)
	is("asked", shortcircuit.Unknown)
	says("goes on", "")
	is("asked", shortcircuit.Holds)
	says("decided", "src/p/C.java:2  copes wherever it comes from\n")
	says("goes on", "")
	v.Results.ByCatch["asked"].Stale = true
	is("known", shortcircuit.Violated)
	says("decided", "src/p/C.java:3  fails if it comes earlier\n")
	is("asked", shortcircuit.Violated)
	says("decided", "src/p/C.java:2  fails if it comes earlier\n")
	if len(order) != 6 || order[2] != "decidedsrc/p/C.java:2  copes wherever it comes from\n" {
		t.Errorf("the progress shown is %q", order)
	}
}
