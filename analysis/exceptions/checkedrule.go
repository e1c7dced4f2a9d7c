package exceptions

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions/layered"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is the rule of checked exceptions: which of them a compiler lets
// leave a method.
//
// JLS 11.2 lets a checked exception leave a method only if the method declares
// it. Class files do not enforce that, but all that Java compilers make obey,
// with known exceptions that show: a method that itself throws, or calls a
// method that is declared to throw, what it neither catches nor declares, was
// not checked (other languages, @SneakyThrows); so was a throw whose type is a
// type parameter of the method (throw (T) e), and what leaves
// Unsafe.throwException or Class.newInstance. So exceptions travel in one of
// two layers. In the typed layer one ends at the first method that does not
// declare it: it came by a call whose throws clause is a type variable, and the
// compiler has checked that here the variable stands for something else, unless
// class files show that it was told what is not so (package generics). In the sneaky
// layer nothing ends it but a handler; what the compiler did not check once stays
// there.

// layer says whether a compiler has checked where an exception travels.
type layer = layered.Layer

const (
	typed     = layered.Typed
	sneaky    = layered.Sneaky
	numLayers = layered.NumLayers
)

// typeNumbers numbers the types that handlers catch and methods declare.
type typeNumbers struct {
	types []hierarchy.TypeID
	of    map[hierarchy.TypeID]int32
}

func (t *typeNumbers) number(typ hierarchy.TypeID) int32 {
	if k, ok := t.of[typ]; ok {
		return k
	}
	k := int32(len(t.types))
	t.of[typ] = k
	t.types = append(t.types, typ)
	return k
}

// declarations is what methods declare, of the nodes of a graph and of the
// methods that call sites name.
type declarations struct {
	g     *callgraph.Graph
	start []int32 // by method; types[start[m]:start[m+1]]
	types []int32
	// variable are the methods whose throws clause may be a type variable.
	variable bitset
	broken   map[callgraph.Place][]int32 // see generics.Broken
	read     map[hierarchy.TypeID]bool   // classes whose flow says what is broken
}

func newDeclarations(g *callgraph.Graph, numbers *typeNumbers) *declarations {
	d := &declarations{g: g, variable: newBitset(g.H.NumMethods())}
	wanted := newBitset(g.H.NumMethods())
	for n := range g.Nodes {
		if m := g.Nodes[n].Method; m != hierarchy.NoMethod {
			wanted.set(int32(m))
		}
	}
	for s := range g.NumSets() {
		if m := g.Ref(callgraph.SetID(s)); m != hierarchy.NoMethod {
			wanted.set(int32(m))
		}
	}
	d.start = make([]int32, g.H.NumMethods()+1)
	for m := range int32(g.H.NumMethods()) {
		if wanted.has(m) {
			f, declared := g.H.Method(hierarchy.MethodID(m)), g.H.Method(hierarchy.MethodID(m)).Declared()
			if row, ok := natives.Model(g.H.Name(g.H.Owner(hierarchy.MethodID(m))), f.Name, f.Desc, false); ok &&
				row.Generic {
				declared = []string{"java/lang/Throwable"}
				d.variable.set(m)
			} else if f.ThrowsVariable {
				d.variable.set(m)
			}
			for _, name := range declared {
				if t := g.H.Lookup(name); t != hierarchy.NoType {
					d.types = append(d.types, numbers.number(t))
				}
			}
		}
		d.start[m+1] = int32(len(d.types))
	}
	d.findBroken(numbers)
	return d
}

// declares tells whether a method declares some exceptions of a group.
func (d *declarations) declares(m hierarchy.MethodID, gr *group) bool {
	for _, t := range d.types[d.start[m]:d.start[m+1]] {
		if gr.treat[t] != passes {
			return true
		}
	}
	return false
}

// step tells in which layer exceptions of a group that come through a site in
// a layer leave the method of the site, if no handler takes them; ok is false
// when the compiler has seen to it that they do not come.
func (d *declarations) step(gr *group, n callgraph.NodeID, site *callgraph.Site, l layer) (to layer, ok bool) {
	if l == sneaky || !gr.checked {
		return l, true
	}
	m := d.g.Nodes[n].Method
	if m == hierarchy.NoMethod && d.breaks(n, site, gr) {
		return sneaky, true
	}
	if m == hierarchy.NoMethod || d.declares(m, gr) {
		return typed, true
	}
	if site.Origin == callgraph.FromModel {
		return sneaky, true
	}
	ref := d.g.Ref(site.Set)
	if ref == hierarchy.NoMethod {
		return sneaky, true
	}
	if !d.variable.has(int32(ref)) && d.declares(ref, gr) || d.breaks(n, site, gr) {
		return sneaky, true
	}
	return typed, false
}

// origin is the layer in which exceptions of a group leave the method of their
// throw site. variable says that the thrown type may be a type parameter.
func (d *declarations) origin(gr *group, n callgraph.NodeID, variable bool) layer {
	m := d.g.Nodes[n].Method
	if !gr.checked || !variable && d.declares(m, gr) {
		return typed
	}
	return sneaky
}

// throwsVariable tells whether the type of what an athrow throws may be a type
// parameter to which something else was cast without a check. It cannot when
// the value comes from a call that returns no exception type: then the
// compiler has put a real cast before the athrow.
func throwsVariable(m *facts.Method, src *facts.Source) bool {
	if !m.ThrowsVariable || src.Kind != facts.TypedSource {
		return false
	}
	if src.Call < 0 || int(src.Call) >= len(m.Calls) {
		return true
	}
	return !strings.HasSuffix(m.Calls[src.Call].Desc, ")Ljava/lang/Object;")
}
