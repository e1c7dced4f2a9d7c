package codelens

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// Until all tests have run nobody says what none does: no lens, hover, hint, report or explanation.
func TestPartialBaseline(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{}, record.Pass, "")
	s.Tests, s.Matrix, s.Verdict = nil, nil, shortcircuit.Decide(shortcircuit.Row{Types: c.Types})
	s.Faults.Tried = map[string]results.Tried{"own": {Outcome: results.NoTest}}
	says := func() string {
		var b strings.Builder
		Explain(&b, v, c, "")
		for _, d := range Diagnostics(v, c.File, nil) {
			b.WriteString(d.Message)
		}
		r := reportCatch(v, c)
		return b.String() + Title(v, c) + CatchHover(v, c, nil, nil) + MatrixPage(v, c, nil, nil) + r.Contract.Why +
			strings.Join(r.Contract.Missing, " ")
	}
	known := says()
	for _, text := range []string{"No passing test enters this try.", "no test enters this try", "The matrix is empty",
		"Missing for"} {
		if !strings.Contains(known, text) {
			t.Errorf("when all tests have run, nobody says %q: %s", text, known)
		}
	}
	v.Results.Partial = true
	if got := says(); strings.Contains(strings.ToLower(got), "no test ") &&
		!strings.Contains(got, "What no test does is not known") ||
		strings.Contains(got, "no test enters") || strings.Contains(got, "No passing test") ||
		strings.Contains(got, "no passing test") || strings.Contains(got, "Missing for") {
		t.Errorf("while tests have not run: %s", got)
	}
	if got, want := Title(v, c), "2 failures, none tested · not all tests have been run"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	for want, runs := range map[string]*Runs{
		"2 failures, none tested · not all tests have been run": {Catches: []string{"another"}},
		"2 failures, none tested · running…":                    {}} {
		v.Runs = runs
		if got := Title(v, c); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
	if !slices.ContainsFunc(Problems(v),
		func(p ReportProblem) bool { return strings.Contains(p.Message, "not all tests have been run") }) {
		t.Error("the report does not say that tests have not been run")
	}
}

// What the tests that have run agree on is said to be so far; what one of them disproves is
// certain.
func TestPartialVerdicts(t *testing.T) {
	for outcome, want := range map[record.Outcome]string{record.Pass: "copes wherever it comes from so far",
		record.Fail: "fails if it comes earlier"} {
		v, c := view()
		v, s := laid(v, c, record.Usage{White: 1}, outcome, "")
		v.Results.Partial, s.Verdict.SourceCertain = true, true
		s.Stretch = shortcircuit.Stretch{Answer: shortcircuit.StretchYes, To: "java.lang.Exception"}
		if got := Title(v, c); !strings.HasSuffix(got, " · "+want) {
			t.Errorf("title %q, want %q", got, want)
		}
		if got := isConfirmed(v, c); got != (outcome == record.Fail) {
			t.Errorf("%s: certain is %v", want, got)
		}
		if StretchTitle(v, c) != "" {
			t.Error("a catch is offered as verified before all tests have run")
		}
	}
}

// That the tests which have run do not make a catch run is said of these alone, also where they
// pass with and without the exception.
func TestPartialResilience(t *testing.T) {
	v, c := view()
	v, s := laid(v, c, record.Usage{Pink: 1}, record.Pass, "")
	if s.Verdict.PureResilience != shortcircuit.Holds {
		t.Fatalf("the verdict is %+v", s.Verdict)
	}
	says := func() string {
		text := reportCatch(v, c).Contract.Why + "\n" + MatrixPage(v, c, nil, nil)
		for _, d := range Diagnostics(v, c.File, nil) {
			text += d.Message
		}
		return text
	}
	if got := says(); !strings.Contains(got, "No test makes this catch run.") ||
		!strings.Contains(got, shortcircuit.NoneMakesItRun) {
		t.Errorf("when all tests have run: %s", got)
	}
	v.Results.Partial = true
	if got := says(); strings.Contains(strings.ToLower(got), shortcircuit.NoneMakesItRun) ||
		!strings.Contains(got, "no test that has run makes this catch run, but") {
		t.Errorf("while tests have not run: %s", got)
	}
	if _, err := LinkTests(v, c.Links[0]); err == nil || !strings.Contains(err.Error(), notAllRun) {
		t.Errorf("while tests have not run, no test is written for a link: %v", err)
	}
}

// While tests are left, no catch is run stretched: the hover and the report say so.
func TestPartialStretch(t *testing.T) {
	const when = "it has not been run with the stretched catch, which is done once all tests have run"
	v, c := view()
	v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
	s.Stretch = shortcircuit.Stretch{Answer: shortcircuit.StretchUnknown, Why: shortcircuit.NotRunStretched}
	says := func() [2]string { return [2]string{stretchSentence(v, c), reportCatch(v, c).Contract.Stretching.Why} }
	if got, why := says(), shortcircuit.NotRunStretched; got[1] != why || !strings.HasSuffix(got[0], why) {
		t.Errorf("when all tests have run: %q", got)
	}
	v.Results.Partial = true
	if got := says(); got[1] != when || got[0] != "Not known whether it is stretchable: "+when {
		t.Errorf("while tests have not run: %q", got)
	}
}

// While a catch is run, that it is unknown is nothing to say; nor is it stale where nobody has
// edited its code.
func TestRunningTitle(t *testing.T) {
	v, c := view()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Flaky, "")
	if got := Title(v, c); !strings.HasSuffix(got, "not known whether it copes") {
		t.Errorf("at rest: %q", got)
	}
	v.Runs = &Runs{}
	if got := Title(v, c); !strings.HasSuffix(got, "· running…") {
		t.Errorf("in a run of all: %q", got)
	}
	v.Runs = &Runs{Catches: []string{"another"}}
	if got := Title(v, c); !strings.HasSuffix(got, "not known whether it copes") {
		t.Errorf("in a run of another: %q", got)
	}
	v.Runs = nil
	c.Withheld = []*snapshot.Link{{ID: "x", Catch: c}}
	if got := Title(v, c); !strings.HasSuffix(got, "stale") {
		t.Errorf("after an edit: %q", got)
	}
	v.Snap.Unedited = true
	if got := Title(v, c); strings.HasSuffix(got, "stale") {
		t.Errorf("after a run that taught the analysis something: %q", got)
	}
}

// While tests are left, that those which ran do not make a catch run, or leave it open whether it
// copes, is nothing final.
func TestPartialUnknown(t *testing.T) {
	for usage, want := range map[record.Usage]string{{Pink: 1}: notAllRun,
		{White: 1}: "not known whether it copes so far"} {
		v, c := view()
		v, s := laid(v, c, usage, record.Fail, "")
		v.Results.Partial = true
		s.Verdict.SourceIndependence, s.Verdict.PureResilience = shortcircuit.Unknown, shortcircuit.Violated
		if got := Title(v, c); !strings.HasSuffix(got, " · "+want) {
			t.Errorf("%+v: title %q, want %q", usage, got, want)
		}
	}
}

// Where no test class is left that may enter the try of a catch that was run by itself, what its
// tests show is said, and the catch is not among those that have not been run.
func TestAllThatMayEnterHaveRun(t *testing.T) {
	none := func(*snapshot.Catch) []string { return nil }
	one := func(*snapshot.Catch) []string { return []string{"p.DTest"} }
	for _, x := range []struct {
		name    string
		left    func(*snapshot.Catch) []string
		running bool
		matrix  bool
		fault   bool
		want    string
		part    string
	}{
		{"none is left", none, false, true, false, "no test gets to the catch so far", "untested"},
		{"only faults came", none, false, true, true, "only faults get to the catch so far", "faults"},
		{"one is left", one, false, true, false, notAllRun, "not-run"},
		{"it is not known which are", nil, false, true, false, notAllRun, "not-run"},
		{"it was not asked for", none, false, false, false, notAllRun, "not-run"},
		{"it is being run", none, true, true, false, "running…", "not-run"},
	} {
		v, c := view()
		v, s := laid(v, c, record.Usage{Pink: 1}, record.Fail, "")
		v.Results.Partial, v.Results.NotRunOf = true, x.left
		if x.left != nil {
			v.Results.MayEnter = func(c *snapshot.Catch) bool { return len(x.left(c)) > 0 }
		}
		if x.running {
			v.Runs = &Runs{Catches: []string{c.ID}}
		}
		if !x.matrix {
			s.Matrix = nil
		}
		if x.fault {
			s.Links["own"] = &results.Experienced{Tests: []string{"p.CTest#m"}, Fault: true}
		}
		listed := v
		results := *v.Results
		results.NotRunOf = func(*snapshot.Catch) []string {
			t.Errorf("%s: a list asks which are left", x.name)
			return nil
		}
		listed.Results = &results
		if got := Title(listed, c); !strings.HasSuffix(got, " tested · "+x.want) {
			t.Errorf("%s: title %q, want %q", x.name, got, x.want)
		}
		if part, _, _ := Part(listed, c); part != x.part {
			t.Errorf("%s: counted under %q, want %q", x.name, part, x.part)
		}
		hover, says := CatchHover(v, c, nil, nil), "all test classes that may enter it by the call graph have run"
		got := strings.Contains(hover, says) && strings.Contains(hover, "No test that has run makes this catch run")
		if want := strings.HasSuffix(x.want, soFar); got != want {
			t.Errorf("%s: the hover tells that none is left: %v, want %v\n%s", x.name, got, want, hover)
		}
		if strings.Contains(hover, "What no test does is not known") != (x.want == notAllRun || x.running) {
			t.Errorf("%s: the hover on what is not known:\n%s", x.name, hover)
		}
	}
}

// The hover of a catch to which nothing comes says why, and only then.
func TestWhyNone(t *testing.T) {
	const nothing, uncounted = "nothing that this try may call is found", "does not count"
	for _, x := range []struct {
		name   string
		change func(v View, c *snapshot.Catch) View
		want   string
	}{
		{"two links", func(v View, c *snapshot.Catch) View { return v }, ""},
		{"no link", func(v View, c *snapshot.Catch) View { c.Links = nil; return v }, nothing},
		{"a test made it run all the same", func(v View, c *snapshot.Catch) View {
			v, s := laid(v, c, record.Usage{White: 1}, record.Pass, "")
			c.Links, s.Reached = nil, true
			return v
		}, uncounted},
	} {
		v, c := view()
		v = x.change(v, c)
		for _, hover := range []string{CatchHover(v, c, nil, nil), longHover(v, c, nil)} {
			for _, says := range []string{nothing, uncounted} {
				if strings.Contains(hover, says) != (says == x.want) {
					t.Errorf("%s: %q in the hover, want %q:\n%s", x.name, says, x.want, hover)
				}
			}
		}
	}
}
