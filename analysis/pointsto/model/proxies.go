package model

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
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
func (v *Visit) proxy(i int, named []string) {
	s := v.Model
	args, result := s.sink.Operands(i)
	if len(args) < 3 {
		return
	}
	v.makesProxy(result, args[2], named)
}

// proxyClass makes the objects of the class that a Proxy.getProxyClass returns: its constructor is
// called by reflection or by a handle, with a handler.
func (v *Visit) proxyClass(named []string) {
	s := v.Model
	made, handler := s.NewVar(), s.NewVar()
	given := s.FilterClass(s.H.Load(features.InvocationHandler, ""))
	for _, kind := range []int8{PoolConstructors, PoolHandles, PoolAny} {
		s.Flow(s.pools[kind].args, handler, given)
		s.Flow(made, s.pools[kind].results, solve.NoFilter)
	}
	v.makesProxy(made, handler, named)
}

// makesProxy makes the proxy of the interfaces that the method names, and those of interfaces that
// it is given.
func (v *Visit) makesProxy(result, passed int32, named []string) {
	s := v.Model
	v.makesOfPassed(false, result, []int32{passed})
	var ifaces []hierarchy.TypeID
	for _, n := range named {
		if t := s.H.Load(n, v.Class.Name); s.H.IsInterface(t) && !slices.Contains(ifaces, t) {
			ifaces = append(ifaces, t)
		}
	}
	if len(ifaces) > 0 {
		if k, ok := s.proxyOf(ifaces, v.Class.Name); ok {
			s.Flow(passed, s.handledBy(s.sink.Allocate(v, result, s.LambdaType(ifaces[0], k, ifaces)), k),
				solve.NoFilter)
		}
	}
}

// proxyOf adds what is known of the proxies of some interfaces that code of the class by makes,
// before there is an object.
func (s *Model) proxyOf(ifaces []hierarchy.TypeID, by string) (k int32, ok bool) {
	handler := s.H.Load(features.InvocationHandler, "")
	invoke := s.H.Resolve(handler, "invoke", features.HandlerInvoke)
	if invoke == hierarchy.NoMethod {
		return 0, false
	}
	for _, t := range ifaces {
		for _, x := range append([]hierarchy.TypeID{t}, s.H.Superinterfaces(t)...) {
			f := s.H.Facts(x)
			for i := 0; f != nil && i < len(f.Methods); i++ {
				if f.Methods[i].Access&(hierarchy.AccStatic|hierarchy.AccPrivate) == 0 {
					s.invocable(x, s.H.MethodAt(x, i), by)
					if f.Methods[i].Access&hierarchy.AccAbstract == 0 { // see callgraph's proxiedDefault
						inst := s.sink.Reach(s.H.MethodAt(x, i))
						s.AddMember(PoolDefaults, inst, 0)
						if !natives.OfJDK(by) {
							s.AddMember(PoolNamed, inst, 0)
						}
					}
				}
			}
		}
	}
	s.lambdas = append(s.lambdas, Lambda{proxy: true, Ifaces: ifaces, Inst: s.wrapper(handler, invoke)})
	return int32(len(s.lambdas) - 1), true
}

// handledBy ties a proxy to its handler, whose variable it returns.
func (s *Model) handledBy(o solve.Object, k int32) int32 {
	l := &s.lambdas[k]
	in := s.sink.Instance(l.Inst)
	h := s.FieldVar(o, s.Captured(0))
	s.Flow(h, in.Base, solve.NoFilter)
	s.AddObject(in.Base+1, o)
	s.Flow(s.Single(features.MethodClass), in.Base+2, solve.NoFilter)
	array := s.MakeObject(s.ArrayType("[Ljava/lang/Object;"))
	s.sink.MadeIn(l.Inst, array)
	s.AddObject(in.Base+3, array)
	l.Captured = []int32{h, s.ElemVar(array)}
	return h
}

// handleProxy makes the object of an interface that invokes handles: what asInterfaceInstance
// returns, or what invoking the target of the call site returns that LambdaMetafactory makes.
func (v *Visit) handleProxy(i int, c *facts.Call, named []string) {
	s := v.Model
	args, result := s.sink.Operands(i)
	meta := c.Owner == "java/lang/invoke/LambdaMetafactory"
	if !meta {
		v.makesOfPassed(true, result, args)
	}
	for _, n := range named {
		t := s.H.Load(n, v.Class.Name)
		if !s.H.IsInterface(t) {
			continue
		}
		k, ok := s.invokerOf(t)
		if !ok {
			continue
		}
		to := result
		if meta {
			to = s.NewVar()
			s.Flow(to, s.pools[PoolAny].results, solve.NoFilter)
		}
		captured := s.invokes(s.sink.Allocate(v, to, s.LambdaType(t, k, s.lambdas[k].Ifaces)), k)
		for _, a := range args {
			s.Flow(a, captured, solve.NoFilter)
		}
	}
}

// invokerOf adds what is known of the objects of an interface that invoke handles, before there is
// one; false where it has no abstract method.
func (s *Model) invokerOf(t hierarchy.TypeID) (k int32, ok bool) {
	l := Lambda{proxy: true, Ifaces: []hierarchy.TypeID{t}, sams: features.AbstractSelectors(s.H, t)}
	if len(l.sams) == 0 {
		return 0, false
	}
	l.Inst = s.sink.MakeNode(1)
	in := s.sink.Instance(l.Inst)
	site := s.sink.AddSite(l.Inst, callgraph.Call, callgraph.FromModel, 0)
	s.callPool(site, PoolAny, []int32{in.Base}, in.Ret, solve.NoFilter)
	s.lambdas = append(s.lambdas, l)
	return int32(len(s.lambdas) - 1), true
}

// invokes ties an object to the handles that it invokes, and returns the variable of what it keeps.
func (s *Model) invokes(o solve.Object, k int32) int32 {
	l := &s.lambdas[k]
	l.Captured = []int32{s.FieldVar(o, s.Captured(0)), s.sink.Instance(l.Inst).Base}
	return l.Captured[0]
}

// passedKind is the place of what proxies, or what invokes handles, is made of among solver.passed.
func passedKind(handle bool) int {
	if handle {
		return 1
	}
	return 0
}

// makesOfPassed lets a call make the proxies of the interfaces that are passed to its method.
func (v *Visit) makesOfPassed(handle bool, result int32, args []int32) {
	s := v.Model
	p := &s.passed[passedKind(handle)]
	to := s.NewVar()
	for _, a := range args {
		s.Flow(a, to, solve.NoFilter)
	}
	m := proxyMaker{inst: v.Inst, m: s.sink.Instance(v.Inst).Method, result: result, passed: to}
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

// PassInterface has the calls that make proxies of what they are given make that of an interface
// that a method passes to theirs.
func (s *Model) PassInterface(i features.PassedInterface, by string) {
	p := &s.passed[passedKind(i.Handle)]
	for _, m := range i.Makers {
		to := passedTo{s.H.Load(i.Name, by), m}
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
func (s *Model) proxyOfPassed(t hierarchy.TypeID, handle bool, m proxyMaker) {
	if !handle {
		s.proxyAt([]hierarchy.TypeID{t}, m)
		return
	}
	if k, ok := s.invokerOf(t); ok {
		s.Flow(m.passed, s.invokes(s.madeAt(t, k, m), k), solve.NoFilter)
	}
}

// proxyAt makes a proxy of some interfaces at a call.
func (s *Model) proxyAt(ifaces []hierarchy.TypeID, m proxyMaker) {
	if k, ok := s.proxyOf(ifaces, s.H.Name(s.H.Owner(m.m))); ok {
		s.Flow(m.passed, s.handledBy(s.madeAt(ifaces[0], k, m), k), solve.NoFilter)
	}
}

// madeAt is the object of the k-th of lambdas that a call makes.
func (s *Model) madeAt(t hierarchy.TypeID, k int32, m proxyMaker) solve.Object {
	o := s.MakeObject(s.LambdaType(t, k, s.lambdas[k].Ifaces))
	s.sink.MadeIn(m.inst, o)
	if m.result != 0 {
		s.AddObject(m.result, o)
	}
	return o
}

// proxyCall makes a call on a proxy object; false where the method called is
// not one of its interfaces'.
func (s *Model) proxyCall(call, k int32) bool {
	c := s.sink.DescribeCall(call)
	l := &s.lambdas[k]
	m := s.H.Method(c.Method)
	if m.Access&(hierarchy.AccStatic|hierarchy.AccPrivate) != 0 {
		return false
	}
	owner := s.H.Owner(c.Method)
	declared := false
	for _, i := range l.Ifaces {
		declared = declared || i == owner || s.H.IsSubtype(i, owner) && owner != s.H.Object()
	}
	for _, x := range features.ProxiedOfObject {
		declared = declared || m.Name == x.Name && m.Desc == x.Desc
	}
	if len(l.sams) > 0 { // it invokes handles
		declared = slices.Contains(l.sams, s.H.SelectorOf(c.Method))
	}
	if !declared {
		return false
	}
	if !s.sink.ConnectOnce(call, k) {
		return true
	}
	s.sink.AddEdge(c.Site, l.Inst)
	for _, a := range c.Args {
		s.Flow(a, l.Captured[1], solve.NoFilter)
	}
	kinds := s.KindsOf(m.Desc)
	for i := range len(kinds) - 1 {
		s.Flow(s.Boxed(kinds[i]), l.Captured[1], solve.NoFilter)
	}
	l.returned = s.sink.Instance(l.Inst).Ret
	s.Flow(l.returned, c.Result, s.ResultFilter(m.Desc))
	return true
}
