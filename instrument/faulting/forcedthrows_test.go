package faulting

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/record"
)

// onlyRuns is a memory of runs with faults.
type onlyRuns struct {
	record.Memory
	runs []*record.FaultRun
}

func (m onlyRuns) FaultRun(key record.FaultKey, env string, _ func([]record.MethodID) bool) (*record.FaultRun,
	bool) {
	i := slices.IndexFunc(m.runs, func(f *record.FaultRun) bool { return f.Key() == key && f.Env == env })
	if i < 0 {
		return nil, false
	}
	return m.runs[i], true
}

// What has been tried stays in a plan of which only the first few are tried, whatever comes before
// it since.
func TestToldFirst(t *testing.T) {
	run := func(root string, cold bool, engine string) *record.FaultRun {
		return &record.FaultRun{Trial: record.Trial{Catch: "c", Test: "p.T#b", Env: "e"}, Root: root,
			Kind: faults.DiskRead, Cold: cold,
			Engine: engine}
	}
	jvm := fault.JVM{}.Name()
	f := &Faulting{Lab: &lab.Lab{Env: "e"}, Engine: fault.JVM{}, Memory: onlyRuns{
		runs: []*record.FaultRun{
			run("p/A.b()V#0", false, jvm), run("p/A.c()V#0", false, "another"), run("p/A.d()V#0", true, jvm),
			run("p/A.f()V#0", false, jvm),
		}}}
	for _, x := range []struct {
		cold bool
		want []string
	}{
		{false, []string{"p/A.b()V#0", "p/A.f()V#0", "p/A.a()V#0", "p/A.c()V#0", "p/A.d()V#0", "p/A.e()V#0"}},
		{true, []string{"p/A.d()V#0", "p/A.a()V#0", "p/A.b()V#0", "p/A.c()V#0", "p/A.e()V#0", "p/A.f()V#0"}},
	} {
		c := &faultCatch{catch: &snapshot.Catch{ID: "c"}}
		for _, m := range []string{"a", "b", "c", "d", "e", "f"} {
			c.plan = append(c.plan, strike{root: "p/A." + m + "()V#0", kind: faults.DiskRead,
				tests: []*record.TestRun{{Test: "p.T#a"}, {Test: "p.T#b"}}})
		}
		f.toldFirst(c, x.cold)
		var got []string
		for _, s := range c.plan {
			got = append(got, s.root)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("cold %t: the order is %q, want %q", x.cold, got, x.want)
		}
	}
}

// After some forced throws that make the tests of a catch hang, others are left out, which is said.
func TestForcedThrowsThatHang(t *testing.T) {
	m, test := onlyRuns{}, &record.TestRun{Test: "p.T#t"}
	c := &forcedCatch{faultCatch: faultCatch{catch: &snapshot.Catch{ID: "p/C.m()V#0"}}}
	for n := range maxHangs + 2 {
		root := fmt.Sprintf("p/A.a()V#%d", n)
		c.plan = append(c.plan, strike{root: root, kind: record.Forced, tests: []*record.TestRun{test}})
		m.runs = append(m.runs, &record.FaultRun{Trial: record.Trial{Catch: c.catch.ID, Test: test.Test, Env: "e",
			Outcome: record.Hang}, Root: root, Kind: record.Forced, Engine: fault.JVM{}.Name()})
	}
	f := &Faulting{Lab: &lab.Lab{Env: "e"}, Memory: m}
	if err := (&forcer{Faulting: f}).force(t.Context(), &striker{f: f}, c); err != nil {
		t.Fatal(err)
	}
	if len(c.runs) != maxHangs || len(f.Notes()) != 1 || !strings.Contains(f.Notes()[0], "others are left out") {
		t.Errorf("%d runs, notes %q", len(c.runs), f.Notes())
	}
}

// A look at the guards of one catch leaves what was seen at others, and replaces what was
// seen at its own.
func TestKeepGuardsOfOthers(t *testing.T) {
	old := &record.Touched{Catches: map[string][]string{"a": {"p/A.m()V#0", "p/A.m()V#1"}, "b": {"p/B.m()V#0"}},
		Others: []string{"p/A.m()V#0", "p/B.m()V#0"}, Deps: []record.MethodID{1, 2}, Watched: []string{"w0", "w2"}}
	now := &record.Touched{Catches: map[string][]string{"a": {"p/A.m()V#1"}}, Others: []string{"p/A.m()V#1"},
		Deps: []record.MethodID{2, 3}, Watched: []string{"w1", "w2"}}
	keepTouched(now, old, map[string]bool{"p/A.m()V#0": true, "p/A.m()V#1": true})
	want := &record.Touched{Catches: map[string][]string{"a": {"p/A.m()V#1"}, "b": {"p/B.m()V#0"}},
		Others: []string{"p/A.m()V#1", "p/B.m()V#0"}, Deps: []record.MethodID{1, 2, 3},
		Watched: []string{"w0", "w1", "w2"}}
	if !reflect.DeepEqual(now, want) {
		t.Errorf("%+v, want %+v", now, want)
	}
}
