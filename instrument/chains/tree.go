package chains

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file makes trees of chains for a view: all of a component, or those that lead to a method,
// as a reader chooses them.

// Choice is which chains a reader wants to see.
type Choice struct {
	To    callgraph.NodeID // the method that they lead to; callgraph.NoNode: any
	Calls int              // that they have at most
	// State tells whether chains of a state are wanted; nil: all are.
	State func(State) bool
	// Words are in lower case. Each has to occur in the name of a method of the chain, or of a test
	// that took it.
	Words []string
	// Name is a method's name in lower case, in which words are looked for.
	Name func(callgraph.NodeID) string
}

// Row is a method of a tree: the chain that ends there, and those that go on from it.
type Row struct {
	Chain
	// Key names the call among those of the row above, also in trees of later code.
	Key string
	// All is how many chains are wanted, of this one and those below, and Taken how many of them
	// tests took.
	All, Taken int
	// Rows are those below. They are left out (Left) once there are too many.
	Rows []*Row
	Left bool
}

// Tree is the part of the tree of chains that a reader wants to see, below a row that is given by
// its keys from an entry method down; none: all. It has about most rows, and those next to the top
// before those that are deeper. Rows directly below the given one are there in any case. It is
// empty where no such chain is wanted, or there. Entry methods are in the order of their names,
// what is below them in that of the calls.
func (c *Component) Tree(choice *Choice, below []string, most int) []*Row {
	t := newTree(c, choice)
	first := uint64(0)
	var roots []treeStep
	for _, r := range c.Forest.Roots {
		at := step{nil, c.Forest.Nodes[r.ID].Method, r.ID, first}
		t.count(at, 0, 0)
		roots = append(roots, treeStep{step: at, path: []step{at}})
		first += c.Forest.Below(r.ID)
	}
	slices.SortStableFunc(roots, func(a, b treeStep) int { return strings.Compare(t.key(&a), t.key(&b)) })
	top := roots
	for _, key := range below {
		var in []treeStep
		for _, s := range top {
			if t.key(&s) == key {
				in = t.below(&s)
				break
			}
		}
		top = in
	}
	return t.rows(top, most)
}

// tree counts chains that are wanted, by the number of the chain that they go on from.
type tree struct {
	c          *Component
	choice     *Choice
	leads      []bool
	named      map[callgraph.NodeID]uint64 // which words occur in a method's name
	ofTest     []uint64                    // in that of a test, by number
	all, taken map[uint64]int
	path       []step
}

func newTree(c *Component, choice *Choice) *tree {
	t := &tree{c: c, choice: choice, named: map[callgraph.NodeID]uint64{}, all: map[uint64]int{},
		taken: map[uint64]int{}}
	if choice.To != callgraph.NoNode {
		t.leads = c.Forest.Leads(choice.To)
	}
	for _, test := range c.Tests {
		t.ofTest = append(t.ofTest, t.words(strings.ToLower(test)))
	}
	return t
}

// words tells which words occur in a text; more than 64 are not looked for.
func (t *tree) words(text string) (set uint64) {
	for i, w := range t.choice.Words {
		if strings.Contains(text, w) {
			set |= 1 << i
		}
	}
	return set
}

// count counts below a step; above are the words of the chain before, of so many calls.
func (t *tree) count(s step, above uint64, calls int) (all, taken int) {
	if calls > t.choice.Calls || t.leads != nil && !t.leads[s.node] {
		return 0, 0
	}
	own, ok := t.named[s.method]
	if !ok && len(t.choice.Words) > 0 {
		own = t.words(t.choice.Name(s.method))
		t.named[s.method] = own
	}
	above |= own
	t.path = append(t.path, s)
	defer func() { t.path = t.path[:len(t.path)-1] }()
	if t.wants(s, above) {
		all = 1
		if t.c.IsTested(s.number) {
			taken = 1
		}
	}
	next := s.number + 1
	edges := t.c.Forest.Nodes[s.node].Edges
	for i := range edges {
		if edges[i].Up >= 0 {
			continue
		}
		a, b := t.count(step{&edges[i], edges[i].Callee, edges[i].To, next}, above, calls+1)
		all, taken = all+a, taken+b
		next += t.c.Forest.Below(edges[i].To)
	}
	if all > 0 {
		t.all[s.number], t.taken[s.number] = all, taken
	}
	return all, taken
}

// wants tells whether the chain of the path is wanted, and no mere beginning of one.
func (t *tree) wants(s step, words uint64) bool {
	if t.choice.To != callgraph.NoNode && s.method != t.choice.To ||
		t.choice.State != nil && !t.choice.State(t.c.state(t.path)) {
		return false
	}
	missing := (uint64(1)<<len(t.choice.Words) - 1) &^ words
	if of := t.c.taken[s.number]; of != nil {
		for _, tests := range of {
			for _, i := range tests {
				if missing&^t.ofTest[i] == 0 {
					return true
				}
			}
		}
	}
	return missing == 0
}

// treeStep is a step with those that lead to it.
type treeStep struct {
	step
	path []step
}

// key is Row.Key of a step.
func (t *tree) key(s *treeStep) string {
	g := t.c.Forest.Graph
	m := g.Method(s.method)
	name := g.Class(s.method) + "." + m.Name + m.Desc
	if s.edge == nil || s.edge.Site < 0 {
		return name
	}
	at := g.Position(g.NodeOfSite(s.edge.Site), g.Sites[s.edge.Site])
	return fmt.Sprintf("%d:%s", at.Ordinal, name)
}

// below are the steps that go on from one.
func (t *tree) below(s *treeStep) (out []treeStep) {
	next := s.number + 1
	edges := t.c.Forest.Nodes[s.node].Edges
	for i := range edges {
		if edges[i].Up >= 0 {
			continue
		}
		at := step{&edges[i], edges[i].Callee, edges[i].To, next}
		out = append(out, treeStep{at, append(s.path[:len(s.path):len(s.path)], at)})
		next += t.c.Forest.Below(edges[i].To)
	}
	return out
}

// rows are those of steps that lead to what is wanted, with what is below them.
func (t *tree) rows(top []treeStep, most int) []*Row {
	type due struct {
		row  *Row
		step *treeStep
	}
	var queue []due
	add := func(steps []treeStep) (out []*Row) {
		for i := range steps {
			s := &steps[i]
			if t.all[s.number] == 0 {
				continue
			}
			r := &Row{Chain: t.c.chainOf(s.path, t.c.state(s.path)), Key: t.key(s),
				All: t.all[s.number], Taken: t.taken[s.number]}
			out = append(out, r)
			queue = append(queue, due{r, s})
		}
		return out
	}
	list := add(top)
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		steps := t.below(d.step)
		wanted := 0
		for i := range steps {
			if t.all[steps[i].number] > 0 {
				wanted++
			}
		}
		if wanted > most {
			d.row.Left = true
			continue
		}
		most -= wanted
		d.row.Rows = add(steps)
	}
	return list
}
