package hierarchy

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file gives a loaded class other methods. Numbers of methods stay what they
// are; those of methods that are gone are not used again.

// members are the methods of a class that has not those any more with which it was
// loaded. It does not change.
type members struct {
	ids  []MethodID // by position in the class file
	at   map[MethodID]int
	gone map[MethodID]*facts.Method
}

func (x *members) index(m MethodID) int {
	if i, ok := x.at[m]; ok {
		return i
	}
	return -1
}

func (x *members) method(class *facts.Class, m MethodID) *facts.Method {
	if i, ok := x.at[m]; ok {
		return &class.Methods[i]
	}
	return x.gone[m]
}

// Asked tells whether somebody has asked if a class is there that was not loaded.
func (h *Hierarchy) Asked(name string) bool { return h.asked[name] }

// SetFacts gives a loaded class other facts. Supertypes must be the same, and of
// methods with the name and descriptor that they had the access. Methods that are
// new get new numbers.
func (h *Hierarchy) SetFacts(t TypeID, class *facts.Class) {
	before := h.types[t].class
	if sameMethods(before, class) {
		h.types[t].class = class
		return
	}
	x := &members{ids: make([]MethodID, len(class.Methods)), at: map[MethodID]int{}, gone: map[MethodID]*facts.Method{}}
	was := make(map[SelectorID]MethodID, len(before.Methods))
	for i := range before.Methods {
		m := h.MethodAt(t, i)
		was[h.selOf[m]] = m
	}
	if old := h.types[t].members; old != nil {
		for m, f := range old.gone {
			x.gone[m] = f
		}
	}
	start := len(h.own)
	for i := range class.Methods {
		sel := h.intern(class.Methods[i].Name, class.Methods[i].Desc)
		m, ok := was[sel]
		if !ok {
			m = MethodID(len(h.owner))
			h.owner, h.selOf = append(h.owner, t), append(h.selOf, sel)
			h.forgetResolved(sel)
		}
		delete(was, sel)
		x.ids[i], x.at[m] = m, i
		h.own = append(h.own, ownMethod{sel, m})
	}
	for sel, m := range was {
		x.gone[m] = &before.Methods[h.Index(m)]
		h.forgetResolved(sel)
	}
	slices.SortStableFunc(h.own[start:], func(a, b ownMethod) int { return cmp.Compare(a.sel, b.sel) })
	ti := &h.types[t]
	ti.class, ti.members = class, x
	ti.ownStart, ti.ownEnd = int32(start), int32(len(h.own))
	h.remakeTables(t)
}

// sameMethods tells whether two classes have the same methods in the same order.
func sameMethods(a, b *facts.Class) bool {
	return slices.EqualFunc(a.Methods, b.Methods,
		func(x, y facts.Method) bool { return x.Name == y.Name && x.Desc == y.Desc })
}

// forgetResolved forgets what references with a selector were found to mean.
func (h *Hierarchy) forgetResolved(s SelectorID) {
	for k := range h.resolved {
		if k.s == s {
			delete(h.resolved, k)
		}
	}
}

// remakeTables makes the tables again that have methods of a class.
func (h *Hierarchy) remakeTables(t TypeID) {
	var had []TypeID
	h.eachBelow(t, map[TypeID]bool{}, func(c TypeID) {
		if h.types[c].table != nil {
			had = append(had, c)
			h.types[c].table = nil
		}
	})
	for _, c := range had {
		h.methodTable(c)
	}
}

// eachBelow calls f for a type and all its loaded subtypes.
func (h *Hierarchy) eachBelow(t TypeID, seen map[TypeID]bool, f func(TypeID)) {
	if seen[t] {
		return
	}
	seen[t] = true
	f(t)
	for _, c := range h.types[t].subtypes {
		h.eachBelow(c, seen, f)
	}
}

// Related tells whether a supertype or a loaded subtype of t declares a method of a
// selector, t itself left out.
func (h *Hierarchy) Related(t TypeID, s SelectorID) bool {
	if s == NoSelector {
		return false
	}
	found := false
	look := func(c TypeID) { found = found || c != t && h.Declared(c, s) != NoMethod }
	for _, list := range [2][]TypeID{h.types[t].display, h.types[t].ifaces} {
		for _, c := range list {
			look(c)
		}
	}
	h.eachBelow(t, map[TypeID]bool{}, look)
	return found
}
