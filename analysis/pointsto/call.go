package pointsto

// This file makes the calls of a method: which methods they reach and what they
// pass.

import (
	"math/bits"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// call adds the site of one invocation.
func (v *visitor) call(i int, c *facts.Call) {
	s := v.solver
	op := s.ops[i]
	v.At = i
	args := s.opArgs[op.args : op.args+op.n]
	if c.Kind == facts.Dynamic {
		v.AddDynamic(i, c, args, op.result)
		return
	}
	t := s.H.Load(c.Owner, v.Class.Name)
	if c.Kind == facts.Special && c.Name != "<init>" {
		site := s.site(v.Inst, callgraph.Call, callgraph.FromCalls, i)
		m := s.H.ResolveSpecial(v.Type, t, c.Name, c.Desc)
		if m != hierarchy.NoMethod {
			v.LendGenerated(c, s.H.Name(s.H.Owner(m)), args, op.result)
			if v.ModelCall(c, m, args, op.result) {
				s.callApart(site, m, args)
			} else {
				v.direct(site, m, args, op.result)
			}
		}
		return
	}
	m := s.H.Resolve(t, c.Name, c.Desc)
	site := s.site(v.Inst, callgraph.Call, callgraph.FromCalls, i)
	if m == hierarchy.NoMethod {
		v.LendGenerated(c, c.Owner, args, op.result)
		return
	}
	v.LendGenerated(c, s.H.Name(s.H.Owner(m)), args, op.result)
	if strings.HasPrefix(c.Owner, "[") && c.Name == "clone" {
		if len(args) > 0 {
			s.Flow(args[0], op.result, noFilter) // the elements are the same
		}
		return
	}
	f := s.H.Method(m)
	if c.Kind == facts.Static || c.Kind == facts.Special {
		if v.ModelCall(c, m, args, op.result) {
			s.callApart(site, m, args)
		} else {
			v.direct(site, m, args, op.result)
		}
		return
	}
	owner := s.H.Name(s.H.Owner(m))
	if hierarchy.IsSignaturePolymorphic(owner, f.Access, f.Desc) {
		v.CallPolymorphic(site, c, m, args, op.result)
		return
	}
	if len(args) == 0 {
		return // of null
	}
	recv := t
	if c.Recv() != "" {
		if r := s.H.Load(c.Recv(), v.Class.Name); s.H.IsSubtype(r, t) {
			recv = r
		}
	}
	apart := v.ModelCall(c, m, args, op.result)
	if f.Access&(hierarchy.AccPrivate|hierarchy.AccStatic) != 0 || f.Name == "<init>" {
		if apart {
			s.callApart(site, m, args)
		} else {
			v.direct(site, m, args, op.result)
		}
		return
	}
	v.GiveAnnotation(c, op.result)
	k := s.virtual(site, m, s.FilterClass(recv), args[0], args[1:], op.result)
	s.calls[k].apart = apart
	s.calls[k].copies = f.Name == "clone" && owner == "java/lang/Object"
	s.calls[k].foreign = v.Row != nil && v.Row.Foreign
	v.ofResource(k, m)
	s.callOnObjects(args[0], k)
}

// virtual makes a call that is dispatched on the objects of recv. It is not
// made before recv is watched.
func (s *solver) virtual(site int32, m hierarchy.MethodID, filter, recv int32, args []int32, result int32) int32 {
	at, n := s.pooled(args)
	is := &s.isites[site]
	is.recv, is.args, is.nargs = recv, at, n
	s.refOf(site, m)
	s.calls = flat.Append(s.calls, flowCall{site: site, m: m, filter: filter, args: at, nargs: n, recv: recv,
		result: result})
	return int32(len(s.calls) - 1)
}

// refOf notes the method that a site names.
func (s *solver) refOf(site int32, m hierarchy.MethodID) {
	if g := s.isites[site].graph; g >= 0 {
		s.gsites[g].ref = m
	}
}

// direct makes a call of one method.
func (v *visitor) direct(site int32, m hierarchy.MethodID, args []int32, result int32) {
	s := v.solver
	s.refOf(site, m)
	if s.H.Method(m).Access&hierarchy.AccAbstract != 0 {
		return
	}
	at, n := s.pooled(args)
	static := s.H.Method(m).Access&hierarchy.AccStatic != 0
	is := &s.isites[site]
	is.args, is.nargs = at, n
	if !static && n > 0 {
		is.args, is.nargs = at+1, n-1
		is.recv = args[0]
	}
	if !static && n > 0 && s.objectSensitive(m) {
		k := s.virtual(site, m, noFilter, args[0], args[1:], result)
		s.calls[k].fixed = true
		s.calls[k].ctx = v.contextOf(site, v.At, m, args[0] == s.insts[v.Inst].base)
		s.callOnObjects(args[0], k)
		return
	}
	ctx := v.contextOf(site, v.At, m, n > 0 && args[0] == s.insts[v.Inst].base)
	if o := s.contexts.object[s.insts[v.Inst].ctx]; static && o != 0 && s.helps(m) {
		ctx = s.objectContext(o - 1)
	}
	callee := s.inst(m, ctx)
	s.callEdge(site, callee)
	s.Pass(callee, args, result)
}

// callApart makes a call of one method whose arguments and result are handled
// otherwise: only the receiver is passed.
func (s *solver) callApart(site int32, m hierarchy.MethodID, args []int32) {
	s.refOf(site, m)
	f := s.H.Method(m)
	if f.Access&hierarchy.AccAbstract != 0 {
		return
	}
	callee := s.inst(m, 0)
	s.callEdge(site, callee)
	at, n := s.pooled(args)
	is := &s.isites[site]
	is.args, is.nargs = at, n
	if f.Access&hierarchy.AccStatic == 0 && len(args) > 0 {
		is.args, is.nargs, is.recv = at+1, n-1, args[0]
		s.Flow(args[0], s.insts[callee].base, noFilter)
	}
}

// Call makes a call on objects of one block, which pass its filter.
func (s *solver) Call(call int32, b Block, w uint64) {
	c := &s.calls[call]
	if c.fixed {
		s.dispatchObjects(call, c.m, b, w)
		return
	}
	k := s.led(call, b, w)
	own := w & s.leads.blocks[k].own
	for i := s.leads.blocks[k].first; i != 0; i = s.leads.parts[i].next {
		if w&s.leads.parts[i].objects != 0 {
			s.link(call, s.arrive(i, b, w))
		}
	}
	for own != 0 {
		t, run := s.RunOf(Object(b)<<6 + Object(bits.TrailingZeros64(own)))
		s.dispatch(call, t, b, own&run)
		own &^= run
	}
}

// leads says where calls of a method lead on the objects of a block, so that a call
// of it need not ask for each type.
type leads struct {
	of     flat.Table // method, keyOfCall, and block -> position in blocks + 1
	blocks []leadBlock
	parts  []leadPart
}

// leadBlock is a block of objects and a method that is called on them.
type leadBlock struct {
	known uint64 // the objects that were asked for, in whole runs
	own   uint64 // those on which each call is made by itself, see dispatch
	first int32  // in leads.parts, 0: none
}

// leadPart says which of the objects of a block lead to an instance.
type leadPart struct {
	objects uint64
	arrived uint64 // those of them that the receiver of the instance has already
	inst    int32
	next    int32
}

// led is the position of a block in leads, all of the given objects being known.
func (s *solver) led(call int32, b Block, w uint64) int32 {
	c, l := &s.calls[call], &s.leads
	key := uint64(c.m)<<32 | uint64(s.keyOfCall(c))>>4 | uint64(b)
	p := l.of.At(key)
	if *p == 0 {
		if l.blocks = flat.Append(l.blocks, leadBlock{}); len(l.parts) == 0 {
			l.parts = flat.Append(l.parts, leadPart{})
		}
		*p = int32(len(l.blocks))
	}
	k := *p - 1
	for ask := w &^ l.blocks[k].known; ask != 0; {
		t, run := s.RunOf(Object(b)<<6 + Object(bits.TrailingZeros64(ask)))
		ask &^= run
		l.blocks[k].known |= run
		if s.TypeInfo(t).Lambda >= 0 {
			l.blocks[k].own |= run
			continue
		}
		switch m := s.target(call, t); {
		case m == hierarchy.NoMethod:
		case s.objectSensitive(m):
			l.blocks[k].own |= run
		default:
			s.leadTo(k, s.inst(m, s.contextOfCall(c, m)), run)
		}
	}
	return k
}

// leadTo notes that objects of a block lead to an instance.
func (s *solver) leadTo(k, inst int32, run uint64) {
	l := &s.leads
	for i := l.blocks[k].first; i != 0; i = l.parts[i].next {
		if l.parts[i].inst == inst {
			l.parts[i].objects |= run
			return
		}
	}
	l.parts = flat.Append(l.parts, leadPart{objects: run, inst: inst, next: l.blocks[k].first})
	l.blocks[k].first = int32(len(l.parts) - 1)
}

// arrive gives the receiver of a part's instance those of the objects that are of the
// part, and returns the instance.
func (s *solver) arrive(part int32, b Block, w uint64) int32 {
	p := &s.leads.parts[part]
	if w = w & p.objects &^ p.arrived; w != 0 {
		p.arrived |= w
		s.AddBits(s.insts[p.inst].base, b, w)
	}
	return p.inst
}

// dispatch makes a call on objects of one type, which pass its filter.
func (s *solver) dispatch(call int32, t typeNo, b Block, w uint64) {
	if l := s.TypeInfo(t).Lambda; l >= 0 {
		if s.CallLambda(call, l) {
			return
		}
	}
	m := s.target(call, t)
	if m == hierarchy.NoMethod {
		return
	}
	if s.objectSensitive(m) {
		s.dispatchObjects(call, m, b, w)
		return
	}
	callee := s.inst(m, s.contextOfCall(&s.calls[call], m))
	s.link(call, callee)
	s.AddBits(s.insts[callee].base, b, w)
}

// target is the method that a call reaches on objects of a type, if any.
func (s *solver) target(call int32, t typeNo) hierarchy.MethodID {
	c := &s.calls[call]
	m := s.selected(c.m, t)
	if m != hierarchy.NoMethod && c.foreign {
		if owner := s.H.Owner(m); owner != s.H.Owner(c.m) && natives.OfJDK(s.H.Name(owner)) {
			return hierarchy.NoMethod
		}
	}
	if m != hierarchy.NoMethod && s.leftOut(c, m) {
		return hierarchy.NoMethod
	}
	return m
}

// link connects a flow call with an instance, once.
func (s *solver) link(call, callee int32) {
	p := s.linked.At(uint64(call)<<32 | uint64(callee))
	if *p != 0 {
		return
	}
	*p = 1
	c := s.calls[call]
	s.callEdge(c.site, callee)
	in := &s.insts[callee]
	if c.apart && (in.method == hierarchy.NoMethod || natives.OfJDK(s.H.Name(s.H.Owner(in.method)))) {
		return // what overrides such a method in a program does what its code says
	}
	base, ret := in.base, in.ret
	n := min(int(c.nargs), int(in.params)-1)
	for k := range n {
		s.Flow(s.ipool[int(c.args)+k], base+1+int32(k), noFilter)
	}
	s.Flow(ret, c.result, noFilter)
}

// selected is the method that runs when m is called on an object of a type.
func (s *solver) selected(m hierarchy.MethodID, t typeNo) hierarchy.MethodID {
	p := s.chosen.At(uint64(m)<<32 | uint64(t))
	if *p == 0 {
		i := s.TypeInfo(t)
		var x hierarchy.MethodID
		if i.Lambda >= 0 && !s.Lambda(i.Lambda).Method {
			x = s.H.SelectLambda(s.Lambda(i.Lambda).Ifaces, s.H.SelectorOf(m))
		} else {
			x = s.H.Select(i.Class, m)
		}
		if x != hierarchy.NoMethod && s.H.Method(x).Access&hierarchy.AccAbstract != 0 {
			x = hierarchy.NoMethod
		}
		*p = int32(x) + 2
	}
	return hierarchy.MethodID(*p - 2)
}
