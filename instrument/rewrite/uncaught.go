package rewrite

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file makes the handlers appended to a method that see an exception
// leave a try uncaught by the try's own catches.

// uncaughtBlock is an appended handler: dup, the probe's arguments, the probe,
// athrow. Its own code is covered by the entries that would have handled the
// exception without it.
type uncaughtBlock struct {
	try    int // index in editor.tries
	ranges []pcRange
	outer  []handlerRef // in the order of search
	locals []classfile.VType
	pos    int32
	piece  piece
}

type pcRange struct{ start, end int32 }

// handlerRef is where an exception table entry leads: to the original handler
// at pc, or, with block >= 0, to an uncaughtBlock.
type handlerRef struct {
	pc        int32
	block     int32
	catchType uint16
}

// tableEntry is an entry of the new exception table, still in terms of pcs.
type tableEntry struct {
	pcRange
	handlerRef
	index int // of the entry in the original table whose place among nested tries it has
	orig  int // index in the original table; -1: new
}

// maxSegments bounds the segments of one try that have appended handlers of
// their own. A compiler's output has one, hostile tables have thousands.
const maxSegments = 64

// appendUncaught builds the new exception table: the original one, with an
// entry for an appended handler behind the last entry of each try, so that it
// comes after the try's own catches and before those of enclosing tries.
func (e *editor) appendUncaught() error {
	endsAt := make(map[int][]int, len(e.tries)) // table index -> tries whose last entry it is
	for i, t := range e.tries {
		if !t.catchesAll {
			endsAt[t.last] = append(endsAt[t.last], i)
		}
	}
	// From the outermost try to the innermost: e.table grows backwards, so that
	// it always holds what the current try is enclosed by.
	for k := len(e.code.Exceptions) - 1; k >= 0; k-- {
		for _, t := range endsAt[k] {
			if err := e.enclose(t); err != nil {
				return err
			}
		}
		x := e.code.Exceptions[k]
		e.table = append(e.table, tableEntry{
			pcRange:    pcRange{int32(x.StartPC), int32(x.EndPC)},
			handlerRef: handlerRef{int32(x.HandlerPC), -1, x.CatchType},
			index:      k, orig: k,
		})
	}
	slices.Reverse(e.table)
	return nil
}

// enclose adds the appended handlers of a try: one, unless parts of its ranges
// are enclosed by different entries.
func (e *editor) enclose(try int) error {
	t := &e.tries[try]
	var blocks []uncaughtBlock
	segments := e.segments(t)
	if len(segments) > len(t.Ranges)+maxSegments {
		e.skipped = append(e.skipped, SkippedMethod{e.index, int(t.N), "its ranges are enclosed in too many ways"})
		return nil
	}
	for _, seg := range segments {
		outer := e.outerHandlers(seg)
		i := slices.IndexFunc(blocks, func(b uncaughtBlock) bool { return slices.Equal(b.outer, outer) })
		if i < 0 {
			i = len(blocks)
			blocks = append(blocks, uncaughtBlock{try: try, outer: outer})
		}
		blocks[i].ranges = append(blocks[i].ranges, seg)
	}
	for i := range blocks {
		if why := e.findLocals(&blocks[i]); why != "" {
			e.skipped = append(e.skipped, SkippedMethod{e.index, int(t.N), why})
			return nil
		}
	}
	for i := range blocks {
		b := &blocks[i]
		b.piece = piece{probe: probeUncaught, n: t.N}
		size, err := e.pieceSize(&b.piece)
		if err != nil {
			return err
		}
		b.piece.size = size
		e.needStack(&b.piece)
		ref := handlerRef{-1, int32(len(e.blocks)), 0}
		for k := len(b.ranges) - 1; k >= 0; k-- {
			e.table = append(e.table, tableEntry{b.ranges[k], ref, t.last, -1})
		}
		e.blocks = append(e.blocks, *b)
	}
	return nil
}

// segments cuts the ranges of a try where an enclosing range starts or ends.
func (e *editor) segments(t *tryInfo) []pcRange {
	var out []pcRange
	for _, r := range t.Ranges {
		cuts := []int32{r.Start, r.End}
		for i := range e.table {
			x := &e.table[i]
			for _, pc := range [2]int32{x.start, x.end} {
				if r.Start < pc && pc < r.End {
					cuts = append(cuts, pc)
				}
			}
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for i := 1; i < len(cuts); i++ {
			out = append(out, pcRange{cuts[i-1], cuts[i]})
		}
	}
	return out
}

// outerHandlers returns where an exception that leaves a segment goes next, up
// to the first handler of everything. e.table is in reverse order.
func (e *editor) outerHandlers(seg pcRange) []handlerRef {
	var out []handlerRef
	for i := len(e.table) - 1; i >= 0; i-- {
		x := &e.table[i]
		if x.start > seg.start || x.end <= seg.start {
			continue
		}
		out = append(out, x.handlerRef)
		if x.catchType == 0 {
			break
		}
	}
	return out
}

// findLocals finds the locals that hold at an appended handler, or says why
// there are none. Every frame in the block's ranges is assignable to the
// locals of each handler that covers them: the try's own and the enclosing
// ones. So the block may take, slot by slot, what any of them says. It takes
// what the innermost says that says something, and is valid if that is what
// the enclosing handlers need.
func (e *editor) findLocals(b *uncaughtBlock) string {
	if !e.hasFrames {
		return ""
	}
	own, ok := e.handlerLocals(handlerRef{int32(e.tries[b.try].handlers[0]), -1, 0})
	if !ok {
		return "no stack map frame at the handler"
	}
	slots := expand(own)
	for _, h := range b.outer {
		locals, ok := e.handlerLocals(h)
		if !ok {
			return "no stack map frame at an enclosing handler"
		}
		if !slots.refine(expand(locals)) {
			return "the frames of the try's handlers do not imply those of an enclosing handler"
		}
	}
	b.locals = slots.compress()
	return ""
}

func (e *editor) handlerLocals(h handlerRef) ([]classfile.VType, bool) {
	if h.block >= 0 {
		return e.blocks[h.block].locals, true
	}
	f := e.insns[e.at[h.pc]].frame
	if f < 0 {
		return nil, false
	}
	return e.frames[f].Locals, true
}

// slotTypes is a frame's locals with one element per slot; the second slot of
// a long or double is a second element of the same type.
type slotTypes []classfile.VType

func expand(locals []classfile.VType) slotTypes {
	out := make(slotTypes, 0, len(locals)+4)
	for _, t := range locals {
		out = append(out, t)
		if t.Slots() == 2 {
			out = append(out, t)
		}
	}
	return out
}

// refine adds what outer says where s says nothing, and tells whether the
// result is then surely assignable to outer. Two different classes might be
// sub- and superclass, but only the class hierarchy knows.
func (s *slotTypes) refine(outer slotTypes) bool {
	for i := 0; i < len(outer); {
		t := outer[i]
		n := t.Slots()
		for len(*s) < i+n {
			*s = append(*s, classfile.VType{Tag: classfile.VTop})
		}
		have := (*s)[i : i+n]
		switch {
		case t.Tag == classfile.VTop:
		case !have[0].Equal(t) && have[0].Tag == classfile.VTop && have[n-1].Tag == classfile.VTop:
			have[0], have[n-1] = t, t
		case have[0].Equal(t) && have[n-1].Equal(t):
		case t.Tag == classfile.VObject && have[0].Tag == classfile.VNull:
		case t.Tag == classfile.VObject && t.Class == "java/lang/Object" && have[0].Tag == classfile.VObject:
		default:
			return false
		}
		i += n
	}
	return true
}

// compress is the inverse of expand, without trailing empty slots.
func (s slotTypes) compress() []classfile.VType {
	for len(s) > 0 && s[len(s)-1].Tag == classfile.VTop {
		s = s[:len(s)-1]
	}
	var out []classfile.VType
	for i := 0; i < len(s); i += s[i].Slots() {
		out = append(out, s[i])
	}
	return out
}
