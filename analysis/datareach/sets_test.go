package datareach

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file compares numbered sets with maps.

// members makes a set of objects below 400 and a map of the same.
func members(t *rapid.T, name string) (pointsto.Set, map[pointsto.Object]bool) {
	in := map[pointsto.Object]bool{}
	for _, o := range rapid.SliceOfN(rapid.IntRange(0, 399), 0, 30).Draw(t, name) {
		in[pointsto.Object(o)] = true
	}
	var out pointsto.Set
	for o := range pointsto.Object(400) {
		if !in[o] {
			continue
		}
		if b := pointsto.Block(o / 64); len(out.Blocks) == 0 || out.Blocks[len(out.Blocks)-1] != b {
			out.Blocks, out.Bits = append(out.Blocks, b), append(out.Bits, 0)
		}
		out.Bits[len(out.Bits)-1] |= 1 << (o % 64)
	}
	return out, in
}

func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSets(nil, standard.objects)
		a, inA := members(t, "a")
		b, inB := members(t, "b")
		x, y := s.number(a), s.number(b)
		if (x == none) != (len(inA) == 0) || s.number(a) != x || equal(a, b) != (x == y) {
			t.Fatalf("numbers %d, %d", x, y)
		}
		for range 2 { // the second time from memory
			both, either := s.meet(x, y), s.union(x, y)
			if s.union(y, x) != either || s.meet(y, x) != both {
				t.Fatal("order matters")
			}
			for o := range pointsto.Object(400) {
				if has(s.list[either], o) != (inA[o] || inB[o]) || has(s.list[both], o) != (inA[o] && inB[o]) {
					t.Fatalf("object %d", o)
				}
			}
		}
		if s.union(x, whole) != whole || x != none && s.union(whole, x) != whole {
			t.Fatal("whole is not all")
		}
	})
}

func has(s pointsto.Set, o pointsto.Object) bool {
	for x := range s.All() {
		if x == o {
			return true
		}
	}
	return false
}

// Sets that are too large are not told apart.
func TestLargeSets(t *testing.T) {
	s := newSets(nil, 128)
	var large pointsto.Set
	for b := range pointsto.Block(3) {
		large.Blocks, large.Bits = append(large.Blocks, b), append(large.Bits, ^uint64(0))
	}
	if got := s.number(large); got != whole {
		t.Errorf("192 objects: %d", got)
	}
	half := func(b pointsto.Block) setNo {
		return s.number(pointsto.Set{Blocks: []pointsto.Block{b}, Bits: []uint64{^uint64(0)}})
	}
	if got := s.union(s.union(half(0), half(1)), half(2)); got != whole {
		t.Errorf("three times 64: %d", got)
	}
}
