package campaign

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/instrument/lab"
	"catchlens/instrument/record"
	"catchlens/instrument/rewrite"
	"catchlens/instrument/worker"
	"catchlens/test/scratch"
)

// A failure compares an exception where it names its class on both sides; what wraps it names it
// once.
func TestComparesPrepared(t *testing.T) {
	f := &worker.Fired{Exception: "p.Failed", Cause: "java.io.IOException"}
	for text, want := range map[string]bool{
		"java.lang.AssertionError: expected same:<java.io.IOException: gone> was not:<java.io.IOException: gone>":                                        true,
		"org.opentest4j.AssertionFailedError: expected: p.Failed@1f2e<p.Failed: x> but was: p.Failed@3a4b<p.Failed: x>":                                  true,
		"java.lang.AssertionError: expected [java.io.IOException: gone] but found [java.io.IOException: gone]":                                           true,
		"java.lang.AssertionError: Expected: sameInstance(<p.Failed: x>) but: was <p.Failed: x>":                                                         true,
		"org.mockito.exceptions.verification.opentest4j.ArgumentsAreDifferent: Wanted: l.failed(p.Failed: x); Actual invocations: l.failed(p.Failed: x)": true,
		"java.lang.IllegalStateException: java.io.IOException: gone":                                                                                     false,
		"java.lang.AssertionError: expected:<1> but was:<0>":                                                                                             false,
		"p.Failed": false,
	} {
		if got := comparesPrepared(text, f); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What is said of a run does not name the class that stands for an abstract exception.
func TestStubsAreNotNamed(t *testing.T) {
	r := &moduleRun{lab: labOf(&workspace.Module{Name: "m"}), read: &lab.Reader{}}
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
	a, b, d := &record.Cell{Test: "a", Outcome: record.Fail}, &record.Cell{Test: "b",
		Outcome: record.Exit}, &record.Cell{Test: "d", Outcome: record.Pass}
	confirm([]*record.Cell{a, b, d}, []*record.Cell{{Test: "a", Outcome: record.Fail},
		{Test: "b", Outcome: record.Fail}})
	if !a.Confirmed || b.Confirmed || d.Confirmed {
		t.Errorf("confirmed: %v, %v, %v; want only the first", a.Confirmed, b.Confirmed, d.Confirmed)
	}
	elsewhere := &record.Cell{Test: "a", Outcome: record.Fail, Stack: stackAt(5)}
	confirm([]*record.Cell{elsewhere}, []*record.Cell{{Test: "a", Outcome: record.Fail, Stack: stackAt(6)}})
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
	if got, want := failsAt(lambda), "p.E\np.C$$Lambda.run(Unknown Source)\np.D.m(D.java:2)\np.D.n(D.java:3)"; got != want {
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
	a := &record.Cell{Outcome: record.Fail, Confirmed: true, Message: "java.io.IOException: no"}
	if !waver([]*record.Cell{a}, &record.Cell{Outcome: record.Pass}) || a.Outcome != record.Flaky || a.Confirmed ||
		!strings.HasSuffix(a.Message, ": java.io.IOException: no") {
		t.Errorf("passed the second time: %+v", a)
	}
	b := &record.Cell{Outcome: record.Fail, Confirmed: true}
	if !waver([]*record.Cell{b}, &record.Cell{Outcome: record.Exit}) || b.Outcome != record.Fail || !b.Confirmed {
		t.Errorf("failed again: %+v", b)
	}
	at := func(line int) *record.Cell {
		return &record.Cell{Outcome: record.Fail, Confirmed: true, Stack: stackAt(line)}
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
		if ends := waver(cells[:n], cells[n]); ends != x.ends || cells[0].Outcome != x.want || cells[0].Certain {
			t.Errorf("failed in lines %v: %v, %+v", x.lines, ends, cells[0])
		}
	}
}

// labOf is a lab that runs nothing.
func labOf(m *workspace.Module) *lab.Lab {
	return &lab.Lab{Execution: lab.Execution{Module: m}, Probes: &lab.Probes{}}
}

// Sources of tests can describe a Java module, too.
func TestDescribesModule(t *testing.T) {
	main, test := t.TempDir(), t.TempDir()
	m := &workspace.Module{MainSources: []string{main}, TestSources: []string{test}}
	if describesModule(m) {
		t.Error("sources without module-info.java describe a module")
	}
	scratch.Write(t, filepath.Join(test, "module-info.java"), "module p {}")
	if !describesModule(m) {
		t.Error("the module-info.java of the tests is not seen")
	}
	if a, b, c := isolationIn(FreshLoader, true), isolationIn(FreshLoader, false),
		isolationIn(SharedJVM, true); a != ForkedJVM || b != FreshLoader || c != SharedJVM {
		t.Errorf("class loaders in a module: %s, outside: %s; shared JVMs: %s", a, b, c)
	}
	for _, x := range []struct {
		kind workspace.Kind
		path workspace.ModulePath
		says bool
	}{{workspace.Maven, workspace.MainDescribed, true}, {workspace.Maven, "", false}, {workspace.Plain, "", true}} {
		r := &moduleRun{c: New(nil, nil, Options{}),
			lab: labOf(&workspace.Module{Kind: x.kind, TestSources: []string{test},
				Test: workspace.TestSettings{ModulePath: x.path}})}
		r.noteModule(1)
		if notes := r.c.summary().Notes; (len(notes) == 1) != x.says {
			t.Errorf("%s, module path %q: notes %q", x.kind, x.path, notes)
		}
	}
	if n := failing([]*record.TestRun{{Outcome: record.Fail}, {Outcome: record.Pass},
		{Outcome: record.Flaky}}); n != 1 {
		t.Errorf("%d tests fail, want 1", n)
	}
}
