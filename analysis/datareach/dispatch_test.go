package datareach

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTaken compares the edges that are taken on a set, found by block, with those found edge by
// edge.
func TestTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSets(nil, standard.objects)
		var x table
		for range rapid.IntRange(1, 6).Draw(t, "edges") {
			a := arc{dispatched: rapid.IntRange(0, 4).Draw(t, "dispatched") > 0, viaNo: whole}
			if via, _ := members(t, "via"); a.dispatched {
				a.via = s.numberOf(via)
				a.viaNo = s.limited(a.via)
			}
			x.arcs = append(x.arcs, a)
		}
		for range 2 { // with and without an index
			on := whole
			if set, _ := members(t, "on"); rapid.Bool().Draw(t, "some") {
				on = s.number(set)
			}
			var want []taken
			for i := range x.arcs {
				a, met := &x.arcs[i], whole
				if a.dispatched && on == whole {
					met = a.viaNo
				} else if a.dispatched {
					met = s.meet(on, a.viaNo)
				}
				if met != none {
					want = append(want, taken{int32(i), met})
				}
			}
			if got := x.taken(s, on); !slices.Equal(got, want) {
				t.Fatalf("taken %v, want %v", got, want)
			}
		}
	})
}
