package callgraph

import (
	"iter"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells which methods and classes can come and go without any other code
// meaning something else: a private helper, the body of a lambda expression, a class
// that nothing names yet.

// Edit is what is different between two programs.
type Edit struct {
	// Config is that of the program of now. Observations must be those of before.
	Config Config
	// Changed are the workspace's classes with other facts.
	Changed []features.ChangedMethods
	// Added and Removed are the workspace's classes that have come and gone.
	Added, Removed []string
}

// Inert tells whether the methods and classes that come and go with an edit mean
// nothing to other code than that which changes with it: no class above or below
// declares them, no method of reached names them, neither do observations, and neither
// the VM nor the JDK looks for them. h has the facts of before, reached are the methods
// that were reached.
func (e *Edit) Inert(h *hierarchy.Hierarchy, reached iter.Seq[hierarchy.MethodID]) bool {
	for _, c := range slices.Concat(e.Added, e.Removed) {
		if h.Lookup(c) != hierarchy.NoType || h.Asked(c) {
			return false
		}
	}
	moved := map[features.MethodKey][]hierarchy.TypeID{}
	for i := range e.Changed {
		if !e.movedBy(&e.Changed[i], h, moved) {
			return false
		}
	}
	if len(moved) == 0 {
		return true
	}
	names := map[string]bool{}
	for k := range moved {
		names[k.Name] = true
	}
	for m := range reached {
		if m != hierarchy.NoMethod && mentions(h, h.Method(m), moved, names) {
			return false
		}
	}
	return true
}

// movedBy notes the methods that a class has more or less than before; false where
// one of them may mean something to others.
func (e *Edit) movedBy(c *features.ChangedMethods, h *hierarchy.Hierarchy,
	moved map[features.MethodKey][]hierarchy.TypeID) bool {
	t := h.Lookup(c.Class.Name)
	if t == hierarchy.NoType || len(c.Added)+len(c.Gone) == 0 {
		return true
	}
	before := h.Facts(t)
	if before == nil || c.Class.Access&hierarchy.AccInterface != 0 {
		return false
	}
	note := func(m *facts.Method) bool {
		special := m.Name[0] == '<' || m.Name == "values" || m.Name == "provider" ||
			slices.ContainsFunc(e.Config.Extra.Edges,
				func(x ExtraEdge) bool { return x.To.Class == before.Name || x.From.Class == before.Name })
		for _, x := range features.SerialMethods {
			special = special || x.Name == m.Name
		}
		k := features.MethodKey{Name: m.Name, Desc: m.Desc}
		moved[k] = append(moved[k], t)
		return !special && !h.Related(t, h.Selector(m.Name, m.Desc))
	}
	for _, i := range c.Added {
		if !note(&c.Class.Methods[i]) {
			return false
		}
	}
	for _, i := range c.Gone {
		if !note(&before.Methods[i]) {
			return false
		}
	}
	return true
}

// mentions tells whether a method names one of those that come and go.
func mentions(h *hierarchy.Hierarchy, m *facts.Method, moved map[features.MethodKey][]hierarchy.TypeID,
	names map[string]bool) bool {
	is := func(owner, name, desc string) bool {
		if !names[name] {
			return false
		}
		t := h.Lookup(owner)
		return t != hierarchy.NoType && slices.ContainsFunc(moved[features.MethodKey{Name: name, Desc: desc}],
			func(c hierarchy.TypeID) bool { return h.IsSubtype(t, c) })
	}
	if slices.ContainsFunc(m.Calls, func(c facts.Call) bool { return features.ReturnsMethods(&c) }) &&
		slices.ContainsFunc(features.NamedClasses(h, m),
			func(n string) bool { return listsMoved(h, h.Lookup(n), moved) }) {
		return true
	}
	handle := func(x facts.Handle) bool { return is(x.Owner, x.Name, x.Desc) }
	for i := range m.Calls {
		c := &m.Calls[i]
		if is(c.Owner, c.Name, c.Desc) ||
			c.Indy() != nil && (handle(c.Indy().Impl) || handle(c.Indy().Bootstrap) ||
				slices.ContainsFunc(c.Indy().Handles, handle)) {
			return true
		}
		if len(c.Args()) > 0 && features.TakesNames(c) &&
			slices.ContainsFunc(c.Args(),
				func(a facts.Const) bool { return a.Kind == facts.StringConst && names[a.Value] }) {
			return true
		}
	}
	return slices.ContainsFunc(m.Handles(), handle)
}

// listsMoved tells whether one that comes or goes is a method of t, declared or inherited.
func listsMoved(h *hierarchy.Hierarchy, t hierarchy.TypeID, moved map[features.MethodKey][]hierarchy.TypeID) bool {
	for _, classes := range moved {
		if t != hierarchy.NoType && slices.ContainsFunc(classes,
			func(c hierarchy.TypeID) bool { return h.IsSubtype(t, c) }) {
			return true
		}
	}
	return false
}

// NewEntries are the entries of an edited program that the one before did not have;
// ok is false where some are gone.
func NewEntries(before, now []features.MethodRef) (out []features.MethodRef, ok bool) {
	was := make(map[features.MethodRef]bool, len(before))
	for _, e := range before {
		was[e] = true
	}
	n := 0
	for _, e := range now {
		if was[e] {
			n++
		} else {
			out = append(out, e)
		}
	}
	return out, n >= len(before)
}
