package pointsto

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/flat/flattest"
)

// emptyClasses has every class, without methods.
func emptyClasses(name string) (*facts.Class, bool) {
	return &facts.Class{Name: name, Super: "java/lang/Object"}, true
}

// smallState is the state of a JDK in which every class is empty.
func smallState(t testing.TB) (*solver, []byte) {
	var state []byte
	h := hierarchy.New(hierarchy.SourceFunc(emptyClasses))
	b := Boot{JDK: Part{Has: func(string) bool { return true },
		Keep: func(_ Policy, write func(io.Writer) error) { state = written(t, write) }}}
	none := &certainCalls{known: make(chan struct{}), whole: true}
	close(none.known)
	s := b.solveLibraries(h, callgraph.Config{}, Insensitive, none)
	if state == nil {
		t.Fatal("no state was kept")
	}
	return s, state
}

// written is what a function writes.
func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kept is a state of a solver, and what is kept with it.
func kept(t testing.TB, s *solver, calls []certain) []byte {
	t.Helper()
	k := s.keptOf(func(string) bool { return true }, calls)
	if k == nil {
		t.Fatal("the solver cannot be kept")
	}
	return written(t, func(w io.Writer) error { return s.write(w, k) })
}

// checksum is what ends a state, and what ought to.
func checksum(state []byte) (is, ought uint32) {
	end := len(state) - 4
	return binary.LittleEndian.Uint32(state[end:]), flat.Checksum(state[len(stateMagic):end])
}

// What is read of a state is the solver that it was written of.
func TestStateIsRead(t *testing.T) {
	s, _ := smallState(t)
	fill(s) // a field that is new fails below until transfer has it
	s.problems, s.edited = nil, nil
	s.contexts.number, s.contexts.nodes = flat.Table{}, flat.Table{}
	*s.contexts.number.At(5), *s.contexts.nodes.At(6) = 1, 2
	s.entries, s.seenE = []callgraph.NodeID{3}, map[callgraph.NodeID]bool{3: true}
	s.created2[7] = []Object{8, 9}
	s.groups = []callGroup{{}, {apart: 1, callees: []int32{2}}}
	calls := []certain{{"A", "b", "()V"}, {"C", "", "object"}}
	state := kept(t, s, calls)
	h := hierarchy.New(hierarchy.SourceFunc(emptyClasses))
	read := StateOf(state).read(h, callgraph.Config{}, Insensitive,
		func(k *keptOf) bool { return slices.Equal(k.calls, calls) })
	if read == nil {
		t.Fatal("the state was not read")
	}
	again := kept(t, read, calls)
	if !bytes.Equal(state, again) {
		t.Errorf("written again the state has %d bytes, %d before", len(again), len(state))
	}
	// What only saves time, or is scratch, is left out; the packages below test what they write.
	leftOut := map[string]bool{}
	for _, name := range []string{"Model", "program.operands", "program.instances.work", "program.instances.skips",
		"program.contexts.receivers"} {
		leftOut["solver."+name] = true
	}
	flattest.Compare(t, "solver", s, read, leftOut)
}

// What was solved of libraries is used where all of it is called now, and most of what is called
// now was.
func TestKeptCovers(t *testing.T) {
	calls := func(names string) (out []certain) {
		for _, n := range names {
			out = append(out, certain{"C", string(n), "()V"})
		}
		return out
	}
	for _, x := range []struct {
		kept, now              string
		covers, withContainers bool
	}{
		{"abcdefghijkl", "abcdefghijkl", true, true},
		{"abcdefghijk", "abcdefghijkl", true, false},
		{"bcdefghijkl", "abcdefghijkl", true, false},
		{"abcdefghijkl", "abcdefghijk", false, false},
		{"abcdefghijkl", "bcdefghijkl", false, false},
		{"abcdfghijkl", "abcdeghijkl", false, false},
		{"abcdefgh", "abcdefghijkl", false, false},
		{"", "a", false, false},
		{"", "", true, true},
	} {
		k := keptOf{calls: calls(x.kept)}
		if a, b := k.covers(calls(x.now), Constructors), k.covers(calls(x.now), Containers); a != x.covers ||
			b != x.withContainers {
			t.Errorf("%q kept, %q now: %t, with containers %t", x.kept, x.now, a, b)
		}
	}
}

// A state that is damaged is not used, and does no harm even where its checksum fits. It makes
// fewer than 1,000 executions a second: each makes two hierarchies and reads a state of many
// kilobytes twice.
func FuzzState(f *testing.F) {
	_, state := smallState(f)
	f.Add(state)
	f.Add(state[:len(state)/2])
	f.Add(state[:stateFrame])
	f.Add([]byte(nil))
	for i := len(stateMagic); i < len(state); i += len(state)/24 + 1 {
		for _, x := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(state)
			damaged[i] ^= x
			f.Add(damaged)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fresh := func() *hierarchy.Hierarchy { return hierarchy.New(hierarchy.SourceFunc(emptyClasses)) }
		usable, unchanged := StateOf(data).Usable(fresh(), callgraph.Config{}, Insensitive)
		if !usable && !unchanged {
			t.Error("the hierarchy is not new any more")
		}
		if len(data) < stateFrame {
			return
		}
		if is, ought := checksum(data); usable && is != ought {
			t.Error("the state is damaged and was used")
		}
		data = bytes.Clone(data)
		copy(data, stateMagic)
		_, ought := checksum(data)
		binary.LittleEndian.PutUint32(data[len(data)-4:], ought)
		if usable, unchanged := StateOf(data).Usable(fresh(), callgraph.Config{}, Containers); !usable && !unchanged {
			t.Error("the hierarchy is not new any more")
		}
	})
}
