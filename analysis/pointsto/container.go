package pointsto

// This file says which classes are containers, which of their methods move what
// they contain, and which containers are worth being told apart.

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/heap"
)

// containerRoots are the types whose subtypes are containers, and the parts of
// containers.
var containerRoots = []string{"java/util/Collection", "java/util/Map", "java/util/Iterator", "java/util/Enumeration",
	"java/util/Map$Entry",
	"java/util/Dictionary"}

// containerHelpers are classes with methods that containers of the JDK use to move
// what they have.
var containerHelpers = map[string]bool{"java/util/Arrays": true, "java/util/TimSort": true,
	"java/util/ComparableTimSort": true,
	"java/util/Collections":       true}

// bridges are the classes between streams of bytes and readers and writers. What one
// reads from is in an object that a static method makes for it: without being told apart,
// each reader would read from the streams of all.
var bridges = map[string]bool{"java/io/InputStreamReader": true, "sun/nio/cs/StreamDecoder": true,
	"java/io/OutputStreamWriter": true, "sun/nio/cs/StreamEncoder": true}

// holders are classes of objects that hold another one from their making on, and are made by a
// static method (factories).
var holders = map[string]bool{"java/util/Optional": true}

// container tells whether a class is a container or a part of one: a collection,
// a map, their iterators and entries, a class nested in one, a helper of theirs, and
// a class that keeps and gives back objects of any type.
func (s *solver) container(c hierarchy.TypeID) bool {
	h := s.contexts.holds
	if int(c) >= len(h) {
		h = append(h, make([]uint8, max(1024, s.H.NumTypes()-len(h)))...)
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
	f := s.H.Facts(c)
	switch {
	case s.ofContainerType(c):
		return true
	case f == nil:
		return false
	case containerHelpers[f.Name], bridges[f.Name], holders[f.Name]:
		return true
	}
	if f.Outer != "" {
		if o := s.H.Lookup(f.Outer); o != hierarchy.NoType && o != c && s.container(o) {
			return true
		}
	}
	return s.keepsAnything(c) || s.takesOut(c) || s.wraps(c)
}

// wraps tells whether a class is one of streams that read from others by way of further ones, which
// it makes: a method of it other than a constructor gives a parameter of its own, or what a field
// of this has, to the constructor of another stream, as java.util.zip.GZIPInputStream.readHeader
// does. Without being told apart, what it makes would read from what all read from.
func (s *solver) wraps(c hierarchy.TypeID) bool {
	stream := s.H.Lookup("java/io/Closeable")
	if stream == hierarchy.NoType || !s.H.IsSubtype(c, stream) || !natives.OfJDK(s.H.Name(c)) {
		return false
	}
	class := s.H.Facts(c)
	for i := range class.Methods {
		m := &class.Methods[i]
		if m.Access&hierarchy.AccStatic != 0 || m.Name == "<init>" {
			continue
		}
		n, _ := heap.RefParams(m.Desc)
		for _, k := range handing(m, int16(n+1)) {
			if t := s.H.Load(m.Calls[k].Owner, class.Name); t != hierarchy.NoType && s.H.IsSubtype(t, stream) {
				return true
			}
		}
	}
	return false
}

// takesOut tells whether a class is one of streams that read from others in turn, which a container
// holds: a method of it or of a superclass stores in a field of this what a call on a container
// gives that another field of this has, as java.io.SequenceInputStream.peekNextStream does. Without
// being told apart, each would read from what all read from.
func (s *solver) takesOut(c hierarchy.TypeID) bool {
	stream := s.H.Lookup("java/io/Closeable")
	if stream == hierarchy.NoType || !s.H.IsSubtype(c, stream) {
		return false
	}
	for ; c != hierarchy.NoType && s.H.Facts(c) != nil; c = s.H.Super(c) {
		class := s.H.Facts(c)
		for i := range class.Methods {
			if m := &class.Methods[i]; m.Access&hierarchy.AccStatic == 0 && m.Name != "<init>" &&
				s.takesOutIn(class, m) {
				return true
			}
		}
	}
	return false
}

// takesOutIn is takesOut for one method.
func (s *solver) takesOutIn(class *facts.Class, m *facts.Method) bool {
	// operands, and the types of fields that they come from
	held, taken, found := map[uint64]string{}, map[uint64]string{}, false
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowLoad:
			if x[1] == 1 {
				held[x[0]] = class.FlowNames[x[2]+2]
			}
		case facts.FlowMove, facts.FlowCast:
			held[x[0]], taken[x[0]] = max(held[x[0]], held[x[1]]), max(taken[x[0]], taken[x[1]])
		case facts.FlowCall:
			if len(x) > 3 && x[1] != 0 {
				taken[x[1]] = max(taken[x[1]], held[x[3]])
			}
		case facts.FlowStore:
			if name, ok := strings.CutPrefix(taken[x[2]], "L"); ok && x[0] == 1 && !found &&
				s.H.Present(name[:len(name)-1]) {
				t := s.H.Load(name[:len(name)-1], class.Name)
				found = t != hierarchy.NoType && s.ofContainerType(t)
			}
		}
	})
	return found
}

// ofContainerType tells whether a type is that of containers or of parts of theirs, by the types
// that these have.
func (s *solver) ofContainerType(c hierarchy.TypeID) bool {
	return slices.ContainsFunc(containerRoots, func(n string) bool {
		t := s.H.Lookup(n)
		return t != hierarchy.NoType && s.H.IsSubtype(c, t)
	})
}

// keepsAnything tells whether a method of a class other than its constructors
// stores a parameter in a field of type Object of this or in an array of Objects
// that such a field holds, and a method returns what it has loaded from there.
// That is what generic containers compile to.
func (s *solver) keepsAnything(c hierarchy.TypeID) bool {
	class := s.H.Facts(c)
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
		n, ref := heap.RefParams(m.Desc)
		k := keeper{params: uint64(n + 1), loaded: map[uint64]bool{}}
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) { k.op(class, op, x) })
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

// queries are methods that take an object, but only to compare it.
var queries = map[string]bool{"equals": true, "contains": true, "containsKey": true, "containsValue": true,
	"indexOf": true, "lastIndexOf": true,
	"hashCode": true, "toString": true, "containsAll": true, "size": true, "isEmpty": true}

// movesContents tells whether a method of a container may put something into it,
// take something out, or move what is in it.
func (s *solver) movesContents(m hierarchy.MethodID) bool {
	f := s.H.Method(m)
	if queries[f.Name] {
		return false
	}
	n, ref := heap.RefParams(f.Desc)
	if n > 0 || ref && !strings.HasSuffix(f.Desc, ")Ljava/lang/String;") || f.Name == "<init>" {
		return true
	}
	moves := false
	facts.EachFlow(f.Flow, func(op facts.FlowOp, x []uint64) {
		moves = moves || op == facts.FlowStore || op == facts.FlowElemStore || op == facts.FlowCall && x[2] > 1
	})
	return moves
}

// streamPackages are the packages of the JDK that streams, files, the network and
// class loading go through: what its containers hold decides what fails below a read.
var streamPackages = []string{"java/io/", "java/nio/", "java/net/", "sun/net/", "sun/nio/", "java/util/zip/",
	"java/util/jar/", "jdk/internal/loader/"}

func forStreams(class string) bool {
	return slices.ContainsFunc(streamPackages, func(p string) bool { return strings.HasPrefix(class, p) })
}

// keptFor tells whether a method puts a parameter of its own into what it
// allocates, as java.io.SequenceInputStream does with two streams and a Vector.
func (v *visitor) keptFor(alloc int) bool {
	params := uint64(v.solver.info(v.insts[v.Inst].method).params)
	static := v.Method.Access&hierarchy.AccStatic != 0
	given, made, kept := map[uint64]bool{}, map[uint64]bool{}, false
	for x := uint64(1); x <= params; x++ {
		given[x] = static || x > 1
	}
	for range 2 { // a value may be passed before a loop brings it
		facts.EachFlow(v.Method.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowNew:
				if int(x[1]) == alloc {
					made[x[0]] = true
				}
			case facts.FlowMove, facts.FlowCast:
				if given[x[1]] {
					given[x[0]] = true
				}
				if made[x[1]] {
					made[x[0]] = true
				}
			case facts.FlowCall:
				if len(x) > 4 && made[x[3]] {
					for _, a := range x[4:] {
						kept = kept || given[a]
					}
				}
			}
		})
	}
	return kept
}
