package pointsto

// This file decides which of the methods that runs entered, and that the call graph of then did not
// reach, are called by reflection. A class that a program loads by a computed name brings dozens of
// methods that its own code calls with objects of its own; as callees of reflection each would be
// given anything. So with Containers a method counts as one only if it is still not reached when
// what calls it may be, unless it was seen that reflection called it (callgraph.ExtraEdge.Entered
// is false then). The other policies have all of them: their links are to be a superset.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// madeByFramework tells whether a method is the constructor of a class with entry points. It is
// reached, whatever was observed, and what tests of others entered of it was called by reflection,
// too.
func (s *solver) madeByFramework(m hierarchy.MethodID) bool {
	class := s.H.Name(s.H.Owner(m))
	return s.H.Method(m).Name == "<init>" &&
		slices.ContainsFunc(s.Config.Entries, func(e features.MethodRef) bool { return e.Class == class })
}

// observeMore adds, when all has been solved, reflective calls of observed methods that are not
// reached: of those that no other one of them may call, or of the first. It tells whether there was
// one.
func (s *solver) observeMore() bool {
	s.pending = slices.DeleteFunc(s.pending, func(m hierarchy.MethodID) bool { return s.info(m).node != 0 })
	if len(s.pending) == 0 {
		s.pending = nil
		return false
	}
	s.late = true
	called := s.mayCall(s.pending)
	added := false
	for _, m := range s.pending {
		if !called[s.calledAs(m)] {
			s.observeMethod(m)
			added = true
		}
	}
	if !added { // they call each other
		s.observeMethod(s.pending[0])
	}
	return true
}

// callName is what a call of a method names: constructors and initialisers with their class, others
// by name and descriptor, for the class that is named may be any supertype.
type callName struct{ class, name, desc string }

func (s *solver) calledAs(m hierarchy.MethodID) callName {
	f := s.H.Method(m)
	switch f.Name {
	case "<clinit>":
		return callName{s.H.Name(s.H.Owner(m)), f.Name, ""}
	case "<init>":
		return callName{s.H.Name(s.H.Owner(m)), f.Name, f.Desc}
	}
	return callName{"", f.Name, f.Desc}
}

// mayCall is what the code of methods calls, makes lambdas of, and initialises.
func (s *solver) mayCall(methods []hierarchy.MethodID) map[callName]bool {
	out := map[callName]bool{}
	var of callName // the method that is looked at: that it may call itself is no reason to leave it
	add := func(owner, name, desc string) {
		if name != "<init>" {
			owner = ""
		}
		if c := (callName{owner, name, desc}); c != of {
			out[c] = true
		}
	}
	for _, m := range methods {
		f := s.H.Method(m)
		of = s.calledAs(m)
		for i := range f.Calls {
			c := &f.Calls[i]
			if c.Kind != facts.Dynamic {
				add(c.Owner, c.Name, c.Desc)
				continue
			}
			for _, h := range append([]facts.Handle{c.Indy().Impl}, c.Indy().Handles...) {
				add(h.Owner, h.Name, h.Desc)
			}
		}
		if f.Name != "<clinit>" {
			out[callName{s.H.Name(s.H.Owner(m)), "<clinit>", ""}] = true
		}
		for i := range f.Inits {
			x := &f.Inits[i]
			name := x.Class
			if t := s.H.Lookup(name); t != hierarchy.NoType {
				if t = features.Initialised(s.H, s.H.Owner(m), t, x.Field); t == hierarchy.NoType {
					continue
				}
				name = s.H.Name(t)
			}
			out[callName{name, "<clinit>", ""}] = true
		}
	}
	return out
}

// observe adds observed instances, and reflective calls whose caller is not
// known.
func (s *solver) observe() {
	for _, c := range s.Config.Extra.Instantiated {
		if s.H.Present(c) {
			t := s.H.Load(c, "")
			s.ReflectObject(c)
			s.Made(t)
			s.ReflectConstructors(t, c)
		}
	}
	s.MakeGenerated()
	for _, e := range s.Config.Extra.Edges {
		if e.From.Class != "" {
			continue
		}
		s.eachMethod(e.To, func(_ hierarchy.TypeID, m hierarchy.MethodID) {
			if s.policy == Containers && e.Entered && !s.madeByFramework(m) {
				s.pending = append(s.pending, m)
			} else {
				s.observeMethod(m)
			}
		})
	}
}

// observeMethod adds a reflective call of a method whose caller is not known.
func (s *solver) observeMethod(m hierarchy.MethodID) {
	f, t := s.H.Method(m), s.H.Owner(m)
	if f.Access&hierarchy.AccStatic == 0 {
		s.ReflectObject(s.H.Name(t))
		s.Made(t)
	}
	switch f.Name {
	case "<clinit>":
		s.AddMember(model.PoolInit, s.inst(m, 0), 0)
	case "<init>":
		s.Construct(m, true)
	default:
		inst := s.inst(m, 0)
		s.AddMember(model.PoolMethods, inst, 0)
		s.AddMember(model.PoolNamed, inst, 0)
		s.AddMember(model.PoolAny, inst, 0) // the frames of handles are hidden
		s.PassAnything(inst)
	}
}

// observed adds the observed calls of the method being visited: see package
// callgraph.
func (v *visitor) observed(id hierarchy.MethodID) {
	s := v.solver
	if len(s.Config.Extra.Edges) == 0 {
		return
	}
	for _, e := range s.Config.Extra.Edges {
		if !e.Of(v.Class.Name, v.Method) {
			continue
		}
		s.eachMethod(e.To, func(t hierarchy.TypeID, to hierarchy.MethodID) {
			if e.Try != 0 {
				callee := int32(0)
				if slices.Contains(s.pending, to) { // runs entered it, too: its code counts
					callee = s.inst(to, 0)
				} else {
					callee = s.seen(to)
				}
				v.observedSite(e, to, callee)
				return
			}
			callee := s.inst(to, 0)
			if s.H.Method(to).Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
				s.Made(t)
				s.Flow(s.Single(s.H.Name(t)), s.insts[callee].base, noFilter)
			}
			s.PassAnything(callee)
			v.observedSite(e, to, callee)
		})
	}
}

// observedSite adds one observed call.
func (v *visitor) observedSite(e callgraph.ExtraEdge, to hierarchy.MethodID, callee int32) {
	s := v.solver
	add := func(o callgraph.Origin, index int) {
		site := s.site(v.Inst, e.Kind, o, index)
		s.isites[site].unknown = true
		s.refOf(site, to)
		s.callEdge(site, callee)
	}
	for i := range v.Method.Calls {
		if e.Try == 0 && (e.Line == 0 || v.Method.Calls[i].Line == e.Line) {
			s.Flow(s.insts[callee].ret, s.ops[i].result, noFilter)
		}
	}
	places := e.Places(v.Method)
	for _, i := range places {
		add(callgraph.FromCalls, i)
	}
	if len(places) == 0 && e.Try == 0 {
		add(callgraph.FromModel, int(e.Line))
	}
}

// calledUnknown tells whether runs saw that a method was called with arguments of which nothing is
// known (callgraph.ExtraEdge.Try), so that its variables do not have all that they may point to.
func (s *solver) calledUnknown(m hierarchy.MethodID) bool {
	if len(s.Config.Extra.Edges) == 0 {
		return false
	}
	class, f := s.H.Name(s.H.Owner(m)), s.H.Method(m)
	return slices.ContainsFunc(s.Config.Extra.Edges, func(e callgraph.ExtraEdge) bool {
		return e.Try != 0 && e.To.Class == class && e.To.Name == f.Name && (e.To.Desc == "" || e.To.Desc == f.Desc)
	})
}

// eachMethod calls f for the methods that a reference names.
func (s *solver) eachMethod(r features.MethodRef, f func(hierarchy.TypeID, hierarchy.MethodID)) {
	if !s.H.Present(r.Class) {
		return
	}
	t := s.H.Load(r.Class, "")
	class := s.H.Facts(t)
	for i := range class.Methods {
		if class.Methods[i].Name == r.Name && (r.Desc == "" || r.Desc == class.Methods[i].Desc) {
			f(t, s.H.MethodAt(t, i))
		}
	}
}
