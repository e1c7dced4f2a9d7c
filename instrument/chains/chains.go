package chains

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/instrument/record"
)

// Tested is which chains of a forest tests have taken.
type Tested struct {
	Forest *callchain.Forest
	// Tests are those that recorded call chains, in order.
	Tests []string
	// Unpredicted are chains that ran and that the forest does not have, in order.
	Unpredicted []Unpredicted

	taken   map[uint64]*takers
	many    []int // chains of each test
	entered map[callgraph.NodeID]bool
}

// Unpredicted is a chain that the forest does not have.
type Unpredicted struct {
	Chain string // methods from the entry method down, each behind its class
	Level int
	Test  string // that took it first, in the order of tests
}

// takers are the tests of a chain by level, as positions in Tested.Tests.
type takers [2][]int

// OfRuns finds the chains of runs in a forest; the memory is that of the runs. Of a chain that gets
// into the component from elsewhere in the workspace, what counts is what it does there last.
// Chains with more calls than the forest has are passed over.
func OfRuns(memory record.Memory, f *callchain.Forest, runs []*record.TestRun) *Tested {
	t := &Tested{Forest: f, taken: map[uint64]*takers{}, entered: map[callgraph.NodeID]bool{}}
	runs = slices.SortedFunc(slices.Values(runs), func(a, b *record.TestRun) int { return cmp.Compare(a.Test, b.Test) })
	finder := newFinder(memory, f)
	unpredicted := map[string]bool{}
	for i, run := range runs {
		t.Tests, t.many = append(t.Tests, run.Test), append(t.many, len(run.Chains))
		for _, id := range run.Methods {
			if n := finder.node(id); n != callgraph.NoNode {
				t.entered[n] = true
			}
		}
		for _, c := range run.Chains {
			if c = finder.inComponent(c); len(c.Methods) == 0 {
				continue
			}
			number, ok := finder.find(&c)
			if !ok {
				u := Unpredicted{nameOf(memory, &c), int(c.Level), run.Test}
				if key := fmt.Sprint(u.Level, u.Chain); len(c.Calls) <= f.Complete && !unpredicted[key] {
					unpredicted[key] = true
					t.Unpredicted = append(t.Unpredicted, u)
				}
				continue
			}
			if t.taken[number] == nil {
				t.taken[number] = &takers{}
			}
			of := &t.taken[number][min(c.Level, 1)]
			if n := len(*of); n == 0 || (*of)[n-1] != i {
				*of = append(*of, i)
			}
		}
	}
	slices.SortFunc(t.Unpredicted, func(a, b Unpredicted) int {
		return cmp.Or(cmp.Compare(a.Chain, b.Chain), cmp.Compare(a.Level, b.Level))
	})
	return t
}

// finder finds what ran in a forest.
type finder struct {
	memory record.Memory
	f      *callchain.Forest
	byName map[string]callgraph.NodeID
	known  map[record.MethodID]found
}

// found is what is known of a method that ran.
type found struct {
	node   callgraph.NodeID // NoNode: the forest's component does not have it
	inside bool             // its class is in the component
}

func newFinder(memory record.Memory, f *callchain.Forest) *finder {
	x := &finder{memory: memory, f: f, byName: map[string]callgraph.NodeID{}, known: map[record.MethodID]found{}}
	for _, n := range callchain.Methods(f.Graph, f.InComponent) {
		if m := f.Graph.Method(n); m != nil {
			x.byName[f.Graph.Class(n)+"."+m.Name+m.Desc] = n
		}
	}
	return x
}

func (x *finder) method(id record.MethodID) found {
	out, ok := x.known[id]
	if !ok {
		k := x.memory.Method(id)
		out = found{callgraph.NoNode, x.f.InComponent(k.Class)}
		if n, ok := x.byName[k.Class+"."+k.Method]; ok {
			out.node = n
		}
		x.known[id] = out
	}
	return out
}

func (x *finder) node(id record.MethodID) callgraph.NodeID { return x.method(id).node }

// inComponent is what a chain does in the component last; without methods, where it ends outside.
func (x *finder) inComponent(c record.CallChain) record.CallChain {
	first := len(c.Methods)
	for first > 0 && x.method(c.Methods[first-1]).inside {
		first--
	}
	if first == len(c.Methods) {
		return record.CallChain{}
	}
	c.Methods, c.Calls = c.Methods[first:], c.Calls[first:]
	return c
}

// find is the number of a chain that ran.
func (x *finder) find(c *record.CallChain) (number uint64, ok bool) {
	e := callchain.Executed{Level: int(c.Level)}
	for _, id := range c.Methods {
		n := x.node(id)
		if n == callgraph.NoNode {
			return 0, false
		}
		e.Methods = append(e.Methods, n)
	}
	for _, call := range c.Calls {
		e.Calls = append(e.Calls, int(call))
	}
	return x.f.Find(&e)
}

// nameOf names a chain.
func nameOf(memory record.Memory, c *record.CallChain) (text string) {
	for i, id := range c.Methods {
		k := memory.Method(id)
		if i > 0 {
			text += fmt.Sprintf(" > call %d: ", c.Calls[i-1]+1)
		}
		text += k.Class + "." + k.Method
	}
	return text
}

// Takers are the tests that took a chain, by its number (callchain.Forest.Path): with
// nothing of the component on the stack before, and with something.
func (t *Tested) Takers(number uint64) (first, again []string) {
	of := t.taken[number]
	if of == nil {
		return nil, nil
	}
	for _, i := range of[0] {
		first = append(first, t.Tests[i])
	}
	for _, i := range of[1] {
		again = append(again, t.Tests[i])
	}
	return first, again
}

// IsTested tells whether a test took a chain.
func (t *Tested) IsTested(number uint64) bool { return t.taken[number] != nil }

// nearest is the test that took a chain, and of several the one that takes fewest chains.
func (t *Tested) nearest(number uint64) string {
	of := t.taken[number]
	if of == nil {
		return ""
	}
	best := slices.MinFunc(slices.Concat(of[0], of[1]), func(a, b int) int {
		return cmp.Or(cmp.Compare(t.many[a], t.many[b]), cmp.Compare(a, b))
	})
	return t.Tests[best]
}

// Show says which chains are shown.
type Show struct {
	From     []callgraph.NodeID // entry methods; nil: all
	To       []callgraph.NodeID // methods that chains lead to; nil: any
	Untested bool               // only those that no test has taken
}

// step is a node on a path of the forest.
type step struct {
	edge   *callchain.Edge // by which it is called; nil: an entry method
	method callgraph.NodeID
	node   callchain.NodeID
	number uint64 // of the chain that ends here
}

// each calls f for the chains that are shown, or are the beginning of such, each before those that
// go on from it. The path is valid until f returns.
func (t *Tested) each(show *Show, f func(path []step)) {
	leads := t.Forest.Leads(show.To...)
	var path []step
	var walk func(s step)
	walk = func(s step) {
		if leads != nil && !leads[s.node] {
			return
		}
		path = append(path, s)
		f(path)
		next := s.number + 1
		edges := t.Forest.Nodes[s.node].Edges
		for i := range edges {
			walk(step{&edges[i], edges[i].Callee, edges[i].To, next})
			next += t.Forest.Below(edges[i].To)
		}
		path = path[:len(path)-1]
	}
	first := uint64(0)
	for _, r := range t.Forest.Roots {
		m := t.Forest.Nodes[r.ID].Method
		if show.From == nil || slices.Contains(show.From, m) {
			walk(step{nil, m, r.ID, first})
		}
		first += t.Forest.Below(r.ID)
	}
}

// ends tells whether a path is a chain that is asked for, and no mere beginning of one.
func (s *Show) ends(path []step) bool {
	return s.To == nil || slices.Contains(s.To, path[len(path)-1].method)
}

// Count counts the chains that are shown, and those of them that tests took; Untested is not looked
// at.
func (t *Tested) Count(show *Show) (all, tested int) {
	t.each(show, func(path []step) {
		if !show.ends(path) {
			return
		}
		all++
		if t.IsTested(path[len(path)-1].number) {
			tested++
		}
	})
	return all, tested
}

// prefix is how many methods of a path, from the entry method, a test has taken as a chain.
func (t *Tested) prefix(path []step) int {
	n := 0
	for n < len(path) && t.IsTested(path[n].number) {
		n++
	}
	return n
}
