package pointsto

// This file says which methods are analysed in several contexts, and in which.
//
// A constructor that stores a parameter into a field of this is analysed for each
// call site: selective constructor inlining (Fu et al., ISSTA 2004, section 3.1).
// Where it calls such a constructor of a superclass or of its own class on this,
// that one is analysed for the site in that context: a chain.
//
// Methods of containers are analysed for each receiver object, and what they
// allocate is told apart likewise (Milanova, Rountev, Ryder, Parameterized Object
// Sensitivity for Points-to Analysis for Java, TOSEM 2005), so that what is put
// into one container does not come out of another: what section 4.4 asks for.

import (
	"math/bits"
	"strings"

	"catchlens/analysis/callgraph/natives"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// maxDepth bounds how many objects stand between a container and the code that
// does not belong to one: a map, its table, an entry, an iterator.
const maxDepth = 3

// maxContexts bounds the contexts of one analysis. Objects that come later share
// their methods with those that have none.
const maxContexts = 1 << 15

// contexts is what the solver keeps of contexts.
type contexts struct {
	number   table // what makes a context -> its number
	count    int32
	stores   []uint8   // by MethodID: 0 not asked, 1 a constructor to inline, 2 not
	holds    []uint8   // by TypeID: 0 not asked, 1 a container, 2 not
	apart    []uint8   // by Object: 0 it has no context, else 1 and the contexts that it was allocated in
	ctxDepth []uint8   // by context
	chain    []chained // by context
}

// chained is the constructor whose call on this a context stands for, with its own
// context; nothing of all other contexts.
type chained struct {
	by  hierarchy.MethodID
	ctx int32
}

// context is the number of the context that a key stands for.
func (s *solver) context(key uint64, depth uint8) int32 {
	p := s.contexts.number.at(key)
	if *p == 0 {
		s.contexts.count++
		*p = s.contexts.count
		for int(s.contexts.count) >= len(s.contexts.ctxDepth) {
			s.contexts.ctxDepth = append(s.contexts.ctxDepth, make([]uint8, 1024)...)
			s.contexts.chain = append(s.contexts.chain, make([]chained, 1024)...)
		}
		s.contexts.ctxDepth[*p] = depth
	}
	return *p
}

// Keys of contexts: an object, a call of a method, or a site of an instance.
const (
	keySite = 1 << 62
	keyCall = 1 << 61
)

// contextOf is the context in which a direct call of a constructor analyses its
// callee: the call site, in the context of the caller where that calls it on its
// own this.
func (v *visitor) contextOf(site int32, call int, m hierarchy.MethodID, onThis bool) int32 {
	s := v.solver
	if s.policy == Insensitive || !s.inlined(m) {
		return 0
	}
	in := &s.insts[v.inst]
	if onThis && in.ctx != 0 && !s.calledBefore(in, m) {
		ctx := s.context(keySite|uint64(site), 0)
		s.contexts.chain[ctx] = chained{in.method, in.ctx}
		return ctx
	}
	return s.context(keyCall|uint64(in.method)<<16|uint64(call), 0)
}

// calledBefore tells whether an instance of a constructor is one of m, or called on
// this by one of m, in the contexts that it stands in. No compiler makes that, but
// class files may have it, and chains come to an end.
func (s *solver) calledBefore(in *instance, m hierarchy.MethodID) bool {
	for at := (chained{in.method, in.ctx}); at.ctx != 0; at = s.contexts.chain[at.ctx] {
		if at.by == m {
			return true
		}
	}
	return false
}

// inlined tells whether a method is a constructor that stores a parameter into a
// field of this, itself or through a constructor that it calls on this.
func (s *solver) inlined(m hierarchy.MethodID) bool {
	c := &s.contexts
	for int(m) >= len(c.stores) {
		c.stores = append(c.stores, make([]uint8, max(1024, s.h.NumMethods()-len(c.stores)))...)
	}
	if c.stores[m] == 0 {
		c.stores[m] = 2 // ends cycles of malformed classes
		if s.h.Method(m).Name == "<init>" && s.storesParameter(m) {
			c.stores[m] = 1
		}
	}
	return c.stores[m] == 1
}

// storesParameter is inlined for a constructor.
func (s *solver) storesParameter(m hierarchy.MethodID) bool {
	f := s.h.Method(m)
	class := s.h.Facts(s.h.Owner(m))
	params := uint64(s.info(m).params)
	from := map[uint64]bool{} // operands that hold a parameter, other than this
	for x := uint64(2); x <= params; x++ {
		from[x] = true
	}
	found := false
	for range 2 { // a value may be stored before a loop brings it
		eachOp(f.Flow, func(op facts.FlowOp, x []uint64) {
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
						callee := s.h.Resolve(s.h.Load(c.Owner, class.Name), c.Name, c.Desc)
						found = callee != hierarchy.NoMethod && s.inlined(callee)
						return
					}
				}
			}
		})
	}
	return found
}

// eachOp calls f for the operations of a flow with their operands; of calls the
// count of arguments is among them.
func eachOp(code []byte, f func(op facts.FlowOp, operands []uint64)) {
	if len(code) == 0 {
		return
	}
	_, at := uvarint(code, 0)
	var x []uint64
	for at < len(code) {
		op := facts.FlowOp(code[at])
		at++
		x = x[:0]
		for n := op.Operands(); n > 0; n-- {
			var v uint64
			v, at = uvarint(code, at)
			x = append(x, v)
		}
		if op == facts.FlowCall {
			for n := x[2]; n > 0; n-- {
				var v uint64
				v, at = uvarint(code, at)
				x = append(x, v)
			}
		}
		f(op, x)
	}
}

// containerRoots are the types whose subtypes are containers, and the parts of
// containers.
var containerRoots = []string{"java/util/Collection", "java/util/Map", "java/util/Iterator", "java/util/Enumeration", "java/util/Map$Entry",
	"java/util/Dictionary"}

// container tells whether a class is a container or a part of one: a collection,
// a map, their iterators and entries, a class nested in one, and a class that
// keeps and gives back objects of any type.
func (s *solver) container(c hierarchy.TypeID) bool {
	h := s.contexts.holds
	if int(c) >= len(h) {
		h = append(h, make([]uint8, max(1024, s.h.NumTypes()-len(h)))...)
		s.contexts.holds = h
	}
	if h[c] == 0 {
		h[c] = 2
		if s.isContainer(c) {
			s.contexts.holds[c] = 1
		}
	}
	return s.contexts.holds[c] == 1
}

func (s *solver) isContainer(c hierarchy.TypeID) bool {
	for _, n := range containerRoots {
		if t := s.h.Lookup(n); t != hierarchy.NoType && s.h.IsSubtype(c, t) {
			return true
		}
	}
	f := s.h.Facts(c)
	if f == nil {
		return false
	}
	if f.Outer != "" {
		if o := s.h.Lookup(f.Outer); o != hierarchy.NoType && o != c && s.container(o) {
			return true
		}
	}
	return s.keepsAnything(c)
}

// keepsAnything tells whether a method of a class other than its constructors
// stores a parameter in a field of type Object of this or in an array of Objects
// that such a field holds, and a method returns what it has loaded from there.
// That is what generic containers compile to.
func (s *solver) keepsAnything(c hierarchy.TypeID) bool {
	class := s.h.Facts(c)
	generic := false
	for i := range class.Fields {
		d := class.Fields[i].Desc
		generic = generic || !class.Fields[i].Static && strings.HasSuffix(d, "Ljava/lang/Object;")
	}
	if !generic {
		return false
	}
	puts, gets := false, false
	for i := range class.Methods {
		m := &class.Methods[i]
		if m.Access&hierarchy.AccStatic != 0 || m.Name == "<init>" {
			continue
		}
		n, ref := refParams(m.Desc)
		k := keeper{params: uint64(n + 1), loaded: map[uint64]bool{}}
		eachOp(m.Flow, func(op facts.FlowOp, x []uint64) { k.op(class, op, x) })
		puts, gets = puts || k.puts, gets || ref && k.gets
	}
	return puts && gets
}

// keeper looks at one method for keepsAnything.
type keeper struct {
	params     uint64          // operands up to this are parameters
	loaded     map[uint64]bool // operands that hold what was loaded from a field of this
	puts, gets bool
}

func (k *keeper) op(class *facts.Class, op facts.FlowOp, x []uint64) {
	param := func(v uint64) bool { return v > 1 && v <= k.params }
	object := func(at uint64) bool { return strings.HasSuffix(class.FlowNames[at+2], "Ljava/lang/Object;") }
	switch op {
	case facts.FlowLoad:
		if x[1] == 1 && object(x[2]) {
			k.loaded[x[0]] = true
		}
	case facts.FlowElemLoad:
		if k.loaded[x[1]] {
			k.loaded[x[0]] = true
		}
	case facts.FlowMove, facts.FlowCast:
		if k.loaded[x[1]] {
			k.loaded[x[0]] = true
		}
	case facts.FlowStore:
		k.puts = k.puts || x[0] == 1 && object(x[1]) && param(x[2])
	case facts.FlowElemStore:
		k.puts = k.puts || k.loaded[x[0]] && param(x[1])
	case facts.FlowReturn:
		k.gets = k.gets || k.loaded[x[0]]
	}
}

// objectSensitive tells whether a method is analysed by receiver object.
func (s *solver) objectSensitive(m hierarchy.MethodID) bool {
	return s.policy == Containers && s.h.Method(m).Access&hierarchy.AccStatic == 0 && s.container(s.h.Owner(m))
}

// objectContext is the context in which a method is analysed for a receiver
// object, 0 where the object has none or stands too deep in others.
func (s *solver) objectContext(o Object) int32 {
	c := &s.contexts
	if int(o) >= len(c.apart) || c.apart[o] == 0 || c.apart[o] > maxDepth {
		return 0
	}
	if c.count >= maxContexts {
		return c.number.get(uint64(o))
	}
	return s.context(uint64(o), c.apart[o])
}

// allocatedIn notes who allocates an object: containers of the program, and what
// they consist of, are told apart; those of the JDK's own are not.
func (s *solver) allocatedIn(o Object, class string, ctx int32) {
	if s.policy != Containers {
		return
	}
	depth := s.contexts.ctxDepth[ctx]
	if depth == 0 && natives.OfJDK(class) {
		return
	}
	c := &s.contexts
	for int(o) >= len(c.apart) {
		c.apart = append(c.apart, make([]uint8, 4096)...)
	}
	c.apart[o] = max(c.apart[o], depth+1)
}

// dispatchObjects makes a call of m on objects of one block, each in its context.
func (s *solver) dispatchObjects(call int32, m hierarchy.MethodID, b Block, w uint64) {
	for ; w != 0; w &= w - 1 {
		o := Object(b)<<6 + Object(bits.TrailingZeros64(w))
		ctx := s.objectContext(o)
		if ctx == 0 {
			ctx = s.calls[call].ctx
		}
		callee := s.inst(m, ctx)
		s.link(call, callee)
		s.addBits(s.insts[callee].base, b, w&-w)
	}
}
