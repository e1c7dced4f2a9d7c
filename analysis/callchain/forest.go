package callchain

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file builds the forest (Rountev et al. 2004, Figure 3).

// Build makes the calling-context forest of a component of a call graph. It is never nil: without
// an entry method it has no root.
func Build(g *callgraph.Graph, opt Options) *Forest { return build(g, opt, countedNodes) }

// build is Build with other room for counting.
func build(g *callgraph.Graph, opt Options, room uint64) *Forest {
	b := &builder{component: newComponent(g, &opt), opt: &opt, room: room, stateOf: map[string]int32{},
		made: map[string]NodeID{}, known: map[string]NodeID{}, reach: map[callgraph.NodeID]map[callgraph.NodeID]bool{}}
	return b.forest()
}

// Entries lists the entry methods of a component, ascending: what may be called by code outside it,
// or by the VM.
func Entries(g *callgraph.Graph, in func(class string) bool) []callgraph.NodeID {
	return newComponent(g, &Options{Component: in}).entries()
}

// Methods lists the methods of a component that the call graph reaches, ascending.
func Methods(g *callgraph.Graph, in func(class string) bool) (out []callgraph.NodeID) {
	for n, inside := range newComponent(g, &Options{Component: in}).inside {
		if inside {
			out = append(out, callgraph.NodeID(n))
		}
	}
	return out
}

// countedNodes is how many nodes are made in any case to count chains that are more than the
// budget: some megabytes, so that one is told by how much a small budget was missed.
const countedNodes = 1 << 16

// builder builds forests of growing length.
type builder struct {
	*component
	opt     *Options
	states  []state
	stateOf map[string]int32
	room    uint64 // see countedNodes
	nodes   []Node
	counts  []uint64
	made    map[string]NodeID // by what a node is made of: see builder.key
	known   map[string]NodeID // by content
	reach   map[callgraph.NodeID]map[callgraph.NodeID]bool
	chain   []callgraph.NodeID // methods from the root to the node at hand
	limit   uint64             // of the nodes that are made for one length; 0: none
	fresh   uint64             // how many there are
	over    bool               // they are more than the limit
}

// state is a node of the automaton: a method in any of some contexts.
type state struct {
	method   callgraph.NodeID
	contexts []int32 // ascending
	steps    []step
	stepped  bool
}

// step is a call of a state.
type step struct {
	site     int32
	receiver hierarchy.TypeID
	callee   callgraph.NodeID
	to       int32 // state
}

func compareSteps(a, b step) int {
	return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.callee, b.callee), cmp.Compare(a.receiver, b.receiver))
}

// start is a root that is wanted: a state, and how many calls of its length are left.
type start struct {
	state         int32
	level, length int
}

// forest builds the forest of the length that is asked for, or of the largest one for which there
// are not more chains than the budget.
func (b *builder) forest() *Forest {
	entries := b.opt.Entries
	if entries == nil {
		entries = b.entries()
	}
	f := &Forest{Graph: b.g, Length: b.opt.Length, Complete: -1, inside: b.inside, levels: b.opt.FromStart,
		component: b.opt.Component}
	for length := 0; length <= b.opt.Length; length++ {
		var roots []Root
		total := uint64(0)
		if b.fresh = 0; length > 0 && b.opt.Budget > 0 {
			b.limit = max(b.opt.Budget, b.room)
		}
		for _, s := range b.starts(entries, length) {
			b.chain = append(b.chain[:0], b.states[s.state].method)
			id := b.build(s.state, s.length)
			if b.over {
				break
			}
			total = add(total, b.counts[id])
			roots = append(roots, Root{ID: id, Level: s.level, Length: s.length})
		}
		if b.limit > 0 && (b.over || total > b.opt.Budget) {
			// Each node that was made is there for a chain of its own at least.
			f.Over, f.AtLeast = max(total, b.fresh), b.over
			break
		}
		f.Roots, f.Complete = roots, length
	}
	f.Nodes, f.counts = b.nodes, b.counts
	return f
}

// starts lists the roots of a forest of some length.
func (b *builder) starts(entries []callgraph.NodeID, length int) (out []start) {
	if b.opt.FromStart {
		return b.fromStart(entries, length)
	}
	for _, n := range entries {
		out = append(out, start{state: b.state(n, b.entry(n)), length: length})
	}
	return out
}

// state numbers a state.
func (b *builder) state(n callgraph.NodeID, contexts []int32) int32 {
	slices.Sort(contexts)
	contexts = slices.Compact(contexts)
	key := make([]byte, 0, 4*len(contexts))
	for _, x := range contexts {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	if s, ok := b.stateOf[string(key)]; ok {
		return s
	}
	s := int32(len(b.states))
	b.stateOf[string(key)] = s
	b.states = append(b.states, state{method: n, contexts: contexts})
	return s
}

// steps lists the calls of a state in the order of their labels.
func (b *builder) steps(s int32) []step {
	if b.states[s].stepped {
		return b.states[s].steps
	}
	from := b.states[s].method
	targets := map[step][]int32{}
	for _, x := range b.states[s].contexts {
		for _, m := range b.moves(x).direct {
			label := step{site: m.site, receiver: m.receiver, callee: b.contexts[m.to].method}
			if b.opt.Skip != nil && b.opt.Skip(Call{from, label.callee}) {
				continue
			}
			if b.opt.Granularity != ByReceiver {
				label.receiver = NoReceiver
			}
			if b.opt.Granularity == ByMethod {
				label.site = NoSite
			}
			targets[label] = append(targets[label], m.to)
		}
	}
	steps := make([]step, 0, len(targets))
	for label, contexts := range targets {
		label.to = b.state(label.callee, contexts)
		steps = append(steps, label)
	}
	slices.SortFunc(steps, compareSteps)
	b.states[s].steps, b.states[s].stepped = steps, true
	return steps
}

// build is the node of a state below b.chain, with chains of at most some length.
func (b *builder) build(s int32, length int) NodeID {
	key := b.key(s, length)
	if id, ok := b.made[key]; ok {
		return id
	}
	if b.over = b.over || b.limit > 0 && b.fresh > b.limit; b.over {
		return 0
	}
	b.fresh++
	n := Node{Method: b.states[s].method}
	if length > 0 {
		for _, x := range b.steps(s) {
			e := Edge{Site: x.site, Receiver: x.receiver, Callee: x.callee, To: -1, Up: -1}
			if b.opt.Backedges {
				e.Up = b.callsAbove(x.callee)
			}
			if e.Up < 0 {
				b.chain = append(b.chain, x.callee)
				e.To = b.build(x.to, length-1)
				b.chain = b.chain[:len(b.chain)-1]
			}
			n.Edges = append(n.Edges, e)
		}
	}
	if b.over {
		return 0
	}
	id := b.node(n)
	b.made[key] = id
	return id
}

// callsAbove is how many calls above the end of the chain a method is on it, -1 if it is not.
func (b *builder) callsAbove(n callgraph.NodeID) int {
	for i := range b.chain {
		if at := len(b.chain) - 1 - i; b.chain[at] == n {
			return i
		}
	}
	return -1
}

// key is what decides what is below a state: the length that is left and, with back edges, the
// methods of the chain that can be called from there again, and how far above they are.
func (b *builder) key(s int32, length int) string {
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(s)), uint64(length))
	if b.opt.Backedges && length > 0 {
		again := b.reachable(s)
		for i, m := range b.chain {
			if again[m] {
				key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(len(b.chain)-i)), uint64(m))
			}
		}
	}
	return string(key)
}

// reachable are the methods that can be called below a method.
func (b *builder) reachable(s int32) map[callgraph.NodeID]bool {
	of := b.states[s].method
	if r, ok := b.reach[of]; ok {
		return r
	}
	out := map[callgraph.NodeID]bool{}
	work := []callgraph.NodeID{of}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		m := b.g.Method(n)
		for _, site := range b.g.SitesOf(n) {
			if !isCall(m, site) {
				continue
			}
			for _, t := range b.g.Targets(site.Set) {
				b.real(t, func(t callgraph.NodeID, _ bool) {
					if b.inside[t] && !out[t] {
						out[t] = true
						work = append(work, t)
					}
				})
			}
		}
	}
	b.reach[of] = out
	return out
}

// node numbers a node by its content.
func (b *builder) node(n Node) NodeID {
	key := binary.AppendUvarint(nil, uint64(n.Method))
	count := uint64(1)
	for _, e := range n.Edges {
		for _, v := range [...]int64{int64(e.Site), int64(e.Receiver), int64(e.Callee), int64(e.To), int64(e.Up)} {
			key = binary.AppendVarint(key, v)
		}
		if e.Up < 0 {
			count = add(count, b.counts[e.To])
		}
	}
	if id, ok := b.known[string(key)]; ok {
		return id
	}
	id := NodeID(len(b.nodes))
	b.known[string(key)] = id
	b.nodes, b.counts = append(b.nodes, n), append(b.counts, count)
	return id
}
