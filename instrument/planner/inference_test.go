package planner

import (
	"math/bits"
	"slices"
	"testing"

	gonum "gonum.org/v1/gonum/graph"
	gonumflow "gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// directed returns a flow as a graph of gonum, backwards if asked for. It has no self-edges, which
// change no dominator.
func directed(f *inference, backwards bool) *simple.DirectedGraph {
	d := simple.NewDirectedGraph()
	for v := range f.nodes + 2 {
		if d.Node(int64(v)) == nil {
			d.AddNode(simple.Node(v))
		}
		for _, w := range f.succ.of(v) {
			switch {
			case v == w:
			case backwards:
				d.SetEdge(simple.Edge{F: simple.Node(w), T: simple.Node(v)})
			default:
				d.SetEdge(simple.Edge{F: simple.Node(v), T: simple.Node(w)})
			}
		}
	}
	return d
}

// Dominators, post-dominators and superblocks are those that gonum finds: superblocks are the
// components of the graph of what implies what.
func TestDominanceBesideGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, 14)
		for _, f := range []*flow{blockFlow(g), edgeFlow(g, false), edgeFlow(g, true)} {
			in := newInference(f)
			dom := gonumflow.Dominators(simple.Node(in.source), directed(in, false))
			post := gonumflow.Dominators(simple.Node(in.sink), directed(in, true))
			implies := simple.NewDirectedGraph()
			for v := range in.nodes {
				for _, side := range []struct {
					want gonum.Node
					got  int32
				}{{dom.DominatorOf(int64(v)), in.dom.parent[v]}, {post.DominatorOf(int64(v)), in.post.parent[v]}} {
					if side.want.ID() != int64(side.got) {
						t.Fatalf("node %d: dominator %d, not %d", v, side.got, side.want)
					}
					implies.SetEdge(simple.Edge{F: simple.Node(v), T: side.want})
				}
			}
			var want, got [][]int32
			for _, component := range topo.TarjanSCC(implies) {
				var members []int32
				for _, n := range component {
					if v := int32(n.ID()); v < in.nodes {
						members = append(members, v)
					}
				}
				if slices.Sort(members); members != nil {
					want = append(want, members)
				}
			}
			for _, chain := range in.chains {
				got = append(got, slices.Sorted(slices.Values(chain)))
			}
			slices.SortFunc(want, slices.Compare)
			slices.SortFunc(got, slices.Compare)
			if !slices.EqualFunc(want, got, slices.Equal) {
				t.Fatalf("superblocks %v, not %v", got, want)
			}
		}
	})
}

// bruteForce answers by definition, with sets of nodes as bits, for flows of up to 32 nodes.
type bruteForce struct {
	*flow
	avoiding []uint32 // by node: what lies on some walk from source to sink that avoids it
}

func newBruteForce(f *flow) *bruteForce {
	b := &bruteForce{f, make([]uint32, f.nodes)}
	for v := range f.nodes {
		b.avoiding[v] = b.between(1 << v)
	}
	return b
}

// between returns the nodes on walks from source to sink that avoid some nodes.
func (b *bruteForce) between(avoid uint32) uint32 {
	search := func(from int32, next *lists) uint32 {
		seen, todo := uint32(0), []int32{from}
		for len(todo) > 0 {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, w := range next.of(v) {
				if w < b.nodes && (seen|avoid)>>w&1 == 0 {
					seen |= 1 << w
					todo = append(todo, w)
				}
			}
		}
		return seen
	}
	return search(b.source, &b.succ) & search(b.sink, &b.pred)
}

// tells tells whether probes at some nodes tell the coverage of the targets in every set of runs.
// They do not if some walk passes a target and otherwise only probes that runs without the target
// pass too: whoever sees those hit does not know whether that walk was among the runs.
func (b *bruteForce) tells(probes, targets uint32) bool {
	for v := range b.nodes {
		if targets>>v&1 == 1 && probes>>v&1 == 0 && b.between(probes&^b.avoiding[v])>>v&1 == 1 {
			return false
		}
	}
	return true
}

// fewest returns the size of the smallest set of candidates that tells all targets.
func (b *bruteForce) fewest(targets uint32) int {
	best := bits.OnesCount32(targets)
	for set := targets; ; set = (set - 1) & targets {
		if bits.OnesCount32(set) < best && b.tells(set, targets) {
			best = bits.OnesCount32(set)
		}
		if set == 0 {
			return best
		}
	}
}

// MINIMUM_NODE and MINIMUM_BRANCH have as few probes as there can be, by trying all sets.
func TestMinimumBesideBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, 12)
		check := func(technique Technique, o Options, f *flow) {
			p, err := Make(g, technique, o)
			if err != nil {
				t.Fatal(err)
			}
			first := f.nodes - int32(len(p.counterAt))
			if len(p.counterAt) > 12 || f.nodes > 32 {
				return
			}
			b, targets := newBruteForce(f), uint32(0)
			for i := range p.counterAt {
				targets |= 1 << (first + int32(i))
			}
			probes := uint32(0)
			for _, target := range p.Covers {
				probes |= 1 << (first + target)
			}
			if !b.tells(probes, targets) {
				t.Fatalf("%s: %v do not tell", technique, p.Covers)
			}
			if technique == AgrawalNode {
				return
			}
			if want := b.fewest(targets); len(p.Covers) != want {
				t.Fatalf("%s: %v, but %d are enough", technique, p.Covers, want)
			}
		}
		check(AgrawalNode, Options{}, blockFlow(g))
		check(MinimumNode, Options{}, blockFlow(g))
		check(MinimumBranch, Options{Place: OnEdges}, edgeFlow(g, true))
	})
}

// The definition that the brute force tries is the one that walks have: of two sets of walks with
// the same probes hit, one covers a node that the other does not.
func TestBruteForceByWalks(t *testing.T) {
	g := graph(t, "0>1 0>2 1>3 2>3")
	b := newBruteForce(blockFlow(g))
	for _, test := range []struct {
		probes uint32
		tells  bool
	}{{0b0110, true}, {0b1111, true}, {0b0010, false}, {0b1010, false}, {0b1001, false}, {0, false}} {
		if got := b.tells(test.probes, 0b1111); got != test.tells {
			t.Errorf("probes %04b tell: %t", test.probes, got)
		}
	}
	if got := b.fewest(0b1111); got != 2 {
		t.Errorf("%d probes are the fewest", got)
	}
	if got := makePlan(t, g, MinimumNode, Options{}).Covers; !slices.Equal(got, []int32{1, 2}) {
		t.Errorf("probes in %v", got)
	}
	if got := makePlan(t, g, AgrawalNode, Options{}).Covers; !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("with Agrawal in %v", got)
	}
}
