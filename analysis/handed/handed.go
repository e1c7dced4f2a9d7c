package handed

import (
	"maps"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is what others ask: where each kind of object begins, and where it is thrown.

// Flow follows exceptions through the methods of a call graph. It may be used by many goroutines.
type Flow struct {
	g              *callgraph.Graph
	h              *hierarchy.Hierarchy
	own            func(class string) bool
	runtime, error hierarchy.TypeID

	ifaces   map[hierarchy.TypeID]bool // what unchecked exceptions implement
	ownNodes []bool
	reflects []bool // by callee set: reflection calls it
	serial   []callgraph.NodeID

	mu      sync.Mutex
	infos   map[callgraph.NodeID]*method
	loads   *loads
	answers map[source][]callgraph.Place
	steps   map[cell]step
	read    map[hierarchy.TypeID]bool
	// taking has for nodes what takes says: 1 no, 2 yes, 0 not known yet.
	taking []uint8
	// returning has for nodes what returnsBlurred says, likewise.
	returning []uint8
	// exceptions has for names of types whether they are exceptions'.
	exceptions map[string]bool
}

// source is where objects begin that are asked for: a handler of a node, or unwrapped.
type source struct {
	node    callgraph.NodeID
	handler int
}

// New prepares to follow exceptions. own tells which classes, by internal name, are the program's.
func New(g *callgraph.Graph, own func(class string) bool) *Flow {
	f := &Flow{g: g, h: g.H, own: own, runtime: g.H.Lookup("java/lang/RuntimeException"),
		error: g.H.Lookup("java/lang/Error"), ifaces: map[hierarchy.TypeID]bool{},
		infos: map[callgraph.NodeID]*method{}, answers: map[source][]callgraph.Place{}, steps: map[cell]step{},
		read: map[hierarchy.TypeID]bool{}, exceptions: map[string]bool{}}
	for _, t := range g.Created() {
		if f.Unchecked(t) {
			for _, i := range f.h.Superinterfaces(t) {
				f.ifaces[i] = true
			}
		}
	}
	f.findHandOvers()
	return f
}

// Unchecked tells whether a class is one of unchecked exceptions.
func (f *Flow) Unchecked(t hierarchy.TypeID) bool {
	return f.runtime != hierarchy.NoType && f.h.IsSubtype(t, f.runtime) ||
		f.error != hierarchy.NoType && f.h.IsSubtype(t, f.error)
}

// Throws tells whether an athrow of a node is one that Made, Caught and Wrapped may give: it stands
// in a library, takes its operand from elsewhere, and may throw unchecked exceptions.
func (f *Flow) Throws(n callgraph.NodeID, index int) bool {
	m := f.g.Method(n)
	if m == nil || index >= len(m.Throws()) || f.ownNodes[n] {
		return false
	}
	return slices.ContainsFunc(m.Throws()[index].Sources, func(s facts.Source) bool {
		return s.Kind == facts.TypedSource && f.mayBeUnchecked(s.Type)
	})
}

// mayBeUnchecked tells whether a static type lets unchecked exceptions pass.
func (f *Flow) mayBeUnchecked(name string) bool {
	t := f.h.Lookup(name)
	return name == "" || t != hierarchy.NoType && (f.ifaces[t] || f.Unchecked(t) ||
		f.runtime != hierarchy.NoType && f.h.IsSubtype(f.runtime, t))
}

// Made lists the classes of unchecked exceptions that code of the program makes, by the athrow of a
// library that may throw them, ascending.
func (f *Flow) Made() map[callgraph.Place][]hierarchy.TypeID {
	f.mu.Lock()
	defer f.mu.Unlock()
	begins := f.findMade()
	out := map[callgraph.Place][]hierarchy.TypeID{}
	classes := make([]hierarchy.TypeID, 0, len(begins))
	for t := range begins {
		classes = append(classes, t)
	}
	slices.Sort(classes)
	for batch := range slices.Chunk(classes, 64) {
		s := newSpread(f, func(filter string) (mask uint64) {
			to := f.h.Lookup(filter)
			for i, t := range batch {
				if to != hierarchy.NoType && f.h.IsSubtype(t, to) {
					mask |= 1 << i
				}
			}
			return mask
		})
		for i, t := range batch {
			for _, n := range begins[t].nodes {
				s.begin(n, func(op facts.FlowOp, x []uint64) bool {
					return op == facts.FlowNew && f.h.Lookup(f.g.Method(n).Allocs[x[1]].Type) == t
				}, 1<<i)
			}
			for _, c := range begins[t].constructors {
				s.constructed(c, 1<<i)
			}
		}
		s.run()
		for at, mask := range s.found {
			for i, t := range batch {
				if mask>>i&1 != 0 {
					out[at] = append(out[at], t)
				}
			}
		}
	}
	return out
}

// beginning is where objects of a class begin: nodes that make some, and constructors that
// references name.
type beginning struct {
	nodes        []callgraph.NodeID
	constructors []callgraph.NodeID
}

// findMade finds the classes of unchecked exceptions that code of the program makes.
func (f *Flow) findMade() map[hierarchy.TypeID]*beginning {
	out := map[hierarchy.TypeID]*beginning{}
	of := func(name string) *beginning {
		t := f.h.Lookup(name)
		if t == hierarchy.NoType || !f.Unchecked(t) {
			return nil
		}
		if out[t] == nil {
			out[t] = &beginning{}
		}
		return out[t]
	}
	for n := range callgraph.NodeID(f.g.NumNodes()) {
		m := f.g.Method(n)
		if m == nil || !f.ownNodes[n] {
			continue
		}
		for i := range m.Allocs {
			if b := of(m.Allocs[i].Type); b != nil && !slices.Contains(b.nodes, n) {
				b.nodes = append(b.nodes, n)
			}
		}
		for i := range m.Calls {
			x := m.Calls[i].Indy()
			if x == nil || x.Kind != facts.LambdaIndy || x.Impl.Kind != features.RefNewInvokeSpecial {
				continue
			}
			if b := of(x.Impl.Owner); b != nil {
				if c := f.node(x.Impl); c != callgraph.NoNode && !slices.Contains(b.constructors, c) {
					b.constructors = append(b.constructors, c)
				}
			}
		}
		if len(m.Handlers()) > 0 || len(m.Allocs) > 0 {
			f.read[f.h.Owner(f.g.Nodes[n].Method)] = true
		}
	}
	return out
}

// node is the node of the method that a handle names, without dispatch.
func (f *Flow) node(x facts.Handle) callgraph.NodeID {
	for t := f.h.Lookup(x.Owner); t != hierarchy.NoType && !f.h.Phantom(t); t = f.h.Super(t) {
		for i := range f.h.Facts(t).Methods {
			if m := &f.h.Facts(t).Methods[i]; m.Name == x.Name && m.Desc == x.Desc {
				return f.g.NodeOf(f.h.MethodAt(t, i))
			}
		}
		if x.Name == "<init>" {
			break
		}
	}
	return callgraph.NoNode
}

// Caught lists the athrows of libraries that throw what a handler of a node caught: others than
// those of the node that throw the caught object again.
func (f *Flow) Caught(n callgraph.NodeID, handler int) []callgraph.Place {
	return f.answer(source{n, handler}, func(s *spread) {
		s.begin(n, func(op facts.FlowOp, x []uint64) bool {
			return op == facts.FlowCatch && int(x[1]) == handler
		}, 1)
	})
}

// Unwrapped lists the athrows of libraries that throw the cause of the InvocationTargetException
// that handlers of a node caught.
func (f *Flow) Unwrapped(n callgraph.NodeID) []callgraph.Place {
	m := f.g.Method(n)
	return f.answer(source{n, unwrapped}, func(s *spread) {
		s.begin(n, func(op facts.FlowOp, x []uint64) bool {
			return op == facts.FlowCatch && int(x[1]) < len(m.Handlers()) &&
				slices.Contains(m.Handlers()[x[1]].Types, wrapper)
		}, wrapping)
	})
}

// unwrapped is the handler of a source that stands for the causes of what any handler caught.
const unwrapped = -1

// answer follows the objects of one source, once.
func (f *Flow) answer(from source, begin func(s *spread)) []callgraph.Place {
	f.mu.Lock()
	defer f.mu.Unlock()
	if out, ok := f.answers[from]; ok {
		return out
	}
	var out []callgraph.Place
	first := f.step(begin)
	seen, work := map[cell]bool{}, []step{first}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		out = append(out, s.places...)
		for _, c := range s.cells {
			if seen[c] {
				continue
			}
			seen[c] = true
			next, ok := f.steps[c]
			if !ok {
				next = f.step(func(s *spread) { s.fill(c) })
				f.steps[c] = next
			}
			work = append(work, next)
		}
	}
	slices.SortFunc(out, comparePlaces)
	out = slices.Compact(out)
	f.answers[from] = out
	return out
}

// step is where any unchecked exception goes from some place before it is kept somewhere again.
// What is kept in the same field leads to the same places, whichever handler it comes from.
type step struct {
	places []callgraph.Place
	cells  []cell
}

// step follows objects until they are kept.
func (f *Flow) step(begin func(s *spread)) (out step) {
	s := newSpread(f, func(filter string) uint64 {
		if f.mayBeUnchecked(filter) {
			return 1 | wrapping
		}
		if filter == wrapper || filter == "java/lang/ReflectiveOperationException" {
			return wrapping
		}
		return 0
	})
	begin(s)
	s.kept = map[cell]bool{}
	s.run()
	for at, mask := range s.found {
		if mask&1 != 0 {
			out.places = append(out.places, at)
		}
	}
	for c := range s.kept {
		out.cells = append(out.cells, c)
	}
	return out
}

func comparePlaces(a, b callgraph.Place) int {
	if a.Node != b.Node {
		return int(a.Node - b.Node)
	}
	return int(a.Index - b.Index)
}

// Reads tells whether an answer that was given depends on what the code of a class does with
// references.
func (f *Flow) Reads(t hierarchy.TypeID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.read[t]
}

// Same tells whether the flow in another graph, which callgraph's Patch made of this one's, has the
// same answers to what was asked so far of handlers.
func (f *Flow) Same(other *Flow) bool {
	f.mu.Lock()
	asked := slices.Collect(maps.Keys(f.answers))
	f.mu.Unlock()
	for _, from := range asked {
		var was, is []callgraph.Place
		if from.handler == unwrapped {
			was, is = f.Unwrapped(from.node), other.Unwrapped(from.node)
		} else {
			was, is = f.Caught(from.node, from.handler), other.Caught(from.node, from.handler)
		}
		if !slices.Equal(was, is) {
			return false
		}
	}
	return true
}
