package shortcircuit

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/instrument/record"
)

// store is the place of a catch in p.Store.read: clause in lines 20 to 24, the method ends in line
// 30.
func store(prepared ...clause.Prepared) *Place {
	return &Place{Class: "p.Store", Method: "read",
		Own:    func(c string) bool { return strings.HasPrefix(c, "p.") && !strings.Contains(c, "Test") },
		Clause: &clause.Result{Prepared: prepared, After: []int{20, 21, 22, 23, 28, 29}}}
}

func prepared(kind clause.Kind, name, value string, set int, uses ...clause.Use) clause.Prepared {
	return clause.Prepared{Kind: kind, Name: name, Sets: []clause.Set{{Line: set, Value: value}}, Uses: uses}
}

func TestNameCause(t *testing.T) {
	in := func(line int) clause.Use { return clause.Use{Line: line, Where: clause.InClause} }
	conn := prepared(clause.Local, "conn", "the result of Hub.open", 15, in(21))
	ready := prepared(clause.Local, "ready", "the result of Hub.ready", 16, in(22))
	state := prepared(clause.Object, "hub", "", 14, in(21))
	cfg := prepared(clause.Field, "Store.cfg", "the result of Hub.config", 17)
	length := prepared(clause.Local, "length", "the result of String.length", 16,
		clause.Use{Line: 29, Where: clause.After, Returned: true})
	total := prepared(clause.Local, "total", "1", 16, clause.Use{Line: 28, Where: clause.After})
	again := prepared(clause.Local, "next", "1", 16, clause.Use{Line: 16, Where: clause.Again})
	made := prepared(clause.Local, "lines", "a new ArrayList", 15, in(21))
	made.Sets[0].Settled = true
	given := prepared(clause.Field, "Store.open", "", 16, in(22))
	given.Sets[0].Origin = true
	both := prepared(clause.Object, "open", "", 16, in(21))
	both.Sets = append(both.Sets, clause.Set{Line: 14, By: "Deque.push", Settled: true, Always: true})
	object := prepared(clause.Object, "hub", "", 14, in(21))
	object.Sets[0].Origin = true
	looking := func(is bool, at ...string) *Place {
		p := store(ready)
		p.Tests = func(c string) bool { return strings.Contains(c, "Test") }
		p.Looks = func(_ *clause.Ran, frames []clause.Frame, null string) clause.Looked {
			if len(frames) == 0 || frames[0] != (clause.Frame{Class: "p.StoreTest", Method: "reads", Line: 9}) {
				t.Errorf("frames %v", frames)
			}
			if null != "" {
				at = append(at, null)
			}
			return clause.Looked{Given: is, At: at}
		}
		return p
	}
	filled := prepared(clause.Object, "lines", "", 16, in(21))
	const npe = "java.lang.NullPointerException"
	comparison := at("org.opentest4j.AssertionFailedError: expected: <1> but was: <0>", "p.StoreTest.reads:9")
	for _, c := range []struct {
		name, stack string
		place       *Place
		text        string // a part of the cause's text; "": there is none
		why         string // then: a part of the reason
	}{
		{"null in the clause", at(npe, "p.Store.read:21", "p.StoreTest.reads:9"), store(state, conn),
			"the clause uses conn in line 21 (NullPointerException in Store.read:21), which the try sets to the " +
				"result of Hub.open in line 15", ""},
		{"behind an assertion", at("org.opentest4j.AssertionFailedError: Unexpected exception type thrown",
			"p.StoreTest.reads:9") + "Caused by: " + at(npe, "p.Store.read:21", "p.StoreTest.reads:9"), store(conn),
			"uses conn", ""},
		{"null below the clause", at(npe, "p.Conn.close:80", "p.Store.read:21", "p.StoreTest.reads:9"), store(conn),
			"(NullPointerException in Conn.close:80)", ""},
		{"the JVM names another", at(npe+`: Cannot invoke "p.Hub.x()" because "other" is null`, "p.Store.read:21"),
			store(conn), "uses conn", ""},
		{"the JVM names it", at(npe+`: Cannot invoke "p.Hub.x()" because "ready" is null`, "p.Store.read:22"),
			store(conn, ready), "uses ready", ""},
		{"set before any can come", at(npe+`: Cannot invoke "p.Hub.x()" because "mine" is null`, "p.Store.read:21"),
			func() *Place { p := store(state); p.Clause.Always = []string{"mine"}; return p }(), "",
			"mine is set in the try before any of its code can throw"},
		{"set wherever it can come", at(npe+`: Cannot invoke "java.util.List.size()" because "lines" is null`,
			"p.Store.read:21"),
			store(made, filled), "", "lines is set in line 15, and is so at each place in the try that is known " +
				"to throw"},
		{"a comparison, and all is set by then", comparison, store(made), "", "lines is set in line 15"},
		{"a comparison, and another differs", comparison, store(made, ready), "the clause uses ready", ""},
		{"the clause throws another", at("p.CacheDisabled: no", "p.Store.read:23", "p.StoreTest.reads:9"),
			store(ready),
			"the clause uses ready in line 22 (CacheDisabled in Store.read:23)", ""},
		{"a comparison, and the clause decides by it", comparison, store(ready),
			"the clause uses ready in line 22, which the try sets to the result of Hub.ready", ""},
		{"a comparison of what follows", comparison, store(total),
			"what follows the clause uses total in line 28", ""},
		{"a comparison of the try's work", comparison, store(length), "",
			"the clause and what follows it do nothing with length, which the try sets in line 16, but return it: " +
				"the test asks whether the try's work was done"},
		{"a comparison, and only what throws sets it up", comparison, store(given), "",
			"Store.open, which the clause or what follows it uses, is set up by nothing but calls that the exception " +
				"comes from"},
		{"a comparison, and another is set up by the try", comparison, store(given, ready), "the clause uses ready",
			""},
		{"used in the clause, and what throws sets it up", at("p.CacheDisabled: no", "p.Store.read:22"),
			store(given), "the clause uses Store.open in line 22", ""},
		{"an object in the clause, and what throws has it", at("p.CacheDisabled: no", "p.Store.read:21"),
			store(object), "", "CacheDisabled was thrown in Store.read:21"},
		{"thrown in the test's part of what follows",
			at("p.CacheDisabled: no", "p.StoreTest.reads:9", "p.Store.read:22"),
			looking(true), "the clause uses ready in line 22", ""},
		{"the same, of the try's work", at(npe+`: Cannot invoke "p.X.y()" because "this.seen" is null`,
			"p.StoreTest.reads:9"), looking(false), "", "the test looks at this.seen"},
		{"null, and one of two sets is there wherever it can come",
			at(npe+`: Cannot invoke "p.Hub.x()" because "open" is null`, "p.Store.read:21"),
			func() *Place { b := both; b.Kind = clause.Local; return store(b) }(), "",
			"open is set in line 14, and is so"},
		{"one of two sets is there wherever it can come", at("p.Empty: no", "p.Store.read:21"), store(both), "",
			"Empty was thrown in Store.read:21"},
		{"the test looks at what comes from the clause", comparison, looking(true, "Store.read"),
			"the clause uses ready in line 22", ""},
		{"the test looks at the try's work", comparison, looking(false, "StoreTest.calls"), "",
			"the test looks at StoreTest.calls, which neither the clause nor what follows it gives or changes"},
		{"null in the test", at(npe+`: Cannot invoke "p.X.y()" because "this.seen" is null`,
			"p.StoreTest.reads:9"), looking(false), "", "the test looks at this.seen, which"},
		{"what it looks at is not known", comparison, looking(false), "", "could not be connected"},
		{"the next time it runs", comparison, store(again), "", "the test asks whether"},
		{"nothing is prepared", comparison, store(), "", "use nothing that the try prepares: the test asks whether"},
		{"a comparison, and all is set before any can come", comparison,
			func() *Place { p := store(); p.Clause.Always = []string{"last"}; return p }(), "",
			"use at most last, set before any of its code can throw, so that no exception comes from the start: the " +
				"test asks for that, or whether the try's work was done"},
		{"a thread's whole life", comparison, func() *Place { p := store(ready); p.Clause.Thread = true; return p }(),
			"", "all that a thread does"},
		{"a field found null elsewhere",
			at(npe+`: Cannot invoke "p.Config.x()" because "this.cfg" is null`, "p.Store.name:50",
				"p.StoreTest.reads:9"), store(cfg),
			"Store.cfg is used after the method has ended (NullPointerException in Store.name:50)", ""},
		{"another field found null", at(npe+`: Cannot invoke "p.Config.x()" because "this.hub" is null`,
			"p.Store.name:50"), store(cfg), "", "thrown in Store.name:50"},
		{"a variable elsewhere of that name",
			at(npe+`: Cannot invoke "p.Config.x()" because "cfg" is null`, "p.Store.name:50"), store(cfg), "",
			"thrown in Store.name:50"},
		{"elsewhere", at("java.lang.IllegalStateException: no", "p.Other.run:5", "p.StoreTest.reads:9"),
			store(conn),
			"", "thrown in Other.run:5"},
		{"the exception itself", at("p.Bad: injected", "p.Store.read:21", "p.StoreTest.reads:9"), store(length), "",
			"the test asks whether"},
		{"no code", comparison, &Place{}, "", "could not be read"},
	} {
		cell := &record.Cell{Trial: record.Trial{Test: "p.StoreTest#reads", Outcome: record.Fail,
			Stack: c.stack}, Injected: "p.Bad", Fired: 1}
		cause, why := nameCause(cell, c.place, nil)
		switch {
		case (cause != nil) != (c.text != ""):
			t.Errorf("%s: cause %+v, %q", c.name, cause, why)
		case cause != nil && !strings.Contains(cause.Text(), c.text):
			t.Errorf("%s: %q does not say %q", c.name, cause.Text(), c.text)
		case cause == nil && !strings.Contains(why, c.why):
			t.Errorf("%s: %q does not say %q", c.name, why, c.why)
		}
	}
}

// What stands behind a condition is a cause only in a test that ran it in its try.
func TestCauseHasRun(t *testing.T) {
	open := clause.Method{Class: "p/Hub", Method: "open()V"}
	use := clause.Use{Line: 22, Where: clause.InClause}
	opened := prepared(clause.Local, "opened", "the result of Hub.open", 16, use)
	opened.Sets[0].Skipped, opened.Sets[0].Calls = true, []clause.Method{open}
	alone := prepared(clause.Local, "alone", "1", 16, use)
	alone.Sets[0].Skipped = true
	const unknown = "nothing shows that the test runs it"
	for _, c := range []struct {
		name     string
		prepared clause.Prepared
		below    []record.MethodID // nil: not known
		seen     clause.Seen
		why      string // it is no cause
	}{
		{"its call ran", opened, []record.MethodID{3, 7}, clause.NotKnown, ""},
		{"its call did not run", opened, []record.MethodID{3}, clause.NotKnown, unknown},
		{"nothing ran", opened, []record.MethodID{}, clause.NotKnown, unknown},
		{"it is not known what ran", opened, nil, clause.NotKnown, unknown},
		{"it makes no call", alone, []record.MethodID{3, 7}, clause.NotKnown, unknown},
		{"its call ran for something else", opened, []record.MethodID{3, 7}, clause.NotRun,
			"the test does not run it"},
		{"another execution ran it", opened, []record.MethodID{3, 7}, clause.Elsewhere,
			"nothing shows that the execution of the try that caught ran it"},
	} {
		c.prepared.Sets[0].Seen = c.seen
		p := store(c.prepared)
		p.Key = func(id record.MethodID) record.MethodKey {
			if id == 7 {
				return record.MethodKey{Class: open.Class, Method: open.Method}
			}
			return record.MethodKey{Class: "p/Hub", Method: "close()V"}
		}
		cell := record.Cell{Trial: record.Trial{Test: "p.StoreTest#a", Outcome: record.Fail,
			Stack: at("java.lang.IllegalStateException: no", "p.Store.read:22", "p.StoreTest.a:9")}, Type: "E",
			Injected: "E", Fired: 1, Reading: record.White, Whites: 1, Executions: 1}
		r := rowOf([]string{"E"}, []Test{{Name: cell.Test, Baseline: record.Pass, Usage: record.Usage{White: 1},
			Cells: []record.Cell{cell}, Below: c.below}})
		r.Place = p
		v := Decide(r)
		if (v.SourceIndependence == Violated) != (c.why == "") {
			t.Errorf("%s: %s: %s", c.name, v.SourceIndependence, v.Why)
		}
		if why := "in line 16 stands behind a condition, and " + c.why; c.why != "" && !strings.Contains(v.Why, why) {
			t.Errorf("%s: %q does not say %q", c.name, v.Why, why)
		}
	}
}

// A violated verdict has a cause, or it is none.
func TestCauseOfVerdict(t *testing.T) {
	row := func(p *Place, stack string) Row {
		c := record.Cell{Type: "E", Trial: record.Trial{Test: "p.StoreTest#a", Outcome: record.Fail,
			Stack: stack}, Injected: "E", Fired: 1,
			Reading: record.White, Whites: 1, Executions: 1}
		r := rowOf([]string{"E"}, []Test{{Name: c.Test, Baseline: record.Pass, Usage: record.Usage{White: 1},
			Cells: []record.Cell{c}}})
		r.Place = p
		return r
	}
	null := at("java.lang.NullPointerException", "p.Store.read:21", "p.StoreTest.a:9")
	conn := prepared(clause.Local, "conn", "the result of Hub.open", 15,
		clause.Use{Line: 21, Where: clause.InClause})
	v := Decide(row(store(conn), null))
	if v.SourceIndependence != Violated || v.Cause == nil ||
		!strings.Contains(v.Why, "the clause uses conn in line 21") || len(v.Deciding) != 1 {
		t.Errorf("%s: %s", v.SourceIndependence, v.Why)
	}
	v = Decide(row(store(), null))
	if v.SourceIndependence != Unknown || len(v.Unexplained) != 1 || !strings.Contains(v.Why,
		"it decides nothing") ||
		v.PureResilience != Violated || len(v.Witnesses) != 1 {
		t.Errorf("%s, %s: %s", v.SourceIndependence, v.PureResilience, v.Why)
	}
	proven := store()
	proven.Clause.Ground, proven.Clause.Why = clause.PassesOn, "the clause only throws on"
	v = Decide(row(proven, null))
	if v.SourceIndependence != Holds || !v.ByCode || !v.SourceCertain ||
		!strings.HasPrefix(v.Why, "the clause only throws on; that p.StoreTest#a does not pass") {
		t.Errorf("%s: %s", v.SourceIndependence, v.Why)
	}
	if w := DecideBy(row(proven, null), Paper); w.SourceIndependence != Violated || v.Other != Violated {
		t.Errorf("the paper's formulas say %s", w.SourceIndependence)
	}
	untested := rowOf([]string{"E"}, nil)
	untested.Place = proven
	if v := Decide(untested); v.SourceIndependence != Unknown {
		t.Errorf("without a test that makes it run: %s", v.SourceIndependence)
	}
}
