package solve

import (
	"bytes"
	"testing"

	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/flat/flattest"
)

// stored is a solver of stores and loads with something in each of its lists.
func stored() *Solver {
	s := New(nil)
	t := s.NewType(TypeOf{})
	o, room, _ := s.NewObject(t, false)
	f := s.NewFilter(false, false)
	s.Let(f, room)
	field := s.NewField(f, NoFilter)
	base, value := s.NewVar(), s.NewVar()
	s.Watch(base, UseStore, value, int32(field))
	s.Watch(base, UseLoad, s.NewVar(), int32(field))
	s.AddObject(base, o)
	s.AddObject(value, o)
	s.With(0, []Block{1, 40}, []uint64{5, 6})
	flattest.Fill(&s)
	s.large.unions, s.large.punions = make([]memo, 1<<memoBits), make([]memo, 1<<memoBits)
	s.large.passing = make([]memo, 1<<passingBits)
	s.large.unions[1], s.large.punions[2], s.large.passing[3] = memo{1, 2, 3}, memo{4, 5, 6}, memo{7, 8, 9}
	s.groups = groups{list: []group{{}, {objects: 1}}, of: map[groupKey]int32{{UseCall, 3, 4}: 1}}
	return &s
}

// A solver that was forked shares no list that either writes to. A field that is new fails here
// until Fork copies it.
func TestForkSharesNothing(t *testing.T) {
	s := stored()
	n := s.Fork(nil)
	// What is in these is never written to, or only after it was copied.
	shared := map[string]bool{"arena.blocks[]": true, "arena.words[]": true, "large.sets[]": true}
	flattest.CheckSharesNothing(t, s, &n, shared, 30)
}

// What is read is what was written. A field that is new fails here until Transfer has it.
func TestTransfer(t *testing.T) {
	s := stored()
	var out bytes.Buffer
	w := flat.NewWriter(&out)
	s.Transfer(w)
	if sum := w.Finish(); w.Bad() || sum != flat.Checksum(out.Bytes()) {
		t.Fatal("it was not written")
	}
	read := New(nil)
	r := flat.NewReader(out.Bytes())
	if read.Transfer(r); r.Bad() || r.Left() > 0 {
		t.Fatalf("it was not read: %d bytes left", r.Left())
	}
	// What only saves time, or is scratch, is left out.
	leftOut := map[string]bool{}
	for _, name := range []string{"client", "tarjan", "constraints.spare", "scratch", "cancelled", "large.scratch",
		"large.blocks", "large.words", "variables.delta", "variables.dirty", "variables.later"} {
		leftOut["solver."+name] = true
	}
	flattest.Compare(t, "solver", s, &read, leftOut)
}
