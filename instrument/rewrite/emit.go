package rewrite

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file writes the new code, its exception table and its frames.

var be = binary.BigEndian

// emit writes the new Code attribute.
func (e *editor) emit() (*classfile.Code, error) {
	code, err := e.emitCode()
	if err != nil {
		return nil, err
	}
	if e.maxStack > math.MaxUint16 {
		return nil, errSkip{"the operand stack would be too deep"}
	}
	out := &classfile.Code{
		MaxStack: uint16(e.maxStack), MaxLocals: e.code.MaxLocals,
		Bytecode: code, Attributes: e.code.Attributes,
	}
	if e.coverage.array != 0 {
		out.MaxLocals++
	}
	if e.chain.frame != 0 {
		out.MaxLocals = max(out.MaxLocals, e.chain.slot+1)
	}
	e.findCuts()
	firstEntry, err := e.emitTable(out)
	if err != nil {
		return nil, err
	}
	if out.Attributes, err = e.emitDebug(firstEntry); err != nil {
		return nil, err
	}
	if e.hasFrames || e.chain.frame != 0 && e.class.Major >= frameVersion { // its handlers need some
		frames, err := e.emitFrames()
		if err != nil {
			return nil, err
		}
		if err := e.class.SetStackMap(e.method, out, frames); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *editor) emitCode() ([]byte, error) {
	b := make([]byte, 0, e.end)
	var err error
	for i := range e.insns {
		in := &e.insns[i]
		if in.point >= 0 {
			if b, err = e.emitPoint(b, &e.points[in.point]); err != nil {
				return nil, err
			}
		}
		b = e.emitInsn(b, in)
	}
	for i := range e.blocks {
		if b, err = e.emitPiece(b, &e.blocks[i].piece, nil); err != nil {
			return nil, err
		}
		b = append(b, byte(classfile.OpAthrow))
	}
	for i := range e.coverage.stubs {
		s := &e.coverage.stubs[i]
		if b, err = e.emitPiece(b, &s.piece, nil); err != nil {
			return nil, err
		}
		at := s.pos + s.piece.size
		b = be.AppendUint32(append(b, byte(classfile.OpGotoW)), uint32(e.labelPos(s.target, s.label)-at))
	}
	if len(b) != int(e.end) {
		return nil, fmt.Errorf("wrote %d bytes of code, laid out %d", len(b), e.end)
	}
	return b, nil
}

func (e *editor) emitPoint(b []byte, pt *point) ([]byte, error) {
	if pt.bridge {
		b = append(b, byte(classfile.OpGoto))
		b = be.AppendUint16(b, uint16(3+5*len(pt.tramps)))
	}
	for _, t := range pt.tramps {
		tr := &e.tramps[t]
		b = append(b, byte(classfile.OpGotoW))
		b = be.AppendUint32(b, uint32(e.landingPos(tr.target, tr.label, tr.stub)-tr.pos))
	}
	var err error
	for k := range pt.pieces {
		if b, err = e.emitPiece(b, &pt.pieces[k], pt); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// pieceSize is the number of bytes that emitPiece writes. It adds the
// constants the piece needs, so that their indices are known.
func (e *editor) pieceSize(p *piece) (int32, error) {
	b, err := e.emitPiece(make([]byte, 0, 16), p, nil)
	return int32(len(b)), err
}

// emitPiece writes a bridge, or a call of a probe with its arguments.
func (e *editor) emitPiece(b []byte, p *piece, pt *point) ([]byte, error) {
	if p.bridge {
		b = append(b, byte(classfile.OpGoto))
		return be.AppendUint16(b, uint16(e.labelPos(pt.insn, p.to)-p.pos)), nil
	}
	if p.probe == probeCover || p.probe == probeCovered {
		return e.emitCover(b, p)
	}
	switch p.probe {
	case probeBegin, probeCall, probeCallOn, probeConstruct, probeEnd, probeFail:
		return e.emitChain(b, p)
	}
	if p.probe.takesException() {
		b = append(b, byte(classfile.OpDup))
	}
	if p.cast {
		i, err := e.throwableIndex()
		if err != nil {
			return nil, err
		}
		b = be.AppendUint16(append(b, byte(classfile.OpCheckcast)), i)
	}
	if p.probe == probeRoot {
		for _, slot := range p.subjects {
			b = appendLoadReference(b, slot)
		}
	}
	b = appendComparison(b, p)
	class, err := e.classNumberIndex()
	if err != nil {
		return nil, err
	}
	b = appendLoad(b, class)
	if b, err = e.appendNumber(b, p.n); err != nil {
		return nil, err
	}
	method, err := e.probeIndex(p.probe)
	if err != nil {
		return nil, err
	}
	return be.AppendUint16(append(b, byte(classfile.OpInvokestatic)), method), nil
}

func appendLoad(b []byte, index uint16) []byte {
	if index <= math.MaxUint8 {
		return append(b, byte(classfile.OpLdc), byte(index))
	}
	return be.AppendUint16(append(b, byte(classfile.OpLdcW)), index)
}

func (e *editor) appendNumber(b []byte, n uint16) ([]byte, error) {
	switch {
	case n <= 5:
		return append(b, byte(classfile.OpIconst0)+byte(n)), nil
	case n <= math.MaxInt8:
		return append(b, byte(classfile.OpBipush), byte(n)), nil
	case n <= math.MaxInt16:
		return be.AppendUint16(append(b, byte(classfile.OpSipush)), n), nil
	}
	i, err := e.class.Pool.AddInteger(int32(n))
	return appendLoad(b, i), err
}

func (e *editor) emitInsn(b []byte, in *insn) []byte {
	original := e.code.Bytecode[in.pc : in.pc+in.size]
	switch {
	case in.target >= 0:
		return e.emitBranch(b, in)
	case in.op.IsSwitch():
		return e.emitSwitch(b, in, original)
	}
	return append(b, original...)
}

func (e *editor) emitBranch(b []byte, in *insn) []byte {
	delta := e.landingPos(in.target, in.label, in.stub) - in.pos
	switch {
	case in.op == classfile.OpGotoW || in.op == classfile.OpJsrW:
		return be.AppendUint32(append(b, byte(in.op)), uint32(delta))
	case in.form == wide && in.op == classfile.OpGoto:
		return be.AppendUint32(append(b, byte(classfile.OpGotoW)), uint32(delta))
	case in.form == wide:
		return be.AppendUint32(append(b, byte(classfile.OpJsrW)), uint32(delta))
	case in.form == inverted:
		b = be.AppendUint16(append(b, byte(invert(in.op))), 8)
		return be.AppendUint32(append(b, byte(classfile.OpGotoW)), uint32(delta-3))
	case in.form == viaTrampoline:
		delta = e.tramps[in.tramp].pos - in.pos
	}
	return be.AppendUint16(append(b, byte(in.op)), uint16(delta))
}

// invert is the opposite condition (the order of opcodes in JVMS 7).
func invert(op classfile.Opcode) classfile.Opcode {
	if op >= classfile.OpIfnull {
		return op ^ 1
	}
	return (op + 1) ^ 1 - 1
}

// emitSwitch writes a switch with new padding and new offsets.
func (e *editor) emitSwitch(b []byte, in *insn, original []byte) []byte {
	b = append(b, original[0])
	b = append(b, make([]byte, padding(in.pos))...)
	operands := original[1+padding(in.pc):]
	offset := func(at int) {
		t := e.at[in.pc+int32(be.Uint32(operands[at:]))]
		from := e.at[in.pc]
		b = be.AppendUint32(b, uint32(e.landingPos(t, e.labelFrom(from, t), e.stubOfSwitch(from, t))-in.pos))
	}
	offset(0)
	if in.op == classfile.OpTableswitch {
		b = append(b, operands[4:12]...) // low, high
		for at := 12; at < len(operands); at += 4 {
			offset(at)
		}
		return b
	}
	b = append(b, operands[4:8]...) // npairs
	for at := 8; at < len(operands); at += 8 {
		b = append(b, operands[at:at+4]...)
		offset(at + 4)
	}
	return b
}

// emitTable writes the exception table, and returns for each entry of the
// original one the index of the first new entry that it became.
func (e *editor) emitTable(out *classfile.Code) ([]int, error) {
	first := make([]int, len(e.code.Exceptions))
	for i := range e.table {
		x := &e.table[i]
		if x.orig >= 0 {
			first[x.orig] = len(out.Exceptions)
		}
		start := e.at[x.start]
		e.addRange(out, pcRange{e.labelPos(start, e.startLabel(start, x.index)), e.basePos(e.at[x.end])}, x)
	}
	for i := range e.blocks {
		b := &e.blocks[i]
		for _, h := range b.outer {
			addEntry(out, pcRange{b.pos, b.pos + b.piece.size + 1}, e.handlerPos(h), h.catchType)
		}
	}
	if len(out.Exceptions) > math.MaxUint16 {
		return nil, errSkip{fmt.Sprintf("the exception table would have %d entries", len(out.Exceptions))}
	}
	return first, nil
}

func (e *editor) handlerPos(h handlerRef) int32 {
	if h.block >= 0 {
		return e.blocks[h.block].pos
	}
	at := e.at[h.pc]
	return e.labelPos(at, e.handlerLabel(at))
}

func addEntry(out *classfile.Code, r pcRange, handler int32, catchType uint16) {
	if r.start < r.end {
		out.Exceptions = append(out.Exceptions, classfile.ExceptionEntry{
			StartPC: uint16(r.start), EndPC: uint16(r.end), HandlerPC: uint16(handler), CatchType: catchType,
		})
	}
}

// addRange adds an entry for the positions r, in several parts where it must
// leave something out: trampolines, whose frames belong elsewhere, and the
// entry probes of tries around the entry's own.
func (e *editor) addRange(out *classfile.Code, r pcRange, x *tableEntry) {
	handler := e.handlerPos(x.handlerRef)
	from, _ := slices.BinarySearchFunc(e.cuts, r.start, func(p, pos int32) int {
		return cmp.Compare(e.points[p].pos, pos)
	})
	from = max(from-1, 0) // the range may begin inside a point
	for _, p := range e.cuts[from:] {
		pt := &e.points[p]
		if pt.pos >= r.end {
			break
		}
		for _, hole := range [2]pcRange{
			{pt.pos, e.labelPos(pt.insn, 0)},
			{e.labelPos(pt.insn, pt.first), e.labelPos(pt.insn, max(pt.first, e.startLabel(pt.insn, x.index)))},
		} {
			if hole.start < hole.end && hole.start < r.end && hole.end > r.start {
				addEntry(out, pcRange{r.start, hole.start}, handler, x.catchType)
				r.start = hole.end
			}
		}
	}
	addEntry(out, r, handler, x.catchType)
}

// findCuts lists the points with trampolines or entry probes of tries.
func (e *editor) findCuts() {
	for i := range e.insns {
		p := e.insns[i].point
		if p < 0 {
			continue
		}
		pt := &e.points[p]
		if len(pt.tramps) > 0 || int(pt.first) < len(pt.pieces) && pt.pieces[pt.first].probe == probeTryEnter {
			e.cuts = append(e.cuts, p)
		}
	}
}

// emitFrames writes a frame wherever the original has one, at every label of
// a point that is jumped to, and at what was appended: all of them copies.
func (e *editor) emitFrames() ([]classfile.Frame, error) {
	out := make([]classfile.Frame, 0, len(e.frames)+len(e.blocks)+8)
	add := func(f int32, pos int32) {
		g := e.moved(e.frames[f])
		g.PC = int(pos)
		out = append(out, g)
	}
	for i := range e.insns {
		in := &e.insns[i]
		switch {
		case in.point >= 0:
			if err := e.pointFrames(in, add); err != nil {
				return nil, err
			}
		case in.frame >= 0:
			add(in.frame, in.pos)
		}
	}
	for i := range e.blocks {
		throwable, err := e.throwableIndex()
		if err != nil {
			return nil, err
		}
		out = append(out, e.moved(classfile.Frame{
			PC: int(e.blocks[i].pos), Locals: e.blocks[i].locals,
			Stack: []classfile.VType{{Tag: classfile.VObject, Class: throwableName, PoolIndex: throwable}},
		}))
	}
	for i := range e.coverage.stubs {
		s := &e.coverage.stubs[i]
		add(e.insns[s.target].frame, s.pos)
	}
	return out, nil
}

func (e *editor) pointFrames(in *insn, add func(f, pos int32)) error {
	pt := &e.points[in.point]
	for _, t := range pt.tramps {
		f := e.insns[e.tramps[t].target].frame
		if f < 0 {
			return errSkip{"a branch target has no stack map frame"}
		}
		add(f, e.tramps[t].pos)
	}
	if in.frame < 0 {
		return nil
	}
	any := false
	for k, landed := range pt.landed {
		if landed {
			any = true
			add(in.frame, e.labelPos(pt.insn, int32(k)))
		}
	}
	if !any { // a frame that nothing jumps to
		add(in.frame, in.pos)
	}
	return nil
}

// moved gives a frame its uninitialized objects' new pcs (JVMS 4.7.4: the
// offset of the new instruction).
func (e *editor) moved(f classfile.Frame) classfile.Frame {
	f.Locals, f.Stack = e.withFrame(e.withArray(e.movedTypes(f.Locals))), e.movedTypes(f.Stack)
	return f
}

func (e *editor) movedTypes(ts []classfile.VType) []classfile.VType {
	copied := false
	for i := range ts {
		if ts[i].Tag != classfile.VUninitialized {
			continue
		}
		if !copied {
			ts = append([]classfile.VType(nil), ts...)
			copied = true
		}
		if at := e.at[ts[i].OffsetPC]; at >= 0 {
			ts[i].OffsetPC = uint16(e.insns[at].pos)
		}
	}
	return ts
}
