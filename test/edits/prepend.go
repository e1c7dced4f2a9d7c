package edits

import (
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file puts statements at the start of a method.

// statement is code that leaves the stack as it was.
type statement struct {
	code    []byte
	stack   int
	handler int    // start of a handler in code, 0: there is none
	caught  string // what it catches
	frames  []int  // places in code at which the frame is that of the start
	err     error
}

func (s *statement) op(op classfile.Opcode) { s.code = append(s.code, byte(op)) }

// ref appends an instruction with an index.
func (s *statement) ref(op classfile.Opcode, index uint16, err error) {
	s.code = append(s.code, byte(op), byte(index>>8), byte(index))
	if err != nil && s.err == nil {
		s.err = err
	}
}

// prepend puts a statement at the start of a method.
func (x *editing) prepend(k Kind) (what string, done bool, err error) {
	list := x.withCode()
	if k == AddTry {
		list = slices.DeleteFunc(list, func(m *classfile.Member) bool { return x.c.MemberName(m) == "<init>" })
	}
	if len(list) == 0 || x.c.Major < 50 {
		return "", false, nil
	}
	m := pick(x.rng, list)
	s := &statement{}
	switch k {
	case AddCall:
		what = x.call(s)
	case AddObject:
		what = pick(x.rng, objects)
		x.make(s, what)
	case AddThrow:
		what = pick(x.rng, errorTypes)
		x.throw(s, what)
	case AddTry:
		what = x.catch(s)
	}
	if what == "" {
		return "", false, nil
	}
	if s.err != nil {
		return "", false, s.err
	}
	return fmt.Sprintf("%s in %s", what, x.name(m)), true, x.insert(m, s)
}

// call calls a method of the project.
func (x *editing) call(s *statement) string {
	for range 50 {
		name := pick(x.rng, x.classes())
		c, err := classfile.Parse(x.now[name])
		if err != nil || len(c.Methods) == 0 || c.Access&classfile.AccInterface != 0 {
			continue
		}
		m := pick(x.rng, c.Methods)
		method, desc := c.MemberName(m), c.MemberDesc(m)
		switch {
		case m.Access&classfile.AccPrivate != 0 && name != x.c.Name() || method == "<clinit>":
			continue
		case m.Access&classfile.AccStatic != 0:
			x.pass(s, desc)
			ref, err := x.c.Pool.AddMethodref(name, method, desc)
			s.ref(classfile.OpInvokestatic, ref, err)
			s.drop(desc)
		case c.Access&classfile.AccAbstract != 0 || method == "<init>":
			continue
		default:
			s.op(classfile.OpAconstNull)
			t, err := x.c.Pool.AddClass(name)
			s.ref(classfile.OpCheckcast, t, err)
			x.pass(s, desc)
			ref, err := x.c.Pool.AddMethodref(name, method, desc)
			s.ref(classfile.OpInvokevirtual, ref, err)
			s.drop(desc)
		}
		return name + "." + method + desc
	}
	return ""
}

// pass pushes arguments.
func (x *editing) pass(s *statement, desc string) {
	d, err := classfile.ParseMethodDescriptor(desc)
	if err != nil {
		s.err = err
		return
	}
	for _, p := range d.Params {
		b := returns(p)
		s.code = append(s.code, b[0])
	}
	s.stack = max(s.stack, d.Slots()+3)
}

// drop takes a result off the stack.
func (s *statement) drop(desc string) {
	switch classfile.Result(desc) {
	case "V":
	case "J", "D":
		s.op(classfile.OpPop2)
	default:
		s.op(classfile.OpPop)
	}
}

// create makes an object, which stays on the stack.
func (x *editing) create(s *statement, class string) {
	t, err := x.c.Pool.AddClass(class)
	s.ref(classfile.OpNew, t, err)
	s.op(classfile.OpDup)
	ref, err := x.c.Pool.AddMethodref(class, "<init>", "()V")
	s.ref(classfile.OpInvokespecial, ref, err)
	s.stack = max(s.stack, 4)
}

// make makes an object and calls a method of it.
func (x *editing) make(s *statement, class string) {
	x.create(s, class)
	ref, err := x.c.Pool.AddMethodref(class, "toString", "()Ljava/lang/String;")
	s.ref(classfile.OpInvokevirtual, ref, err)
	s.op(classfile.OpPop)
}

// throw throws an exception if it is some time.
func (x *editing) throw(s *statement, class string) {
	ref, err := x.c.Pool.AddMethodref("java/lang/System", "nanoTime", "()J")
	s.ref(classfile.OpInvokestatic, ref, err)
	s.op(classfile.OpLconst0)
	s.op(classfile.OpLcmp)
	at := len(s.code)
	s.ref(classfile.OpIfne, 0, nil)
	x.create(s, class)
	s.op(classfile.OpAthrow)
	s.jump(at, len(s.code))
	s.stack = max(s.stack, 4)
}

// jump sets the target of a jump, where the frame is that of the start.
func (s *statement) jump(at, to int) {
	s.code[at+1], s.code[at+2] = byte((to-at)>>8), byte(to-at)
	s.frames = append(s.frames, to)
}

// catch calls something in a try, and forgets what it throws.
func (x *editing) catch(s *statement) string {
	s.caught = pick(x.rng, errorTypes)
	what := x.call(s)
	if what == "" {
		return ""
	}
	at := len(s.code)
	s.ref(classfile.OpGoto, 0, nil)
	s.handler = len(s.code)
	s.op(classfile.OpPop)
	s.jump(at, len(s.code))
	s.stack = max(s.stack, 1)
	return what + " catching " + s.caught
}

// insert puts a statement at the start of a method.
func (x *editing) insert(m *classfile.Member, s *statement) error {
	code, err := x.c.Code(m)
	if err != nil {
		return err
	}
	frames, err := x.c.StackMap(m, code)
	if err != nil {
		return err
	}
	lines, err := x.c.LineNumbers(code)
	if err != nil {
		return err
	}
	first, err := x.c.InitialFrame(m)
	if err != nil {
		return err
	}
	pad := (4 - len(s.code)%4) % 4 // switches are aligned
	n := pad + len(s.code)
	var more []classfile.Frame
	if s.handler > 0 {
		t, err := x.c.Pool.AddClass(s.caught)
		if err != nil {
			return err
		}
		more = append(more, classfile.Frame{PC: pad + s.handler, Locals: first.Locals,
			Stack: []classfile.VType{{Tag: classfile.VObject, Class: s.caught, PoolIndex: t}}})
	}
	for _, at := range s.frames {
		if pad+at < n || len(frames) == 0 || frames[0].PC != 0 {
			more = append(more, classfile.Frame{PC: pad + at, Locals: first.Locals})
		}
	}
	move(code, frames, n)
	code.Bytecode = slices.Concat(make([]byte, pad), s.code, code.Bytecode) // 0 is nop
	code.MaxStack = max(code.MaxStack, uint16(s.stack))
	if s.handler > 0 {
		t, _ := x.c.Pool.AddClass(s.caught)
		row := classfile.ExceptionEntry{StartPC: uint16(pad), EndPC: uint16(pad + s.handler),
			HandlerPC: uint16(pad + s.handler), CatchType: t}
		code.Exceptions = append([]classfile.ExceptionEntry{row}, code.Exceptions...)
	}
	code.Attributes = nil
	if err := x.lines(code, lines, n); err != nil {
		return err
	}
	if frames = append(more, frames...); len(frames) > 0 {
		if err := x.c.SetStackMap(m, code, frames); err != nil {
			return err
		}
	}
	return x.c.SetCode(m, code)
}

// move shifts what names places in code.
func move(code *classfile.Code, frames []classfile.Frame, n int) {
	code.Exceptions = slices.Clone(code.Exceptions)
	for i := range code.Exceptions {
		e := &code.Exceptions[i]
		e.StartPC, e.EndPC, e.HandlerPC = e.StartPC+uint16(n), e.EndPC+uint16(n), e.HandlerPC+uint16(n)
	}
	for i := range frames {
		frames[i].PC += n
		for _, types := range [][]classfile.VType{frames[i].Locals, frames[i].Stack} {
			for j := range types {
				if types[j].Tag == classfile.VUninitialized {
					types[j].OffsetPC += uint16(n)
				}
			}
		}
	}
}

// lines writes the lines of the code that was there, one further down, and that of
// the new statement.
func (x *editing) lines(code *classfile.Code, lines []classfile.LineNumber, n int) (err error) {
	if len(lines) == 0 {
		return nil
	}
	out := []byte{byte((len(lines) + 1) >> 8), byte(len(lines) + 1)}
	put := func(pc, line uint16) { out = append(out, byte(pc>>8), byte(pc), byte(line>>8), byte(line)) }
	put(0, lines[0].Line)
	for _, l := range lines {
		put(l.PC+uint16(n), l.Line+1)
	}
	code.Attributes, err = x.c.SetAttr(code.Attributes, "LineNumberTable", out)
	return err
}
