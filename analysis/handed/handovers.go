package handed

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells by which ways libraries get what the program throws.

// findHandOvers notes the nodes of the program, those of serialisation, and the sets of reflective
// calls.
func (f *Flow) findHandOvers() {
	f.ownNodes = make([]bool, f.g.NumNodes())
	f.reflects = make([]bool, f.g.NumSets())
	for n := range callgraph.NodeID(f.g.NumNodes()) {
		if f.g.Nodes[n].Method == hierarchy.NoMethod {
			continue
		}
		class := f.g.Class(n)
		if f.ownNodes[n] = f.own(class); !f.ownNodes[n] && class == features.SerialCaller {
			f.serial = append(f.serial, n)
		}
	}
	for i := range f.g.Sites {
		if s := &f.g.Sites[i]; s.Kind == callgraph.Reflection && s.Set != callgraph.NoSet {
			f.reflects[s.Set] = true
		}
	}
}

// Own tells whether a node is the program's.
func (f *Flow) Own(n callgraph.NodeID) bool { return f.ownNodes[n] }

// Reflects tells whether reflection calls a set of callees.
func (f *Flow) Reflects(set callgraph.SetID) bool { return f.reflects[set] }

// CatchesCallbacks tells whether handlers of a node may catch what code of the program throws that
// it calls. Those of the JDK that makes method handles stand around such code only because the call
// graph has all handles behind each invocation.
func (f *Flow) CatchesCallbacks(n callgraph.NodeID) bool {
	return !strings.HasPrefix(f.g.Class(n), "java/lang/invoke/")
}

// Unwrapping lists the athrows of the JDK that throw what a node throws which serialisation calls
// by reflection. Which other reflective call a library unwraps is not known.
func (f *Flow) Unwrapping(n callgraph.NodeID) (out []callgraph.Place) {
	m := f.g.Method(n)
	for _, u := range f.serial {
		if slices.Contains(features.SerialMethods[:], features.SerialMethod{Caller: f.g.Method(u).Name,
			Name: m.Name, Desc: m.Desc}) {
			out = append(out, f.Unwrapped(u)...)
		}
	}
	return out
}

// Unasked tells whether a method is one that throws what others caught only if the program asks for
// it (natives.Row.Asked), and the program does not.
func Unasked(g *callgraph.Graph, n callgraph.NodeID) bool {
	m := g.Method(n)
	row, ok := natives.Model(g.Class(n), m.Name, m.Desc, m.Access&hierarchy.AccNative != 0)
	return ok && len(row.Asked) > 0 && !mayBeCalled(g, row)
}

// mayBeCalled tells whether code outside the JDK calls one of the methods of a row, or refers to
// it, or reflection may call it: one of Asked, or one of Flagged with a last argument that is not
// the constant false.
func mayBeCalled(g *callgraph.Graph, row *natives.Row) bool {
	is := func(list []natives.Method, owner, name string) bool {
		return slices.ContainsFunc(list, func(m natives.Method) bool {
			return (m.Class == "" || m.Class == owner) && (m.Name == "" || m.Name == name)
		})
	}
	for n := range callgraph.NodeID(g.NumNodes()) {
		m := g.Method(n)
		if m == nil || natives.OfJDK(g.Class(n)) {
			continue
		}
		for i := range m.Calls {
			c := &m.Calls[i]
			if is(row.Asked, c.Owner, c.Name) || is(row.Flagged, c.Owner, c.Name) && !passesFalse(m, i) {
				return true
			}
			if x := c.Indy(); x != nil && (is(row.Asked, x.Impl.Owner, x.Impl.Name) ||
				is(row.Flagged, x.Impl.Owner, x.Impl.Name)) {
				return true
			}
		}
	}
	seen := make([]bool, g.NumSets())
	for i := range g.Sites {
		s := &g.Sites[i]
		if s.Set == callgraph.NoSet || seen[s.Set] || s.Kind != callgraph.Reflection &&
			s.Kind != callgraph.ReflectionPlain {
			continue
		}
		seen[s.Set] = true
		for _, t := range g.Targets(s.Set) {
			// What serialisation calls, such as readObject, is private.
			if m := g.Method(t); m != nil && m.Access&hierarchy.AccPublic != 0 && (is(row.Asked, g.Class(t), m.Name) ||
				is(row.Flagged, g.Class(t), m.Name)) {
				return true
			}
		}
	}
	return false
}

// passesFalse tells whether the last argument of a call, given by its position, is the constant
// false.
func passesFalse(m *facts.Method, call int) bool {
	last := len(classfile.Parameters(m.Calls[call].Desc)) - 1
	return slices.ContainsFunc(m.ParamValues().Passed, func(p facts.PassedValue) bool {
		return p.Call == call && p.Param == last && !p.FromParam && p.Value == 0
	})
}
