package clause

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/ir"
)

// This file finds out what a try sets before any place from which the exception of its
// catch is known to come.

// Origins says from which places of a method exceptions come to a handler. By the zero value
// they may come from every instruction that throws.
type Origins struct {
	// Followed: exception-flow has been asked, and what follows is its answer.
	Followed bool
	// Comes tells of the call or throw at a pc whether exception-flow leads exceptions from it to
	// the handler. That may take long, and is asked last and once.
	Comes func(pc int32) bool
	// Types are those of exceptions that are looked for, internal names: the type that was thrown,
	// or the caught ones.
	Types []string
	// Thrown: it is the type that was thrown.
	Thrown bool
	// Open are those of them of which exception-flow does not follow every
	// exception: calls count, too, that lead to code which makes one.
	Open []string
	// Trails says what a test ran; nil: not known.
	Trails *Trails
}

// madeByVM are the exceptions that instructions throw by themselves (JVMS 2.10, 6.5). What
// the JVM throws as an Error is a matter of every instruction.
var madeByVM = []string{
	"java/lang/NullPointerException", "java/lang/ArithmeticException", "java/lang/ArrayIndexOutOfBoundsException",
	"java/lang/ArrayStoreException", "java/lang/ClassCastException", "java/lang/NegativeArraySizeException",
	"java/lang/IllegalMonitorStateException", "java/lang/Error",
}

// isOrigin tells whether an exception of the types that are looked for may come from an
// instruction: where exception-flow says so, and where it may tomorrow without a change of the try
// (Cornu et al. 2014, 3.1, has unforeseen exceptions in mind): from a call whose method declares a
// checked one, and from a call of the workspace's own code an unchecked one.
func (a *analysis) isOrigin(v ir.Value) bool {
	in := &a.m.Instrs[v]
	if !in.Throws || !a.origins.Followed {
		return in.Throws
	}
	return a.answer(&a.indexed().origins[v], func() bool { return a.findOrigin(v, in) })
}

// findOrigin is isOrigin where exception-flow is asked.
func (a *analysis) findOrigin(v ir.Value, in *ir.Instr) bool {
	targets := a.targets[int32(in.PC)]
	for _, t := range a.origins.Types {
		if in.Op == ir.OpInvoke && slices.ContainsFunc(targets,
			func(n callgraph.NodeID) bool { return a.p.mayThrow(n, t) }) {
			return true
		}
	}
	for _, t := range a.origins.Open {
		if a.p.vmThrows(t) || in.Op == ir.OpThrow {
			return true
		}
		if in.Op == ir.OpInvoke && (len(targets) == 0 || a.p.makes(t, targets)) {
			return true
		}
	}
	return (in.Op == ir.OpInvoke || in.Op == ir.OpThrow) && a.isKnown(int32(in.PC))
}

// isKnown tells whether exception-flow leads such an exception from a pc to the handler.
func (a *analysis) isKnown(pc int32) bool {
	comes, asked := a.comes[pc]
	if !asked {
		if a.comes == nil {
			a.comes = map[int32]bool{}
		}
		comes = a.origins.Comes(pc)
		a.comes[pc] = comes
	}
	return comes
}

// mayThrow tells whether a method is allowed to throw what a clause of this type catches, and, if
// that is unchecked, whether its code is the workspace's own.
func (p *Program) mayThrow(n callgraph.NodeID, caught string) bool {
	if p.own[p.graph.Class(n)] && (p.unchecked(caught) || p.is("java/lang/RuntimeException", caught)) {
		return true
	}
	return p.declares(n, caught)
}

// declares tells whether a method declares a checked exception that a clause of this type catches.
func (p *Program) declares(n callgraph.NodeID, caught string) bool {
	m := p.graph.Method(n)
	return m != nil && slices.ContainsFunc(m.Declared(), func(t string) bool {
		return !p.unchecked(t) && (p.is(t, caught) || p.is(caught, t))
	})
}

// unchecked tells whether a class is one of unchecked exceptions.
func (p *Program) unchecked(class string) bool {
	return p.is(class, "java/lang/RuntimeException") || p.is(class, "java/lang/Error")
}

// vmThrows tells whether the JVM itself may throw an exception that a clause of this type catches.
func (p *Program) vmThrows(caught string) bool {
	return slices.ContainsFunc(madeByVM, func(t string) bool { return p.is(t, caught) || p.is(caught, t) })
}

// makes tells whether one of the nodes leads to code that makes an object of a type, or of one
// below it.
func (p *Program) makes(caught string, from []callgraph.NodeID) bool {
	return p.leadsToMaker(caught, false, from)
}

// makesJust tells whether one of the nodes leads to code that makes an object of just a type.
func (p *Program) makesJust(typ string, from []callgraph.NodeID) bool {
	return p.leadsToMaker(typ, true, from)
}

func (p *Program) leadsToMaker(typ string, just bool, from []callgraph.NodeID) bool {
	if p.graph == nil {
		return true
	}
	key := made{typ, just}
	leading, ok := p.makers[key]
	if !ok {
		leading = p.leadingTo(p.makersOf(key))
		p.makers[key] = leading
	}
	return slices.ContainsFunc(from, func(n callgraph.NodeID) bool { return leading[n] })
}

// made names the objects of a type, just of it or also of those below it.
type made struct {
	typ  string
	just bool
}

// makersOf lists the nodes whose code makes such an object.
func (p *Program) makersOf(key made) (out []callgraph.NodeID) {
	g := p.graph
	above := g.H.Lookup(key.typ)
	below := map[string]bool{key.typ: true}
	for n := range callgraph.NodeID(g.NumNodes()) {
		m := g.Method(n)
		if m == nil {
			continue
		}
		for i := range m.Allocs {
			name := m.Allocs[i].Type
			is, known := below[name]
			if !known {
				t := g.H.Lookup(name)
				is = !key.just && (above == hierarchy.NoType || t != hierarchy.NoType && g.H.IsSubtype(t, above))
				below[name] = is
			}
			if is {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// markSettled marks the sets that have run at every origin, on every path from the start of the try
// to it, and those that have run at none: a difference in them is one of the injection, not of the
// program. What a loop in the try sets again and again is none of these. It marks those that an
// origin may come without, too.
func (a *analysis) markSettled() {
	for i := range a.out.Prepared {
		for k := range a.out.Prepared[i].Sets {
			s := &a.out.Prepared[i].Sets[k]
			spared := a.isUnforeseen(s)
			s.Origin = !s.Direct && !spared && a.comesFrom(s.PC)
			s.Always = !a.comesBefore(s.PC, spared) && !a.comesBack(s.PC)
			s.Settled = s.Always || !a.comesAfter(s.PC)
			s.Skipped = a.comesBeside(s.PC, nil)
			a.trail(s)
		}
	}
}

// isUnforeseen tells whether a set is made by a call of the workspace's own code of which nothing
// says that what was thrown can come from it. The code that would have to throw tomorrow is the
// very code that sets it up: where in it that would be, before or behind, nobody knows.
func (a *analysis) isUnforeseen(s *Set) bool {
	if s.By == "" || len(s.Calls) == 0 || !a.origins.Thrown {
		return false
	}
	for _, t := range a.origins.Types {
		if slices.ContainsFunc(a.targets[s.PC], func(n callgraph.NodeID) bool { return a.p.declares(n, t) }) {
			return false
		}
	}
	for _, t := range a.origins.Open {
		if a.p.makesJust(t, a.targets[s.PC]) {
			return false
		}
	}
	return !a.isKnown(s.PC)
}

// comesFrom tells whether an instruction at a pc is an origin.
func (a *analysis) comesFrom(pc int32) bool {
	b := a.blockAt(pc)
	if b < 0 {
		return true
	}
	a.steps(int(a.m.Blocks[b].Last - a.m.Blocks[b].First))
	for v := ir.Value(a.m.Blocks[b].First); v < ir.Value(a.m.Blocks[b].Last); v++ {
		in := &a.m.Instrs[v]
		if int32(in.PC) == pc && in.Op != ir.OpPhi && in.Op != ir.OpParam && in.Op != ir.OpCatch && a.isOrigin(v) {
			return true
		}
	}
	return false
}

// comesBefore tells whether control can come from the start of the try to an origin without
// passing the instruction at a pc, or whether that instruction is one itself, unless it is spared.
func (a *analysis) comesBefore(pc int32, spared bool) bool {
	start := a.blockAt(a.start())
	if start < 0 {
		return true
	}
	w := walk{a: a, seen: make([]bool, len(a.m.Blocks)), from: -1, until: pc, spared: spared}
	w.visit(start)
	return w.run()
}

// comesAfter tells whether control can come to an origin after the instruction at a pc, or whether
// that instruction is one itself.
func (a *analysis) comesAfter(pc int32) bool {
	b := a.blockAt(pc)
	if b < 0 {
		return true
	}
	w := walk{a: a, seen: make([]bool, len(a.m.Blocks)), from: pc, until: -1}
	if w.block(b) {
		return true
	}
	w.from = -1
	w.leave(b)
	return w.run()
}

// comesBeside tells whether control can come from the start of the try to an origin by a way that
// leads past the instruction at a pc, and not back to it: the instruction stands behind a
// condition, or in a loop that may have no turn. What only leads to a throw is a check, and no such
// way. With a trail, only ways that the test took count.
func (a *analysis) comesBeside(pc int32, t *Trail) bool {
	at, start := a.blockAt(pc), a.blockAt(a.start())
	if at < 0 || start < 0 {
		return true
	}
	if t == nil {
		return a.answer(&a.indexed().beside[at], func() bool { return a.findBeside(start, at, nil) })
	}
	return a.findBeside(start, at, t)
}

// findBeside is comesBeside for what stands in the block at, where the answer is not known.
func (a *analysis) findBeside(start, at ir.BlockID, t *Trail) bool {
	leads := make([]bool, len(a.m.Blocks)) // a block from which control comes to at, going forward
	leads[at] = true
	for work := []ir.BlockID{at}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		a.steps(1)
		for _, e := range a.m.Preds(b) {
			p := e.Block
			if !leads[p] && a.tries(a.m.Blocks[p].PC) && a.m.Blocks[b].PC > a.m.Blocks[p].PC &&
				slices.Contains(a.m.Succs(p), b) {
				leads[p] = true
				work = append(work, p)
			}
		}
	}
	w := walk{a: a, from: -1, until: -1}
	seen := make([]bool, len(a.m.Blocks))
	seen[start] = true
	for work := []ir.BlockID{start}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		a.steps(1)
		if blk := &a.m.Blocks[b]; !leads[b] && blk.First < blk.Last && a.m.Instrs[blk.Last-1].Op != ir.OpThrow &&
			w.block(b) {
			return true
		}
		if b == at {
			continue
		}
		for _, s := range a.m.Succs(b) {
			if !seen[s] && a.tries(a.m.Blocks[s].PC) && a.took(t, b, s) {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// took tells whether a test may have gone from a block to the next one; with no trail it may.
func (a *analysis) took(t *Trail, from, to ir.BlockID) bool {
	if t == nil {
		return true
	}
	blk := &a.m.Blocks[from]
	if blk.First < blk.Last {
		if last := &a.m.Instrs[blk.Last-1]; last.Op == ir.OpIf || last.Op == ir.OpSwitch {
			return t.Took(int32(last.PC), a.m.Blocks[to].PC)
		}
	}
	_, ran := t.Start(a.m.Blocks[to].PC)
	return ran
}

// comesBack tells whether control can come back to the instruction at a pc without leaving the try.
func (a *analysis) comesBack(pc int32) bool {
	first := a.blockAt(pc)
	if first < 0 {
		return true
	}
	return a.answer(&a.indexed().back[first], func() bool { return a.findWayBack(first) })
}

// findWayBack is comesBack for a block, where the answer is not known.
func (a *analysis) findWayBack(first ir.BlockID) bool {
	seen := make([]bool, len(a.m.Blocks))
	for work := []ir.BlockID{first}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		a.steps(1)
		for _, s := range a.m.Succs(b) {
			switch {
			case s == first:
				return true
			case !seen[s] && a.tries(a.m.Blocks[s].PC):
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// blockAt is the block that holds a pc, -1 if none does.
func (a *analysis) blockAt(pc int32) ir.BlockID {
	if block := a.indexed().block; 0 <= pc && int(pc) < len(block) {
		return block[pc]
	}
	return -1
}

// walk looks for an origin in the blocks that control comes to.
type walk struct {
	a     *analysis
	seen  []bool
	work  []ir.BlockID
	from  int32 // a pc: what stands before it in its block does not count; -1: all does
	until int32 // a pc: what control comes to only by passing it does not count; -1: all does
	// spared: nor does the instruction there
	spared bool
}

func (w *walk) visit(b ir.BlockID) {
	if !w.seen[b] && int(w.a.m.Blocks[b].Handler) != w.a.handler {
		w.seen[b] = true
		w.work = append(w.work, b)
	}
}

// leave visits the blocks that control comes to from a block.
func (w *walk) leave(b ir.BlockID) {
	for _, h := range w.a.m.HandlerSuccs(b) {
		w.visit(h)
	}
	if blk := &w.a.m.Blocks[b]; blk.PC <= w.until && w.until < blk.End {
		return
	}
	for _, s := range w.a.m.Succs(b) {
		w.visit(s)
	}
}

// run tells whether there is an origin in the blocks that were visited, or in those that control
// comes to from them.
func (w *walk) run() bool {
	for len(w.work) > 0 {
		b := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if w.block(b) {
			return true
		}
		w.leave(b)
	}
	return false
}

// block tells whether there is an origin in a block, from w.from and up to w.until if it holds
// these.
func (w *walk) block(b ir.BlockID) bool {
	m := w.a.m
	blk := &m.Blocks[b]
	w.a.steps(1)
	if w.from <= blk.PC && (w.until < blk.PC || blk.End <= w.until) { // all of it counts
		return w.a.answer(&w.a.indexed().throws[b], func() bool { return w.find(b) })
	}
	return w.find(b)
}

// find is block where the answer is not known.
func (w *walk) find(b ir.BlockID) bool {
	m := w.a.m
	blk := &m.Blocks[b]
	w.a.steps(int(blk.Last - blk.First))
	ends := blk.PC <= w.until && w.until < blk.End
	for v := ir.Value(blk.First); v < ir.Value(blk.Last); v++ {
		in := &m.Instrs[v]
		at := int32(in.PC)
		if in.Op == ir.OpPhi || in.Op == ir.OpParam || in.Op == ir.OpCatch || at < w.from || !w.a.tries(at) {
			continue
		}
		if (!ends || at < w.until || at == w.until && !w.spared) && w.a.isOrigin(v) {
			return true
		}
	}
	return false
}
