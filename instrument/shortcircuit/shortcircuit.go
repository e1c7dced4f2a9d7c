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
// Source independence is answered in two readings. Usage, the usual one, asks where the exception
// may come from: it rests on runs in which the executions were struck that were white, and no
// others. Paper rests on runs in which every execution was, with predicates 1 and 2 as they are
// written: only a test all of whose usages are white can show that a catch depends on the source. A
// verdict in one reading tells what the other one says.
//
// Where this departs from the paper: a catch with several alternative types is one catch, and a
// test passes under injection only if it passes for each of them (in the reading Usage: each that
// it makes the catch catch); a run in which the injection did not fire, one that is undecided, and
// a flaky test, decide nothing and are left out of the set A_x, but where tests fail with an
// exception that is made up, what others pass does not show that a contract holds; predicate 1
// asks for at least one white usage, because the paper's formula holds vacuously without; and pure
// resilience implies source independence (3.1), which is said where it is the only ground, and
// denied where source independence is.
package shortcircuit

import (
	"fmt"
	"sort"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
)

// Answer is a three-valued verdict on one contract.
type Answer string

// Answers (REPORT.md, contract).
const (
	Holds    Answer = "holds"
	Violated Answer = "violated"
	Unknown  Answer = "unknown"
)

// NoneMakesItRun is said of a catch by Verdict.Why: while tests are left, of those that have run.
const NoneMakesItRun = "no test makes this catch run"

// NotRunStretched is said of a catch by Stretch.Why where no test has run with it stretched.
const NotRunStretched = "it has not been run with the stretched catch"

// Reading is how source independence is answered.
type Reading string

// The readings.
const (
	Usage Reading = "usage"
	Paper Reading = "paper"
)

// Readings lists them, the usual one first.
var Readings = []Reading{Usage, Paper}

// opposite is the other reading.
func (r Reading) opposite() Reading {
	if r == Paper {
		return Usage
	}
	return Paper
}

// Verdict is the decision on one catch.
type Verdict struct {
	Reading                            Reading
	SourceIndependence, PureResilience Answer
	// Other is what source independence is in the other reading, and why.
	Other    Answer
	OtherWhy string
	// OnlyByResilience: source independence follows from pure resilience alone.
	OnlyByResilience bool
	// ByCode: the code of the clause shows source independence, whatever the runs of the tests that
	// make the catch run say: they are not asked for.
	ByCode bool
	// Throws: once the catch has caught an exception, the method ends with one. That pure
	// resilience holds then is the doing of nothing in the method.
	Throws bool
	// Cause is why the first witness of a violated source independence fails; nil in the reading
	// Paper, which does not ask.
	Cause *Cause
	// Unexplained are failing runs of tests that make the catch run for which nothing shows that
	// the clause is why.
	Unexplained []Unexplained
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
	Witnesses []record.Cell
	// Deciding are the runs that the answers rest on: of a violation one witness, for
	// each type that has one; of an answer that holds all that could have
	// overturned it. Ordered by test and type.
	Deciding []record.Cell
	Usage    record.Usage // sum over the stable tests
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

// struckEverywhere tells whether a cell is a run in which every execution was struck.
func struckEverywhere(c *record.Cell) bool { return c.Reading == record.Every || c.All() }

// struckWhite tells whether a cell is of runs in which white executions were struck.
func struckWhite(c *record.Cell) bool { return c.Reading == record.White }

// underInjection folds a test's cells of one kind: it fails if any alternative fails, and passes if
// every alternative was run, fired and passed; where white executions are struck, every one that
// was caught in them.
func underInjection(types []string, cells []record.Cell, of func(*record.Cell) bool) (u under, failing []record.Cell) {
	passed, any := map[string]bool{}, false
	for i := range cells {
		c := &cells[i]
		switch {
		case !of(c):
		case c.Outcome.Failed() && c.Fired > 0:
			failing = append(failing, *c)
		case c.Outcome == record.Pass && c.Fired > 0:
			passed[c.Type], any = true, true
		case c.Outcome == record.NotFired && struckWhite(c):
			passed[c.Type] = true // none of this type is caught
		}
	}
	if len(failing) > 0 {
		return fails, failing
	}
	for _, t := range types {
		any = any && passed[t]
	}
	if any {
		return passes, nil
	}
	return undecided, nil
}

// tally counts a row's tests by usage and by what the injected runs said.
type tally struct {
	white, pink, any [3]int // by under
	tests            int
	idle
	uncertain int // tests that entered the try in one repetition only: never injected into
	sometimes int // tests that made the catch run in one repetition only
	run       int // tests with at least one cell
	// tests with runs that may still change an answer: with every execution struck, with white
	// ones, and with either
	open, openWhites, openTests int
	whites, whiteRun            int           // tests with a white usage, and those with a cell
	unexplained                 []Unexplained // failing runs of tests with a white usage, whose cause has no name
	causes                      map[record.CellKey]*Cause
	// tests that fail and have a white usage and others: in the reading Paper these decide nothing
	mixed               int
	whiteFails, failing []record.Cell
	doubts              []record.Cell // undecided runs of tests with a white usage
	// tests that fail with an exception that is made up, of all and of those with a white usage
	madeUp, whiteMadeUp int
	// tests whose runs might have decided and did not, as they do not end alike
	silent int
	ends   bool // the try is what a thread is for: see endsThread
	usage  record.Usage
}

func tallyOf(r *Row, reading Reading) tally {
	t := tally{ends: endsThread(r.Place)}
	for i := range r.Tests {
		if r.Tests[i].Baseline == record.Pass {
			t.add(&r.Tests[i], r, reading)
		}
	}
	if reading == Usage && r.Place != nil {
		t.explain(r)
	}
	return t
}

// idle are tests that say nothing: no exception was thrown in them, or they skipped themselves.
type idle struct {
	notFired int
	cannot   string // why nothing could be thrown in one of them
	skipped  bool   // one of them skipped itself once the exception was thrown
}

// add counts one stable test.
func (t *tally) add(test *Test, r *Row, reading Reading) {
	if test.Sometimes {
		t.sometimes++
	}
	if test.Usage.Total() == 0 {
		t.uncertain++
		return
	}
	t.tests++
	t.usage = t.usage.Add(test.Usage)
	cells := test.Cells
	if reading == Usage {
		cells = judged(cells, r.Place, true)
	}
	u, failing := underInjection(r.Types, cells, struckEverywhere)
	if has(test.Cells, struckEverywhere) {
		t.run++
	}
	if has(test.Cells, func(c *record.Cell) bool { return c.Outcome == record.NotFired && c.Reading == record.Every }) {
		t.notFired++
	}
	for i := range test.Cells {
		switch c := &test.Cells[i]; {
		case c.Outcome != record.NotFired || c.Reading != record.Every:
		case c.Fired > 0:
			t.skipped = true
		case t.cannot == "" && c.Stack == "" && c.Message != record.NotAgain:
			t.cannot = c.Message
		}
	}
	t.any[u]++
	if u == undecided && has(test.Cells, func(c *record.Cell) bool { return struckEverywhere(c) && isSilent(c) }) {
		t.silent++
	}
	if u == undecided && has(cells, func(c *record.Cell) bool { return struckEverywhere(c) && failsWithMadeUp(c) }) {
		t.madeUp++
	}
	if test.Usage.Pink > 0 {
		t.pink[u]++
	}
	t.failing = append(t.failing, failing...)
	if test.Usage.White > 0 {
		t.addWhite(test, r, reading)
	}
}

// addWhite counts a test that makes the catch run.
func (t *tally) addWhite(test *Test, r *Row, reading Reading) {
	of, cells := struckWhite, test.Cells
	if reading == Paper {
		of = struckEverywhere
	} else {
		cells = judged(cells, r.Place, false)
	}
	u, failing := underInjection(r.Types, cells, of)
	if reading == Paper && u == fails && test.Usage.Pink+test.Usage.Blue > 0 {
		t.mixed++
		u, failing = undecided, nil
	}
	t.white[u]++
	t.whites++
	if u == undecided && has(cells, func(c *record.Cell) bool { return of(c) && failsWithMadeUp(c) }) {
		t.whiteMadeUp++
	}
	if has(test.Cells, of) {
		t.whiteRun++
	}
	t.whiteFails = append(t.whiteFails, failing...)
	for i := range cells {
		if c := &cells[i]; of(c) && c.Outcome == record.Undecided {
			t.doubts = append(t.doubts, *c)
		}
	}
}

// isSilent tells whether a run might have decided and did not. One in which the test passes and the
// try does not run might not; a test that passes but for the strictness of a framework has done
// without the try; and of what did not end soon nobody has asked for more.
func isSilent(c *record.Cell) bool {
	return c.Outcome == record.Flaky || c.Outcome == record.Undecided && c.Cut == 0 ||
		c.Outcome == record.NotFired && c.Stack != ""
}

// endsThread tells whether the try is what a thread is for: it does nothing more when the exception
// was caught. That a test passes then shows no plan B: nothing was done in the place of the try,
// and what a thread ends with fails no test.
func endsThread(p *Place) bool { return p != nil && p.Clause != nil && p.Clause.Ends }

// throws tells whether the method ends with an exception once the catch has caught one. The clause
// puts nothing in the place of what the try does: where tests pass all the same, a caller copes, or
// the tests ask for nothing else.
func throws(p *Place) bool { return p != nil && p.Clause != nil && p.Clause.Throws }

// mostSilent tells whether more of the tests that enter the try might have decided and did not than
// pass: what a few pass does not show that the try can be left out.
func (t *tally) mostSilent() bool { return t.silent > t.any[passes] }

// failsWithMadeUp tells whether a run failed with an exception that no code is known to make: it
// shows neither that the handler copes nor that it does not.
func failsWithMadeUp(c *record.Cell) bool {
	return c.Outcome == record.Undecided && c.Provenance == record.Invented && c.Cut == 0
}

// refutes tells whether a run has shown that the catch is not purely resilient: with every
// execution struck, or with white ones, where the code does not show that this is not the clause's
// doing.
func (t *tally) refutes(p *Place) bool {
	return t.any[fails] > 0 || t.white[fails] > 0 && !isProven(p)
}

func has(cells []record.Cell, of func(*record.Cell) bool) bool {
	for i := range cells {
		if of(&cells[i]) {
			return true
		}
	}
	return false
}

// Decide evaluates the predicates of section 3.3 on one row, in the reading Usage. It is a pure
// function of the row; the order of tests and cells does not matter.
func Decide(r Row) Verdict { return DecideBy(r, Usage) }

// DecideBy is Decide in one of the readings.
func DecideBy(r Row, reading Reading) Verdict {
	v, other := decideBy(r, reading), decideBy(r, reading.opposite())
	v.Other, v.OtherWhy = other.SourceIndependence, other.Why
	return v
}

// OtherReading is the reading that Other is in.
func (v *Verdict) OtherReading() Reading { return v.Reading.opposite() }

// Differs tells whether source independence is another in the other reading.
func (v *Verdict) Differs() bool { return v.Other != "" && v.Other != v.SourceIndependence }

func decideBy(r Row, reading Reading) Verdict {
	t := tallyOf(&r, reading)
	v := Verdict{
		Reading: reading, SourceIndependence: Unknown, PureResilience: Unknown,
		Usage: t.usage, Tests: t.tests, Decided: t.any[passes] + t.any[fails], Throws: throws(r.Place),
	}
	// Runs that are still to come could overturn a "holds": it is given only
	// once every test that could do so has been run.
	complete := t.run == t.tests
	switch {
	case t.refutes(r.Place):
		v.PureResilience = Violated
	case complete && t.pink[passes] > 0 && t.madeUp == 0 && !t.mostSilent() && !t.ends:
		v.PureResilience = Holds
	}
	proven := reading == Usage && isProven(r.Place) && t.whites > 0 // of one that never runs nothing is claimed
	switch {
	case len(t.whiteFails) > 0:
		v.SourceIndependence = Violated
		v.Witnesses = t.whiteFails
	case proven:
		v.SourceIndependence, v.ByCode = Holds, true
	case len(t.unexplained) > 0:
	case t.whiteRun == t.whites && t.white[passes] > 0 && t.mixed == 0 && t.whiteMadeUp == 0:
		v.SourceIndependence = Holds
	case v.PureResilience == Holds:
		v.SourceIndependence = Holds
		v.OnlyByResilience = true
	}
	v.Unexplained = t.unexplained
	if v.Witnesses == nil && v.PureResilience == Violated {
		if v.Witnesses = t.failing; len(v.Witnesses) == 0 {
			v.Witnesses = cellsOf(t.unexplained)
		}
	}
	sort.SliceStable(v.Witnesses, func(i, j int) bool {
		a, b := v.Witnesses[i], v.Witnesses[j]
		if a.Certain != b.Certain {
			return a.Certain
		}
		return byTest(a, b)
	})
	if v.SourceIndependence == Violated {
		v.Cause = t.causes[v.Witnesses[0].Key()]
	}
	v.noteDeciding(&r, t)
	if v.SourceIndependence == Unknown || v.PureResilience == Unknown {
		a := asksOf(&r)
		t.open, t.openWhites, t.openTests = a.open(&r)
		if reading == Paper { // which has no runs of white executions alone
			t.openWhites, t.openTests = t.open, t.open
		}
	}
	v.Why = why(v, t)
	if v.ByCode {
		v.Why = codeText(r.Place, v.Unexplained)
	}
	v.Missing = missing(v, t)
	return v
}

func byTest(a, b record.Cell) bool {
	return a.Key().Compare(b.Key()) < 0
}

// why is the one sentence that REPORT.md asks for; for unknown it says what is
// missing.
func why(v Verdict, t tally) string {
	switch {
	case v.SourceIndependence == Violated:
		w := v.Witnesses[0]
		text := fmt.Sprintf("%s runs this catch, and does not pass when %s comes from the start of the try%s (%s%s)",
			w.Test, w.Injected, executionsText(w), w.Outcome, colon(w.Message))
		if v.Cause != nil {
			text += ": " + v.Cause.Text()
		}
		return text
	case len(t.unexplained) > 0:
		x := t.unexplained[0]
		return fmt.Sprintf("%s runs this catch, and does not pass when %s comes from the start of the try%s (%s%s); "+
			"it decides nothing, as %s",
			x.Cell.Test, x.Cell.Injected, executionsText(x.Cell), x.Cell.Outcome, colon(x.Cell.Message), x.Why)
	case v.SourceIndependence == Holds && v.OnlyByResilience:
		return fmt.Sprintf(NoneMakesItRun+", but %s when the exception is thrown at the start of the "+
			"try: purely resilient, hence source-independent", allPass(v.Decided, v.Tests, "that enter{s} the try"))
	case v.SourceIndependence == Holds && v.PureResilience == Holds:
		return fmt.Sprintf("%s when the exception is thrown at the start of the try",
			allPass(v.Decided, v.Tests, "that enter{s} the try"))
	case v.SourceIndependence == Holds:
		return fmt.Sprintf("%s when the exception comes from the start of the try",
			allPass(t.white[passes], t.whites, "that make{s} this catch run"))
	case t.tests == 0 && t.uncertain > 0:
		return "a test enters the try in one run and not in the next: too uncertain to inject into"
	case t.tests == 0:
		return "no passing test enters the try"
	case t.openTests > 0:
		if t.tests == 1 {
			return "not all injected runs are done: the one test is left"
		}
		return fmt.Sprintf("not all injected runs are done: %d of %d tests", t.tests-t.openTests, t.tests)
	case t.mixed > 0:
		return "a test that makes this catch run also needs its try to work elsewhere, and fails when the exception " +
			"comes from the start of every execution: it decides nothing"
	case t.whiteMadeUp > 0 && t.white[passes] > 0:
		return madeUpText(t.white[passes], t.whiteMadeUp, "that make this catch run ")
	case t.madeUp > 0 && t.any[passes] > 0 && t.whites == 0:
		return madeUpText(t.any[passes], t.madeUp, "")
	case len(t.doubts) > 0:
		return "the tests that make this catch run decide nothing: " + doubtText(t)
	case v.Decided == 0 && t.madeUp > 0 && t.whites == 0:
		return "no code is known to make such an exception, and a test does not pass with one that is made up"
	case v.Decided == 0 && t.skipped:
		return "a test skips itself once the exception is thrown, which decides nothing"
	case v.Decided == 0 && t.cannot != "":
		return "no such exception could be thrown here: " + t.cannot
	case v.Decided == 0 && t.notFired > 0:
		return "the try did not run again under injection"
	case v.Decided == 0:
		return "no injected run gave an answer: the exception could not be thrown here"
	case t.usage.White == 0 && t.sometimes > 0:
		return "a test makes this catch run in one run and not in the next: it decides nothing"
	case t.usage.White == 0:
		return NoneMakesItRun
	default:
		return "the tests that make this catch run gave no answer under injection"
	}
}

// madeUpText says how tests end with an exception that is made up.
func madeUpText(pass, fail int, which string) string {
	return fmt.Sprintf("with an exception that no code is known to make, %d of the tests %spass and %d do not",
		pass, which, fail)
}

// doubtText says why the first of the undecided runs is.
func doubtText(t tally) string {
	first := t.doubts[0]
	for _, c := range t.doubts {
		if byTest(c, first) {
			first = c
		}
	}
	return fmt.Sprintf("%s: %s%s", first.Test, first.Why, colon(first.Message))
}

// executionsText says which executions of several a run struck, where that was not every one.
func executionsText(c record.Cell) string {
	if c.Reading != record.White || c.Executions <= len(c.Struck) || len(c.Struck) == 0 {
		return ""
	}
	if len(c.Struck) == 1 {
		return " in execution " + c.Struck[0]
	}
	return " in executions " + strings.Join(c.Struck, ", ")
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
	case t.any[passes]+t.any[fails] == 0 && t.skipped:
		return "a test that does not skip itself once the exception is thrown"
	case t.any[passes]+t.any[fails] == 0 && t.cannot != "":
		return "an exception that can be made, and that comes to this catch: " + t.cannot
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
	case t.openWhites > 0:
		return "no test, but the injected runs that are not done"
	case t.mixed > 0:
		return "a test that makes this catch run and does not need its try to work elsewhere"
	case len(t.unexplained) > 0:
		return "a test that makes this catch run and passes, or fails for what the clause does, under injection"
	case t.whiteMadeUp > 0 && t.white[passes] > 0:
		return "code that makes such an exception: " +
			madeUpText(t.white[passes], t.whiteMadeUp, "that make this catch run ")
	case len(t.doubts) > 0:
		return "a test that makes this catch run and decides under injection; of those there are, " + doubtText(t)
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
	case t.madeUp > 0 && t.any[passes] > 0:
		return "code that makes such an exception: " + madeUpText(t.any[passes], t.madeUp, "")
	case t.open > 0:
		return "no test, but the injected runs that are not done"
	case t.ends && t.pink[passes] > 0:
		return "a test that looks at what the try does: it is what a thread is for, which does nothing else when " +
			"the exception was caught, and the tests pass all the same"
	case t.mostSilent() && t.pink[passes] > 0:
		return fmt.Sprintf("tests that give an answer under injection: of the %d that enter the try, %d pass and %d "+
			"decide nothing", t.tests, t.any[passes], t.silent)
	default:
		return "a test in which the try ends without an exception and that gives an answer under injection"
	}
}

// allPass says that n tests of some pass, and no other fails; {s} in which is the ending of a verb.
func allPass(n, of int, which string) string {
	plural := strings.ReplaceAll(which, "{s}", "")
	if n < of {
		passes, others := "pass", "the others decide"
		if n == 1 {
			passes = "passes"
		}
		if of-n == 1 {
			others = "the other decides"
		}
		return fmt.Sprintf("of the %d tests %s, %d %s and %s nothing", of, plural, n, passes, others)
	}
	switch n {
	case 1:
		return "the one test " + strings.ReplaceAll(which, "{s}", "s") + " passes"
	case 2:
		return "both tests " + plural + " pass"
	}
	return fmt.Sprintf("all %d tests %s pass", n, plural)
}

func colon(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return ""
	}
	const most = 160
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return ": " + s
}
