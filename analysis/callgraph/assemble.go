package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file makes a graph of parts that another algorithm has found.

// Parts is a call graph before its callee sets are shared.
type Parts struct {
	H         *hierarchy.Hierarchy
	Algorithm string
	// Methods are the methods of the nodes by NodeID, NoMethod for a synthetic
	// node; no method occurs twice.
	Methods []hierarchy.MethodID
	Sites   [][]Site // by NodeID; Set is not looked at
	// Targets are the callees of each site of each node, in any order; Refs the
	// methods that the sites name (see Graph.Ref).
	Targets  func(n NodeID, k int) []NodeID
	Refs     func(n NodeID, k int) hierarchy.MethodID
	Entries  []NodeID
	Created  []hierarchy.TypeID // in any order
	Problems []Problem
	Values   *Values
	Tokens   *features.Tokens
	// Workspace lists the classes about whose missing references problems are
	// made.
	Workspace []string
}

// Assemble makes a graph. Equal callee sets of sites that name the same method
// become one.
func Assemble(p Parts) *Graph {
	g := &Graph{H: p.H, Algorithm: p.Algorithm, Entries: p.Entries, Values: p.Values, Tokens: p.Tokens,
		problems: p.Problems}
	g.nodeOf = make([]NodeID, p.H.NumMethods())
	for i := range g.nodeOf {
		g.nodeOf[i] = NoNode
	}
	g.setStart = []int32{0}
	sets, total := setTable{g: g}, 0
	for _, list := range p.Sites {
		total += len(list)
	}
	g.Sites, g.Nodes = make([]Site, 0, total), make([]Node, 0, len(p.Methods))
	for n, m := range p.Methods {
		if m != hierarchy.NoMethod {
			g.nodeOf[m] = NodeID(n)
		}
		first := int32(len(g.Sites))
		for k, s := range p.Sites[n] {
			s.Set = sets.intern(p.Targets(NodeID(n), k), p.Refs(NodeID(n), k))
			g.Sites = append(g.Sites, s)
		}
		g.Nodes = append(g.Nodes, Node{Method: m, First: first, End: int32(len(g.Sites))})
	}
	g.created = slices.Clone(p.Created)
	slices.Sort(g.created)
	g.created = slices.Compact(g.created)
	g.problems = append(g.problems, missingClasses(p.H, p.Workspace)...)
	g.index()
	return g
}

// setTable shares equal callee sets. It finds them by hash.
type setTable struct {
	g       *Graph
	slots   []setSlot // a power of two, a quarter free at least
	scratch []NodeID
}

type setSlot struct {
	hash uint64
	set  SetID // + 1, 0 where free
}

// intern returns the number of a set, NoSet of an empty one.
func (t *setTable) intern(targets []NodeID, ref hierarchy.MethodID) SetID {
	if len(targets) == 0 {
		return NoSet
	}
	t.scratch = append(t.scratch[:0], targets...)
	if len(targets) > 1 {
		slices.Sort(t.scratch)
		t.scratch = slices.Compact(t.scratch)
	}
	h := uint64(ref+1) * 0x9E3779B97F4A7C15
	for _, n := range t.scratch {
		h = (h ^ uint64(n)) * 1099511628211
	}
	h ^= h >> 32
	g := t.g
	if 4*len(g.refs) >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i].set != 0; i = (i + 1) & mask {
		if x := t.slots[i]; x.hash == h && g.refs[x.set-1] == ref && slices.Equal(g.Targets(x.set-1), t.scratch) {
			return x.set - 1
		}
	}
	s := SetID(len(g.refs))
	g.refs = append(g.refs, ref)
	g.setNodes = append(g.setNodes, t.scratch...)
	g.setStart = append(g.setStart, int32(len(g.setNodes)))
	t.slots[i] = setSlot{h, s + 1}
	return s
}

// grow doubles the table.
func (t *setTable) grow() {
	old := t.slots
	t.slots = make([]setSlot, max(1<<14, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, x := range old {
		if x.set == 0 {
			continue
		}
		i := x.hash & mask
		for t.slots[i].set != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = x
	}
}

// missingClasses makes problems of what the class path lacks, as far as classes
// of the workspace ask for it.
func missingClasses(h *hierarchy.Hierarchy, workspace []string) (out []Problem) {
	own := make(map[string]bool, len(workspace))
	for _, c := range workspace {
		own[c] = true
	}
	for _, m := range h.Missing() {
		if own[m.ReferencedBy] {
			out = append(out, Problem{m.ReferencedBy,
				"class " + m.Class + " is not on the class path; what it does is unknown"})
		}
	}
	for _, c := range h.Malformed() {
		out = append(out, Problem{c, "class " + c + " is its own supertype"})
	}
	return out
}
