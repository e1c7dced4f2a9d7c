// Package plan decides where probes go. The places are computed once, from the
// stored facts of a class, and shared by the rewriter, which inserts the
// probes, and by whoever reads what they reported, so that the numbers of the
// two cannot disagree (DESIGN D2).
//
// Input is a [facts.Class] and the [Kinds] of probes wanted; the result is a
// [Class]: the tries, catches and throw sites of that class that carry a
// probe, each with its number. Numbers count within one class and one kind of
// probe, from 0, in the order of methods and then of the exception table or of
// the code: they depend on nothing outside the class file, so an edit of one
// class renumbers no other.
//
// What the numbers mean to the probe methods of catchlens/rt/Probe:
//
//	tryEnter, uncaught  Try.N
//	caught              Catch.N
//	thrown, rethrown    Throw.N
//	point               Point.N
//	guard, select       Guard.N
//	enter               index of the method in the class file
//	cover               Cover.N, in an array that covered fetches at the method's entry
//	count               Cover.N, in place of both where Class.Counts is set
//	root                faults.Root.ID: one number for all classes
//
// Precision. A try here is a set of handlers with identical lists of ranges.
// For javac and ECJ that is a try statement's catch clauses: handlers that only
// catch everything (finally, synchronized) are left out, and what the compiler
// adds with a type of its own (try-with-resources) is kept. Known gap: a
// compiler that shares one handler between two try statements makes one try of
// them, whose entry is only seen at the first range. A throw site that can only
// rethrow what a handler of the method caught has no probe, since the throw
// site of a rethrown exception is where it was thrown first.
//
// Native methods and implicit throws have no probes: the recorder takes their
// sites from the exception's stack trace.
//
// Cost: linear in the facts; the 6,445 classes of java.base of JDK 17 take 12 ms on
// one core.
package plan

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
)

// Version is part of every cache key of plans and of rewritten classes: it
// changes whenever the same class would get other numbers or other bytes.
const Version = 2

// Kinds is a set of kinds of probes.
type Kinds uint8

// Kinds of probes, and the sets of them in use.
const (
	Enters Kinds = 1 << iota // method entries
	Tries                    // try entries, handler entries, exceptions leaving a try uncaught
	Throws                   // throw sites
	Roots                    // calls of native operations that faults strike (package faults)

	None    Kinds = 0
	Full    Kinds = Enters | Tries | Throws | Roots // classes of the workspace
	Library Kinds = Throws | Roots                  // those of libraries and of the JDK
)

// Range is the byte code range [Start, End) of an original Code attribute.
type Range struct{ Start, End int32 }

// Compare orders ranges by their start, then by their end.
func (r Range) Compare(o Range) int {
	return cmp.Or(cmp.Compare(r.Start, o.Start), cmp.Compare(r.End, o.End))
}

// Contains tells whether the range holds pc.
func (r Range) Contains(pc int32) bool { return r.Start <= pc && pc < r.End }

// Try is a set of handlers with identical ranges.
type Try struct {
	N        uint16
	Method   uint16   // index in the class file
	Ranges   []Range  // in the order of Range.Compare; disjoint unless the exception table overlaps
	Handlers []uint16 // indices into facts.Method.Handlers, in the order of search
}

// Start is the pc where control enters the try: the start of its first range.
func (t *Try) Start() int32 { return t.Ranges[0].Start }

// Contains tells whether pc lies in one of the try's ranges.
func (t *Try) Contains(pc int32) bool {
	for _, r := range t.Ranges {
		if r.Contains(pc) {
			return true
		}
	}
	return false
}

// Catch is a handler of a try.
type Catch struct {
	N       uint16
	Method  uint16
	Handler uint16 // index into facts.Method.Handlers
	Try     uint16 // Try.N
	PC      int32  // of the handler
}

// Throw is an athrow that may throw something else than what a handler of its
// method caught.
type Throw struct {
	N       uint16
	Method  uint16
	Ordinal uint16 // among the method's athrow instructions, as in facts.Site
	PC      int32
	Mixed   bool // may also rethrow what a handler caught
}

// Point is a place inside a try where an exception may be thrown on demand, beside
// its start (fine-grain injection, paper 001, 5.1). ForClass makes none: who wants some
// adds them, in the order of methods and pcs; numbers of other probes do not depend
// on them, and they are not part of an encoded plan.
type Point struct {
	N      uint16
	Method uint16
	PC     int32
}

// Root is a call of a native operation that faults strike; or, of the user's own
// faults, the start of a method (PC -1), or a call of one that has no code.
type Root struct {
	Method uint16
	PC     int32
	ID     uint16 // faults.Root.ID, or for the user's own faults.DeclaredEntry and on
}

// Drop is a method whose probes were left out of the plan.
type Drop struct {
	Method uint16
	Why    string
}

// Class is the plan of one class. N of every element that has one is its index.
type Class struct {
	Name    string
	Digest  [16]byte // facts.Class.Digest
	Kinds   Kinds
	Methods int // number of methods of the class, for enter probes
	Tries   []Try
	Catches []Catch
	Throws  []Throw
	Points  []Point
	Roots   []Root // by method and pc; not numbered
	Guards  []Guard
	Covers  []Cover
	Counts  bool    // coverage probes count their executions, in place of recording that there were some
	Chains  []Chain // by method
	Dropped []Drop  // methods beyond 65,536 probes of a kind
}

// Empty tells whether no probe can come from this plan.
func (c *Class) Empty() bool {
	return len(c.Tries) == 0 && len(c.Throws) == 0 && len(c.Roots) == 0 && len(c.Guards) == 0 &&
		len(c.Covers)+len(c.Chains) == 0 &&
		(c.Kinds&Enters == 0 || c.Methods == 0)
}

// ForClass computes the plan of a class.
func ForClass(f *facts.Class, k Kinds) *Class {
	c := &Class{Name: f.Name, Digest: f.Digest, Kinds: k, Methods: len(f.Methods)}
	for i := range f.Methods {
		if k&Tries != 0 {
			c.addTries(uint16(i), &f.Methods[i])
		}
		if k&Throws != 0 {
			c.addThrows(uint16(i), &f.Methods[i])
		}
		if k&Roots != 0 {
			c.addRoots(uint16(i), &f.Methods[i])
		}
	}
	return c
}

// MaxProbes is how many probes of a kind a class may have: numbers are u2.
const MaxProbes = math.MaxUint16 + 1

func (c *Class) addTries(method uint16, m *facts.Method) {
	tries := methodTries(m)
	catches := 0
	for _, t := range tries {
		catches += len(t.Handlers)
	}
	if len(c.Tries)+len(tries) > MaxProbes || len(c.Catches)+catches > MaxProbes {
		c.Dropped = append(c.Dropped, Drop{method, "the class has more than 65,536 tries or handlers"})
		return
	}
	for _, t := range tries {
		t.N, t.Method = uint16(len(c.Tries)), method
		for _, h := range t.Handlers {
			c.Catches = append(c.Catches, Catch{
				N: uint16(len(c.Catches)), Method: method, Handler: h, Try: t.N, PC: m.Handlers()[h].PC,
			})
		}
		c.Tries = append(c.Tries, t)
	}
}

// methodTries groups the handlers that catch some type by their ranges, in the
// order in which they first occur in the exception table.
func methodTries(m *facts.Method) []Try {
	if len(m.Table()) == 0 {
		return nil
	}
	ranges := make([][]Range, len(m.Handlers()))
	var order []uint16 // handlers with a type, by first table entry
	typed := make([]bool, len(m.Handlers()))
	for _, e := range m.Table() {
		if int(e.Handler) >= len(m.Handlers()) {
			continue // facts never say so; a damaged store might
		}
		ranges[e.Handler] = append(ranges[e.Handler], Range{e.Start, e.End})
		if e.Type != "" && !typed[e.Handler] {
			typed[e.Handler] = true
			order = append(order, e.Handler)
		}
	}
	var tries []Try
	byRanges := make(map[string]int, len(order)) // encoded ranges -> index in tries
	for _, h := range order {
		rs := ranges[h]
		slices.SortFunc(rs, Range.Compare)
		rs = slices.Compact(rs)
		key := keyOf(rs)
		i, ok := byRanges[key]
		if !ok {
			i = len(tries)
			byRanges[key] = i
			tries = append(tries, Try{Ranges: rs})
		}
		tries[i].Handlers = append(tries[i].Handlers, h)
	}
	return tries
}

// keyOf is a key for maps by ranges.
func keyOf(rs []Range) string {
	var b []byte
	for _, r := range rs {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Start)), uint64(r.End))
	}
	return string(b)
}

func (c *Class) addRoots(method uint16, m *facts.Method) {
	for i := range m.Calls {
		x := &m.Calls[i]
		if r := faults.Find(c.Name, x.Owner, x.Name, x.Desc); r != nil {
			c.Roots = append(c.Roots, Root{method, x.PC, uint16(r.ID)})
		}
	}
}

// Declare adds the places where faults of the user's own strike: in each method that
// one is about, and at calls of those that have no code and are no method of an
// interface or abstract, which others override.
func (c *Class) Declare(f *facts.Class, list []faults.Declared, factsOf func(string) (*facts.Class, bool)) {
	if len(list) == 0 {
		return
	}
	n := len(c.Roots)
	isA := faults.Supers(f, factsOf)
	for i := range f.Methods {
		m := &f.Methods[i]
		for k := range list {
			if m.Access&(accNative|accAbstract) == 0 && list[k].Strikes(f.Name, m.Name, m.Desc, m.Access, isA) {
				c.Roots = append(c.Roots, Root{uint16(i), -1, uint16(faults.DeclaredEntry + k)})
			}
			c.declareCalls(uint16(i), m, k, &list[k], factsOf)
		}
	}
	if len(c.Roots) > n {
		slices.SortStableFunc(c.Roots, func(a,
			b Root) int {
			return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.PC, b.PC))
		})
	}
}

// Access flags of methods (JVMS 4.6).
const (
	accNative   = 0x0100
	accAbstract = 0x0400
)

// declareCalls adds the calls of the native method that a fault is about.
func (c *Class) declareCalls(method uint16, m *facts.Method, k int, d *faults.Declared,
	factsOf func(string) (*facts.Class, bool)) {
	for i := range m.Calls {
		x := &m.Calls[i]
		if x.Owner != d.Class || x.Name != d.Method || d.Desc != "" && x.Desc != d.Desc {
			continue
		}
		if f, ok := factsOf(x.Owner); ok && slices.ContainsFunc(f.Methods, func(m facts.Method) bool {
			return m.Name == x.Name && m.Desc == x.Desc && m.Access&accNative != 0
		}) {
			c.Roots = append(c.Roots, Root{method, x.PC, uint16(faults.DeclaredCall + k)})
		}
	}
}

func (c *Class) addThrows(method uint16, m *facts.Method) {
	n := len(c.Throws)
	for i := range m.Throws() {
		t := &m.Throws()[i]
		caught, other := false, false
		for _, s := range t.Sources {
			if s.Kind == facts.CaughtSource {
				caught = true
			} else {
				other = true
			}
		}
		if caught && !other {
			continue
		}
		if len(c.Throws) == MaxProbes {
			c.Throws = c.Throws[:n]
			c.Dropped = append(c.Dropped, Drop{method, "the class has more than 65,536 throw sites"})
			return
		}
		c.Throws = append(c.Throws, Throw{
			N: uint16(len(c.Throws)), Method: method, Ordinal: t.Ordinal, PC: t.PC, Mixed: caught,
		})
	}
}
