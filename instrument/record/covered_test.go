package record

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A union has the bits of both, keeps its order, and is the first set itself where that has all.
func TestUnionCovered(t *testing.T) {
	type key struct {
		method MethodID
		shape  uint32
	}
	bits := func(sets ...[]Covered) map[key]map[int]bool {
		all := map[key]map[int]bool{}
		for _, c := range slices.Concat(sets...) {
			k := key{c.Method, c.Shape}
			if all[k] == nil {
				all[k] = map[int]bool{}
			}
			for n := range 8 * len(c.Hits) {
				if c.Hits[n>>3]>>(n&7)&1 != 0 {
					all[k][n] = true
				}
			}
		}
		return all
	}
	some := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Covered {
		return Covered{MethodID(rapid.IntRange(0, 4).Draw(t, "method")), uint32(rapid.IntRange(0, 1).Draw(t, "shape")),
			rapid.SliceOfN(rapid.ByteRange(0, 3), 1, 3).Draw(t, "hits")}
	}), 0, 6)
	clone := func(set []Covered) (out []Covered) {
		for _, c := range set {
			out = append(out, Covered{c.Method, c.Shape, bytes.Clone(c.Hits)})
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := UnionCovered(nil, some.Draw(t, "a")), some.Draw(t, "b")
		oldA, oldB := clone(a), clone(b)
		got := UnionCovered(a, b)
		same := func(x, y map[int]bool) bool { return maps.Equal(x, y) }
		if !maps.EqualFunc(bits(got), bits(a, b), same) {
			t.Fatalf("%v and %v: %v", a, b, got)
		}
		for i := 1; i < len(got); i++ {
			if got[i-1].compare(got[i]) >= 0 {
				t.Fatalf("not ascending: %v", got)
			}
		}
		if !maps.EqualFunc(bits(a), bits(oldA), same) || !maps.EqualFunc(bits(b), bits(oldB), same) {
			t.Fatalf("%v and %v were changed", oldA, oldB)
		}
		if maps.EqualFunc(bits(a, b), bits(a), same) && len(a) > 0 && &got[0] != &a[0] {
			t.Fatalf("%v has all of %v, and was copied", a, b)
		}
	})
}
