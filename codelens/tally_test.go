package codelens

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// tally is a workspace with a catch of every kind, and in tests one that does not count.
func tally() (View, int) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	add := func(change func(c *snapshot.Catch, s *results.State)) {
		_, n := view()
		st := *s
		n.ID = fmt.Sprintf("p/C.m()#%d", len(v.Snap.Catches))
		change(n, &st)
		v.Snap.Catches = append(v.Snap.Catches, n)
		v.Results.ByCatch[n.ID] = &st
	}
	add(func(c *snapshot.Catch, _ *results.State) { c.Compiled = false })
	add(func(c *snapshot.Catch, _ *results.State) { c.Compiled, c.HiddenBy = false, "m" })
	add(func(c *snapshot.Catch, _ *results.State) { c.Handlers = nil })
	add(func(_ *snapshot.Catch, s *results.State) { s.Ran = false })
	add(func(_ *snapshot.Catch, s *results.State) {
		s.Matrix, s.Verdict = nil, shortcircuit.Verdict{SourceIndependence: shortcircuit.Unknown,
			PureResilience: shortcircuit.Unknown}
	})
	add(func(_ *snapshot.Catch, s *results.State) {
		s.Tests, s.Usage, s.Verdict = nil, record.Usage{},
			shortcircuit.Verdict{SourceIndependence: shortcircuit.Unknown, PureResilience: shortcircuit.Unknown}
	})
	n := len(v.Snap.Catches)
	add(func(c *snapshot.Catch, _ *results.State) { c.InTests = true })
	return v, n
}

// The tiles of a report add up to its catches.
func TestVerdictsAddUp(t *testing.T) {
	v, n := tally()
	list, sum := verdictCounts(v), 0
	for _, x := range list {
		sum += x.n
	}
	if sum != n || len(list) != n {
		t.Errorf("%d catches in %d kinds, want %d of each: %v", sum, len(list), n, list)
	}
	sum = 0
	for _, p := range htmlParts(v) {
		sum += len(p.Catches)
	}
	if sum != n {
		t.Errorf("the tiles add up to %d of %d", sum, n)
	}
}

// A report of nothing that is compiled says so, and claims no coverage.
func TestReportOfNothing(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Faults = results.Faults{Possible: []faults.Kind{faults.DiskFull}, Seen: []faults.Kind{faults.DiskFull}}
	both := func() string {
		var text, page strings.Builder
		if err := Text(context.Background(), &text, v, TextOptions{Links: false}); err != nil {
			t.Fatal(err)
		}
		if err := HTMLReport(context.Background(), &page, v, "test"); err != nil {
			t.Fatal(err)
		}
		return text.String() + page.String()
	}
	if got := both(); !strings.Contains(got, "overall 100%") || !strings.Contains(got, "of the faults have come") ||
		strings.Contains(got, "othing has been analysed") {
		t.Error("the fault that came is not counted, or nothing is said to be analysed")
	}
	c.Compiled, c.Handlers, c.Links = false, nil, nil
	if got := both(); strings.Contains(got, "overall 100%") || strings.Contains(got, "of the faults have come") ||
		strings.Count(got, "othing has been analysed: of 1 catch none is compiled") != 2 {
		t.Errorf("of nothing: %s", got[:min(len(got), 600)])
	}
	if r := reportCatch(v, c); r.Faults != nil {
		t.Errorf("faults of a catch that is not compiled: %+v", r.Faults)
	}
}

func TestParameterTypes(t *testing.T) {
	for method, want := range map[string]string{"m()V": "()",
		"m(ILjava/lang/String;[[JLp/A$B;LList;)V": "(int, String, long[][], A.B, List)", "m": ""} {
		if got := ParameterTypes(method); got != want {
			t.Errorf("%s: %q, want %q", method, got, want)
		}
	}
}

// The last line of a report for a terminal counts every catch once, whatever its verdict.
func TestSummary(t *testing.T) {
	known := map[string]bool{}
	for _, p := range summaryParts {
		for _, term := range p.terms {
			if known[term] {
				t.Errorf("%s is counted twice", term)
			}
			known[term] = true
		}
	}
	for _, term := range slices.Concat(verdictOrder, slices.Collect(maps.Keys(plainWords)),
		[]string{notAllRun, "running…", notCompiled, notAnalysed}) {
		if !known[term] {
			t.Errorf("%s is not counted", term)
		}
	}
	if p := summaryParts[summaryPart("new")]; p.words != notKnownPart || p.settled {
		t.Errorf("what no part names is counted as %+v", p)
	}
	unknown := summaryPart("new")
	if one := partWords(unknown, 1); one != "not known whether it copes" || partWords(unknown, 2) != notKnownPart {
		t.Errorf("1 %s, 2 %s", one, partWords(unknown, 2))
	}
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "x")
	if got := Summary(v); got != "1 depends on the source" {
		t.Errorf("%q", got)
	}
	v.Words = "paper"
	if got := Summary(v); got != "1 source-dependent" {
		t.Errorf("in the papers' terms %q", got)
	}
}

// What does not cope is listed first, with the test and what to do, and in red at a terminal only;
// of what copes the number alone is told, unless all are asked for.
func TestTextSaysWhatIsFirst(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail, "x")
	s.Verdict.Cause = &shortcircuit.Cause{What: clause.Prepared{Kind: clause.Local, Name: "conn"},
		Set: clause.Set{Line: 3, Value: "null"}, Use: clause.Use{Line: 7, Where: clause.InClause}}
	text := func(o TextOptions) string {
		var b strings.Builder
		if err := Text(t.Context(), &b, v, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	failures := Title(v, c)[:strings.Index(Title(v, c), " · ")]
	why := "      CTest#m fails when IOException is thrown at its start\n"
	for _, k := range []struct {
		o    TextOptions
		want string
	}{
		{TextOptions{}, "1 depends on the source:\n  src/p/C.java:4  catch (IOException)  " + failures +
			" · fails if it comes earlier\n" + why},
		{TextOptions{Color: true}, "1 depends on the source:\n  src/p/C.java:4  catch (IOException)  \x1b[31m" +
			failures + " · fails if it comes earlier\x1b[0m\n" + why},
		{TextOptions{Brief: true}, "\nFirst:\n  src/p/C.java:4  fails if it comes earlier\n" + why},
	} {
		o, want := k.o, k.want
		got := text(o)
		if !strings.Contains(got, want) || !o.Brief && !strings.HasPrefix(got, want) ||
			o.Color != strings.Contains(got, "\x1b") || !strings.Contains(got, "      Set conn before the try") ||
			!strings.HasSuffix(got, "\n1 depends on the source\n") {
			t.Errorf("%+v:\n%s", o, got)
		}
	}
	s.Verdict.SourceIndependence = shortcircuit.Holds
	line := "  src/p/C.java:4  catch (IOException)  "
	if got := text(TextOptions{}); !strings.HasPrefix(got, "1 copes (--all lists them)\n\n") ||
		strings.Contains(got, line) || strings.Contains(text(TextOptions{Brief: true}), "First:") {
		t.Errorf("nothing is to be done:\n%s", got)
	}
	for _, o := range []TextOptions{{All: true}, {Links: true}, {Only: []*snapshot.Catch{c}}} {
		if got := text(o); !strings.HasPrefix(got, "1 copes:\n"+line) {
			t.Errorf("%+v:\n%s", o, got)
		}
	}
}

// A list of some catches has no other.
func TestTextOfSome(t *testing.T) {
	v, n := tally()
	var b strings.Builder
	if err := Text(t.Context(), &b, v, TextOptions{Only: v.Snap.Catches[1:2]}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "  catch ("); got != 1 || n < 3 {
		t.Errorf("%d of %d catches are listed:\n%s", got, n, b.String())
	}
}
