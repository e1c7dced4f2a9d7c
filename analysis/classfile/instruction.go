package classfile

import "iter"

// Instruction is one decoded instruction. Fields beyond Op have a meaning for
// the formats that say so, see Format, and are zero otherwise.
type Instruction struct {
	PC, Len int
	Op      Opcode
	Wide    bool    // had the wide prefix; Op is the widened instruction
	Index   int     // constant pool index or local variable number
	Const   int32   // immediate value, count, dimensions or type code
	Target  int     // pc of the branch target; a switch's default target
	Keys    []int32 // switch keys, ascending
	Targets []int   // switch targets (pcs), parallel to Keys
}

// Next is the pc after the instruction.
func (in *Instruction) Next() int { return in.PC + in.Len }

// Local returns the local variable that the instruction loads, stores,
// increments or returns by, the short forms such as aload_1 included.
func (in *Instruction) Local() (slot int, ok bool) {
	switch op := in.Op; {
	case opInfoFormat(op) == FormatLocal || op == OpIinc:
		return in.Index, true
	case op >= OpIload0 && op <= OpAload3:
		return int(op-OpIload0) & 3, true
	case op >= OpIstore0 && op <= OpAstore3:
		return int(op-OpIstore0) & 3, true
	}
	return 0, false
}

func opInfoFormat(op Opcode) Format {
	if op >= NumOpcodes {
		return FormatNone
	}
	return opInfos[op].Format
}

// formatLen is the length of instructions by format; 0 where it varies.
var formatLen = [...]int8{
	FormatNone: 1, FormatS1: 2, FormatS2: 3, FormatPool1: 2, FormatPool2: 3,
	FormatLocal: 2, FormatIinc: 3, FormatBranch2: 3, FormatBranch4: 5,
	FormatTable: 0, FormatLookup: 0, FormatInterface: 5, FormatDynamic: 5,
	FormatArrayType: 2, FormatWide: 0, FormatMultiArray: 4,
}

// Decode decodes the instruction at pc. It fails (with a *FormatError whose
// offset is pc) where the code is cut short, the opcode is none, or a target
// lies outside the code. Whether a target is the start of an instruction is
// not checked.
func Decode(code []byte, pc int) (Instruction, error) {
	in := Instruction{PC: pc}
	if pc < 0 || pc >= len(code) {
		return in, formatErrorf(pc, "no instruction at pc %d in code of %d bytes", pc, len(code))
	}
	b := code[pc:]
	in.Op = Opcode(b[0])
	if in.Op >= NumOpcodes {
		return in, formatErrorf(pc, "illegal opcode %d", b[0])
	}
	format := opInfos[in.Op].Format
	in.Len = int(formatLen[format])
	if in.Len > len(b) {
		return in, formatErrorf(pc, "%s is cut short", in.Op)
	}
	switch format {
	case FormatS1:
		in.Const = int32(int8(b[1]))
	case FormatS2:
		in.Const = int32(int16(be2(b[1:])))
	case FormatPool1, FormatLocal:
		in.Index = int(b[1])
	case FormatPool2, FormatDynamic:
		in.Index = int(be2(b[1:]))
	case FormatIinc:
		in.Index, in.Const = int(b[1]), int32(int8(b[2]))
	case FormatBranch2:
		in.Target = pc + int(int16(be2(b[1:])))
	case FormatBranch4:
		in.Target = pc + int(int32(be4(b[1:])))
	case FormatInterface, FormatMultiArray:
		in.Index, in.Const = int(be2(b[1:])), int32(b[3])
	case FormatArrayType:
		in.Const = int32(b[1])
	case FormatTable, FormatLookup:
		return in.decodeSwitch(code)
	case FormatWide:
		return in.decodeWide(b)
	}
	if (format == FormatBranch2 || format == FormatBranch4) && (in.Target < 0 || in.Target >= len(code)) {
		return in, formatErrorf(pc, "%s to %d in code of %d bytes", in.Op, in.Target, len(code))
	}
	return in, nil
}

func (in Instruction) decodeWide(b []byte) (Instruction, error) {
	if len(b) < 4 {
		return in, formatErrorf(in.PC, "wide is cut short")
	}
	in.Wide, in.Op, in.Len = true, Opcode(b[1]), 4
	in.Index = int(be2(b[2:]))
	switch {
	case in.Op == OpIinc && len(b) >= 6:
		in.Len, in.Const = 6, int32(int16(be2(b[4:])))
	case opInfoFormat(in.Op) != FormatLocal:
		return in, formatErrorf(in.PC, "wide before opcode %d", b[1])
	}
	return in, nil
}

func (in Instruction) decodeSwitch(code []byte) (Instruction, error) {
	pos := (in.PC + 4) &^ 3 // operands are aligned to the start of the method
	if pos+12 > len(code) && !(in.Op == OpLookupswitch && pos+8 <= len(code)) {
		return in, formatErrorf(in.PC, "%s is cut short", in.Op)
	}
	ok := true
	target := func(p int) int {
		t := in.PC + int(int32(be4(code[p:])))
		ok = ok && t >= 0 && t < len(code)
		return t
	}
	in.Target = target(pos)
	low := int32(be4(code[pos+4:]))
	n, at, step := int(low), pos+8, 8
	if in.Op == OpTableswitch {
		high := int32(be4(code[pos+8:]))
		n, at, step = int(high)-int(low)+1, pos+12, 4
	}
	if n < 0 || n > (len(code)-at)/step || n == 0 && in.Op == OpTableswitch {
		return in, formatErrorf(in.PC, "%s with %d keys in code of %d bytes", in.Op, n, len(code))
	}
	in.Keys, in.Targets = make([]int32, n), make([]int, n)
	for i := range n {
		p := at + i*step
		in.Keys[i] = low + int32(i)
		if in.Op == OpLookupswitch {
			in.Keys[i] = int32(be4(code[p:]))
			p += 4
		}
		in.Targets[i] = target(p)
	}
	in.Len = at + n*step - in.PC
	if !ok {
		return in, formatErrorf(in.PC, "%s with a target outside the code of %d bytes", in.Op, len(code))
	}
	return in, nil
}

// Instructions iterates over code from pc 0. After the first error, which is
// yielded with the pc it occurred at, iteration ends.
func Instructions(code []byte) iter.Seq2[Instruction, error] {
	return func(yield func(Instruction, error) bool) {
		for pc := 0; pc < len(code); {
			in, err := Decode(code, pc)
			if !yield(in, err) || err != nil {
				return
			}
			pc += in.Len
		}
	}
}
