package shortcircuit

import (
	"math/rand"
	"strings"
	"testing"

	"catchlens/instrument/campaign"
)

func test(name string, pink, white, blue int, cells ...campaign.Cell) Test {
	for i := range cells {
		cells[i].Test = name
	}
	return Test{Name: name, Baseline: campaign.Pass, Usage: campaign.Usage{Pink: pink, White: white, Blue: blue}, Cells: cells}
}

func cell(typ string, o campaign.Outcome) campaign.Cell {
	fired := 1
	if o == campaign.NotFired {
		fired = 0
	}
	return campaign.Cell{Type: typ, Injected: typ, Outcome: o, Fired: fired, Message: "boom"}
}

func rowOf(types []string, tests []Test) Row { return Row{Types: types, Tests: tests} }

// The four predicates of paper 001, section 3.3, and the pathological cases.
func TestDecide(t *testing.T) {
	const e = "E"
	one := []string{e}
	flaky := test("f", 0, 1, 0, cell(e, campaign.Fail))
	flaky.Baseline = campaign.Flaky
	sometimes := func(pink int) Test {
		t := test("s", pink, 0, 0, cell(e, campaign.Fail))
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
		{"white passes, pink fails: Listing 1", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0, cell(e, campaign.Fail))}), Holds, Violated, false, "makes this catch run passes"},
		{"white fails: Listing 2", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Fail)), test("b", 1, 0, 0, cell(e, campaign.Pass))}), Violated, Violated, false, "a runs this catch"},
		{"all pass: Listing 3", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0, cell(e, campaign.Pass))}), Holds, Holds, false, "both tests that enter the try pass"},
		{"pink only, passes: implied by pure resilience", rowOf(one, []Test{test("b", 1, 0, 0, cell(e, campaign.Pass))}), Holds, Holds, true, "purely resilient, hence"},
		{"pink only, fails", rowOf(one, []Test{test("b", 1, 0, 0, cell(e, campaign.Fail))}), Unknown, Violated, false, "no test makes this catch run"},
		{"white only: resilience unknown", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass))}), Holds, Unknown, false, "the one test"},
		{"pink, and the catch runs in the other repetition only", rowOf(one, []Test{sometimes(1)}), Unknown, Violated, false, "makes this catch run in one run and not in the next"},
		{"entered in the other repetition only", rowOf(one, []Test{sometimes(0)}), Unknown, Unknown, false, "too uncertain"},
		{"beside one that always makes it run", rowOf(one, []Test{sometimes(1), test("b", 0, 1, 0, cell(e, campaign.Pass))}), Holds, Violated, false, "the one test that makes"},
		{"blue only, passes", rowOf(one, []Test{test("a", 0, 0, 1, cell(e, campaign.Pass))}), Unknown, Unknown, false, "no test makes this catch run"},
		{"no test", rowOf(one, nil), Unknown, Unknown, false, "no passing test"},
		{"entered in one repetition only", rowOf(one, []Test{test("a", 0, 0, 0)}), Unknown, Unknown, false, "too uncertain"},
		{"and beside tests that did enter", rowOf(one, []Test{test("a", 0, 0, 0), test("b", 0, 1, 0, cell(e, campaign.Pass))}), Holds, Unknown, false, "the one test that makes"},
		{"flaky tests decide nothing", rowOf(one, []Test{flaky}), Unknown, Unknown, false, "no passing test"},
		{"not fired decides nothing", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, campaign.NotFired))}), Unknown, Unknown, false, "did not run again"},
		{"a static initialiser: entered in one repetition, and not again under injection", rowOf(one, []Test{test("a", 0, 0, 0), test("b", 1, 0, 0, cell(e, campaign.NotFired))}), Unknown, Unknown, false, "did not run again under injection"},
		{"not fired is left out", rowOf(one, []Test{test("a", 1, 0, 0, cell(e, campaign.NotFired)), test("b", 0, 1, 0, cell(e, campaign.Pass))}), Holds, Unknown, false, "the one test"},
		{"a hang is a failure", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Hang))}), Violated, Violated, false, "hang"},
		{"multi-catch: each alternative must pass", rowOf([]string{"A", "B"}, []Test{test("a", 0, 1, 0, cell("A", campaign.Pass), cell("B", campaign.Fail))}), Violated, Violated, false, "B comes from"},
		{"multi-catch: one alternative missing", rowOf([]string{"A", "B"}, []Test{test("a", 1, 1, 0, cell("A", campaign.Pass))}), Unknown, Unknown, false, "gave an answer"},
		{"injections outstanding", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, campaign.Pass)), test("b", 1, 1, 0)}), Unknown, Unknown, false, "1 of 2"},
		{"only tests without the catch are outstanding", rowOf(one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0)}), Holds, Unknown, false, "the one test"},
		{"what is outstanding cannot decide any more", rowOf(one, []Test{test("a", 1, 0, 0, cell(e, campaign.Hang)), test("b", 1, 0, 0)}), Unknown, Violated, false, "no test makes this catch run"},
		{"a failure decides early", rowOf(one, []Test{test("a", 1, 1, 0, cell(e, campaign.Fail)), test("b", 1, 1, 0)}), Violated, Violated, false, "a runs this catch"},
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

// Section 3.3: a predicate and its negation are never both true, pure
// resilience implies source independence or at least never contradicts it,
// and the order of tests does not matter.
func TestDecideProperties(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	outcomes := []campaign.Outcome{campaign.Pass, campaign.Fail, campaign.NotFired, campaign.Hang, campaign.Exit}
	seen := map[Answer]int{}
	for i := 0; i < 5000; i++ {
		r := Row{Types: []string{"A", "B"}[:1+rng.Intn(2)]}
		for j := rng.Intn(4); j >= 0; j-- {
			var cells []campaign.Cell
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
		if w := Decide(r); w.SourceIndependence != v.SourceIndependence || w.PureResilience != v.PureResilience || w.Why != v.Why {
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
	sure := func(c campaign.Cell) campaign.Cell { c.Certain = true; return c }
	e, f := cell("E", campaign.Pass), cell("E", campaign.Fail)
	for _, c := range []struct {
		name              string
		tests             []Test
		deciding          string
		source, resilient bool
	}{
		{"a violation rests on one witness", []Test{test("b", 0, 1, 0, f), test("a", 0, 1, 0, f), test("c", 1, 0, 0, e)}, "a", false, false},
		{"on one that is certain", []Test{test("b", 0, 1, 0, sure(f)), test("a", 0, 1, 0, f)}, "b", true, true},
		{"independence rests on all tests with a white usage", []Test{test("a", 0, 1, 0, e), test("b", 1, 1, 0, sure(e)), test("c", 1, 0, 0, f)}, "a b c", false, false},
		{"and on no others", []Test{test("a", 0, 1, 0, sure(e)), test("c", 1, 0, 0, f), test("d", 1, 0, 0, f)}, "a c", true, false},
		{"resilience rests on all", []Test{test("a", 1, 0, 0, sure(e)), test("b", 0, 0, 1, sure(e))}, "a b", true, true},
		{"an unknown rests on nothing", []Test{test("a", 0, 0, 1, sure(e))}, "", false, false},
	} {
		v := Decide(rowOf([]string{"E"}, c.tests))
		var names []string
		for _, d := range v.Deciding {
			names = append(names, d.Test)
		}
		if got := strings.Join(names, " "); got != c.deciding || v.SourceCertain != c.source || v.ResilienceCertain != c.resilient {
			t.Errorf("%s: rests on %q, certain %v and %v; want %q, %v and %v", c.name, got, v.SourceCertain, v.ResilienceCertain, c.deciding, c.source, c.resilient)
		}
	}
}

// What an unknown answer lacks: the pathological cases of section 3.3.
func TestMissing(t *testing.T) {
	pass, notFired := cell("E", campaign.Pass), cell("E", campaign.NotFired)
	for _, c := range []struct {
		name  string
		tests []Test
		want  string
	}{
		{"both hold", []Test{test("a", 1, 1, 0, pass)}, ""},
		{"only with an exception", []Test{test("a", 0, 1, 0, pass)}, "pure resilience: a test in which the try ends without an exception; it was only seen with one"},
		{"never the catch", []Test{test("a", 1, 0, 0, cell("E", campaign.Fail))}, "source independence: a test that makes this catch run"},
		{"only others' exceptions", []Test{test("a", 0, 0, 1, pass)}, "source independence: a test that makes this catch run; only exceptions were seen that it does not take|" +
			"pure resilience: a test in which the try ends without an exception; it was only seen with one"},
		{"no test", nil, "source independence: a passing test that enters the try|pure resilience: a passing test that enters the try"},
		{"not again", []Test{test("a", 1, 1, 0, notFired)}, "source independence: a test in which the try runs each time: it did not run again under injection|" +
			"pure resilience: a test in which the try runs each time: it did not run again under injection"},
	} {
		if got := strings.Join(Decide(rowOf([]string{"E"}, c.tests)).Missing, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Places inside the try overturn what holds by its start, and nothing else.
func TestWithFineGrain(t *testing.T) {
	at := func(name string, n int, o campaign.Outcome) campaign.Cell {
		c := cell("E", o)
		c.Test, c.Point = name, &campaign.Point{N: n, Back: n}
		return c
	}
	white, pink := test("a", 0, 1, 0, cell("E", campaign.Pass)), test("b", 1, 0, 0, cell("E", campaign.Pass))
	for _, c := range []struct {
		name   string
		tests  []Test
		fine   []campaign.Cell
		si, pr Answer
		fgrain bool
	}{
		{"all places pass", []Test{white}, []campaign.Cell{at("a", 1, campaign.Pass)}, Holds, Unknown, false},
		{"a place fails: Listing 7", []Test{white}, []campaign.Cell{at("a", 1, campaign.Pass), at("a", 2, campaign.Fail)}, Violated, Unknown, true},
		{"a place that is not reached", []Test{white}, []campaign.Cell{at("a", 1, campaign.NotFired)}, Holds, Unknown, false},
		{"a test without a white usage fails: resilience only", []Test{white, pink}, []campaign.Cell{at("b", 1, campaign.Fail)}, Holds, Violated, true},
		{"what followed from resilience is open then", []Test{pink}, []campaign.Cell{at("b", 1, campaign.Fail)}, Unknown, Violated, true},
		{"a violation stays what it was", []Test{test("a", 0, 1, 0, cell("E", campaign.Fail))}, []campaign.Cell{at("a", 1, campaign.Fail)}, Violated, Violated, false},
		{"a test that is gone", []Test{white}, []campaign.Cell{at("z", 1, campaign.Fail)}, Holds, Unknown, false},
	} {
		r := rowOf([]string{"E"}, c.tests)
		v := Decide(r).WithFineGrain(r, c.fine)
		if v.SourceIndependence != c.si || v.PureResilience != c.pr || v.ByFineGrain != c.fgrain {
			t.Errorf("%s: source independence %s, pure resilience %s, by fine grain %v; want %s, %s, %v", c.name, v.SourceIndependence, v.PureResilience, v.ByFineGrain, c.si, c.pr, c.fgrain)
		}
		if c.fgrain && (v.Witnesses[0].Point == nil || !strings.Contains(v.Why, "lines above the catch") && !strings.Contains(v.Why, "line above the catch")) {
			t.Errorf("%s: %q, %+v", c.name, v.Why, v.Witnesses)
		}
	}
}
