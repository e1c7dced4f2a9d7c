package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file says what a run has to know of a component to follow its call chains: where its calls
// lead, and by which names its methods are called.

// Reach says where a call may lead directly.
type Reach uint8

// The answers. What a call reaches of methods that the call graph does not see is Outside.
const (
	Outside Reach = iota // to no method of the component
	Either               // to one of the component, or to another one
	Inside               // to methods of the component only
)

// Announced is what is known of a method of a component.
type Announced struct {
	// Names are those that it is called by: its own, and those of the methods of interfaces that it
	// implements for lambda objects; ascending.
	Names []string
	Calls []Reach // by position in facts.Method.Calls
}

// Announce lists the methods of a component, given by its classes.
func Announce(g *callgraph.Graph, in func(class string) bool) map[callgraph.NodeID]*Announced {
	c := newComponent(g, &Options{Component: in})
	out := map[callgraph.NodeID]*Announced{}
	for n, inside := range c.inside {
		if m := g.Method(callgraph.NodeID(n)); inside && m != nil {
			out[callgraph.NodeID(n)] = &Announced{Names: []string{m.Name}, Calls: make([]Reach, len(m.Calls))}
		}
	}
	for n, a := range out {
		m := g.Method(n)
		for _, s := range g.SitesOf(n) {
			if isCall(m, s) {
				a.Calls[s.Index] = c.reach(out, &m.Calls[s.Index], s)
			}
		}
	}
	for _, a := range out {
		slices.Sort(a.Names)
		a.Names = slices.Compact(a.Names)
	}
	return out
}

// reach is where a call leads. The methods that it leads to are called by its name.
func (c *component) reach(all map[callgraph.NodeID]*Announced, call *facts.Call, s callgraph.Site) Reach {
	inside, outside := false, false
	for _, t := range c.g.Targets(s.Set) {
		c.real(t, func(n callgraph.NodeID, _ bool) {
			a := all[n]
			inside, outside = inside || a != nil, outside || a == nil
			if a != nil {
				a.Names = append(a.Names, call.Name)
			}
		})
	}
	switch {
	case inside && outside:
		return Either
	case inside:
		return Inside
	}
	return Outside
}

// Executed is a call chain that ran: its methods from the entry method down, and at which of their
// calls, by position in facts.Method.Calls, each but the last calls the next.
type Executed struct {
	Level   int
	Methods []callgraph.NodeID
	Calls   []int
}

// Find is the number of a chain that ran among those of the forest (see Path). false: the forest
// does not have it. A forest whose edges are told apart by receivers finds only chains of
// static calls, since runs do not tell what else a call is made on.
func (f *Forest) Find(x *Executed) (number uint64, found bool) {
	at, ok := f.root(x.Methods[0], x.Level)
	if !ok {
		return 0, false
	}
	for i, call := range x.Calls {
		from := x.Methods[i]
		var e *Edge
		for k, s := range f.Graph.SitesOf(from) {
			if e == nil && isCall(f.Graph.Method(from), s) && int(s.Index) == call {
				label := Label{f.Graph.Nodes[from].First + int32(k), NoReceiver, x.Methods[i+1]}
				e, number = f.edge(at, label)
			}
		}
		if e == nil || e.Up >= 0 {
			return 0, false
		}
		at = position{e.To, number}
	}
	return at.number, true
}
