package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// A hover says in ten lines what is wrong, where, and what to do, with what is untested first.
func TestShortHover(t *testing.T) {
	v, c := judged()
	v, s := laid(v, c, record.Usage{White: 1}, record.Fail, "NullPointerException")
	s.Links[c.Links[0].ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	s.Verdict.Cause = &shortcircuit.Cause{What: clause.Prepared{Kind: clause.Local, Name: "conn"},
		Set: clause.Set{Line: 3, Value: "null"}, Use: clause.Use{Line: 7, Where: clause.InClause}, Class: "p.C",
		Method: "read", Line: 7, Exception: "java.lang.NullPointerException"}
	link := func(label, command string, args ...string) string {
		return label + "=" + command + "(" + strings.Join(args, ",") + ")"
	}
	got := CatchHover(v, c, FileURI("/ws"), link)
	want := []string{
		"**1 of 3 failures tested · fails if it comes earlier**",
		"It does not cope wherever in the try the exception comes from (source-dependent, not yet confirmed).",
		"- `CTest#m` fails when `IOException` is thrown at its start: the clause uses conn in line 7, " +
			"which the try sets to null in line 3. That is a `NullPointerException` at `C.read:7`.",
		"- Set conn before the try, or ask in the clause whether it is there. If it is meant to be so, " +
			"accept this verdict.",
		"Not tested: 2 of 3 failures.",
		"- [`line 4`](file:///ws/src/p/C.java#L4), `Api.read`: `EOFException`, not tested",
		"- [`line 5`](file:///ws/src/p/C.java#L5), `Api.read`: `IOException`, not tested",
		"- [`line 4`](file:///ws/src/p/C.java#L4), `Api.read`: `IOException`, tested by `CTest#m`",
		"Run=catchlens.runCatch(" + c.ID + ") · Matrix=catchlens.showMatrix(" + c.ID +
			") · Chains=catchlens.showChains(" + c.ID + ") · What is this?=catchlens.explain()",
	}
	var lines []string
	for l := range strings.SplitSeq(strings.TrimSpace(got), "\n") {
		if l != "" {
			lines = append(lines, l)
		}
	}
	for i := range max(len(lines), len(want)) {
		a, b := "", ""
		if i < len(lines) {
			a = lines[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			t.Errorf("line %d:\n%s\nwant\n%s", i+1, a, b)
		}
	}
	if h := CatchHover(v, c, nil, nil); strings.Contains(h, "What is this?") {
		t.Error("a client without commands in hovers is sent links")
	}
	for _, l := range c.Links {
		s.Links[l.ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	}
	if h := CatchHover(v, c, nil, nil); !strings.Contains(h, "Tested: 3 failures.") {
		t.Errorf("all tested:\n%s", h)
	}
}

// What a hover does not list adds up, with what it lists, to the failures above: under "Not tested"
// those that a test is missing for are apart from the others.
func TestRestText(t *testing.T) {
	untested, tested, apart := Failure{}, Failure{Outcome: Experienced}, Failure{Apart: ThrownByTests}
	for _, x := range []struct {
		rest      []Failure
		allTested bool
		want      string
	}{
		{[]Failure{untested, untested}, false, "2 more"},
		{[]Failure{untested, apart, {Outcome: Judged}}, false, "1 more, and 2 not counted"},
		{[]Failure{untested, {Outcome: Outcome(results.IsForced)}, tested, tested}, false, "2 more, and 2 tested"},
		{[]Failure{untested, tested, apart}, false, "1 more, 1 tested, and 1 not counted"},
		{[]Failure{tested, apart}, false, "1 tested, and 1 not counted"},
		{[]Failure{tested, tested, apart}, true, "2 more, and 1 not counted"},
		{[]Failure{apart}, true, "1 not counted"},
	} {
		if got := restText(x.rest, x.allTested); got != x.want {
			t.Errorf("%d failures, all tested %v: %q, want %q", len(x.rest), x.allTested, got, x.want)
		}
	}
}

// The line below a list says whose number stands above it.
func TestRestBelowList(t *testing.T) {
	v, c := judged()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	l := v.Links(c)[0]
	s.Links[l.ID] = &results.Experienced{Tests: []string{"p.CTest#m"}, Baseline: true}
	failure := func(o Outcome) Failure { return Failure{Shows: l, Outcome: o} }
	tested := []Failure{failure(Experienced), failure(Experienced), failure(Experienced), failure(Experienced)}
	for want, list := range map[string][]Failure{
		"\nTested: 4 failures.\n":          tested,
		"\nNot tested: 1 of 5 failures.\n": append([]Failure{failure(Unknown)}, tested...),
	} {
		var b strings.Builder
		failureItems(&b, v, list, nil)
		rest := map[int]string{4: "\n- … and 1 more\n", 5: "\n- … and 2 tested\n"}[len(list)]
		if got := b.String(); !strings.Contains(got, want) || !strings.HasSuffix(got, rest) {
			t.Errorf("want %q and %q of\n%s", want, rest, got)
		}
	}
}
