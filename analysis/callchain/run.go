package callchain

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file follows a run through a forest, event by event (Rountev et al. 2004, section 4). It is
// the meaning of what is recorded of runs, and the oracle of faster ways to record it. One Run is
// for one thread.
//
// Events are those of section 4.1: an entry method is entered or exited, and control is before or
// after a call of the component. A method or a call that an exception leaves counts as exited, or
// as over: whoever inserts the probes inserts them on these ways, too.
//
// Departures from the paper. A call is known by its callee besides, since lambda objects share a
// label and coarser granularities have none. All calls that methods of the forest make of the
// component have events, and not only those that the forest has: else a call that a filter leaves
// out would go unnoticed, and what its callee calls would count for the caller, where it is the
// same method. An entry method that is entered while the component is active, and is not what the
// last call announced, is one that the VM calls (a class initialiser): the component is entered
// again. The roots of a forest need not be all entry methods: what another one calls is Limited.

// State is one of the four states of section 4.2.
type State uint8

// The states.
const (
	Start    State = iota // no method of the component is on the stack
	Active                // the method that runs is a node of the forest
	Limited               // it is of the component, and no node of the forest
	External              // it is not of the component, and one of those is on the stack
)

// String is the name of the state.
func (s State) String() string { return [...]string{"Start", "Active", "Limited", "External"}[s] }

// Chain is a chain of a forest on a level: how often the component was entered, and left, before.
type Chain struct {
	Number uint64 // among the chains of the forest, see Forest.Path
	Level  int
}

// Label is what the event of a call says: the call site, the class of the receiver (NoReceiver for
// a static call), and what is called, NoNode outside the component.
type Label struct {
	Site     int32
	Receiver hierarchy.TypeID
	Callee   callgraph.NodeID
}

// Run is a run of one thread through a forest.
type Run struct {
	// Covered tells how often each chain was gone down to.
	Covered map[Chain]int
	f       *Forest
	stack   []*traversal
	bottom  outer
}

// outer is what is known while code outside the component runs.
type outer struct {
	expected callgraph.NodeID // what the last call announced
	lost     int              // calls of a method that was entered and is no entry method
}

// traversal is one entry into the component (section 4.3).
type traversal struct {
	outer
	state, prev State
	entry       callgraph.NodeID
	path        []position       // nodes from the root to the current one
	hops        map[uint64][]hop // by chain: the back edges that were followed to it
	counter     int              // calls since the state became Limited
	level       int
}

// position is a node of a forest on a path from its root.
type position struct {
	node   NodeID
	number uint64
}

// hop is a back edge that was followed: its call, and what it led away from, below its target.
type hop struct {
	by   Label
	from []position
}

// NewRun is a run in which nothing has happened yet.
func NewRun(f *Forest) *Run {
	return &Run{Covered: map[Chain]int{}, f: f, bottom: outer{expected: callgraph.NoNode}}
}

// top is the traversal that is under way, nil where there is none.
func (r *Run) top() *traversal {
	if len(r.stack) == 0 {
		return nil
	}
	return r.stack[len(r.stack)-1]
}

// State tells the state and, in Active, the current chain.
func (r *Run) State() (State, Chain) {
	t := r.top()
	if t == nil {
		return Start, Chain{}
	}
	if t.state != Active {
		return t.state, Chain{}
	}
	return Active, Chain{t.path[len(t.path)-1].number, t.level}
}

// outer is what the run knows of code outside the component, or of a call that is announced.
func (r *Run) outer() *outer {
	if t := r.top(); t != nil {
		return &t.outer
	}
	return &r.bottom
}

// Entered is the event of an entry method that begins.
func (r *Run) Entered(m callgraph.NodeID) {
	o := r.outer()
	announced := o.expected == m
	o.expected = callgraph.NoNode
	if announced {
		return
	}
	t := &traversal{outer: outer{expected: callgraph.NoNode}, state: Limited, entry: m, level: len(r.stack),
		hops: map[uint64][]hop{}}
	r.stack = append(r.stack, t)
	if at, ok := r.f.root(m, t.level); ok {
		t.state = Active
		t.path = append(t.path, at)
		r.cover(t)
	}
}

// Exited is the event of an entry method that ends, also by an exception.
func (r *Run) Exited(m callgraph.NodeID) {
	t := r.top()
	if t == nil || t.entry != m {
		return
	}
	atRoot := t.state == Active && len(t.path) == 1 && len(t.hops[t.path[0].number]) == 0
	if atRoot || t.state == Limited && t.path == nil && t.counter == 0 {
		r.stack = r.stack[:len(r.stack)-1]
	}
}

// Before is the event of a call of a method of the component.
func (r *Run) Before(l Label) {
	t := r.top()
	o := r.outer()
	o.expected = l.Callee
	inside := r.f.Inside(l.Callee)
	switch {
	case t == nil || t.state == External:
		o.lost++
	case !inside:
		t.prev, t.state = t.state, External
		o.expected = callgraph.NoNode
	case t.state == Limited:
		t.counter++
	default:
		r.down(t, l)
	}
}

// down follows a call from the current node.
func (r *Run) down(t *traversal, l Label) {
	at := t.path[len(t.path)-1]
	e, number := r.f.edge(at, l)
	switch {
	case e == nil:
		t.state, t.counter = Limited, 1
		return
	case e.Up < 0:
		t.path = append(t.path, position{e.To, number})
	default:
		target := len(t.path) - 1 - e.Up
		n := t.path[target].number
		t.hops[n] = append(t.hops[n], hop{l, slices.Clone(t.path[target+1:])})
		t.path = t.path[:target+1]
	}
	r.cover(t)
}

// After is the event of a call that is over, also by an exception.
func (r *Run) After(l Label) {
	t := r.top()
	o := r.outer()
	o.expected = callgraph.NoNode
	switch {
	case o.lost > 0:
		o.lost--
	case t == nil:
	case t.state == External:
		t.state = t.prev
	case t.state == Limited:
		if t.counter--; t.counter == 0 && t.path != nil {
			t.state = Active
		}
	default:
		r.up(t, l)
	}
}

// up goes back to where a call was made from: over the last back edge to the node if it was that
// call, else to the node's parent. No back edge to a node has the call site of the tree edge to
// it: that stands in an ancestor's method, which is not on the chain once more.
func (r *Run) up(t *traversal, l Label) {
	last := len(t.path) - 1
	hops := t.hops[t.path[last].number]
	if n := len(hops); n > 0 && hops[n-1].by == l {
		t.path = append(t.path, hops[n-1].from...)
		t.hops[t.path[last].number] = hops[:n-1]
		return
	}
	t.path = t.path[:last]
}

func (r *Run) cover(t *traversal) { r.Covered[Chain{t.path[len(t.path)-1].number, t.level}]++ }

// Inside tells whether a method belongs to the component; NoNode does not.
func (f *Forest) Inside(m callgraph.NodeID) bool { return m != callgraph.NoNode && f.inside[m] }

// InComponent tells whether a class, by internal name, belongs to the component.
func (f *Forest) InComponent(class string) bool { return f.component(class) }

// Path lists the nodes of a chain, from its root, given by its number: chains are numbered tree by
// tree, each before those that go on from it.
func (f *Forest) Path(number uint64) (path []NodeID) {
	first := uint64(0)
	for i := range f.Roots {
		n := f.Roots[i].ID
		if number >= first+f.Below(n) {
			first += f.Below(n)
			continue
		}
		for path = append(path, n); number > first; path = append(path, n) {
			first++
			for _, e := range f.Nodes[n].Edges {
				if e.Up >= 0 {
					continue
				}
				if number < first+f.Below(e.To) {
					n = e.To
					break
				}
				first += f.Below(e.To)
			}
		}
		return path
	}
	return nil
}

// root is the root for an entry method. With levels, it is that of the level.
func (f *Forest) root(m callgraph.NodeID, level int) (at position, ok bool) {
	for i := range f.Roots {
		x := &f.Roots[i]
		if f.Nodes[x.ID].Method == m && (!f.levels || x.Level == level) {
			return position{x.ID, at.number}, true
		}
		at.number = add(at.number, f.Below(x.ID))
	}
	return position{}, false
}

// edge is the edge of a node that has a label, nil if it has none, and the number of the chain
// that a tree edge leads to. An edge for a class is taken before one for unknown classes.
func (f *Forest) edge(at position, l Label) (found *Edge, number uint64) {
	next := at.number + 1
	for i := range f.Nodes[at.node].Edges {
		e := &f.Nodes[at.node].Edges[i]
		if (e.Site == NoSite || e.Site == l.Site) && e.Callee == l.Callee &&
			(e.Receiver == l.Receiver || e.Receiver < 0 && found == nil) {
			found, number = e, next
		}
		if e.Up < 0 {
			next = add(next, f.Below(e.To))
		}
	}
	return found, number
}
