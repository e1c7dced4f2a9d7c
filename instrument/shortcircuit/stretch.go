package shortcircuit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file decides which catches may take more (catch stretching, section 3.4).
//
// Source-independent catches are the candidates. Where every exception that left the
// try was caught by the catch, stretching changes no test (case A). Else the tests in
// which one left it otherwise have been run with the stretched catch, and must pass
// (case B); and so must those that enter several stretched catches with all of them.
//
// Where this departs from the paper: a catch that cannot take Exception, because a
// test fails or its code needs the narrower type, is tried with the supertypes below;
// other catches of the same try keep what they take; and case A is decided for each
// test, so that of case B only the tests are run that can differ. A catch that no test makes
// run is not stretched, nor one that is for an interrupt or a cancellation (Widenings).

// StretchAnswer tells whether a catch may take java.lang.Exception.
type StretchAnswer string

// Answers (REPORT.md, contract.stretchable).
const (
	StretchYes     StretchAnswer = "yes"
	StretchNo      StretchAnswer = "no"
	StretchUnknown StretchAnswer = "unknown"
)

// StretchRow is everything that is known of stretching one catch.
type StretchRow struct {
	ID           string
	Independence Answer
	Widening     Widening
	Tests        []Test              // as in Row; cells are not looked at
	Runs         []*record.Stretched // of the catch, and of all together
}

// Stretch is the decision on one catch.
type Stretch struct {
	Answer StretchAnswer
	// To is the widest type that is safe, source form: Exception with yes, a narrower
	// one or "" with the others.
	To      string
	Already bool // the catch takes every Exception as it is
	CaseA   bool // decided by the usages alone
	Why     string
	// Tests is how many tests passed with the stretched catch, Takes what it took in
	// them that it does not take unstretched.
	Tests int
	Takes []string
	// Witnesses are the failing runs that rule out wider types, the widest first.
	Witnesses []*record.Stretched
}

// trial is what is known of one type.
type trial struct {
	state     trialState
	why       string
	caseA     bool
	tests     int
	takes     []string
	witnesses []*record.Stretched
}

type trialState uint8

const (
	open trialState = iota
	safe
	out
)

// DecideStretch evaluates section 3.4 on one row; a pure function of the row.
func DecideStretch(r StretchRow) Stretch {
	s := Stretch{Answer: StretchUnknown}
	switch {
	case r.Independence == Violated:
		s.Answer, s.Why = StretchNo, "the catch is source-dependent"
		return s
	case r.Independence != Holds:
		s.Why = "it is not known whether the catch is source-independent"
		return s
	case !r.Widening.Already && !slices.ContainsFunc(r.Tests,
		func(t Test) bool { return t.Baseline == record.Pass && t.Usage.White > 0 }):
		s.Why = NoneMakesItRun
		return s
	case r.Widening.Already:
		s.Answer, s.Already, s.Why = StretchYes, true, r.Widening.Why
		return s
	case len(r.Widening.To) == 0:
		if r.Widening.Never {
			s.Answer = StretchNo
		}
		s.Why = r.Widening.Why
		return s
	}
	for i, to := range r.Widening.To {
		t := r.try(to)
		switch {
		case t.state == open && i == 0:
			s.Why = t.why
			return s
		case t.state == open:
			return s
		case t.state == safe:
			s.To, s.CaseA, s.Tests, s.Takes = to, t.caseA, t.tests, t.takes
			if i == 0 {
				s.Answer, s.Why = StretchYes, t.why
			} else {
				s.Why += "; " + classname.InSource(to) + " is safe: " + t.why
			}
			return s
		case i == 0:
			s.Answer, s.Why = StretchNo, t.why
		}
		s.Witnesses = append(s.Witnesses, t.witnesses...)
	}
	return s
}

// try looks at one type.
func (r *StretchRow) try(to string) trial {
	form := r.run(to, "")
	if form == nil {
		return trial{why: NotRunStretched}
	}
	if form.Outcome == record.Fail {
		return trial{state: out, why: form.Message}
	}
	var blue []Test
	for _, t := range r.Tests {
		if t.Baseline == record.Pass && t.Usage.Blue > 0 {
			blue = append(blue, t)
		}
	}
	sort.Slice(blue, func(i, j int) bool { return blue[i].Name < blue[j].Name })
	if len(blue) == 0 {
		t := trial{state: safe, caseA: true, why: "in every test this catch caught all exceptions of its try"}
		return r.withOthers(to, t)
	}
	if form.Outcome != record.Pass {
		return trial{why: "no class can be made with the stretched catch: " + form.Message}
	}
	return r.withOthers(to, r.tests(to, blue))
}

// tests looks at the runs with one type (case B).
func (r *StretchRow) tests(to string, blue []Test) trial {
	t := trial{state: safe}
	missing, unsure := 0, ""
	takes := map[string]bool{}
	for _, test := range blue {
		run := r.run(to, test.Name)
		switch {
		case run == nil:
			missing++
		case run.Outcome.Failed() && run.Confirmed:
			t.witnesses = append(t.witnesses, run)
		case run.Outcome.Failed():
			unsure = test.Name + " fails with the stretched catch, which was not confirmed"
		case run.Outcome == record.NotFired:
			unsure = test.Name + ": " + run.Message
		case run.Outcome == record.Pass:
			t.tests++
			for _, e := range run.Exceptions {
				takes[e] = true
			}
		}
	}
	for e := range takes {
		t.takes = append(t.takes, e)
	}
	sort.Strings(t.takes)
	switch {
	case len(t.witnesses) > 0:
		return trial{state: out, witnesses: t.witnesses, why: failsWith(t.witnesses[0], to, "")}
	case unsure != "":
		return trial{why: unsure}
	case missing > 0:
		return trial{why: fmt.Sprintf("not all tests have been run with the stretched catch: %d of %d",
			len(blue)-missing, len(blue))}
	case t.tests == 0:
		return trial{why: "no test in which an exception leaves the try otherwise gave an answer"}
	}
	t.why = allPass(t.tests, t.tests, "in which an exception leaves the try otherwise") + " with the stretched catch"
	if len(t.takes) > 0 {
		t.why += ", which takes " + strings.Join(t.takes, ", ") + " there"
	}
	return t
}

// withOthers rules a type out that is safe by itself and not beside other stretched
// catches; a failing run that was not confirmed leaves it open.
func (r *StretchRow) withOthers(to string, t trial) trial {
	if t.state != safe {
		return t
	}
	me := r.ID + " to " + to
	for _, run := range r.Runs {
		if run.Catch != "" || !slices.Contains(run.With, me) {
			continue
		}
		switch mine := len(run.Took) == 0 || slices.Contains(run.Took, r.ID); {
		case !run.Outcome.Failed() || !mine:
		case run.Confirmed:
			return trial{state: out, witnesses: []*record.Stretched{run},
				why: failsWith(run, to, besides(len(run.With)-1))}
		default:
			t = trial{why: run.Test + " fails with several stretched catches, which was not confirmed"}
		}
	}
	return t
}

// NotTogether is the decision on a catch that is safe by itself while a test in which it could
// meet other stretched catches has not been run with all of them.
func (s Stretch) NotTogether(test string) Stretch {
	why := fmt.Sprintf("%s has not been run with all catches stretched that may be", test)
	if s.Answer == StretchYes {
		return Stretch{Answer: StretchUnknown, Why: why}
	}
	s.Why = strings.Replace(s.Why, " is safe: ", " is safe by itself, but "+why+": ", 1)
	s.To, s.CaseA, s.Tests, s.Takes = "", false, 0, nil
	return s
}

// besides says that other catches take more in the same run.
func besides(n int) string {
	if n == 1 {
		return ", and so does another one"
	}
	return fmt.Sprintf(", and so do %d others", n)
}

func failsWith(run *record.Stretched, to, besides string) string {
	takes := ""
	if len(run.Exceptions) > 0 {
		takes = " and catches " + strings.Join(run.Exceptions, ", ")
	}
	return fmt.Sprintf("%s does not pass when the catch takes %s%s%s (%s%s)", run.Test,
		classname.InSource(to), takes, besides,
		run.Outcome, colon(run.Message))
}

// run is the record of a type and a test.
func (r *StretchRow) run(to, test string) *record.Stretched {
	for _, run := range r.Runs {
		if run.Catch == r.ID && run.To == to && run.Test == test {
			return run
		}
	}
	return nil
}
