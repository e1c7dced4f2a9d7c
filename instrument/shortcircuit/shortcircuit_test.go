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

// The four predicates of paper 001, section 3.3, and the pathological cases.
func TestDecide(t *testing.T) {
	const e = "E"
	one := []string{e}
	flaky := test("f", 0, 1, 0, cell(e, campaign.Fail))
	flaky.Baseline = campaign.Flaky
	for _, c := range []struct {
		name   string
		row    Row
		si, pr Answer
		only   bool
		why    string
	}{
		{"white passes, pink fails: Listing 1", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0, cell(e, campaign.Fail))}}, Holds, Violated, false, "makes this catch run passes"},
		{"white fails: Listing 2", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Fail)), test("b", 1, 0, 0, cell(e, campaign.Pass))}}, Violated, Violated, false, "a runs this catch"},
		{"all pass: Listing 3", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0, cell(e, campaign.Pass))}}, Holds, Holds, false, "both tests that enter the try pass"},
		{"pink only, passes: implied by pure resilience", Row{one, []Test{test("b", 1, 0, 0, cell(e, campaign.Pass))}}, Holds, Holds, true, "purely resilient, hence"},
		{"pink only, fails", Row{one, []Test{test("b", 1, 0, 0, cell(e, campaign.Fail))}}, Unknown, Violated, false, "no test makes this catch run"},
		{"white only: resilience unknown", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass))}}, Holds, Unknown, false, "the one test"},
		{"blue only, passes", Row{one, []Test{test("a", 0, 0, 1, cell(e, campaign.Pass))}}, Unknown, Unknown, false, "no test makes this catch run"},
		{"no test", Row{one, nil}, Unknown, Unknown, false, "no passing test"},
		{"entered in one repetition only", Row{one, []Test{test("a", 0, 0, 0)}}, Unknown, Unknown, false, "too uncertain"},
		{"and beside tests that did enter", Row{one, []Test{test("a", 0, 0, 0), test("b", 0, 1, 0, cell(e, campaign.Pass))}}, Holds, Unknown, false, "the one test that makes"},
		{"flaky tests decide nothing", Row{one, []Test{flaky}}, Unknown, Unknown, false, "no passing test"},
		{"not fired decides nothing", Row{one, []Test{test("a", 1, 1, 0, cell(e, campaign.NotFired))}}, Unknown, Unknown, false, "did not run again"},
		{"a static initialiser: entered in one repetition, and not again under injection", Row{one, []Test{test("a", 0, 0, 0), test("b", 1, 0, 0, cell(e, campaign.NotFired))}}, Unknown, Unknown, false, "did not run again under injection"},
		{"not fired is left out", Row{one, []Test{test("a", 1, 0, 0, cell(e, campaign.NotFired)), test("b", 0, 1, 0, cell(e, campaign.Pass))}}, Holds, Unknown, false, "the one test"},
		{"a hang is a failure", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Hang))}}, Violated, Violated, false, "hang"},
		{"multi-catch: each alternative must pass", Row{[]string{"A", "B"}, []Test{test("a", 0, 1, 0, cell("A", campaign.Pass), cell("B", campaign.Fail))}}, Violated, Violated, false, "B comes from"},
		{"multi-catch: one alternative missing", Row{[]string{"A", "B"}, []Test{test("a", 1, 1, 0, cell("A", campaign.Pass))}}, Unknown, Unknown, false, "gave an answer"},
		{"injections outstanding", Row{one, []Test{test("a", 1, 1, 0, cell(e, campaign.Pass)), test("b", 1, 1, 0)}}, Unknown, Unknown, false, "1 of 2"},
		{"only tests without the catch are outstanding", Row{one, []Test{test("a", 0, 1, 0, cell(e, campaign.Pass)), test("b", 1, 0, 0)}}, Holds, Unknown, false, "the one test"},
		{"what is outstanding cannot decide any more", Row{one, []Test{test("a", 1, 0, 0, cell(e, campaign.Hang)), test("b", 1, 0, 0)}}, Unknown, Violated, false, "no test makes this catch run"},
		{"a failure decides early", Row{one, []Test{test("a", 1, 1, 0, cell(e, campaign.Fail)), test("b", 1, 1, 0)}}, Violated, Violated, false, "a runs this catch"},
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
