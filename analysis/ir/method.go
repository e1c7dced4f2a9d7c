package ir

// This file is the register code itself: methods, blocks, instructions,
// values.

import (
	"sort"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Value names what an instruction computes: the index of that instruction in
// Method.Instrs. Undef (0) stands for a value that no path defines.
type Value int32

// Undef is the value that nothing defines. Instrs[0] stands for it, so that
// every Value is an index.
const Undef Value = 0

// BlockID is the index of a block in Method.Blocks. Blocks are numbered in
// reverse postorder, the entry block is 0.
type BlockID int32

// Kind is the kind of a value as the JVM's verifier groups them (JVMS 2.11.1).
type Kind uint8

// The kinds of values.
const (
	NoValue Kind = iota
	Int          // boolean, byte, char, short and int
	Long
	Float
	Double
	Ref
	RetAddr // pushed by jsr
)

func (k Kind) String() string {
	return [...]string{"void", "int", "long", "float", "double", "ref", "retaddr"}[k]
}

// Op is what an instruction of the register code does. Code tells more where
// several instructions of the JVM share an Op.
type Op uint8

// The operations. Args are the operands in the order in which the JVM
// instruction pushes them.
const (
	OpUndef Op = iota
	OpParam    // Aux: number of the parameter; 0 is the receiver of instance methods
	OpCatch    // the caught exception; Aux: index into Method.Handlers
	// one operand per predecessor, in the order of Preds; Aux: the local variable, from MaxLocals
	// on a stack slot
	OpPhi
	OpConst       // Code; Aux: the value (iconst, bipush, sipush, ...) or pool index (ldc)
	OpArith       // arithmetic, logic, conversion and comparison; of iinc Aux is the addend
	OpArrayLoad   // array, index
	OpArrayStore  // array, index, value
	OpArrayLength // array
	OpGetField    // object; Aux: pool index
	OpPutField    // object, value; Aux: pool index
	OpGetStatic   // Aux: pool index
	OpPutStatic   // value; Aux: pool index
	OpInvoke      // [receiver,] arguments; Aux: pool index
	OpNew         // Aux: pool index
	OpNewArray    // lengths; Aux: pool index, of newarray the type code
	OpCheckCast   // object; Aux: pool index
	OpInstanceOf  // object; Aux: pool index
	OpMonitor     // object; monitorenter or monitorexit
	OpRetAddr     // of jsr; Aux: the return address
	OpThrow       // object
	OpReturn      // [value]
	OpIf          // one or two operands; see Block.Succs
	OpSwitch      // key
	numOps
)

var opNames = [numOps]string{
	"undef", "param", "catch", "phi", "const", "arith", "arrayload", "arraystore", "arraylength",
	"getfield", "putfield", "getstatic", "putstatic", "invoke", "new", "newarray", "checkcast",
	"instanceof", "monitor", "retaddr", "throw", "return", "if", "switch",
}

func (o Op) String() string { return opNames[o] }

// Instr is one instruction. Loads, stores, stack shuffling, nop and goto leave
// none behind.
type Instr struct {
	PC     uint16           // of the JVM instruction; of params, catches and phis the block's
	Op     Op               //
	Code   classfile.Opcode // the JVM instruction; ldc_w counts as ldc
	Kind   Kind             // of the result; NoValue where there is none
	Throws bool             // may complete abruptly by itself (JVMS 6.5)
	NArgs  uint16
	Aux    int32
	args   int32 // index of the first operand in Method.operands
}

// Block is a basic block: control enters at its first instruction only. No
// local variable changes within a block of a protected range before its last
// instruction that may throw, so what a handler finds in the local variables is
// what the block found.
type Block struct {
	PC, End     int32  // bytecode range [PC, End); empty for blocks that only join edges
	First, Last int32  // instructions [First, Last); phis come first, then params or the catch
	Cover       uint16 // index into Method.Covers
	Throws      bool   // some instruction may complete abruptly by itself
	Context     int32  // number of the chain of jsr that the block is inlined for; 0: none
	Handler     int32  // index into Handlers where the block begins with OpCatch, else -1
	succs       span   // normal successors
	handlers    span   // handler blocks
	preds       span   // predecessors
}

type span struct{ at, n int32 }

// Pred is an edge as its target sees it. An exceptional edge leaves its block
// from the start: nothing that the block computes is defined along it.
type Pred struct {
	Block       BlockID
	Exceptional bool
}

// Handler is one handler PC of the exception table, in the order in which the
// table first names it.
type Handler struct {
	PC     int32
	Blocks int32 // how many blocks begin it: 0 where nothing reaches it, more than 1 within inlined subroutines
}

// Method is a method as register code in SSA form. It belongs to the Builder
// that made it and is valid until that Builder's next Build.
type Method struct {
	Class      *classfile.Class
	Name, Desc string
	Access     uint16
	Code       *classfile.Code
	Blocks     []Block
	Instrs     []Instr
	Handlers   []Handler
	// EntryHandler is the index into Handlers for each exception table entry.
	EntryHandler []uint16
	// Covers holds the distinct lists of exception table entries (ascending
	// indices, which is search order) that cover blocks; Covers[0] is empty.
	Covers [][]uint16

	operands []Value
	edges    []BlockID
	preds    []Pred
	pool     *poolCache
}

// Args returns the operands of an instruction. The caller must not change them.
func (m *Method) Args(i Value) []Value {
	in := &m.Instrs[i]
	return m.operands[in.args : in.args+int32(in.NArgs) : in.args+int32(in.NArgs)]
}

// Succs returns the distinct blocks that control goes to when the block
// completes normally. After OpIf the first one is where the condition fails
// (the next instruction), the second where it holds; there is only one when
// both are the same. After OpSwitch the default comes first.
func (m *Method) Succs(b BlockID) []BlockID { return m.span(m.Blocks[b].succs) }

// HandlerSuccs returns the distinct handler blocks that an exception in the
// block may go to, in the order of the exception table, up to the first that
// catches everything. It is empty where nothing in the block may throw.
//
// A handler whose ranges hold no instruction that may throw still has edges,
// from all blocks that it covers: a JVM may raise an asynchronous exception
// anywhere (JVMS 2.10), and so may a probe.
func (m *Method) HandlerSuccs(b BlockID) []BlockID { return m.span(m.Blocks[b].handlers) }

func (m *Method) span(s span) []BlockID { return m.edges[s.at : s.at+s.n : s.at+s.n] }

// Preds returns the edges into a block.
func (m *Method) Preds(b BlockID) []Pred {
	s := m.Blocks[b].preds
	return m.preds[s.at : s.at+s.n : s.at+s.n]
}

// BlockOf returns the block of an instruction.
func (m *Method) BlockOf(i Value) BlockID {
	n := sort.Search(len(m.Blocks), func(b int) bool { return m.Blocks[b].Last > int32(i) })
	return BlockID(n)
}

// IsStatic tells whether the method has no receiver.
func (m *Method) IsStatic() bool { return m.Access&classfile.AccStatic != 0 }

// Member returns the field or method that an instruction refers to: OpInvoke
// except invokedynamic, and the four field accesses.
func (m *Method) Member(i Value) (classfile.MemberRef, error) {
	e := m.pool.member(uint16(m.Instrs[i].Aux))
	return e.ref, e.err
}
