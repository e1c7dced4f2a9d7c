package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file takes from points-to analysis what it knows of calls in a context.

// target is where a call leads.
type target struct {
	to   callgraph.NodeID
	node pointsto.Node // in its context, -1 where that is not known
	// known tells that the call is made on objects of these classes only; with lambda, on lambda
	// objects besides.
	known   bool
	via     pointsto.Set // these objects
	lambda  bool
	classes []hierarchy.TypeID // ascending
}

// on tells whether the call may be made on an object of a class.
func (t *target) on(class hierarchy.TypeID) bool {
	if !t.known {
		return true
	}
	_, ok := slices.BinarySearch(t.classes, class)
	return ok
}

// nodeSite is a site of a node: the k-th.
type nodeSite struct {
	node pointsto.Node
	k    int
}

// targets lists where a site of a context leads: its k-th.
func (c *component) targets(from *context, k int, s callgraph.Site) []target {
	if from.node < 0 {
		out := make([]target, 0, len(c.g.Targets(s.Set)))
		for _, t := range c.g.Targets(s.Set) {
			out = append(out, target{to: t, node: -1})
		}
		return out
	}
	key := nodeSite{from.node, k}
	if out, ok := c.called[key]; ok {
		return out
	}
	var out []target
	for _, x := range c.points.Callees(from.node, k) {
		t := target{to: c.points.GraphNode(x.Node), node: x.Node, known: x.Dispatched, lambda: x.Lambda}
		if t.known {
			t.via, t.classes = x.Via, c.classesOf(x.Via)
		}
		out = append(out, t)
	}
	c.called[key] = out
	return out
}

// classesOf lists the classes of objects.
func (c *component) classesOf(set pointsto.Set) (out []hierarchy.TypeID) {
	seen := map[hierarchy.TypeID]bool{}
	for o := range set.All() {
		if t := c.points.TypeOf(o); !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}
