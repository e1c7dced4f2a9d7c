package datareach

import (
	"catchlens/analysis/pointsto"
)

// This file follows objects from variable to variable during one original call:
// the points-to sets that variables have while it lasts, not in the whole
// program. What fields hold is taken from the whole program.

// largeSet is the number of blocks from which on a variable counts as pointing
// to anything that the points-to analysis says.
const largeSet = 256

// local is what a variable points to during an original call.
type local struct {
	any     bool // whatever the points-to analysis says
	version int32
	blocks  []pointsto.Block // ascending
	bits    []uint64
}

func (l *local) set() pointsto.Set { return pointsto.Set{Blocks: l.blocks, Bits: l.bits} }

func (l *local) len() int { return l.set().Len() }

// addBits adds objects of a block.
func (l *local) addBits(b pointsto.Block, w uint64) {
	i := len(l.blocks)
	if i > 0 && l.blocks[i-1] >= b {
		i = position(l.blocks, b)
		if l.blocks[i] == b {
			if w&^l.bits[i] != 0 {
				l.bits[i] |= w
				l.version++
			}
			return
		}
	}
	l.version++
	l.blocks, l.bits = append(l.blocks, 0), append(l.bits, 0)
	copy(l.blocks[i+1:], l.blocks[i:])
	copy(l.bits[i+1:], l.bits[i:])
	l.blocks[i], l.bits[i] = b, w
}

// add adds a set.
func (l *local) add(s pointsto.Set) {
	for i, b := range s.Blocks {
		l.addBits(b, s.Bits[i])
	}
}

// addWithin adds the part of a set that lies in another.
func (l *local) addWithin(s, within pointsto.Set) {
	if len(s.Blocks) == 0 || len(within.Blocks) == 0 {
		return
	}
	for i, b := range s.Blocks {
		j := position(within.Blocks, b)
		if within.Blocks[j] == b {
			if w := s.Bits[i] & within.Bits[j]; w != 0 {
				l.addBits(b, w)
			}
		}
	}
}

// meet is the part of a set that a variable points to.
func (l *local) meet(s pointsto.Set) pointsto.Set {
	if l.any {
		return s
	}
	var out pointsto.Set
	small, large := l.set(), s
	if len(large.Blocks) < len(small.Blocks) {
		small, large = large, small
	}
	if len(large.Blocks) == 0 {
		return out
	}
	for i, b := range small.Blocks {
		if j := position(large.Blocks, b); large.Blocks[j] == b {
			if w := small.Bits[i] & large.Bits[j]; w != 0 {
				out.Blocks, out.Bits = append(out.Blocks, b), append(out.Bits, w)
			}
		}
	}
	return out
}

// state is what the search knows of a reached node.
type state struct {
	zone    zone
	node    *node
	vars    []local // by position, the result last
	callers []int32 // vertices that take its result
	taken   []bool  // by arc
	done    []int32 // by step: version of what it depends on, + 1
	passed  []int32 // by arc: versions of what it passes, summed up, + 1
	queued  bool
	visited bool
}

func (s *search) newState(n pointsto.Node, z zone) state {
	x := s.a.nodeOf(n)
	st := state{zone: z, node: x, taken: make([]bool, len(x.arcs))}
	if !x.ok {
		return st
	}
	st.vars = make([]local, x.code.Count+1)
	for i, any := range x.any {
		st.vars[i].any = any
	}
	st.done, st.passed = make([]int32, len(x.code.Steps)), make([]int32, len(x.arcs))
	return st
}

// give adds a set to a variable of a vertex.
func (s *search) give(v, to int32, set pointsto.Set) {
	st := &s.states[v]
	l := &st.vars[to]
	if l.any {
		return
	}
	s.work += len(set.Blocks) + 1
	l.addWithin(set, s.a.d.PointsTo(st.node.variable(to)))
	if len(l.blocks) > largeSet {
		s.giveAny(v, to)
	}
}

// giveAny lets a variable point to anything.
func (s *search) giveAny(v, to int32) {
	if l := &s.states[v].vars[to]; !l.any {
		l.any, l.blocks, l.bits = true, nil, nil
		l.version++
	}
}

// giveFrom adds what another variable points to.
func (s *search) giveFrom(v, to int32, from *local, whole pointsto.Var) {
	switch {
	case !from.any:
		s.give(v, to, from.set())
	case whole == pointsto.NoVar || len(s.a.d.PointsTo(whole).Blocks) > largeSet:
		s.giveAny(v, to)
	default:
		s.give(v, to, s.a.d.PointsTo(whole))
	}
}

// anyParams lets the parameters of a vertex point to anything.
func (s *search) anyParams(v, from int32) {
	st := &s.states[v]
	if !st.node.ok {
		return
	}
	for j := from; int(j) < st.node.code.Params; j++ {
		if !st.vars[j].any {
			s.giveAny(v, j)
			s.enqueue(v)
		}
	}
}

func (s *search) enqueue(v int32) {
	if st := &s.states[v]; st.node.ok && !st.queued && st.visited {
		st.queued = true
		s.queue = append(s.queue, v)
	}
}

// follow evaluates the code of a vertex until nothing changes, and makes its
// calls.
func (s *search) follow(v int32) {
	x := s.states[v].node
	result := s.states[v].resultVersion()
	for changed := true; changed; {
		changed = false
		for i := range x.code.Steps {
			if s.step(v, int32(i)) {
				changed = true
			}
		}
	}
	for i := range x.arcs {
		s.call(v, int32(i))
	}
	if s.states[v].resultVersion() != result {
		for _, c := range s.states[v].callers {
			s.enqueue(c)
		}
	}
}

func (st *state) resultVersion() int32 {
	if len(st.vars) == 0 {
		return 0
	}
	return st.vars[len(st.vars)-1].version
}

// step evaluates one operation, unless nothing that it depends on has changed.
func (s *search) step(v, i int32) (changed bool) {
	st := &s.states[v]
	x, c := st.node, &st.node.code.Steps[i]
	to := x.position(c.To)
	if to < 0 || st.vars[to].any {
		return false
	}
	before := st.vars[to].version
	from := x.position(c.From)
	d := s.a.d
	switch c.Op {
	case pointsto.CodeMove, pointsto.CodeLoad:
		if from < 0 {
			return false
		}
		l := &st.vars[from]
		if st.done[i] == l.version+1 {
			return false
		}
		st.done[i] = l.version + 1
		if c.Op == pointsto.CodeMove {
			s.giveFrom(v, to, l, c.From)
		} else {
			s.load(v, to, l, c)
		}
	case pointsto.CodeCall:
		s.result(v, to, i)
	default:
		if st.done[i] != 0 {
			return false
		}
		st.done[i] = 1
		switch c.Op {
		case pointsto.CodeMade:
			s.give(v, to, d.Created(s.nodes[v]))
		case pointsto.CodeAlways:
			s.give(v, to, s.a.always)
		case pointsto.CodeOutside:
			if c.From != pointsto.NoVar {
				s.giveFrom(v, to, &local{any: true}, c.From)
			}
		default:
			s.giveFrom(v, to, &local{any: true}, c.To)
		}
	}
	return st.vars[to].version != before
}

// load adds what a field of a variable's objects holds.
func (s *search) load(v, to int32, from *local, c *pointsto.CodeStep) {
	d, set := s.a.d, from.set()
	if from.any {
		if set = d.PointsTo(c.From); len(set.Blocks) > largeSet {
			s.giveAny(v, to)
			return
		}
	}
	for o := range set.All() {
		if f := d.FieldOf(o, c.Field); f != pointsto.NoVar {
			s.give(v, to, d.PointsTo(f))
		} else {
			s.work++
		}
	}
}

// result adds what the methods that a call has reached return.
func (s *search) result(v, to, step int32) {
	st := &s.states[v]
	x := st.node
	if x.anyResult[step] {
		s.giveFrom(v, to, &local{any: true}, x.code.Steps[step].To)
		return
	}
	if c := &x.code.Steps[step]; x.requires(s.a, s.nodes[v], c) {
		if from := x.position(c.Args[0]); from >= 0 {
			s.giveFrom(v, to, &st.vars[from], c.Args[0])
		} else {
			s.giveAny(v, to)
		}
		return
	}
	for i := range x.arcs {
		if a := &x.arcs[i]; a.step == step && a.plain && st.taken[i] {
			c := s.to(v, a)
			if c < 0 || s.zoneOf(c) == aside && s.asideAny {
				s.giveFrom(v, to, &local{any: true}, x.code.Steps[step].To)
				return
			}
			if callee := &s.states[c]; len(callee.vars) > 0 {
				s.giveFrom(v, to, &callee.vars[len(callee.vars)-1], callee.node.code.Return)
			}
		}
	}
}

// call makes a call if it can be made, and passes what it passes.
func (s *search) call(v, i int32) {
	st := &s.states[v]
	a := &st.node.arcs[i]
	sum := int32(1)
	if a.step >= 0 {
		for _, arg := range st.node.code.Steps[a.step].Args {
			if p := st.node.position(arg); p >= 0 {
				sum += st.vars[p].version
			}
		}
	} else {
		sum += st.receiverVersion(a)
	}
	fresh := st.passed[i] != sum
	if !st.taken[i] {
		if a.dispatched && a.recv != elsewhereMade && !fresh {
			return
		}
		via := st.receivers(a)
		st.passed[i] = sum
		if a.dispatched && len(via.Blocks) == 0 || a.dispatched && !s.everything && !s.u.meets(via) {
			if len(via.Blocks) > 0 {
				s.wait(v, i, via)
			}
			return
		}
		s.take(v, i)
	} else if !fresh {
		return
	}
	s.states[v].passed[i] = sum
	s.pass(v, i)
}

// pass passes the receiver and arguments of a call that is made.
func (s *search) pass(v, i int32) {
	st := &s.states[v]
	x, a := st.node, &st.node.arcs[i]
	c := s.to(v, a)
	if c < 0 {
		return
	}
	callee := &s.states[c]
	if !callee.node.ok {
		return
	}
	if !x.ok || !a.plain {
		first := int32(0)
		if a.dispatched && callee.node.code.Params > 0 && a.passes {
			s.giveChanged(c, 0, st.receivers(a))
			first = 1
		}
		s.anyParams(c, first)
		return
	}
	if len(callee.callers) == 0 || callee.callers[len(callee.callers)-1] != v {
		callee.callers = append(callee.callers, v)
		s.enqueue(v) // for its result
	}
	for j, arg := range x.code.Steps[a.step].Args {
		p := x.position(arg)
		switch {
		case arg == pointsto.NoVar:
		case j == 0 && a.dispatched:
			s.giveChanged(c, 0, st.receivers(a))
		case p < 0:
			s.anyParams(c, 0)
		default:
			before := s.states[c].vars[j].version
			s.giveFrom(c, int32(j), &st.vars[p], arg)
			if s.states[c].vars[j].version != before {
				s.enqueue(c)
			}
		}
	}
}

// receivers are the objects on which a dispatched edge may be taken.
func (st *state) receivers(a *arc) pointsto.Set {
	switch {
	case !st.node.ok || a.recv == elsewhereMade:
		return a.via
	case a.recv >= 0:
		return st.vars[a.recv].meet(a.via)
	}
	var out local
	for j := range st.node.code.Params {
		out.add(st.vars[j].meet(a.via))
	}
	return out.set()
}

func (st *state) receiverVersion(a *arc) (sum int32) {
	switch {
	case a.recv >= 0:
		return st.vars[a.recv].version
	case a.recv == someParam:
		for j := range st.node.code.Params {
			sum += st.vars[j].version
		}
	}
	return sum
}

func (s *search) giveChanged(v, to int32, set pointsto.Set) {
	before := s.states[v].vars[to].version
	s.give(v, to, set)
	if s.states[v].vars[to].version != before {
		s.enqueue(v)
	}
}
