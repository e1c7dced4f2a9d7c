package callgraph

import (
	"iter"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file models invokedynamic: lambdas, method references, string
// concatenation, records and other bootstrap methods.

// lambdaType stands for all lambda objects of the same interfaces.
type lambdaType struct {
	ifaces       []hierarchy.TypeID // as written: the functional interface first, then markers
	impls        []lambdaImpl
	initializers SetID // what making one initialises
}

// lambdaImpl says that a functional method may be implemented by a node.
type lambdaImpl struct {
	selector hierarchy.SelectorID
	node     NodeID
}

// visitDynamic adds what an invokedynamic instruction does.
func (b *builder) visitDynamic(class string, c *facts.Call, i int) {
	if c.Indy() == nil {
		b.site(NoSet, Call, FromCalls, i)
		return
	}
	switch c.Indy().Kind {
	case facts.LambdaIndy:
		b.visitLambda(class, c, i)
	case facts.ConcatIndy:
		b.visitHidden(class, c, i, features.ConcatCalls)
	case facts.RecordIndy:
		b.visitHidden(class, c, i, features.RecordCalls)
	case facts.SwitchIndy:
		// Compares labels by identity and equals of constants: nothing is called.
	default:
		s := b.newSet()
		for _, h := range c.Indy().Handles {
			if n := b.handleNode(h, class, "", true); n != NoNode {
				b.addFresh(s, n)
			}
		}
		b.site(s, Call, FromCalls, i)
		if n := b.handleNode(c.Indy().Bootstrap, class, "", false); n != NoNode {
			s := b.newSet()
			b.addFresh(s, n)
			b.site(s, Bootstrap, FromCalls, i)
		}
	}
}

// visitLambda makes the implementation a target of the functional method, and
// initialises the interfaces.
func (b *builder) visitLambda(class string, c *facts.Call, i int) {
	n := b.handleNode(c.Indy().Impl, class, features.LambdaReceiver(c), true)
	if n == NoNode {
		return
	}
	l := b.lambdaTypeOf(class, c.Indy())
	if s := b.lambdas[l].initializers; len(b.sets[s].members) > 0 {
		b.site(s, ClassInit, FromCalls, i)
	}
	b.implement(l, lambdaImpl{b.h.Intern(c.Indy().SAM, c.Indy().SAMDesc), n})
	for _, d := range c.Indy().Bridges {
		b.implement(l, lambdaImpl{b.h.Intern(c.Indy().SAM, d), n})
	}
}

// lambdaTypeOf returns the type of lambda objects with these interfaces, a new
// one if need be.
func (b *builder) lambdaTypeOf(class string, d *facts.Indy) int32 {
	key := d.Interface
	for _, m := range d.Markers {
		key += "," + m
	}
	if l, ok := b.lambdaOf[key]; ok {
		b.effects.note(makesLambda, l)
		return l
	}
	l := int32(len(b.lambdas))
	b.effects.note(makesLambda, l)
	b.effects.enter()
	defer b.effects.leave()
	b.lambdaOf[key] = l
	t := lambdaType{initializers: b.newSet()}
	above := []hierarchy.TypeID{b.h.Object()}
	for _, n := range append([]string{d.Interface}, d.Markers...) {
		i := b.load(n, class)
		b.reference(i)
		if !slices.Contains(t.ifaces, i) {
			t.ifaces = append(t.ifaces, i)
		}
		above = append(append(above, i), b.h.Superinterfaces(i)...)
	}
	b.lambdas = append(b.lambdas, t)
	for _, m := range features.LambdaInitializers(b.h, t.ifaces) {
		b.add(t.initializers, b.reach(m))
	}
	slices.Sort(above)
	for _, t := range slices.Compact(above) {
		st := b.state(t)
		st.lambdas = append(st.lambdas, l)
		for i := range st.virtual {
			b.dispatchLambda(st.virtual[i], l)
			st = b.state(t)
		}
	}
	return l
}

// implement adds an implementation to a lambda type.
func (b *builder) implement(l int32, impl lambdaImpl) {
	t := &b.lambdas[l]
	i := slices.Index(t.impls, impl)
	if i >= 0 {
		b.effects.notePair(implements, l, int32(i))
		return
	}
	b.effects.notePair(implements, l, int32(len(t.impls)))
	b.effects.enter()
	defer b.effects.leave()
	t.impls = append(t.impls, impl)
	visited := map[hierarchy.TypeID]bool{}
	for _, i := range t.ifaces {
		for _, d := range append([]hierarchy.TypeID{i, b.h.Object()}, b.h.Superinterfaces(i)...) {
			if visited[d] {
				continue
			}
			visited[d] = true
			for _, v := range b.state(d).virtual {
				if v.selector == impl.selector {
					b.add(v.set, impl.node)
				}
			}
		}
	}
}

// dispatchLambda adds what a lambda object selects.
func (b *builder) dispatchLambda(v virtualSet, l int32) {
	for _, impl := range b.lambdas[l].impls {
		if impl.selector == v.selector {
			b.add(v.set, impl.node)
		}
	}
	if m := b.h.SelectLambda(b.lambdas[l].ifaces, v.selector); m != hierarchy.NoMethod {
		b.add(v.set, b.reach(m))
	}
}

// handleNode returns the node that calling a method handle reaches, NoNode for
// a field's handle or a method that does not exist. A handle that dispatches
// gets a synthetic node with one call; recv is a narrower receiver type, if
// known. direct tells whether a constructor's class counts as instantiated.
func (b *builder) handleNode(h facts.Handle, class, recv string, direct bool) NodeID {
	if h.Kind < features.RefInvokeVirtual {
		return NoNode
	}
	t := b.load(h.Owner, class)
	b.reference(t)
	m := b.h.Resolve(t, h.Name, h.Desc)
	if h.Kind == features.RefInvokeSpecial {
		if c := b.h.Lookup(class); c != hierarchy.NoType {
			m = b.h.ResolveSpecial(c, t, h.Name, h.Desc)
		}
	}
	if m == hierarchy.NoMethod {
		return NoNode
	}
	if h.Kind == features.RefNewInvokeSpecial && direct {
		b.create(t)
	}
	if h.Kind != features.RefInvokeVirtual && h.Kind != features.RefInvokeInterface {
		if b.h.Method(m).Access&hierarchy.AccAbstract != 0 {
			return NoNode
		}
		if features.HandleInitializes(b.h, h.Kind, m, class) {
			return b.initializing(m)
		}
		return b.reach(m)
	}
	if f := b.h.Method(m); hierarchy.IsSignaturePolymorphic(b.h.Name(b.h.Owner(m)), f.Access, f.Desc) {
		return b.wrapper(b.pools.unreflected)
	}
	if recv != "" {
		if r := b.load(recv, class); b.h.IsSubtype(r, t) {
			t = r
			b.reference(t)
		}
	}
	s := b.virtualSetOf(t, m)
	if b.h.Method(m).Access&hierarchy.AccPrivate != 0 {
		return b.reach(m)
	}
	return b.wrapper(s)
}

// initializing is the synthetic node that initialises the class of a method, and calls it.
func (b *builder) initializing(m hierarchy.MethodID) NodeID {
	n := b.wrapper(b.singleSet(m))
	b.inits[n] = b.initSet(b.h.Owner(m))
	return n
}

// wrapper is the synthetic node that calls a set.
func (b *builder) wrapper(s SetID) NodeID {
	b.effects.note(wraps, int32(s))
	if n, ok := b.wrappers[s]; ok {
		return n
	}
	n := b.newNode(hierarchy.NoMethod)
	b.wrappers[s], b.wrapped[n] = n, s
	return n
}

// addWrapperSites gives each synthetic node its call, after what that initialises. It runs at the
// end, because the sites of a node are contiguous.
func (b *builder) addWrapperSites() {
	for n := range b.nodes {
		if b.nodes[n].Method == hierarchy.NoMethod && b.nodes[n].End == 0 {
			b.nodes[n].First = int32(len(b.sites))
			called := b.wrapped[NodeID(n)]
			s, ok := b.inits[NodeID(n)]
			if ok {
				b.site(s, ClassInit, FromModel, 0)
			}
			if !ok || s != called { // else it does nothing but initialise
				b.site(called, Call, FromModel, 0)
			}
			b.nodes[n].End = int32(len(b.sites))
		}
	}
}

// visitHidden adds calls that call i, an invokedynamic instruction of a class, makes.
func (b *builder) visitHidden(class string, c *facts.Call, i int, calls hiddenCalls) {
	before := len(b.sites)
	for x := range calls(b.h, c, func(name string) hierarchy.TypeID {
		t := b.load(name, class)
		b.reference(t)
		return t
	}) {
		b.site(b.virtualSetOf(x.Type, x.Method), Call, FromCalls, i)
	}
	if len(b.sites) == before {
		b.site(NoSet, Call, FromCalls, i)
	}
}

// hiddenCalls is ConcatCalls or RecordCalls of package features.
type hiddenCalls func(*hierarchy.Hierarchy, *facts.Call, func(string) hierarchy.TypeID) iter.Seq[features.HiddenCall]
