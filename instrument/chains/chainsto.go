package chains

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file says how a method of a component is reached, and which ways to it tests have taken.

// State is what runs say of a chain.
type State uint8

// The states, in the order in which a person wants to see them.
const (
	// Untested: no test has taken it.
	Untested State = iota
	// Unrecorded: no test is known to have taken it, and it may have been too deep on the stack to
	// be recorded.
	Unrecorded
	// Taken: a test has taken it.
	Taken
	// Unknown: no test has recorded chains.
	Unknown
)

// Count counts the chains that end at a method.
type Count struct{ All, Taken, Unrecorded int }

// Component is a component with the chains that tests take in it.
type Component struct {
	*Tested
	// Name is what a person calls it.
	Name string
	// Snap is the snapshot in which the chains were found.
	Snap *snapshot.Snapshot

	above   map[callgraph.NodeID]int
	longest int
	counts  map[callgraph.NodeID]*Count
	nodes   map[string]callgraph.NodeID
}

// Chain is a chain that leads to a method.
type Chain struct {
	Frames []Frame // from the entry method down
	State  State
	Tests  []string // that took it
	// Prefix is how many of the frames are the longest beginning that a test has taken, and Nearest
	// a test that took it, where the chain itself is not tested.
	Prefix  int
	Nearest string
}

// Frame is a method of a Way.
type Frame struct {
	Method callgraph.NodeID
	// Line is that of the call of the next one; 0 where it is not known, and in the last frame.
	Line int32
	// Nth is which of several calls of one method that one is on its line, of so many; 0 where it
	// is the only one.
	Nth, Of int
}

// NewComponent counts the chains of a component that lead to each of its methods, found in a
// snapshot. Runs have recorded chains of the workspace, of at most so many calls; above is
// callchain.CallsAbove.
func NewComponent(name string, snap *snapshot.Snapshot, t *Tested, above map[callgraph.NodeID]int,
	longest int) *Component {
	c := &Component{Tested: t, Name: name, Snap: snap, above: above, longest: longest,
		counts: map[callgraph.NodeID]*Count{}, nodes: map[string]callgraph.NodeID{}}
	t.each(&Show{}, func(path []step) {
		to := path[len(path)-1].method
		if c.counts[to] == nil {
			c.counts[to] = &Count{}
			m := t.Forest.Graph.Method(to)
			c.nodes[t.Forest.Graph.Class(to)+"."+m.Name+m.Desc] = to
		}
		c.counts[to].add(c.state(path))
	})
	return c
}

// add counts a chain.
func (n *Count) add(s State) {
	n.All++
	switch s {
	case Taken:
		n.Taken++
	case Unrecorded:
		n.Unrecorded++
	}
}

// Recorded is how many calls the chains have at most that runs record.
func (c *Component) Recorded() int { return c.longest }

// Ran tells whether tests have recorded which chains they take.
func (c *Component) Ran() bool { return len(c.Tests) > 0 }

// Find is the method of a class, given by internal name, name and descriptor; false if no chain
// ends there.
func (c *Component) Find(class, method string) (callgraph.NodeID, bool) {
	n, ok := c.nodes[class+"."+method]
	return n, ok
}

// Count counts the chains that end at a method.
func (c *Component) Count(to callgraph.NodeID) Count {
	if n := c.counts[to]; n != nil {
		return *n
	}
	return Count{}
}

// Total counts all chains.
func (c *Component) Total() (all Count) {
	for _, n := range c.counts {
		all.All, all.Taken, all.Unrecorded = all.All+n.All, all.Taken+n.Taken, all.Unrecorded+n.Unrecorded
	}
	return all
}

// state is what runs say of the chain that is a path.
func (c *Component) state(path []step) State {
	switch {
	case !c.Ran():
		return Unknown
	case c.IsTested(path[len(path)-1].number):
		return Taken
	case slices.ContainsFunc(path, func(s step) bool { return !c.entered[s.method] }):
		return Untested
	case c.above[path[0].method]+len(path)-1 > c.longest:
		return Unrecorded
	}
	return Untested
}

// ChainsTo lists chains that end at a method, most at most: those that no test has taken first,
// then those of which that is not known; of each the shortest first.
func (c *Component) ChainsTo(to callgraph.NodeID, most int) []Chain {
	var found foundChains
	c.eachTo(callchain.End{Method: to}, func(path []step) bool {
		found.add(c, path, most)
		return len(found[Untested]) < most && len(found[Unknown]) < most
	})
	return found.list(most)
}

// ChainsThrough is Ways of chains whose last call is one of some, by number in
// callgraph.Graph.Sites, and counts all of them.
func (c *Component) ChainsThrough(sites []int32, most int) (list []Chain, n Count) {
	var found foundChains
	c.eachTo(callchain.End{Sites: sites}, func(path []step) bool {
		n.add(found.add(c, path, most))
		return true
	})
	return found.list(most), n
}

// foundChains are chains by what runs say of them.
type foundChains [Unknown + 1][]Chain

// add adds the chain that is a path unless there are most of its kind.
func (f *foundChains) add(c *Component, path []step, most int) State {
	state := c.state(path)
	if len(f[state]) < most {
		f[state] = append(f[state], c.chainOf(path, state))
	}
	return state
}

func (f *foundChains) list(most int) []Chain {
	out := slices.Concat(f[:]...)
	return out[:min(len(out), most)]
}

// eachTo calls f for the chains with some end, the shortest first, until it returns false. The path
// is valid until f returns.
func (c *Component) eachTo(to callchain.End, f func(path []step) bool) {
	left := c.Forest.Distances(to)
	var path []step
	// walk goes on from a node by so many calls. It returns false when f has.
	var walk func(s step, calls int) bool
	walk = func(s step, calls int) bool {
		if calls > 0 && left[s.node]&(1<<calls) == 0 {
			return true
		}
		path = append(path, s)
		defer func() { path = path[:len(path)-1] }()
		if calls == 0 {
			return !to.Is(s.method, s.edge) || f(path)
		}
		next := s.number + 1
		edges := c.Forest.Nodes[s.node].Edges
		for i := range edges {
			if edges[i].Up >= 0 {
				continue
			}
			if !walk(step{&edges[i], edges[i].Callee, edges[i].To, next}, calls-1) {
				return false
			}
			next += c.Forest.Below(edges[i].To)
		}
		return true
	}
	for calls := 0; calls <= c.Forest.Complete; calls++ {
		first := uint64(0)
		for _, r := range c.Forest.Roots {
			if !walk(step{nil, c.Forest.Nodes[r.ID].Method, r.ID, first}, calls) {
				return
			}
			first += c.Forest.Below(r.ID)
		}
	}
}

// chainOf is the chain that is a path.
func (c *Component) chainOf(path []step, state State) Chain {
	w := Chain{State: state, Prefix: c.prefix(path)}
	first, again := c.Takers(path[len(path)-1].number)
	w.Tests = slices.Compact(slices.Sorted(slices.Values(slices.Concat(first, again))))
	if w.Prefix > 0 && w.Prefix < len(path) {
		w.Nearest = c.nearest(path[w.Prefix-1].number)
	}
	g := c.Forest.Graph
	for i, s := range path {
		f := Frame{Method: s.method}
		if i+1 < len(path) && path[i+1].edge.Site != callchain.NoSite {
			site := path[i+1].edge.Site
			f.Line = g.Position(g.NodeOfSite(site), g.Sites[site]).Line
			if nth, of := callchain.OnLine(g, site); of > 1 {
				f.Nth, f.Of = nth, of
			}
		}
		w.Frames = append(w.Frames, f)
	}
	return w
}
