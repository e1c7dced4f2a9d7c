package injection

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
)

// A failure compares an exception where it names its class on both sides; what wraps it names it
// once.
func TestComparesPrepared(t *testing.T) {
	f := &worker.Fired{Exception: "p.Failed", Cause: "java.io.IOException"}
	for text, want := range map[string]bool{
		"java.lang.AssertionError: expected same:<java.io.IOException: gone> was " +
			"not:<java.io.IOException: gone>": true,
		"org.opentest4j.AssertionFailedError: expected: p.Failed@1f2e<p.Failed: x> but was: " +
			"p.Failed@3a4b<p.Failed: x>": true,
		"java.lang.AssertionError: expected [java.io.IOException: gone] but found " +
			"[java.io.IOException: gone]": true,
		"java.lang.AssertionError: Expected: sameInstance(<p.Failed: x>) but: was <p.Failed: x>": true,
		"org.mockito.exceptions.verification.opentest4j.ArgumentsAreDifferent: Wanted: " +
			"l.failed(p.Failed: x); Actual invocations: l.failed(p.Failed: x)": true,
		"java.lang.IllegalStateException: java.io.IOException: gone": false,
		"java.lang.AssertionError: expected:<1> but was:<0>":         false,
		"p.Failed": false,
	} {
		if got := comparesPrepared(text, f); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What is said of a run does not name the class that stands for an abstract exception.
func TestStubsAreNotNamed(t *testing.T) {
	r := &Injection{Over: Over{Lab: labOf(&workspace.Module{Name: "m"}), Read: &lab.Reader{},
		Snap: &snapshot.Snapshot{}}}
	u := unit{catch: &snapshot.Catch{ID: "c"}, typ: "p.Gone", stubName: "p.Gone" + rewrite.StubSuffix}
	stub := worker.Test{Outcome: worker.Fail,
		Failure: worker.Failure{Exception: u.stubName, Message: "no",
			Stack: u.stubName + ": no\n\tat p.C.m(C.java:3)"},
		Injection: &worker.Fired{Times: 1, Exception: u.stubName, Constructor: "()"}}
	c := r.cell(u, &record.TestRun{Test: "p.CTest#gone"}, &stub)
	if c.Injected != "p.Gone" || c.Message != "p.Gone: no" || strings.Contains(c.Stack+c.Constructed, "Stub") {
		t.Errorf("the stub is named: %+v", c)
	}
}

// A failing run is confirmed by one that ended alike, and by no other.
func TestConfirm(t *testing.T) {
	a, b, d := &record.Cell{Trial: record.Trial{Test: "a", Outcome: record.Fail}},
		&record.Cell{Trial: record.Trial{Test: "b", Outcome: record.Exit}},
		&record.Cell{Trial: record.Trial{Test: "d", Outcome: record.Pass}}
	confirm([]*record.Cell{a, b, d}, []*record.Cell{{Trial: record.Trial{Test: "a", Outcome: record.Fail}},
		{Trial: record.Trial{Test: "b", Outcome: record.Fail}}})
	if !a.Confirmed || b.Confirmed || d.Confirmed {
		t.Errorf("confirmed: %v, %v, %v; want only the first", a.Confirmed, b.Confirmed, d.Confirmed)
	}
	elsewhere := &record.Cell{Trial: record.Trial{Test: "a", Outcome: record.Fail, Stack: stackAt(5)}}
	confirm([]*record.Cell{elsewhere}, []*record.Cell{{Trial: record.Trial{Test: "a", Outcome: record.Fail,
		Stack: stackAt(6)}}})
	if elsewhere.Confirmed {
		t.Error("a failure in another place confirms one")
	}
}

// stackAt is the stack trace of an assertion that fails in a line of a test.
func stackAt(line int) string {
	return fmt.Sprintf("org.junit.ComparisonFailure: text\n\tat org.junit.Assert.assertEquals(Assert.java:117)\n\tat "+
		"p.CTest.m(CTest.java:%d)\nCaused by: p.E\n\tat p.C.m(C.java:1)\n", line)
}

// Where a test failed is the class of the exception and the nearest frames of the program's own.
func TestFailsAt(t *testing.T) {
	if got, want := failsAt(stackAt(5)), "org.junit.ComparisonFailure\np.CTest.m(CTest.java:5)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lambda := "p.E\n\tat p.C$$Lambda$14/0x0000000800c03000.run(Unknown Source)\n\tat " +
		"java.util.List.forEach(List.java:3)\n\tat com.sun.proxy.$Proxy3.m(Unknown Source)\n\tat " +
		"p.D.m(D.java:2)\n\tat p.D.n(D.java:3)\n\tat p.D.o(D.java:4)\n"
	const want = "p.E\np.C$$Lambda.run(Unknown Source)\np.D.m(D.java:2)\np.D.n(D.java:3)"
	if got := failsAt(lambda); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range []string{"", "java.lang.OutOfMemoryError: Java heap space\n", "p.E: two\nlines\n"} {
		if got := failsAt(s); got != "" {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// A run that failed and then passed decides nothing, nor one that fails in another place each
// time; one that failed again, in the same place if that is known, fails.
func TestWaver(t *testing.T) {
	a := &record.Cell{Trial: record.Trial{Outcome: record.Fail, Message: "java.io.IOException: no"},
		Confirmed: true}
	passed := &record.Cell{Trial: record.Trial{Outcome: record.Pass}}
	if !decideByRepetition([]*record.Cell{a}, passed) || a.Outcome != record.Flaky || a.Confirmed ||
		!strings.HasSuffix(a.Message, ": java.io.IOException: no") {
		t.Errorf("passed the second time: %+v", a)
	}
	b := &record.Cell{Trial: record.Trial{Outcome: record.Fail}, Confirmed: true}
	exited := &record.Cell{Trial: record.Trial{Outcome: record.Exit}}
	if !decideByRepetition([]*record.Cell{b}, exited) || b.Outcome != record.Fail || !b.Confirmed {
		t.Errorf("failed again: %+v", b)
	}
	at := func(line int) *record.Cell {
		return &record.Cell{Trial: record.Trial{Outcome: record.Fail, Stack: stackAt(line)}, Confirmed: true}
	}
	for _, x := range []struct {
		lines []int // the last is that of the repetition
		want  record.Outcome
		ends  bool
	}{
		{[]int{5, 5}, record.Fail, true}, {[]int{5, 6}, record.Fail, false}, {[]int{5, 6, 6}, record.Fail, true},
		{[]int{5, 6, 5}, record.Fail, true}, {[]int{5, 6, 7}, record.Flaky, true},
	} {
		var cells []*record.Cell
		for _, l := range x.lines {
			cells = append(cells, at(l))
		}
		n := len(cells) - 1
		if ends := decideByRepetition(cells[:n], cells[n]); ends != x.ends || cells[0].Outcome != x.want ||
			cells[0].Certain {
			t.Errorf("failed in lines %v: %v, %+v", x.lines, ends, cells[0])
		}
	}
}

// forTests injects over a lab that runs nothing, in JVMs with some beside for tests that wait.
func forTests() *Injection {
	return New(Over{Lab: labOf(&workspace.Module{})}, Options{JVMs: 2, Waiters: WaitersFor(2),
		Shuffle: func(int, func(i, j int)) {}})
}

// labOf is a lab that runs nothing.
func labOf(m *workspace.Module) *lab.Lab {
	return &lab.Lab{Execution: lab.Execution{Module: m}, Probes: &lab.Probes{}}
}

// keptCells is a memory that takes cells.
type keptCells struct{ record.Memory }

func (keptCells) PutCell(*record.Cell) error { return nil }

// Where all is to run again, a recorded run counts if it was made by this campaign, whatever its
// time says.
func TestToRepeat(t *testing.T) {
	r := New(Over{Lab: labOf(&workspace.Module{}), Memory: keptCells{}}, Options{Again: true})
	future := &record.Cell{Trial: record.Trial{Catch: "c", Test: "t", At: time.Now().Add(time.Hour)}, Type: "E"}
	if !r.toRepeat(future) {
		t.Error("a record of the future counts as one that was made now")
	}
	future.Certain = true
	if r.stands(future) {
		t.Error("a certain run that was made before stands")
	}
	now := *future
	now.At = time.Now().Add(-time.Hour) // the clock was set back meanwhile
	if err := r.put([]*record.Cell{&now}); err != nil {
		t.Fatal(err)
	}
	if r.toRepeat(&now) || !r.stands(&now) {
		t.Error("a run of this campaign is to be made again, or confirmed again")
	}
	if now.Certain = false; r.stands(&now) {
		t.Error("a run that is not certain stands")
	}
	if r.Again = false; !r.stands(future) {
		t.Error("a certain run does not stand")
	}
	if r.toRepeat(&record.Cell{Trial: record.Trial{Catch: "d"}}) {
		t.Error("a run is to be made again that nobody asked for again")
	}
}

// cellsBefore is a memory with one version of each cell.
type cellsBefore struct {
	record.Memory
	cells map[record.CellKey]*record.Cell
}

func (m cellsBefore) CellVersions(k record.CellKey) []*record.Cell {
	if c := m.cells[k]; c != nil {
		return []*record.Cell{c}
	}
	return nil
}

func (m cellsBefore) PutCell(c *record.Cell) error {
	m.cells[c.Key()] = c
	return nil
}

// Where another test has failed in this campaign, the verdict rests on the run that was confirmed
// before: that is confirmed once more where nothing that was known before is to count, once, and
// stands otherwise.
func TestConfirmsAgainWhatDecides(t *testing.T) {
	const id, typ = "c", "p.E"
	failing := func(test string, certain bool) *record.Cell {
		return &record.Cell{Format: record.CellFormat, Type: typ, Fired: 1, Confirmed: true, Certain: certain,
			Reading: record.White, Provenance: record.Caught, Whites: 1, Executions: 1,
			Trial: record.Trial{Catch: id, Test: test, Outcome: record.Fail}}
	}
	var tests []*record.TestRun
	for _, name := range []string{"p.T#first", "p.T#second"} {
		tests = append(tests, &record.TestRun{Test: name, Outcome: record.Pass,
			Usages: map[string]record.Usage{id: {White: 1}}})
	}
	for _, again := range []bool{false, true} {
		memory := cellsBefore{cells: map[record.CellKey]*record.Cell{}}
		memory.PutCell(failing("p.T#second", true))
		snap := &snapshot.Snapshot{Catches: []*snapshot.Catch{{ID: id, Types: []string{typ},
			Handlers: []exceptions.HandlerRef{{Class: "p/C"}}}}}
		r := New(Over{Lab: labOf(&workspace.Module{}), Snap: snap, Memory: memory,
			Recall: recall.New(snap, memory, "", "")},
			Options{Again: again, Asked: func(string) bool { return true }, JVMs: 2})
		r.making.followed = map[string][]worker.Target{id: {{Class: "p/C"}}}
		if err := r.put([]*record.Cell{failing("p.T#first", false)}); err != nil {
			t.Fatal(err)
		}
		confirmed := func() (names []string) {
			units, err := r.unconfirmed(entering(tests), map[record.CellKey]bool{})
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range units {
				for _, x := range u.tests {
					names = append(names, x.Test)
				}
			}
			return names
		}
		var want []string
		if again {
			want = []string{"p.T#second"}
		}
		if got := confirmed(); !slices.Equal(got, want) {
			t.Errorf("again %v: %v are confirmed, want %v", again, got, want)
		}
		if err := r.put([]*record.Cell{failing("p.T#second", true)}); err != nil {
			t.Fatal(err)
		}
		if got := confirmed(); len(got) > 0 {
			t.Errorf("again %v: %v are confirmed twice", again, got)
		}
	}
}
