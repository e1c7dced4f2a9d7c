package callgraph

import (
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file makes the graph of a program in which some methods have other code, out
// of the graph before.
//
// A graph is the least fixed point of what visits of methods add to the builder's
// state: classes loaded and created, methods reached, members of shared sets. Each
// such effect only adds, has no condition but that its method is reached, and is the
// same whatever was visited before. So other code of a method changes the state by
// the effects that its visit has no more, and by new ones. New ones are added to the
// state, and the worklist goes on. One that it has no more matters only if nothing
// else supports it. For that the builder remembers of each effect which visit had it
// first: what a method was not the first to have is there without it, since all that
// came before that visit did not depend on the method's. Where a method was the first,
// and does not have the effect any more, Patch gives up: something else may support
// it or not, and what followed from it is not known. (Of the known ways to delete,
// this is counting reduced to the one support that cannot be part of a cycle.)

// effectKind is a kind of effect of a visit.
type effectKind uint8

// The kinds of effects, with the number that says of what.
const (
	loads          effectKind = iota // a type
	loadsThrowable                   // a type
	references                       // a type
	creates                          // a type
	initializes                      // a type
	reflects                         // a type, by the JDK
	reflectsOwn                      // a type, by other code
	provides                         // a type, as a provider of a service, to the JDK
	engages                          // a type, as an engine that a security provider lists
	reaches                          // a node
	sees                             // a node, out of which exceptions were seen to come
	dispatches                       // a virtual set
	wraps                            // a set
	makesLambda                      // a lambda type
	serializes                       // one of SerialMethods
	numSingle
	adds       // a set and a node
	implements // a lambda type and one of its implementations
)

// effect is one effect of a visit.
type effect struct {
	kind effectKind
	a, b int32
}

// Nodes that stand for no method.
const (
	seeding NodeID = -2 // entries and the like
	follows NodeID = -3 // what follows from effects
)

// effects remembers who had which effect first. Numbers are stored plus 4: 0 stands
// for nobody.
type effects struct {
	node  NodeID // being visited
	depth int    // within another effect: what happens there follows from it
	first [numSingle][]NodeID
	pairs map[effect]NodeID
	log   *[]effect // the effects of the visit, where somebody asks
}

func (e *effects) enter() { e.depth++ }
func (e *effects) leave() { e.depth-- }

// note notes an effect on one thing.
func (e *effects) note(k effectKind, a int32) {
	if e.depth == 0 && e.log != nil {
		*e.log = append(*e.log, effect{k, a, 0})
	}
	list := e.first[k]
	if int(a) >= len(list) {
		list = append(list, make([]NodeID, int(a)+1-len(list)+len(list)/2)...)
		e.first[k] = list
	}
	if list[a] == 0 {
		list[a] = e.by() + 4
	}
}

// notePair notes an effect on two things.
func (e *effects) notePair(k effectKind, a, b int32) {
	x := effect{k, a, b}
	if e.depth == 0 {
		if e.log != nil {
			*e.log = append(*e.log, x)
		}
	} else if k == adds {
		return // members of virtual sets: nobody but the dispatch adds them
	}
	if e.pairs == nil {
		e.pairs = map[effect]NodeID{}
	}
	if _, ok := e.pairs[x]; !ok {
		e.pairs[x] = e.by()
	}
}

func (e *effects) by() NodeID {
	if e.depth > 0 {
		return follows
	}
	return e.node
}

// firstOf is who had an effect first.
func (e *effects) firstOf(x effect) NodeID {
	if x.kind < numSingle {
		return e.first[x.kind][x.a] - 4
	}
	return e.pairs[x]
}

// continuation is what a graph may be continued from, once.
type continuation struct {
	mu      sync.Mutex
	builder *builder
}

// take is the builder; nil if somebody else has taken it.
func (c *continuation) take() *builder {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.builder
	c.builder = nil
	return b
}

// withFacts is the continuation of the same graph with another hierarchy. Only one
// of the two can be taken.
func (c *continuation) withFacts(h *hierarchy.Hierarchy) *continuation {
	b := c.take()
	if b == nil {
		return nil
	}
	b.h.Adopt(h)
	return &continuation{builder: b}
}

// maxDead bounds the sites that are not in use any more, as a part of all.
const maxDead = 4

// Patch makes the graph of an edited program; src gives the facts of classes that are
// loaded from now on, and of the changed ones. ok is false where the graph has to be
// built from scratch, and when it was patched or continued before.
func (g *Graph) Patch(src hierarchy.Source, e Edit) (next *Graph, ok bool) {
	if g.next == nil {
		return nil, false
	}
	b := g.next.take()
	if b == nil || !b.patch(src, e) {
		return nil, false
	}
	return b.finish(g.Algorithm), true
}

// patch visits changed methods again. Without success the builder is of no use any
// more.
func (b *builder) patch(src hierarchy.Source, e Edit) bool {
	entries, ok := NewEntries(b.cfg.Entries, e.Config.Entries)
	if !ok || !b.inert(&e) || b.names.ReadAny(b.h, e.Changed, src, e.Config.Workspace) {
		return false
	}
	nodes := b.nodesOf(e.Changed)
	b.changed = nil
	before := make([][]effect, len(nodes))
	for k, n := range nodes {
		node, sites := b.nodes[n], len(b.sites)
		before[k] = b.effectsOf(n)
		b.nodes[n], b.sites = node, b.sites[:sites]
	}
	b.cfg = e.Config
	b.h.SetSource(src)
	for _, c := range e.Changed {
		if t := b.h.Lookup(c.Class.Name); t != hierarchy.NoType && !b.h.Phantom(t) {
			b.h.SetFacts(t, c.Class)
		}
	}
	for k, n := range nodes {
		old := b.nodes[n]
		after := b.effectsOf(n)
		if !b.supported(n, before[k], after) {
			return false
		}
		b.replaced(n, old)
	}
	if !b.seedMore(entries, e.Added) {
		return false
	}
	b.run()
	return b.dead <= len(b.sites)/maxDead
}

// nodesOf are the nodes of methods with other code.
func (b *builder) nodesOf(changed []features.ChangedMethods) (nodes []NodeID) {
	for _, c := range changed {
		t := b.h.Lookup(c.Class.Name)
		if t == hierarchy.NoType {
			continue // nothing names it
		}
		for _, i := range c.Methods {
			f := &c.Class.Methods[i]
			m := b.h.Declared(t, b.h.Selector(f.Name, f.Desc))
			if m != hierarchy.NoMethod && int(m) < len(b.nodeOf) && b.nodeOf[m] != NoNode {
				nodes = append(nodes, b.nodeOf[m])
			}
		}
	}
	return nodes
}

// inert tells whether what comes and goes means nothing to the code of before, and no
// method that goes was reached.
func (b *builder) inert(e *Edit) bool {
	for _, c := range e.Changed {
		t := b.h.Lookup(c.Class.Name)
		for _, i := range c.Gone {
			if t == hierarchy.NoType {
				continue
			}
			if m := b.h.MethodAt(t, i); m == hierarchy.NoMethod || int(m) < len(b.nodeOf) && b.nodeOf[m] != NoNode {
				return false
			}
		}
	}
	return e.Inert(b.h, func(yield func(hierarchy.MethodID) bool) {
		for i := range b.nodes {
			if !yield(b.nodes[i].Method) {
				return
			}
		}
	})
}

// seedMore reaches entries that were none before; false where there is nothing of
// that name.
func (b *builder) seedMore(entries []features.MethodRef, classes []string) bool {
	b.effects.node = seeding
	if b.policy == Referenced {
		for _, c := range classes {
			b.reference(b.load(c, ""))
		}
	}
	for _, e := range entries {
		if !b.enter(b.load(e.Class, ""), e.Name, e.Desc) {
			return false
		}
	}
	return true
}

// effectsOf visits a node and lists the effects of its method.
func (b *builder) effectsOf(n NodeID) (log []effect) {
	b.effects.log = &log
	b.visit(n)
	b.effects.log = nil
	return log
}

// supported tells whether every effect that a method was the first to have is among
// those that it has now.
func (b *builder) supported(n NodeID, before, after []effect) bool {
	has := make(map[effect]bool, len(after))
	for _, x := range after {
		has[x] = true
	}
	return !slices.ContainsFunc(before, func(x effect) bool { return !has[x] && b.effects.firstOf(x) == n })
}

// ChangedNode is a node whose method has other code than in the graph before.
type ChangedNode struct {
	Node NodeID
	// First is the number that the node's first site had, and Alias has the numbers
	// that its sites have now, -1 where there is none with the same callees, kind and
	// cover any more. The old numbers stay in use as names of the new sites.
	First int32
	Alias []int32
}

// ChangedNodes are the nodes with other code than in the graph that this one was
// made of by Patch.
func (g *Graph) ChangedNodes() []ChangedNode { return g.changed }

// replaced finds the sites that a node had among those that it has now, in their
// order.
func (b *builder) replaced(n NodeID, old Node) {
	c := ChangedNode{Node: n, First: old.First}
	b.dead += int(old.End - old.First)
	now := b.nodes[n]
	next := now.First
	for i := old.First; i < old.End; i++ {
		alias := int32(-1)
		for j := next; j < now.End; j++ {
			x, y := &b.sites[i], &b.sites[j]
			if x.Set == y.Set && x.Kind == y.Kind && x.Cover == y.Cover && x.Origin == y.Origin {
				alias, next = j, j+1
				break
			}
		}
		c.Alias = append(c.Alias, alias)
	}
	b.changed = append(b.changed, c)
	if b.alias == nil {
		b.alias = map[int32]int32{}
	}
	for from, to := range b.alias { // names from before
		if to >= old.First && to < old.End {
			b.rename(from, c.Alias[to-old.First])
		}
	}
	for k, to := range c.Alias {
		b.rename(old.First+int32(k), to)
	}
}

// rename makes a number that a site had the name of another site, or of none.
func (b *builder) rename(from, to int32) {
	b.alias[from] = to
	if to < 0 {
		delete(b.alias, from)
		b.sites[from].Set = NoSet
		return
	}
	b.sites[from] = b.sites[to]
}
