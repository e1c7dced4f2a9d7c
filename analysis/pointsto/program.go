package pointsto

// This file keeps methods in their contexts, their call sites, and the fields
// of classes.

import (
	"slices"
	"strings"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/features"
	"catchlens/analysis/features/natives"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto/flat"
)

// program is what the solver keeps of code.
type program struct {
	methods   []methodInfo // by MethodID
	insts     []instance
	inCtx     flat.Table // method and context -> instance + 1
	work      []int32
	nodes     []hierarchy.MethodID // by callgraph.NodeID
	firstInst []int32              // by callgraph.NodeID
	gsites    []graphSite
	isites    []instSite
	ipool     []int32 // arguments of calls
	calls     []flowCall
	groups    []callGroup // by the group's number
	leads     leads
	linked    flat.Table // flow call and instance, flow call and lambda
	edgesOf   []callEdge
	chosen    flat.Table // method and type -> selected method + 2

	fields     []fieldInfo
	fieldOf    map[fieldKey]Field
	fieldRefs  [][]int32 // by class and position in FlowNames: field + 1
	filterRefs [][]int32 // the same for types: filter + 1
	captured   []Field

	lambdas  []lambda
	pools    [numPools]pool
	anyUses  []anyUse
	isNew    []bool // by TypeID: created
	newTypes []hierarchy.TypeID
	initOf   [][]int32 // by TypeID: instances that initialise it
	initDone []bool
	entries  []callgraph.NodeID
	seenE    map[callgraph.NodeID]bool
	problems []callgraph.Problem
	contexts contexts

	created2    map[int32][]Object // what is made in an instance besides its own allocations
	kinds       map[string]string
	one         map[string]int32 // variables of single objects by name
	reflects    reflected
	pending     []hierarchy.MethodID // see observeMore
	late        bool                 // observeMore has added calls
	passed      [2]passedInterfaces  // of proxies, and of what invokes handles
	names       *features.NameFlow
	lent        lent
	wrappers    flat.Table // class and method -> synthetic instance + 1
	offsets     []Field
	offsetLoads []int32  // instances that load fields by offset
	ops         []callOp // of the method being visited, by index of the call
	opArgs      []int32
	unnamed     []unnamedFields // by typeNo; saves time only

	booting     bool             // forServices is kept
	forServices []askedService   // what code that is solved before the workspace's asks for
	skips       func(int32) bool // instances that are not visited, see certaincalls.go

	edited *edited // what is solved goes on from another program: see follow.go

	allocs  []Object // of all instances: instance.allocs
	globals []int32
	loads   []Field
}

// methodInfo is what is kept of a method.
type methodInfo struct {
	node   int32 // in the call graph + 1
	inst   int32 // without context + 1
	params int16 // reference parameters, receiver included; -1 not counted yet
	ref    bool  // returns a reference
	known  bool
	bare   bareness
}

// bareness tells whether a method is only one out of which exceptions were seen to come.
type bareness uint8

const (
	notBare  bareness = iota
	toBeSeen          // it is, and is to be visited as such
	onlySeen          // it is, and has been
)

// instance is a method in a context.
type instance struct {
	method                          hierarchy.MethodID // NoMethod: a synthetic node
	node                            callgraph.NodeID
	ctx                             int32
	base                            int32 // the variable of its first parameter
	params                          int16
	opaque                          bool
	ret                             int32 // the variable of its result, 0 if it has none
	nsites                          int32
	allocs, globals, loads          int32 // in program.allocs, ...
	allocsEnd, globalsEnd, loadsEnd int32
}

// graphSite is the k-th site of a node of the call graph.
type graphSite struct {
	node callgraph.NodeID
	k    int32
	ref  hierarchy.MethodID
	site callgraph.Site
}

// instSite is the k-th site of an instance.
type instSite struct {
	inst, k int32
	graph   int32 // in program.gsites, -1
	recv    int32
	args    int32 // in program.ipool
	nargs   int16
	unknown bool
	pool    int8 // pool that it calls, -1
}

// callEdge says that a site of an instance calls an instance.
type callEdge struct{ site, inst int32 }

// flowCall is a call that is made on the objects of a variable, or on none.
type flowCall struct {
	site    int32 // instSite
	m       hierarchy.MethodID
	filter  int32 // of the receiver: its static type
	args    int32 // in program.ipool, receiver left out
	nargs   int16
	foreign bool  // see natives.Row.Foreign
	local   uint8 // how it is made in the context of resources
	apartly int32 // receivers that it was made on, each in its context
	fixed   bool  // m is called on whatever object, not what it selects
	ctx     int32 // of a fixed call: the context for objects that have none
	apart   bool  // arguments and result are handled otherwise
	copies  bool  // the result is the receiver besides, see intrinsic
	recv    int32
	result  int32
	group   int32 // that it is in, 0: none
}

// callOp is what the flow of a method says of one call.
type callOp struct {
	result int32
	args   int32 // in program.opArgs, receiver included
	n      int32
}

// fieldKey names a field by its declaration.
type fieldKey struct {
	class      hierarchy.TypeID
	name, desc string
}

// fieldInfo is what is kept of a field.
type fieldInfo struct {
	class  hierarchy.TypeID
	name   string
	static int32 // its variable, 0: not made yet
	offset bool  // code reaches it by offset
}

func (s *solver) problem(class, text string) {
	for _, p := range s.problems {
		if p.Class == class && p.Message == text {
			return
		}
	}
	s.problems = append(s.problems, callgraph.Problem{Class: class, Message: text})
}

// info counts a method's reference parameters.
func (s *solver) info(m hierarchy.MethodID) *methodInfo {
	for int(m) >= len(s.methods) {
		s.methods = append(s.methods, make([]methodInfo, max(1024, s.h.NumMethods()-len(s.methods)))...)
	}
	i := &s.methods[m]
	if !i.known {
		f := s.h.Method(m)
		i.known = true
		n, ref := refParams(f.Desc)
		if f.Access&hierarchy.AccStatic == 0 {
			n++
		}
		i.params, i.ref = int16(n), ref
	}
	return i
}

// refParams counts the references among a descriptor's parameters and tells
// whether it returns one.
func refParams(desc string) (n int, ref bool) {
	i := 1
	for i < len(desc) && desc[i] != ')' {
		switch desc[i] {
		case 'L':
			n++
			i += strings.IndexByte(desc[i:], ';')
		case '[':
			n++
			for i+1 < len(desc) && desc[i] == '[' {
				i++
			}
			if desc[i] == 'L' {
				i += strings.IndexByte(desc[i:], ';')
			}
		}
		i++
	}
	return n, i+1 < len(desc) && (desc[i+1] == 'L' || desc[i+1] == '[')
}

// kindsOf gives a letter for each parameter of a descriptor and, last, for its
// result: L for a reference, else the descriptor's own.
func (s *solver) kindsOf(desc string) string {
	if k, ok := s.kinds[desc]; ok {
		return k
	}
	var out []byte
	for i := 1; i < len(desc); i++ {
		if desc[i] == ')' {
			continue
		}
		c := desc[i]
		for i < len(desc) && desc[i] == '[' {
			c = 'L'
			i++
		}
		if i < len(desc) && desc[i] == 'L' {
			c = 'L'
			end := strings.IndexByte(desc[i:], ';')
			if end < 0 {
				break
			}
			i += end
		}
		out = append(out, c)
	}
	s.kinds[desc] = string(out)
	return string(out)
}

// paramFilters lists the filters of a descriptor's reference parameters.
func (s *solver) paramFilters(desc string) []int32 {
	var out []int32
	for i := 1; i < len(desc) && desc[i] != ')'; i++ {
		start := i
		for i < len(desc) && desc[i] == '[' {
			i++
		}
		if i < len(desc) && desc[i] == 'L' {
			end := strings.IndexByte(desc[i:], ';')
			if end < 0 {
				break
			}
			i += end
		} else if i == start {
			continue
		}
		out = append(out, s.filterDesc(desc[start:i+1]))
	}
	return out
}

// resultFilter is the filter of a descriptor's result.
func (s *solver) resultFilter(desc string) int32 {
	i := strings.LastIndexByte(desc, ')')
	if i+1 >= len(desc) {
		return noFilter
	}
	return s.filterDesc(desc[i+1:])
}

// inst is a method in a context, reached if it was not.
func (s *solver) inst(m hierarchy.MethodID, ctx int32) int32 {
	i := s.info(m)
	if i.bare != notBare {
		s.reachSeen(i)
	}
	if ctx == 0 && i.inst != 0 {
		return i.inst - 1
	}
	var p *int32
	if ctx != 0 {
		if p = s.inCtx.At(uint64(m)<<32 | uint64(ctx)); *p != 0 {
			return *p - 1
		}
	}
	if i.node == 0 {
		s.nodes = append(s.nodes, m)
		s.firstInst = append(s.firstInst, int32(len(s.insts)))
		i.node = int32(len(s.nodes))
	}
	k := int32(len(s.insts))
	vars := s.varsOf(m)
	in := instance{method: m, node: callgraph.NodeID(i.node - 1), ctx: ctx, params: i.params}
	in.base = s.NewVars(vars + 1)
	if i.ref {
		in.ret = in.base + int32(vars)
	}
	s.insts = append(s.insts, in)
	if ctx == 0 {
		i.inst = k + 1
	} else {
		*p = k + 1
	}
	s.work = append(s.work, k)
	return k
}

// seen is the instance of a method of which all that is known is that exceptions came out of it:
// what it calls is not, as nobody knows on which objects, until something else reaches it.
func (s *solver) seen(m hierarchy.MethodID) int32 {
	if i := s.info(m); i.node != 0 {
		return s.firstInst[i.node-1]
	}
	k := s.inst(m, 0)
	s.info(m).bare = toBeSeen
	return k
}

// reachSeen has a method visited of which only the exceptions were seen until now.
func (s *solver) reachSeen(i *methodInfo) {
	if i.bare == onlySeen {
		s.work = append(s.work, i.inst-1)
	}
	i.bare = notBare
}

// varsOf counts the variables of a method, without its result.
func (s *solver) varsOf(m hierarchy.MethodID) int {
	vars := int(s.info(m).params)
	if f := s.h.Method(m); len(f.Flow) > 0 {
		n, _ := uvarint(f.Flow, 0)
		vars = max(vars, int(n))
	}
	return vars
}

// synthetic makes a node without a method, with parameters and a result.
func (s *solver) synthetic(params int) int32 {
	s.nodes = append(s.nodes, hierarchy.NoMethod)
	k := int32(len(s.insts))
	s.firstInst = append(s.firstInst, k)
	in := instance{method: hierarchy.NoMethod, node: callgraph.NodeID(len(s.nodes) - 1), params: int16(params)}
	in.base = s.NewVars(params + 1)
	in.ret = in.base + int32(params)
	in.allocs, in.globals, in.loads = int32(len(s.allocs)), int32(len(s.globals)), int32(len(s.loads))
	in.allocsEnd, in.globalsEnd, in.loadsEnd = in.allocs, in.globals, in.loads
	s.insts = append(s.insts, in)
	return k
}

// site adds a site to an instance, and to its node of the call graph if this is
// the node's first instance.
func (s *solver) site(inst int32, kind callgraph.EdgeKind, o callgraph.Origin, index int) int32 {
	in := &s.insts[inst]
	g := int32(-1)
	if first := s.firstInst[in.node] == inst; first || s.edited != nil {
		at := callgraph.Site{Index: int32(index), Kind: kind, Origin: o}
		if in.method != hierarchy.NoMethod {
			m := s.h.Method(in.method)
			switch o {
			case callgraph.FromCalls:
				at.Cover = m.Calls[index].Cover
			case callgraph.FromInits:
				at.Cover = m.Inits[index].Cover
			}
		}
		if first {
			g = int32(len(s.gsites))
			s.gsites = flat.Append(s.gsites, graphSite{in.node, in.nsites, hierarchy.NoMethod, at})
		}
		if s.edited != nil {
			s.edited.made[int32(len(s.isites))] = at
		}
	}
	s.isites = flat.Append(s.isites, instSite{inst: inst, k: in.nsites, graph: g, pool: -1})
	in.nsites++
	return int32(len(s.isites) - 1)
}

// callEdge makes a call edge.
func (s *solver) callEdge(site, inst int32) {
	s.edgesOf = flat.Append(s.edgesOf, callEdge{site, inst})
}

// pooled appends arguments.
func (s *solver) pooled(args []int32) (at int32, n int16) {
	at = int32(len(s.ipool))
	s.ipool = append(s.ipool, args...)
	return at, int16(len(args))
}

// field resolves a field (JVMS 5.4.3.2).
func (s *solver) field(owner hierarchy.TypeID, name, desc string) Field {
	if c := s.h.ResolveField(owner, name, desc); c != hierarchy.NoType {
		owner = c
	}
	k := fieldKey{owner, name, desc}
	if f, ok := s.fieldOf[k]; ok {
		return f
	}
	f := Field(len(s.fields))
	s.fieldOf[k] = f
	s.fields = append(s.fields, fieldInfo{class: owner, name: name})
	s.NewField(s.filterClass(owner), s.filterDesc(desc))
	if w, ok := natives.Field(s.h.Name(owner), name); ok {
		s.outsideField(f, owner, w, desc, declaresStatic(s.h.Facts(owner), name, desc))
	}
	s.fill(f, owner, name, desc)
	return f
}

// declaresStatic tells whether a class declares a static field.
func declaresStatic(c *facts.Class, name, desc string) bool {
	return c != nil && slices.ContainsFunc(c.Fields,
		func(f facts.FlowField) bool { return f.Static && f.Name == name && f.Desc == desc })
}

// fieldRef is the field that a class's FlowNames name from position k on.
func (s *solver) fieldRef(t hierarchy.TypeID, class *facts.Class, k int) Field {
	for int(t) >= len(s.fieldRefs) {
		s.fieldRefs = append(s.fieldRefs, nil)
	}
	if s.fieldRefs[t] == nil {
		s.fieldRefs[t] = make([]int32, len(class.FlowNames))
	}
	if f := s.fieldRefs[t][k]; f != 0 {
		return Field(f - 1)
	}
	n := class.FlowNames
	f := s.field(s.h.Load(n[k], class.Name), n[k+1], n[k+2])
	s.fieldRefs[t][k] = int32(f) + 1
	return f
}

// filterRef is the filter of the type that a class's FlowNames name at k.
func (s *solver) filterRef(t hierarchy.TypeID, class *facts.Class, k int) int32 {
	for int(t) >= len(s.filterRefs) {
		s.filterRefs = append(s.filterRefs, nil)
	}
	if s.filterRefs[t] == nil {
		s.filterRefs[t] = make([]int32, len(class.FlowNames))
	}
	if f := s.filterRefs[t][k]; f != 0 {
		return f - 1
	}
	f := s.filterName(class.FlowNames[k], class.Name)
	s.filterRefs[t][k] = f + 1
	return f
}

// staticVar is the variable of a static field.
func (s *solver) staticVar(f Field) int32 {
	if s.fields[f].static == 0 {
		v := s.NewVar()
		s.fields[f].static = v
	}
	return s.fields[f].static
}

// capture is the field that stands for the i-th captured variable of a lambda.
func (s *solver) capture(i int) Field {
	for i >= len(s.captured) {
		s.captured = append(s.captured, Field(len(s.fields)))
		s.fields = append(s.fields, fieldInfo{class: hierarchy.NoType, name: "captured"})
		s.NewField(noFilter, noFilter)
	}
	return s.captured[i]
}

// single is a variable that points to one object of a class.
func (s *solver) single(class string) int32 {
	if v, ok := s.one[class]; ok {
		return v
	}
	v := s.NewVar()
	s.one[class] = v
	if class[0] == '[' {
		s.AddObject(v, s.newObject(s.arrayType(class)))
	} else if t := s.h.Load(class, ""); s.h.Instantiable(t) {
		s.AddObject(v, s.newObject(s.classType(t)))
	}
	return v
}

var boxClasses = map[byte]string{'Z': "java/lang/Boolean", 'B': "java/lang/Byte", 'C': "java/lang/Character",
	'S': "java/lang/Short",
	'I': "java/lang/Integer", 'J': "java/lang/Long", 'F': "java/lang/Float", 'D': "java/lang/Double"}

// box is a variable that points to the boxed values of a primitive type, 0 for
// void.
func (s *solver) box(kind byte) int32 {
	if c := boxClasses[kind]; c != "" {
		return s.single(c)
	}
	return 0
}

// created notes that objects of a class exist.
func (s *solver) created(c hierarchy.TypeID) {
	for int(c) >= len(s.isNew) {
		s.isNew = append(s.isNew, make([]bool, 1024)...)
	}
	if s.isNew[c] {
		return
	}
	s.isNew[c] = true
	s.newTypes = append(s.newTypes, c)
	if s.h.Instantiable(c) {
		s.serializable(c)
		s.enumConstants(c)
	}
}

// creates makes the objects of a class that code outside of the program makes,
// one for all such code.
func (s *solver) creates(name string) int32 {
	return s.single(name)
}
