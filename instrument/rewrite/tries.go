package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/instrument/plan"
)

// This file finds the tries of a plan in the code, and where control enters
// them.

// tryInfo is a try with its place in the exception table.
type tryInfo struct {
	*plan.Try
	handlers    []uint16     // pcs
	first, last int          // its first and last entry in the exception table
	catchesAll  bool         // nothing leaves it uncaught
	cover       []plan.Range // its ranges, merged: ascending and disjoint
	// loopHead is the instruction to which jumps from inside enter the try anew,
	// -1: none. See findEntries.
	loopHead int32
	// enteredByHandler holds the handlers, by instruction, that are part of the
	// try while nothing that they handle is.
	enteredByHandler map[int32]bool
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

// maxPairs bounds the work on hostile methods, which is quadratic in places:
// exception table entries squared, and tries times jumps.
const maxPairs = 1 << 26

// findTries finds the plan's tries in the exception table.
func (e *editor) findTries(mp *methodPlan) error {
	if n := len(e.code.Exceptions); len(mp.tries) > 0 && (n*n > maxPairs || len(mp.tries)*len(e.edges()) > maxPairs) {
		return errSkip{fmt.Sprintf("%d exception table entries and %d jumps", n, len(e.edges()))}
	}
	e.tries = make([]tryInfo, len(mp.tries))
	byHandler := make(map[uint16]int, len(mp.catches)) // handler pc -> index in e.tries
	byNumber := make(map[uint16]int, len(mp.tries))
	for i := range mp.tries {
		e.tries[i] = tryInfo{Try: &mp.tries[i], first: -1, loopHead: -1, cover: merge(mp.tries[i].Ranges)}
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
		if t.first < 0 || len(t.Ranges) == 0 {
			return fmt.Errorf("try %d of the plan is not in the exception table", t.N)
		}
	}
	if len(e.catchTypes) != len(mp.catches) {
		return fmt.Errorf("a handler of the plan is not in the exception table")
	}
	return nil
}

// edge is a jump from one instruction to another, switches included.
type edge struct{ from, to int32 }

func (e *editor) edges() []edge {
	if e.jumps != nil {
		return e.jumps
	}
	e.jumps = []edge{}
	for i := range e.insns {
		in := &e.insns[i]
		switch {
		case in.target >= 0:
			e.jumps = append(e.jumps, edge{int32(i), in.target})
		case in.op.IsSwitch():
			for _, t := range e.switchTargets(in) {
				e.jumps = append(e.jumps, edge{int32(i), e.at[t]})
			}
		}
	}
	return e.jumps
}

// enteredBy tells whether control that comes to instruction i, which is in the
// try, from instruction from enters the try by it.
func (t *tryInfo) enteredBy(e *editor, from, i int32) bool {
	return !t.covers(e.insns[from].pc) || i == t.loopHead
}

// findEntries returns the instructions at which control enters a try: those of
// its ranges to which it comes from elsewhere. Javac has one, the start of the
// first range. ECJ leads jumps to jumps to where they end, and so, in
//
//	while (a) { try { while (b) { c; } } catch (E e) { } }
//
// the test of a jumps into the middle of the try, to the test of b, and in
//
//	while (true) { try { if (a) b; } catch (E e) { } }
//
// the jump over b, which is in the try's range, leads to the loop's head, which
// is the try's start: the try is left and entered anew. The byte code of a loop
// inside the try can be the same. What is taken for the former is a jump in code
// by ECJ to where the code behind the try's last range goes by itself, if that
// is the start of a range.
func (e *editor) findEntries(t *tryInfo) []int32 {
	var out []int32
	enter := func(i int32) {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, r := range t.cover {
		i := e.at[r.Start]
		if i == 0 || fallsInto(e.insns[i-1].op) { // the instruction before is not in the try: ranges are merged
			enter(i)
		}
	}
	after := e.at[t.cover[len(t.cover)-1].End]
	if exit := &e.insns[after]; e.madeByECJ() && exit.op.IsGoto() {
		if slices.ContainsFunc(t.cover, func(r plan.Range) bool { return e.at[r.Start] == exit.target }) {
			t.loopHead = exit.target
		}
	}
	for _, j := range e.edges() {
		if t.covers(e.insns[j.to].pc) && t.enteredBy(e, j.from, j.to) {
			enter(j.to)
		}
	}
	inside := make(map[int32]bool) // handlers in the try -> something that they handle is in it too
	for _, x := range e.code.Exceptions {
		if t.covers(int32(x.HandlerPC)) {
			h := e.at[x.HandlerPC]
			inside[h] = inside[h] || t.covers(int32(x.StartPC))
		}
	}
	for h, in := range inside {
		if !in {
			if t.enteredByHandler == nil {
				t.enteredByHandler = make(map[int32]bool)
			}
			t.enteredByHandler[h] = true
			enter(h)
		}
	}
	return out
}

// madeByECJ tells whether Eclipse's compiler wrote the class: it numbers the
// class itself first.
func (e *editor) madeByECJ() bool { return e.class.ThisIndex == 1 }
