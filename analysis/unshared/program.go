package unshared

import (
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// Questions are what a Program asks of others.
type Questions struct {
	// Throws tells whether an athrow of a node, by position in facts.Method.Throws, throws what is
	// asked for; Climbs whether that comes out of a site of the call graph.
	Throws func(n callgraph.NodeID, throw int) bool
	Climbs func(site int32) bool
	// Modelled tells of a node that its code does not say what it does.
	Modelled func(n callgraph.NodeID) bool
	// Null tells that a static field is always null.
	Null func(owner, name, desc string) bool
	// Cancelled, which may be nil, tells that nobody wants to know any more.
	Cancelled func() bool
}

// Program is what is known of the methods of a call graph. It is not safe for concurrent use.
type Program struct {
	g    *callgraph.Graph
	read func(class string) ([]byte, error)
	ask  Questions

	classes map[hierarchy.TypeID]*classfile.Class // nil: cannot be read
	codes   map[callgraph.NodeID]*code
	builder ir.Builder
	follows map[hierarchy.TypeID]bool
	holds   map[hierarchy.TypeID]bool // variables of the type may hold an object that is followed
	makers  []bool                    // by node
	gives   []bool                    // by node: it may return an object that it makes
	// deciding is by node what decides has found out, 0 where it was not asked.
	deciding []uint8

	states    []*state // by StateID
	maxStates int
	stateOf   map[string]StateID
	key       []byte
	summaries map[activation]*summary
	effects   map[activation]*Effects
	active    []callgraph.NodeID
	spent     int // instructions that were evaluated, of limit
	limit     int
	asks      int  // how often over was asked
	ended     bool // nobody wants to know any more
}

// StateID is the number of what a method finds when it is entered. 0 is nothing.
type StateID int32

// state is what a method finds: its arguments, the receiver first, and the objects among these and
// below that nobody else knows.
type state struct {
	args    []value
	objects []*object
}

// activation is a method that is entered in a state.
type activation struct {
	node  callgraph.NodeID
	state StateID
}

// Bounds of what is followed: calls within each other, and instructions that are evaluated for one
// call, and for what is asked for. A call beyond them is one of which nothing is known.
const (
	maxDepth = 24
	maxBelow = 3_000
	maxSteps = 10_000
)

// maxPassed bounds the objects that a call passes: what is known of more is seldom asked for.
const maxPassed = 16

// New makes the Program of a call graph. read reads class files. maxStates bounds the states that
// are told apart: beyond them nothing is known of a call.
func New(g *callgraph.Graph, read func(class string) ([]byte, error), maxStates int, ask Questions) *Program {
	p := &Program{g: g, read: read, ask: ask, maxStates: maxStates, classes: map[hierarchy.TypeID]*classfile.Class{},
		codes: map[callgraph.NodeID]*code{}, follows: map[hierarchy.TypeID]bool{},
		holds:  map[hierarchy.TypeID]bool{},
		states: []*state{{}}, stateOf: map[string]StateID{}, summaries: map[activation]*summary{},
		effects: map[activation]*Effects{}, deciding: make([]uint8, g.NumNodes())}
	p.findMakers()
	return p
}

// number is the number of a state.
func (p *Program) number(s *state) StateID {
	k := p.key[:0]
	add := func(v value) {
		if v.any {
			k = append(k, 0)
			return
		}
		k = binary.AppendUvarint(k, uint64(len(v.list))+1)
		for _, n := range v.list {
			k = binary.AppendVarint(k, n)
		}
	}
	text := func(s string) { k = append(binary.AppendUvarint(k, uint64(len(s))), s...) }
	for _, v := range s.args {
		add(v)
	}
	for _, o := range s.objects {
		k = binary.AppendUvarint(k, uint64(o.class))
		k = binary.AppendUvarint(k, uint64(len(o.fields)))
		for _, f := range o.fields {
			text(f.key.class)
			text(f.key.name)
			text(f.key.desc)
			add(f.value)
		}
	}
	p.key = k
	id, ok := p.stateOf[string(k)]
	if !ok {
		id = StateID(len(p.states))
		p.states = append(p.states, s)
		p.stateOf[string(k)] = id
	}
	return id
}

// perCancelled is after how many instructions it is asked whether anybody still wants to know: a
// few milliseconds, where one instruction takes some microseconds.
const perCancelled = 1_000

// over tells that an evaluation is of no use any more, as it takes too long or nobody wants it.
func (p *Program) over() bool {
	if p.asks++; p.asks%perCancelled == 0 && p.ask.Cancelled != nil && p.ask.Cancelled() {
		p.ended = true
	}
	return p.ended || p.spent > p.limit
}

// nothing is what is known of a call that is not followed.
var nothing = summary{taint: untainted}

// summary follows a call. Results that depend on calls that were left out are not kept.
func (p *Program) summary(n callgraph.NodeID, s *state, depth int) *summary {
	if at := slices.Index(p.active, n); at >= 0 {
		return &summary{taint: at}
	}
	if depth > maxDepth || p.ended {
		return &summary{taint: 0}
	}
	of := activation{n, p.number(s)}
	if sum := p.summaries[of]; sum != nil {
		p.spent++
		return sum
	}
	c := p.code(n)
	if c == nil {
		return &nothing
	}
	before, limit := p.spent, p.limit
	p.active, p.spent, p.limit = append(p.active, n), 0, maxBelow
	r := p.run(c, s, depth)
	sum := &summary{taint: r.taint}
	cost := p.spent
	if cost <= p.limit && !p.ended {
		sum = r.summarised()
	}
	if p.active = p.active[:len(p.active)-1]; sum.taint >= len(p.active) {
		sum.taint, cost = untainted, 1
		p.summaries[of] = sum
	}
	p.spent, p.limit = before+cost, limit
	return sum
}
