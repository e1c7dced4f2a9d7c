package solve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of random edges those stay that lead elsewhere than to where they begin, each once, in order, and
// those with a filter only where none without leads to the same variable.
func TestTidyEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := int32(1 + rng.IntN(40))
		s := &Solver{variables: variables{rep: make([]int32, n), edgeOf: make([]int32, n)}}
		for v := range s.rep {
			s.rep[v] = int32(rng.IntN(v + 1)) // chains, as unite leaves them
			if rng.IntN(3) > 0 {
				s.rep[v] = int32(v)
			}
		}
		want := make([][][2]int32, n) // filter and target
		for range rng.IntN(300) {
			from, to, filter := s.Find(rng.Int32N(n)), rng.Int32N(n), rng.Int32N(4)
			s.edges = append(s.edges, edge{to, filter, s.edgeOf[from]})
			s.edgeOf[from] = int32(len(s.edges))
			if s.Find(to) != from {
				want[from] = append(want[from], [2]int32{filter, s.Find(to)})
			}
		}
		total := 0
		for v := range want {
			slices.SortFunc(want[v], func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
			all := slices.Compact(want[v])
			want[v] = slices.DeleteFunc(slices.Clone(all), func(x [2]int32) bool {
				return x[0] != NoFilter && slices.Contains(all, [2]int32{NoFilter, x[1]})
			})
			total += len(want[v])
		}
		s.tidyEdges()
		if len(s.edges) != total {
			t.Fatalf("%d edges, want %d", len(s.edges), total)
		}
		for v := range n {
			var got [][2]int32
			for e := s.edgeOf[v]; e != 0; e = s.edges[e-1].next {
				got = append(got, [2]int32{s.edges[e-1].filter, s.edges[e-1].to})
			}
			if !slices.Equal(got, want[v]) {
				t.Fatalf("edges of %d: %v, want %v", v, got, want[v])
			}
		}
	}
}
