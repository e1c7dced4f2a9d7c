package clause

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file finds the local variables that the try assigns and that the clause, or what
// follows it, reads; and gives values words.

// findLocals looks at the local variables that have several values when the handler begins: the
// phis of its block, and what differs within the try.
func (a *analysis) findLocals() {
	for b := range a.m.Blocks {
		blk := &a.m.Blocks[b]
		if int(blk.Handler) != a.handler {
			continue
		}
		for v := ir.Value(blk.First); v < ir.Value(blk.Last) && a.m.Instrs[v].Op == ir.OpPhi; v++ {
			a.addLocal(int(a.m.Instrs[v].Aux), int(blk.PC), a.before(v), a.usesOf(v))
		}
	}
	a.findMerged()
}

// findMerged finds what has several values though the handler's block has no phi for it. In each
// turn of a loop in the try it has another one, and the exception comes with that of its turn. Or a
// handler within the try, as of finally, took the exception first, whose block has the phi. What
// ways of the try bring together before any exception comes is one value wherever it comes from.
func (a *analysis) findMerged() {
	for b := range a.m.Blocks {
		blk := &a.m.Blocks[b]
		if !a.tries(blk.PC) || blk.First == blk.Last {
			continue
		}
		turns := a.comesBack(blk.PC)
		for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
			switch in := &a.m.Instrs[v]; {
			case in.Op == ir.OpPhi && turns: // it may be set to what it was once
				a.addLocal(int(in.Aux), int(blk.PC), ir.Undef, a.usesAfter(v))
			case in.Op == ir.OpPhi && blk.Handler >= 0:
				a.addLocal(int(in.Aux), int(blk.PC), a.before(v), a.usesAfter(v))
			case turns && in.Op != ir.OpConst && in.Kind != ir.NoValue:
				if slot := a.storedTo(int(in.PC)); slot >= 0 {
					a.addLocal(slot, int(blk.PC), ir.Undef, a.usesAfter(v))
				}
			}
		}
	}
}

// addLocal adds what the try may have prepared in a slot, for uses of it; was is what it has when
// the try begins. Its name is the one that it has at a pc.
func (a *analysis) addLocal(slot, pc int, was ir.Value, uses []Use) {
	if len(uses) == 0 {
		return // only a variable of the same place elsewhere is read
	}
	name := a.localName(slot, pc)
	if sets := a.differs(name, a.storesOf(slot, was)); len(sets) > 0 {
		a.object("uses %s, which the try assigns", name)
		a.add(Prepared{Kind: Local, Name: name, Sets: sets, Uses: uses})
	}
}

// users are the instructions that use a value, in their order, by that value.
type users map[ir.Value][]ir.Value

// usersAmong are the users of all values among some instructions.
func (a *analysis) usersAmong(each func(func(ir.Value, *ir.Instr))) users {
	u := users{}
	each(func(user ir.Value, _ *ir.Instr) {
		for _, arg := range a.m.Args(user) {
			u[arg] = append(u[arg], user)
		}
	})
	return u
}

// usesAfter lists the instructions after the handler that use a value of the try.
func (a *analysis) usesAfter(v ir.Value) []Use {
	if a.usersAfter == nil {
		a.usersAfter = a.usersAmong(a.eachAfter)
	}
	return a.uses(v, a.usersAfter, a.comesAlong)
}

// usesOf lists the instructions of the method that use a value.
func (a *analysis) usesOf(v ir.Value) []Use {
	if a.users == nil {
		a.users = a.usersAmong(a.eachInstr)
	}
	return a.uses(v, a.users, func(_, _ ir.Value) bool { return true })
}

// uses lists those of some instructions that use a value, also by way of casts, and of phis that it
// comes along to.
func (a *analysis) uses(v ir.Value, among users, comesAlong func(phi, v ir.Value) bool) (uses []Use) {
	seen := map[ir.Value]bool{v: true}
	for work := []ir.Value{v}; len(work) > 0; {
		v, work = work[0], work[1:]
		for _, user := range among[v] {
			switch in := &a.m.Instrs[user]; {
			case seen[user]:
			case in.Op == ir.OpPhi && !comesAlong(user, v):
			case in.Op == ir.OpPhi || in.Op == ir.OpCheckCast:
				seen[user] = true
				work = append(work, user)
			default:
				if x := a.use(user); !slices.Contains(uses, x) {
					uses = append(uses, x)
				}
			}
		}
	}
	return uses
}

// comesAlong tells whether a phi has a value when control comes from what runs after the handler
// began. The phis of the handler's own block are looked at for themselves.
func (a *analysis) comesAlong(phi, v ir.Value) bool {
	for n, p := range a.m.Preds(a.m.BlockOf(phi)) {
		if a.m.Args(phi)[n] == v && a.after[p.Block] {
			return true
		}
	}
	return false
}

// storedTo is the slot that the instruction after the one at a pc stores what that computes in; -1
// where it stores nothing.
func (a *analysis) storedTo(pc int) int {
	if slot, ok := a.readCode().slots[pc]; ok {
		return slot
	}
	return -1
}

// codeRead is what the byte code of the method says of its variables and branches.
type codeRead struct {
	slots  map[int]int  // by the pc of what computes it: the slot that it is stored in
	joined map[int]bool // by pc: a branch leads there
}

// readCode reads the byte code once.
func (a *analysis) readCode() *codeRead {
	if a.code != nil {
		return a.code
	}
	a.code = &codeRead{slots: map[int]int{}, joined: map[int]bool{}}
	before := -1
	for in, err := range classfile.Instructions(a.m.Code.Bytecode) {
		if err != nil {
			break
		}
		if s, ok := in.Local(); ok && in.Op != classfile.OpIinc && changesLocal(in.Op) {
			a.code.slots[before] = s
		}
		for _, pc := range append(in.Targets, in.Target) {
			a.code.joined[pc] = true
		}
		before = in.PC
	}
	return a.code
}

// before is the value that a variable has when the try begins, of a phi for it; Undef where that is
// not known.
func (a *analysis) before(phi ir.Value) ir.Value {
	start := a.blockAt(a.start())
	for n, p := range a.m.Preds(a.m.BlockOf(phi)) {
		if p.Block == start {
			return a.m.Args(phi)[n]
		}
	}
	return ir.Undef
}

// sameConstant tells whether two values are one constant.
func (a *analysis) sameConstant(x, y ir.Value) bool {
	i, j := &a.m.Instrs[x], &a.m.Instrs[y]
	return i.Op == ir.OpConst && j.Op == ir.OpConst && i.Code == j.Code && i.Aux == j.Aux
}

// computedAt is what the instruction at a pc computes, Undef where it leaves nothing behind.
func (a *analysis) computedAt(pc int) ir.Value {
	if computed := a.indexed().computed; 0 <= pc && pc < len(computed) {
		return computed[pc]
	}
	return ir.Undef
}

// variable is a slot, and the value that it has before the try.
type variable struct {
	slot int
	was  ir.Value
}

// storesOf lists the instructions of the try that change a local variable, but for those that set
// it to the constant which it was before the try.
func (a *analysis) storesOf(slot int, was ir.Value) []Set {
	key := variable{slot, was}
	sets, known := a.stores[key]
	if !known {
		if a.stores == nil {
			a.stores = map[variable][]Set{}
		}
		sets = a.findStores(slot, was)
		a.stores[key] = sets
	}
	return sets
}

// findStores is storesOf where the answer is not known.
func (a *analysis) findStores(slot int, was ir.Value) (sets []Set) {
	a.steps(len(a.m.Code.Bytecode))
	before := -1 // pc of the instruction before
	for in, err := range classfile.Instructions(a.m.Code.Bytecode) {
		if err != nil {
			return sets
		}
		pc := int32(in.PC)
		if s, ok := in.Local(); ok && s == slot && changesLocal(in.Op) && a.tries(pc) {
			set := Set{PC: pc, Line: a.line(pc)}
			if in.Op != classfile.OpIinc && !a.joins(pc) && a.sameConstant(a.computedAt(before), was) {
				before = in.PC
				continue
			}
			if in.Op != classfile.OpIinc && !a.joins(pc) {
				set.Value = boolText(a.valueAt(before), a.localDesc(slot, in.Next()))
				if v := a.computedAt(before); v != ir.Undef {
					set.Calls = a.callsOf(v)
				}
			}
			sets = append(sets, set)
		}
		before = in.PC
	}
	return sets
}

// callsOf lists the methods of the workspace that a value is the result of.
func (a *analysis) callsOf(v ir.Value) []Method {
	if in := &a.m.Instrs[a.strip(v)]; in.Op == ir.OpInvoke {
		return a.callsAt(int32(in.PC))
	}
	return nil
}

// joins tells whether several ways lead to a pc: what is on the stack there is no one value.
func (a *analysis) joins(pc int32) bool {
	return pc != 0 && a.readCode().joined[int(pc)]
}

// localDesc is the descriptor of the variable in a slot, "" if that is not known.
func (a *analysis) localDesc(slot, pc int) string {
	for _, l := range a.locals {
		if int(l.Slot) == slot && int(l.StartPC) <= pc && pc < int(l.StartPC)+int(l.Length) {
			return l.Desc
		}
	}
	return ""
}

// boolText is a value in words, as a variable of that descriptor has it.
func boolText(value, desc string) string {
	if desc == "Z" && (value == "0" || value == "1") {
		return map[string]string{"0": "false", "1": "true"}[value]
	}
	return value
}

// changesLocal tells whether an instruction with a local variable writes it.
func changesLocal(op classfile.Opcode) bool {
	return op == classfile.OpIinc || op >= classfile.OpIstore && op <= classfile.OpAstore ||
		op >= classfile.OpIstore0 && op <= classfile.OpAstore3
}

// localName is the name of the variable in a slot where a handler begins. Where no row of the table
// has that pc, as ECJ leaves out where a variable has no value for certain, it is that of the
// only variable that the slot ever holds.
func (a *analysis) localName(slot, pc int) string {
	var names []string
	for _, l := range a.locals {
		if int(l.Slot) != slot {
			continue
		}
		if int(l.StartPC) <= pc && pc < int(l.StartPC)+int(l.Length) {
			return l.Name
		}
		if !slices.Contains(names, l.Name) {
			names = append(names, l.Name)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return unnamed + strconv.Itoa(slot)
}

// valueAt puts into words what the instruction at a pc computes, "" if that is not known.
func (a *analysis) valueAt(pc int) string {
	if v := a.computedAt(pc); v != ir.Undef {
		return a.valueText(v)
	}
	for v := range a.m.Instrs {
		in := &a.m.Instrs[v]
		if int(in.PC) == pc && in.Op == ir.OpInvoke {
			if ref, err := a.m.Member(ir.Value(v)); err == nil && ref.Name == "<init>" {
				return "a new " + shortClass(ref.Owner)
			}
		}
	}
	return ""
}

// valueText puts a value into words.
func (a *analysis) valueText(v ir.Value) string {
	in := &a.m.Instrs[v]
	switch in.Op {
	case ir.OpCheckCast:
		return a.valueText(a.m.Args(v)[0])
	case ir.OpInvoke:
		return "the result of " + a.callText(v)
	case ir.OpNew, ir.OpNewArray:
		if name, _ := a.m.Type(v); name != "" && name[0] != '[' {
			return "a new " + shortClass(name)
		}
		return "a new array"
	case ir.OpGetField, ir.OpGetStatic:
		if ref, err := a.m.Member(v); err == nil {
			return shortClass(ref.Owner) + "." + ref.Name
		}
	case ir.OpConst:
		return a.constText(in)
	}
	return ""
}

func (a *analysis) constText(in *ir.Instr) string {
	switch {
	case in.Code == classfile.OpAconstNull:
		return "null"
	case in.Code >= classfile.OpLdc && in.Code <= classfile.OpLdc2W:
		if s, err := a.m.Class.Pool.String(uint16(in.Aux)); err == nil {
			return fmt.Sprintf("%q", s)
		}
		return ""
	case in.Kind == ir.Int:
		return strconv.Itoa(int(in.Aux))
	}
	return ""
}

// slotOfParam is the local variable of a parameter.
func slotOfParam(m *ir.Method, number int) int {
	slot := 0
	if !m.IsStatic() {
		if number == 0 {
			return 0
		}
		slot, number = 1, number-1
	}
	d, err := classfile.ParseMethodDescriptor(m.Desc)
	if err != nil {
		return -1
	}
	for i := 0; i < number && i < len(d.Params); i++ {
		slot += classfile.SlotsOf(d.Params[i])
	}
	return slot
}
