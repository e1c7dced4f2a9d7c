package layered

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a walk finds for all groups at once is what a search finds for each by itself, up and down.
func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const vertices, sites, groups, words = 6, 8, 70, 2
		var start, edgeSites, to []int32
		for range vertices {
			start = append(start, int32(len(to)))
			for range rapid.IntRange(0, 4).Draw(t, "edges") {
				edgeSites = append(edgeSites, int32(rapid.IntRange(0, sites-1).Draw(t, "site")))
				to = append(to, int32(rapid.IntRange(0, vertices-1).Draw(t, "to")))
			}
		}
		start = append(start, int32(len(to)))
		mask := rapid.OneOf(rapid.Just(uint64(0)), rapid.Just(^uint64(0)), rapid.Uint64())
		g := New(start, edgeSites, to, sites, words, func(_, _ int32, out []uint64) []uint64 {
			for range 3 * words {
				out = append(out, mask.Draw(t, "mask"))
			}
			return out
		})
		states := rapid.SliceOfNDistinct(rapid.Int32Range(0, vertices*int32(NumLayers)-1), 1, 3,
			rapid.ID[int32]).Draw(t, "states")
		begun := []uint64{mask.Draw(t, "groups"), mask.Draw(t, "groups")}
		x := Walk{Graph: g}
		x.Begin([]int32{0, 1}, []uint64{5, 0}) // leaves nothing behind
		x.Begin(states, begun)
		x.Up()
		check(t, "up", &x, states, begun, groups, func(s, k int32) (out []int32) {
			for _, e := range g.Into(s / int32(NumLayers)) {
				if up, ok := g.ClimbsFrom(e.Number, k, Layer(s%int32(NumLayers))); ok {
					out = append(out, e.From*int32(NumLayers)+int32(up))
				}
			}
			return out
		})
		x.Begin(states, begun)
		x.Down()
		below := func(s, k int32, site int32) (out []int32) {
			v := s / int32(NumLayers)
			for e := start[v]; e < start[v+1]; e++ {
				fromSneaky, fromTyped := g.ClimbsTo(edgeSites[e], k, Layer(s%int32(NumLayers)))
				if fromSneaky && (site < 0 || site == edgeSites[e]) {
					out = append(out, to[e]*int32(NumLayers)+int32(Sneaky))
				}
				if fromTyped && (site < 0 || site == edgeSites[e]) {
					out = append(out, to[e]*int32(NumLayers)+int32(Typed))
				}
			}
			return out
		}
		check(t, "down", &x, states, begun, groups, func(s, k int32) []int32 { return below(s, k, -1) })

		s, site := states[0], int32(rapid.IntRange(0, sites-1).Draw(t, "begin"))
		x.BeginBelow(s/int32(NumLayers), site, Layer(s%int32(NumLayers)), begun)
		for k := range int32(groups) {
			want := map[int32]bool{}
			for _, at := range below(s, k, site) {
				if begun[k>>6]>>(k&63)&1 != 0 {
					want[at] = true
				}
			}
			if got := found(&x, k); !maps.Equal(got, want) {
				t.Fatalf("below site %d of %d, group %d: %v, want %v", site, s, k, got, want)
			}
		}
	})
}

// check compares what a walk has found with a search for each group.
func check(t *rapid.T, what string, x *Walk, states []int32, begun []uint64, groups int32,
	next func(state, group int32) []int32) {
	for k := range groups {
		want := map[int32]bool{}
		var work []int32
		if begun[k>>6]>>(k&63)&1 != 0 {
			work = slices.Clone(states)
		}
		for len(work) > 0 {
			s := work[0]
			work = work[1:]
			if !want[s] {
				want[s] = true
				work = append(work, next(s, k)...)
			}
		}
		if got := found(x, k); !maps.Equal(got, want) {
			t.Fatalf("%s, group %d: %v, want %v", what, k, got, want)
		}
	}
}

// found are the states that a group has come to.
func found(x *Walk, k int32) map[int32]bool {
	out := map[int32]bool{}
	for _, s := range x.States {
		if x.Row(s)[k>>6]>>(k&63)&1 != 0 {
			out[s] = true
		}
	}
	return out
}
