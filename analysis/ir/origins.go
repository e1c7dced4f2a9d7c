package ir

// This file follows values back to where they come from.

import "github.com/catchlens/catchlens/analysis/classfile"

// Origin is one instruction that a value may come from: neither a phi nor a
// cast.
type Origin struct {
	Value Value
	Cast  int32 // pool index of the class of the last cast on the way, 0: none
}

// Origins appends to buf the origins of v as the instruction at sees it, each
// once per cast, in the order found. Casts and phis are followed, and where
// alias is not nil, so is each value for which it returns another one than
// Undef: the value that it is the same object as.
//
// null is left out where it cannot be what at sees: where the only way to at,
// or to the phi's operand, leads over the branch of a null test of the value
// that says it is not null.
func (m *Method) Origins(v, at Value, alias func(Value) Value, buf []Origin) []Origin {
	f := finder{m: m, alias: alias, out: buf, start: len(buf)}
	f.follow(v, 0, m.BlockOf(at), false)
	return f.out
}

type finder struct {
	m     *Method
	alias func(Value) Value
	out   []Origin
	start int
	seen  []seenPhi
	more  map[seenPhi]bool // what seen has no room for
	found map[Origin]bool  // all of out, once there are more than few
}

// few is how many are found sooner in a list than in a map.
const few = 16

// seenPhi is a phi as it was met: with the cast and with what is known of null.
type seenPhi struct {
	v       Value
	cast    int32
	nonNull bool
}

// follow looks for the origins of v, of which the end of block at is asked. If
// nonNull it is known not to be null there.
func (f *finder) follow(v Value, cast int32, at BlockID, nonNull bool) {
	m := f.m
	for {
		in := &m.Instrs[v]
		nonNull = nonNull || in.Op != OpPhi && in.Kind == Ref && m.nonNullAt(v, at)
		next := Undef
		if in.Op == OpCheckCast {
			next = m.Args(v)[0]
			nonNull = nonNull || m.nonNullAt(next, at)
			if cast == 0 {
				cast = in.Aux
			}
		} else if f.alias != nil {
			next = f.alias(v)
		}
		if next == Undef {
			break
		}
		v = next
	}
	in := &m.Instrs[v]
	if in.Op == OpPhi {
		f.phi(v, cast, nonNull || m.nonNullAt(v, at))
		return
	}
	if nonNull && in.Op == OpConst && in.Code == classfile.OpAconstNull {
		return
	}
	if o := (Origin{v, cast}); !f.has(o) {
		f.out = append(f.out, o)
		if f.found != nil {
			f.found[o] = true
		}
	}
}

// has tells whether an origin was found before.
func (f *finder) has(o Origin) bool {
	if f.found != nil {
		return f.found[o]
	}
	for _, x := range f.out[f.start:] {
		if x == o {
			return true
		}
	}
	if len(f.out)-f.start >= few {
		f.found = make(map[Origin]bool)
		for _, x := range f.out[f.start:] {
			f.found[x] = true
		}
	}
	return false
}

func (f *finder) phi(v Value, cast int32, nonNull bool) {
	if f.visited(seenPhi{v, cast, false}) {
		return
	}
	if key := (seenPhi{v, cast, nonNull}); nonNull && f.visited(key) {
		return
	} else if len(f.seen) < few {
		f.seen = append(f.seen, key)
	} else {
		if f.more == nil {
			f.more = make(map[seenPhi]bool)
		}
		f.more[key] = true
	}
	block := f.m.BlockOf(v)
	preds := f.m.Preds(block)
	for i, a := range f.m.Args(v) {
		p := preds[i]
		f.follow(a, cast, p.Block, nonNull || !p.Exceptional && f.m.nonNullEdge(a, p.Block, block))
	}
}

func (f *finder) visited(key seenPhi) bool {
	for _, s := range f.seen {
		if s == key {
			return true
		}
	}
	return f.more[key]
}

// maxNullWalk bounds how far back a null test is looked for, in blocks.
const maxNullWalk = 256

// nonNullAt tells whether a null test says that v is not null in block at: one
// that at is reached through without joins in between.
func (m *Method) nonNullAt(v Value, at BlockID) bool {
	for range maxNullWalk {
		preds := m.Preds(at)
		if len(preds) != 1 {
			return false
		}
		p := preds[0]
		if !p.Exceptional && m.nonNullEdge(v, p.Block, at) {
			return true
		}
		at = p.Block
	}
	return false
}

// nonNullEdge tells whether the normal edge from one block to another is the
// branch of a null test on which v is not null.
func (m *Method) nonNullEdge(v Value, from, to BlockID) bool {
	b := &m.Blocks[from]
	if b.Last == b.First {
		return false
	}
	last := Value(b.Last - 1)
	in := &m.Instrs[last]
	if in.Op != OpIf || in.Code != classfile.OpIfnonnull && in.Code != classfile.OpIfnull || m.Args(last)[0] != v {
		return false
	}
	succs := m.Succs(from)
	return len(succs) == 2 && (in.Code == classfile.OpIfnonnull && succs[1] == to ||
		in.Code == classfile.OpIfnull && succs[0] == to)
}

// Type returns the internal name (or array descriptor) of the class that the
// class file states for a reference: of allocations the class itself (exact is
// true), of parameters, fields and results the declared one, of casts the one
// cast to. It is "" for null, phis, caught exceptions of several types, and
// values that are no reference.
func (m *Method) Type(v Value) (name string, exact bool) {
	in := &m.Instrs[v]
	if in.Kind != Ref {
		return "", false
	}
	pool := m.Class.Pool
	switch in.Op {
	case OpParam:
		return m.paramType(int(in.Aux)), false
	case OpCatch:
		return m.catchType(uint16(in.Aux)), false
	case OpConst:
		return m.constType(in)
	case OpGetField, OpGetStatic:
		e := m.pool.member(uint16(in.Aux))
		return classfile.DescriptorClass(e.ref.Desc), false
	case OpInvoke:
		e := m.pool.member(uint16(in.Aux))
		return classfile.DescriptorClass(e.ref.Desc[len(e.params)+2:]), false
	case OpNew:
		name, _ = pool.ClassName(uint16(in.Aux))
		return name, true
	case OpCheckCast:
		name, _ = pool.ClassName(uint16(in.Aux))
		return name, false
	case OpNewArray:
		return m.arrayType(in), true
	case OpArrayLoad:
		if t, _ := m.Type(m.Args(v)[0]); len(t) > 1 && t[0] == '[' {
			return classfile.DescriptorClass(t[1:]), false
		}
		return "java/lang/Object", false
	}
	return "", false
}

func (m *Method) paramType(number int) string {
	if !m.IsStatic() {
		if number == 0 {
			return m.Class.Name()
		}
		number--
	}
	d := params(m.Desc)
	for ; number > 0 && d != ""; number-- {
		d = d[fieldDescLen(d):]
	}
	return classfile.DescriptorClass(d[:fieldDescLen(d)])
}

// catchType is the one class that handler h is for, "" if there are several.
func (m *Method) catchType(h uint16) string {
	name := ""
	for i, e := range m.Code.Exceptions {
		if m.EntryHandler[i] != h {
			continue
		}
		t := "java/lang/Throwable"
		if e.CatchType != 0 {
			t, _ = m.Class.Pool.ClassName(e.CatchType)
		}
		if name != "" && name != t {
			return ""
		}
		name = t
	}
	return name
}

func (m *Method) constType(in *Instr) (string, bool) {
	if in.Code == classfile.OpAconstNull {
		return "", false
	}
	switch i := uint16(in.Aux); m.Class.Pool.Tag(i) {
	case classfile.TagString:
		return "java/lang/String", true
	case classfile.TagClass:
		return "java/lang/Class", true
	case classfile.TagMethodType:
		return "java/lang/invoke/MethodType", true
	case classfile.TagMethodHandle:
		return "java/lang/invoke/MethodHandle", false
	case classfile.TagDynamic:
		d, _ := m.Class.Pool.Dynamic(i)
		return classfile.DescriptorClass(d.Desc), false
	}
	return "", false
}

func (m *Method) arrayType(in *Instr) string {
	if in.Code == classfile.OpNewarray {
		if k := in.Aux - 4; k >= 0 && k < 8 { // JVMS table 6.5.newarray-A
			return "[" + "ZCFDBSIJ"[k:k+1]
		}
		return ""
	}
	name, _ := m.Class.Pool.ClassName(uint16(in.Aux))
	if in.Code == classfile.OpMultianewarray {
		return name
	}
	return "[" + classfile.ClassDescriptor(name)
}

// NonNullAt tells whether a null test that control must have passed on its way
// to the instruction at says that v is not null.
func (m *Method) NonNullAt(v, at Value) bool { return m.nonNullAt(v, m.BlockOf(at)) }
