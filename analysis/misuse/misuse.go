// Package misuse finds throws that only the misuse of an object makes happen: one that has been
// closed, or has nothing to work on. BufferedReader.ensureOpen throws only where its reader is
// null, which close alone makes it.
//
// Strom, Yemini: Typestate: A Programming Language Concept for Enhancing Software Reliability, IEEE
// TSE 1986, follow such states of each object. Here a throw is taken by itself: what must hold of a
// field of this for control to reach it, and which methods of the class make that hold.
package misuse

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/ir"
)

// Key is an athrow of a class: name and descriptor of its method, and where it stands there.
type Key struct {
	Method string
	PC     int32
}

// Checks are the misuse checks of a class, with what makes them throw in words, such as "only if
// in is null, as after close".
type Checks map[Key]string

// state is what a test asks of an object: the value of a field of this, or what a method says that
// by its documentation tells whether the object is open.
type state struct {
	class, name, desc string
	call              bool
}

// maxFields bounds the fields of a class that are looked at.
const maxFields = 64

// finder looks through one class.
type finder struct {
	class  *classfile.Class
	b      ir.Builder
	stores map[state]*stores
	out    Checks
}

// stores say which methods put a value into a field of this, by what it means in a test.
type stores struct {
	zero, other []string // by methods: null, false or 0; anything else
}

// Of finds the misuse checks of a class, given by its class file. nest are the classes of its nest,
// which can write its private fields. A method that cannot be read has no checks.
func Of(c *classfile.Class, nest []*classfile.Class) Checks {
	f := &finder{class: c, stores: map[state]*stores{}, out: Checks{}}
	f.eachMethod(c, f.noteStores)
	for _, n := range nest {
		f.eachMethod(n, f.noteStores)
	}
	f.eachMethod(c, f.findChecks)
	if knownChecks[c.Name()] != nil {
		f.eachMethod(c, f.findKnown)
	}
	return f.out
}

// knownChecks are methods of the JDK, by class and name, whose throws of an IOException tell of a
// field that close sets to null by a compare-and-set of its offset: the store has no name. Where
// BufferedInputStream.fill finds another buffer than it had, someone has closed the stream
// meanwhile.
var knownChecks = map[string]map[string]string{
	"java/io/BufferedInputStream": {
		"getBufIfOpen": "only if buf is null, as after close",
		"fill":         "only if buf has become null, as by close meanwhile",
	},
}

// findKnown notes the throws of a method that knownChecks has.
func (f *finder) findKnown(low *ir.Method) {
	why, ok := knownChecks[f.class.Name()][low.Name]
	if !ok {
		return
	}
	for i := range low.Instrs {
		if in := &low.Instrs[i]; in.Op == ir.OpThrow {
			if name, _ := low.Type(low.Args(ir.Value(i))[0]); name == "java/io/IOException" {
				f.out[Key{low.Name + low.Desc, int32(in.PC)}] = why
			}
		}
	}
}

func (f *finder) eachMethod(c *classfile.Class, do func(*ir.Method)) {
	for _, m := range c.Methods {
		if m.Access&(classfile.AccAbstract|classfile.AccNative) != 0 {
			continue
		}
		if low, err := f.b.Build(c, m); err == nil {
			do(low)
		}
	}
}

// onThis is the field or method of this that an instruction is about.
func onThis(low *ir.Method, v ir.Value) (s state, ok bool) {
	if low.IsStatic() {
		return s, false
	}
	args := low.Args(v)
	if len(args) == 0 {
		return s, false
	}
	if base := &low.Instrs[args[0]]; base.Op != ir.OpParam || base.Aux != 0 {
		return s, false
	}
	ref, err := low.Member(v)
	return state{class: ref.Owner, name: ref.Name, desc: ref.Desc}, err == nil
}

// noteStores notes what a method stores in fields, of this or of any object of the class.
func (f *finder) noteStores(low *ir.Method) {
	for i := range low.Instrs {
		in := &low.Instrs[i]
		if in.Op != ir.OpPutField {
			continue
		}
		ref, err := low.Member(ir.Value(i))
		if err != nil {
			continue
		}
		s := state{class: ref.Owner, name: ref.Name, desc: ref.Desc}
		k := f.stores[s]
		if k == nil {
			if len(f.stores) == maxFields {
				continue
			}
			k = &stores{}
			f.stores[s] = k
		}
		val := &low.Instrs[low.Args(ir.Value(i))[1]]
		if val.Op == ir.OpConst && (val.Code == classfile.OpAconstNull || val.Kind == ir.Int && val.Aux == 0 &&
			val.Code != classfile.OpLdc) {
			k.zero = append(k.zero, low.Name)
		} else {
			k.other = append(k.other, low.Name)
		}
	}
}

// test is a branch on a state.
type test struct {
	state
	zero  bool // the first of what follows the branch is control's way where the state is zero
	known bool
}

// branch reads the test at the end of a block.
func branch(low *ir.Method, v ir.Value) (t test) {
	in := &low.Instrs[v]
	args := low.Args(v)
	if in.Op != ir.OpIf || len(args) != 1 {
		return t
	}
	switch in.Code {
	case classfile.OpIfnull, classfile.OpIfeq: // taken where zero: the first successor is where not
	case classfile.OpIfnonnull, classfile.OpIfne:
		t.zero = true
	default:
		return t
	}
	asked := &low.Instrs[args[0]]
	switch asked.Op {
	case ir.OpGetField:
		t.state, t.known = onThis(low, args[0])
		t.known = t.known && len(t.desc) > 0 && strings.ContainsRune("ZL[", rune(t.desc[0]))
	case ir.OpInvoke:
		t.state, t.known = onThis(low, args[0])
		t.known = t.known && t.desc == "()Z" && (t.name == isOpen || t.name == isClosed)
		t.class, t.call = "", true
	}
	return t
}

// Methods whose documentation (Channel, Socket) says that they tell whether an object is open.
const (
	isOpen   = "isOpen"
	isClosed = "isClosed"
)

// findChecks finds the throws of a method to which control comes only in a state that misuse makes.
func (f *finder) findChecks(low *ir.Method) {
	throws := false
	for i := range low.Instrs {
		throws = throws || low.Instrs[i].Op == ir.OpThrow
	}
	if !throws {
		return
	}
	asked := map[state]bool{}
	for b := range low.Blocks {
		if t := branch(low, last(low, ir.BlockID(b))); t.known && !asked[t.state] {
			asked[t.state] = true
			f.check(low, t.state)
		}
	}
}

func last(low *ir.Method, b ir.BlockID) ir.Value {
	if blk := &low.Blocks[b]; blk.Last > blk.First {
		return ir.Value(blk.Last - 1)
	}
	return ir.Undef
}

// check notes the throws of a method that are reached only in the state in which only misuse puts
// an object.
func (f *finder) check(low *ir.Method, s state) {
	zero, why, ok := f.misused(s)
	if !ok {
		return
	}
	seen := reached(low, s, !zero)
	for b := range low.Blocks {
		v := last(low, ir.BlockID(b))
		if !seen[b] && v != ir.Undef && low.Instrs[v].Op == ir.OpThrow {
			f.out[Key{low.Name + low.Desc, int32(low.Instrs[v].PC)}] = why
		}
	}
}

// reached are the blocks that control can get to if a state is zero, or is not.
func reached(low *ir.Method, s state, zero bool) []bool {
	seen := make([]bool, len(low.Blocks))
	seen[0] = true
	work := []ir.BlockID{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		next := low.Succs(b)
		if t := branch(low, last(low, b)); t.known && t.state == s && len(next) == 2 {
			if t.zero == zero {
				next = next[:1]
			} else {
				next = next[1:]
			}
		}
		for _, list := range [...][]ir.BlockID{next, low.HandlerSuccs(b)} {
			for _, n := range list {
				if !seen[n] {
					seen[n] = true
					work = append(work, n)
				}
			}
		}
	}
	return seen
}

// misused says which value of a state only misuse gives it, and why; ok is false where there is
// none. Of a field that value is stored only by methods that close the object: null in a field that
// else holds what the object works on; true in a flag that it is closed; false in a flag that its
// constructor sets.
func (f *finder) misused(s state) (zero bool, why string, ok bool) {
	if s.call {
		return s.name == isOpen, "only after it has been closed", true
	}
	k := f.stores[s]
	if k == nil || !f.private(s) {
		return false, "", false
	}
	switch {
	case s.desc != "Z" && closes(k.zero) && (constructs(k.other) || f.filters(s)):
		return true, "only if " + s.name + " is null, as after " + k.zero[0], true
	case s.desc == "Z" && len(k.other) > 0 && closes(k.other) && !closes(k.zero):
		return false, "only if " + s.name + " is set, as after " + k.other[0], true
	case s.desc == "Z" && closes(k.zero) && constructs(k.other):
		return true, "only if " + s.name + " is not set, as after " + k.zero[0], true
	}
	return false, "", false
}

// private tells whether only code of the nest stores in a field: it is private, or inherited from
// the classes of streams that filter another.
func (f *finder) private(s state) bool {
	field := f.class.FindField(s.name, s.desc)
	return field != nil && field.Access&classfile.AccPrivate != 0 || f.filters(s)
}

// filters tells whether a field is the stream that a stream of the JDK filters, which a constructor
// of its superclass stores.
func (f *finder) filters(s state) bool {
	return filterFields[[2]string{f.class.SuperName(), s.name}] && natives.OfJDK(f.class.Name())
}

// filterFields are those fields, by the class that declares them.
var filterFields = map[[2]string]bool{
	{"java/io/FilterInputStream", "in"}: true, {"java/io/FilterOutputStream", "out"}: true,
	{"java/io/FilterReader", "in"}: true, {"java/io/FilterWriter", "out"}: true,
}

// closes tells whether there are methods and all are such as close an object, by their names.
func closes(methods []string) bool {
	for _, m := range methods {
		if !closing(m) {
			return false
		}
	}
	return len(methods) > 0
}

// closingNames begin the names of methods after which an object is not to be used, by the
// conventions of the JDK.
var closingNames = [...]string{"close", "implClose", "doClose", "tryClose", "shutdown", "dispose", "release", "free"}

func closing(name string) bool {
	for _, c := range closingNames {
		if rest, ok := strings.CutPrefix(name, c); ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z') {
			return true
		}
	}
	return false
}

// constructs tells whether a constructor is among methods.
func constructs(methods []string) bool {
	for _, m := range methods {
		if m == "<init>" {
			return true
		}
	}
	return false
}
