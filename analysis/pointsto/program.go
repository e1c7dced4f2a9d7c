package pointsto

// This file keeps methods in their contexts, their call sites, and the fields
// of classes.

import (
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
)

// program is what the solver keeps of code.
type program struct {
	instances
	callSites
	effects
	operands
	contexts contexts
	entries  []callgraph.NodeID
	seenE    map[callgraph.NodeID]bool
	problems []callgraph.Problem
	pending  []hierarchy.MethodID // see observeMore
	late     bool                 // observeMore has added calls
	edited   *edited              // what is solved goes on from another program: see follow.go
}

// instances are the methods that were reached, in their contexts.
type instances struct {
	methods   []methodInfo // by MethodID
	insts     []instance
	inCtx     flat.Table           // method and context -> instance + 1
	work      []int32              // instances to visit
	nodes     []hierarchy.MethodID // by callgraph.NodeID
	firstInst []int32              // by callgraph.NodeID
	skips     func(int32) bool     // instances that are not visited, see certaincalls.go
}

// callSites are the sites of instances, and the calls that are made there.
type callSites struct {
	gsites  []graphSite
	isites  []instSite
	edgesOf []callEdge
	ipool   []int32 // arguments of calls
	calls   []flowCall
	groups  []callGroup // by the group's number
	leads   leads
	linked  flat.Table // flow call and instance, flow call and lambda
	chosen  flat.Table // method and type -> selected method + 2
}

// effects are what instances make and take: lists of all, of which instance.allocs and its like
// name a part.
type effects struct {
	allocs   []Object
	globals  []int32
	loads    []Field
	created2 map[int32][]Object // what is made in an instance besides its own allocations
}

// operands are those of the calls of the method that is visited.
type operands struct {
	ops    []callOp // by index of the call
	opArgs []int32
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
	allocs, globals, loads          int32 // in effects.allocs, ...
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
	graph   int32 // in callSites.gsites, -1
	recv    int32
	args    int32 // in callSites.ipool
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
	args    int32 // in callSites.ipool, receiver left out
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
	args   int32 // in operands.opArgs, receiver included
	n      int32
}

// Problem notes what a user is to know of a class, once.
func (s *solver) Problem(class, text string) {
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
		s.methods = append(s.methods, make([]methodInfo, max(1024, s.H.NumMethods()-len(s.methods)))...)
	}
	i := &s.methods[m]
	if !i.known {
		f := s.H.Method(m)
		i.known = true
		n, ref := heap.RefParams(f.Desc)
		if f.Access&hierarchy.AccStatic == 0 {
			n++
		}
		i.params, i.ref = int16(n), ref
	}
	return i
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
	if f := s.H.Method(m); len(f.Flow) > 0 {
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
			m := s.H.Method(in.method)
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
