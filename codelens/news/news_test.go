package news

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

const (
	holds, violated, open = shortcircuit.Holds, shortcircuit.Violated, shortcircuit.Unknown
)

// clause is a catch of IOException, of a member: its code, and what is known of it.
type clause struct {
	member, code string
	answer       shortcircuit.Answer
}

// of is a view of one class with some catches, those of a member together.
func of(clauses ...clause) codelens.View {
	text, last := "package p;\nclass C {", ""
	for _, x := range clauses {
		if x.member != last {
			text += strings.Repeat("}", min(len(last), 1)) + "\n  void " + x.member + "() {"
		}
		text += "\n    try { " + x.code + "(); } catch (java.io.IOException e) { }"
		last = x.member
	}
	text += "}\n}\n"
	src := javasource.Parse([]byte(text))
	f := &snapshot.File{Path: "src/p/C.java", Text: []byte(text), Source: src}
	s := &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: "/ws"}, Files: []*snapshot.File{f}}
	s.Config, _ = snapshot.Settings{}.Config()
	v := codelens.View{Snap: s, Results: &results.Overlay{ByCatch: map[string]*results.State{}}}
	for i, x := range clauses {
		at := src.Catches[i]
		c := &snapshot.Catch{ID: at.ID, File: f, Line: src.Line(at.Keyword.Start), Source: at, Class: "p.C",
			Method: x.member + "()V", Compiled: true, Types: []string{"java.io.IOException"},
			Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}
		s.Catches = append(s.Catches, c)
		v.Results.ByCatch[c.ID] = &results.State{Ran: true, Tests: []string{"p.CTest#m"},
			Usage: record.Usage{White: 1}, Matrix: []record.Cell{{}},
			Verdict: shortcircuit.Verdict{SourceIndependence: x.answer}}
	}
	f.Catches = s.Catches
	return v
}

// clock is a time of a day of November 2026, where the user is.
func clock(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.Local) }

// said are what the runs of a history say, each at its time.
func said(h *History, at time.Time, v codelens.View) string {
	text := h.Of(v, at, "usage").Text()
	h.Add(RunOf(v, at, "usage"), h.Last)
	return text
}

// What is new is told against the last run of an earlier day, all day long, and else against the
// last one; of a first run nothing is told.
func TestSince(t *testing.T) {
	good, worse := of(clause{"m", "a", holds}), of(clause{"m", "a", violated})
	h := &History{}
	for _, x := range []struct {
		at   time.Time
		v    codelens.View
		want string
	}{
		{clock(10, 9), good, ""},
		{clock(10, 10), worse, "1 new since the last run: C.java:4"},
		{clock(10, 11), worse, "nothing new since the last run"},
		{clock(10, 23), good, "nothing new since the last run"},
		{clock(11, 0), worse, "1 new since yesterday: C.java:4"},
		{clock(11, 9), worse, "1 new since yesterday: C.java:4"},
		{clock(11, 8), worse, "1 new since yesterday: C.java:4"}, // the clock was set back by an hour
		{clock(14, 9), worse, "nothing new since Wednesday"},
		{clock(13, 9), worse, "nothing new since Wednesday"}, // and by a day
		{clock(28, 9), worse, "nothing new since 13 November 2026"},
	} {
		if got := said(h, x.at, x.v); got != x.want {
			t.Errorf("%s: %q, want %q", x.at.Format("2 15:04"), got, x.want)
		}
	}
}

// A run of one catch ends with a sentence on it.
func TestVerdict(t *testing.T) {
	v := of(clause{"m", "a", violated}, clause{"n", "b", holds}, clause{"o", "c", open})
	v.Results.ByCatch[v.Snap.Catches[0].ID].Verdict.Witnesses = []record.Cell{{Trial: record.Trial{Test: "p.CTest#m"}}}
	for i, want := range []string{"C.java:4 fails if it comes earlier, as in CTest#m",
		"C.java:6 copes wherever it comes from", "C.java:8 not known whether it copes"} {
		if got := Verdict(v, v.Snap.Catches[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	v.Results.ByCatch[v.Snap.Catches[1].ID].Stale = true
	const old = "C.java:6 copes wherever it comes from; the code has changed since"
	if got := Verdict(v, v.Snap.Catches[1]); got != old {
		t.Errorf("edited while it ran: %q, want %q", got, old)
	}
}

// What copes so far and fails when all tests have run has not changed: tests were left that tell.
func TestNewAfterPart(t *testing.T) {
	then := of(clause{"m", "a", holds})
	for partial, want := range map[bool]string{true: "nothing new", false: "1 new: 4"} {
		then.Results.Partial = partial
		h := &History{Last: RunOf(then, clock(10, 9), "usage")}
		if got := lines(h.Of(of(clause{"m", "a", violated}), clock(11, 9), "usage")); got != want {
			t.Errorf("after a run of all, before which only a part of the tests had run (%v): %q, want %q", partial,
				got, want)
		}
	}
}

// A catch is known by its member and its code, wherever it stands and whichever ID it has by now;
// of what was not known then nothing is claimed, nor of what is stale now.
func TestNew(t *testing.T) {
	a := func(answer shortcircuit.Answer) clause { return clause{"m", "a", answer} }
	for _, x := range []struct {
		what      string
		then, now codelens.View
		want      string
	}{
		{"one inserted above takes its ID over", of(a(violated)), of(clause{"m", "b", holds}, a(violated)),
			"nothing new"},
		{"the one inserted is new", of(a(violated)), of(clause{"m", "b", violated}, a(violated)), "1 new: 4"},
		{"a copy is new", of(a(violated)), of(a(violated), a(violated)), "1 new: 5"},
		{"lines above", of(a(violated)), of(clause{"l", "x", holds}, a(violated)), "nothing new"},
		{"it was edited", of(a(violated)), of(clause{"m", "b", violated}), "nothing new"},
		{"it was edited, and copes no more", of(a(holds)), of(clause{"m", "b", violated}), "1 new: 4"},
		{"its method was renamed", of(a(violated)), of(clause{"n", "a", violated}), "nothing new"},
		{"renamed and edited", of(a(violated)), of(clause{"n", "b", violated}), "nothing new"},
		{"a new method beside it", of(a(violated)), of(a(violated), clause{"n", "b", violated}), "1 new: 6"},
		{"not known then", of(a(open)), of(a(violated)), "nothing new"},
		{"not known now", of(a(holds)), of(a(open)), "nothing new"},
		{"it copes now", of(a(violated)), of(a(holds)), "nothing new"},
	} {
		h := &History{Last: RunOf(x.then, clock(10, 9), "usage")}
		if got := lines(h.Of(x.now, clock(11, 9), "usage")); got != x.want {
			t.Errorf("%s: %s, want %s", x.what, got, x.want)
		}
	}
	h := &History{Last: RunOf(of(a(holds)), clock(10, 9), "usage")}
	now := of(a(violated))
	if n := h.Of(now, clock(11, 9), "paper"); n != nil {
		t.Errorf("verdicts in two readings are compared: %s", lines(n))
	}
	for _, s := range now.Results.ByCatch {
		s.Stale = true
	}
	if got := lines(h.Of(now, clock(11, 9), "usage")); got != "nothing new" {
		t.Errorf("a stale verdict is told as news: %s", got)
	}
}

// A catch that was edited while a run was under way, or of which nothing is known at its end, is
// told of by the run that finds out how it stands: it is compared with how it stood when that was
// known.
func TestNotKnownBetween(t *testing.T) {
	good, worse := of(clause{"m", "a", holds}), of(clause{"m", "a", violated})
	notKnown, edited := of(clause{"m", "a", open}), outdated(of(clause{"m", "b", violated}))
	for _, x := range []struct {
		what string
		runs []codelens.View // a day each
		want string          // of the last one
	}{
		{"edited", []codelens.View{good, edited, worse}, "1 new since yesterday: C.java:4"},
		{"edited for days", []codelens.View{good, edited, edited, worse}, "1 new since yesterday: C.java:4"},
		{"not known", []codelens.View{good, notKnown, worse}, "1 new since yesterday: C.java:4"},
		{"it was so before", []codelens.View{worse, edited, notKnown, worse}, "nothing new since yesterday"},
		{"never known", []codelens.View{edited, worse}, "nothing new since yesterday"},
	} {
		h, got := &History{}, ""
		for i, v := range x.runs {
			got = said(h, clock(10+i, 9), v)
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.what, got, x.want)
		}
	}
	h := &History{}
	said(h, clock(10, 9), good)
	h.Add(RunOf(edited, clock(11, 9), "paper"), h.Last)
	if got := h.Last.Catches[0].Part; got != "unknown" {
		t.Errorf("a verdict in another reading is kept: %s", got)
	}
}

// outdated is a view in which all verdicts are of older code.
func outdated(v codelens.View) codelens.View {
	for _, s := range v.Results.ByCatch {
		s.Stale = true
	}
	return v
}

// Where nothing is new as far as is known, the line says of how many catches that is not known.
func TestNothingNewOfWhatRan(t *testing.T) {
	v := of(clause{"m", "a", holds}, clause{"n", "b", holds}, clause{"o", "c", open})
	h := &History{Last: RunOf(v, clock(10, 9), "usage")}
	outdated(v)
	v.Results.ByCatch[v.Snap.Catches[1].ID].Stale = false
	const want = "nothing new since yesterday, 1 not run since a change"
	if got := h.Of(v, clock(11, 9), "usage").Text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What merely becomes known of a catch is not new: a first test of old code, or one that gets to a
// handler that only faults got to.
func TestKnownForTheFirstTime(t *testing.T) {
	for part, state := range map[string]results.State{
		"untested": {Ran: true},
		"faults": {Ran: true, Tests: []string{"p.CTest#m"},
			Links: map[string]*results.Experienced{"l": {Fault: true}}},
	} {
		then := of(clause{"m", "a", open})
		*then.Results.ByCatch[then.Snap.Catches[0].ID] = state
		h := &History{Last: RunOf(then, clock(10, 9), "usage")}
		if got := h.Last.Catches[0].Part; got != part {
			t.Errorf("it stands as %s, want %s", got, part)
		}
		if got := lines(h.Of(of(clause{"m", "a", violated}), clock(11, 9), "usage")); got != "nothing new" {
			t.Errorf("%s then: %s", part, got)
		}
	}
}

func lines(n *News) string {
	if len(n.New) == 0 {
		return "nothing new"
	}
	text := fmt.Sprintf("%d new:", len(n.New))
	for _, c := range n.New {
		text += fmt.Sprint(" ", c.Line)
	}
	return text
}

// The line begins with how the catches stand, and names three of those that are new.
func TestOutcome(t *testing.T) {
	var before, after []clause
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		before, after = append(before, clause{"m", name, holds}), append(after, clause{"m", name, violated})
	}
	h := &History{Last: RunOf(of(before...), clock(10, 9), "usage")}
	v := of(append(after, clause{"m", "f", holds})...)
	const want = "5 depend on the source, 1 copes; 5 new since yesterday: C.java:4, C.java:5, C.java:6, and 2 more"
	if got := Outcome(v, h.Of(v, clock(11, 9), "usage")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Outcome(v, nil); got != "5 depend on the source, 1 copes" {
		t.Errorf("with nothing to compare with: %s", got)
	}
}
