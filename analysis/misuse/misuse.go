// Package misuse finds throws that only the misuse of an object makes happen: one that has been
// closed, has nothing to work on, or whose methods are called in another order than they are meant
// for. BufferedReader.ensureOpen throws only where its reader is null, which close alone makes it;
// Socket.getInputStream where the socket has never been connected.
//
// Strom, Yemini: Typestate: A Programming Language Concept for Enhancing Software Reliability, IEEE
// TSE 1986, follow such states of each object. Here a throw is taken by itself: what must hold of a
// field of this for control to reach it, and which methods of the class make that hold.
package misuse

import (
	"maps"
	"slices"
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

// Checks are the misuse checks of a class.
type Checks map[Key]Check

// Check is what makes a misuse check throw.
type Check struct {
	Why    string // in words, such as "only if in is null, as after close"
	Closed bool   // that the object is closed is enough
}

// WithoutClosed are the checks that being closed does not make throw.
func (c Checks) WithoutClosed() Checks {
	out := Checks{}
	for k, check := range c {
		if !check.Closed {
			out[k] = check
		}
	}
	return out
}

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
	calls  map[string][]string // methods that close an object of the class, each with those that call it
	out    Checks
}

// stores say which methods put a value into a field of this, by what it means in a test.
type stores struct {
	zero, other []string           // by methods: null, false or 0; anything else
	constant    map[int32][]string // by methods, each constant number
	computed    bool               // a value that is no constant
	missed      bool               // a method that opens may return without having set a flag
}

// Of finds the misuse checks of a class, given by its class file. nest are the classes of its nest,
// which can write its private fields. A method that cannot be read has no checks.
func Of(c *classfile.Class, nest []*classfile.Class) Checks {
	f := &finder{class: c, stores: map[state]*stores{}, calls: map[string][]string{}, out: Checks{}}
	for _, of := range append([]*classfile.Class{c}, nest...) {
		f.eachMethod(of, f.noteStores)
		f.eachMethod(of, f.noteCalls)
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
				f.out[Key{low.Name + low.Desc, int32(in.PC)}] = Check{why, true}
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
			k = &stores{constant: map[int32][]string{}}
			f.stores[s] = k
		}
		val := &low.Instrs[low.Args(ir.Value(i))[1]]
		if val.Op == ir.OpConst && val.Kind == ir.Int && val.Code != classfile.OpLdc {
			k.constant[val.Aux] = append(k.constant[val.Aux], low.Name)
			k.missed = k.missed || s.desc == "Z" && opening(low.Name) && mayMiss(low, s, 1-val.Aux)
		} else {
			k.computed = true
		}
		if val.Op == ir.OpConst && (val.Code == classfile.OpAconstNull || val.Kind == ir.Int && val.Aux == 0 &&
			val.Code != classfile.OpLdc) {
			k.zero = append(k.zero, low.Name)
		} else {
			k.other = append(k.other, low.Name)
		}
	}
}

// anyClosing is the method that another class calls to close an object that it is given.
const anyClosing = ""

// noteCalls notes which methods that close an object of the class a method calls, or gives this to.
func (f *finder) noteCalls(low *ir.Method) {
	for i := range low.Instrs {
		if low.Instrs[i].Op != ir.OpInvoke {
			continue
		}
		ref, err := low.Member(ir.Value(i))
		if err != nil || !closing(ref.Name) {
			continue
		}
		if ref.Owner == f.class.Name() {
			f.calls[ref.Name] = append(f.calls[ref.Name], low.Name)
		} else if givesThis(low, ir.Value(i)) {
			f.calls[anyClosing] = append(f.calls[anyClosing], low.Name)
		}
	}
}

// givesThis tells whether this is the receiver or an argument of a call.
func givesThis(low *ir.Method, v ir.Value) bool {
	return !low.IsStatic() && slices.ContainsFunc(low.Args(v), func(a ir.Value) bool {
		in := &low.Instrs[a]
		return in.Op == ir.OpParam && in.Aux == 0
	})
}

// byItself tells whether the class may close an object that is in use by one of some methods, as
// where the peer has gone: another of its methods calls one, or what calls one. Of a constructor or
// finalize nobody has the object.
func (f *finder) byItself(methods []string) bool {
	methods = append(slices.Clip(methods), anyClosing)
	for i := 0; i < len(methods); i++ {
		for _, by := range f.calls[methods[i]] {
			switch {
			case by == constructor || by == "finalize" || slices.Contains(methods, by):
			case closing(by):
				methods = append(methods, by)
			default:
				return true
			}
		}
	}
	return false
}

// test is a branch on a state: how it is compared, and with what.
type test struct {
	state
	code  classfile.Opcode // as of two numbers, which null and false are 0 in
	with  int32
	known bool
}

// holds tells whether the condition of a test holds where the state has a value.
func (t test) holds(v int32) bool {
	switch t.code {
	case classfile.OpIfIcmpeq:
		return v == t.with
	case classfile.OpIfIcmpne:
		return v != t.with
	case classfile.OpIfIcmplt:
		return v < t.with
	case classfile.OpIfIcmpge:
		return v >= t.with
	case classfile.OpIfIcmpgt:
		return v > t.with
	}
	return v <= t.with
}

// branch reads the test at the end of a block.
func branch(low *ir.Method, v ir.Value) (t test) {
	in := &low.Instrs[v]
	if in.Op != ir.OpIf {
		return t
	}
	args := low.Args(v)
	switch code := in.Code; {
	case code == classfile.OpIfnull:
		t.code = classfile.OpIfIcmpeq
	case code == classfile.OpIfnonnull:
		t.code = classfile.OpIfIcmpne
	case code >= classfile.OpIfeq && code <= classfile.OpIfle:
		t.code = code - classfile.OpIfeq + classfile.OpIfIcmpeq
	case code >= classfile.OpIfIcmpeq && code <= classfile.OpIfIcmple:
		with := &low.Instrs[args[1]]
		if with.Op != ir.OpConst || with.Code == classfile.OpLdc {
			return t
		}
		t.code, t.with = code, with.Aux
	default:
		return t
	}
	asked := &low.Instrs[args[0]]
	switch asked.Op {
	case ir.OpGetField:
		t.state, t.known = onThis(low, args[0])
		t.known = t.known && len(t.desc) > 0 && strings.ContainsRune("ZIL[", rune(t.desc[0]))
	case ir.OpInvoke:
		t.state, t.known = asksThis(low, args[0])
	}
	return t
}

// asksThis is what a call asks of this that has a method's documentation behind it: by such a
// method, or by a static one of its name that is given a field of this.
func asksThis(low *ir.Method, v ir.Value) (s state, ok bool) {
	ref, err := low.Member(v)
	if err != nil {
		return s, false
	}
	switch ref.Desc {
	case "()Z":
		s, ok = onThis(low, v)
	case "(I)Z":
		args := low.Args(v)
		if field := args[len(args)-1]; len(args) == 1 && low.Instrs[field].Op == ir.OpGetField {
			_, ok = onThis(low, field)
		}
	}
	ordered := orderOf[ref.Owner] && (ref.Name == isBound || ref.Name == isConnected)
	if !ok || !ordered && ref.Name != isOpen && ref.Name != isClosed {
		return s, false
	}
	return state{name: ref.Name, desc: "Z", call: true}, true
}

// Methods whose documentation (Channel, Socket) says that they tell whether an object is open.
// Those of sockets also tell whether it has been bound or connected, which closing leaves as it is.
const (
	isOpen      = "isOpen"
	isClosed    = "isClosed"
	isBound     = "isBound"
	isConnected = "isConnected"
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
			f.checkOrder(low, t.state)
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
	if !ok || opening(low.Name) || f.mends(low.Name, s, zero) {
		return
	}
	used := int32(0)
	if zero {
		used = 1
	}
	seen := reached(low, s, used)
	for b := range low.Blocks {
		v := last(low, ir.BlockID(b))
		if !seen[b] && v != ir.Undef && low.Instrs[v].Op == ir.OpThrow {
			f.out[Key{low.Name + low.Desc, int32(low.Instrs[v].PC)}] = Check{why, true}
		}
	}
}

// reached are the blocks that control can get to if a state has a value when the method begins.
func reached(low *ir.Method, s state, value int32) []bool {
	return follow(low, s, value, func(ir.BlockID) bool { return false })
}

// follow are the blocks that control can get to so, up to those where it ends.
func follow(low *ir.Method, s state, value int32, ends func(ir.BlockID) bool) []bool {
	changed := afterChange(low, s)
	seen := make([]bool, len(low.Blocks))
	seen[0] = true
	work := []ir.BlockID{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if ends(b) {
			continue
		}
		next := low.Succs(b)
		if t := branch(low, last(low, b)); t.known && t.state == s && len(next) == 2 && !changed[b] {
			if t.holds(value) {
				next = next[1:]
			} else {
				next = next[:1]
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
		ok = (s.name == isOpen || s.name == isClosed) && !f.byItself(slices.Sorted(maps.Keys(f.calls)))
		return s.name == isOpen, "only after it has been closed", ok
	}
	k := f.stores[s]
	if k == nil || !f.private(s) {
		return false, "", false
	}
	if closes(k.zero) && f.byItself(k.zero) || closes(k.other) && f.byItself(k.other) {
		return false, "", false
	}
	switch {
	case s.desc == "I":
	case s.desc != "Z" && closes(k.zero) && (slices.Contains(k.other, constructor) || f.filters(s)):
		return true, "only if " + s.name + " is null, as after " + k.zero[0], true
	case s.desc == "Z" && len(k.other) > 0 && closes(k.other) && !closes(k.zero):
		return false, "only if " + s.name + " is set, as after " + k.other[0], true
	case s.desc == "Z" && closes(k.zero) && slices.Contains(k.other, constructor):
		return true, "only if " + s.name + " is not set, as after " + k.zero[0], true
	}
	return false, "", false
}

// mends tells whether a method stores a value in a field that the object can be used with. It is
// meant for objects that cannot be used, and throws where it cannot make one so that it can.
func (f *finder) mends(method string, s state, zero bool) bool {
	k := f.stores[s]
	return k != nil && (zero && slices.Contains(k.other, method) || !zero && slices.Contains(k.zero, method))
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
var closingNames = [...]string{"close", "shutdown", "dispose", "release", "free"}

// closing tells whether a method closes an object, by its name.
func closing(name string) bool { return named(name, closingNames[:]) }

// partNames begin the names of methods that do a part of what another does: implClose.
var partNames = [...]string{"begin", "end", "finish", "impl", "do", "done", "post", "try"}

// named tells whether the name of a method begins with one of some words, after any words of
// partNames.
func named(name string, words []string) bool {
	for i := 0; i < len(partNames); i++ {
		if rest, ok := cutWord(name, partNames[i]); ok && rest != "" {
			name, i = strings.ToLower(rest[:1])+rest[1:], -1
		}
	}
	return slices.ContainsFunc(words, func(w string) bool {
		_, ok := cutWord(name, w)
		return ok
	})
}

// cutWord is what follows a word at the beginning of a name.
func cutWord(name, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(name, word)
	return rest, ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z')
}
