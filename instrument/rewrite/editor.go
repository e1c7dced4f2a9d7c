package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
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

	jumps      []edge // made by edges
	tries      []tryInfo
	catchTypes map[uint16][]uint16 // handler pc of the plan -> catch types of its entries
	blocks     []uncaughtBlock
	table      []tableEntry
	tramps     []trampoline
	trampsTo   map[landing][]int32 // where they lead -> trampolines
	hosts      [2][]int32          // see findHosts
	cuts       []int32             // points that may interrupt exception ranges, ascending
	skipped    []SkippedMethod
	coverage   coverProbes
	chain      chainProbes

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
	stub     int32 // index of the stub that the branch jumps to; -1: none
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
	falls  int32 // how many pieces only control meets that falls into the point; they come first
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
	// subjects are, for probeRoot, the slots of reference parameters; -1: null.
	subjects [numSubjects]int16
	// branch is, for probes of guards, the branch that they stand before.
	branch classfile.Opcode
	// name is, for probeBegin, a string constant.
	name uint16
	// above is, for probeCallOn, how many slots of the stack are above the object: at most 2.
	above uint8
}

// landing is where a branch lands: at a label of an instruction, by way of a stub, -1 for none.
type landing struct{ target, label, stub int32 }

// trampoline is a goto_w that short branches to a distant label go by.
type trampoline struct {
	target int32 // instruction
	label  int32
	stub   int32 // that it leads to in place of the label; -1: none
	pos    int32
}

// fallsInto tells whether control can come to an instruction from the one
// before it, op: a jsr's subroutine comes back behind the jsr.
func fallsInto(op classfile.Opcode) bool { return op.FallsThrough() || op.IsJsr() }

// scan decodes the code and checks that it holds together.
func (e *editor) scan() error {
	code := e.code.Bytecode
	e.at = slices.Grow(e.scratchAt[:0], len(code)+1)[:len(code)+1]
	for i := range e.at {
		e.at[i] = -1
	}
	e.insns = e.scratchInsns[:0]
	defer func() { e.scratchAt, e.scratchInsns = e.at, e.insns }()
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
			pc: int32(pc), size: int32(in.Len), op: in.Op, target: target, point: -1, frame: -1, tramp: -1, stub: -1,
		})
		pc = in.Next()
	}
	if fallsInto(e.insns[len(e.insns)-1].op) {
		return errSkip{"control may fall off the end of the code"}
	}
	e.at[len(code)] = int32(len(e.insns))
	e.insns = append(e.insns, insn{pc: int32(len(code)), target: -1, point: -1, frame: -1, tramp: -1, stub: -1})
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
			return fmt.Errorf("exception range [%d, %d) with handler %d cuts an instruction", x.StartPC, x.EndPC,
				x.HandlerPC)
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

// Order of the pieces of a point. Between orderTries and orderCover stand the
// tries, the one that comes last in the exception table, which is the
// outermost, first. A coverage probe and a place of fine-grain injection are inside them all.
const (
	orderFall int32 = iota
	orderCaught
	orderCovered
	orderEnter
	orderDeclared // a fault of the user's own strikes before any try of the method
	orderBegin
	orderTries
	orderCover  = orderTries + 0x10000
	orderPoint  = orderCover + 1
	orderThrown = orderPoint + 1
	orderCall   = orderThrown + 1
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
	for i := range e.tries {
		t := &e.tries[i]
		for _, at := range e.findEntries(t) {
			all = append(all, placed{at, orderCover - 1 - int32(t.first),
				piece{probe: probeTryEnter, n: t.N, try: int32(i)}})
		}
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
	for _, t := range mp.points {
		if t.PC < 0 || int(t.PC) >= len(e.at) || e.at[t.PC] < 0 {
			return fmt.Errorf("the plan has a place to throw at pc %d, where no instruction stands", t.PC)
		}
		all = append(all, placed{e.at[t.PC], orderPoint, piece{probe: probePoint, n: t.N}})
	}
	roots, err := e.placeRoots(mp)
	if err != nil {
		return err
	}
	guards, err := e.placeGuards(mp)
	if err != nil {
		return err
	}
	covers, err := e.placeCovers(mp)
	if err != nil {
		return err
	}
	chain, err := e.placeChain(mp)
	if err != nil {
		return err
	}
	all = slices.Concat(all, roots, guards, covers, chain)
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
		switch p.order {
		case orderFall:
			pt.falls++
		case orderCaught:
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
	e.insns[i].point = int32(len(e.points))
	e.points = append(e.points, pt)
	e.bridge(&e.points[len(e.points)-1])
	return nil
}

// bridge leads control that falls into a point to the pieces that are meant
// for it: not to a handler's entry probe, nor to the entry probes of tries
// that the instruction before is in.
func (e *editor) bridge(pt *point) {
	to := pt.falls // behind the pieces that are meant for just this control
	switch {
	case pt.insn == 0:
		to = pt.caught + 1
	case fallsInto(e.insns[pt.insn-1].op):
		if to = e.labelFrom(pt.insn-1, pt.insn); to == pt.first {
			to = max(pt.caught+1, pt.falls)
		}
	}
	over := to > pt.falls
	if over {
		pt.pieces = slices.Insert(pt.pieces, int(pt.falls), piece{bridge: true, to: to + 1, size: 3})
		pt.first++
		if pt.caught >= 0 {
			pt.caught++
		}
	}
	pt.landed = make([]bool, len(pt.pieces)+1)
	if pt.insn > 0 && !fallsInto(e.insns[pt.insn-1].op) {
		pt.landed[0] = true
	}
	if over {
		pt.landed[to+1] = true
	}
}

// needStack raises max_stack for a probe.
func (e *editor) needStack(p *piece) {
	need := int(e.code.MaxStack)
	switch p.probe {
	case probeEnter, probeCovered: // the stack is empty at pc 0
		need = 2
	case probeCaught, probeUncaught: // it holds the exception
		need = 4
	case probeTryEnter, probePoint, probeCount:
		need += 2
	case probeRoot:
		need += numSubjects + 2
	case probeGuard, probeGuardRef:
		need += 4
	case probeBegin: // the stack is empty at pc 0
		need = 3
	case probeEnd, probeFail:
		need = max(need+1, 2) // it may hold the exception
	case probeSelect:
		need += 2
	case probeCallOn:
		need += 4
	default:
		need += 3
	}
	e.maxStack = max(e.maxStack, int(e.code.MaxStack), need)
}

// labelFrom is where control lands that comes to instruction i from
// instruction from: at the entry probe of the outermost try that it enters.
// Outer tries stand first, so what it does not enter is passed by landing
// further down.
func (e *editor) labelFrom(from, i int32) int32 {
	if e.insns[i].point < 0 {
		return 0
	}
	pt := &e.points[e.insns[i].point]
	k := pt.first
	for int(k) < len(pt.pieces) && pt.pieces[k].probe == probeTryEnter &&
		!e.tries[pt.pieces[k].try].enteredBy(e, from, i) {
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
	k := pt.first
	for int(k) < len(pt.pieces) && pt.pieces[k].probe == probeTryEnter &&
		!e.tries[pt.pieces[k].try].enteredByHandler[i] {
		k++
	}
	return k
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
// frame because something jumps there.
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
			in.label = e.labelFrom(int32(i), in.target)
			mark(in.target, in.label)
			e.coverage.land(in.stub, in.label)
		case in.op.IsSwitch():
			for _, t := range e.switchTargets(in) {
				label := e.labelFrom(int32(i), e.at[t])
				mark(e.at[t], label)
				e.coverage.land(e.stubOfSwitch(int32(i), e.at[t]), label)
			}
		}
	}
	for _, x := range e.code.Exceptions {
		h := e.at[x.HandlerPC]
		mark(h, e.handlerLabel(h))
	}
}
