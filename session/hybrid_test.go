package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/hybrid"
)

// What probes cost is kept for all workspaces; what plans cost is measured with the graphs of this
// one: another may have had none that takes planning. A damaged file counts as none, and without a
// JDK nothing is measured.
func TestKeptProbeCosts(t *testing.T) {
	s, home := openJournal(t), t.TempDir()
	s.SetTrusted(false)
	if _, err := s.probeCosts(t.Context(), home, nil); !errors.Is(err, ErrUntrusted) {
		t.Errorf("an untrusted session measures: %v", err)
	}
	graph := func(edges ...planner.Edge) []*planner.Graph {
		g, err := planner.NewGraph(4, []int32{0}, edges, []bool{false, false, false, true})
		if err != nil {
			t.Fatal(err)
		}
		return []*planner.Graph{g}
	}
	straight, err := planner.NewGraph(1, []int32{0}, nil, []bool{true})
	if err != nil {
		t.Fatal(err)
	}
	first := hybrid.OfProbes(0.05, 2000)
	if err := first.MeasurePlans([]*planner.Graph{straight}); err != nil {
		t.Fatal(err)
	}
	if err := keepProbeCosts(s.cache, home, first); err != nil {
		t.Fatal(err)
	}
	costs, err := s.probeCosts(t.Context(), home, graph(planner.Edge{From: 0, To: 1}, planner.Edge{From: 0, To: 2},
		planner.Edge{From: 1, To: 3}, planner.Edge{From: 2, To: 3}))
	if err != nil || costs.Static != 0.05 || costs.Demand != 2000 || costs.Plan[planner.AgrawalNode] <= 0 {
		t.Errorf("%+v, %v", costs, err)
	}
	link := filepath.Join(t.TempDir(), "jdk")
	if err := os.Symlink(home, link); err == nil {
		if costs, known := KeptProbeCosts(s.cache, link); !known || costs.Demand != 2000 {
			t.Errorf("of a link to the JDK: %+v, %v", costs, known)
		}
	}
	file := probeCostsFile(s.cache, home)
	if err := os.WriteFile(file, []byte(`{"Static":1,"Demand":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if costs, known := KeptProbeCosts(s.cache, home); known {
		t.Errorf("of a damaged file: %+v", costs)
	}
	s.SetTrusted(true)
	if _, err := s.probeCosts(t.Context(), "", nil); err == nil {
		t.Error("measured without a JDK")
	}
	if _, err := s.probeCosts(t.Context(), filepath.Join(home, "none"), nil); err == nil {
		t.Error("measured with a JDK that there is not")
	}
}

// A method is executed in the JVMs of those modules whose tests execute it. What is kept without
// their number is not believed: demand-driven probes would cost nothing.
func TestCountedJVMs(t *testing.T) {
	snap := openJournal(t).View().Snap
	data, err := snap.ClassBytes("app/Journal")
	if err != nil {
		t.Fatal(err)
	}
	class, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	plans := coverage.PlanClass(class, planner.StaticNode, nil, nil)
	executed := func(methods int) map[snapshot.MethodRef]*lab.Executions {
		of := map[snapshot.MethodRef]*lab.Executions{}
		for i, m := range class.Methods {
			if p := plans.Methods[i]; p != nil && len(of) < methods {
				of[snapshot.MethodRef{Class: "app/Journal", Method: class.MemberName(m) + class.MemberDesc(m)}] =
					&lab.Executions{Shape: p.Shape, Nodes: slices.Repeat([]int64{1}, int(p.Graph.Blocks))}
			}
		}
		return of
	}
	c := counted{Methods: map[string]countedMethod{}}
	c.add(snap, executed(1), 2)
	c.add(snap, executed(2), 3)
	methods, changed := c.of(snap)
	if len(methods) != 2 || changed != 0 {
		t.Fatalf("%d methods, %d have changed", len(methods), changed)
	}
	for i, want := range []struct {
		jvms  int
		times int64
	}{{5, 2}, {3, 1}} {
		if m := methods[i]; m.JVMs != want.jvms || m.Executions[0] != want.times {
			t.Errorf("%s: executed %d times in %d JVMs, want %+v", m.Name, m.Executions[0], m.JVMs, want)
		}
	}
	for key, m := range c.Methods {
		m.JVMs = 0
		c.Methods[key] = m
	}
	if methods, changed := c.of(snap); len(methods) != 0 || changed != 2 {
		t.Errorf("without JVMs: %d methods, %d have changed", len(methods), changed)
	}
}
