package shortcircuit

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

func test(name string, pink, white, blue int, cells ...record.Cell) Test {
	for i := range cells {
		cells[i].Test = name
		if c := cells[i]; white > 0 && c.Reading == record.Every { // struck where they were white, it ends alike
			c.Reading, c.Whites, c.Executions = record.White, 1, 2
			cells = append(cells, c)
		}
	}
	return Test{Name: name, Baseline: record.Pass, Usage: record.Usage{Pink: pink, White: white, Blue: blue},
		Cells: cells}
}

func cell(typ string, o record.Outcome) record.Cell {
	fired, message := 1, "boom"
	if o == record.NotFired {
		fired, message = 0, record.NotAgain
	}
	return record.Cell{Type: typ, Injected: typ, Trial: record.Trial{Outcome: o, Message: message}, Fired: fired}
}

func rowOf(types []string, tests []Test) Row { return Row{Types: types, Tests: tests} }

// The four predicates of paper 001, section 3.3, and the pathological cases.
func TestDecide(t *testing.T) {
	const e = "E"
	one := []string{e}
	flaky := test("f", 0, 1, 0, cell(e, record.Fail))
	abstract := cell(e, record.NotFired)
	abstract.Message = "p.E is abstract"
	skips := abstract
	skips.Message, skips.Fired = "the test skips itself: got: <false>", 1
	flaky.Baseline = record.Flaky
	sometimes := func(pink int) Test {
		t := test("s", pink, 0, 0, cell(e, record.Fail))
		t.Sometimes = true
		return t
	}
	for _, c := range []struct {
		name   string
		row    Row
		si, pr Answer
		only   bool
		why    string
	}{
		{"white passes, pink fails: Listing 1",
			rowOf(one, []Test{test("a", 0, 1, 0, cell(e, record.Pass)), test("b", 1, 0, 0, cell(e, record.Fail))}),
			Holds, Violated, false, "makes this catch run passes"},
		{"white fails: Listing 2", rowOf(one,
			[]Test{test("a", 0, 1, 0, cell(e, record.Fail)), test("b", 1, 0, 0, cell(e, record.Pass))}), Violated,
			Violated, false, "a runs this catch"},
		{"all pass: Listing 3", rowOf(one,
			[]Test{test("a", 0, 1, 0, cell(e, record.Pass)), test("b", 1, 0, 0, cell(e, record.Pass))}), Holds, Holds,
			false, "both tests that enter the try pass"},
		{"pink only, passes: implied by pure resilience", rowOf(one, []Test{test("b", 1, 0, 0, cell(e, record.Pass))}),
			Holds, Holds, true, "purely resilient, hence"},
		{"pink only, fails", rowOf(one, []Test{test("b", 1, 0, 0, cell(e, record.Fail))}), Unknown, Violated, false,
			"no test makes this catch run"},
		{"white only: resilience unknown", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, record.Pass))}), Holds, Unknown,
			false, "the one test"},
		{"pink, and the catch runs in the other repetition only", rowOf(one, []Test{sometimes(1)}), Unknown, Violated,
			false, "makes this catch run in one run and not in the next"},
		{"entered in the other repetition only", rowOf(one, []Test{sometimes(0)}), Unknown, Unknown, false,
			"too uncertain"},
		{"beside one that always makes it run",
			rowOf(one, []Test{sometimes(1), test("b", 0, 1, 0, cell(e, record.Pass))}), Holds, Violated, false,
			"the one test that makes"},
		{"blue only, passes", rowOf(one, []Test{test("a", 0, 0, 1, cell(e, record.Pass))}), Unknown, Unknown, false,
			"no test makes this catch run"},
		{"no test", rowOf(one, nil), Unknown, Unknown, false, "no passing test"},
		{"entered in one repetition only", rowOf(one, []Test{test("a", 0, 0, 0)}), Unknown, Unknown, false,
			"too uncertain"},
		{"and beside tests that did enter",
			rowOf(one, []Test{test("a", 0, 0, 0), test("b", 0, 1, 0, cell(e, record.Pass))}), Holds, Unknown, false,
			"the one test that makes"},
		{"flaky tests decide nothing", rowOf(one, []Test{flaky}), Unknown, Unknown, false, "no passing test"},
		{"not fired decides nothing", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, record.NotFired))}), Unknown,
			Unknown, false, "did not run again"},
		{"a static initialiser: entered in one repetition, and not again under injection",
			rowOf(one, []Test{test("a", 0, 0, 0), test("b", 1, 0, 0, cell(e, record.NotFired))}), Unknown, Unknown,
			false, "did not run again under injection"},
		{"nothing could be thrown", rowOf(one, []Test{test("a", 1, 1, 0, abstract)}), Unknown, Unknown, false,
			"no such exception could be thrown here: p.E is abstract"},
		{"an assumption fails with the exception", rowOf(one, []Test{test("a", 1, 1, 0, skips)}), Unknown, Unknown,
			false, "a test skips itself once the exception is thrown"},
		{"not fired is left out", rowOf(one,
			[]Test{test("a", 1, 0, 0, cell(e, record.NotFired)), test("b", 0, 1, 0, cell(e, record.Pass))}), Holds,
			Unknown, false, "the one test"},
		{"a hang is a failure", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, record.Hang))}), Violated, Violated, false,
			"hang"},
		{"multi-catch: each alternative must pass",
			rowOf([]string{"A", "B"}, []Test{test("a", 0, 1, 0, cell("A", record.Pass), cell("B", record.Fail))}),
			Violated, Violated, false, "B comes from"},
		{"multi-catch: one alternative missing", rowOf([]string{"A", "B"},
			[]Test{test("a", 1, 1, 0, cell("A",
				record.Pass))}), Unknown, Unknown, false, "not all injected runs are done: the one test is left"},
		{"injections outstanding", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, record.Pass)), test("b", 1, 1, 0)}),
			Unknown, Unknown, false, "1 of 2"},
		{"only tests without the catch are outstanding",
			rowOf(one, []Test{test("a", 0, 1, 0, cell(e, record.Pass)), test("b", 1, 0, 0)}), Holds, Unknown, false,
			"the one test"},
		{"what is outstanding cannot decide any more",
			rowOf(one, []Test{test("a", 1, 0, 0, cell(e, record.Hang)), test("b", 1, 0, 0)}), Unknown, Violated, false,
			"no test makes this catch run"},
		{"a failure decides early", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, record.Fail)), test("b", 1, 1, 0)}),
			Violated, Violated, false, "a runs this catch"},
	} {
		v := Decide(c.row)
		if v.SourceIndependence != c.si || v.PureResilience != c.pr || v.OnlyByResilience != c.only {
			t.Errorf("%s: source independence %s, pure resilience %s, only by resilience %v; want %s, %s, %v",
				c.name, v.SourceIndependence, v.PureResilience, v.OnlyByResilience, c.si, c.pr, c.only)
		}
		if !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: why %q does not say %q", c.name, v.Why, c.why)
		}
	}
}

// Pure resilience is not shown by a few tests where most that might decide do not, nor where the
// try is what a thread is for.
func TestDecideResilience(t *testing.T) {
	of := func(name string, c record.Cell) Test { return test(name, 1, 0, 0, c) }
	pass, flaky, idle := cell("E", record.Pass), cell("E", record.Flaky), cell("E", record.NotFired)
	broken, strict := idle, cell("E", record.Fail)
	broken.Stack = at("java.lang.AssertionError: no answer", "p.StoreTest.reads:9")
	strict.Stack = at("org.mockito.exceptions.misusing.UnnecessaryStubbingException: Unnecessary stubbings detected.")
	ends := store()
	ends.Clause.Ends = true
	throwing := store()
	throwing.Clause.Throws = true
	for _, c := range []struct {
		name    string
		place   *Place
		cells   []record.Cell
		want    Answer
		missing string
	}{
		{"most do not end alike", nil, []record.Cell{pass, pass, flaky, flaky, flaky}, Unknown,
			"of the 5 that enter the try, 2 pass and 3 decide nothing"},
		{"as many do", nil, []record.Cell{pass, pass, flaky, flaky}, Holds, ""},
		{"most fail by themselves", nil, []record.Cell{pass, broken, broken}, Unknown, "1 pass and 2 decide nothing"},
		{"most do not come to the try again", nil, []record.Cell{pass, idle, idle}, Holds, ""},
		{"most pass but for strictness", store(), []record.Cell{pass, strict, strict}, Holds, ""},
		{"a method that ends with an exception then", throwing, []record.Cell{pass, pass}, Holds, ""},
		{"a thread that does nothing else", ends, []record.Cell{pass, pass}, Unknown, "what a thread is for"},
		{"such a thread, whose work is missed", ends, []record.Cell{pass, cell("E", record.Fail)}, Violated, ""},
	} {
		r := Row{Types: []string{"E"}, Place: c.place}
		for i, x := range c.cells {
			r.Tests = append(r.Tests, of(string(rune('a'+i)), x))
		}
		v := Decide(r)
		if v.PureResilience != c.want || (v.SourceIndependence == Holds) != (c.want == Holds) {
			t.Errorf("%s: %s, source independence %s; want %s", c.name, v.PureResilience, v.SourceIndependence, c.want)
		}
		if v.Throws != (c.place == throwing) {
			t.Errorf("%s: throws: %v", c.name, v.Throws)
		}
		if got := strings.Join(v.Missing, "; "); c.missing != "" && !strings.Contains(got, c.missing) {
			t.Errorf("%s: missing %q, not %q", c.name, got, c.missing)
		}
	}
}

// The two readings: which runs decide in them, and that a verdict tells of the other one.
func TestReadings(t *testing.T) {
	of := func(r record.Reading, o record.Outcome, all bool) record.Cell {
		c := cell("E", o)
		c.Test, c.Reading, c.Executions = "a", r, 2
		if r == record.White {
			c.Whites = 1
		}
		if all {
			c.Whites, c.Executions, c.Fired = 1, 1, 1
		}
		if o == record.Undecided {
			c.Why, c.Provenance = "no code is known that makes such an exception", record.Invented
		}
		return c
	}
	tested := func(pink, white int, cells ...record.Cell) Test {
		return Test{Name: "a", Baseline: record.Pass, Usage: record.Usage{Pink: pink, White: white}, Cells: cells}
	}
	const pass, fail, undecided = record.Pass, record.Fail, record.Undecided
	for _, c := range []struct {
		name         string
		test         Test
		usage, paper Answer
		resilience   Answer
		why          string
	}{
		{"a mixed test needs the try elsewhere",
			tested(1, 1, of(record.White, pass, false), of(record.Every, fail, false)), Holds, Unknown, Violated,
			"makes this catch run passes"},
		{"it fails where it was white", tested(1, 1, of(record.White, fail, false), of(record.Every, fail, false)),
			Violated, Unknown, Violated, "a runs this catch"},
		{"it fails there alone", tested(1, 1, of(record.White, fail, false), of(record.Every, pass, false)), Violated,
			Holds, Violated, "a runs this catch"},
		{"all white: one run is both", tested(0, 1, of(record.White, fail, true)), Violated, Violated, Violated,
			"a runs this catch"},
		{"all white, and passes", tested(0, 1, of(record.White, pass, true)), Holds, Holds, Unknown,
			"makes this catch run passes"},
		{"more executions than were white", tested(0, 1, of(record.White, pass, false), of(record.Every, fail, false)),
			Holds, Violated, Violated, "makes this catch run passes"},
		{"what no code makes", tested(1, 1, of(record.White, undecided, false), of(record.Every, undecided, false)),
			Unknown, Unknown, Unknown, "decide nothing: a: no code is known"},
	} {
		r := rowOf([]string{"E"}, []Test{c.test})
		v, w := DecideBy(r, Usage), DecideBy(r, Paper)
		if v.SourceIndependence != c.usage || w.SourceIndependence != c.paper || v.PureResilience != c.resilience {
			t.Errorf("%s: usage %s, paper %s, resilience %s; want %s, %s, %s", c.name, v.SourceIndependence,
				w.SourceIndependence, v.PureResilience, c.usage, c.paper, c.resilience)
		}
		if v.Other != w.SourceIndependence || w.Other != v.SourceIndependence || v.Differs() != (c.usage != c.paper) ||
			v.OtherWhy != w.Why {
			t.Errorf("%s: the other reading is %s (%s)", c.name, v.Other, v.OtherWhy)
		}
		if !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: why %q does not say %q", c.name, v.Why, c.why)
		}
	}
}

// Where tests fail with an exception that is made up, what others pass shows nothing; what fails
// for another reason that decides nothing leaves the answer to the others, and that is said.
func TestMadeUp(t *testing.T) {
	undecided := func(r record.Reading, p record.Provenance) record.Cell {
		c := cell("E", record.Undecided)
		c.Reading, c.Provenance, c.Why = r, p, "why"
		return c
	}
	white := func(o record.Outcome) record.Cell {
		c := cell("E", o)
		c.Reading = record.White
		return c
	}
	passes := test("a", 1, 0, 0, cell("E", record.Pass))
	for _, c := range []struct {
		name                     string
		tests                    []Test
		independence, resilience Answer
		why, missing             string
	}{
		{"made up", []Test{passes, test("b", 1, 0, 0, undecided(record.Every, record.Invented))}, Unknown, Unknown,
			"with an exception that no code is known to make, 1 of the tests pass and 1 do not",
			"pure resilience: code that makes such an exception: with an exception that no code is known to make, " +
				"1 of the tests pass and 1 do not"},
		{"undecided otherwise", []Test{passes, test("b", 1, 0, 0, undecided(record.Every, record.Made))}, Holds, Holds,
			"of the 2 tests that enter the try, 1 passes and the other decides nothing", ""},
		{"it fails where another decides", []Test{test("a", 1, 0, 0, cell("E", record.Fail)),
			test("b", 1, 0, 0, undecided(record.Every, record.Invented))}, Unknown, Violated, "no test makes", ""},
		{"white", []Test{test("a", 1, 1, 0, white(record.Pass)), test("b", 1, 1, 0,
			undecided(record.White, record.Invented))}, Unknown, Unknown, "",
			"source independence: code that makes such an exception: with an exception that no code is known to " +
				"make, 1 of the tests that make this catch run pass and 1 do not"},
		{"white, otherwise", []Test{test("a", 1, 1, 0, white(record.Pass)), test("b", 1, 1, 0,
			undecided(record.White, record.Caught))}, Holds, Unknown,
			"of the 2 tests that make this catch run, 1 pass", ""},
	} {
		v := Decide(rowOf([]string{"E"}, c.tests))
		if v.SourceIndependence != c.independence || v.PureResilience != c.resilience ||
			!strings.Contains(v.Why, c.why) || c.missing != "" && !slices.Contains(v.Missing, c.missing) {
			t.Errorf("%s: %s and %s: %s; missing %q", c.name, v.SourceIndependence, v.PureResilience, v.Why, v.Missing)
		}
	}
}

// Section 3.3: a predicate and its negation are never both true, pure
// resilience implies source independence or at least never contradicts it,
// and the order of tests does not matter.
func TestDecideProperties(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	outcomes := []record.Outcome{record.Pass, record.Fail, record.NotFired, record.Hang, record.Exit}
	seen := map[Answer]int{}
	for i := 0; i < 5000; i++ {
		r := Row{Types: []string{"A", "B"}[:1+rng.Intn(2)]}
		for j := rng.Intn(4); j >= 0; j-- {
			var cells []record.Cell
			for _, typ := range r.Types {
				if rng.Intn(6) > 0 {
					cells = append(cells, cell(typ, outcomes[rng.Intn(len(outcomes))]))
				}
			}
			r.Tests = append(r.Tests, test(string(rune('a'+j)), rng.Intn(2), rng.Intn(2), rng.Intn(2), cells...))
		}
		v := Decide(r)
		seen[v.SourceIndependence]++
		if v.PureResilience == Holds && v.SourceIndependence != Holds {
			t.Fatalf("purely resilient but source independence %s: %+v", v.SourceIndependence, r)
		}
		if v.SourceIndependence == Violated && len(v.Witnesses) == 0 {
			t.Fatalf("violated without a witness: %+v", r)
		}
		rng.Shuffle(len(r.Tests), func(a, b int) { r.Tests[a], r.Tests[b] = r.Tests[b], r.Tests[a] })
		if w := Decide(r); w.SourceIndependence != v.SourceIndependence || w.PureResilience != v.PureResilience ||
			w.Why != v.Why {
			t.Fatalf("order matters: %+v\n%+v", v, w)
		}
	}
	for _, a := range []Answer{Holds, Violated, Unknown} {
		if seen[a] < 50 {
			t.Errorf("the generator gave %q only %d times", a, seen[a])
		}
	}
}

// What an answer rests on, and when it is certain.
func TestDeciding(t *testing.T) {
	sure := func(c record.Cell) record.Cell { c.Certain = true; return c }
	e, f := cell("E", record.Pass), cell("E", record.Fail)
	for _, c := range []struct {
		name              string
		tests             []Test
		deciding          string
		source, resilient bool
	}{
		{"a violation rests on one witness",
			[]Test{test("b", 0, 1, 0, f), test("a", 0, 1, 0, f), test("c", 1, 0, 0, e)}, "a", false, false},
		{"on one that is certain", []Test{test("b", 0, 1, 0, sure(f)), test("a", 0, 1, 0, f)}, "b", true, true},
		{"independence rests on all tests with a white usage",
			[]Test{test("a", 0, 1, 0, e), test("b", 1, 1, 0, sure(e)), test("c", 1, 0, 0, f)}, "a b c", false, false},
		{"and on no others", []Test{test("a", 0, 1, 0, sure(e)), test("c", 1, 0, 0, f), test("d", 1, 0, 0, f)}, "a c",
			true, false},
		{"resilience rests on all", []Test{test("a", 1, 0, 0, sure(e)), test("b", 0, 0, 1, sure(e))}, "a b", true,
			true},
		{"an unknown rests on nothing", []Test{test("a", 0, 0, 1, sure(e))}, "", false, false},
	} {
		v := Decide(rowOf([]string{"E"}, c.tests))
		var names []string
		for _, d := range v.Deciding {
			names = append(names, d.Test)
		}
		if got := strings.Join(names, " "); got != c.deciding || v.SourceCertain != c.source ||
			v.ResilienceCertain != c.resilient {
			t.Errorf("%s: rests on %q, certain %v and %v; want %q, %v and %v", c.name, got, v.SourceCertain,
				v.ResilienceCertain, c.deciding, c.source, c.resilient)
		}
	}
}

// What an unknown answer lacks: the pathological cases of section 3.3.
func TestMissing(t *testing.T) {
	pass, notFired := cell("E", record.Pass), cell("E", record.NotFired)
	cannot := notFired
	cannot.Message = "p.E is abstract"
	skips := cannot
	skips.Fired = 1
	for _, c := range []struct {
		name  string
		tests []Test
		want  string
	}{
		{"both hold", []Test{test("a", 1, 1, 0, pass)}, ""},
		{"only with an exception", []Test{test("a", 0, 1, 0, pass)},
			"pure resilience: a test in which the try ends without an exception; it was only seen with one"},
		{"never the catch", []Test{test("a", 1, 0, 0, cell("E", record.Fail))},
			"source independence: a test that makes this catch run"},
		{"only others' exceptions", []Test{test("a", 0, 0, 1, pass)},
			"source independence: a test that makes this catch run; only exceptions were seen that it does not take|" +
				"pure resilience: a test in which the try ends without an exception; it was only seen with one"},
		{"no test", nil, "source independence: a passing test that enters the try|pure resilience: a passing test " +
			"that enters the try"},
		{"cannot be thrown", []Test{test("a", 1, 1, 0, cannot)},
			"source independence: an exception that can be made, and that comes to this catch: p.E is abstract|" +
				"pure resilience: an exception that can be made, and that comes to this catch: p.E is abstract"},
		{"skips itself", []Test{test("a", 1, 1, 0, skips)},
			"source independence: a test that does not skip itself once the exception is thrown|" +
				"pure resilience: a test that does not skip itself once the exception is thrown"},
		{"not again", []Test{test("a", 1, 1, 0, notFired)},
			"source independence: a test in which the try runs each time: it did not run again under injection|" +
				"pure resilience: a test in which the try runs each time: it did not run again under injection"},
	} {
		if got := strings.Join(Decide(rowOf([]string{"E"}, c.tests)).Missing, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Places inside the try overturn what holds by its start, and nothing else.
func TestWithFineGrain(t *testing.T) {
	at := func(name string, n int, o record.Outcome) record.Cell {
		c := cell("E", o)
		if name == "a" {
			c.Reading = record.White
		}
		c.Test, c.Point = name, &record.Point{N: n, Back: n}
		return c
	}
	white, pink := test("a", 0, 1, 0, cell("E", record.Pass)), test("b", 1, 0, 0, cell("E", record.Pass))
	for _, c := range []struct {
		name   string
		tests  []Test
		fine   []record.Cell
		si, pr Answer
		fgrain bool
	}{
		{"all places pass", []Test{white}, []record.Cell{at("a", 1, record.Pass)}, Holds, Unknown, false},
		{"a place fails: Listing 7", []Test{white}, []record.Cell{at("a", 1, record.Pass), at("a", 2, record.Fail)},
			Violated, Unknown, true},
		{"a place that is not reached", []Test{white}, []record.Cell{at("a", 1, record.NotFired)}, Holds, Unknown,
			false},
		{"a test without a white usage fails: resilience only", []Test{white, pink},
			[]record.Cell{at("b", 1, record.Fail)}, Holds, Violated, true},
		{"what followed from resilience is open then", []Test{pink}, []record.Cell{at("b", 1, record.Fail)}, Unknown,
			Violated, true},
		{"a violation stays what it was", []Test{test("a", 0, 1, 0, cell("E", record.Fail))},
			[]record.Cell{at("a", 1, record.Fail)}, Violated, Violated, false},
		{"a test that is gone", []Test{white}, []record.Cell{at("z", 1, record.Fail)}, Holds, Unknown, false},
	} {
		r := rowOf([]string{"E"}, c.tests)
		v := Decide(r).WithFineGrain(r, c.fine)
		if v.SourceIndependence != c.si || v.PureResilience != c.pr || v.ByFineGrain != c.fgrain {
			t.Errorf("%s: source independence %s, pure resilience %s, by fine grain %v; want %s, %s, %v", c.name,
				v.SourceIndependence, v.PureResilience, v.ByFineGrain, c.si, c.pr, c.fgrain)
		}
		if c.fgrain && (v.Witnesses[0].Point == nil ||
			!strings.Contains(v.Why, "lines above the catch") && !strings.Contains(v.Why, "line above the catch")) {
			t.Errorf("%s: %q, %+v", c.name, v.Why, v.Witnesses)
		}
	}
}
