package model

import (
	"bytes"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/flat/flattest"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// silent is a sink that is told nothing.
type silent struct{ Sink }

func newModel() Model {
	return New(hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		return &facts.Class{Name: name, Super: "java/lang/Object"}, true
	})), callgraph.Config{}, silent{})
}

// filled is a model with something in each of its lists.
func filled() *Model {
	s := newModel()
	flattest.Fill(&s, heap.Heap{}, callgraph.Config{}, features.NameFlow{})
	for i := range s.pools {
		s.pools[i].Members, s.pools[i].has = []int32{int32(i)}, map[int32]bool{int32(i): true}
	}
	s.lambdas = []Lambda{{Ifaces: []hierarchy.TypeID{1}, sams: []hierarchy.SelectorID{2}, Captured: []int32{3, 0},
		kinds: "LI", Inst: 4, implKind: "LLV", created: 5, proxy: true, Method: true}}
	s.anyUses = []anyUse{{1, useAnyLoad, 2}}
	s.reflects.ctors[3], s.reflects.tied[2], s.reflects.serial[1] = 1, true, true
	s.lent.methods = map[string]lentMethod{"A": {1, 2, 3, 4}}
	s.lent.holders = []string{"A"}
	s.forServices = []askedService{{"a/Service", "b/By"}}
	s.offsets, s.offsetLoads = []solve.Field{1}, []int32{2}
	return &s
}

// A model that was forked shares no list that either writes to. A field that is new fails here
// until Fork copies it.
func TestForkSharesNothing(t *testing.T) {
	s := filled()
	n := s.Fork(s.H.Source(), silent{})
	// What is in these is never written to.
	shared := map[string]bool{"Heap": true, "Config": true, "Workspace": true, "lambdas[]": true, "initOf[]": true}
	flattest.CheckSharesNothing(t, s, &n, shared, 15)
}

// What is read is what was written. A field that is new fails here until Transfer has it.
func TestTransfer(t *testing.T) {
	s := filled()
	var out bytes.Buffer
	w := flat.NewWriter(&out)
	s.Transfer(w)
	if w.Finish(); w.Bad() {
		t.Fatal("it was not written")
	}
	read := newModel()
	r := flat.NewReader(out.Bytes())
	if read.Transfer(r); r.Bad() || r.Left() > 0 {
		t.Fatalf("it was not read: %d bytes left", r.Left())
	}
	// What only saves time, or belongs to one analysis, is left out.
	leftOut := map[string]bool{}
	for _, name := range []string{"Heap", "Config", "Workspace", "Names", "sink", "unnamed", "lent.classes"} {
		leftOut["model."+name] = true
	}
	flattest.Compare(t, "model", s, &read, leftOut)
}
