package callgraph

import (
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
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
		if e.From.Class != class || e.From.Name != m.Name || e.From.Desc != "" && e.From.Desc != m.Desc {
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

// observedSite adds one observed call: at each call of its line that has a
// distinct cover, because the observation does not tell them apart.
func (b *builder) observedSite(e ExtraEdge, m *facts.Method, s SetID) {
	covers := map[uint16]bool{}
	for i := range m.Calls {
		if c := &m.Calls[i]; (e.Line == 0 || c.Line == e.Line) && !covers[c.Cover] {
			covers[c.Cover] = true
			b.site(s, e.Kind, FromCalls, i)
		}
	}
	if len(covers) == 0 {
		b.site(s, e.Kind, FromModel, int(e.Line))
	}
}

// eachMethod calls f for the methods that a reference names.
func (b *builder) eachMethod(r MethodRef, f func(hierarchy.TypeID, hierarchy.MethodID)) {
	t, ok := b.loadIfPresent(r.Class)
	if !ok {
		return
	}
	class := b.h.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == r.Name && (r.Desc == "" || r.Desc == class.Methods[i].Desc) {
			f(t, b.h.MethodAt(t, i))
		}
	}
}
