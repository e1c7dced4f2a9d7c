package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"catchlens/analysis/classfile"
	"catchlens/instrument/plan"
)

// This file reads a method's code and decides which pieces of code go in where.

// editor is the state of rewriting one method. Positions are byte code offsets
// in the new code, pcs are offsets in the original code.
type editor struct {
	*rewriter
	method *classfile.Member
	index  int // of the method
	code   *classfile.Code

	insns  []insn  // in order; the last one is a sentinel of size 0 behind the code
	at     []int32 // pc -> index in insns, -1 inside an instruction; one more than the code is long
	points []point

	frames    []classfile.Frame // the original ones; empty when the method has none or they do not count
	hasFrames bool

	tries      []tryInfo
	catchTypes map[uint16][]uint16 // handler pc of the plan -> catch types of its entries
	blocks     []uncaughtBlock
	table      []tableEntry
	tramps     []trampoline
	holes      []pcRange // new positions of trampolines, ascending
	skipped    []SkippedMethod

	maxStack int
	end      int32 // position behind everything
}

// insn is an instruction of the original code.
type insn struct {
	pc, size int32
	pos      int32 // of the instruction itself, behind what was inserted before it
	target   int32 // index of a branch's target instruction; -1: no branch
	label    int32 // of the branch's target, see point
	point    int32 // index of the point before it; -1: none
	frame    int32 // index of its original frame; -1: none
	tramp    int32 // trampoline that the branch goes by, for viaTrampoline
	op       classfile.Opcode
	form     branchForm
}

// branchForm is how a branch is written.
type branchForm uint8

const (
	short         branchForm = iota // as it was
	wide                            // goto_w or jsr_w in place of goto or jsr
	inverted                        // the inverted condition jumps over a goto_w
	viaTrampoline                   // to a goto_w near by
)

// point is a place where code goes in, before the instruction insn. Its labels
// are numbered: label k is the position before pieces[k], label len(pieces) is
// the instruction itself. Trampolines come before label 0.
type point struct {
	insn   int32
	pos    int32 // before trampolines and pieces
	caught int32 // index of the piece that is a handler's entry; -1: none
	first  int32 // the label where branches land that skip nothing
	pieces []piece
	tramps []int32
	bridge bool   // control falls into the point over its trampolines: a goto leads past them
	landed []bool // labels that need a frame
}

// piece is straight-line code that leaves stack and locals as they are: a call
// of a probe, or, for a bridge, a goto to another label of the point.
type piece struct {
	pos    int32
	size   int32
	try    int32 // index in editor.tries, for probeTryEnter
	to     int32 // label a bridge goes to
	n      uint16
	probe  probe
	bridge bool
	cast   bool // the exception's verification type may be none: checkcast it
}

// tryInfo is a try with its place in the exception table.
type tryInfo struct {
	*plan.Try
	handlers    []uint16     // pcs
	first, last int          // its first and last entry in the exception table
	catchesAll  bool         // nothing leaves it uncaught
	cover       []plan.Range // its ranges, merged: ascending and disjoint
}

// covers tells whether pc lies in one of the try's ranges.
func (t *tryInfo) covers(pc int32) bool {
	i, _ := slices.BinarySearchFunc(t.cover, pc, func(r plan.Range, pc int32) int { return cmp.Compare(r.End, pc+1) })
	return i < len(t.cover) && t.cover[i].Contains(pc)
}

// merge joins ranges, sorted by their start, that overlap or touch.
func merge(ranges []plan.Range) []plan.Range {
	var out []plan.Range
	for _, r := range ranges {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
			continue
		}
		out = append(out, r)
	}
	return out
}

// trampoline is a goto_w that short branches to a distant label go by.
type trampoline struct {
	host   int32 // instruction before whose point it stands
	target int32 // instruction
	label  int32
	pos    int32
}

// fallsInto tells whether control can come to an instruction from the one
// before it, op: a jsr's subroutine comes back behind the jsr.
func fallsInto(op classfile.Opcode) bool { return op.FallsThrough() || op.IsJsr() }

// scan decodes the code and checks that it holds together.
func (e *editor) scan() error {
	code := e.code.Bytecode
	e.at = make([]int32, len(code)+1)
	for i := range e.at {
		e.at[i] = -1
	}
	e.insns = make([]insn, 0, len(code)/2+2)
	for pc := 0; pc < len(code); {
		in, err := classfile.Decode(code, pc)
		if err != nil {
			return err
		}
		target := int32(-1)
		if isBranch(in.Op) {
			target = int32(in.Target) // a pc until resolve
		}
		e.at[pc] = int32(len(e.insns))
		e.insns = append(e.insns, insn{
			pc: int32(pc), size: int32(in.Len), op: in.Op, target: target, point: -1, frame: -1, tramp: -1,
		})
		pc = in.Next()
	}
	if fallsInto(e.insns[len(e.insns)-1].op) {
		return errSkip{"control may fall off the end of the code"}
	}
	e.at[len(code)] = int32(len(e.insns))
	e.insns = append(e.insns, insn{pc: int32(len(code)), target: -1, point: -1, frame: -1, tramp: -1})
	return e.resolve()
}

func isBranch(op classfile.Opcode) bool {
	return op.IsConditional() || op.IsGoto() || op.IsJsr()
}

// resolve checks that whatever names a pc names the start of an instruction.
func (e *editor) resolve() error {
	for i := range e.insns {
		in := &e.insns[i]
		switch {
		case in.target >= 0:
			t := e.at[in.target]
			if t < 0 {
				return fmt.Errorf("%s at pc %d leads into an instruction at pc %d", in.op, in.pc, in.target)
			}
			in.target = t
		case in.op.IsSwitch():
			for _, t := range e.switchTargets(in) {
				if e.at[t] < 0 {
					return fmt.Errorf("%s at pc %d leads into an instruction at pc %d", in.op, in.pc, t)
				}
			}
		}
	}
	for _, x := range e.code.Exceptions {
		if e.at[x.StartPC] < 0 || e.at[x.EndPC] < 0 || e.at[x.HandlerPC] < 0 {
			return fmt.Errorf("exception range [%d, %d) with handler %d cuts an instruction", x.StartPC, x.EndPC, x.HandlerPC)
		}
	}
	return nil
}

// switchTargets returns the target pcs of a switch, the default target first.
func (e *editor) switchTargets(in *insn) []int {
	d, _ := classfile.Decode(e.code.Bytecode, int(in.pc)) // scan decoded it before
	return append([]int{d.Target}, d.Targets...)
}

// frameVersion is the first class file version whose StackMapTable counts.
const frameVersion = 50

func (e *editor) readFrames() error {
	if e.class.Major < frameVersion {
		return nil
	}
	var err error
	if e.frames, err = e.class.StackMap(e.method, e.code); err != nil {
		return err
	}
	e.hasFrames = len(e.frames) > 0
	for i := range e.frames {
		at := e.at[e.frames[i].PC]
		if at < 0 || int(at) == len(e.insns)-1 {
			return fmt.Errorf("stack map frame inside an instruction at pc %d", e.frames[i].PC)
		}
		e.insns[at].frame = int32(i)
	}
	return nil
}

// placed is a piece on its way to its point.
type placed struct {
	insn  int32
	order int32 // among the pieces of a point
	piece piece
}

// Order of the pieces of a point. Between orderTries and orderThrown stand the
// tries, the one that comes last in the exception table, which is the
// outermost, first.
const (
	orderCaught int32 = iota
	orderEnter
	orderTries
	orderThrown = orderTries + 0x10000
)

// place makes the points with their pieces.
func (e *editor) place(mp *methodPlan) error {
	if err := e.findTries(mp); err != nil {
		return err
	}
	var all []placed
	if mp.enter {
		all = append(all, placed{0, orderEnter, piece{probe: probeEnter, n: uint16(e.index)}})
	}
	for i, t := range e.tries {
		all = append(all, placed{e.at[t.Start()], orderThrown - 1 - int32(t.first),
			piece{probe: probeTryEnter, n: t.N, try: int32(i)}})
	}
	for _, c := range mp.catches {
		at := e.at[c.PC] // findTries checked it
		all = append(all, placed{at, orderCaught, piece{probe: probeCaught, n: c.N, cast: e.needsCast(at)}})
	}
	for _, t := range mp.throws {
		if int(t.PC) >= len(e.at) || e.at[t.PC] < 0 || e.insns[e.at[t.PC]].op != classfile.OpAthrow {
			return fmt.Errorf("the plan has a throw site at pc %d, where no athrow stands", t.PC)
		}
		p := probeThrown
		if t.Mixed {
			p = probeRethrown
		}
		all = append(all, placed{e.at[t.PC], orderThrown, piece{probe: p, n: t.N}})
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.insn, b.insn), cmp.Compare(a.order, b.order))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].insn == all[0].insn {
			n++
		}
		if err := e.addPoint(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	e.land()
	return nil
}

// findTries finds the plan's tries in the exception table.
func (e *editor) findTries(mp *methodPlan) error {
	e.tries = make([]tryInfo, len(mp.tries))
	byHandler := make(map[uint16]int, len(mp.catches)) // handler pc -> index in e.tries
	byNumber := make(map[uint16]int, len(mp.tries))
	for i := range mp.tries {
		e.tries[i] = tryInfo{Try: &mp.tries[i], first: -1, cover: merge(mp.tries[i].Ranges)}
		byNumber[mp.tries[i].N] = i
	}
	for _, c := range mp.catches {
		i, ok := byNumber[c.Try]
		if !ok || c.PC < 0 || int(c.PC) >= len(e.code.Bytecode) {
			return fmt.Errorf("the plan's handler at pc %d has no try", c.PC)
		}
		byHandler[uint16(c.PC)] = i
		e.tries[i].handlers = append(e.tries[i].handlers, uint16(c.PC))
	}
	e.catchTypes = make(map[uint16][]uint16, len(mp.catches))
	for k, x := range e.code.Exceptions {
		i, ok := byHandler[x.HandlerPC]
		if !ok {
			continue
		}
		e.catchTypes[x.HandlerPC] = append(e.catchTypes[x.HandlerPC], x.CatchType)
		t := &e.tries[i]
		if t.first < 0 {
			t.first = k
		}
		t.last = k
		r := plan.Range{Start: int32(x.StartPC), End: int32(x.EndPC)}
		if _, ok := slices.BinarySearchFunc(t.Ranges, r, plan.Range.Compare); !ok {
			return fmt.Errorf("exception range [%d, %d) is not in the plan", x.StartPC, x.EndPC)
		}
		if x.CatchType == 0 || e.isThrowable(x.CatchType) {
			t.catchesAll = true
		}
	}
	for i := range e.tries {
		t := &e.tries[i]
		if t.first < 0 || len(t.Ranges) == 0 || t.Start() < 0 || int(t.Start()) >= len(e.code.Bytecode) || e.at[t.Start()] < 0 {
			return fmt.Errorf("try %d of the plan is not in the exception table", t.N)
		}
	}
	if len(e.catchTypes) != len(mp.catches) {
		return fmt.Errorf("a handler of the plan is not in the exception table")
	}
	return nil
}

func (e *editor) isThrowable(classIndex uint16) bool {
	name, err := e.class.Pool.ClassName(classIndex)
	return err == nil && name == throwableName
}

const throwableName = "java/lang/Throwable"

// needsCast tells whether the verifier might not see that the value on the
// stack at the entry of a handler is a Throwable: the frame there is written
// for whatever else jumps to the same place, so it may say less, such as an
// interface. That a catch type is a Throwable the verifier checks itself (JVMS
// 4.10.1.5, handlerIsLegal).
func (e *editor) needsCast(at int32) bool {
	f := e.insns[at].frame
	if f < 0 || len(e.frames[f].Stack) != 1 {
		return false
	}
	name := e.frames[f].Stack[0].Class
	switch name {
	case throwableName, "java/lang/Exception", "java/lang/RuntimeException", "java/lang/Error":
		return false
	}
	for _, t := range e.catchTypes[uint16(e.insns[at].pc)] {
		if n, err := e.class.Pool.ClassName(t); t != 0 && err == nil && n == name {
			return false
		}
	}
	return true
}

// addPoint makes one point of the pieces before one instruction, in order.
func (e *editor) addPoint(pieces []placed) error {
	i := pieces[0].insn
	pt := point{insn: i, caught: -1}
	for _, p := range pieces {
		if p.order == orderCaught {
			if i == 0 || fallsInto(e.insns[i-1].op) {
				// Control also falls into the handler: it must not pass the probe.
				pt.pieces = append(pt.pieces, piece{bridge: true, to: 2, size: 3})
			}
			pt.caught = int32(len(pt.pieces))
		}
		size, err := e.pieceSize(&p.piece)
		if err != nil {
			return err
		}
		p.piece.size = size
		pt.pieces = append(pt.pieces, p.piece)
		if p.order < orderTries {
			pt.first = int32(len(pt.pieces))
		}
		e.needStack(&p.piece)
	}
	pt.landed = make([]bool, len(pt.pieces)+1)
	e.insns[i].point = int32(len(e.points))
	e.points = append(e.points, pt)
	return nil
}

// needStack raises max_stack for a probe.
func (e *editor) needStack(p *piece) {
	need := int(e.code.MaxStack)
	switch p.probe {
	case probeEnter: // the stack is empty at pc 0
		need = 2
	case probeCaught, probeUncaught: // it holds the exception
		need = 4
	case probeTryEnter:
		need += 2
	default:
		need += 3
	}
	e.maxStack = max(e.maxStack, int(e.code.MaxStack), need)
}

// labelFrom is where a branch from the instruction at fromPC lands that leads
// to instruction i: it passes the entry probes of the tries that it comes from
// outside of. Outer tries stand first, so skipping is a matter of landing
// further down.
func (e *editor) labelFrom(fromPC, i int32) int32 {
	if e.insns[i].point < 0 {
		return 0
	}
	pt := &e.points[e.insns[i].point]
	k := pt.first
	for int(k) < len(pt.pieces) && pt.pieces[k].probe == probeTryEnter && e.tries[pt.pieces[k].try].covers(fromPC) {
		k++
	}
	return k
}

// handlerLabel is where exceptions land whose handler is instruction i.
func (e *editor) handlerLabel(i int32) int32 {
	if e.insns[i].point < 0 {
		return 0
	}
	pt := &e.points[e.insns[i].point]
	if pt.caught >= 0 {
		return pt.caught
	}
	return pt.first
}

// startLabel is where an exception range begins that starts at instruction i
// and whose entry stands at index k of the original exception table. It covers
// the entry probes of its own try and of those further in, which come before
// it in the table, so that what an entry probe throws is handled as if the
// first instruction of that try had thrown it.
func (e *editor) startLabel(i int32, k int) int32 {
	if e.insns[i].point < 0 {
		return 0
	}
	pt := &e.points[e.insns[i].point]
	l := pt.first
	for int(l) < len(pt.pieces) && pt.pieces[l].probe == probeTryEnter && e.tries[pt.pieces[l].try].first > k {
		l++
	}
	if l == pt.first && pt.caught >= 0 {
		return pt.caught
	}
	return l
}

// land finds the label of every branch, and which labels of points need a
// frame: those that something jumps to, and label 0 where nothing falls in.
func (e *editor) land() {
	mark := func(i, label int32) {
		if p := e.insns[i].point; p >= 0 {
			e.points[p].landed[label] = true
		}
	}
	for i := range e.insns {
		in := &e.insns[i]
		switch {
		case in.target >= 0:
			in.label = e.labelFrom(in.pc, in.target)
			mark(in.target, in.label)
		case in.op.IsSwitch():
			for _, t := range e.switchTargets(in) {
				mark(e.at[t], e.labelFrom(in.pc, e.at[t]))
			}
		}
	}
	for _, x := range e.code.Exceptions {
		h := e.at[x.HandlerPC]
		mark(h, e.handlerLabel(h))
	}
	for i := range e.points {
		pt := &e.points[i]
		if pt.insn > 0 && !fallsInto(e.insns[pt.insn-1].op) {
			pt.landed[0] = true
		}
		for _, p := range pt.pieces {
			if p.bridge {
				pt.landed[p.to] = true
			}
		}
	}
}
