package model

// This file makes the objects of classes that libraries generate as a program runs: see package
// callgraph.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/solve"
)

// lent are the generated classes, and a variable that points to the objects of each root that
// libraries give.
type lent struct {
	classes *features.Generated
	any     int32   // points to all of them
	objects []int32 // by classes.Roots; 0 where reflection makes them
	address bool    // one of them is a path or file that gives its address
	given   int32   // if so, points to what the workspace gives libraries
	// methods are by name of the generated class.
	methods map[string]lentMethod
	// holders are, if so, those outermost classes of the workspace that have an address.
	holders []string
}

// MakeGenerated makes the objects of generated classes, as far as their own code does not.
func (s *Model) MakeGenerated() {
	s.lent.classes = features.NewGenerated(s.H.Source(), s.Config.Extra.Generated, s.Config.Workspace)
	s.lent.objects = make([]int32, len(s.lent.classes.Roots))
	for i, r := range s.lent.classes.Roots {
		if !s.H.Present(r.Class) {
			continue
		}
		t := s.H.Load(r.Class, "")
		if !s.H.Instantiable(t) {
			continue
		}
		one := s.Single(r.Class)
		s.Made(t)
		if len(r.Libraries) == 0 {
			s.Flow(one, s.reflects.objects, solve.NoFilter)
			s.ReflectConstructors(t, r.Class)
			continue
		}
		s.lent.objects[i] = one
		s.Flow(one, s.lent.any, solve.NoFilter)
		s.lent.address = s.lent.address || len(features.OwnAddresses(s.H, t)) > 0
		s.createByReflection(t, func(m hierarchy.MethodID) {
			s.Flow(one, s.sink.Instance(s.sink.Reach(m)).Base, solve.NoFilter)
		})
	}
	if s.lent.address {
		s.lent.holders = s.holders()
		s.Watch(s.lent.given, solve.UseElemLoad, s.lent.given, 0)
		s.Watch(s.lent.given, useGiven, 0, 0)
	}
	for _, m := range s.passed[passedKind(false)].makers {
		s.proxiesSeen(m)
	}
}

// proxiesSeen lets a call that makes proxies make those of which runs saw the classes, unless its
// method names all that it makes proxies of.
func (s *Model) proxiesSeen(m proxyMaker) {
	if s.lent.classes == nil || len(s.lent.classes.Proxies) == 0 || features.NamesProxied(s.H.Method(m.m)) {
		return
	}
	class := s.H.Name(s.H.Owner(m.m))
	for i := range s.lent.classes.Proxies {
		p := &s.lent.classes.Proxies[i]
		if !p.MadeBy(class, s.Workspace[class]) {
			continue
		}
		var ifaces []hierarchy.TypeID
		for _, n := range p.Interfaces {
			if s.H.Present(n) {
				ifaces = append(ifaces, s.H.Load(n, ""))
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
	object solve.Object
	site   int32 // of the synthetic instance that calls them
	args   int32 // variable of what they are called on and with
	ret    int32 // variable of what they return
}

// looksUp lets a call in generated code give the Method that it looks up: an object of its own, so
// that it is invoked where that gets to, and not by whoever invokes methods.
func (v *Visit) looksUp(i int, c *facts.Call, classes []string) {
	s := v.Model
	name, ok := features.StringConstant(c)
	if !ok {
		return
	}
	of, ok := s.lent.methods[v.Class.Name]
	if !ok {
		of = s.newLentMethod()
		s.lent.methods[v.Class.Name] = of
	}
	for _, n := range classes {
		t := s.H.Load(n, v.Class.Name)
		for m := range s.H.MethodsNamed(t, name) {
			callee := s.calledOn(t, m)
			s.sink.AddEdge(of.site, callee)
			s.passReflected(callee, 0, of.args, of.ret, false)
			s.invokeStatic(m, v.Class.Name)
		}
	}
	if _, to := s.sink.Operands(i); to != 0 {
		s.AddObject(to, of.object)
	}
	s.sink.NoteMade(of.object)
}

// newLentMethod makes the object, and what invoking it reaches.
func (s *Model) newLentMethod() lentMethod {
	const receiverAndArguments = 2
	w := s.sink.MakeNode(receiverAndArguments)
	site := s.sink.AddSite(w, callgraph.Reflection, callgraph.FromModel, 0)
	s.sink.MarkUnknown(site)
	args := s.NewVar()
	s.Watch(args, solve.UseElemLoad, args, 0)
	for k := range int32(receiverAndArguments) {
		s.Flow(s.sink.Instance(w).Base+k, args, solve.NoFilter)
	}
	class := s.H.Load(features.MethodClass, "")
	s.lambdas = append(s.lambdas, Lambda{Ifaces: []hierarchy.TypeID{class}, Inst: w, Method: true})
	o := s.MakeObject(s.LambdaType(class, int32(len(s.lambdas)-1), []hierarchy.TypeID{class}))
	return lentMethod{o, site, args, s.sink.Instance(w).Ret}
}

// invokeLent lets a call of Method.invoke on the k-th of lambdas, a lent Method, reach what that
// stands for. The body of Method.invoke runs as well.
func (s *Model) invokeLent(call, k int32) {
	c := s.sink.DescribeCall(call)
	if !features.InvokesMethod(s.H.Name(s.H.Owner(c.Method)), s.H.Method(c.Method).Name) {
		return
	}
	if !s.sink.ConnectOnce(call, k) {
		return
	}
	in := s.sink.Instance(s.lambdas[k].Inst)
	s.sink.AddEdge(c.Site, s.lambdas[k].Inst)
	for i := range min(len(c.Args), int(in.Params)) {
		s.Flow(c.Args[i], in.Base+int32(i), solve.NoFilter)
	}
	s.Flow(in.Ret, c.Result, solve.NoFilter)
}

// LendGenerated lets a call of code of the workspace return what a library generates, and notes
// what it gives the library. owner declares the method.
func (v *Visit) LendGenerated(c *facts.Call, owner string, args []int32, result int32) {
	s := v.Model
	if s.lent.classes == nil || !s.Workspace[v.Class.Name] {
		return
	}
	gives := false
	for i := range s.lent.classes.Roots {
		r := &s.lent.classes.Roots[i]
		if !r.Gives(owner) && !r.Gives(c.Owner) {
			continue
		}
		gives = true
		if o := s.lent.objects[i]; o != 0 && result != 0 {
			s.Flow(o, result, s.ResultFilter(c.Desc))
		}
	}
	if !gives || !s.lent.address {
		return
	}
	if _, has := slices.BinarySearch(s.lent.holders, outermost(v.Class.Name)); has { // it may give it one
		s.Flow(s.Single(uriClass), s.lent.given, solve.NoFilter)
	}
	for _, a := range args {
		s.Flow(a, s.lent.given, solve.NoFilter)
	}
	if takesContainer(c.Desc) { // whose elements the library takes out
		s.Flow(s.Everything(), s.lent.given, solve.NoFilter)
	}
}

// AddressesLent tells whether a generated class is a path or file that gives its address.
func (s *Model) AddressesLent() bool { return s.lent.address }

// holders lists the outermost classes of the workspace that have an address, or one inside has.
func (s *Model) holders() (out []string) {
	for _, n := range s.Config.Workspace {
		if c, ok := s.H.Source().Class(n); ok &&
			slices.ContainsFunc(c.Methods, func(m facts.Method) bool { return hasAddress(c, &m) }) {
			out = append(out, outermost(n))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func outermost(class string) string {
	out, _, _ := strings.Cut(class, "$")
	return out
}

const uriClass = "java/net/URI"

// hasAddress tells whether a method has a URI that is not seen to be that of a file or path of the
// JDK: it is passed or makes one, loads or casts to one, gets one of a call, or names the class.
func hasAddress(c *facts.Class, m *facts.Method) bool {
	const desc = "L" + uriClass + ";"
	found := strings.Contains(m.Desc, desc) || slices.Contains(m.Classes(), uriClass)
	for i := range m.Calls {
		owner, name, of := m.Calls[i].Owner, m.Calls[i].Name, m.Calls[i].Desc
		if x := m.Calls[i].Indy(); m.Calls[i].Kind == facts.Dynamic && x != nil {
			owner, name, of = x.Impl.Owner, x.Impl.Name, x.Impl.Desc
		}
		_, result, _ := strings.Cut(of, ")")
		local := owner == "java/io/File" && name == "toURI" || owner == "java/nio/file/Path" && name == "toUri"
		found = found || owner == uriClass && name == "<init>" || strings.HasSuffix(result, desc) && !local
	}
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowLoad:
			found = found || strings.HasSuffix(c.FlowNames[x[2]+2], desc)
		case facts.FlowStaticLoad:
			found = found || strings.HasSuffix(c.FlowNames[x[1]+2], desc)
		case facts.FlowCast:
			found = found || c.FlowNames[x[2]] == uriClass
		}
	})
	return found
}

// answerGiven lets a library get what objects that it was given answer: lambdas, and those of
// classes of the workspace that implement methods of the library. A path of the program's own is
// asked for its address.
func (s *Model) answerGiven(t solve.Type) {
	i := s.TypeInfo(t)
	if i.Lambda >= 0 {
		if l := s.lambdas[i.Lambda]; !l.proxy && !l.Method {
			s.answerLambda(&l)
		}
		return
	}
	name := s.H.Name(i.Class)
	if i.Array != "" || natives.OfJDK(name) || s.lent.classes.Lent[name] {
		return
	}
	for _, m := range features.OwnAddresses(s.H, i.Class) {
		s.makeHandlers(features.ProtocolHandlers(s.H, s.H.Name(s.H.Owner(m)), s.H.Method(m)))
	}
	for _, m := range s.answering(i.Class) {
		inst := s.sink.Reach(m)
		s.PassAnything(inst)
		s.Flow(s.sink.Instance(inst).Ret, s.lent.given, solve.NoFilter)
	}
}

// containers are the descriptors of what hands out other objects, of the JDK.
var containers = []string{"Ljava/lang/Iterable;", "Ljava/util/Collection;", "Ljava/util/List;", "Ljava/util/Set;",
	"Ljava/util/Queue;", "Ljava/util/Deque;", "Ljava/util/Map;", "Ljava/util/Iterator;", "Ljava/util/Optional;",
	"Ljava/util/stream/Stream;"}

// takesContainer tells whether a parameter of a method is declared as something of the JDK that has
// other objects inside.
func takesContainer(desc string) bool {
	params, _, _ := strings.Cut(desc, ")")
	return slices.ContainsFunc(containers, func(c string) bool { return strings.Contains(params, c) })
}

// answering lists the methods of the workspace that objects of a class have in place of those of
// libraries that make generated objects, or of a path to which a mock delegates.
func (s *Model) answering(t hierarchy.TypeID) (out []hierarchy.MethodID) {
	above := s.H.Supertypes(t)
	declared := map[string]bool{} // names of methods of these libraries
	for _, a := range above {
		n := s.H.Name(a)
		if f := s.H.Facts(a); f != nil && slices.ContainsFunc(s.lent.classes.Roots,
			func(r features.GeneratedRoot) bool { return r.Gives(n) }) {
			for i := range f.Methods {
				declared[f.Methods[i].Name] = true
			}
		}
	}
	for _, a := range above {
		for i := 0; s.Workspace[s.H.Name(a)] && i < len(s.H.Facts(a).Methods); i++ {
			m := &s.H.Facts(a).Methods[i]
			asked := declared[m.Name] && m.Name[0] != '<' || features.GivesURI(m)
			if asked && m.Access&(hierarchy.AccStatic|hierarchy.AccAbstract) == 0 {
				out = append(out, s.H.MethodAt(a, i))
			}
		}
	}
	return out
}

// answerLambda lets a library get what a lambda returns that it calls with anything.
func (s *Model) answerLambda(l *Lambda) {
	in := s.sink.Instance(l.Inst)
	if l.created != 0 {
		in.Ret = l.created
		in.Base++
		in.Params--
	}
	s.Flow(in.Ret, s.lent.given, solve.NoFilter)
	to := in.Base
	for i := range len(l.implKind) - 1 {
		if l.implKind[i] != 'L' {
			continue
		}
		switch {
		case i >= len(l.kinds):
			s.Flow(s.Everything(), to, solve.NoFilter)
		case l.kinds[i] == 'L':
			s.Flow(l.Captured[i], to, solve.NoFilter)
		default:
			s.Flow(s.Boxed(l.kinds[i]), to, solve.NoFilter)
		}
		to++
	}
}

// CallHelpers has the library call back the helpers that the method makes.
func (v *Visit) CallHelpers() {
	s := v.Model
	if s.lent.classes == nil {
		return
	}
	for _, n := range s.lent.classes.Helped(v.Method) {
		for _, id := range features.HelperMethods(s.H, s.H.Load(n, "")) {
			site := s.sink.AddSite(v.Inst, callgraph.Upcall, callgraph.FromModel, 0)
			callee := s.sink.Reach(id)
			s.sink.NameMethod(site, id)
			s.sink.AddEdge(site, callee)
			s.Flow(s.AnyOf(s.FilterClass(s.H.Owner(id))), s.sink.Instance(callee).Base, solve.NoFilter)
		}
	}
}
