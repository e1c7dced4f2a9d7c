package rewrite

import (
	"fmt"
	"math"
	"slices"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file finds the position of everything in the new code.

// layout assigns positions. Branches start in their original form and only
// ever grow, and trampolines are only ever added, until every branch reaches
// its target.
func (e *editor) layout() error {
	for {
		e.assign()
		if e.end > classfile.MaxCodeLength {
			return errSkip{fmt.Sprintf("the code would be %d bytes long, %d is the limit", e.end,
				classfile.MaxCodeLength)}
		}
		changed, err := e.grow()
		if err != nil {
			return err
		}
		if !changed {
			return nil
		}
	}
}

// assign computes all positions from the current forms.
func (e *editor) assign() {
	pos := int32(0)
	for i := range e.insns {
		in := &e.insns[i]
		if in.point >= 0 {
			pt := &e.points[in.point]
			pt.pos = pos
			if pt.bridge {
				pos += 3
			}
			for _, t := range pt.tramps {
				e.tramps[t].pos = pos
				pos += 5
			}
			for k := range pt.pieces {
				pt.pieces[k].pos = pos
				pos += pt.pieces[k].size
			}
		}
		in.pos = pos
		pos += e.newSize(in)
	}
	for i := range e.blocks {
		e.blocks[i].pos = pos
		pos += e.blocks[i].piece.size + 1 // athrow
	}
	for i := range e.coverage.stubs {
		e.coverage.stubs[i].pos = pos
		pos += e.coverage.stubs[i].piece.size + 5 // goto_w
	}
	e.end = pos
}

func (e *editor) newSize(in *insn) int32 {
	switch {
	case in.form == wide:
		return 5
	case in.form == inverted:
		return 8
	case in.op.IsSwitch():
		return in.size - padding(in.pc) + padding(in.pos)
	}
	return in.size
}

// padding is the number of bytes between a switch's opcode and its operands.
func padding(pc int32) int32 { return 3 - pc&3 }

func (e *editor) labelPos(i, label int32) int32 {
	in := &e.insns[i]
	if in.point >= 0 {
		if pt := &e.points[in.point]; int(label) < len(pt.pieces) {
			return pt.pieces[label].pos
		}
	}
	return in.pos
}

// basePos is the position before everything that was inserted before
// instruction i.
func (e *editor) basePos(i int32) int32 {
	if p := e.insns[i].point; p >= 0 {
		return e.points[p].pos
	}
	return e.insns[i].pos
}

func reaches(from, to int32) bool {
	return to-from >= math.MinInt16 && to-from <= math.MaxInt16
}

// grow changes the form of branches that do not reach their target.
func (e *editor) grow() (changed bool, err error) {
	for i := range e.insns {
		in := &e.insns[i]
		if in.target < 0 || in.op == classfile.OpGotoW || in.op == classfile.OpJsrW {
			continue
		}
		switch in.form {
		case short:
			if reaches(in.pos, e.landingPos(in.target, in.label, in.stub)) {
				continue
			}
		case viaTrampoline:
			if reaches(in.pos, e.tramps[in.tramp].pos) {
				continue
			}
		default:
			continue
		}
		changed = true
		switch {
		case !in.op.IsConditional():
			in.form = wide
		case !e.hasFrames:
			in.form = inverted // needs no frame behind it
		default:
			if err := e.bounce(int32(i)); err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

// trampolineReach is how far from its branch a trampoline may stand when it is
// made; what is inserted later may move them apart.
const trampolineReach = 30_000

// bounce sends a conditional branch by a trampoline: a goto_w whose frame is a
// copy of the target's. Inverting the condition instead would need a frame
// behind the branch, where there is none to copy.
func (e *editor) bounce(i int32) error {
	in := &e.insns[i]
	in.form = viaTrampoline
	near := func(pos int32) bool {
		return pos-in.pos <= trampolineReach && in.pos-pos <= trampolineReach
	}
	e.findHosts()
	target := landing{in.target, in.label, in.stub}
	for _, t := range e.trampsTo[target] {
		if near(e.tramps[t].pos) {
			in.tramp = t
			return nil
		}
	}
	host := e.trampolineHost(i, near)
	if host < 0 {
		return errSkip{fmt.Sprintf("no place for a long jump near pc %d", in.pc)}
	}
	in.tramp = int32(len(e.tramps))
	e.tramps = append(e.tramps, trampoline{in.target, in.label, in.stub, e.basePos(host)})
	e.trampsTo[target] = append(e.trampsTo[target], in.tramp)
	if e.insns[host].point < 0 {
		e.insns[host].point = int32(len(e.points))
		e.points = append(e.points, point{insn: host, caught: -1, landed: make([]bool, 1)})
	}
	pt := &e.points[e.insns[host].point]
	pt.tramps = append(pt.tramps, in.tramp)
	if fallsInto(e.insns[host-1].op) {
		pt.bridge = true
		pt.landed[0] = true
	}
	return nil
}

// trampolineHost returns an instruction near i before which a trampoline can
// stand: one into which nothing falls, or else one with a frame, which can
// stand behind a jump over the trampoline; -1 when there is none.
func (e *editor) trampolineHost(i int32, near func(pos int32) bool) int32 {
	for _, hosts := range e.hosts {
		k, _ := slices.BinarySearch(hosts, i)
		for _, c := range [2]int{k, k - 1} { // the nearest on either side
			if c >= 0 && c < len(hosts) && near(e.basePos(hosts[c])) {
				return hosts[c]
			}
		}
	}
	return -1
}

// findHosts lists, once, the candidates of trampolineHost, best kind first.
func (e *editor) findHosts() {
	if e.trampsTo != nil {
		return
	}
	e.trampsTo = make(map[landing][]int32)
	for i := 1; i < len(e.insns); i++ {
		switch {
		case !fallsInto(e.insns[i-1].op):
			e.hosts[0] = append(e.hosts[0], int32(i))
		case e.insns[i].frame >= 0:
			e.hosts[1] = append(e.hosts[1], int32(i))
		}
	}
}
