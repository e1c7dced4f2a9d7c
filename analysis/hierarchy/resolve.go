package hierarchy

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file resolves symbolic references to methods and fields.

// resolveKey is one question to Resolve.
type resolveKey struct {
	t TypeID
	s SelectorID
}

// Resolve finds the method that a symbolic reference to (t, name, desc) means:
// method resolution where t is a class (JVMS 5.4.3.3), interface method
// resolution where it is an interface (JVMS 5.4.3.4). NoMethod where there is
// none, in particular when a superclass is missing. Access is not checked.
func (h *Hierarchy) Resolve(t TypeID, name, desc string) MethodID {
	s := h.Selector(name, desc)
	if s == NoSelector {
		return h.signaturePolymorphic(t, name)
	}
	k := resolveKey{t, s}
	if m, ok := h.resolved[k]; ok {
		return m
	}
	m := h.ResolveSelector(t, s)
	if m == NoMethod {
		m = h.signaturePolymorphic(t, name)
	}
	h.resolved[k] = m
	return m
}

// ResolveSelector is Resolve for a selector, without signature-polymorphic
// methods and without a cache.
func (h *Hierarchy) ResolveSelector(t TypeID, s SelectorID) MethodID {
	if h.IsInterface(t) {
		if m := h.Declared(t, s); m != NoMethod {
			return m
		}
		if m := h.Declared(h.object, s); m != NoMethod && h.Method(m).Access&(AccPublic|AccStatic) == AccPublic {
			return m
		}
		return h.resolveInSuperinterfaces(t, s)
	}
	for c := t; c != NoType; c = h.types[c].super {
		if m := h.Declared(c, s); m != NoMethod {
			return m
		}
	}
	return h.resolveInSuperinterfaces(t, s)
}

// ResolveField finds the class or interface that declares the field which a symbolic
// reference to (t, name, desc) means (JVMS 5.4.3.2): t, one of its superinterfaces, or what
// they are for its superclass. NoType where there is none, in particular when a supertype is
// missing, and for instance fields that hold no reference, which records do not list.
func (h *Hierarchy) ResolveField(t TypeID, name, desc string) TypeID {
	var seen []TypeID
	for c := t; c != NoType; c = h.types[c].super {
		if i := h.declaresField(c, name, desc, &seen); i != NoType {
			return i
		}
	}
	return NoType
}

// declaresField is ResolveField without superclasses. seen are the interfaces that do not have it.
func (h *Hierarchy) declaresField(t TypeID, name, desc string, seen *[]TypeID) TypeID {
	class := h.types[t].class
	if class == nil || slices.Contains(*seen, t) {
		return NoType
	}
	for i := range class.Fields {
		if f := &class.Fields[i]; f.Name == name && f.Desc == desc {
			return t
		}
	}
	if slices.Contains(class.Primitives, facts.FieldName{Name: name, Desc: desc}) {
		return t
	}
	for _, n := range class.Interfaces {
		i := h.Lookup(n)
		if _, is := slices.BinarySearch(h.types[t].ifaces, i); !is { // a malformed class is its own supertype
			continue
		}
		if d := h.declaresField(i, name, desc, seen); d != NoType {
			return d
		}
		*seen = append(*seen, i)
	}
	return NoType
}

// resolveInSuperinterfaces finds the one maximally-specific superinterface
// method that is not abstract, else any that is neither private nor static
// (JVMS 5.4.3.3, last steps). A class loaded earlier has the smaller number, so
// the choice is deterministic.
func (h *Hierarchy) resolveInSuperinterfaces(t TypeID, s SelectorID) MethodID {
	if m := h.defaultMethod(t, s); m != NoMethod {
		return m
	}
	for _, i := range h.types[t].ifaces {
		if m := h.Declared(i, s); m != NoMethod && h.Method(m).Access&(AccPrivate|AccStatic) == 0 {
			return m
		}
	}
	return NoMethod
}

// defaultMethod is the only maximally-specific superinterface method of t for
// s, if it is not abstract.
func (h *Hierarchy) defaultMethod(t TypeID, s SelectorID) MethodID {
	found := NoMethod
	for _, i := range h.types[t].ifaces {
		m := h.Declared(i, s)
		if m == NoMethod || h.Method(m).Access&(AccPrivate|AccStatic|AccAbstract) != 0 || h.hidden(t, i, s) {
			continue
		}
		if found != NoMethod {
			return NoMethod
		}
		found = m
	}
	return found
}

// hidden tells whether another superinterface of t that extends i declares s
// again.
func (h *Hierarchy) hidden(t, i TypeID, s SelectorID) bool {
	for _, j := range h.types[t].ifaces {
		if j == i || !h.IsSubtype(j, i) {
			continue
		}
		if m := h.Declared(j, s); m != NoMethod && h.Method(m).Access&(AccPrivate|AccStatic) == 0 {
			return true
		}
	}
	return false
}

// signaturePolymorphic finds a method of MethodHandle or VarHandle that is
// called with any descriptor (JVMS 2.9.3).
func (h *Hierarchy) signaturePolymorphic(t TypeID, name string) MethodID {
	n := h.types[t].name
	if n != "java/lang/invoke/MethodHandle" && n != "java/lang/invoke/VarHandle" || h.types[t].class == nil {
		return NoMethod
	}
	for i := range h.types[t].class.Methods {
		m := &h.types[t].class.Methods[i]
		if m.Name == name && IsSignaturePolymorphic(n, m.Access, m.Desc) {
			return h.MethodAt(t, i)
		}
	}
	return NoMethod
}

// IsSignaturePolymorphic tells whether a method of that class, access and
// descriptor is signature polymorphic (JVMS 2.9.3).
func IsSignaturePolymorphic(class string, access uint16, desc string) bool {
	return (class == "java/lang/invoke/MethodHandle" || class == "java/lang/invoke/VarHandle") &&
		access&(AccNative|AccVarargs) == AccNative|AccVarargs && strings.HasPrefix(desc, "([Ljava/lang/Object;)")
}

// ResolveSpecial finds the method that an invokespecial in class current
// executes (JVMS 6.5 invokespecial): a reference to a superclass's method is
// looked up from the direct superclass of the current class.
func (h *Hierarchy) ResolveSpecial(current, t TypeID, name, desc string) MethodID {
	if name != "<init>" && !h.IsInterface(t) && t != current && h.IsSubtype(current, t) {
		if s := h.types[current].super; s != NoType {
			t = s
		}
	}
	return h.Resolve(t, name, desc)
}
