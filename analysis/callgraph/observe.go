package callgraph

import (
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file adds what runs observed (DESIGN D7).

// observe adds observed instances, whoever made them, and reflective calls whose
// caller is not known.
func (b *builder) observe() {
	for _, c := range b.cfg.Extra.Instantiated {
		if t, ok := b.loadIfPresent(c); ok {
			b.create(t)
			b.reflectConstructors(t, c) // something called one
		}
	}
	b.generated()
	for _, e := range b.cfg.Extra.Edges {
		if e.From.Class != "" {
			continue
		}
		b.eachMethod(e.To, func(t hierarchy.TypeID, m hierarchy.MethodID) {
			if b.h.Method(m).Access&hierarchy.AccStatic == 0 {
				b.create(t)
			}
			switch b.h.Method(m).Name {
			case "<clinit>":
				b.add(b.pools.initializers, b.reach(m))
			case "<init>":
				b.construct(m, true)
			default:
				b.add(b.pools.methods, b.reach(m))
				b.add(b.pools.named, b.reach(m))
				b.add(b.pools.unreflected, b.reach(m)) // the frames of handles are hidden
			}
		})
	}
}

// observedSites adds the observed calls of the method being visited. The line
// decides which of its calls is meant; an observed call has the place of that
// call, or, when no call fits, no place.
func (b *builder) observedSites(id hierarchy.MethodID) {
	if len(b.cfg.Extra.Edges) == 0 {
		return
	}
	class, m := b.h.Name(b.h.Owner(id)), b.h.Method(id)
	for _, e := range b.cfg.Extra.Edges {
		if !e.Of(class, m) {
			continue
		}
		if e.Try != 0 {
			if b.h.Present(e.To.Class) {
				b.methodsOf(b.load(e.To.Class, ""), e.To,
					func(to hierarchy.MethodID) { b.observedSite(e, m, b.setOf(b.seen(to), to)) })
			}
			continue
		}
		b.eachMethod(e.To, func(t hierarchy.TypeID, to hierarchy.MethodID) {
			if b.h.Method(to).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
				b.create(t)
			}
			b.observedSite(e, m, b.singleSet(to))
		})
	}
}

// seen returns the node of a method of which all that is known is that exceptions came out of it:
// what it calls is not, as nobody knows on which objects, until something else reaches it.
func (b *builder) seen(m hierarchy.MethodID) NodeID {
	if n := b.nodeAt(m); n != NoNode {
		b.effects.note(sees, int32(n))
		return n
	}
	n := b.newNode(m)
	b.effects.note(sees, int32(n))
	b.nodeOf[m] = n
	b.bare[n] = false
	b.work = append(b.work, n)
	return n
}

// observedSite adds one observed call.
func (b *builder) observedSite(e ExtraEdge, m *facts.Method, s SetID) {
	places := e.Places(m)
	for _, i := range places {
		b.site(s, e.Kind, FromCalls, i)
	}
	if len(places) == 0 && e.Try == 0 {
		b.site(s, e.Kind, FromModel, int(e.Line))
	}
}

// eachMethod calls f for the methods that a reference names, whose class reached code names.
func (b *builder) eachMethod(r features.MethodRef, f func(hierarchy.TypeID, hierarchy.MethodID)) {
	if t, ok := b.loadIfPresent(r.Class); ok {
		b.methodsOf(t, r, func(m hierarchy.MethodID) { f(t, m) })
	}
}

// methodsOf calls f for the methods of a class that a reference to it names.
func (b *builder) methodsOf(t hierarchy.TypeID, r features.MethodRef, f func(hierarchy.MethodID)) {
	class := b.h.Facts(t)
	for i := 0; class != nil && i < len(class.Methods); i++ {
		if class.Methods[i].Name == r.Name && (r.Desc == "" || r.Desc == class.Methods[i].Desc) {
			f(b.h.MethodAt(t, i))
		}
	}
}
