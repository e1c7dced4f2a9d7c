package datareach

import (
	"encoding/binary"
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/pointsto"
)

// This file follows objects from variable to variable below original calls: each
// method once for each tuple of sets that its parameters point to (the
// functional approach: Micha Sharir, Amir Pnueli, Two Approaches to
// Interprocedural Data Flow Analysis, 1981). What fields hold is taken from the
// whole program, so that a method does the same whichever call it is below.

// bounds are how much is told apart.
type bounds struct {
	// objects are those of a set: a variable that points to more counts as
	// pointing to all that the points-to analysis says.
	objects int
	// contexts are those of a node, perNode all contexts for each node of the
	// points-to result, besides some. What comes later is analysed as if the
	// parameters pointed to all that they may.
	contexts      int32
	perNode, some int
	// ahead are the nodes that are read and not asked for yet: their edges take memory. Nothing
	// depends on it.
	ahead int
	// hash changes hashes of frames, for tests; nil for not.
	hash func(uint64) uint64
}

var standard = bounds{objects: 512, contexts: 4096, perNode: 8, some: 1000, ahead: 4096}

// frame is a node with what its parameters point to.
type frame struct {
	no    pointsto.Node
	node  *node
	vars  []setNo // by position, the result last
	known []known
	led   []made // by group: the edge that is taken, or see noneMade and manyMade
	// callers are the frames that ask for its result.
	callers []int32
	// main tells that exceptions that matter may come from here; otherwise only
	// what it returns matters.
	main   bool
	queued bool
	// asking and climbing are the variables (changes) that have changed since the calls whose
	// results matter, and those that exceptions come out of, were made.
	asking, climbing changes
}

// changes are variables of a frame that have changed, by position, those from 62 on as one.
type changes uint64

// never has each variable, and tells that calls were not made yet.
const never = ^changes(0)

// first is the one in all groups' inputs that no variable is.
const first = changes(1) << 63

func changesOf(position int32) changes { return 1 << min(position, 62) }

// taken is an edge that is taken on some objects.
type taken struct {
	arc       int32
	receivers setNo
}

// frames are the frames that there are. They are not safe for concurrent use.
type frames struct {
	a     *Analysis
	list  []frame
	plain []int32          // by node: the frame of which parameters nothing is known + 1
	other map[string]int32 // by node and parameters
	count []int32          // of a node
	queue []int32
	// gaveUp tells that the frames are not all there are: nobody wants them any more.
	gaveUp bool
	most   int
	// takenBy are answers of taken, madeBy what dispatch has made of the same.
	takenBy  [][]taken
	madeBy   map[string]int32 // position in lists
	lists    [][]made         // of groups of which several edges are taken, in the order of edges
	done     []made
	key      []byte
	groupKey []byte
	args     []setNo
	knowns   []known
	// varRoom and ledRoom are where frames' variables and taken edges get memory.
	varRoom []setNo
	ledRoom []made
}

// room takes memory for n numbers from a large piece.
func room[T any](from *[]T, n int) []T {
	if n > len(*from) {
		*from = make([]T, max(n, 1<<15))
	}
	out := (*from)[:n:n]
	*from = (*from)[n:]
	return out
}

func newFrames(a *Analysis) *frames {
	n := a.d.NumNodes()
	return &frames{a: a, plain: make([]int32, n), count: make([]int32, n), other: map[string]int32{}, madeBy: map[string]int32{}, most: a.bounds.perNode*n + a.bounds.some}
}

// enter finds the frame of a node for parameters; nil stands for any, and for nothing
// that is known of their values. It keeps nothing of params and values.
func (s *frames) enter(n pointsto.Node, params []setNo, values []known, main bool) int32 {
	all := len(values) == 0
	for _, p := range params {
		all = all && p == whole
	}
	if !all {
		s.key = binary.AppendUvarint(s.key[:0], uint64(n))
		for _, p := range params {
			s.key = binary.AppendUvarint(s.key, uint64(p))
		}
		s.key = appendKnown(s.key, values)
		if f, ok := s.other[string(s.key)]; ok {
			s.use(f, main)
			return f
		}
		if all = s.count[n] >= s.a.bounds.contexts || len(s.list) > s.most; all {
			s.a.stats.Bounded++
		}
	}
	if all && s.plain[n] != 0 {
		s.use(s.plain[n]-1, main)
		return s.plain[n] - 1
	}
	f := int32(len(s.list))
	x := s.a.nodeOf(n)
	next := frame{no: n, node: x, led: room(&s.ledRoom, len(x.groups)), main: main, asking: never, climbing: never}
	for i := range next.led {
		next.led[i].arc = noneMade
	}
	if x.ok {
		next.vars = room(&s.varRoom, x.code.Count+1)
		for i, any := range x.any {
			if any || i < x.code.Params {
				next.vars[i] = whole
			}
		}
	}
	if all {
		s.plain[n] = f + 1
	} else {
		s.other[string(s.key)] = f
		s.count[n]++
		copy(next.vars, params)
		next.known = slices.Clone(values)
	}
	s.list = append(s.list, next)
	s.enqueue(f)
	return f
}

// use notes that a frame may bring exceptions.
func (s *frames) use(f int32, main bool) {
	if x := &s.list[f]; main && !x.main {
		x.main = true
		s.enqueue(f)
	}
}

func (s *frames) enqueue(f int32) {
	if x := &s.list[f]; !x.queued {
		x.queued = true
		s.queue = append(s.queue, f)
	}
}

// run follows what is to be followed until nothing changes, or cancelled, if it is not
// nil, says true.
func (s *frames) run(cancelled func() bool) {
	for n := 1; len(s.queue) > 0; n++ {
		if n%64 == 0 && cancelled != nil && cancelled() {
			s.gaveUp = true
			return
		}
		f := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.list[f].queued = false
		s.follow(f)
	}
}

// follow evaluates the code of a frame until nothing changes, and makes its
// calls.
func (s *frames) follow(f int32) {
	x := s.list[f].node
	before := s.result(f)
	for changed := true; changed; {
		changed = false
		asking := s.list[f].asking
		s.list[f].asking = 0
		for i := range x.steps {
			st := &x.steps[i]
			if st.to < 0 || !x.useful[st.to] {
				continue
			}
			old := s.list[f].vars[st.to]
			if old == whole {
				continue
			}
			if st.Op == pointsto.CodeCall && !st.anyResult && !st.returns0 && asking != 0 {
				for _, k := range st.groups {
					if asking&x.groups[k].inputs != 0 {
						s.calls(f, &x.groups[k])
					}
				}
			}
			if now := s.a.sets.union(old, s.value(f, st)); now != old {
				// A variable that points to all that it may is whole.
				s.list[f].vars[st.to] = s.a.sets.within(now, x.variable(st.to))
				changed = true
				s.list[f].asking |= changesOf(st.to)
				s.list[f].climbing |= changesOf(st.to)
			}
		}
	}
	if climbing := s.list[f].climbing; s.list[f].main && climbing != 0 {
		s.list[f].climbing = 0
		for i := range x.groups {
			if x.groups[i].climbs && climbing&x.groups[i].inputs != 0 {
				s.calls(f, &x.groups[i])
			}
		}
	}
	if s.result(f) != before {
		for _, c := range s.list[f].callers {
			s.enqueue(c)
		}
	}
}

// result is what a frame returns.
func (s *frames) result(f int32) setNo {
	if v := s.list[f].vars; len(v) > 0 {
		return v[len(v)-1]
	}
	return whole
}

// value is what an operation gives.
func (s *frames) value(f int32, st *step) setNo {
	t, vars := s.a.sets, s.list[f].vars
	from := st.from
	switch st.Op {
	case pointsto.CodeMove:
	case pointsto.CodeLoad:
		if from < 0 || vars[from] == whole {
			return st.constant
		}
		return t.within(t.load(vars[from], st.Field), st.To)
	case pointsto.CodeCall:
		switch {
		case st.anyResult:
			return st.constant
		case st.returns0:
			from = st.args[0]
		default:
			return s.returned(f, st)
		}
	case pointsto.CodeMade:
		if st.made == none || vars[0] == whole {
			return st.constant
		}
		return t.within(t.madeFor(st.made, vars[0]), st.To)
	default:
		return st.constant
	}
	if from < 0 || vars[from] == whole {
		return st.constant
	}
	return t.within(vars[from], st.To)
}

// returned is what the methods return that a call reaches.
func (s *frames) returned(f int32, st *step) setNo {
	t, out := s.a.sets, none
	x := &s.list[f]
	for _, g := range st.groups {
		for _, m := range s.takenOf(x, g) {
			if !x.node.arcs[m.arc].plain {
				continue
			}
			r := s.result(m.to)
			if r == whole {
				if v := s.a.returnOf(s.list[m.to].no); v == pointsto.NoVar {
					r = none
				} else {
					r = t.ofVar(v)
				}
			}
			out = t.union(out, t.within(r, st.To))
		}
	}
	return out
}

// calls makes the calls of a site that can be made.
func (s *frames) calls(f int32, g *group) {
	if !s.list[f].open(s.a, g) {
		return
	}
	bars := g.barring != 0 && s.list[f].holds(g.barring)
	if g.number != 0 && !bars {
		s.dispatch(f, g)
		return
	}
	done := s.done[:0]
	for i := g.first; i < g.end; i++ {
		receivers, a := whole, &s.list[f].node.arcs[i]
		if bars && a.barred {
			continue
		}
		if a.dispatched {
			if receivers = s.receivers(f, a); receivers == none {
				continue
			}
		}
		done = append(done, made{i, s.call(f, i, receivers)})
	}
	s.done = done
	s.lead(f, g, done, 0)
}

// taken are the edges of a group that a frame's receiver takes. Few of many are, and
// frames of a node have the same receivers often: they are looked for once.
func (s *frames) taken(f int32, g *group) []taken {
	k := question(opTaken, s.list[f].vars[g.recv], g.number)
	at, ok := s.a.sets.known.get(k)
	if !ok {
		var list []taken
		for i := g.first; i < g.end; i++ {
			a := &s.list[f].node.arcs[i]
			if !a.dispatched {
				list = append(list, taken{i, whole})
			} else if r := s.receivers(f, a); r != none {
				list = append(list, taken{i, r})
			}
		}
		at = setNo(len(s.takenBy))
		s.takenBy = append(s.takenBy, list)
		s.a.sets.known.put(k, at)
	}
	return s.takenBy[at]
}

// fewCalls are made as quickly as they are found among those that were made.
const fewCalls = 3

// made is an edge of a group and the frame that it leads to.
type made struct{ arc, to int32 }

// What a frame's taken edges of a group are instead of one edge.
const (
	noneMade = -1
	manyMade = -2 // to is their position in frames.lists
)

// takenOf are the edges of a group of a frame that are taken, in their order.
func (s *frames) takenOf(x *frame, group int32) []made {
	switch m := x.led[group]; m.arc {
	case noneMade:
		return nil
	case manyMade:
		return s.lists[m.to]
	}
	return x.led[group : group+1]
}

// dispatch makes the calls of a group that has a number. Nine in ten edges are of a call that another frame
// has made with the same receivers and arguments: equals of all keys that a program has, below each put of a map.
// Where these lead is looked up for all edges at once.
func (s *frames) dispatch(f int32, g *group) {
	list := s.taken(f, g)
	if len(list) < fewCalls {
		done := s.done[:0]
		for _, x := range list {
			done = append(done, made{x.arc, s.call(f, x.arc, x.receivers)})
		}
		s.done = done
		s.lead(f, g, done, 0)
		return
	}
	x := &s.list[f]
	k := binary.AppendUvarint(binary.AppendUvarint(s.groupKey[:0], uint64(g.number)), uint64(x.vars[g.recv]))
	if at := x.node.arcs[g.first].step; at >= 0 {
		for _, p := range x.node.steps[at].args {
			if p >= 0 {
				k = binary.AppendUvarint(k, uint64(x.vars[p]))
			}
		}
	}
	if k = append(k, 0); x.main {
		k[len(k)-1] = 1
	}
	k = appendKnown(k, x.known)
	s.groupKey = k
	at, ok := s.madeBy[string(k)]
	if !ok {
		done := make([]made, len(list))
		for i, x := range list {
			done[i] = made{x.arc, s.call(f, x.arc, x.receivers)}
		}
		at = s.keep(done)
		s.madeBy[string(k)] = at
	}
	s.lead(f, g, s.lists[at], at)
}

// keep keeps a list of edges, and returns its position in lists.
func (s *frames) keep(list []made) int32 {
	if len(s.lists) == 0 {
		s.lists = append(s.lists, nil) // no position is 0
	}
	s.lists = append(s.lists, list)
	return int32(len(s.lists) - 1)
}

// call enters the frame that an edge leads to on some objects, on whole if it is not dispatched, and returns it.
func (s *frames) call(f, i int32, receivers setNo) int32 {
	a := &s.list[f].node.arcs[i]
	main := s.list[f].main && a.climbs
	return s.enter(a.callee, s.params(f, a, receivers), s.passed(f, a), main)
}

// lead lets edges of a group of a frame lead to others, besides those that do. at is where the list, which is in
// the order of edges, is kept, 0 if it is not.
func (s *frames) lead(f int32, g *group, list []made, at int32) {
	x := &s.list[f]
	if at != 0 && x.led[g.at] == (made{manyMade, at}) || len(list) == 0 {
		return
	}
	step := x.node.arcs[g.first].step
	asks := step >= 0 && x.node.asksResult(step)
	old, left, news := s.takenOf(x, g.at), false, false // left: an edge is not in the new list; news: one leads elsewhere than before
	j := 0
	for _, m := range list {
		for ; j < len(old) && old[j].arc < m.arc; j++ {
			left = true
		}
		if j < len(old) && old[j].arc == m.arc {
			if j++; old[j-1].to == m.to {
				continue
			}
		}
		news = true
		if asks && x.node.arcs[m.arc].plain {
			if c := &s.list[m.to]; len(c.callers) == 0 || c.callers[len(c.callers)-1] != f {
				c.callers = append(c.callers, f)
			}
		}
	}
	switch joined := left || j < len(old); {
	case !news && at == 0:
		return
	case joined:
		list = joinedMade(old, list)
		at = s.keep(list)
	case len(list) == 1:
		x.led[g.at] = list[0]
		return
	case at == 0:
		at = s.keep(slices.Clone(list))
	}
	x.led[g.at] = made{manyMade, at}
}

// joinedMade are the edges of two lists; where both have one, the new list says where it leads.
func joinedMade(old, list []made) (out []made) {
	for len(old) > 0 || len(list) > 0 {
		switch {
		case len(list) == 0 || len(old) > 0 && old[0].arc < list[0].arc:
			out, old = append(out, old[0]), old[1:]
		case len(old) > 0 && old[0].arc == list[0].arc:
			old = old[1:]
		default:
			out, list = append(out, list[0]), list[1:]
		}
	}
	return out
}

// receivers are the objects on which a dispatched edge may be taken.
func (s *frames) receivers(f int32, a *arc) setNo {
	t, vars := s.a.sets, s.list[f].vars
	meet := func(v setNo) setNo {
		switch {
		case v == whole:
			return a.viaNo
		case a.viaNo == whole:
			return t.number(common(t.list[v], t.list[a.via]))
		}
		return t.meet(v, a.viaNo)
	}
	switch {
	case a.recv >= 0:
		return meet(vars[a.recv])
	case a.recv == elsewhereMade || !s.list[f].node.ok:
		return a.viaNo
	}
	out := none
	for j := range s.list[f].node.code.Params {
		out = t.union(out, meet(vars[j]))
	}
	return out
}

// params are what a call passes, nil for anything. They are overwritten by the
// next.
func (s *frames) params(f int32, a *arc, receivers setNo) []setNo {
	callee := s.a.nodeOf(a.callee)
	if !callee.ok || callee.code.Params == 0 {
		return nil
	}
	s.args = s.args[:0]
	for j := range callee.code.Params {
		p := whole
		switch {
		case j == 0 && a.dispatched && a.passes:
			p = receivers
		case a.plain:
			p = s.argument(f, a, j)
		}
		s.args = append(s.args, s.narrowed(callee, j, p))
	}
	return s.args
}

// argument is what an edge passes to a parameter.
func (s *frames) argument(f int32, a *arc, j int) setNo {
	x := s.list[f].node
	v, p := x.steps[a.step].Args[j], x.steps[a.step].args[j]
	switch {
	case v == pointsto.NoVar:
		return none
	case p < 0:
		return whole
	case s.list[f].vars[p] == whole:
		return s.a.sets.ofVar(v)
	}
	return s.list[f].vars[p]
}

// narrowed is what a parameter points to if a set is passed: whole where it does
// not matter what exactly.
func (s *frames) narrowed(callee *node, j int, p setNo) setNo {
	t := s.a.sets
	if p == whole || !callee.useful[j] {
		return whole
	}
	v := callee.variable(int32(j))
	if t.ofVar(v) == none {
		return whole
	}
	return t.within(p, v)
}

// edges calls yield for the edges of a frame along which exceptions may come.
func (s *frames) edges(f int32, yield func(site, to int32)) {
	x := &s.list[f]
	for g := range x.led {
		for _, m := range s.takenOf(x, int32(g)) {
			if a := &x.node.arcs[m.arc]; a.climbs {
				yield(a.site, m.to)
			}
		}
	}
}

// roots lists the frames that an original call leads to, in all contexts of its
// method.
func (s *frames) roots(site int32) (out []int32) {
	for _, n := range s.a.d.NodesOf(s.a.g.NodeOfSite(site)) {
		if f := s.plain[n] - 1; f >= 0 {
			s.edges(f, func(at, to int32) {
				if at == site {
					out = append(out, to)
				}
			})
		}
	}
	return out
}

// graphNode is the node of the call graph of a frame.
func (s *frames) graphNode(f int32) callgraph.NodeID { return s.a.d.GraphNode(s.list[f].no) }
