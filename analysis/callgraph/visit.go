package callgraph

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file turns the facts of one reached method into sites, receivers and
// references.

// visit adds the sites of a newly reached method.
func (b *builder) visit(n NodeID) {
	id := b.nodes[n].Method
	t := b.h.Owner(id)
	class, m := b.h.Facts(t), b.h.Method(id)
	b.visiting, b.effects.node = m, n
	b.nodes[n].First = int32(len(b.sites))
	if _, bare := b.bare[n]; bare {
		b.visitExceptions(class.Name, m)
		b.bare[n], b.nodes[n].End = true, b.nodes[n].First
		return
	}
	b.reference(t)
	b.visitTypes(class.Name, m)
	for i := range m.Inits {
		b.visitInit(t, class.Name, &m.Inits[i], i)
	}
	b.row, _ = natives.Model(class.Name, m.Name, m.Desc, m.Access&hierarchy.AccNative != 0)
	for i := range m.Calls {
		c := &m.Calls[i]
		if b.row != nil && b.row.Leaf && c.Name != "<init>" || c.Owner == AssertionError && natives.OfJDK(class.Name) {
			continue
		}
		b.visitCall(t, class.Name, m, i)
	}
	for i := range m.Handles() {
		b.pools.addHandle(b, m.Handles()[i], class.Name)
	}
	for _, c := range b.names.Classes(t, m) {
		b.reflectConstructors(b.load(c, class.Name), class.Name)
	}
	if len(m.Classes()) > 0 && !natives.OfJDK(class.Name) && b.names.NamesInterface(class.Name, m) {
		b.names.DependsOn(t) // what an interface is passed to may change though no call does
	}
	for _, i := range b.names.Interfaces(t, m) {
		if i.Handle {
			b.handleProxies(class.Name, []string{i.Name})
		} else {
			b.proxies(class.Name, []string{i.Name}, b.makersOf(i.Makers)...)
		}
	}
	b.names.TellTokens(b.h, class.Name, m, &named{b, class.Name, m})
	if len(m.Calls) > 0 || features.GivesURI(m) {
		b.visitReflection(class.Name, m)
		b.linkConstructors(class, m)
		b.visitSerialization(class.Name, m)
	}
	if b.row != nil {
		b.visitModel(b.row, class.Name)
	}
	b.row = nil
	if m.Access&hierarchy.AccNative != 0 {
		b.visitNative(class.Name, m)
	}
	b.helped(m)
	b.observedSites(id)
	b.nodes[n].End = int32(len(b.sites))
}

// site adds a site to the node being visited.
func (b *builder) site(s SetID, k EdgeKind, o Origin, index int) {
	cover := uint16(0)
	switch o {
	case FromCalls:
		cover = b.visiting.Calls[index].Cover
	case FromInits:
		cover = b.visiting.Inits[index].Cover
	}
	b.sites = append(b.sites, Site{Set: s, Index: int32(index), Cover: cover, Kind: k, Origin: o})
}

// visitTypes loads the exception types that the method mentions, and notes what it creates and
// names.
func (b *builder) visitTypes(class string, m *facts.Method) {
	b.visitExceptions(class, m)
	for i := range m.Allocs {
		t := b.load(m.Allocs[i].Type, class)
		b.reference(t)
		b.create(t)
	}
	for _, c := range m.ClassConstants(b.h.Present) {
		t := b.load(c, class)
		b.reference(t)
		b.enumConstants(t)
	}
}

// visitExceptions loads the exception types that the method mentions, so that exception-flow finds
// them.
func (b *builder) visitExceptions(class string, m *facts.Method) {
	for i := range m.Handlers() {
		for _, n := range m.Handlers()[i].Types {
			if n != "" {
				b.reference(b.loadThrowable(n, class))
			}
		}
	}
	for i := range m.Throws() {
		for _, s := range m.Throws()[i].Sources {
			if s.Type != "" {
				b.reference(b.loadThrowable(s.Type, class))
			}
		}
	}
}

// visitCall adds the site of one invocation.
func (b *builder) visitCall(t hierarchy.TypeID, class string, m *facts.Method, i int) {
	c := &m.Calls[i]
	switch {
	case c.Kind == facts.Dynamic:
		b.visitDynamic(class, c, i)
		return
	case c.Kind == facts.Special && c.Name != "<init>":
		// A superclass's method: depends on the current class, not worth a cache.
		b.site(b.special(t, c.Owner, c.Name, c.Desc, class), Call, FromCalls, i)
		return
	}
	k := callKey{owner: c.Owner, name: c.Name, desc: c.Desc, kind: c.Kind, foreign: b.row != nil && b.row.Foreign}
	if c.Recv() != "" && (c.Recv() != c.Owner || c.RecvExact) &&
		(c.Kind == facts.Virtual || c.Kind == facts.Interface) {
		k.recv, k.exact = c.Recv(), c.RecvExact
	}
	s, ok := b.calls[k]
	if !ok || b.effects.log != nil {
		s = b.callSet(k, class)
		b.calls[k] = s
	}
	if s == handleCall {
		s = b.pools.handleCallSet(class)
	}
	if features.AccessesByHandle(c, class) {
		b.site(b.pools.accessed, ClassInit, FromCalls, i)
	}
	b.site(s, Call, FromCalls, i)
	b.invokesLent(class, c, i)
	if c.Kind == facts.Interface {
		b.annotationValue(class, c)
	}
}

// AssertionError is the class whose constructor the JDK's own classes are taken
// not to call: their assertions are off (java -esa), and what they else throw as
// AssertionError they describe by strings. The constructor's String.valueOf
// would let every append to a StringBuilder reach every toString.
const AssertionError = "java/lang/AssertionError"

// handleCall stands in the call cache for an invocation of a method handle,
// whose set depends on the calling class.
const handleCall SetID = -2

// special resolves an invokespecial.
func (b *builder) special(current hierarchy.TypeID, owner, name, desc, class string) SetID {
	t := b.load(owner, class)
	b.reference(t)
	m := b.h.ResolveSpecial(current, t, name, desc)
	if m == hierarchy.NoMethod || b.h.Method(m).Access&hierarchy.AccAbstract != 0 {
		return NoSet
	}
	return b.singleSet(m)
}

// callSet finds the callee set of an invocation.
func (b *builder) callSet(k callKey, class string) SetID {
	t := b.load(k.owner, class)
	b.reference(t)
	m := b.h.Resolve(t, k.name, k.desc)
	if m == hierarchy.NoMethod || strings.HasPrefix(k.owner, "[") && k.name == "clone" {
		return NoSet // an array's clone throws nothing (JLS 10.7)
	}
	if k.kind == facts.Static || k.kind == facts.Special {
		return b.singleSet(m)
	}
	if f := b.h.Method(m); hierarchy.IsSignaturePolymorphic(b.h.Name(b.h.Owner(m)), f.Access, f.Desc) {
		if features.InvokesHandle(b.h, m) {
			return handleCall
		}
		return b.singleSet(m)
	}
	if k.recv == "" {
		return b.virtualSetOf(t, m)
	}
	r := b.load(k.recv, class)
	b.reference(r)
	if !b.h.IsSubtype(r, t) {
		// An interface that verification does not check (JVMS 4.10.1.2), or a
		// missing class between the two: the declared type is all there is.
		return b.virtualSetOf(t, m)
	}
	if k.exact {
		m := b.h.Select(r, m)
		if m == hierarchy.NoMethod || b.h.Method(m).Access&hierarchy.AccAbstract != 0 {
			return NoSet
		}
		return b.singleSet(m)
	}
	return b.virtualSetOf(r, m)
}

// visitNative takes a native method at its word: it may make objects of its
// return type and throw what it declares.
func (b *builder) visitNative(class string, m *facts.Method) {
	if t := ReturnClass(m.Desc); t != "" {
		r := b.load(t, class)
		b.reference(r)
		b.create(r)
	}
	for _, e := range m.Declared() {
		t := b.loadThrowable(e, class)
		b.reference(t)
		b.create(t)
	}
}

// Created lists the classes that a method of the table of natives makes objects of.
func Created(h *hierarchy.Hierarchy, row *natives.Row) []string {
	if row.Named.Class == "" {
		if !slices.ContainsFunc(row.Creates, func(c string) bool { return !h.Present(c) }) {
			return row.Creates
		}
		return slices.DeleteFunc(slices.Clone(row.Creates), func(c string) bool { return !h.Present(c) })
	}
	named := map[string]bool{}
	if t := h.Lookup(row.Named.Class); t != hierarchy.NoType && h.Facts(t) != nil {
		for i := range h.Facts(t).Methods {
			m := &h.Facts(t).Methods[i]
			for k := range m.Calls {
				if c := &m.Calls[k]; m.Name == row.Named.Name && c.Owner == row.Class && c.Name == row.Name {
					for _, a := range c.Args() {
						named[a.Value] = named[a.Value] || a.Kind == facts.StringConst
					}
				}
			}
		}
	}
	var out []string
	for _, c := range row.Creates {
		if named[c[strings.LastIndexByte(c, '/')+1:]] {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return row.Creates
	}
	return out
}

// visitModel adds what the table of natives says.
func (b *builder) visitModel(row *natives.Row, class string) {
	for _, c := range Created(b.h, row) {
		t := b.load(c, class)
		b.reference(t)
		b.create(t)
		b.initializes(t, FromModel, 0)
	}
	for _, e := range row.Throws {
		t := b.loadThrowable(strings.TrimSuffix(e, natives.AnySubtype), class)
		b.reference(t)
		b.create(t)
	}
	for _, e := range row.Effects {
		b.visitEffect(e, class)
	}
}

// visitEffect adds the site of one effect.
func (b *builder) visitEffect(e natives.Effect, class string) {
	switch e.Via {
	case natives.ReflectMethod:
		b.site(b.pools.methods, Reflection, FromModel, 0)
	case natives.ReflectMethodPlain:
		b.site(b.pools.methods, ReflectionPlain, FromModel, 0)
	case natives.ReflectNew:
		b.site(b.pools.constructors, Reflection, FromModel, 0)
	case natives.ReflectNewPlain:
		b.site(b.pools.plain, ReflectionPlain, FromModel, 0)
	case natives.Initialize:
		b.site(b.pools.initializers, ClassInit, FromModel, 0)
	case natives.Access:
		b.site(b.pools.accessed, ClassInit, FromModel, 0)
	case natives.HandlePool:
		b.site(b.pools.unreflected, Upcall, FromModel, 0)
	default:
		t := b.load(e.Class, class)
		if m := b.h.Resolve(t, e.Name, e.Desc); m != hierarchy.NoMethod {
			b.reference(t)
			b.site(b.virtualSetFrom(t, m, e.Via == natives.Loading), EffectOf(e.Via), FromModel, 0)
		}
	}
}

// EffectOf is the kind of edge that an effect with a named method makes.
func EffectOf(v natives.Via) EdgeKind {
	switch v {
	case natives.ThreadStart:
		return ThreadStart
	case natives.Finalizer:
		return Finalizer
	case natives.Privileged:
		return Privileged
	}
	return Upcall
}

// ReturnClass is the class that a descriptor returns, "" for anything else.
func ReturnClass(desc string) string {
	for i := len(desc) - 2; i >= 0; i-- {
		if desc[i] == ')' {
			if desc[i+1] == 'L' && desc[len(desc)-1] == ';' {
				return desc[i+2 : len(desc)-1]
			}
			return ""
		}
	}
	return ""
}
