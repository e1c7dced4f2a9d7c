package pointsto

// This file makes the objects of classes that libraries generate as a program runs: see package
// callgraph.

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// lent are the generated classes, and a variable that points to the objects of each root that
// libraries give.
type lent struct {
	classes *features.Generated
	any     int32   // points to all of them
	objects []int32 // by classes.Roots; 0 where reflection makes them
	// methods are by name of the generated class.
	methods map[string]lentMethod
}

// generated makes the objects of generated classes, as far as their own code does not.
func (s *solver) generated() {
	s.lent.classes = features.NewGenerated(s.h.Source(), s.cfg.Extra.Generated, s.cfg.Workspace)
	s.lent.objects = make([]int32, len(s.lent.classes.Roots))
	for i, r := range s.lent.classes.Roots {
		if !s.h.Present(r.Class) {
			continue
		}
		t := s.h.Load(r.Class, "")
		if !s.h.Instantiable(t) {
			continue
		}
		one := s.single(r.Class)
		s.created(t)
		if len(r.Libraries) == 0 {
			s.Flow(one, s.reflects.objects, noFilter)
			s.reflectConstructors(t, r.Class)
			continue
		}
		s.lent.objects[i] = one
		s.Flow(one, s.lent.any, noFilter)
		s.createByReflection(t, func(m hierarchy.MethodID) {
			s.Flow(one, s.insts[s.inst(m, 0)].base, noFilter)
		})
	}
	for _, m := range s.passed[passedKind(false)].makers {
		s.proxiesSeen(m)
	}
}

// proxiesSeen lets a call that makes proxies make those of which runs saw the classes, unless its
// method names all that it makes proxies of.
func (s *solver) proxiesSeen(m proxyMaker) {
	if s.lent.classes == nil || len(s.lent.classes.Proxies) == 0 || features.NamesProxied(s.h.Method(m.m)) {
		return
	}
	class := s.h.Name(s.h.Owner(m.m))
	for i := range s.lent.classes.Proxies {
		p := &s.lent.classes.Proxies[i]
		if !p.MadeBy(class, s.contexts.workspace[class]) {
			continue
		}
		var ifaces []hierarchy.TypeID
		for _, n := range p.Interfaces {
			if s.h.Present(n) {
				ifaces = append(ifaces, s.h.Load(n, ""))
			}
		}
		if len(ifaces) > 0 {
			s.proxyAt(ifaces, m)
		}
	}
}

// lentMethod is the object that stands for the Methods that the code of one generated class looks
// up.
type lentMethod struct {
	object Object
	site   int32 // of the synthetic instance that calls them
	args   int32 // variable of what they are called on and with
}

// looksUp lets a call in generated code give the Method that it looks up: an object of its own, so
// that it is invoked where that gets to, and not by whoever invokes methods.
func (v *visitor) looksUp(i int, c *facts.Call, classes []string) {
	s := v.solver
	name, ok := features.StringConstant(c)
	if !ok {
		return
	}
	of, ok := s.lent.methods[v.class.Name]
	if !ok {
		of = s.newLentMethod()
		s.lent.methods[v.class.Name] = of
	}
	ret := s.insts[s.isites[of.site].inst].ret
	for _, n := range classes {
		t := s.h.Load(n, v.class.Name)
		s.eachNamed(t, name, func(m hierarchy.MethodID) {
			callee := s.calledOn(t, m)
			s.callEdge(of.site, callee)
			s.passReflected(callee, 0, of.args, ret, false)
			s.invokeStatic(m, v.class.Name)
		})
	}
	if to := s.ops[i].result; to != 0 {
		s.AddObject(to, of.object)
	}
	s.allocs = append(s.allocs, of.object)
}

// newLentMethod makes the object, and what invoking it reaches.
func (s *solver) newLentMethod() lentMethod {
	const receiverAndArguments = 2
	w := s.synthetic(receiverAndArguments)
	site := s.site(w, callgraph.Reflection, callgraph.FromModel, 0)
	s.isites[site].unknown = true
	args := s.NewVar()
	s.Watch(args, solve.UseElemLoad, args, 0)
	for k := range int32(receiverAndArguments) {
		s.Flow(s.insts[w].base+k, args, noFilter)
	}
	class := s.h.Load(reflectedMethod, "")
	s.lambdas = append(s.lambdas, lambda{ifaces: []hierarchy.TypeID{class}, inst: w, method: true})
	o := s.newObject(s.newType(typeInfo{class: class, lambda: int32(len(s.lambdas) - 1)}))
	return lentMethod{o, site, args}
}

const reflectedMethod = "java/lang/reflect/Method"

// invokeLent lets a call of Method.invoke on the k-th of lambdas, a lent Method, reach what that
// stands for. The body of Method.invoke runs as well.
func (s *solver) invokeLent(call, k int32) {
	c := s.calls[call]
	if m := s.h.Method(c.m); m.Name != "invoke" || s.h.Name(s.h.Owner(c.m)) != reflectedMethod {
		return
	}
	p := s.linked.At(uint64(call)<<32 | 1<<31 | uint64(k))
	if *p != 0 {
		return
	}
	*p = 1
	in := s.insts[s.lambdas[k].inst]
	s.callEdge(c.site, s.lambdas[k].inst)
	for i := range min(int(c.nargs), int(in.params)) {
		s.Flow(s.ipool[int(c.args)+i], in.base+int32(i), noFilter)
	}
	s.Flow(in.ret, c.result, noFilter)
}

// lends lets a call of code of the workspace return what a library generates.
func (v *visitor) lends(c *facts.Call, result int32) {
	s := v.solver
	if result == 0 || s.lent.classes == nil || !s.contexts.workspace[v.class.Name] {
		return
	}
	for i := range s.lent.classes.Roots {
		if o := s.lent.objects[i]; o != 0 && s.lent.classes.Roots[i].Gives(c) {
			s.Flow(o, result, s.resultFilter(c.Desc))
		}
	}
}

// helped has the library call back the helpers that the method makes.
func (v *visitor) helped() {
	s := v.solver
	if s.lent.classes == nil {
		return
	}
	for _, n := range s.lent.classes.Helped(v.m) {
		for _, id := range features.HelperMethods(s.h, s.h.Load(n, "")) {
			site := s.site(v.inst, callgraph.Upcall, callgraph.FromModel, 0)
			callee := s.inst(id, 0)
			s.refOf(site, id)
			s.callEdge(site, callee)
			s.Flow(s.AnyOf(s.filterClass(s.h.Owner(id))), s.insts[callee].base, noFilter)
		}
	}
}
