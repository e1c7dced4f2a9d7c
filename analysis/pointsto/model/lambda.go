package model

// This file models invokedynamic: lambdas, method references, string
// concatenation, records and other bootstrap methods. A lambda object has its
// captured variables as fields.

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// Lambda is what is known of the objects of one lambda expression or proxy.
type Lambda struct {
	Ifaces   []hierarchy.TypeID
	sams     []hierarchy.SelectorID
	Captured []int32 // variables by position of the captured parameter, 0 for primitives
	kinds    string  // their kinds
	Inst     int32   // what calling the functional method reaches
	implKind string  // kinds of the parameters and the result of the implementation
	created  int32   // of a constructor reference: the variable of the new objects, else 0
	returned int32   // the variable of what calls of the functional method return, 0 where none is made
	proxy    bool
	Method   bool // no lambda, but a Method that generated code looks up
}

// AddDynamic adds what an invokedynamic instruction does.
func (v *Visit) AddDynamic(i int, c *facts.Call, args []int32, result int32) {
	s := v.Model
	if c.Indy() == nil {
		s.sink.AddSite(v.Inst, callgraph.Call, callgraph.FromCalls, i)
		return
	}
	switch c.Indy().Kind {
	case facts.LambdaIndy:
		v.lambda(i, c, args, result)
	case facts.ConcatIndy:
		v.concat(i, c, args)
		s.Flow(s.Single("java/lang/String"), result, solve.NoFilter)
	case facts.RecordIndy:
		v.record(i, c, args)
		s.Flow(s.Single("java/lang/String"), result, solve.NoFilter)
	case facts.SwitchIndy:
	default:
		v.otherDynamic(i, c, args, result)
	}
}

// otherDynamic calls every handle among the static arguments, with anything.
func (v *Visit) otherDynamic(i int, c *facts.Call, args []int32, result int32) {
	s := v.Model
	site := s.sink.AddSite(v.Inst, callgraph.Call, callgraph.FromCalls, i)
	s.sink.MarkUnknown(site)
	if result != 0 {
		v.Model.sink.NoteGlobal(result)
	}
	for _, h := range c.Indy().Handles {
		if callee, ok := s.handleInst(h, v.Class.Name, ""); ok {
			s.sink.AddEdge(site, callee)
			s.PassAnything(callee)
			s.Flow(s.sink.Instance(callee).Ret, result, solve.NoFilter)
		}
	}
	s.Flow(s.AnyOf(s.ResultFilter(c.Desc)), result, solve.NoFilter)
	if callee, ok := s.handleInst(c.Indy().Bootstrap, v.Class.Name, ""); ok {
		site := s.sink.AddSite(v.Inst, callgraph.Bootstrap, callgraph.FromCalls, i)
		s.sink.MarkUnknown(site)
		s.sink.AddEdge(site, callee)
		s.PassAnything(callee)
	}
}

// PassAnything lets an instance's parameters point to whatever they may.
func (s *Model) PassAnything(inst int32) {
	in := s.sink.Instance(inst)
	if in.Method == hierarchy.NoMethod {
		for k := range in.Params {
			s.Flow(s.Everything(), in.Base+int32(k), solve.NoFilter)
		}
		return
	}
	m := s.H.Method(in.Method)
	k := in.Base
	if m.Access&hierarchy.AccStatic == 0 {
		s.Flow(s.AnyOf(s.FilterClass(s.H.Owner(in.Method))), k, solve.NoFilter)
		k++
	}
	for _, f := range s.ParamFilters(m.Desc) {
		s.Flow(s.AnyOf(f), k, solve.NoFilter)
		k++
	}
}

// handleInst is the instance that calling a method handle reaches; ok is false
// for a field's handle or a method that does not exist. A handle that dispatches
// has a synthetic instance with one call. recv is a narrower receiver type, if
// known.
func (s *Model) handleInst(h facts.Handle, class, recv string) (inst int32, ok bool) {
	if h.Kind < features.RefInvokeVirtual {
		return 0, false
	}
	t := s.H.Load(h.Owner, class)
	m := s.H.Resolve(t, h.Name, h.Desc)
	if h.Kind == features.RefInvokeSpecial {
		if c := s.H.Lookup(class); c != hierarchy.NoType {
			m = s.H.ResolveSpecial(c, t, h.Name, h.Desc)
		}
	}
	if m == hierarchy.NoMethod {
		return 0, false
	}
	f := s.H.Method(m)
	if h.Kind != features.RefInvokeVirtual && h.Kind != features.RefInvokeInterface ||
		f.Access&hierarchy.AccPrivate != 0 {
		if f.Access&hierarchy.AccAbstract != 0 {
			return 0, false
		}
		if features.HandleInitializes(s.H, h.Kind, m, class) {
			return s.initializing(m), true
		}
		return s.sink.Reach(m), true
	}
	if hierarchy.IsSignaturePolymorphic(s.H.Name(s.H.Owner(m)), f.Access, f.Desc) {
		w := s.sink.MakeNode(1 + 2)
		site := s.sink.AddSite(w, callgraph.Call, callgraph.FromModel, 0)
		in := s.sink.Instance(w)
		s.callPool(site, PoolAny, []int32{in.Base, in.Base + 1, in.Base + 2}, in.Ret, solve.NoFilter)
		return w, true
	}
	if recv != "" {
		if r := s.H.Load(recv, class); s.H.IsSubtype(r, t) {
			t = r
		}
	}
	return s.wrapper(t, m), true
}

// wrapper is a synthetic instance that calls m on its first parameter.
func (s *Model) wrapper(t hierarchy.TypeID, m hierarchy.MethodID) int32 {
	n := s.params(m)
	w := s.sink.MakeNode(n)
	in := s.sink.Instance(w)
	site := s.sink.AddSite(w, callgraph.Call, callgraph.FromModel, 0)
	args := s.parametersOf(w, m)
	s.sink.Dispatch(site, m, s.FilterClass(t), args[0], args[1:], in.Ret)
	return w
}

// parametersOf are variables of a synthetic instance for what it passes to a method: of the
// parameters' types, whatever it is called with itself.
func (s *Model) parametersOf(w int32, m hierarchy.MethodID) []int32 {
	f, base := s.H.Method(m), s.sink.Instance(w).Base
	var args []int32
	if f.Access&hierarchy.AccStatic == 0 {
		args = append(args, base) // who calls it on the receiver has looked at its type
	}
	for _, filter := range s.ParamFilters(f.Desc) {
		x := s.NewVar()
		s.Flow(base+int32(len(args)), x, filter)
		args = append(args, x)
	}
	return args
}

// lambda makes the object of a lambda expression.
func (v *Visit) lambda(i int, c *facts.Call, args []int32, result int32) {
	s := v.Model
	inst, ok := s.handleInst(c.Indy().Impl, v.Class.Name, features.LambdaReceiver(c))
	if !ok {
		return
	}
	l := Lambda{Inst: inst}
	for _, n := range append([]string{c.Indy().Interface}, c.Indy().Markers...) {
		l.Ifaces = append(l.Ifaces, s.H.Load(n, v.Class.Name))
	}
	if list := features.LambdaInitializers(s.H, l.Ifaces); len(list) > 0 {
		site := s.sink.AddSite(v.Inst, callgraph.ClassInit, callgraph.FromCalls, i)
		for _, m := range list {
			s.sink.AddEdge(site, s.sink.Reach(m))
		}
	}
	l.sams = append(l.sams, s.H.Intern(c.Indy().SAM, c.Indy().SAMDesc))
	for _, d := range c.Indy().Bridges {
		l.sams = append(l.sams, s.H.Intern(c.Indy().SAM, d))
	}
	kinds := s.KindsOf(c.Desc)
	l.kinds = kinds[:len(kinds)-1]
	l.Captured = make([]int32, len(l.kinds))
	impl := s.KindsOf(c.Indy().Impl.Desc)
	switch c.Indy().Impl.Kind {
	case features.RefInvokeStatic:
		l.implKind = impl
	case features.RefNewInvokeSpecial:
		l.implKind = impl
		owner := s.H.Load(c.Indy().Impl.Owner, v.Class.Name)
		l.created = s.NewVar()
		if s.H.Instantiable(owner) {
			o := s.MakeObject(s.ClassType(owner))
			s.AddObject(l.created, o)
			s.Flow(l.created, s.sink.Instance(inst).Base, solve.NoFilter)
			s.sink.MadeIn(inst, o)
		}
	default:
		l.implKind = "L" + impl
	}
	k := int32(len(s.lambdas))
	s.lambdas = append(s.lambdas, l)
	class := s.H.Object()
	if len(l.Ifaces) > 0 {
		class = l.Ifaces[0]
	}
	o := s.sink.Allocate(v, result, s.LambdaType(class, k, l.Ifaces))
	next := 0
	for i := range l.kinds {
		if l.kinds[i] != 'L' {
			continue
		}
		if next < len(args) {
			f := s.FieldVar(o, s.Captured(i))
			s.Flow(args[next], f, solve.NoFilter)
			l.Captured[i] = f
		}
		next++
	}
}

// CallLambda makes a call on a lambda object; false where the method called is
// not the functional one.
func (s *Model) CallLambda(call, k int32) bool {
	c := s.sink.DescribeCall(call)
	l := &s.lambdas[k]
	if l.proxy {
		return s.proxyCall(call, k)
	}
	if l.Method {
		s.invokeLent(call, k)
		return false
	}
	sel, found := s.H.SelectorOf(c.Method), false
	for _, x := range l.sams {
		found = found || x == sel
	}
	if !found {
		return false
	}
	if !s.sink.ConnectOnce(call, k) {
		return true
	}
	s.sink.AddEdge(c.Site, l.Inst)
	if c.Apart {
		return true
	}
	called := s.KindsOf(s.H.Method(c.Method).Desc)
	given, list := l.kinds+called[:len(called)-1], make([]int32, 0, 8)
	next := 0
	for i := range given {
		x := int32(0)
		switch {
		case i < len(l.kinds):
			x = l.Captured[i]
		case given[i] == 'L':
			if next < len(c.Args) {
				x = c.Args[next]
			}
			next++
		}
		if i >= len(l.implKind)-1 || l.implKind[i] != 'L' {
			continue
		}
		if given[i] != 'L' {
			x = s.Boxed(given[i])
		}
		list = append(list, x)
	}
	in := s.sink.Instance(l.Inst)
	if l.created != 0 {
		l.returned = l.created
		in.Base++
		in.Params--
	}
	for i := range min(len(list), int(in.Params)) {
		s.Flow(list[i], in.Base+int32(i), solve.NoFilter)
	}
	if r := l.implKind[len(l.implKind)-1]; l.created == 0 {
		if l.returned = in.Ret; r != 'L' {
			l.returned = s.Boxed(r)
		}
	}
	s.Flow(l.returned, c.Result, solve.NoFilter)
	return true
}

// Returned is the variable of what calls of the functional method of one of lambdas return, 0 where
// that is not known.
func (s *Model) Returned(k int32) int32 { return s.lambdas[k].returned }

// load loads a class that the code names.
func (v *Visit) load(class string) hierarchy.TypeID { return v.Model.H.Load(class, v.Class.Name) }

// concat adds the toString calls of a string concatenation.
func (v *Visit) concat(i int, c *facts.Call, args []int32) {
	s := v.Model
	before := s.sink.Instance(v.Inst).Sites
	names := features.ReferenceParameters(c.Desc)
	for x := range features.ConcatCalls(s.H, c, v.load) {
		var from []int32
		for k, a := range args {
			if k < len(names) && names[k] == x.Class {
				from = append(from, a)
			}
		}
		v.callOnAll(i, x.Type, x.Method, from, nil, 0)
	}
	if s.sink.Instance(v.Inst).Sites == before {
		s.sink.AddSite(v.Inst, callgraph.Call, callgraph.FromCalls, i)
	}
}

// callOnAll adds a site that calls a method on the objects of several
// variables.
func (v *Visit) callOnAll(i int, t hierarchy.TypeID, m hierarchy.MethodID, from, args []int32, result int32) {
	s := v.Model
	site := s.sink.AddSite(v.Inst, callgraph.Call, callgraph.FromCalls, i)
	recv := int32(0)
	switch len(from) {
	case 0:
		return
	case 1:
		recv = from[0]
	default:
		recv = s.NewVar()
		for _, x := range from {
			s.Flow(x, recv, solve.NoFilter)
		}
	}
	s.sink.Dispatch(site, m, s.FilterClass(t), recv, args, result)
}

// record adds the calls of a record's toString, hashCode or equals to the
// components'.
func (v *Visit) record(i int, c *facts.Call, args []int32) {
	s := v.Model
	before := s.sink.Instance(v.Inst).Sites
	for x := range features.RecordCalls(s.H, c, v.load) {
		f := s.ResolveField(v.load(x.Part.Owner), x.Part.Name, x.Part.Desc)
		value := s.NewVar()
		s.sink.NoteLoad(f)
		for _, a := range args {
			s.Watch(a, solve.UseLoad, value, int32(f))
		}
		v.callOnAll(i, x.Type, x.Method, []int32{value}, []int32{value}[:min(1, s.params(x.Method)-1)], 0)
	}
	if s.sink.Instance(v.Inst).Sites == before {
		s.sink.AddSite(v.Inst, callgraph.Call, callgraph.FromCalls, i)
	}
}
