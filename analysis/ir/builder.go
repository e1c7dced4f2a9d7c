package ir

// This file drives the lowering of one method and splits its bytecode into
// basic blocks.

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Builder lowers methods one after the other, in memory that it keeps. It is
// not safe for concurrent use. The zero value is ready.
type Builder struct {
	m    Method
	pool poolCache
	bytecode
	exceptionTable
	controlFlow
	values
	err error
}

// bytecode is the code of the method at hand, cut into blocks.
type bytecode struct {
	code    []byte
	mark    []uint8   // by pc: marks; one more than there is code
	pcs     []uint16  // of the instructions
	statics []staticB // blocks of the bytecode, by pc; then those that only join edges
	blockAt []int32   // by pc: static block that starts there
	entry   int32     // static block that control enters first
	hasJsr  bool
	// assigned tells of each local variable whether some instruction changes it.
	assigned []bool
}

// exceptionTable is the exception table of the method at hand, as blocks see it.
type exceptionTable struct {
	coverText  []uint16   // arena of Method.Covers
	coverHs    [][]uint16 // per cover: handlers in search order, up to one that catches all
	coverAllHs [][]uint16 // per cover: handlers in search order
	hsText     []uint16
	liveH      []bool  // per handler: some instruction that may throw is in its ranges
	handlerB   []int32 // per handler: static block
	catchesAll []bool  // per table entry
}

// controlFlow is the control flow graph of the method at hand, subroutines inlined.
type controlFlow struct {
	nodes    []node
	nodeOf   []int32 // by static block: its node outside of subroutines, -1
	contexts []context
	inlined  map[inlineKey]int32
	retReach []bool // by static block: a ret can be reached without leaving the subroutine
	dfs      []dfsFrame
	post     []int32
	nodeEdge []int32
	scratch  []int32
}

// values is what is known of local variables and stack slots while static single assignment form
// is made.
type values struct {
	vars    int     // local variables and stack slots
	def     []Value // [block*vars+var]: value at the end of the block plus 1; 0: none stored
	in      []Value // the same at the start; 0: not yet asked for
	height  []int32 // by block: stack slots at the start, -1 unknown
	slots   []Kind  // [block*MaxStack+slot]: kinds of the stack slots at the start
	stack   []Value
	phis    []phi
	phiArgs []Value
	forward []Value  // by phi: what replaces it, or itself
	uses    []phiUse // lists of the phis that have a phi as operand, by useHead and useTail
	useHead []int32
	useTail []int32
	queue   []int32
	walk    []int32
	instrs2 []Instr // buffers that finish swaps with the method's
	args2   []Value
	renum   []Value
}

const (
	markInstr  uint8 = 1 << iota // an instruction starts here
	markLeader                   // a block starts here
	markTarget                   // control comes here by a branch
	markRange                    // an exception range starts or ends here
)

// staticB is a block of the bytecode.
type staticB struct {
	start, end int32 // pcs
	first      int32 // index of the first instruction in pcs
	last       int32 // pc of the last instruction
	cover      uint16
	throws     bool
	fallsInto  bool  // the previous instruction in the code can fall through to start
	handler    int32 // the handler that begins here, else -1
}

// Limits on hostile class files, far above what compilers write.
const (
	maxTable     = 1 << 14 // entries of an exception table
	maxCoverText = 1 << 22 // entries in all cover lists
	maxStateSize = 1 << 25 // blocks times variables
	maxNodes     = 1 << 18 // blocks after inlining of subroutines
	maxPhis      = 1 << 19
	maxPhiArgs   = 1 << 23
)

// Build lowers a method. The result is nil for a method without code. It is
// valid until the next call of Build. The error names the method and, where
// there is one, the pc; it means that the bytecode breaks JVMS 4.9.
func (b *Builder) Build(c *classfile.Class, member *classfile.Member) (*Method, error) {
	code, err := c.Code(member)
	if err != nil || code == nil {
		return nil, err
	}
	return b.BuildCode(c, member, code)
}

// BuildCode is Build for a Code attribute that has been decoded already.
func (b *Builder) BuildCode(c *classfile.Class, member *classfile.Member, code *classfile.Code) (*Method, error) {
	b.pool.reset(c)
	m := &b.m
	m.Class, m.Access, m.Code, m.pool = c, member.Access, code, &b.pool
	m.Name, m.Desc = c.MemberName(member), c.MemberDesc(member)
	err := fmt.Errorf("descriptor %q", m.Desc)
	if returnDesc(m.Desc) != "" {
		err = b.build()
	}
	if err != nil {
		return nil, fmt.Errorf("method %s.%s%s: %w", c.Name(), m.Name, m.Desc, err)
	}
	return m, nil
}

func (b *Builder) build() error {
	m := &b.m
	b.code, b.err = m.Code.Bytecode, nil
	m.Blocks, m.Handlers, m.EntryHandler = m.Blocks[:0], m.Handlers[:0], m.EntryHandler[:0]
	m.Covers = append(m.Covers[:0], nil)
	m.operands, m.edges, m.preds = m.operands[:0], m.edges[:0], m.preds[:0]
	m.Instrs = append(m.Instrs[:0], Instr{})
	if err := b.scan(); err != nil {
		return err
	}
	if err := b.split(); err != nil {
		return err
	}
	if err := b.graph(); err != nil {
		return err
	}
	if err := b.fill(); err != nil {
		return err
	}
	return b.finish()
}

func errAt(pc int, format string, args ...any) error {
	return fmt.Errorf("pc %d: %s", pc, fmt.Sprintf(format, args...))
}

// scan marks where instructions start and where blocks must.
func (b *Builder) scan() error {
	code := b.code
	n := len(code)
	b.mark = resize(b.mark, n+1)
	clear(b.mark)
	b.pcs = b.pcs[:0]
	b.hasJsr = false
	b.mark[0] |= markLeader
	for pc := 0; pc < n; {
		b.mark[pc] |= markInstr
		b.pcs = append(b.pcs, uint16(pc))
		s := &specs[code[pc]]
		next := pc + int(s.len)
		if next > n {
			return errAt(pc, "%s is cut short", classfile.Opcode(code[pc]))
		}
		switch s.act {
		case actGoto, actIf, actJsr:
			in, err := classfile.Decode(code, pc)
			if err != nil {
				return err
			}
			b.mark[in.Target] |= markLeader | markTarget
			if s.act == actJsr {
				b.hasJsr = true
				b.mark[next] |= markTarget // ret comes back to it
			}
			b.mark[next] |= markLeader
		case actReturn, actThrow:
			b.mark[next] |= markLeader
		case actSwitch, actWide, actIllegal:
			in, err := classfile.Decode(code, pc)
			if err != nil {
				return err
			}
			next = pc + in.Len
			if s.act == actSwitch {
				b.mark[in.Target] |= markLeader | markTarget
				for _, t := range in.Targets {
					b.mark[t] |= markLeader | markTarget
				}
			}
			if s.act == actSwitch || in.Op == classfile.OpRet {
				b.mark[next] |= markLeader
			}
		case actRet:
			b.mark[next] |= markLeader
		}
		pc = next
	}
	return b.scanTable()
}

// scanTable numbers the handlers and marks the ends of the exception ranges.
func (b *Builder) scanTable() error {
	m := &b.m
	b.catchesAll = b.catchesAll[:0]
	b.blockAt = resize(b.blockAt, len(b.code)+1)
	if len(m.Code.Exceptions) > maxTable {
		return fmt.Errorf("exception table of %d entries", len(m.Code.Exceptions))
	}
	for _, e := range m.Code.Exceptions {
		b.blockAt[e.HandlerPC] = -1 // no handler there yet
	}
	for i, e := range m.Code.Exceptions {
		for _, pc := range [3]uint16{e.StartPC, e.EndPC, e.HandlerPC} {
			if int(pc) < len(b.code) && b.mark[pc]&markInstr == 0 {
				return errAt(int(pc), "exception table entry %d points into an instruction", i)
			}
		}
		b.mark[e.StartPC] |= markLeader | markRange
		b.mark[e.EndPC] |= markLeader | markRange
		b.mark[e.HandlerPC] |= markLeader
		b.catchesAll = append(b.catchesAll, b.catchAll(e.CatchType))
		if b.blockAt[e.HandlerPC] < 0 {
			b.blockAt[e.HandlerPC] = int32(len(m.Handlers))
			m.Handlers = append(m.Handlers, Handler{PC: int32(e.HandlerPC)})
		}
		m.EntryHandler = append(m.EntryHandler, uint16(b.blockAt[e.HandlerPC]))
	}
	return nil
}

// catchAll tells whether a catch type is that of everything that is thrown.
func (b *Builder) catchAll(catchType uint16) bool {
	if catchType == 0 {
		return true
	}
	name, err := b.m.Class.Pool.ClassName(catchType)
	return err == nil && name == "java/lang/Throwable"
}

// split makes the static blocks. In a protected range a block also ends after
// each instruction that changes a local variable, see Block.
func (b *Builder) split() error {
	b.statics = b.statics[:0]
	b.liveH = resize(b.liveH, len(b.m.Handlers))
	clear(b.liveH)
	b.assigned = resize(b.assigned, int(b.m.Code.MaxLocals))
	clear(b.assigned)
	b.coverText = b.coverText[:0]
	b.coverHs, b.coverAllHs, b.hsText = append(b.coverHs[:0], nil), append(b.coverAllHs[:0], nil), b.hsText[:0]
	var (
		cur      *staticB
		cover    uint16
		falls    bool // the previous instruction falls through
		newBlock bool
		tableLen = len(b.m.Code.Exceptions)
	)
	for i, pc16 := range b.pcs {
		pc := int32(pc16)
		mark := b.mark[pc]
		if mark&markRange != 0 && tableLen > 0 {
			var err error
			if cover, err = b.coverOf(pc); err != nil {
				return err
			}
		}
		if newBlock || mark&markLeader != 0 {
			if cur != nil {
				b.endBlock(cur, pc)
			}
			b.blockAt[pc] = int32(len(b.statics))
			b.statics = append(b.statics,
				staticB{start: pc, first: int32(i), cover: cover, fallsInto: falls, handler: -1})
			cur = &b.statics[len(b.statics)-1]
		}
		op := b.code[pc]
		s := &specs[op]
		if s.act == actWide {
			op = b.code[pc+1]
			s = &specs[op]
		}
		if s.throws || s.act == actLdc && b.ldcThrows(op, pc) {
			cur.throws = true
		}
		cur.last = pc
		falls = classfile.Opcode(op).FallsThrough()
		newBlock = false
		if s.act == actStore || s.act == actIinc {
			newBlock = cover != 0
			b.assign(s, int(pc))
		}
	}
	b.endBlock(cur, int32(len(b.code)))
	return b.splitTargets()
}

// assign notes that the instruction at pc changes a local variable.
func (b *Builder) assign(s *opSpec, pc int) {
	slot := int(s.slot)
	if classfile.Opcode(b.code[pc]) == classfile.OpWide {
		slot = int(b.code[pc+2])<<8 | int(b.code[pc+3])
	} else if s.slot == 0xff {
		slot = int(b.code[pc+1])
	}
	for end := slot + slotsOf(s.kind); slot < end && slot < len(b.assigned); slot++ {
		b.assigned[slot] = true
	}
}

// splitTargets checks that control goes only to where instructions start, and
// adds the blocks that only join edges: one before a handler that control
// reaches in other ways too, and one before a first block with predecessors.
func (b *Builder) splitTargets() error {
	for pc, mark := range b.mark[:len(b.code)] {
		if mark&(markLeader|markInstr) == markLeader {
			return errAt(pc, "control goes into an instruction")
		}
	}
	b.handlerB = resize(b.handlerB, len(b.m.Handlers))
	firstIsHandler := false
	for h := range b.m.Handlers {
		pc := b.m.Handlers[h].PC
		at := b.blockAt[pc]
		firstIsHandler = firstIsHandler || pc == 0
		if pc == 0 || b.mark[pc]&markTarget != 0 || b.statics[at].fallsInto {
			b.statics = append(b.statics, joinBlock(pc))
			at = int32(len(b.statics) - 1)
		}
		b.handlerB[h] = at
		b.statics[at].handler = int32(h)
	}
	b.entry = 0
	if b.mark[0]&markTarget != 0 || firstIsHandler {
		b.statics = append(b.statics, joinBlock(0))
		b.entry = int32(len(b.statics) - 1)
	}
	return nil
}

// joinBlock makes a block without instructions that goes on at pc.
func joinBlock(pc int32) staticB {
	return staticB{start: pc, end: pc, first: -1, handler: -1}
}

func (b *Builder) endBlock(s *staticB, end int32) {
	s.end = end
	if s.throws {
		for _, h := range b.coverHs[s.cover] {
			b.liveH[h] = true
		}
	}
}

// ldcThrows tells whether a load of a constant may throw: resolution of
// classes, method types, method handles and dynamic constants may fail (JVMS
// 5.4.3), strings and numbers need none.
func (b *Builder) ldcThrows(op byte, pc int32) bool {
	i := uint16(b.code[pc+1])
	if classfile.Opcode(op) != classfile.OpLdc {
		i = i<<8 | uint16(b.code[pc+2])
	}
	switch b.m.Class.Pool.Tag(i) {
	case classfile.TagString, classfile.TagInteger, classfile.TagFloat, classfile.TagLong, classfile.TagDouble:
		return false
	}
	return true
}

// coverOf returns the number of the list of table entries that cover pc.
func (b *Builder) coverOf(pc int32) (uint16, error) {
	m := &b.m
	start := len(b.coverText)
	for i := range m.Code.Exceptions {
		if e := &m.Code.Exceptions[i]; int32(e.StartPC) <= pc && pc < int32(e.EndPC) {
			b.coverText = append(b.coverText, uint16(i))
		}
	}
	list := b.coverText[start:len(b.coverText):len(b.coverText)]
	if len(list) == 0 {
		return 0, nil
	}
	for i := len(m.Covers) - 1; i > 0; i-- {
		if equal(m.Covers[i], list) {
			b.coverText = b.coverText[:start]
			return uint16(i), nil
		}
	}
	if len(b.coverText) > maxCoverText || len(m.Covers) > 0xffff {
		return 0, errAt(int(pc), "exception table of %d entries nested too deeply", len(m.Code.Exceptions))
	}
	m.Covers = append(m.Covers, list)
	b.addCoverHandlers(list)
	return uint16(len(m.Covers) - 1), nil
}

// addCoverHandlers records the handlers of a cover.
func (b *Builder) addCoverHandlers(list []uint16) {
	start, stop := len(b.hsText), -1
	for _, e := range list {
		h := b.m.EntryHandler[e]
		if !contains(b.hsText[start:], h) {
			b.hsText = append(b.hsText, h)
		}
		if stop < 0 && b.catchesAll[e] {
			stop = len(b.hsText)
		}
	}
	all := b.hsText[start:len(b.hsText):len(b.hsText)]
	if stop < 0 {
		stop = len(b.hsText)
	}
	b.coverAllHs = append(b.coverAllHs, all)
	b.coverHs = append(b.coverHs, b.hsText[start:stop:stop])
}

func contains(s []uint16, v uint16) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

func equal(a, b []uint16) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
