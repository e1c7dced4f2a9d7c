package pointsto

// This file models invokedynamic: lambdas, method references, string
// concatenation, records and other bootstrap methods. A lambda object has its
// captured variables as fields.

import (
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/solve"
)

// lambda is what is known of the objects of one lambda expression or proxy.
type lambda struct {
	ifaces   []hierarchy.TypeID
	sams     []hierarchy.SelectorID
	captured []int32 // variables by position of the captured parameter, 0 for primitives
	kinds    string  // their kinds
	inst     int32   // what calling the functional method reaches
	implKind string  // kinds of the parameters and the result of the implementation
	created  int32   // of a constructor reference: the variable of the new objects, else 0
	proxy    bool
	method   bool // no lambda, but a Method that generated code looks up
}

// dynamic adds what an invokedynamic instruction does.
func (v *visitor) dynamic(i int, c *facts.Call, args []int32, result int32) {
	s := v.solver
	if c.Indy() == nil {
		s.site(v.inst, callgraph.Call, callgraph.FromCalls, i)
		return
	}
	switch c.Indy().Kind {
	case facts.LambdaIndy:
		v.lambda(i, c, args, result)
	case facts.ConcatIndy:
		v.concat(i, c, args)
		s.Flow(s.single("java/lang/String"), result, noFilter)
	case facts.RecordIndy:
		v.record(i, c, args)
		s.Flow(s.single("java/lang/String"), result, noFilter)
	case facts.SwitchIndy:
	default:
		v.otherDynamic(i, c, args, result)
	}
}

// otherDynamic calls every handle among the static arguments, with anything.
func (v *visitor) otherDynamic(i int, c *facts.Call, args []int32, result int32) {
	s := v.solver
	site := s.site(v.inst, callgraph.Call, callgraph.FromCalls, i)
	s.isites[site].unknown = true
	if result != 0 {
		v.globals = append(v.globals, result)
	}
	for _, h := range c.Indy().Handles {
		if callee, ok := s.handleInst(h, v.class.Name, ""); ok {
			s.callEdge(site, callee)
			s.passAnything(callee)
			s.Flow(s.insts[callee].ret, result, noFilter)
		}
	}
	s.Flow(s.AnyOf(s.resultFilter(c.Desc)), result, noFilter)
	if callee, ok := s.handleInst(c.Indy().Bootstrap, v.class.Name, ""); ok {
		site := s.site(v.inst, callgraph.Bootstrap, callgraph.FromCalls, i)
		s.isites[site].unknown = true
		s.callEdge(site, callee)
		s.passAnything(callee)
	}
}

// passAnything lets an instance's parameters point to whatever they may.
func (s *solver) passAnything(inst int32) {
	in := s.insts[inst]
	if in.method == hierarchy.NoMethod {
		for k := range in.params {
			s.Flow(s.Everything(), in.base+int32(k), noFilter)
		}
		return
	}
	m := s.h.Method(in.method)
	k := in.base
	if m.Access&hierarchy.AccStatic == 0 {
		s.Flow(s.AnyOf(s.filterClass(s.h.Owner(in.method))), k, noFilter)
		k++
	}
	for _, f := range s.paramFilters(m.Desc) {
		s.Flow(s.AnyOf(f), k, noFilter)
		k++
	}
}

// handleInst is the instance that calling a method handle reaches; ok is false
// for a field's handle or a method that does not exist. A handle that dispatches
// has a synthetic instance with one call. recv is a narrower receiver type, if
// known.
func (s *solver) handleInst(h facts.Handle, class, recv string) (inst int32, ok bool) {
	if h.Kind < features.RefInvokeVirtual {
		return 0, false
	}
	t := s.h.Load(h.Owner, class)
	m := s.h.Resolve(t, h.Name, h.Desc)
	if h.Kind == features.RefInvokeSpecial {
		if c := s.h.Lookup(class); c != hierarchy.NoType {
			m = s.h.ResolveSpecial(c, t, h.Name, h.Desc)
		}
	}
	if m == hierarchy.NoMethod {
		return 0, false
	}
	f := s.h.Method(m)
	if h.Kind != features.RefInvokeVirtual && h.Kind != features.RefInvokeInterface ||
		f.Access&hierarchy.AccPrivate != 0 {
		if f.Access&hierarchy.AccAbstract != 0 {
			return 0, false
		}
		if features.HandleInitializes(s.h, h.Kind, m, class) {
			return s.initializing(m), true
		}
		return s.inst(m, 0), true
	}
	if hierarchy.IsSignaturePolymorphic(s.h.Name(s.h.Owner(m)), f.Access, f.Desc) {
		w := s.synthetic(1 + 2)
		site := s.site(w, callgraph.Call, callgraph.FromModel, 0)
		s.callPool(site, poolAny, []int32{s.insts[w].base, s.insts[w].base + 1, s.insts[w].base + 2}, s.insts[w].ret,
			noFilter)
		return w, true
	}
	if recv != "" {
		if r := s.h.Load(recv, class); s.h.IsSubtype(r, t) {
			t = r
		}
	}
	return s.wrapper(t, m), true
}

// wrapper is a synthetic instance that calls m on its first parameter.
func (s *solver) wrapper(t hierarchy.TypeID, m hierarchy.MethodID) int32 {
	n := int(s.info(m).params)
	w := s.synthetic(n)
	in := s.insts[w]
	site := s.site(w, callgraph.Call, callgraph.FromModel, 0)
	args := s.parametersOf(w, m)
	k := s.virtual(site, m, s.filterClass(t), args[0], args[1:], in.ret)
	s.callOnObjects(args[0], k)
	return w
}

// parametersOf are variables of a synthetic instance for what it passes to a method: of the
// parameters' types, whatever it is called with itself.
func (s *solver) parametersOf(w int32, m hierarchy.MethodID) []int32 {
	f, base := s.h.Method(m), s.insts[w].base
	var args []int32
	if f.Access&hierarchy.AccStatic == 0 {
		args = append(args, base) // who calls it on the receiver has looked at its type
	}
	for _, filter := range s.paramFilters(f.Desc) {
		x := s.NewVar()
		s.Flow(base+int32(len(args)), x, filter)
		args = append(args, x)
	}
	return args
}

// lambda makes the object of a lambda expression.
func (v *visitor) lambda(i int, c *facts.Call, args []int32, result int32) {
	s := v.solver
	inst, ok := s.handleInst(c.Indy().Impl, v.class.Name, features.LambdaReceiver(c))
	if !ok {
		return
	}
	l := lambda{inst: inst}
	for _, n := range append([]string{c.Indy().Interface}, c.Indy().Markers...) {
		l.ifaces = append(l.ifaces, s.h.Load(n, v.class.Name))
	}
	if list := features.LambdaInitializers(s.h, l.ifaces); len(list) > 0 {
		site := s.site(v.inst, callgraph.ClassInit, callgraph.FromCalls, i)
		for _, m := range list {
			s.callEdge(site, s.inst(m, 0))
		}
	}
	l.sams = append(l.sams, s.h.Intern(c.Indy().SAM, c.Indy().SAMDesc))
	for _, d := range c.Indy().Bridges {
		l.sams = append(l.sams, s.h.Intern(c.Indy().SAM, d))
	}
	kinds := s.kindsOf(c.Desc)
	l.kinds = kinds[:len(kinds)-1]
	l.captured = make([]int32, len(l.kinds))
	impl := s.kindsOf(c.Indy().Impl.Desc)
	switch c.Indy().Impl.Kind {
	case features.RefInvokeStatic:
		l.implKind = impl
	case features.RefNewInvokeSpecial:
		l.implKind = impl
		owner := s.h.Load(c.Indy().Impl.Owner, v.class.Name)
		l.created = s.NewVar()
		if s.h.Instantiable(owner) {
			o := s.newObject(s.classType(owner))
			s.AddObject(l.created, o)
			s.Flow(l.created, s.insts[inst].base, noFilter)
			s.created2[inst] = append(s.created2[inst], o)
		}
	default:
		l.implKind = "L" + impl
	}
	k := int32(len(s.lambdas))
	s.lambdas = append(s.lambdas, l)
	class := s.h.Object()
	if len(l.ifaces) > 0 {
		class = l.ifaces[0]
	}
	o := v.alloc(result, s.newType(typeInfo{class: class, lambda: k}))
	next := 0
	for i := range l.kinds {
		if l.kinds[i] != 'L' {
			continue
		}
		if next < len(args) {
			f := s.FieldVar(o, s.capture(i))
			s.Flow(args[next], f, noFilter)
			l.captured[i] = f
		}
		next++
	}
}

// lambdaCall makes a call on a lambda object; false where the method called is
// not the functional one.
func (s *solver) lambdaCall(call, k int32, b Block, w uint64) bool {
	c := s.calls[call]
	l := &s.lambdas[k]
	if l.proxy {
		return s.proxyCall(call, k)
	}
	if l.method {
		s.invokeLent(call, k)
		return false
	}
	sel, found := s.h.SelectorOf(c.m), false
	for _, x := range l.sams {
		found = found || x == sel
	}
	if !found {
		return false
	}
	p := s.linked.At(uint64(call)<<32 | 1<<31 | uint64(k))
	if *p != 0 {
		return true
	}
	*p = 1
	s.callEdge(c.site, l.inst)
	if c.apart {
		return true
	}
	called := s.kindsOf(s.h.Method(c.m).Desc)
	given, list := l.kinds+called[:len(called)-1], make([]int32, 0, 8)
	next := int(c.args)
	for i := range given {
		x := int32(0)
		switch {
		case i < len(l.kinds):
			x = l.captured[i]
		case given[i] == 'L':
			if next < int(c.args)+int(c.nargs) {
				x = s.ipool[next]
			}
			next++
		}
		if i >= len(l.implKind)-1 || l.implKind[i] != 'L' {
			continue
		}
		if given[i] != 'L' {
			x = s.box(given[i])
		}
		list = append(list, x)
	}
	in := s.insts[l.inst]
	if l.created != 0 {
		s.Flow(l.created, c.result, noFilter)
		in.base++
		in.params--
	}
	for i := range min(len(list), int(in.params)) {
		s.Flow(list[i], in.base+int32(i), noFilter)
	}
	if r := l.implKind[len(l.implKind)-1]; l.created == 0 {
		if r == 'L' {
			s.Flow(in.ret, c.result, noFilter)
		} else {
			s.Flow(s.box(r), c.result, noFilter)
		}
	}
	return true
}

// concat adds the toString calls of a string concatenation.
func (v *visitor) concat(i int, c *facts.Call, args []int32) {
	s := v.solver
	before := s.insts[v.inst].nsites
	names := features.ReferenceParameters(c.Desc)
	for _, p := range features.ClassParameters(c.Desc) {
		if p == "java/lang/String" {
			continue
		}
		t := s.h.Load(p, v.class.Name)
		m := s.h.Resolve(t, "toString", "()Ljava/lang/String;")
		if m == hierarchy.NoMethod {
			continue
		}
		var from []int32
		for k, a := range args {
			if k < len(names) && names[k] == p {
				from = append(from, a)
			}
		}
		v.callOnAll(i, t, m, from, nil, 0)
	}
	if s.insts[v.inst].nsites == before {
		s.site(v.inst, callgraph.Call, callgraph.FromCalls, i)
	}
}

// callOnAll adds a site that calls a method on the objects of several
// variables.
func (v *visitor) callOnAll(i int, t hierarchy.TypeID, m hierarchy.MethodID, from, args []int32, result int32) {
	s := v.solver
	site := s.site(v.inst, callgraph.Call, callgraph.FromCalls, i)
	recv := int32(0)
	switch len(from) {
	case 0:
		return
	case 1:
		recv = from[0]
	default:
		recv = s.NewVar()
		for _, x := range from {
			s.Flow(x, recv, noFilter)
		}
	}
	k := s.virtual(site, m, s.filterClass(t), recv, args, result)
	s.callOnObjects(recv, k)
}

// record adds the calls of a record's toString, hashCode or equals to the
// components'.
func (v *visitor) record(i int, c *facts.Call, args []int32) {
	s := v.solver
	desc := map[string]string{"toString": "()Ljava/lang/String;", "hashCode": "()I",
		"equals": "(Ljava/lang/Object;)Z"}[c.Name]
	before := s.insts[v.inst].nsites
	for _, h := range c.Indy().Handles {
		if desc == "" || !strings.HasPrefix(h.Desc, "L") || !strings.HasSuffix(h.Desc, ";") {
			continue
		}
		t := s.h.Load(h.Desc[1:len(h.Desc)-1], v.class.Name)
		m := s.h.Resolve(t, c.Name, desc)
		if m == hierarchy.NoMethod {
			continue
		}
		f := s.field(s.h.Load(h.Owner, v.class.Name), h.Name, h.Desc)
		value := s.NewVar()
		s.loads = append(s.loads, f)
		for _, a := range args {
			s.Watch(a, solve.UseLoad, value, int32(f))
		}
		v.callOnAll(i, t, m, []int32{value}, []int32{value}[:min(1, int(s.info(m).params)-1)], 0)
	}
	if s.insts[v.inst].nsites == before {
		s.site(v.inst, callgraph.Call, callgraph.FromCalls, i)
	}
}
