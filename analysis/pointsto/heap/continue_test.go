package heap

import (
	"bytes"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/flat/flattest"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// silent is an owner that adds nothing.
type silent struct{ solve.Client }

func (silent) Made(hierarchy.TypeID)                                          {}
func (silent) FieldMade(_ solve.Field, _ hierarchy.TypeID, name, desc string) {}
func (silent) Problem(class, text string)                                     {}

func emptyHierarchy() *hierarchy.Hierarchy {
	return hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		return &facts.Class{Name: name, Super: "java/lang/Object"}, name != "Missing"
	}))
}

// made is a heap with something in each of its lists.
func made() *Heap {
	s := New(emptyHierarchy(), silent{})
	object := s.H.Object()
	s.MakeObject(s.ArrayType("[I"))
	s.FilterName("[I", "")
	s.ResolveField(object, "f", "I")
	s.MakeObject(s.ClassType(s.H.Load("A", "")))
	s.FilterClass(s.H.Load("A", ""))
	s.FilterOwn(s.H.Load("A", ""))
	s.LambdaType(object, 3, []hierarchy.TypeID{object})
	s.Captured(1)
	s.Single("B")
	flattest.Fill(&s, solve.Solver{}, hierarchy.Hierarchy{})
	s.unknown = []placed{{1, solve.InBlock{Block: 2, Bits: 3}}}
	return &s
}

// A heap that was forked shares no list that either writes to. A field that is new fails here until
// Fork copies it.
func TestForkSharesNothing(t *testing.T) {
	s := made()
	n := s.Fork(s.H.Source(), silent{})
	flattest.CheckSharesNothing(t, s, &n, map[string]bool{"Solver": true, "H": true}, 14)
}

// What is read is what was written. A field that is new fails here until Transfer has it.
func TestTransfer(t *testing.T) {
	s := made()
	var out bytes.Buffer
	w := flat.NewWriter(&out)
	s.Transfer(w)
	if w.Finish(); w.Bad() {
		t.Fatal("it was not written")
	}
	read := New(emptyHierarchy(), silent{})
	r := flat.NewReader(out.Bytes())
	if read.Transfer(r); r.Bad() || r.Left() > 0 {
		t.Fatalf("it was not read: %d bytes left", r.Left())
	}
	flattest.Compare(t, "heap", s, &read, map[string]bool{"heap.Solver": true, "heap.H": true, "heap.kinds": true})
}
