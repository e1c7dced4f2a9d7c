package handed

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
)

// This file tells by which ways libraries get what the program throws.

// findWays notes the nodes of the program, those of serialisation, and the sets of reflective
// calls.
func (f *Flow) findWays() {
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

// Asks tells whether code outside the JDK calls one of the methods of a row, or refers to it.
func (f *Flow) Asks(row *natives.Row) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.asked[row]; ok {
		return known
	}
	is := func(owner, name string) bool {
		return slices.ContainsFunc(row.Asked, func(m natives.Method) bool {
			return (m.Class == "" || m.Class == owner) && (m.Name == "" || m.Name == name)
		})
	}
	found := false
	for n := range callgraph.NodeID(f.g.NumNodes()) {
		m := f.g.Method(n)
		if found || m == nil || natives.OfJDK(f.g.Class(n)) {
			continue
		}
		found = slices.ContainsFunc(m.Calls, func(c facts.Call) bool {
			x := c.Indy()
			return is(c.Owner, c.Name) || x != nil && is(x.Impl.Owner, x.Impl.Name)
		})
	}
	f.asked[row] = found
	return found
}
