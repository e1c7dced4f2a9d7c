package facts

// This file holds settings of the JDK at what they are where nobody sets them (package settings).

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/settings"
)

// heldRead is a reading of a setting whose value is known, of the field or of the local
// variable that has the property, or a call that returns it.
type heldRead struct {
	from, to int // pcs: of the reading, and behind it
	value    settings.HeldValue
	branches bool // behind it is a branch on it alone
	jumps    bool // always; else never
}

// hold replaces each reading of a setting whose value is known by the value, and a branch
// right behind it, to which nothing else jumps, by one that always or never jumps; and then
// what asks once more whether a variable is null (decided). The result is code, or a copy of it.
func (b *builder) hold(m *classfile.Member, code *classfile.Code) *classfile.Code {
	if len(b.held) == 0 {
		return code
	}
	if slices.ContainsFunc(b.held,
		func(s *settings.Setting) bool { return s.Field == b.c.MemberName(m)+settings.Never }) {
		return uncalled(code)
	}
	reads := b.heldReads(m, code)
	if len(reads) == 0 {
		return code
	}
	copied := *code
	copied.Bytecode = slices.Clone(code.Bytecode)
	for _, r := range reads {
		for pc := r.from; pc < r.to; pc++ {
			copied.Bytecode[pc] = byte(classfile.OpNop)
		}
		if r.value == settings.HeldNone {
			copied.Bytecode[r.from] = byte(classfile.OpPop) // what is compared
		}
		switch {
		case !r.branches:
			copied.Bytecode[r.to-1] = byte(r.value.Constant())
		case r.jumps:
			copied.Bytecode[r.to] = byte(classfile.OpGoto) // as long as the branch
		default:
			for pc := r.to; pc < r.to+branchLength; pc++ {
				copied.Bytecode[pc] = byte(classfile.OpNop)
			}
		}
	}
	decided(&copied)
	return &copied
}

// uncalled is the code of a method that nothing calls: it begins with a loop that does nothing.
// Code that cannot be decoded stays.
func uncalled(code *classfile.Code) *classfile.Code {
	list, _, ok := jumps(code)
	end := 0
	for i := 0; ok && i < len(list) && end < branchLength; i++ {
		end = list[i].Next()
	}
	if end < branchLength {
		return code
	}
	copied := *code
	copied.Bytecode = slices.Clone(code.Bytecode)
	for pc := range end {
		copied.Bytecode[pc] = byte(classfile.OpNop)
	}
	copied.Bytecode[0] = byte(classfile.OpGoto) // by 0
	return &copied
}

// decided replaces each branch on whether a local variable is null that is only reached where
// a branch just before it has told, by one that always or never jumps.
func decided(code *classfile.Code) {
	list, targets, ok := jumps(code)
	isNull := func(in *classfile.Instruction) bool {
		return in.Op == classfile.OpIfnull || in.Op == classfile.OpIfnonnull
	}
	for i := 0; ok && i+3 < len(list); i++ {
		first, known := localOf(&list[i], classfile.OpAload, classfile.OpAload0)
		again, same := localOf(&list[i+2], classfile.OpAload, classfile.OpAload0)
		told, asks := &list[i+1], &list[i+3]
		if !known || !same || first != again || !isNull(told) || !isNull(asks) || targets[told.PC] ||
			targets[list[i+2].PC] || targets[asks.PC] {
			continue
		}
		end := asks.Next()
		if told.Op != asks.Op { // the first has not jumped: the second always does
			end = asks.PC
			code.Bytecode[end] = byte(classfile.OpGoto) // as long as the branch
		}
		for pc := list[i+2].PC; pc < end; pc++ {
			code.Bytecode[pc] = byte(classfile.OpNop)
		}
	}
}

// branchLength is the length of branches on one value, and of goto.
const branchLength = 3

// heldReads lists what hold replaces; of an object's field only where the object is
// this. Code that cannot be decoded has nothing of it.
func (b *builder) heldReads(m *classfile.Member, code *classfile.Code) (out []heldRead) {
	list, targets, ok := jumps(code)
	if !ok {
		return nil
	}
	free := func(from, to int) bool { // nothing jumps to between
		for pc := from + 1; pc <= to; pc++ {
			if targets[pc] {
				return false
			}
		}
		return true
	}
	// add adds a reading up to instruction i, if nothing jumps into it.
	add := func(r heldRead, i int) {
		if !free(r.from, list[i].PC) {
			return
		}
		r.to = list[i].Next()
		if i+1 < len(list) && free(r.from, list[i+1].PC) {
			r.jumps, r.branches = r.value.Jumps(list[i+1].Op)
		}
		if r.branches || r.value < settings.HeldSome {
			out = append(out, r)
		}
	}
	for i := range list {
		if s := b.heldProperty(m, list, targets, i); s != nil {
			if k := loadOfKept(list, i+1); k > 0 && free(list[i].PC, list[k].PC) {
				add(heldRead{from: list[k].PC, value: s.Value}, k)
			}
			continue
		}
		s := b.heldField(&list[i])
		switch {
		case s == nil:
		case s.OfSystem():
			add(heldRead{from: list[i].PC, value: s.Value}, i)
			if k := loadOfKept(list, i+1); k > 0 && free(list[i].PC, list[k].PC) {
				add(heldRead{from: list[k].PC, value: s.Value}, k)
			}
		case list[i].Op == classfile.OpGetstatic, list[i].Op == classfile.OpInvokestatic:
			add(heldRead{from: list[i].PC, value: s.Value}, i)
		case i > 0 && list[i-1].Op == classfile.OpAload0 && m.Access&classfile.AccStatic == 0:
			add(heldRead{from: list[i-1].PC, value: s.Value}, i)
		}
	}
	return out
}

// jumps lists the instructions of code, and the places that some of them or an exception jump
// to; not ok: it cannot be decoded.
func jumps(code *classfile.Code) (list []classfile.Instruction, targets map[int]bool, ok bool) {
	targets = map[int]bool{}
	for _, e := range code.Exceptions {
		targets[int(e.HandlerPC)] = true
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return nil, nil, false
		}
		targets[in.Target] = true // 0 of what does not jump: the first instruction may be a target
		for _, t := range in.Targets {
			targets[t] = true
		}
		list = append(list, in)
	}
	return list, targets, true
}

// loadOfKept is the position where a local variable is loaded that the instruction at position
// i stores: the next one but for stores of constants to other variables. 0: there is none.
func loadOfKept(list []classfile.Instruction, i int) int {
	if i >= len(list) {
		return 0
	}
	kept, ok := localOf(&list[i], classfile.OpAstore, classfile.OpAstore0)
	for k := i + 1; ok && k < len(list) && k <= i+3; k++ {
		if at, is := localOf(&list[k], classfile.OpAload, classfile.OpAload0); is && at == kept {
			return k
		}
		if at, stores := localOf(&list[k], classfile.OpIstore, classfile.OpIstore0); stores && at != kept ||
			list[k].Op >= classfile.OpAconstNull && list[k].Op <= classfile.OpSipush {
			continue
		}
		break
	}
	return 0
}

// localOf is the local variable of a load or store: op, or one of the four short forms from
// short on.
func localOf(in *classfile.Instruction, op, short classfile.Opcode) (local int, ok bool) {
	switch {
	case in.Op == op:
		return in.Index, true
	case in.Op >= short && in.Op <= short+3:
		return int(in.Op - short), true
	}
	return 0, false
}

// heldProperty is the setting whose property the call at a position reads, nil for none.
func (b *builder) heldProperty(m *classfile.Member, list []classfile.Instruction, targets map[int]bool,
	i int) *settings.Setting {
	if list[i].Op != classfile.OpInvokestatic {
		return nil
	}
	constant := constantBefore(list, targets, i)
	if constant < 0 {
		return nil
	}
	at := slices.IndexFunc(b.held, func(s *settings.Setting) bool { return s.Field == b.c.MemberName(m)+"()" })
	if at < 0 {
		return nil
	}
	ref, err := b.c.Pool.MemberRef(uint16(list[i].Index))
	if err != nil || ref.Desc != "(Ljava/lang/String;)Ljava/lang/String;" ||
		ref.Name != "getProperty" && ref.Name != "privilegedGetProperty" {
		return nil
	}
	if name, err := b.c.Pool.String(uint16(list[constant].Index)); err != nil || name != b.held[at].Property {
		return nil
	}
	return b.held[at]
}

// constantBefore is the position of the instruction that pushes the constant which is on the stack
// at position i: the one before, or, where that loads a local variable, the one whose constant was
// stored there right before. -1: there is none.
func constantBefore(list []classfile.Instruction, targets map[int]bool, i int) int {
	if i > 2 {
		from, stored := localOf(&list[i-2], classfile.OpAstore, classfile.OpAstore0)
		to, loaded := localOf(&list[i-1], classfile.OpAload, classfile.OpAload0)
		if stored && loaded && from == to && !targets[list[i-1].PC] && !targets[list[i-2].PC] {
			i -= 2
		}
	}
	if i > 0 && (list[i-1].Op == classfile.OpLdc || list[i-1].Op == classfile.OpLdcW) {
		return i - 1
	}
	return -1
}

// heldField is the setting that an instruction reads or calls, nil for none.
func (b *builder) heldField(in *classfile.Instruction) *settings.Setting {
	called := in.Op == classfile.OpInvokestatic || in.Op == classfile.OpInvokevirtual
	if in.Op != classfile.OpGetstatic && in.Op != classfile.OpGetfield && !called {
		return nil
	}
	ref, err := b.c.Pool.MemberRef(uint16(in.Index))
	if err != nil {
		return nil
	}
	if ref.Owner != b.name && !strings.HasPrefix(b.name, ref.Owner+"$") {
		k := slices.IndexFunc(b.held, func(s *settings.Setting) bool {
			return ref.Owner == "java/lang/System" && in.Op == classfile.OpInvokestatic &&
				s.Field == ref.Name+settings.SecurityManager ||
				ref.Owner == "java/net/Proxy$Type" && in.Op == classfile.OpGetstatic &&
					s.Field == ref.Name+settings.ProxyType
		})
		if k < 0 {
			return nil
		}
		return b.held[k]
	}
	for _, s := range b.held {
		if called && s.Field == ref.Name+ref.Desc && !s.Value.IsReference() {
			return s
		} else if !called && s.Field == ref.Name && (ref.Desc == "Z") != s.Value.IsReference() {
			return s
		}
	}
	return nil
}
