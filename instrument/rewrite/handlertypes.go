package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file follows a caught exception through the code behind its handler, and
// makes the code fit for it to be of a wider type.
//
// The algorithm is a forward data flow over slots of locals and stack. A slot holds
// the exception, or an array that was made here, of which only the element type is
// known, or anything else. Where a frame gives the slot of the exception a type that
// the wider one is not assignable to, the frame is widened: what else comes there is
// of a type that it was written for, hence of a subclass of the wider one.

// slot is what is known of a value: anything, the caught exception, or, from
// firstArray on, an array of a class that is a number of the pool.
type slot int32

const (
	anything slot = iota
	exception
	firstArray
)

// state is what is known before an instruction.
type state struct{ locals, stack []slot }

func (s *state) clone() *state {
	return &state{slices.Clone(s.locals), slices.Clone(s.stack)}
}

// join adds what comes from elsewhere, and tells whether that is news.
func (s *state) join(o *state) (news bool, err error) {
	if len(s.stack) != len(o.stack) {
		return false, errors.New("the stack has two heights at one place")
	}
	for i := range s.locals {
		news = joinSlot(&s.locals[i], o.locals[i]) || news
	}
	for i := range s.stack {
		news = joinSlot(&s.stack[i], o.stack[i]) || news
	}
	return news, nil
}

func joinSlot(s *slot, o slot) bool {
	was := *s
	switch {
	case was == o || was == exception:
	case o == exception:
		*s = exception
	default:
		*s = anything
	}
	return *s != was
}

func (s *state) holdsException() bool {
	return slices.Contains(s.locals, exception) || slices.Contains(s.stack, exception)
}

func (s *state) push(v ...slot) { s.stack = append(s.stack, v...) }

// pop takes n slots off the stack, the topmost last.
func (s *state) pop(n int) ([]slot, error) {
	if n > len(s.stack) {
		return nil, errors.New("the stack runs empty")
	}
	out := slices.Clone(s.stack[len(s.stack)-n:])
	s.stack = s.stack[:len(s.stack)-n]
	return out, nil
}

// maxVisits bounds the work on hostile code, in instructions looked at.
const maxVisits = 1 << 20

// widen runs the flow from a handler on.
func (x *stretcher) widen(handler int) error {
	x.byPC, x.refs, x.states = map[int]int{}, map[int]uint16{}, map[int]*state{}
	for i := range x.frames {
		x.byPC[x.frames[i].PC] = i
	}
	start := &state{make([]slot, x.code.MaxLocals), []slot{exception}}
	if err := x.propagate(start, handler, handler); err != nil {
		return err
	}
	for n := 0; len(x.todo) > 0; n++ {
		if n > maxVisits {
			return errors.New("the method is too large to be followed")
		}
		pc := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		if err := x.step(pc); err != nil {
			return err
		}
	}
	return nil
}

// propagate brings a state from one instruction to another.
func (x *stretcher) propagate(s *state, from, to int) error {
	s = s.clone()
	if i, ok := x.byPC[to]; ok {
		if err := x.mergeFrame(s, i, from); err != nil {
			return err
		}
	}
	if !s.holdsException() {
		return nil
	}
	old := x.states[to]
	if old == nil {
		x.states[to] = s
		x.todo = append(x.todo, to)
		return nil
	}
	news, err := old.join(s)
	if news {
		x.todo = append(x.todo, to)
	}
	return err
}

// mergeFrame makes a frame take a state, and forgets what the frame does: a slot whose type
// the wider one is assignable to needs no following behind it.
func (x *stretcher) mergeFrame(s *state, frame, from int) error {
	f := &x.frames[frame]
	fitted := false
	each := func(slots []slot, types []classfile.VType) error {
		at := 0
		for i := range types {
			if at < len(slots) && slots[at] == exception {
				keep, widened, err := x.fitType(&types[i], from)
				if err != nil {
					return err
				}
				if !keep {
					slots[at] = anything
				}
				fitted = fitted || widened
			}
			at += types[i].Slots()
		}
		for ; at < len(slots); at++ {
			slots[at] = anything
		}
		return nil
	}
	locals, stack := slices.Clone(f.Locals), slices.Clone(f.Stack)
	if err := errors.Join(each(s.locals, locals), each(s.stack, stack)); err != nil {
		return err
	}
	if fitted {
		f.Locals, f.Stack = locals, stack
	}
	return nil
}

// fitType fits the type that a frame gives the exception. keep: it is still known
// to be the exception behind the frame.
func (x *stretcher) fitType(t *classfile.VType, from int) (keep, widened bool, err error) {
	switch {
	case t.Tag != classfile.VObject:
		return false, false, nil
	case t.Class == x.wide:
		return true, false, nil // may be one that was widened before
	case x.to[t.Class]:
		return false, false, nil
	case x.isInterface(t.Class):
		return false, false, x.narrow(from, "uses the exception as %s, which %s is not", classfile.SourceName(t.Class),
			classfile.SourceName(x.wide))
	}
	*t = classfile.VType{Tag: classfile.VObject, Class: x.wide}
	return true, true, nil
}

func (x *stretcher) isInterface(class string) bool {
	f := x.factsOf(class)
	return f != nil && f.Access&classfile.AccInterface != 0
}

// step runs one instruction and flows to where it leads.
func (x *stretcher) step(pc int) error {
	in, err := classfile.Decode(x.code.Bytecode, pc)
	if err != nil {
		return err
	}
	before := x.states[pc]
	after := before.clone()
	if err := x.run(&in, after); err != nil {
		return err
	}
	for _, e := range x.code.Exceptions {
		if pc < int(e.StartPC) || pc >= int(e.EndPC) {
			continue
		}
		for _, s := range []*state{before, after} {
			if err := x.propagate(&state{s.locals, []slot{anything}}, pc, int(e.HandlerPC)); err != nil {
				return err
			}
		}
	}
	var to []int
	switch {
	case in.Op.IsJsr() || in.Op == classfile.OpRet:
		return x.cannot(pc, "the code has subroutines")
	case in.Op.IsSwitch():
		to = append([]int{in.Target}, in.Targets...)
	case in.Op.IsGoto():
		to = []int{in.Target}
	case in.Op.IsConditional():
		to = []int{in.Target, in.Next()}
	case in.Op.FallsThrough():
		to = []int{in.Next()}
	}
	for _, t := range to {
		if t >= len(x.code.Bytecode) {
			return errors.New("control may fall off the end of the code")
		}
		if err := x.propagate(after, pc, t); err != nil {
			return err
		}
	}
	return nil
}

// run does to a state what an instruction does, and checks how it uses the
// exception.
func (x *stretcher) run(in *classfile.Instruction, s *state) error {
	op := in.Op
	if done, err := s.shuffle(op); done {
		return err
	}
	if local, ok := in.Local(); ok {
		return x.local(in, local, s)
	}
	pops, pushes, err := x.class.Pool.StackEffect(in)
	if err != nil {
		return err
	}
	args, err := s.pop(pops)
	if err != nil {
		return err
	}
	s.push(make([]slot, pushes)...)
	if op == classfile.OpAnewarray {
		s.stack[len(s.stack)-1] = firstArray + slot(in.Index)
	}
	if slices.Contains(args, exception) {
		return x.use(in, args)
	}
	return nil
}

// local runs an instruction that names a local variable.
func (x *stretcher) local(in *classfile.Instruction, n int, s *state) error {
	pops, pushes, err := x.class.Pool.StackEffect(in)
	if err != nil {
		return err
	}
	args, err := s.pop(pops)
	if err != nil {
		return err
	}
	if n+max(1, pops) > len(s.locals) {
		return fmt.Errorf("there is no local variable %d", n)
	}
	if len(args) == 1 && args[0] == exception {
		if err := x.store(in, n); err != nil {
			return err
		}
	}
	for i, a := range args {
		s.locals[n+i] = a
	}
	if pushes == 1 {
		s.push(s.locals[n])
	} else {
		s.push(make([]slot, pushes)...)
	}
	return nil
}

// store checks that the variable which the exception is stored in may be of the
// wider type: one that is declared elsewhere keeps its type. Where the class does not
// name its variables nothing is known of that.
func (x *stretcher) store(in *classfile.Instruction, n int) error {
	if in.PC == x.handler {
		return nil // the parameter of the clause
	}
	for _, v := range x.variables {
		if start := int(v.StartPC); int(v.Slot) == n && in.Next() >= start && in.Next() < start+int(v.Length) &&
			!x.assignable(v.Desc) {
			return x.narrow(in.PC, "keeps the exception in %s, which is declared as %s", v.Name, sourceType(v.Desc))
		}
	}
	return nil
}

// shuffle runs the instructions that move values on the stack.
func (s *state) shuffle(op classfile.Opcode) (done bool, err error) {
	var take int
	var leave []int // which of those taken, from 0 the deepest
	switch op {
	case classfile.OpPop:
		take = 1
	case classfile.OpPop2:
		take = 2
	case classfile.OpDup:
		take, leave = 1, []int{0, 0}
	case classfile.OpDupX1:
		take, leave = 2, []int{1, 0, 1}
	case classfile.OpDupX2:
		take, leave = 3, []int{2, 0, 1, 2}
	case classfile.OpDup2:
		take, leave = 2, []int{0, 1, 0, 1}
	case classfile.OpDup2X1:
		take, leave = 3, []int{1, 2, 0, 1, 2}
	case classfile.OpDup2X2:
		take, leave = 4, []int{2, 3, 0, 1, 2, 3}
	case classfile.OpSwap:
		take, leave = 2, []int{1, 0}
	default:
		return false, nil
	}
	v, err := s.pop(take)
	if err != nil {
		return true, err
	}
	for _, i := range leave {
		s.push(v[i])
	}
	return true, nil
}

// use checks an instruction that has the exception among its operands, and changes
// the member that it refers to where that is needed.
func (x *stretcher) use(in *classfile.Instruction, args []slot) error {
	op := in.Op
	switch {
	case op.IsInvoke():
		return x.invoke(in, args)
	case op == classfile.OpGetfield, op == classfile.OpPutfield, op == classfile.OpPutstatic:
		return x.field(in, args)
	case op == classfile.OpAreturn:
		d, err := classfile.ParseMethodDescriptor(x.facts.Desc)
		if err != nil {
			return err
		}
		if !x.assignable(d.Return) {
			return x.narrow(in.PC, "returns the exception as %s", sourceType(d.Return))
		}
	case op == classfile.OpAastore:
		if len(args) == 3 && args[0] >= firstArray {
			class, err := x.class.Pool.ClassName(uint16(args[0] - firstArray))
			if err == nil && x.to[class] {
				return nil
			}
			return x.narrow(in.PC, "puts the exception into an array of %s", classfile.SourceName(class))
		}
		return x.cannot(in.PC, "the exception is put into an array of unknown type")
	case op == classfile.OpCheckcast, op == classfile.OpInstanceof, op == classfile.OpAthrow, op == classfile.OpIfnull,
		op == classfile.OpIfnonnull,
		op == classfile.OpIfAcmpeq, op == classfile.OpIfAcmpne, op == classfile.OpMonitorenter,
		op == classfile.OpMonitorexit:
	default:
		return x.cannot(in.PC, "the exception is an operand of %s", op)
	}
	return nil
}

// invoke checks a call that has the exception as receiver or argument.
func (x *stretcher) invoke(in *classfile.Instruction, args []slot) error {
	if in.Op == classfile.OpInvokedynamic {
		return x.dynamic(in, args)
	}
	ref, err := x.class.Pool.MemberRef(uint16(in.Index))
	if err != nil {
		return err
	}
	d, err := classfile.ParseMethodDescriptor(ref.Desc)
	if err != nil {
		return err
	}
	if in.Op != classfile.OpInvokestatic {
		receiver := args[0]
		args = args[1:]
		if receiver == exception && !x.to[ref.Owner] {
			if err := x.receiver(in, ref); err != nil {
				return err
			}
		}
	}
	if p := x.narrowParameter(d, args); p != "" {
		return x.narrow(in.PC, "passes the exception to %s.%s as %s", classfile.SourceName(ref.Owner), ref.Name,
			sourceType(p))
	}
	return nil
}

// narrowParameter is the descriptor of the first parameter that the exception is
// passed for and that does not take the wider type.
func (x *stretcher) narrowParameter(d classfile.MethodDescriptor, args []slot) string {
	at := 0
	for _, p := range d.Params {
		if at < len(args) && args[at] == exception && !x.assignable(p) {
			return p
		}
		at += classfile.SlotsOf(p)
	}
	return ""
}

// receiver makes a call of a method of the narrower type one of the wider type's
// method, as a compiler would.
func (x *stretcher) receiver(in *classfile.Instruction, ref classfile.MemberRef) error {
	if in.Op != classfile.OpInvokevirtual || ref.Interface || !x.has(ref.Name, ref.Desc) {
		return x.narrow(in.PC, "calls %s.%s, which %s does not have", classfile.SourceName(ref.Owner), ref.Name,
			classfile.SourceName(x.wide))
	}
	n, err := x.class.Pool.AddMethodref(x.wide, ref.Name, ref.Desc)
	if err != nil {
		return err
	}
	x.refs[in.PC] = n
	return nil
}

// has tells whether the wider type has or inherits a public method.
func (x *stretcher) has(name, desc string) bool {
	for class := x.wide; class != ""; {
		f := x.factsOf(class)
		if f == nil {
			return false
		}
		for i := range f.Methods {
			if m := &f.Methods[i]; m.Name == name && m.Desc == desc {
				return m.Access&(classfile.AccPublic|classfile.AccStatic) == classfile.AccPublic
			}
		}
		class = f.Super
	}
	return false
}

// field checks an access to a field of the exception, or one that takes it.
func (x *stretcher) field(in *classfile.Instruction, args []slot) error {
	ref, err := x.class.Pool.MemberRef(uint16(in.Index))
	if err != nil {
		return err
	}
	if in.Op != classfile.OpPutstatic && args[0] == exception && !x.to[ref.Owner] {
		return x.narrow(in.PC, "uses the field %s.%s", classfile.SourceName(ref.Owner), ref.Name)
	}
	if in.Op != classfile.OpGetfield && args[len(args)-1] == exception && !x.assignable(ref.Desc) {
		return x.narrow(in.PC, "keeps the exception in a field of type %s", sourceType(ref.Desc))
	}
	return nil
}

// concatFactory is the class whose call sites join strings (JEP 280): their
// descriptors name the declared types of what is joined.
const concatFactory = "java/lang/invoke/StringConcatFactory"

// dynamic checks a call site that the exception is passed to.
func (x *stretcher) dynamic(in *classfile.Instruction, args []slot) error {
	ref, err := x.class.Pool.InvokeDynamic(uint16(in.Index))
	if err != nil {
		return err
	}
	d, err := classfile.ParseMethodDescriptor(ref.Desc)
	if err != nil {
		return err
	}
	if x.narrowParameter(d, args) == "" {
		return nil
	}
	if !x.concatenates(ref.Bootstrap) {
		return x.cannot(in.PC, "a lambda or method reference captures the exception")
	}
	desc, at := "(", 0
	for _, p := range d.Params {
		slots := classfile.SlotsOf(p)
		if at < len(args) && args[at] == exception && !x.assignable(p) {
			p = classfile.ClassDescriptor(x.wide)
		}
		desc += p
		at += slots
	}
	n, err := x.class.Pool.AddInvokeDynamic(ref.Bootstrap, ref.Name, desc+")"+d.Return)
	if err != nil {
		return err
	}
	x.refs[in.PC] = n
	return nil
}

func (x *stretcher) concatenates(bootstrap uint16) bool {
	table, err := x.class.BootstrapMethods()
	if err != nil || int(bootstrap) >= len(table) {
		return false
	}
	h, err := x.class.Pool.MethodHandle(table[bootstrap].Handle)
	return err == nil && h.Owner == concatFactory
}

// sourceType is a type of a descriptor as people write it.
func sourceType(desc string) string {
	dims := strings.Count(desc, "[")
	name := strings.TrimLeft(desc, "[")
	if strings.HasPrefix(name, "L") {
		name = classfile.SourceName(classfile.DescriptorClass(name))
	}
	return name + strings.Repeat("[]", dims)
}
