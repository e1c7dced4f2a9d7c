package pointsto

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

import (
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
)

// passedInterfaces are those that methods pass as class constants to others that make proxies of
// one kind (callgraph.NameFlow.Interfaces), and the calls in these that do.
type passedInterfaces struct {
	list   []passedTo
	makers []proxyMaker
}

// passedTo is an interface and a method that makes a proxy of it.
type passedTo struct {
	t hierarchy.TypeID
	m hierarchy.MethodID
}

// proxyMaker is a call that makes proxies of interfaces that its method is given.
type proxyMaker struct {
	inst   int32 // of the method
	m      hierarchy.MethodID
	result int32 // variable of the proxy
	passed int32 // variable of what the proxy's calls go to, and of what comes with it where it invokes handles
}

// proxy makes the object of a Proxy.newProxyInstance: its methods call the
// handler.
func (v *visitor) proxy(i int, named []string) {
	s := v.solver
	op := s.ops[i]
	args := s.opArgs[op.args : op.args+op.n]
	if len(args) < 3 {
		return
	}
	v.makesProxy(op.result, args[2], named)
}

// proxyClass makes the objects of the class that a Proxy.getProxyClass returns: its constructor is
// called by reflection or by a handle, with a handler.
func (v *visitor) proxyClass(named []string) {
	s := v.solver
	made, handler := s.NewVar(), s.NewVar()
	given := s.filterClass(s.h.Load(features.InvocationHandler, ""))
	for _, kind := range []int8{poolConstructors, poolHandles, poolAny} {
		s.Flow(s.pools[kind].args, handler, given)
		s.Flow(made, s.pools[kind].results, noFilter)
	}
	v.makesProxy(made, handler, named)
}

// makesProxy makes the proxy of the interfaces that the method names, and those of interfaces that
// it is given.
func (v *visitor) makesProxy(result, passed int32, named []string) {
	s := v.solver
	v.makesOfPassed(false, result, []int32{passed})
	var ifaces []hierarchy.TypeID
	for _, n := range named {
		if t := s.h.Load(n, v.class.Name); s.h.IsInterface(t) && !slices.Contains(ifaces, t) {
			ifaces = append(ifaces, t)
		}
	}
	if len(ifaces) > 0 {
		if k, ok := s.proxyOf(ifaces, v.class.Name); ok {
			s.Flow(passed, s.handledBy(v.alloc(result, s.newType(typeInfo{class: ifaces[0], lambda: k})), k),
				noFilter)
		}
	}
}

// proxyOf adds what is known of the proxies of some interfaces that code of the class by makes,
// before there is an object.
func (s *solver) proxyOf(ifaces []hierarchy.TypeID, by string) (k int32, ok bool) {
	handler := s.h.Load(features.InvocationHandler, "")
	invoke := s.h.Resolve(handler, "invoke", features.HandlerInvoke)
	if invoke == hierarchy.NoMethod {
		return 0, false
	}
	for _, t := range ifaces {
		for _, x := range append([]hierarchy.TypeID{t}, s.h.Superinterfaces(t)...) {
			f := s.h.Facts(x)
			for i := 0; f != nil && i < len(f.Methods); i++ {
				if f.Methods[i].Access&(hierarchy.AccStatic|hierarchy.AccPrivate) == 0 {
					s.invocable(x, s.h.MethodAt(x, i), by)
					if f.Methods[i].Access&hierarchy.AccAbstract == 0 { // see callgraph's proxiedDefault
						inst := s.inst(s.h.MethodAt(x, i), 0)
						s.member(poolDefaults, inst, 0)
						if !natives.OfJDK(by) {
							s.member(poolNamed, inst, 0)
						}
					}
				}
			}
		}
	}
	s.lambdas = append(s.lambdas, lambda{proxy: true, ifaces: ifaces, inst: s.wrapper(handler, invoke)})
	return int32(len(s.lambdas) - 1), true
}

// handledBy ties a proxy to its handler, whose variable it returns.
func (s *solver) handledBy(o Object, k int32) int32 {
	l := &s.lambdas[k]
	in := s.insts[l.inst]
	h := s.FieldVar(o, s.capture(0))
	s.Flow(h, in.base, noFilter)
	s.AddObject(in.base+1, o)
	s.Flow(s.single("java/lang/reflect/Method"), in.base+2, noFilter)
	array := s.newObject(s.arrayType("[Ljava/lang/Object;"))
	s.created2[l.inst] = append(s.created2[l.inst], array)
	s.AddObject(in.base+3, array)
	l.captured = []int32{h, s.ElemVar(array)}
	return h
}

// handleProxy makes the object of an interface that invokes handles: what asInterfaceInstance
// returns, or what invoking the target of the call site returns that LambdaMetafactory makes.
func (v *visitor) handleProxy(i int, c *facts.Call, named []string) {
	s := v.solver
	op := s.ops[i]
	args := s.opArgs[op.args : op.args+op.n]
	meta := c.Owner == "java/lang/invoke/LambdaMetafactory"
	if !meta {
		v.makesOfPassed(true, op.result, args)
	}
	for _, n := range named {
		t := s.h.Load(n, v.class.Name)
		if !s.h.IsInterface(t) {
			continue
		}
		k, ok := s.invokerOf(t)
		if !ok {
			continue
		}
		to := op.result
		if meta {
			to = s.NewVar()
			s.Flow(to, s.pools[poolAny].results, noFilter)
		}
		captured := s.invokes(v.alloc(to, s.newType(typeInfo{class: t, lambda: k})), k)
		for _, a := range args {
			s.Flow(a, captured, noFilter)
		}
	}
}

// invokerOf adds what is known of the objects of an interface that invoke handles, before there is
// one; false where it has no abstract method.
func (s *solver) invokerOf(t hierarchy.TypeID) (k int32, ok bool) {
	l := lambda{proxy: true, ifaces: []hierarchy.TypeID{t}, sams: features.AbstractSelectors(s.h, t)}
	if len(l.sams) == 0 {
		return 0, false
	}
	l.inst = s.synthetic(1)
	in := s.insts[l.inst]
	s.callPool(s.site(l.inst, callgraph.Call, callgraph.FromModel, 0), poolAny, []int32{in.base}, in.ret, noFilter)
	s.lambdas = append(s.lambdas, l)
	return int32(len(s.lambdas) - 1), true
}

// invokes ties an object to the handles that it invokes, and returns the variable of what it keeps.
func (s *solver) invokes(o Object, k int32) int32 {
	l := &s.lambdas[k]
	l.captured = []int32{s.FieldVar(o, s.capture(0)), s.insts[l.inst].base}
	return l.captured[0]
}

// passedKind is the place of what proxies, or what invokes handles, is made of among solver.passed.
func passedKind(handle bool) int {
	if handle {
		return 1
	}
	return 0
}

// makesOfPassed lets a call make the proxies of the interfaces that are passed to its method.
func (v *visitor) makesOfPassed(handle bool, result int32, args []int32) {
	s := v.solver
	p := &s.passed[passedKind(handle)]
	to := s.NewVar()
	for _, a := range args {
		s.Flow(a, to, noFilter)
	}
	m := proxyMaker{inst: v.inst, m: s.insts[v.inst].method, result: result, passed: to}
	p.makers = append(p.makers, m)
	for _, i := range p.list {
		if i.m == m.m {
			s.proxyOfPassed(i.t, handle, m)
		}
	}
	if !handle {
		s.proxiesSeen(m)
	}
}

// passes has the calls that make proxies of what they are given make that of an interface that a
// method passes to theirs.
func (s *solver) passes(i features.PassedInterface, by string) {
	p := &s.passed[passedKind(i.Handle)]
	for _, m := range i.Makers {
		to := passedTo{s.h.Load(i.Name, by), m}
		if slices.Contains(p.list, to) {
			continue
		}
		p.list = append(p.list, to)
		for _, x := range p.makers {
			if x.m == m {
				s.proxyOfPassed(to.t, i.Handle, x)
			}
		}
	}
}

// proxyOfPassed makes the proxy of an interface at a call.
func (s *solver) proxyOfPassed(t hierarchy.TypeID, handle bool, m proxyMaker) {
	if !handle {
		s.proxyAt([]hierarchy.TypeID{t}, m)
		return
	}
	if k, ok := s.invokerOf(t); ok {
		s.Flow(m.passed, s.invokes(s.madeAt(t, k, m), k), noFilter)
	}
}

// proxyAt makes a proxy of some interfaces at a call.
func (s *solver) proxyAt(ifaces []hierarchy.TypeID, m proxyMaker) {
	if k, ok := s.proxyOf(ifaces, s.h.Name(s.h.Owner(m.m))); ok {
		s.Flow(m.passed, s.handledBy(s.madeAt(ifaces[0], k, m), k), noFilter)
	}
}

// madeAt is the object of the k-th of lambdas that a call makes.
func (s *solver) madeAt(t hierarchy.TypeID, k int32, m proxyMaker) Object {
	o := s.newObject(s.newType(typeInfo{class: t, lambda: k}))
	s.created2[m.inst] = append(s.created2[m.inst], o)
	if m.result != 0 {
		s.AddObject(m.result, o)
	}
	return o
}

// proxyCall makes a call on a proxy object; false where the method called is
// not one of its interfaces'.
func (s *solver) proxyCall(call, k int32) bool {
	c := s.calls[call]
	l := &s.lambdas[k]
	m := s.h.Method(c.m)
	if m.Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return false
	}
	owner := s.h.Owner(c.m)
	declared := false
	for _, i := range l.ifaces {
		declared = declared || i == owner || s.h.IsSubtype(i, owner) && owner != s.h.Object()
	}
	for _, x := range features.ProxiedOfObject {
		declared = declared || m.Name == x.Name && m.Desc == x.Desc
	}
	if len(l.sams) > 0 { // it invokes handles
		declared = slices.Contains(l.sams, s.h.SelectorOf(c.m))
	}
	if !declared {
		return false
	}
	p := s.linked.At(uint64(call)<<32 | 1<<31 | uint64(k))
	if *p != 0 {
		return true
	}
	*p = 1
	s.callEdge(c.site, l.inst)
	for i := range int(c.nargs) {
		s.Flow(s.ipool[int(c.args)+i], l.captured[1], noFilter)
	}
	kinds := s.kindsOf(m.Desc)
	for i := range len(kinds) - 1 {
		s.Flow(s.box(kinds[i]), l.captured[1], noFilter)
	}
	s.Flow(s.insts[l.inst].ret, c.result, s.resultFilter(m.Desc))
	return true
}
