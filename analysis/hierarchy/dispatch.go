package hierarchy

import (
	"cmp"
	"slices"
	"strings"
)

// This file selects the method that a virtual or interface call executes.

// table holds the instance methods of a class by selector. classes are those
// of the class and its superclasses; defaults the superinterfaces' methods that
// stand where the classes have none. The second is shared with the superclass
// as long as no interface is added.
type table struct {
	classes  []ownMethod
	defaults []ownMethod
}

// lookup finds the method for a selector.
func lookup(list []ownMethod, s SelectorID) MethodID {
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if list[mid].sel < s {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(list) && list[lo].sel == s {
		return list[lo].method
	}
	return NoMethod
}

// Select returns the method that runs when the resolved method m is called on
// an instance of class c (JVMS 5.4.6). NoMethod where there is none; an
// abstract method is returned as it is found, the caller decides.
func (h *Hierarchy) Select(c TypeID, m MethodID) MethodID {
	access := h.Method(m).Access
	if access&(AccPrivate|AccStatic) != 0 {
		return m
	}
	s := h.selOf[m]
	if access&(AccPublic|AccProtected) == 0 {
		return h.selectPackagePrivate(c, m, s)
	}
	return h.SelectSelector(c, s)
}

// SelectSelector is Select for a public or protected method with selector s.
func (h *Hierarchy) SelectSelector(c TypeID, s SelectorID) MethodID {
	t := h.methodTable(c)
	if m := lookup(t.classes, s); m != NoMethod {
		return m
	}
	return lookup(t.defaults, s)
}

// SelectorOf is the selector of a method.
func (h *Hierarchy) SelectorOf(m MethodID) SelectorID { return h.selOf[m] }

// selectPackagePrivate walks up from c to the first method that overrides m.
func (h *Hierarchy) selectPackagePrivate(c TypeID, m MethodID, s SelectorID) MethodID {
	for k := c; k != NoType; k = h.types[k].super {
		d := h.Declared(k, s)
		if d == NoMethod {
			continue
		}
		if d == m || h.overrides(d, m, s) {
			return d
		}
	}
	return NoMethod
}

// overrides tells whether d overrides m (JVMS 5.4.5): directly when m is public
// or protected or in the same package, else through a method in between.
func (h *Hierarchy) overrides(d, m MethodID, s SelectorID) bool {
	if h.Method(d).Access&(AccPrivate|AccStatic) != 0 || h.Method(m).Access&(AccPrivate|AccStatic) != 0 {
		return false
	}
	from, to := h.owner[d], h.owner[m]
	if from == to || !h.IsSubtype(from, to) {
		return false
	}
	if h.Method(m).Access&(AccPublic|AccProtected) != 0 || Package(h.types[from].name) == Package(h.types[to].name) {
		return true
	}
	for k := h.types[from].super; k != NoType && k != to; k = h.types[k].super {
		if b := h.Declared(k, s); b != NoMethod && h.overrides(d, b, s) && h.overrides(b, m, s) {
			return true
		}
	}
	return false
}

// Package is the package part of an internal name, "" for the unnamed one.
func Package(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

// methodTable builds the table of a class, its superclasses' first.
func (h *Hierarchy) methodTable(c TypeID) *table {
	if t := h.types[c].table; t != nil {
		return t
	}
	t := &table{}
	var parent *table
	if s := h.types[c].super; s != NoType {
		parent = h.methodTable(s)
	} else {
		parent = &table{}
	}
	t.classes = h.mergeOwn(parent.classes, c)
	t.defaults = parent.defaults
	if s := h.types[c].super; s == NoType || len(h.types[c].ifaces) != len(h.types[s].ifaces) {
		t.defaults = h.defaultMethods(c)
	}
	h.types[c].table = t
	return t
}

// mergeOwn lays the virtual methods that c declares over its superclass's.
func (h *Hierarchy) mergeOwn(parent []ownMethod, c TypeID) []ownMethod {
	if h.IsInterface(c) {
		return parent
	}
	own := make([]ownMethod, 0, h.types[c].ownEnd-h.types[c].ownStart)
	for _, o := range h.own[h.types[c].ownStart:h.types[c].ownEnd] {
		f := h.Method(o.method)
		if f.Access&(AccPrivate|AccStatic) == 0 && f.Name != "<init>" {
			own = append(own, o)
		}
	}
	if len(own) == 0 {
		return parent
	}
	out := make([]ownMethod, 0, len(parent)+len(own))
	i, j := 0, 0
	for i < len(parent) || j < len(own) {
		switch {
		case j == len(own) || i < len(parent) && parent[i].sel < own[j].sel:
			out = append(out, parent[i])
			i++
		case i == len(parent) || own[j].sel < parent[i].sel:
			out = append(out, own[j])
			j++
		default:
			out = append(out, own[j])
			i++
			j++
		}
	}
	return out
}

// defaultMethods collects the maximally-specific superinterface methods of c
// that are not abstract. For an interface, its own ones are among them.
func (h *Hierarchy) defaultMethods(c TypeID) []ownMethod {
	var out []ownMethod
	for _, i := range h.types[c].ifaces {
		for _, o := range h.own[h.types[i].ownStart:h.types[i].ownEnd] {
			if h.Method(o.method).Access&(AccPrivate|AccStatic|AccAbstract) != 0 {
				continue
			}
			if !h.hidden(c, i, o.sel) {
				out = append(out, o)
			}
		}
	}
	slices.SortFunc(out, func(a, b ownMethod) int {
		return cmp.Or(cmp.Compare(a.sel, b.sel), cmp.Compare(a.method, b.method))
	})
	return dropConflicts(out)
}

// dropConflicts removes selectors with more than one candidate: calling them
// is an IncompatibleClassChangeError (JVMS 5.4.6).
func dropConflicts(list []ownMethod) []ownMethod {
	out := list[:0]
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].sel == list[i].sel {
			j++
		}
		if j == i+1 {
			out = append(out, list[i])
		}
		i = j
	}
	return out
}

// SelectLambda returns the method that runs when a method with selector s that
// is not the functional one is called on a lambda object of the given
// interfaces: a default method of them or a method of java/lang/Object.
func (h *Hierarchy) SelectLambda(ifaces []TypeID, s SelectorID) MethodID {
	if m := h.Declared(h.object, s); m != NoMethod && h.Method(m).Access&(AccPrivate|AccStatic) == 0 {
		return m
	}
	for _, i := range ifaces {
		if m := h.Declared(i, s); m != NoMethod {
			if h.Method(m).Access&(AccPrivate|AccStatic|AccAbstract) == 0 {
				return m
			}
			continue
		}
		if m := h.defaultMethod(i, s); m != NoMethod {
			return m
		}
	}
	return NoMethod
}
