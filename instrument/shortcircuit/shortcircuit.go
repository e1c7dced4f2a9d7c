// Package shortcircuit decides the two resilience contracts of Cornu, Seinturier
// and Monperrus, "Exception Handling Analysis and Transformation Using Fault
// Injection" (2014), from the matrix of injected runs and the usages of the
// baseline.
//
// Input: for one catch, the tests whose baseline passed and entered its try,
// with their usages (section 3.3.1), and the matrix cells of the injected runs
// (section 3.2). Result: a Verdict with the four predicates of section 3.3
// folded into two three-valued answers, the sentence that explains them and
// the runs that decided.
//
// Where this departs from the paper: a catch with several alternative types is
// one catch, and a test passes under injection only if it passes for each of
// them; a run in which the injection did not fire, and a flaky test, decide
// nothing and are left out of the set A_x; predicate 1 asks for at least one
// white usage, because the paper's formula holds vacuously without; and pure
// resilience implies source independence (3.1), which is said where it is the
// only ground.
package shortcircuit

import (
	"fmt"
	"sort"
	"strings"

	"catchlens/instrument/campaign"
)

// Answer is a three-valued verdict on one contract.
type Answer string

// Answers (REPORT.md, contract).
const (
	Holds    Answer = "holds"
	Violated Answer = "violated"
	Unknown  Answer = "unknown"
)

// Row is everything that is known of one catch, Test one test of it.
type (
	Row  = campaign.Row
	Test = campaign.RowTest
)

// Verdict is the decision on one catch.
type Verdict struct {
	SourceIndependence, PureResilience Answer
	// OnlyByResilience: source independence follows from pure resilience alone.
	OnlyByResilience bool
	// ByFineGrain: an answer that held by the start of the try is violated by a place
	// inside it.
	ByFineGrain bool
	Why         string
	// Missing says of each answer that is unknown which test would decide it.
	Missing []string
	// SourceCertain and ResilienceCertain: what the answer rests on was seen in fresh
	// JVMs into which nothing else was injected. An unknown is never certain.
	SourceCertain, ResilienceCertain bool
	// Witnesses are the failing runs of a violation, those first that are certain.
	Witnesses []campaign.Cell
	// Deciding are the runs that the answers rest on: of a violation one witness, for
	// each type that has one; of an answer that holds all that could have
	// overturned it. Ordered by test and type.
	Deciding []campaign.Cell
	Usage    campaign.Usage // sum over the stable tests
	// Tests is how many stable tests entered the try, Decided how many of them
	// an injected run decided.
	Tests, Decided int
}

// under is what the injected runs of one test say together.
type under uint8

const (
	undecided under = iota
	passes
	fails
)

// underInjection folds a test's cells: it fails if any alternative fails, and
// passes if every alternative was run, fired and passed.
func underInjection(types []string, cells []campaign.Cell) (under, []campaign.Cell) {
	var failing []campaign.Cell
	passed := map[string]bool{}
	for _, c := range cells {
		switch {
		case c.Outcome.Failed() && c.Fired > 0:
			failing = append(failing, c)
		case c.Outcome == campaign.Pass && c.Fired > 0:
			passed[c.Type] = true
		}
	}
	if len(failing) > 0 {
		return fails, failing
	}
	for _, t := range types {
		if !passed[t] {
			return undecided, nil
		}
	}
	if len(types) == 0 {
		return undecided, nil
	}
	return passes, nil
}

// tally counts a row's tests by usage and by what the injected runs said.
type tally struct {
	white, pink, any    [3]int // by under
	tests, notFired     int
	uncertain           int // tests that entered the try in one repetition only: never injected into
	sometimes           int // tests that made the catch run in one repetition only
	run                 int // tests with at least one cell
	whites, whiteRun    int // tests with a white usage, and those with a cell
	whiteFails, failing []campaign.Cell
	usage               campaign.Usage
}

func tallyOf(r *Row) tally {
	var t tally
	for _, test := range r.Tests {
		if test.Baseline != campaign.Pass {
			continue
		}
		if test.Sometimes {
			t.sometimes++
		}
		if test.Usage.Total() == 0 {
			t.uncertain++
			continue
		}
		t.tests++
		t.usage = t.usage.Add(test.Usage)
		u, failing := underInjection(r.Types, test.Cells)
		if len(test.Cells) > 0 {
			t.run++
		}
		for _, c := range test.Cells {
			if c.Outcome == campaign.NotFired {
				t.notFired++
				break
			}
		}
		t.any[u]++
		if test.Usage.Pink > 0 {
			t.pink[u]++
		}
		if test.Usage.White > 0 {
			t.white[u]++
			t.whites++
			if len(test.Cells) > 0 {
				t.whiteRun++
			}
			t.whiteFails = append(t.whiteFails, failing...)
		}
		t.failing = append(t.failing, failing...)
	}
	return t
}

// Decide evaluates the predicates of section 3.3 on one row. It is a pure
// function of the row; the order of tests and cells does not matter.
func Decide(r Row) Verdict {
	t := tallyOf(&r)
	v := Verdict{
		SourceIndependence: Unknown, PureResilience: Unknown,
		Usage: t.usage, Tests: t.tests, Decided: t.any[passes] + t.any[fails],
	}
	// Runs that are still to come could overturn a "holds": it is given only
	// once every test that could do so has been run.
	complete := t.run == t.tests
	switch {
	case t.any[fails] > 0:
		v.PureResilience = Violated
	case complete && t.pink[passes] > 0:
		v.PureResilience = Holds
	}
	switch {
	case t.white[fails] > 0:
		v.SourceIndependence = Violated
		v.Witnesses = t.whiteFails
	case t.whiteRun == t.whites && t.white[passes] > 0:
		v.SourceIndependence = Holds
	case v.PureResilience == Holds:
		v.SourceIndependence = Holds
		v.OnlyByResilience = true
	}
	if v.Witnesses == nil && v.PureResilience == Violated {
		v.Witnesses = t.failing
	}
	sort.SliceStable(v.Witnesses, func(i, j int) bool {
		a, b := v.Witnesses[i], v.Witnesses[j]
		if a.Certain != b.Certain {
			return a.Certain
		}
		return byTest(a, b)
	})
	v.settle(&r, t)
	v.Why = why(v, t)
	v.Missing = missing(v, t)
	return v
}

func byTest(a, b campaign.Cell) bool {
	if a.Test != b.Test {
		return a.Test < b.Test
	}
	return a.Type < b.Type
}

// why is the one sentence that REPORT.md asks for; for unknown it says what is
// missing.
func why(v Verdict, t tally) string {
	switch {
	case v.SourceIndependence == Violated:
		w := v.Witnesses[0]
		return fmt.Sprintf("%s runs this catch, and does not pass when %s comes from the start of the try (%s%s)",
			w.Test, w.Injected, w.Outcome, colon(w.Message))
	case v.SourceIndependence == Holds && v.OnlyByResilience:
		return fmt.Sprintf("no test makes this catch run, but %s when the exception is thrown at the start of the try: purely resilient, hence source-independent", allPass(v.Decided, "that enter{s} the try"))
	case v.SourceIndependence == Holds && v.PureResilience == Holds:
		return fmt.Sprintf("%s when the exception is thrown at the start of the try", allPass(v.Decided, "that enter{s} the try"))
	case v.SourceIndependence == Holds:
		return fmt.Sprintf("%s when the exception comes from the start of the try", allPass(t.white[passes], "that make{s} this catch run"))
	case t.tests == 0 && t.uncertain > 0:
		return "a test enters the try in one run and not in the next: too uncertain to inject into"
	case t.tests == 0:
		return "no passing test enters the try"
	case t.run < t.tests && (t.whiteRun < t.whites || v.PureResilience == Unknown):
		return fmt.Sprintf("not all injected runs are done: %d of %d tests", t.run, t.tests)
	case v.Decided == 0 && t.notFired > 0:
		return "the try did not run again under injection"
	case v.Decided == 0:
		return "no injected run gave an answer: the exception could not be thrown here"
	case t.usage.White == 0 && t.sometimes > 0:
		return "a test makes this catch run in one run and not in the next: it decides nothing"
	case t.usage.White == 0:
		return "no test makes this catch run"
	default:
		return "the tests that make this catch run gave no answer under injection"
	}
}

// missing says for each unknown answer what test would decide it (the pathological
// cases of section 3.3).
func missing(v Verdict, t tally) (out []string) {
	if v.SourceIndependence == Unknown {
		out = append(out, "source independence: "+lacksWhite(t))
	}
	if v.PureResilience == Unknown {
		out = append(out, "pure resilience: "+lacksPink(t))
	}
	return out
}

// unanswered is what both contracts may lack; "" if it is something else.
func unanswered(t tally) string {
	switch {
	case t.tests == 0 && t.uncertain > 0:
		return "a test that enters the try in every run (those there are enter it in one run and not in the next)"
	case t.tests == 0:
		return "a passing test that enters the try"
	case t.any[passes]+t.any[fails] == 0 && t.notFired > 0:
		return "a test in which the try runs each time: it did not run again under injection"
	}
	return ""
}

func lacksWhite(t tally) string {
	if text := unanswered(t); text != "" {
		return text
	}
	switch {
	case t.whites == 0 && t.usage.Blue > 0 && t.usage.Pink == 0:
		return "a test that makes this catch run; only exceptions were seen that it does not take"
	case t.whites == 0 && t.sometimes > 0:
		return "a test that makes this catch run in every run (those there are do in one run and not in the next)"
	case t.whites == 0:
		return "a test that makes this catch run"
	case t.whiteRun < t.whites:
		return "no test, but the injected runs that are not done"
	default:
		return "a test that makes this catch run and gives an answer under injection"
	}
}

func lacksPink(t tally) string {
	if text := unanswered(t); text != "" {
		return text
	}
	switch {
	case t.usage.Pink == 0:
		return "a test in which the try ends without an exception; it was only seen with one"
	case t.run < t.tests:
		return "no test, but the injected runs that are not done"
	default:
		return "a test in which the try ends without an exception and that gives an answer under injection"
	}
}

// allPass says that n tests pass; {s} in which is the ending of a verb.
func allPass(n int, which string) string {
	plural := strings.ReplaceAll(which, "{s}", "")
	switch n {
	case 1:
		return "the one test " + strings.ReplaceAll(which, "{s}", "s") + " passes"
	case 2:
		return "both tests " + plural + " pass"
	}
	return fmt.Sprintf("all %d tests %s pass", n, plural)
}

func colon(s string) string {
	if s == "" {
		return ""
	}
	const most = 160
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return ": " + s
}
