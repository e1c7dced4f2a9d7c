package planner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/internal/cputime"
)

// randomGraph draws a graph of up to limit blocks where control reaches every block. Blocks
// without a successor leave, and so does whatever closes a loop, as in graphs of methods.
func randomGraph(t *rapid.T, limit int) *Graph {
	blocks := rapid.IntRange(1, limit).Draw(t, "blocks")
	var edges []Edge
	leaves := make([]bool, blocks)
	add := func(from, to int) {
		edges = append(edges, Edge{int32(from), int32(to), rapid.Bool().Draw(t, "exceptional")})
		if to <= from {
			leaves[to] = true
		}
	}
	for to := 1; to < blocks; to++ {
		// Mostly near blocks, so that chains and ifs are frequent.
		add(max(0, to-rapid.IntRange(1, 3).Draw(t, "back")), to)
	}
	loops := rapid.Bool().Draw(t, "loops")
	for range rapid.IntRange(0, blocks).Draw(t, "more") {
		from, to := rapid.IntRange(0, blocks-1).Draw(t, "from"), rapid.IntRange(0, blocks-1).Draw(t, "to")
		if loops || from < to {
			add(from, to)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "throwing") {
		leaves[rapid.IntRange(0, blocks-1).Draw(t, "leaves")] = true
	}
	joins := rapid.Bool().Draw(t, "joins")
	for b := range blocks - 1 {
		if joins && !slices.ContainsFunc(edges, func(e Edge) bool { return e.From == int32(b) }) {
			add(b, rapid.IntRange(b+1, blocks-1).Draw(t, "join"))
		}
	}
	for b := range leaves {
		leaves[b] = leaves[b] || !slices.ContainsFunc(edges, func(e Edge) bool { return e.From == int32(b) })
	}
	entries := []int32{0}
	if rapid.IntRange(0, 3).Draw(t, "two entries") == 0 {
		entries = append(entries, int32(rapid.IntRange(0, blocks-1).Draw(t, "entry")))
	}
	g, err := NewGraph(blocks, entries, edges, leaves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomWalk walks from an entry to a block that leaves.
func randomWalk(g *Graph, r *rand.Rand) []int32 {
	b := g.Entries[r.IntN(len(g.Entries))]
	walk, stay := []int32{b}, 2+r.IntN(15)
	for !g.Leaves[b] || len(g.Out(b)) > 0 && r.IntN(stay) != 0 {
		out := g.Out(b)
		b = g.Edges[out[r.IntN(len(out))]].To
		walk = append(walk, b)
	}
	return walk
}

// variant is a technique with its options.
type variant struct {
	technique Technique
	options   Options
}

func (v variant) String() string { return fmt.Sprintf("%s %+v", v.technique, v.options) }

// variants are all that can be planned.
func variants() []variant {
	var all []variant
	for _, technique := range Techniques() {
		for _, place := range []Place{InBlocks, OnEdges} {
			for _, preseed := range []bool{false, true} {
				o := Options{Place: place, Preseed: preseed}
				if place == OnEdges && !technique.Branch() || place == InBlocks && technique == MinimumBranch {
					continue
				}
				all = append(all, variant{technique, o})
			}
		}
	}
	return all
}

// checkVariants compares what each technique says after each walk with what happened.
func checkVariants(g *Graph, walks [][]int32) error {
	for _, v := range variants() {
		p, err := Make(g, v.technique, v.options)
		if err != nil {
			return err
		}
		s, entered := p.Begin(), make([]bool, g.Blocks)
		for n, walk := range walks {
			a := s.Enter()
			for _, b := range walk {
				a.Visit(b)
			}
			got, want := s.Coverage(), happened(p, walks[:n+1]...)
			if !slices.Equal(got, want) {
				return fmt.Errorf("%s after %v: %v, not %v, in a graph with %+v, entries %v, leaving %v",
					v, walks[:n+1], got, want, g.Edges, g.Entries, g.Leaves)
			}
			for _, b := range walk {
				entered[b] = true
			}
			if blocks := p.BlocksOf(got); blocks != nil && !slices.Equal(blocks, entered) {
				return fmt.Errorf("%s after %v: blocks %v, not %v", v, walks[:n+1], blocks, entered)
			}
		}
	}
	return nil
}

// Every technique gives the coverage of all blocks, or all edges, after every run.
func TestTechniquesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, 14)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range 8 {
			var walks [][]int32
			for range 1 + r.IntN(8) {
				walks = append(walks, randomWalk(g, r))
			}
			if err := checkVariants(g, walks); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A technique never needs more probes than the one that it improves.
func TestFewerProbes(t *testing.T) {
	fewer := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, 20)
		count := func(technique Technique, place Place) int {
			p, err := Make(g, technique, Options{Place: place})
			if err != nil {
				t.Fatal(err)
			}
			return len(p.Covers)
		}
		compare := func(name string, less, more int) {
			if less > more {
				t.Fatalf("%s: %d and %d", name, less, more)
			}
			fewer[name] = fewer[name] || less < more
		}
		node, edge := count(AgrawalNode, InBlocks), count(AgrawalBranch, OnEdges)
		compare("AGRAWAL_NODE", node, count(StaticNode, InBlocks))
		compare("MINIMUM_NODE", count(MinimumNode, InBlocks), node)
		compare("AGRAWAL_BRANCH", edge, count(StaticBranch, OnEdges))
		compare("MINIMUM_BRANCH", count(MinimumBranch, OnEdges), edge)
	})
	for _, name := range []string{"AGRAWAL_NODE", "MINIMUM_NODE", "AGRAWAL_BRANCH"} {
		if !fewer[name] {
			t.Errorf("%s never needs fewer", name)
		}
	}
}

// Where two activations of a method interleave, probes in blocks may miss an edge that probes on
// edges see: the package comment names the gap.
func TestInterleavedActivations(t *testing.T) {
	g := graph(t, figure41)
	for _, test := range []struct {
		o    Options
		want bool
	}{{Options{}, false}, {Options{Place: OnEdges}, true}} {
		s := makePlan(t, g, DemandBranch, test.o).Begin()
		outer := s.Enter()
		for _, b := range []int32{0, 1, 2} {
			outer.Visit(b)
		}
		inner := s.Enter()
		for _, b := range []int32{0, 1, 3, 5, 6} {
			inner.Visit(b)
		}
		outer.Visit(5) // the inner activation has removed the probe that 2 put there
		outer.Visit(6)
		if got := s.Coverage()[g.EdgeBetween(2, 5)]; got != test.want {
			t.Errorf("%+v: 2>5 covered: %t", test.o, got)
		}
	}
}

// A switch of many cases that fall through is refused in blocks at once, and planned on edges.
func TestTooManyAnchors(t *testing.T) {
	const cases = 5000
	edges := []Edge{}
	for c := int32(1); c <= cases; c++ {
		edges = append(edges, Edge{From: 0, To: c}, Edge{From: c, To: c + 1})
	}
	leaves := make([]bool, cases+2)
	leaves[cases+1] = true
	g, err := NewGraph(cases+2, []int32{0}, edges, leaves)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Make(g, DemandBranch, Options{})
	if want := "DEMAND_BRANCH in blocks needs more than 1048576 anchors: plan it on edges"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
	makePlan(t, g, DemandBranch, Options{Place: OnEdges})
}

// A long chain of blocks that many handlers cover is planned in time: quadratic in its length, it
// would take minutes.
func TestLongProtectedChain(t *testing.T) {
	const blocks, handlers = 10_000, 50
	var edges []Edge
	for b := int32(0); b < blocks-1; b++ {
		edges = append(edges, Edge{From: b, To: b + 1})
		for h := range int32(handlers) {
			edges = append(edges, Edge{From: b, To: blocks + h, Exceptional: true})
		}
	}
	leaves := slices.Repeat([]bool{true}, blocks+handlers)
	g, err := NewGraph(blocks+handlers, []int32{0}, edges, leaves)
	if err != nil {
		t.Fatal(err)
	}
	before := cputime.Used()
	for _, technique := range []Technique{AgrawalNode, MinimumNode} {
		makePlan(t, g, technique, Options{})
	}
	makePlan(t, g, MinimumBranch, Options{Place: OnEdges})
	if used := cputime.Used() - before; used > 5*time.Second {
		t.Errorf("%v of processor time", used)
	}
}
