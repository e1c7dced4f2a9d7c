package callgraph

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is the worklist that builds a graph: reaching a method adds its
// sites and receivers, which adds targets to callee sets, which reaches
// methods.

// calleeSet is a callee set while it grows. Members may repeat until compact.
type calleeSet struct {
	members   []NodeID
	compacted int                // length after the last compact
	ref       hierarchy.MethodID // see Graph.Ref
}

// virtualSet is the callee set of a dispatched selector below a type.
type virtualSet struct {
	set      SetID
	selector hierarchy.SelectorID
	resolved hierarchy.MethodID
	foreign  bool // see natives.Row.Foreign
}

// typeState is what the builder keeps for a type.
type typeState struct {
	referenced bool
	receiver   bool
	created    bool
	reflected  bool // its constructors are callable by reflection
	newable    bool // code outside the JDK got at them
	alike      bool // those of every receiver class at or below the type are callable by reflection: see alike
	initSet    SetID
	receivers  []hierarchy.TypeID // receiver classes at or below the type
	lambdas    []int32            // lambda types at or below the type
	virtual    []virtualSet       // sets of calls with this static type
}

// callKey is what decides the callee set of an invocation by reference.
type callKey struct {
	owner, name, desc, recv string
	kind                    facts.CallKind
	exact, foreign          bool
}

// virtualKey is what decides a virtual set.
type virtualKey struct {
	t       hierarchy.TypeID
	m       hierarchy.MethodID
	foreign bool
}

// builder is the state of one construction.
type builder struct {
	h      *hierarchy.Hierarchy
	cfg    Config
	policy Receivers

	nodes    []Node
	nodeOf   []NodeID
	bare     map[NodeID]bool // those of methods out of which exceptions were seen to come, see seen; if visited
	sites    []Site
	entries  []NodeID
	work     []NodeID
	visiting *facts.Method // whose sites are being added
	row      *natives.Row  // its model, or nil
	sets     []calleeSet
	single   []SetID // by NodeID: the set of that node alone

	calls    map[callKey]SetID
	virtual  map[virtualKey]SetID
	states   []typeState
	lambdas  []lambdaType
	lambdaOf map[string]int32

	pools    pools
	names    *features.NameFlow
	given    *features.Generated
	problems []Problem

	synthetic
	patches
}

// synthetic are the nodes without a method, which stand between others.
type synthetic struct {
	wrappers map[SetID]NodeID // by the set they call
	wrapped  map[NodeID]SetID // the other way round
	inits    map[NodeID]SetID // what calling one initialises before
}

// patches is what following edits keeps, see patch.go.
type patches struct {
	effects effects
	dead    int // sites of code that methods had before
	alias   map[int32]int32
	changed []ChangedNode // by the last patch
}

func newBuilder(h *hierarchy.Hierarchy, cfg Config, r Receivers) *builder {
	b := &builder{
		h: h, cfg: cfg, policy: r,
		calls:     make(map[callKey]SetID, 1<<14),
		virtual:   make(map[virtualKey]SetID, 1<<13),
		synthetic: synthetic{wrappers: map[SetID]NodeID{}, wrapped: map[NodeID]SetID{}, inits: map[NodeID]SetID{}},
		lambdaOf:  make(map[string]int32),
		bare:      map[NodeID]bool{},
	}
	b.effects.node = seeding
	b.pools, b.names = b.newPools(), features.NewNameFlow(h)
	b.names.Program(cfg.Workspace, cfg.Named)
	b.given = features.NewGenerated(h.Source(), cfg.Extra.Generated, cfg.Workspace)
	return b
}

// seed reaches the entries, what the VM starts by itself, and what was observed.
func (b *builder) seed() {
	for _, c := range natives.Creates {
		t := b.load(c, "")
		b.create(t)
		for _, n := range b.sets[b.initSet(t)].members {
			b.entry(n)
		}
	}
	for _, e := range natives.Entries {
		if t := b.load(e.Class, ""); !b.h.Phantom(t) {
			b.enter(t, e.Name, "")
		}
	}
	if b.policy == Referenced {
		for _, c := range b.cfg.Workspace {
			b.reference(b.load(c, ""))
		}
	}
	for _, e := range b.cfg.Entries {
		t := b.load(e.Class, "")
		if !b.enter(t, e.Name, e.Desc) {
			b.problems = append(b.problems,
				Problem{e.Class, "entry point " + e.Class + "." + e.Name + e.Desc + " does not exist"})
		}
	}
	b.observe()
}

// enter reaches the methods of t with that name, and of that descriptor if it
// is not empty, as entries. The class is initialised, and an instance method or
// constructor has a receiver. It tells whether there is one.
func (b *builder) enter(t hierarchy.TypeID, name, desc string) bool {
	class := b.h.Facts(t)
	if class == nil {
		return false
	}
	found := false
	for i := range class.Methods {
		m := &class.Methods[i]
		if m.Name != name || desc != "" && m.Desc != desc {
			continue
		}
		found = true
		b.entry(b.reach(b.h.MethodAt(t, i)))
		if m.Access&hierarchy.AccStatic == 0 {
			b.create(t)
		}
	}
	if found {
		for _, n := range b.sets[b.initSet(t)].members {
			b.entry(n)
		}
	}
	return found
}

func (b *builder) entry(n NodeID) {
	if !slices.Contains(b.entries, n) {
		b.entries = append(b.entries, n)
	}
}

// run empties the worklist.
func (b *builder) run() {
	for len(b.work) > 0 {
		n := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.visit(n)
	}
}

// state returns what is kept for a type. The pointer is valid until the next
// type is loaded.
func (b *builder) state(t hierarchy.TypeID) *typeState {
	for int(t) >= len(b.states) {
		b.states = append(b.states, typeState{initSet: NoSet})
	}
	return &b.states[t]
}

// load loads a class.
func (b *builder) load(name, by string) hierarchy.TypeID {
	t := b.h.Load(name, by)
	b.effects.note(loads, int32(t))
	return t
}

// loadThrowable is load for a class that is used as an exception.
func (b *builder) loadThrowable(name, by string) hierarchy.TypeID {
	t := b.h.LoadThrowable(name, by)
	b.effects.note(loadsThrowable, int32(t))
	return t
}

// reach returns the node of a method, a new one if need be, which the worklist
// will visit.
func (b *builder) reach(m hierarchy.MethodID) NodeID {
	if n := b.nodeAt(m); n != NoNode {
		b.effects.note(reaches, int32(n))
		if len(b.bare) > 0 {
			b.reachSeen(n)
		}
		return n
	}
	n := b.newNode(m)
	b.effects.note(reaches, int32(n))
	b.nodeOf[m] = n
	b.work = append(b.work, n)
	return n
}

// reachSeen has a node visited of which only the exceptions were seen until now.
func (b *builder) reachSeen(n NodeID) {
	visited, bare := b.bare[n]
	delete(b.bare, n)
	if bare && visited {
		b.work = append(b.work, n)
	}
}

// nodeAt is the node of a method, NoNode if it has none. There is room for it then.
func (b *builder) nodeAt(m hierarchy.MethodID) NodeID {
	if int(m) >= len(b.nodeOf) {
		grown := make([]NodeID, max(b.h.NumMethods(), 2*len(b.nodeOf)))
		for i := copy(grown, b.nodeOf); i < len(grown); i++ {
			grown[i] = NoNode
		}
		b.nodeOf = grown
	}
	return b.nodeOf[m]
}

func (b *builder) newNode(m hierarchy.MethodID) NodeID {
	b.nodes = append(b.nodes, Node{Method: m})
	b.single = append(b.single, NoSet)
	return NodeID(len(b.nodes) - 1)
}

// newSet makes an empty callee set.
func (b *builder) newSet() SetID {
	b.sets = append(b.sets, calleeSet{ref: hierarchy.NoMethod})
	return SetID(len(b.sets) - 1)
}

// singleSet is the callee set of one method alone.
func (b *builder) singleSet(m hierarchy.MethodID) SetID { return b.setOf(b.reach(m), m) }

// setOf is the callee set of one method's node alone.
func (b *builder) setOf(n NodeID, m hierarchy.MethodID) SetID {
	if b.single[n] == NoSet {
		s := b.newSet()
		b.sets[s].members, b.sets[s].ref = []NodeID{n}, m
		b.single[n] = s
	}
	return b.single[n]
}

// add puts a node into a set.
func (b *builder) add(s SetID, n NodeID) {
	b.effects.notePair(adds, int32(s), int32(n))
	b.addFresh(s, n)
}

// addFresh is add for a set of which only the method being visited knows.
func (b *builder) addFresh(s SetID, n NodeID) {
	set := &b.sets[s]
	if k := len(set.members); k > 0 && set.members[k-1] == n {
		return
	}
	set.members = append(set.members, n)
	if len(set.members) > 2*set.compacted+64 {
		set.compact()
	}
}

// compact sorts the members and removes repetitions.
func (c *calleeSet) compact() {
	if c.compacted == len(c.members) {
		return
	}
	slices.Sort(c.members)
	c.members = slices.Compact(c.members)
	c.compacted = len(c.members)
}

// reference notes that reached code names a class.
func (b *builder) reference(t hierarchy.TypeID) {
	b.effects.note(references, int32(t))
	st := b.state(t)
	if st.referenced {
		return
	}
	st.referenced = true
	b.effects.enter()
	defer b.effects.leave()
	if b.policy == Referenced && b.h.Instantiable(t) {
		b.receive(t)
	}
}

// create notes that instances of a class exist.
func (b *builder) create(t hierarchy.TypeID) {
	b.effects.note(creates, int32(t))
	st := b.state(t)
	if st.created {
		return
	}
	st.created = true
	b.effects.enter()
	defer b.effects.leave()
	if b.h.Instantiable(t) {
		b.receive(t)
		b.serializable(t)
		b.enumConstants(t)
		b.fill(b.h.Facts(t))
	}
}

// receive admits a class as receiver: every virtual set above it gets the
// method that it selects.
func (b *builder) receive(c hierarchy.TypeID) {
	if b.state(c).receiver {
		return
	}
	b.state(c).receiver = true
	for _, d := range b.h.Superclasses(c) {
		b.receiveAt(c, d)
	}
	for _, d := range b.h.Superinterfaces(c) {
		b.receiveAt(c, d)
	}
}

func (b *builder) receiveAt(c, d hierarchy.TypeID) {
	if b.unnamed(c, d) {
		return
	}
	st := b.state(d)
	st.receivers = append(st.receivers, c)
	for i := range st.virtual {
		b.dispatch(st.virtual[i], c)
		st = b.state(d)
	}
	if st.alike {
		b.reflectConstructors(c, "")
	}
}

// dispatch adds what a receiver class selects.
func (b *builder) dispatch(v virtualSet, c hierarchy.TypeID) {
	m := b.h.Select(c, v.resolved)
	if m == hierarchy.NoMethod || b.h.Method(m).Access&hierarchy.AccAbstract != 0 {
		return
	}
	if owner := b.h.Owner(m); v.foreign && owner != b.h.Owner(v.resolved) && natives.OfJDK(b.h.Name(owner)) {
		return
	}
	b.add(v.set, b.reach(m))
}

// virtualSetOf is the callee set of calling the resolved method m on a static
// type.
func (b *builder) virtualSetOf(t hierarchy.TypeID, m hierarchy.MethodID) SetID {
	return b.virtualSetFrom(t, m, b.row != nil && b.row.Foreign)
}

// virtualSetFrom is virtualSetOf; foreign tells that none of the JDK's overriding methods is meant.
func (b *builder) virtualSetFrom(t hierarchy.TypeID, m hierarchy.MethodID, foreign bool) SetID {
	f := b.h.Method(m)
	if f.Access&(hierarchy.AccPrivate|hierarchy.AccStatic) != 0 || f.Name == "<init>" {
		return b.singleSet(m)
	}
	k := virtualKey{t, m, foreign}
	if s, ok := b.virtual[k]; ok {
		b.effects.note(dispatches, int32(s))
		return s
	}
	v := virtualSet{set: b.newSet(), selector: b.h.SelectorOf(m), resolved: m, foreign: foreign}
	b.virtual[k] = v.set
	b.effects.note(dispatches, int32(v.set))
	b.effects.enter()
	defer b.effects.leave()
	b.sets[v.set].ref = m
	st := b.state(t)
	st.virtual = append(st.virtual, v)
	receivers, lambdas := st.receivers, st.lambdas
	for _, c := range receivers {
		b.dispatch(v, c)
	}
	for _, l := range lambdas {
		b.dispatchLambda(v, l)
	}
	return v.set
}

// finish freezes the graph. The builder goes on being used by Patch.
func (b *builder) finish(algorithm string) *Graph {
	b.addWrapperSites()
	g := &Graph{H: b.h.Freeze(), Algorithm: algorithm, Nodes: slices.Clone(b.nodes), Sites: slices.Clone(b.sites),
		Entries: slices.Clone(b.entries), nodeOf: slices.Clone(b.nodeOf), named: b.names.Read(),
		Tokens: b.names.Found()}
	total := 0
	for i := range b.sets {
		b.sets[i].compact()
		total += len(b.sets[i].members)
	}
	g.setStart = make([]int32, len(b.sets)+1)
	g.setNodes = make([]NodeID, 0, total)
	g.refs = make([]hierarchy.MethodID, len(b.sets))
	for i := range b.sets {
		g.refs[i] = b.sets[i].ref
		g.setNodes = append(g.setNodes, b.sets[i].members...)
		g.setStart[i+1] = int32(len(g.setNodes))
	}
	for t := range b.states {
		if b.states[t].created {
			g.created = append(g.created, hierarchy.TypeID(t))
		}
	}
	missing := missingClasses(b.h, b.cfg.Workspace)
	g.problems = append(slices.Clone(b.problems), missing...)
	g.changed = b.changed
	g.index()
	for from, to := range b.alias {
		g.siteNode[from] = g.siteNode[to]
	}
	if len(missing) == 0 { // who asked for a class first depends on the order of visits
		g.next = &continuation{builder: b}
	}
	return g
}
