package pointsto

// This file says which methods are analysed in several contexts, and in which.
//
// A constructor that stores a parameter into a field of this is analysed for each call site:
// selective constructor inlining (Fu et al., ISSTA 2004, section 3.1). Where it calls such a
// constructor of a superclass or of its own class on this, that one is analysed for the site in
// that context: a chain. With Containers, static methods that do nothing but call such a
// constructor for their callers (factories) are constructors, too, in the context of the container
// whose method calls one: an Optional that another one is mapped to.
//
// Methods of containers are analysed for each receiver object, and what they
// allocate is told apart likewise (Milanova, Rountev, Ryder, Parameterized Object
// Sensitivity for Points-to Analysis for Java, TOSEM 2005), so that what is put
// into one container does not come out of another: what section 4.4 asks for.
// Done for all containers, the analysis of commons-lang3 took 167 s and 6 GB instead
// of 10 s and 0.5 GB. It is done selectively, by rules that need no analysis before:
//
//   - of methods that move what a container has, not those that count or compare
//     (Li, Tan, Møller, Smaragdakis, Precision-Guided Context Sensitivity for Pointer
//     Analysis, OOPSLA 2018: only methods matter through which objects flow into and
//     out of others);
//   - of containers that the workspace allocates, those that the JDK's classes of
//     streams, files, the network and class loading do, those in which a method of a
//     library keeps a parameter of its own, and what all of these consist of, streams that read
//     from others which a container has included;
//   - of calls that reach few receivers: on those beyond, a call is one of the
//     method without context (Smaragdakis, Kastrinis, Balatsouras, Introspective
//     Analysis: Context-Sensitivity, Across the Board, PLDI 2014, decide by such
//     numbers of an analysis before).
//
// With the containers of all libraries, and the other rules, it took three to five
// times as long again and up to 1.3 GB, and left 2,805 links of Muffin instead of 2,847, 678 of
// examples/filedrop instead of 693, and no fewer of commons-io, 5,609, and joda-time,
// 4,481. Without those of the JDK's streams these are 3,099, 786, 5,898 and 4,499.
//
// What a constructor or such a method makes of what it was given, or of what a field of this has,
// is told apart with it (handsOn): the constructor of a stream that it wraps around another one is
// analysed for the call in the context of its caller. Streams of the JDK that do so are containers
// (wraps), which makes four of maxDepth: a GZIPInputStream, its SequenceInputStream, the Vector in
// that, and its elements.
//
// What opens resources of class loaders is analysed in a context of its own (resources.go).
//
// The result has the contexts of constructors and of resources only (resultnodes.go).

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/flat"
)

// maxDepth bounds how many objects stand between a container and the code that
// does not belong to one: a stream, a map that it has, its entry set, an iterator.
const maxDepth = 4

// The receivers of one analysis that are contexts are bounded (contexts.receivers). So are its
// contexts altogether, in that none are made from there on that it can do without: objects that
// come later share their methods with those that have no context, and what constructors hand on is
// told apart by call only. The JDK's streams have 1,280 receivers of 22,000 contexts, real programs
// up to 2,700 of 30,000 besides. A few classes of containers that make each other in ten ways have
// as many as they are given, and take gigabytes for some thousand.
const (
	jdkReceivers   = 2048
	ownReceivers   = 512 // and for each class of the workspace
	classReceivers = 64
	mostReceivers  = 1 << 13
	perReceiver    = 16 // contexts of all kinds
)

// full tells whether there are as many contexts as there may be.
func (c *contexts) full() bool {
	return c.objects >= c.receivers || int(c.count) >= perReceiver*c.receivers
}

// maxReceivers bounds the receivers of one call that are told apart. What is called
// on more is hardly ever told apart by what it contains either: without a bound,
// calls that reflection passes its objects to, or that compare keys, were most of
// commons-lang3's 30 million call edges and 6 GB.
const maxReceivers = 16

// contexts is what the solver keeps of contexts.
type contexts struct {
	number    flat.Table // what makes a context -> its number
	count     int32
	objects   int       // contexts that are objects
	receivers int       // how many of them there may be
	stores    []uint8   // by MethodID: 0 not asked, 1 a constructor to inline, 2 not
	byObject  []uint8   // by MethodID: 0 not asked, 1 it moves what a container has, 2 not
	holds     []uint8   // by TypeID: 0 not asked, 1 a container, 2 not
	apart     []uint8   // by Object: 0 it has no context, else 1 and the contexts that it was allocated in
	ctxDepth  []uint8   // by context
	chain     []chained // by context
	object    []Object  // by context: the receiver that it is + 1, 0 for a call
	// by context that is a receiver: the context that a constructor's call of it has besides, 0 for
	// none
	callOf []int32
	parent []Object   // by object: the receiver of the method that allocates it + 1
	madeIn []int32    // by object: the context in which it was allocated last
	nodes  flat.Table // see nodePlace
	// resources are the calls that open resources.
	resources resources
}

// workspaceOf says which classes are the workspace's: their containers are told apart.
func (s *solver) workspaceOf(classes []string) {
	c := &s.contexts
	s.Workspace = make(map[string]bool, len(classes))
	for _, name := range classes {
		s.Workspace[name] = true
	}
	c.receivers = ownReceivers + classReceivers*len(classes)
	if s.H.Present("java/io/FilterInputStream") {
		c.receivers += jdkReceivers
	}
	c.receivers = min(c.receivers, mostReceivers)
}

// chained is the constructor whose call on this a context stands for, with its own
// context and the site of the call + 1; nothing of all other contexts.
type chained struct {
	by   hierarchy.MethodID
	ctx  int32
	site int32
}

// context is the number of the context that a key stands for.
func (s *solver) context(key uint64, depth uint8) int32 {
	p := s.contexts.number.At(key)
	if *p == 0 {
		s.contexts.count++
		*p = s.contexts.count
		for int(s.contexts.count) >= len(s.contexts.ctxDepth) {
			s.contexts.ctxDepth = append(s.contexts.ctxDepth, make([]uint8, 1024)...)
			s.contexts.chain = append(s.contexts.chain, make([]chained, 1024)...)
			s.contexts.object = append(s.contexts.object, make([]Object, 1024)...)
			s.contexts.callOf = append(s.contexts.callOf, make([]int32, 1024)...)
		}
		s.contexts.ctxDepth[*p] = depth
	}
	return *p
}

// Keys of contexts: an object, a call of a method, a site of an instance, or an
// object and one of these.
const (
	keySite = 1 << 62
	keyCall = 1 << 61
	keyBoth = 1 << 60
	// keyResource is the context in which resources are opened.
	keyResource = 1 << 59
)

// contextOf is the context in which a direct call of a constructor analyses its
// callee: the call site, in the context of the caller where that calls it on its
// own this.
func (v *visitor) contextOf(site int32, call int, m hierarchy.MethodID, onThis bool) int32 {
	s := v.solver
	if s.policy == Insensitive || !s.inlined(m) {
		return 0
	}
	in := &s.insts[v.Inst]
	if s.factory(m) && s.contexts.object[in.ctx] != 0 { // of a container that a method of another one makes
		ctx := s.context(keySite|uint64(site), s.contexts.ctxDepth[in.ctx])
		s.contexts.chain[ctx] = chained{in.method, in.ctx, site + 1}
		return ctx
	}
	if (onThis || s.factory(in.method) ||
		s.policy == Containers && !s.contexts.full() && s.mayHandOn(in) && v.handsOn(call)) && in.ctx != 0 &&
		!s.calledBefore(in, m) {
		depth := uint8(0)
		if !onThis && !s.factory(in.method) {
			depth = s.contexts.ctxDepth[in.ctx]
		}
		ctx := s.context(keySite|uint64(site), depth)
		s.contexts.chain[ctx] = chained{in.method, in.ctx, site + 1}
		return ctx
	}
	return s.context(keyCall|uint64(in.method)<<16|uint64(s.idOf(in.method, call)), 0)
}

// maxHanded bounds the calls, one in the other, by which what was given is handed on: each call of
// each would be one more context.
const maxHanded = 2

// mayHandOn tells whether an instance stands below less than maxHanded calls that are told apart in
// the context of their caller.
func (s *solver) mayHandOn(in *instance) bool {
	n := 0
	for at := s.chainOf(in.ctx); at.ctx != 0; at = s.chainOf(at.ctx) {
		n++
	}
	return n < maxHanded
}

// handsOn tells whether a constructor or a method that is analysed by receiver gives a parameter of
// its own, or what a field of this has, to a constructor that it calls: what the new object keeps
// is told apart as the object or call is for which that runs.
func (v *visitor) handsOn(call int) bool {
	if !v.handsKnown {
		v.handsKnown = true
		if v.Method.Access&hierarchy.AccStatic == 0 {
			v.hands = handing(v.Method, v.solver.info(v.insts[v.Inst].method).params)
		}
	}
	return slices.Contains(v.hands, int32(call))
}

// handing lists the calls of constructors of other objects to which a method gives one of so many
// parameters or what a field of this has.
func handing(f *facts.Method, params int16) (out []int32) {
	given := map[uint64]bool{}
	for x := uint64(2); x <= uint64(params); x++ {
		given[x] = true
	}
	for range 2 { // a value may be given before a loop brings it
		facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowMove, facts.FlowCast:
				if given[x[1]] {
					given[x[0]] = true
				}
			case facts.FlowLoad:
				if x[1] == 1 {
					given[x[0]] = true
				}
			case facts.FlowCall:
				if c := &f.Calls[x[0]]; c.Name == "<init>" && c.Kind == facts.Special && len(x) > 4 && x[3] != 1 &&
					slices.ContainsFunc(x[4:], func(a uint64) bool { return given[a] }) &&
					!slices.Contains(out, int32(x[0])) {
					out = append(out, int32(x[0]))
				}
			}
		})
	}
	return out
}

// calledBefore tells whether an instance of a constructor is one of m, or called on
// this by one of m, in the contexts that it stands in. No compiler makes that, but
// class files may have it, and chains come to an end.
func (s *solver) calledBefore(in *instance, m hierarchy.MethodID) bool {
	for at := (chained{in.method, in.ctx, 0}); at.ctx != 0; at = s.chainOf(at.ctx) {
		if at.by == m {
			return true
		}
	}
	return false
}

// chainOf is the call that a context stands for, also where that is told apart by receiver besides.
func (s *solver) chainOf(ctx int32) chained {
	if call := s.contexts.callOf[ctx]; call != 0 {
		ctx = call
	}
	return s.contexts.chain[ctx]
}

// factories are the static methods of the JDK that make objects of one class for all who need one,
// or run an action for all who have one. Every file channel would else close the streams that the
// channels of some close, every Optional have what is in any, and every privileged action give what
// any gives: connections of URLs that a program opens, the streams that security providers read.
var factories = map[[2]string]bool{
	{"sun/nio/ch/FileChannelImpl", "open"}: true,
	{"java/util/Optional", "of"}:           true, {"java/util/Optional", "ofNullable"}: true,
	{"java/security/AccessController", "doPrivileged"}:             true,
	{"java/security/AccessController", "doPrivilegedWithCombiner"}: true,
	{"java/security/AccessController", "executePrivileged"}:        true,
}

// factory tells whether a method is one of factories, and analysed like a constructor.
func (s *solver) factory(m hierarchy.MethodID) bool {
	return s.policy == Containers && m != hierarchy.NoMethod &&
		factories[[2]string{s.H.Name(s.H.Owner(m)), s.H.Method(m).Name}]
}

// inlined tells whether a method is a constructor that stores a parameter into a
// field of this, itself or through a constructor that it calls on this; or a factory.
func (s *solver) inlined(m hierarchy.MethodID) bool {
	c := &s.contexts
	for int(m) >= len(c.stores) {
		c.stores = append(c.stores, make([]uint8, max(1024, s.H.NumMethods()-len(c.stores)))...)
	}
	if c.stores[m] == 0 {
		c.stores[m] = 2 // ends cycles of malformed classes
		if s.H.Method(m).Name == "<init>" && s.storesParameter(m) || s.factory(m) {
			c.stores[m] = 1
		}
	}
	return c.stores[m] == 1
}

// storesParameter is inlined for a constructor.
func (s *solver) storesParameter(m hierarchy.MethodID) bool {
	f := s.H.Method(m)
	class := s.H.Facts(s.H.Owner(m))
	params := uint64(s.info(m).params)
	from := map[uint64]bool{} // operands that hold a parameter, other than this
	for x := uint64(2); x <= params; x++ {
		from[x] = true
	}
	found := false
	for range 2 { // a value may be stored before a loop brings it
		facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowMove, facts.FlowCast:
				if from[x[1]] {
					from[x[0]] = true
				}
			case facts.FlowStore:
				found = found || x[0] == 1 && from[x[2]]
			case facts.FlowCall:
				c := &f.Calls[x[0]]
				if found || len(x) < 4 || x[3] != 1 || c.Kind != facts.Special || c.Name != "<init>" {
					return
				}
				for _, a := range x[4:] {
					if from[a] {
						callee := s.H.Resolve(s.H.Load(c.Owner, class.Name), c.Name, c.Desc)
						found = callee != hierarchy.NoMethod && s.inlined(callee)
						return
					}
				}
			}
		})
	}
	return found
}

// objectSensitive tells whether a method is analysed by receiver object.
func (s *solver) objectSensitive(m hierarchy.MethodID) bool {
	if s.policy != Containers {
		return false
	}
	return s.H.Method(m).Access&hierarchy.AccStatic == 0 && s.moves(m)
}

// helps tells whether a static method is analysed in the context of an object whose
// method calls it.
func (s *solver) helps(m hierarchy.MethodID) bool {
	return s.H.Method(m).Access&hierarchy.AccStatic != 0 && s.moves(m)
}

// moves tells whether a method is one of a container that moves contents.
func (s *solver) moves(m hierarchy.MethodID) bool {
	c := &s.contexts
	for int(m) >= len(c.byObject) {
		c.byObject = append(c.byObject, make([]uint8, max(1024, s.H.NumMethods()-len(c.byObject)))...)
	}
	if c.byObject[m] == 0 {
		c.byObject[m] = 2
		if s.container(s.H.Owner(m)) && s.movesContents(m) {
			c.byObject[m] = 1
		}
	}
	return c.byObject[m] == 1
}

// objectContext is the context in which a method is analysed for a receiver
// object, 0 where the object has none or stands too deep in others.
func (s *solver) objectContext(o Object) int32 {
	c := &s.contexts
	if int(o) >= len(c.apart) || c.apart[o] == 0 || c.apart[o] > maxDepth {
		return 0
	}
	if ctx := c.number.Get(uint64(o)); ctx != 0 || c.full() {
		return ctx
	}
	c.objects++
	ctx := s.context(uint64(o), c.apart[o])
	c.object[ctx] = o + 1
	return ctx
}

// allocatedIn notes in which context an object is allocated, and whether its methods
// are analysed for it: those of a container that the program makes are, of what such
// containers consist of, and of one that a method of the JDK makes for a parameter
// of its own.
func (s *solver) allocatedIn(o Object, v *visitor, alloc int) {
	if s.policy != Containers {
		return
	}
	c, ctx := &s.contexts, s.insts[v.Inst].ctx
	for int(o) >= len(c.apart) {
		c.apart, c.parent, c.madeIn = append(c.apart, make([]uint8, 4096)...), append(c.parent,
			make([]Object, 4096)...), append(c.madeIn, make([]int32, 4096)...)
	}
	c.madeIn[o] = ctx
	t := s.TypeInfo(s.TypeOfObject(o))
	if t.Merged == noObject && v.Method.Access&hierarchy.AccStatic == 0 {
		c.parent[o] = c.object[ctx]
	}
	if t.Array != "" || t.Lambda >= 0 || t.Merged != noObject || !s.container(t.Class) {
		return
	}
	depth := c.ctxDepth[ctx]
	if depth == 0 && !s.Workspace[v.Class.Name] && !forStreams(v.Class.Name) && !v.keptFor(alloc) {
		return
	}
	if s.madeWithin(ctx, t.Class) {
		depth = maxDepth
	}
	c.apart[o] = max(c.apart[o], depth+1)
}

// madeWithin tells whether a receiver that a context stands in has a class itself: containers that
// make others of their own class (nodes of a tree, a list that a list gives) would else be told
// apart by how often they do.
func (s *solver) madeWithin(ctx int32, class hierarchy.TypeID) bool {
	c := &s.contexts
	for ctx != 0 && c.ctxDepth[ctx] > 0 {
		switch o := c.object[ctx]; {
		case o == 0:
			ctx = c.chain[ctx].ctx
		case s.TypeInfo(s.TypeOfObject(o-1)).Class == class:
			return true
		default:
			ctx = c.madeIn[o-1]
		}
	}
	return false
}

// nodePlace is where the object is kept, + 1, that stands for all nodes of a type that methods of
// one map make: a map of the JDK makes its nodes in several places (two for those of the trees of a
// HashMap), links them with one another, and copies what one has into the next, so that each points
// to all of them. With an object for each place the fields of nodes were two thirds of
// commons-lang3's copy edges. nil: each allocation has an object of its own.
func (v *visitor) nodePlace(t typeNo) *int32 {
	s := v.solver
	if s.policy != Containers {
		return nil
	}
	c, i := &s.contexts, s.TypeInfo(t)
	receiver := c.object[s.insts[v.Inst].ctx]
	if receiver == 0 || i.Array != "" || i.Lambda >= 0 || i.Merged != noObject || !s.isNode(i.Class, v.Type) {
		return nil
	}
	key := uint64(receiver)<<32 | uint64(t)<<1
	if v.Method.Access&hierarchy.AccStatic != 0 {
		key |= 1 // MadeFor knows of no receiver
	}
	return c.nodes.At(key)
}

// isNode tells whether a class is one of nodes of a map of the JDK that another class is, or is a
// part of.
func (s *solver) isNode(c, part hierarchy.TypeID) bool {
	name := s.H.Name(c)
	outer, _, nested := strings.Cut(name, "$")
	if !nested || !natives.OfJDK(name) {
		return false
	}
	of, entry := s.H.Lookup(outer), s.H.Lookup("java/util/Map$Entry")
	if of == hierarchy.NoType || entry == hierarchy.NoType || !s.H.IsSubtype(c, entry) {
		return false
	}
	return s.H.IsSubtype(part, of) || strings.HasPrefix(s.H.Name(part), outer+"$")
}

// receiverContext is the context in which a constructor is analysed for a receiver
// that has one, and a call that may have one, too. No compiler calls the constructors
// of one new object from two calls, but class files may: they are told apart.
func (s *solver) receiverContext(receiver, call int32) int32 {
	if call == 0 {
		return receiver
	}
	c := &s.contexts
	ctx := s.context(keyBoth|uint64(receiver)<<32|uint64(call), c.ctxDepth[receiver])
	c.object[ctx], c.callOf[ctx] = c.object[receiver], call
	return ctx
}

// dispatchObjects makes a call of m on objects of one block, each in its context.
func (s *solver) dispatchObjects(call int32, m hierarchy.MethodID, b Block, w uint64) {
	for ; w != 0; w &= w - 1 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		ctx := s.objectContext(o)
		if c := &s.calls[call]; ctx == 0 || c.apartly >= maxReceivers {
			ctx = c.ctx
		} else {
			c.apartly++
			ctx = s.receiverContext(ctx, c.ctx)
		}
		callee := s.inst(m, ctx)
		s.link(call, callee)
		s.AddBits(s.insts[callee].base, b, w&-w)
	}
}
