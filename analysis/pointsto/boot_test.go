package pointsto

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// emptyClasses has every class, without methods.
func emptyClasses(name string) (*facts.Class, bool) {
	return &facts.Class{Name: name, Super: "java/lang/Object"}, true
}

// smallState is the state of a JDK in which every class is empty.
func smallState(t testing.TB) (*solver, []byte) {
	var state []byte
	h := hierarchy.New(hierarchy.SourceFunc(emptyClasses))
	s := booted(h, callgraph.Config{}, &Boot{OfJDK: func(string) bool { return true }, Keep: func(b []byte) { state = b }})
	if state == nil {
		t.Fatal("no state was kept")
	}
	return s, state
}

// sum gives what follows the header of a state a checksum that fits.
func sum(state []byte) {
	binary.LittleEndian.PutUint32(state[len(stateMagic):], crc32.Checksum(state[stateHeader:], castagnoli))
}

// What is read of a state is the solver that it was written of.
func TestStateIsRead(t *testing.T) {
	s, _ := smallState(t)
	s.large.with(0, []Block{1, 40}, []uint64{5, 6})
	s.arrayType("[I")
	s.filterName("[I", "")
	s.field(0, "f", "I")
	fill(reflect.ValueOf(s).Elem(), 0) // a field that is new fails below until transfer has it
	s.problems, s.edited, s.contexts = nil, nil, newSolver(s.h, callgraph.Config{}, Insensitive).contexts
	for i := range s.pools {
		s.pools[i].members, s.pools[i].has = []int32{int32(i)}, map[int32]bool{int32(i): true}
	}
	s.entries, s.seenE = []callgraph.NodeID{3}, map[callgraph.NodeID]bool{3: true}
	s.lambdas = []lambda{{ifaces: []hierarchy.TypeID{1}, sams: []hierarchy.SelectorID{2}, captured: []int32{3, 0}, kinds: "LI", inst: 4, implKind: "LLV", created: 5, proxy: true}}
	s.anyUses = []anyUse{{1, use{useAnyLoad, 2, 3, 4}}}
	s.created2[7] = []Object{8, 9}
	s.reflects.ctors[3], s.reflects.tied[2], s.reflects.serial[1] = 1, true, true
	s.forServices = []askedService{{"a/Service", "b/By"}}
	s.unknown = []placed{{1, objects{2, 3}}}
	s.groups = groups{list: []group{{}, {objects: 1, callees: []int32{2}}}, of: map[groupKey]int32{{useCall, 3 | foreignCall, 4}: 1}}
	s.offsets, s.offsetLoads, s.captured = []Field{1}, []int32{2}, []Field{0}
	state := s.state(func(string) bool { return true })
	if state == nil {
		t.Fatal("no state was written")
	}
	h := hierarchy.New(hierarchy.SourceFunc(emptyClasses))
	read := StateOf(state).read(h, callgraph.Config{})
	if read == nil {
		t.Fatal("the state was not read")
	}
	again := read.state(func(string) bool { return true })
	if !bytes.Equal(state, again) {
		t.Errorf("written again the state has %d bytes, %d before", len(again), len(state))
	}
	// What only saves time, or is scratch, is left out.
	for _, x := range []*solver{s, read} {
		x.h, x.cfg, x.names, x.kinds, x.tarjan, x.spare = nil, callgraph.Config{}, nil, nil, tarjan{}, nil
		x.nb, x.nw, x.fb, x.fw, x.cb, x.cw, x.ub, x.uw, x.wb, x.ww = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
		x.large.unions, x.large.punions, x.large.passing, x.large.scratch, x.large.blocks, x.large.words = nil, nil, nil, nil, nil, nil
		x.asked, x.dirty, x.later, x.ops, x.opArgs, x.work = 0, nil, nil, nil, nil, nil
	}
	compareValues(t, "solver", reflect.ValueOf(s).Elem(), reflect.ValueOf(read).Elem())
}

// compareValues says where two values differ; lists without elements are equal.
func compareValues(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			compareValues(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Slice, reflect.Map:
		if a.Len() == 0 && b.Len() == 0 {
			return
		}
		if a.Len() != b.Len() {
			t.Errorf("%s has %d elements, read %d", path, a.Len(), b.Len())
			return
		}
		if a.Kind() == reflect.Map {
			for _, k := range a.MapKeys() {
				if v := b.MapIndex(k); !v.IsValid() {
					t.Errorf("%s lacks %v", path, k)
				} else {
					compareValues(t, path, a.MapIndex(k), v)
				}
			}
			return
		}
		for i := range a.Len() {
			compareValues(t, path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Array:
		for i := range a.Len() {
			compareValues(t, path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			t.Errorf("%s: only one is nil", path)
		} else if !a.IsNil() {
			compareValues(t, path, a.Elem(), b.Elem())
		}
	case reflect.Func:
	default:
		if !a.Equal(b) {
			t.Errorf("%s is %v, read %v", path, a, b)
		}
	}
}

// A state that is damaged is not used, and does no harm even where its checksum fits.
func FuzzState(f *testing.F) {
	_, state := smallState(f)
	f.Add(state)
	f.Add(state[:len(state)/2])
	f.Add(state[:stateHeader])
	f.Add([]byte(nil))
	for i := stateHeader; i < len(state); i += len(state)/24 + 1 {
		for _, x := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(state)
			damaged[i] ^= x
			f.Add(damaged)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fresh := func() *hierarchy.Hierarchy { return hierarchy.New(hierarchy.SourceFunc(emptyClasses)) }
		if usable, unchanged := StateOf(data).Usable(fresh()); !bytes.Equal(data, state) && usable && crc32.Checksum(data[stateHeader:], castagnoli) != binary.LittleEndian.Uint32(data[len(stateMagic):]) || !usable && !unchanged {
			t.Errorf("usable %t, hierarchy unchanged %t", usable, unchanged)
		}
		if len(data) < stateHeader {
			return
		}
		data = bytes.Clone(data)
		copy(data, stateMagic)
		sum(data)
		if usable, unchanged := StateOf(data).Usable(fresh()); !usable && !unchanged {
			t.Error("the hierarchy is not new any more")
		}
	})
}
