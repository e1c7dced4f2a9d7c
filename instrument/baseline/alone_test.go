package baseline

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// A test runs without the others of its class where each of these is recorded, of this environment
// and of the tests that the class has now.
func TestSeparable(t *testing.T) {
	for _, x := range []struct {
		what   string
		chosen []string
		change func(b *record.TestRun)
		want   []string
	}{
		{"one", []string{"p.T#a"}, nil, []string{"p.T#a"}},
		{"two", []string{"p.T#c", "p.T#a"}, nil, []string{"p.T#a", "p.T#c"}},
		{"all", []string{"p.T#a", "p.T#b", "p.T#c"}, nil, nil},
		{"one that is not recorded", []string{"p.T#a", "p.T#d"}, nil, nil},
		{"another one of another environment", []string{"p.T#a"}, func(b *record.TestRun) { b.Env = "f" }, nil},
		{"another one when the class had other tests", []string{"p.T#a"},
			func(b *record.TestRun) { b.Shape = "" }, nil},
		{"the class has failed as a whole", []string{"p.T#a"}, func(b *record.TestRun) { b.ID = "" }, nil},
		{"the class was not complete", []string{"p.T#a"}, func(b *record.TestRun) { b.Outcomes = nil }, nil},
		{"another one ran older code", []string{"p.T#a"},
			func(b *record.TestRun) { b.Methods = []record.MethodID{2} }, []string{"p.T#a"}},
	} {
		var runs []*record.TestRun
		for _, name := range []string{"b", "a", "c"} {
			runs = append(runs, &record.TestRun{Test: "p.T#" + name, ID: name, Class: "p.T", Env: "e", Shape: "of p.T",
				Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}})
		}
		if x.change != nil {
			x.change(runs[0])
		}
		var got []string
		for _, run := range separable(runs, x.chosen, "e", func(class string) string { return "of " + class }) {
			got = append(got, run.Test)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.what, got, x.want)
		}
	}
}

// A run of tests by themselves says so, and names them as before, and the class that is run for
// them.
func TestAlone(t *testing.T) {
	tests := []*record.TestRun{{ID: "a", Test: "p.T$I#a[x]", Asked: "p.T"}, {ID: "b", Test: "p.T#b"}}
	runs := alone(tests, []*record.TestRun{{ID: "b", Test: "p.T#b"}, {ID: "a", Test: "p.T$I#a"}})
	for i, want := range []record.TestRun{{ID: "b", Test: "p.T#b", Alone: true},
		{ID: "a", Test: "p.T$I#a[x]", Asked: "p.T", Alone: true}} {
		if got := *runs[i]; got.Test != want.Test || got.Asked != want.Asked || got.Alone != want.Alone {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// Where tests have not passed by themselves, and their class runs, the others of it are those that
// run then.
func TestAwaitOthers(t *testing.T) {
	b := &Baseline{others: map[string]*record.TestRun{"p.T#a": {Class: "p.T"},
		"p.T$I#b": {Class: "p.T$I", Asked: "p.T"}, "p.U#c": {Class: "p.U"}}}
	b.awaitOthers("p.T")
	if len(b.others) != 1 || b.others["p.U#c"] == nil {
		t.Errorf("left are %v", b.others)
	}
}

// Only tests that pass, each once, have run by themselves.
func TestPassedAll(t *testing.T) {
	tests := []*record.TestRun{{ID: "a"}, {ID: "b"}}
	result := func(id string, outcome worker.Outcome) (r worker.Test) {
		r.ID, r.Outcome = id, outcome
		return r
	}
	a, b := result("a", worker.Pass), result("b", worker.Pass)
	for _, x := range []struct {
		what string
		res  worker.RunResult
		want bool
	}{
		{"both", worker.RunResult{Tests: []worker.Test{b, a}}, true},
		{"one", worker.RunResult{Tests: []worker.Test{a}}, false},
		{"another one", worker.RunResult{Tests: []worker.Test{a, result("c", worker.Pass)}}, false},
		{"one fails", worker.RunResult{Tests: []worker.Test{a, result("b", worker.Fail)}}, false},
		{"one is not found", worker.RunResult{Tests: []worker.Test{a, result("b", worker.Missing)}}, false},
		{"the JVM ended", worker.RunResult{Tests: []worker.Test{a, b}, Died: &worker.Died{}}, false},
	} {
		if got := passedAll(tests, &x.res); got != x.want {
			t.Errorf("%s: %v", x.what, got)
		}
	}
}
