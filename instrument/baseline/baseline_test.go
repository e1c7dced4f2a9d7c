package baseline

import (
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/recall"
	"github.com/catchlens/catchlens/instrument/record"
)

// kept is a memory of test runs, whose methods have their number as digest.
type kept struct {
	record.Memory
	runs []*record.TestRun
	put  []*record.TestRun
}

func (k *kept) Runs() []*record.TestRun                        { return k.runs }
func (k *kept) RunVersions(_, _ string) []*record.TestRun      { return nil }
func (k *kept) TestRun(_, _, _ string) (*record.TestRun, bool) { return nil, false }
func (k *kept) PutTestRun(r *record.TestRun) error             { k.put = append(k.put, r); return nil }
func (k *kept) Method(id record.MethodID) record.MethodKey {
	return record.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{byte(id)}}
}

// firstVersion is code all of whose methods have the digest 1.
type firstVersion struct{}

func (firstVersion) Class(string) *snapshot.Class { return nil }

func (firstVersion) MethodDigest(snapshot.MethodRef) ([16]byte, bool) { return [16]byte{1}, true }

// A test that is gone although its code is the same (its annotation was removed) is
// recorded as gone from that code; one whose code has changed is not.
func TestForget(t *testing.T) {
	same, changed := []record.MethodID{1}, []record.MethodID{2}
	memory := &kept{runs: []*record.TestRun{
		{Test: "p.T#same", Class: "p.T", Env: "e", Outcome: record.Pass, Methods: same},
		{Test: "p.T#changed", Class: "p.T", Env: "e", Outcome: record.Pass, Methods: changed},
		{Test: "p.T#there", Class: "p.T", Env: "e", Outcome: record.Pass, Methods: same},
	}}
	l := &lab.Lab{Execution: lab.Execution{Module: &workspace.Module{}, Classes: []string{"p.T"}},
		Probes: &lab.Probes{}, Env: "e"}
	b := &Baseline{Lab: l, Memory: memory, Recall: recall.New(firstVersion{}, memory, "", "e")}
	if err := b.forget(map[string]*record.TestRun{"p.T#there": memory.runs[2]}); err != nil {
		t.Fatal(err)
	}
	if len(memory.put) != 2 || memory.put[0].Outcome != record.Gone || memory.put[1].Outcome != record.Gone {
		t.Fatalf("recorded %+v", memory.put)
	}
	if a, b := memory.put[0], memory.put[1]; len(a.Methods) != 1 || len(b.Methods) != 0 {
		t.Errorf("gone from %v and %v", a.Methods, b.Methods)
	}
}

// Of the tests no part runs where the classes that a catch needs are all that have tests: what no
// test does would stay open, though all have run.
func TestPartOfAll(t *testing.T) {
	memory := &kept{}
	l := &lab.Lab{Execution: lab.Execution{Module: &workspace.Module{}, Classes: []string{"p.ATest", "p.BTest"}},
		Probes: &lab.Probes{}, Env: "e"}
	ran := func(class string, took time.Duration, u record.Usage) []*record.TestRun {
		return []*record.TestRun{{Test: class + "#a", Class: class, Env: "e", Outcome: record.Pass, Part: true,
			Outcomes: []record.Outcome{record.Pass, record.Pass}, Duration: took,
			Usages: map[string]record.Usage{"c": u}}}
	}
	none := record.Usage{Pink: 1}
	for _, c := range []struct {
		name      string
		near, far []string
		ran       map[string][]*record.TestRun
		whole     bool
	}{
		{"all near", []string{"p.BTest", "p.ATest"}, nil, map[string][]*record.TestRun{
			"p.ATest": ran("p.ATest", 0, none), "p.BTest": ran("p.BTest", 0, none)}, true},
		{"all far", nil, []string{"p.ATest", "p.BTest"}, map[string][]*record.TestRun{
			"p.ATest": ran("p.ATest", 0, none)}, true},
		{"one far", nil, []string{"p.ATest"}, map[string][]*record.TestRun{
			"p.ATest": ran("p.ATest", 0, none)}, false},
		{"all near, and one was enough", []string{"p.ATest", "p.BTest"}, nil, map[string][]*record.TestRun{
			"p.ATest": ran("p.ATest", enoughTime, record.Usage{White: 1})}, false},
		{"all near, and enough time ran without the catch", []string{"p.ATest", "p.BTest"}, nil,
			map[string][]*record.TestRun{"p.ATest": ran("p.ATest", enoughTime, none)}, true},
		{"all near, and all ran in time that is enough", []string{"p.ATest", "p.BTest"}, nil,
			map[string][]*record.TestRun{"p.ATest": ran("p.ATest", enoughTime, record.Usage{White: 1}),
				"p.BTest": ran("p.BTest", 0, none)}, true},
	} {
		b := &Baseline{Lab: l, Memory: memory, Recall: recall.New(firstVersion{}, memory, "", "e"), Repetitions: 2,
			For: map[string]bool{"c": true}}
		b.Part = &Part{Near: c.near, Far: c.far, Ran: c.ran, Reached: map[string]bool{}}
		runs, whole, err := b.runPart(t.Context())
		if err != nil || whole != c.whole || (len(runs) > 0) == c.whole {
			t.Errorf("%s: whole %v, %d runs, %v", c.name, whole, len(runs), err)
		}
	}
}

// No further test class begins once the tests have taken their time, without what they waited for a
// core, and made each of the catches run.
func TestEnough(t *testing.T) {
	white := map[string]record.Usage{"c": {White: 1}}
	run := func(took, starved time.Duration, usages map[string]record.Usage, o record.Outcome) *record.TestRun {
		return &record.TestRun{Duration: took, Starved: starved, Usages: usages, Outcome: o}
	}
	reaches := run(enoughTime/2, 0, white, record.Pass)
	for _, c := range []struct {
		name    string
		runs    []*record.TestRun
		reached map[string]bool
		want    bool
	}{
		{"too little time", []*record.TestRun{reaches}, nil, false},
		{"enough", []*record.TestRun{reaches, reaches}, nil, true},
		{"not made to run", []*record.TestRun{run(enoughTime, 0, map[string]record.Usage{"c": {Pink: 1}}, record.Pass)},
			nil, false},
		{"by a flaky test", []*record.TestRun{run(enoughTime, 0, white, record.Flaky)}, nil, false},
		{"in another module", []*record.TestRun{run(enoughTime, 0, nil, record.Pass)}, map[string]bool{"c": true},
			true},
		{"starved", []*record.TestRun{reaches, run(2*enoughTime, 2*enoughTime, nil, record.Pass)}, nil, false},
	} {
		p := &Part{Reached: c.reached}
		if got := p.Enough(c.runs, map[string]bool{"c": true}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A class of which not all runs are kept, however few are missing, is run again.
func TestPutClass(t *testing.T) {
	runs := []*record.TestRun{}
	for _, name := range []string{"a", "b", "c"} {
		runs = append(runs, &record.TestRun{Test: "p.T#" + name, Class: "p.T", Env: "e", Outcome: record.Pass,
			Outcomes: []record.Outcome{record.Pass}})
	}
	memory := &kept{}
	l := &lab.Lab{Execution: lab.Execution{Module: &workspace.Module{}, Classes: []string{"p.T"}},
		Probes: &lab.Probes{}, Env: "e"}
	b := &Baseline{Lab: l, Memory: memory, Repetitions: 1}
	if err := b.putClass(runs); err != nil {
		t.Fatal(err)
	}
	for n := range len(memory.put) + 1 {
		newest := &kept{}
		for i, run := range memory.put[:n] {
			later := func(r *record.TestRun) bool { return r.Test == run.Test }
			if !slices.ContainsFunc(memory.put[i+1:n], later) {
				newest.runs = append(newest.runs, run)
			}
		}
		b.Memory, b.Recall = newest, recall.New(firstVersion{}, newest, "", "e")
		todo, known := b.split()
		whole := n == len(memory.put)
		if (len(todo) == 0) != whole || whole && len(known) != len(runs) {
			t.Errorf("of %d records %d: run again %q, known %d", len(memory.put), n, todo, len(known))
		}
	}
	if len(runs[0].Outcomes) != 1 || len(runs) != 3 {
		t.Errorf("the runs were changed: %+v", runs[0])
	}
}

// Of two repetitions a test has the longer time, and waited for the smaller part of it; so it did
// for something else than a core.
func TestMergeWaited(t *testing.T) {
	run := func(took, waited time.Duration) *record.TestRun {
		return &record.TestRun{Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass}, Duration: took,
			Waited: waited}
	}
	for _, x := range []struct {
		a, b *record.TestRun
		want time.Duration
	}{
		{run(time.Second, 900*time.Millisecond), run(3*time.Second, 2400*time.Millisecond), 2400 * time.Millisecond},
		{run(time.Second, 900*time.Millisecond), run(time.Second, 0), 0},
		{run(time.Second, 900*time.Millisecond), run(time.Second, 600*time.Millisecond), 600 * time.Millisecond},
		{run(0, 0), run(0, 0), 0},
	} {
		x.a.Starved = x.a.Waited / 2
		m := merge(x.a, x.b)
		idle := min(x.want, time.Duration(float64(m.Duration)*x.a.IdlePart()))
		if d := (m.Idle() - idle).Abs(); d > time.Millisecond {
			t.Errorf("%s of %s and of %s: %s idle", x.a.Idle(), x.a.Duration, x.b.Duration, m.Idle())
		}
		if d := (m.Waited - x.want).Abs(); d > time.Millisecond || m.Duration != max(x.a.Duration, x.b.Duration) {
			t.Errorf("%s of %s and %s of %s: %s of %s", x.a.Waited, x.a.Duration, x.b.Waited, x.b.Duration, m.Waited,
				m.Duration)
		}
	}
}

// A catch that is run again has those classes run again whose tests enter its try, in some
// repetition, unless they were repeated, or fail; and those whose code has changed. All are run
// again where all is asked for.
func TestSplitAgain(t *testing.T) {
	memory := &kept{}
	classes := []string{"p.Changed", "p.Enters", "p.Fails", "p.New", "p.Other", "p.Sometimes"}
	for class, run := range map[string]record.TestRun{
		"p.Changed":   {Outcome: record.Pass, Methods: []record.MethodID{2}},
		"p.Enters":    {Outcome: record.Pass, Usages: map[string]record.Usage{"asked": {Pink: 1}}},
		"p.Fails":     {Outcome: record.Fail},
		"p.Other":     {Outcome: record.Pass, Usages: map[string]record.Usage{"other": {White: 1}}},
		"p.Sometimes": {Outcome: record.Pass, Usages: map[string]record.Usage{"asked": {}}},
	} {
		run.Test, run.Class, run.Env, run.Outcomes = class+"#t", class, "e", []record.Outcome{run.Outcome}
		memory.runs = append(memory.runs, &run)
	}
	l := &lab.Lab{Execution: lab.Execution{Module: &workspace.Module{}, Classes: classes},
		Probes: &lab.Probes{}, Env: "e"}
	asked := map[string]bool{"asked": true}
	enters := func(test string) bool { return test == "p.Enters#t" }
	for _, x := range []struct {
		again    bool
		only     map[string]bool
		repeated func(string) bool
		want     []string
	}{
		{false, nil, nil, []string{"p.Changed", "p.New"}},
		{false, asked, nil, []string{"p.Changed", "p.New"}},
		{true, asked, nil, []string{"p.Changed", "p.Enters", "p.Fails", "p.New", "p.Sometimes"}},
		{true, asked, enters, []string{"p.Changed", "p.Fails", "p.New", "p.Sometimes"}},
		{true, nil, enters, classes},
	} {
		b := &Baseline{Lab: l, Memory: memory, Recall: recall.New(firstVersion{}, memory, "", "e"), Repetitions: 1,
			Again: x.again, For: x.only, Repeated: x.repeated}
		todo, known := b.split()
		if !slices.Equal(todo, x.want) || len(known) != len(classes)-len(todo) {
			t.Errorf("again %v, only %v: to run are %q, known %d", x.again, x.only, todo, len(known))
		}
	}
}

// Classes that ran before and entered the tries, or failed where that is to be seen again, begin
// before the others, and however long they take.
func TestInAnyCase(t *testing.T) {
	asked := map[string]record.Usage{"c": {}}
	was := map[string][]*record.TestRun{"p.Enters": {{Outcome: record.Pass}, {Outcome: record.Pass, Usages: asked}},
		"p.Fails": {{Outcome: record.Fail}}, "p.Other": {{Outcome: record.Pass}}}
	for again, want := range map[bool][]string{false: {"p.Enters"}, true: {"p.Fails", "p.Enters"}} {
		p := &partly{b: &Baseline{For: map[string]bool{"c": true}, Again: again}, was: was}
		must, others := p.inAnyCase([]string{"p.New", "p.Fails", "p.Other", "p.Enters"})
		if !slices.Equal(must, want) || len(must)+len(others) != 4 {
			t.Errorf("again %v: %q and %q", again, must, others)
		}
	}
	one := &pass{must: 2, enough: func([]*record.TestRun) bool { return true }}
	for n, want := range []bool{false, false, true} {
		if got := one.hasEnough(); got != want {
			t.Errorf("before class %d: enough %v", n, got)
		}
	}
}

// Where classes are left out, a try that a test enters otherwise the second time is not injected
// into there, and only where no other test makes its catch run do all tests run. Once no class is
// left out any more, all do, too.
func TestWaversInPart(t *testing.T) {
	run := func(test string, white int) *record.TestRun {
		return &record.TestRun{Test: test, Outcome: record.Pass, Outcomes: []record.Outcome{record.Pass},
			Usages: map[string]record.Usage{"c": {White: white}, "other": {White: white}}}
	}
	for _, c := range []struct {
		name        string
		cut, beside bool
		usage       int
		want        bool
	}{
		{"no class is left out", false, true, 2, true},
		{"another test makes it run", true, true, 0, false},
		{"no other test makes it run", true, false, 0, true},
	} {
		p := &partly{b: &Baseline{For: map[string]bool{"c": true}}, cut: c.cut, runs: map[string][]*record.TestRun{}}
		wavering := map[string]bool{}
		both := p.merge(wavering, run("p.T#a", 2), run("p.T#a", 1))
		p.runs["p.T"] = []*record.TestRun{both}
		if c.beside {
			p.runs["p.U"] = []*record.TestRun{p.merge(wavering, run("p.U#b", 1), run("p.U#b", 1))}
		}
		if got := p.needsAll(wavering); got != c.want || both.Usages["c"].White != c.usage ||
			both.Usages["other"].White != 2 {
			t.Errorf("%s: all are needed: %v; %v", c.name, got, both.Usages)
		}
		p.cut, both.Part = false, true
		if got := p.needsAll(map[string]bool{}); got != c.cut {
			t.Errorf("%s, when none is left out any more: all are needed: %v", c.name, got)
		}
	}
}

// What an older run has seen stays, and what says when and of what baseline a run is does not.
func TestWithOlder(t *testing.T) {
	old := &record.TestRun{Test: "p.T#a", At: time.Unix(1, 0), Part: true,
		Outcomes: []record.Outcome{record.Pass}}
	run := &record.TestRun{Test: "p.T#a", At: time.Unix(2, 0), Outcomes: []record.Outcome{record.Pass}}
	if got := withOlder(old, run); got.Part || !got.At.Equal(run.At) || len(got.Outcomes) != 2 {
		t.Errorf("%+v", got)
	}
}
