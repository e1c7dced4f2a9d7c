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

// A verdict that was told and does not count at the end of the run is taken back, once, with what
// counts now; one that was known before and one that is there still are not.
func TestVerdictTakenBack(t *testing.T) {
	v := threeCatches()
	v.is("known", shortcircuit.Holds)
	var out strings.Builder
	n := newVerdictNews(&out, []string{"asked", "known", "other"}, func() codelens.View { return v.View })
	v.is("asked", shortcircuit.Holds)
	v.is("other", shortcircuit.Holds)
	n.tell()
	v.is("asked", shortcircuit.Unknown)
	v.is("known", shortcircuit.Unknown)
	out.Reset()
	if n.tell(); out.String() != "" {
		t.Errorf("before the end: %q", out.String())
	}
	_, _, now := codelens.Part(v.View, v.Snap.ByID["asked"])
	want := "src/p/C.java:2  taken back: copes wherever it comes from; now: " + now + "\n"
	if n.end(); out.String() != want || now == "" {
		t.Errorf("at the end: %q, want %q", out.String(), want)
	}
	out.Reset()
	if n.end(); out.String() != "" {
		t.Errorf("twice: %q", out.String())
	}
	v.is("asked", shortcircuit.Holds)
	if n.end(); out.String() != "src/p/C.java:2  copes wherever it comes from\n" {
		t.Errorf("there again: %q", out.String())
	}
}

// catchesOf is a view of catches, by ID.
type catchesOf struct{ codelens.View }

// threeCatches has the catches asked, known and other, in lines 2 to 4, of which nothing is known.
func threeCatches() catchesOf {
	src := javasource.Parse([]byte("class C {\n" +
		strings.Repeat("  static { try { m(); } catch (java.io.IOException e) { } }\n", 3) + "}\n"))
	f := &snapshot.File{Path: "src/p/C.java", Source: src}
	v := codelens.View{Snap: &snapshot.Snapshot{ByID: map[string]*snapshot.Catch{}},
		Results: &results.Overlay{ByCatch: map[string]*results.State{}}}
	for k, id := range []string{"asked", "known", "other"} {
		v.Snap.ByID[id] = &snapshot.Catch{ID: id, File: f, Line: k + 2, Source: src.Catches[k], Compiled: true,
			Types: []string{"java.io.IOException"}, Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
	}
	return catchesOf{v}
}

// is has runs give an answer on a catch.
func (v catchesOf) is(id string, a shortcircuit.Answer) {
	v.Results.ByCatch[id] = &results.State{Ran: true, Tests: []string{"p.CTest#m"}, Usage: record.Usage{White: 1},
		Matrix: []record.Cell{{}}, Verdict: shortcircuit.Verdict{SourceIndependence: a}}
}

// While a run of some catches goes on, each verdict is told when it is there, once, and told again
// where it is another one; what was known before is no news, nor are other catches.
func TestVerdictNews(t *testing.T) {
	v := threeCatches()
	is := v.is
	is("known", shortcircuit.Holds)
	var out strings.Builder
	var order []string
	p := newVerdictNews(&out, []string{"asked", "known"}, func() codelens.View { return v.View }).
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
