package datareach

import (
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/pointsto"
)

// This file reads a points-to result the way the search needs it.

// Data is what the analysis reads of a points-to result; *pointsto.Result is
// one.
type Data interface {
	NumNodes() int
	NumBlocks() int
	GraphNode(n pointsto.Node) callgraph.NodeID
	NodesOf(g callgraph.NodeID) []pointsto.Node
	Receiver(n pointsto.Node, k int) pointsto.Var
	Args(n pointsto.Node, k int) (args []pointsto.Var, ok bool)
	Callees(n pointsto.Node, k int) []pointsto.Callee
	PointsTo(v pointsto.Var) pointsto.Set
	EachField(o pointsto.Object, yield func(f pointsto.Field, v pointsto.Var))
	TypeName(o pointsto.Object) string
	Created(n pointsto.Node) pointsto.Set
	Globals(n pointsto.Node) []pointsto.Var
	FieldLoads(n pointsto.Node) []pointsto.Field
	Opaque(n pointsto.Node) bool
	Always() pointsto.Set
}

// arc is an edge of the context-level call graph.
type arc struct {
	site   int32 // of the call graph
	callee pointsto.Node
	via    pointsto.Set // the objects on which it is made; dispatched only
}

// arcs are the edges out of a node: those that nothing about an object decides,
// and the others.
type arcs struct{ always, dispatched []arc }

// arcsOf reads the edges out of a node. Threads that it starts, and finalizers,
// run for themselves.
func (a *Analysis) arcsOf(n pointsto.Node) *arcs {
	if out := a.nodes[n].Load(); out != nil {
		return out
	}
	out := &arcs{}
	g := a.d.GraphNode(n)
	for i := a.g.Nodes[g].First; i < a.g.Nodes[g].End; i++ {
		if a.g.Sites[i].Set == callgraph.NoSet || elsewhere(a.g.Sites[i].Kind) {
			continue
		}
		for _, c := range a.d.Callees(n, int(i-a.g.Nodes[g].First)) {
			if c.Dispatched {
				out.dispatched = append(out.dispatched, arc{i, c.Node, c.Via})
			} else {
				out.always = append(out.always, arc{site: i, callee: c.Node})
			}
		}
	}
	a.nodes[n].Store(out)
	return out
}

// elsewhere tells whether an edge leads to another thread.
func elsewhere(k callgraph.EdgeKind) bool {
	return k == callgraph.ThreadStart || k == callgraph.Finalizer
}

// objects is a set of objects that grows: bits by block.
type objects struct {
	bits   []uint64
	blocks []pointsto.Block // with bits
}

func newObjects(d Data) *objects { return &objects{bits: make([]uint64, d.NumBlocks())} }

func (o *objects) clear() {
	for _, b := range o.blocks {
		o.bits[b] = 0
	}
	o.blocks = o.blocks[:0]
}

// add adds bits of a block and returns those that are new.
func (o *objects) add(b pointsto.Block, bits uint64) uint64 {
	old := o.bits[b]
	fresh := bits &^ old
	if fresh != 0 {
		if old == 0 {
			o.blocks = append(o.blocks, b)
		}
		o.bits[b] = old | fresh
	}
	return fresh
}

// meets tells whether a set has an object in common.
func (o *objects) meets(s pointsto.Set) bool {
	for i, b := range s.Blocks {
		if o.bits[b]&s.Bits[i] != 0 {
			return true
		}
	}
	return false
}

// start is where an original call starts: what it calls, and what is at hand.
type start struct {
	callees []pointsto.Node // ascending
	at      pointsto.Set
	// unknown tells that anything may be at hand.
	unknown bool
}

// startOf reads a site of the call graph, for all contexts of its method
// together: their links end in one catch.
func (a *Analysis) startOf(site int32, scratch *objects) *start {
	out := &start{}
	g := a.g.NodeOfSite(site)
	k := int(site - a.g.Nodes[g].First)
	scratch.clear()
	add := func(s pointsto.Set) {
		for i, b := range s.Blocks {
			scratch.add(b, s.Bits[i])
		}
	}
	if elsewhere(a.g.Sites[site].Kind) {
		return out
	}
	for _, n := range a.d.NodesOf(g) {
		args, ok := a.d.Args(n, k)
		out.unknown = out.unknown || !ok
		for _, v := range args {
			add(a.d.PointsTo(v))
		}
		receiver := a.d.Receiver(n, k)
		if receiver != pointsto.NoVar {
			add(a.d.PointsTo(receiver))
		}
		for _, c := range a.d.Callees(n, k) {
			out.callees = append(out.callees, c.Node)
			add(c.Via)
			if !c.Dispatched && receiver == pointsto.NoVar && a.needsReceiver(c.Node) {
				out.unknown = true
			}
		}
	}
	slices.Sort(out.callees)
	out.callees = slices.Compact(out.callees)
	slices.Sort(scratch.blocks)
	for _, b := range scratch.blocks {
		out.at.Blocks = append(out.at.Blocks, b)
		out.at.Bits = append(out.at.Bits, scratch.bits[b])
	}
	return out
}

// needsReceiver tells whether a node's method is an instance method.
func (a *Analysis) needsReceiver(n pointsto.Node) bool {
	m := a.g.Method(a.d.GraphNode(n))
	return m == nil || m.Access&accStatic == 0
}

const accStatic = 0x0008 // JVMS table 4.6-A
