package exceptions

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is the flow of exceptions inside one method: which handlers take an
// exception that occurs under a cover, and whether it leaves the method.

// noFlow is the flow number of a method without exception table.
const noFlow = -1

// anyType is the caught type of an entry that catches everything.
const anyType = -1

// methodFlow is what of a method's exception table matters.
type methodFlow struct {
	node     callgraph.NodeID
	covers   [][]uint16  // as facts.Method.Covers
	types    []int32     // by table entry: number of the caught type, or anyType
	handlers []uint16    // by table entry
	rethrows [][]rethrow // by handler
}

// rethrow is an athrow that may throw the object that a handler caught, if it is
// of a type: the number of the type it is cast to before, or anyType. What a method is
// said to throw again (natives.Row.Rethrows) is thrown outside of its tries.
type rethrow struct {
	cover uint16
	typ   int32
}

// flows holds the methodFlow of all nodes with exception tables.
type flows struct {
	of      []int32 // by node; noFlow
	list    []methodFlow
	numbers typeNumbers
	caught  int // numbers below are of types that are caught or cast to before a rethrow
}

// newFlows reads the exception tables of all reached methods.
func newFlows(g *callgraph.Graph) *flows {
	f := &flows{of: make([]int32, g.NumNodes()), numbers: typeNumbers{of: map[hierarchy.TypeID]int32{}}}
	for n := range g.Nodes {
		f.of[n] = noFlow
		m := g.Method(callgraph.NodeID(n))
		if m == nil || len(m.Table()) == 0 {
			continue
		}
		mf := methodFlow{node: callgraph.NodeID(n), covers: m.Covers(),
			types: make([]int32, len(m.Table())), handlers: make([]uint16, len(m.Table())),
			rethrows: make([][]rethrow, len(m.Handlers()))}
		for i, e := range m.Table() {
			mf.handlers[i] = e.Handler
			mf.types[i] = f.number(g.H, e.Type)
		}
		for i := range m.Throws() {
			for _, s := range m.Throws()[i].Sources {
				if s.Kind == facts.CaughtSource && int(s.Handler) < len(mf.rethrows) {
					mf.rethrows[s.Handler] = append(mf.rethrows[s.Handler],
						rethrow{m.Throws()[i].Cover, f.number(g.H, s.Type)})
				}
			}
		}
		if row, ok := natives.Model(g.Class(callgraph.NodeID(n)), m.Name, m.Desc, false); ok && row.Rethrows {
			for h := range mf.rethrows {
				mf.rethrows[h] = append(mf.rethrows[h], rethrow{typ: anyType})
			}
		}
		f.of[n] = int32(len(f.list))
		f.list = append(f.list, mf)
	}
	f.caught = len(f.numbers.types)
	return f
}

// number returns the number of a caught type. One that is not loaded cannot
// occur: the builder of the graph loads what handlers name.
func (f *flows) number(h *hierarchy.Hierarchy, name string) int32 {
	if name == "" {
		return anyType
	}
	return f.numbers.number(h.Lookup(name))
}

// flow returns the flow of a node, nil where it has no exception table.
func (f *flows) flow(n callgraph.NodeID) *methodFlow {
	if i := f.of[n]; i != noFlow {
		return &f.list[i]
	}
	return nil
}

// What a handler does to the exceptions of a group.
const (
	passes  uint8 = iota // catches none
	partial              // catches some
	catches              // catches all
)

// walker follows exceptions of one group through methods. It is not safe for
// concurrent use.
type walker struct {
	treat   []uint8 // as group.treat
	visited []uint32
	epoch   uint32
	// arrive is called for each handler reached, once per walk; nil: nobody asks.
	arrive func(handler uint16)
}

// walk follows an exception that occurs under a cover of f, and tells whether
// it may leave the method. An entry whose type is a supertype ends the search
// (JVMS 2.10); one whose type may be met takes a part and lets the rest pass.
// What a handler throws again goes on from that athrow, so that finally,
// synchronized and try-with-resources need no special case; a cast before the
// athrow lets only its own type go on.
func (w *walker) walk(f *methodFlow, cover uint16) bool {
	if f == nil || int(cover) >= len(f.covers) || len(f.covers[cover]) == 0 {
		return true
	}
	if len(w.visited) < len(f.rethrows) {
		w.visited = make([]uint32, 2*len(f.rethrows))
		w.epoch = 0
	}
	w.epoch++
	return w.follow(f, cover)
}

func (w *walker) follow(f *methodFlow, cover uint16) (leaves bool) {
	for _, e := range f.covers[cover] {
		how := catches
		if t := f.types[e]; t != anyType {
			how = w.treat[t]
		}
		if how == passes {
			continue
		}
		if h := f.handlers[e]; w.visited[h] != w.epoch {
			w.visited[h] = w.epoch
			if w.arrive != nil {
				w.arrive(h)
			}
			for _, r := range f.rethrows[h] {
				if r.typ != anyType && w.treat[r.typ] == passes {
					continue
				}
				if w.follow(f, r.cover) {
					leaves = true
				}
			}
		}
		if how == catches {
			return leaves
		}
	}
	return true
}
