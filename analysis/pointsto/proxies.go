package pointsto

// This file models objects of interfaces that have no class in the program: proxies, and what
// invokes method handles.

import (
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/natives"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// proxy makes the object of a Proxy.newProxyInstance: its methods call the
// handler.
func (v *visitor) proxy(i int, named []string) {
	s := v.solver
	op := s.ops[i]
	args := s.opArgs[op.args : op.args+op.n]
	handler := s.h.Load("java/lang/reflect/InvocationHandler", v.class.Name)
	invoke := s.h.Resolve(handler, "invoke", "(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;")
	if invoke == hierarchy.NoMethod || len(args) < 3 {
		return
	}
	l := lambda{proxy: true}
	for _, n := range named {
		if t := s.h.Load(n, v.class.Name); s.h.IsInterface(t) && !slices.Contains(l.ifaces, t) {
			l.ifaces = append(l.ifaces, t)
		}
	}
	if len(l.ifaces) == 0 {
		return
	}
	for _, t := range l.ifaces {
		for _, x := range append([]hierarchy.TypeID{t}, s.h.Superinterfaces(t)...) {
			f := s.h.Facts(x)
			for i := 0; f != nil && i < len(f.Methods); i++ {
				if f.Methods[i].Access&(hierarchy.AccStatic|hierarchy.AccPrivate) == 0 {
					s.invocable(x, s.h.MethodAt(x, i), !natives.OfJDK(v.class.Name))
					if f.Methods[i].Access&hierarchy.AccAbstract == 0 { // see callgraph's proxiedDefault
						inst := s.inst(s.h.MethodAt(x, i), 0)
						s.member(poolDefaults, inst, 0)
						if !natives.OfJDK(v.class.Name) {
							s.member(poolNamed, inst, 0)
						}
					}
				}
			}
		}
	}
	l.inst = s.wrapper(handler, invoke)
	in := s.insts[l.inst]
	k := int32(len(s.lambdas))
	s.lambdas = append(s.lambdas, l)
	o := v.alloc(op.result, s.newType(typeInfo{class: l.ifaces[0], lambda: k}))
	h := s.fieldVar(o, s.capture(0))
	s.flow(args[2], h, noFilter)
	s.flow(h, in.base, noFilter)
	s.addObject(in.base+1, o)
	s.flow(s.single("java/lang/reflect/Method"), in.base+2, noFilter)
	array := s.newObject(s.arrayType("[Ljava/lang/Object;"))
	s.created2[l.inst] = append(s.created2[l.inst], array)
	s.addObject(in.base+3, array)
	s.lambdas[k].captured = []int32{h, s.elemVar(array)}
}

// handleProxy makes the object of an interface that invokes handles: what asInterfaceInstance returns, or what
// invoking the target of the call site returns that LambdaMetafactory makes.
func (v *visitor) handleProxy(i int, c *facts.Call, named []string) {
	s := v.solver
	for _, n := range named {
		t := s.h.Load(n, v.class.Name)
		if !s.h.IsInterface(t) {
			continue
		}
		l := lambda{proxy: true, ifaces: []hierarchy.TypeID{t}, sams: callgraph.AbstractSelectors(s.h, t)}
		if len(l.sams) == 0 {
			continue
		}
		l.inst = s.synthetic(1)
		in := s.insts[l.inst]
		s.callPool(s.site(l.inst, callgraph.Call, callgraph.FromModel, 0), poolAny, []int32{in.base}, in.ret, noFilter)
		k := int32(len(s.lambdas))
		to := s.ops[i].result
		if c.Owner == "java/lang/invoke/LambdaMetafactory" {
			to = s.newVar()
			s.flow(to, s.pools[poolAny].results, noFilter)
		}
		s.lambdas = append(s.lambdas, l)
		o := v.alloc(to, s.newType(typeInfo{class: t, lambda: k}))
		s.lambdas[k].captured = []int32{s.fieldVar(o, s.capture(0)), in.base}
		for _, a := range s.opArgs[s.ops[i].args : s.ops[i].args+s.ops[i].n] {
			s.flow(a, s.lambdas[k].captured[0], noFilter)
		}
	}
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
	for _, x := range callgraph.ProxiedOfObject {
		declared = declared || m.Name == x.Name && m.Desc == x.Desc
	}
	if len(l.sams) > 0 { // it invokes handles
		declared = slices.Contains(l.sams, s.h.SelectorOf(c.m))
	}
	if !declared {
		return false
	}
	p := s.linked.at(uint64(call)<<32 | 1<<31 | uint64(k))
	if *p != 0 {
		return true
	}
	*p = 1
	s.callEdge(c.site, l.inst)
	for i := range int(c.nargs) {
		s.flow(s.ipool[int(c.args)+i], l.captured[1], noFilter)
	}
	kinds := s.kindsOf(m.Desc)
	for i := range len(kinds) - 1 {
		s.flow(s.box(kinds[i]), l.captured[1], noFilter)
	}
	s.flow(s.insts[l.inst].ret, c.result, s.resultFilter(m.Desc))
	return true
}
