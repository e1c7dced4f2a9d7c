package datareach

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
)

// This file compares the search with Figure 6 of paper 000, taken literally, on
// random points-to results. They need not belong to a program.

// handmade is a points-to result given by tables.
type handmade struct {
	g       *callgraph.Graph
	nodes   []handmadeNode
	of      map[callgraph.NodeID][]pointsto.Node
	vars    [][]pointsto.Object // by Var, sorted; 0 is empty
	fields  map[pointsto.Object]map[pointsto.Field]pointsto.Var
	types   []string // by block
	always_ []pointsto.Object
}

type handmadeNode struct {
	graph   callgraph.NodeID
	sites   []handmadeSite
	created []pointsto.Object
	globals []pointsto.Var
	loads   []pointsto.Field
	opaque  bool
}

type handmadeSite struct {
	recv    pointsto.Var
	args    []pointsto.Var
	unknown bool
	callees []handmadeCallee
}

type handmadeCallee struct {
	node pointsto.Node
	via  []pointsto.Object // nil: not dispatched
}

// setOf makes a set of objects.
func setOf(objects []pointsto.Object) (out pointsto.Set) {
	objects = slices.Clone(objects)
	slices.Sort(objects)
	for _, o := range objects {
		b := pointsto.Block(o / 64)
		if n := len(out.Blocks); n == 0 || out.Blocks[n-1] != b {
			out.Blocks, out.Bits = append(out.Blocks, b), append(out.Bits, 0)
		}
		out.Bits[len(out.Bits)-1] |= 1 << (o % 64)
	}
	return out
}

func (h *handmade) NumNodes() int                                { return len(h.nodes) }
func (h *handmade) NumBlocks() int                               { return len(h.types) }
func (h *handmade) GraphNode(n pointsto.Node) callgraph.NodeID   { return h.nodes[n].graph }
func (h *handmade) NodesOf(g callgraph.NodeID) []pointsto.Node   { return h.of[g] }
func (h *handmade) Receiver(n pointsto.Node, k int) pointsto.Var { return h.nodes[n].sites[k].recv }
func (h *handmade) PointsTo(v pointsto.Var) pointsto.Set         { return setOf(h.vars[v]) }
func (h *handmade) TypeName(o pointsto.Object) string            { return h.types[o/64] }
func (h *handmade) Created(n pointsto.Node) pointsto.Set         { return setOf(h.nodes[n].created) }
func (h *handmade) Globals(n pointsto.Node) []pointsto.Var       { return h.nodes[n].globals }
func (h *handmade) FieldLoads(n pointsto.Node) []pointsto.Field  { return h.nodes[n].loads }
func (h *handmade) Opaque(n pointsto.Node) bool                  { return h.nodes[n].opaque }
func (h *handmade) Always() pointsto.Set                         { return setOf(h.always_) }
func (h *handmade) Code(pointsto.Node) (pointsto.Code, bool)     { return pointsto.Code{}, false }
func (h *handmade) TypeOf(pointsto.Object) hierarchy.TypeID      { return hierarchy.NoType }
func (h *handmade) FieldOf(o pointsto.Object, f pointsto.Field) pointsto.Var {
	return h.fields[o][f]
}

func (h *handmade) Args(n pointsto.Node, k int) ([]pointsto.Var, bool) {
	s := &h.nodes[n].sites[k]
	return s.args, !s.unknown
}

func (h *handmade) Callees(n pointsto.Node, k int) (out []pointsto.Callee) {
	for _, c := range h.nodes[n].sites[k].callees {
		out = append(out, pointsto.Callee{Node: c.node, Dispatched: c.via != nil, Via: setOf(c.via)})
	}
	return out
}

func (h *handmade) EachField(o pointsto.Object, yield func(pointsto.Field, pointsto.Var)) {
	var fields []pointsto.Field
	for f := range h.fields[o] {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	for _, f := range fields {
		yield(f, h.fields[o][f])
	}
}

// random draws a points-to result, one node a graph node.
func random(t *rapid.T) *handmade {
	h := &handmade{g: &callgraph.Graph{}, of: map[callgraph.NodeID][]pointsto.Node{}, vars: [][]pointsto.Object{nil},
		fields: map[pointsto.Object]map[pointsto.Field]pointsto.Var{}}
	blocks := rapid.IntRange(1, 4).Draw(t, "blocks")
	for b := range blocks {
		h.types = append(h.types, fmt.Sprintf("T%d", b))
	}
	objects := func(label string, min, max int) []pointsto.Object {
		out := rapid.SliceOfN(rapid.IntRange(0, blocks*64-1), min, max).Draw(t, label)
		var list []pointsto.Object
		for _, o := range out {
			o = o/64*64 + o%3 // few, so that they meet
			list = append(list, pointsto.Object(o))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for range rapid.IntRange(1, 8).Draw(t, "vars") {
		h.vars = append(h.vars, objects("pointsTo", 0, 4))
	}
	variable := func() pointsto.Var { return pointsto.Var(rapid.IntRange(0, len(h.vars)-1).Draw(t, "var")) }
	for b := range blocks {
		for o := range 3 {
			h.fields[pointsto.Object(b*64+o)] = map[pointsto.Field]pointsto.Var{}
			for range rapid.IntRange(0, 2).Draw(t, "fields") {
				h.fields[pointsto.Object(b*64+o)][pointsto.Field(rapid.IntRange(0, 3).Draw(t, "field"))] = variable()
			}
		}
	}
	n := rapid.IntRange(1, 8).Draw(t, "nodes")
	kinds := []callgraph.EdgeKind{callgraph.Call, callgraph.Call, callgraph.Call, callgraph.ClassInit, callgraph.ThreadStart, callgraph.Finalizer}
	for i := range n {
		x := handmadeNode{graph: callgraph.NodeID(i)}
		if rapid.IntRange(0, 2).Draw(t, "creates") == 0 {
			x.created = objects("created", 1, 2)
		}
		for range rapid.IntRange(0, 1).Draw(t, "globals") {
			x.globals = append(x.globals, variable())
		}
		for range rapid.IntRange(0, 2).Draw(t, "loads") {
			x.loads = append(x.loads, pointsto.Field(rapid.IntRange(0, 3).Draw(t, "loaded")))
		}
		x.opaque = rapid.IntRange(0, 30).Draw(t, "opaque") == 0
		first := int32(len(h.g.Sites))
		for range rapid.IntRange(0, 3).Draw(t, "sites") {
			s := handmadeSite{recv: variable()}
			for range rapid.IntRange(0, 3).Draw(t, "callees") {
				c := handmadeCallee{node: pointsto.Node(rapid.IntRange(0, n-1).Draw(t, "callee"))}
				if rapid.IntRange(0, 3).Draw(t, "dispatched") > 0 {
					c.via = objects("via", 1, 3)
				}
				s.callees = append(s.callees, c)
			}
			x.sites = append(x.sites, s)
			h.g.Sites = append(h.g.Sites, callgraph.Site{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")})
		}
		h.nodes = append(h.nodes, x)
		h.of[x.graph] = []pointsto.Node{pointsto.Node(i)}
		h.g.Nodes = append(h.g.Nodes, callgraph.Node{Method: hierarchy.NoMethod, First: first, End: int32(len(h.g.Sites))})
	}
	h.always_ = objects("always", 0, 1)
	return h
}

// edgeKey is an edge as the figure's arcs are.
type edgeKey struct {
	site   int32
	callee pointsto.Node
}

// figure6 is the figure, with sets that are iterated until nothing changes.
func figure6(h *handmade, from *start) (methods map[pointsto.Node]bool, edges map[edgeKey]bool) {
	methods, edges = map[pointsto.Node]bool{}, map[edgeKey]bool{}
	u, fieldset, everything := map[pointsto.Object]bool{}, map[pointsto.Field]bool{}, from.unknown
	for _, set := range []pointsto.Set{h.Always(), from.at} {
		for o := range set.All() {
			u[o] = true
		}
	}
	for _, p := range from.callees {
		methods[p.node] = true
	}
	for changed := true; changed; {
		before, known := len(methods)+len(edges)+len(u)+len(fieldset), !everything
		for n := range methods {
			x := &h.nodes[n]
			everything = everything || x.opaque
			for _, o := range x.created {
				u[o] = true
			}
			for _, v := range x.globals {
				for _, o := range h.vars[v] {
					u[o] = true
				}
			}
			for _, f := range x.loads {
				fieldset[f] = true
			}
			for k, s := range x.sites {
				site := h.g.Nodes[x.graph].First + int32(k)
				if kind := h.g.Sites[site].Kind; kind == callgraph.ThreadStart || kind == callgraph.Finalizer {
					continue
				}
				for _, c := range s.callees {
					if everything || c.via == nil || slices.ContainsFunc(c.via, func(o pointsto.Object) bool { return u[o] }) {
						methods[c.node] = true
						edges[edgeKey{site, c.node}] = true
					}
				}
			}
		}
		for o := range u {
			for f, v := range h.fields[o] {
				if fieldset[f] {
					for _, o := range h.vars[v] {
						u[o] = true
					}
				}
			}
		}
		changed = len(methods)+len(edges)+len(u)+len(fieldset) != before || known == everything
	}
	return methods, edges
}

func TestSearchAgainstFigure6(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := random(t)
		a := newAnalysis(h.g, h)
		s := newSearch(a)
		for range 3 { // the memory is used again
			from := &start{at: setOf(h.vars[rapid.IntRange(0, len(h.vars)-1).Draw(t, "at")]), unknown: rapid.IntRange(0, 9).Draw(t, "unknown") == 0}
			for range rapid.IntRange(0, 2).Draw(t, "starts") {
				n := pointsto.Node(rapid.IntRange(0, len(h.nodes)-1).Draw(t, "start"))
				if !slices.ContainsFunc(from.callees, func(p passed) bool { return p.node == n }) {
					from.callees = append(from.callees, passed{node: n})
				}
			}
			s.run(from)
			compare(t, h, from, s)
		}
	})
}

// compare compares a search, and the form that exception-flow gets, with the
// figure.
func compare(t *rapid.T, h *handmade, from *start, s *search) {
	methods, edges := figure6(h, from)
	r := s.reached(from)
	got, reached := map[edgeKey]bool{}, map[pointsto.Node]bool{}
	for v, g := range r.Nodes {
		if !methods[pointsto.Node(g)] {
			t.Fatalf("node %d is reached, want %v", g, methods)
		}
		reached[pointsto.Node(g)] = true
		for e := r.Start[v]; e < r.Start[v+1]; e++ {
			if site := r.Sites[e]; site < h.g.Nodes[g].First || site >= h.g.Nodes[g].End {
				t.Fatalf("site %d is not of node %d", site, g)
			}
			got[edgeKey{r.Sites[e], pointsto.Node(r.Nodes[r.To[e]])}] = true
		}
	}
	if len(reached) != len(methods) || len(got) != len(edges) {
		t.Fatalf("reached %v by %v, want %v by %v", reached, got, methods, edges)
	}
	for e := range got {
		if !edges[e] {
			t.Fatalf("edge %v survives, want %v", e, edges)
		}
	}
	for i, v := range r.Roots {
		if s.nodes[v] != from.callees[i].node {
			t.Fatalf("roots %v, want %v", r.Roots, from.callees)
		}
	}
	if len(r.Roots) != len(from.callees) {
		t.Fatalf("roots %v, want %v", r.Roots, from.callees)
	}
}
