package datareach

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/pointsto"
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
	// states are those of objects that nobody else knows (package unshared): programs of 20,000
	// lines have up to 3,000. What comes later is analysed as if nothing were known of them.
	states int
	// ahead are the nodes that are read and not asked for yet: their edges take memory. Nothing
	// depends on it.
	ahead int
	// hash changes hashes of frames, for tests; nil for not.
	hash func(uint64) uint64
}

var standard = bounds{objects: 512, contexts: 4096, perNode: 8, some: 1000, states: 30_000, ahead: 4096}

// frame is a node with what its parameters point to.
type frame struct {
	no pointsto.Node
	// where frames.vars has them: by position, the result last; none of a node of which it is not
	// known what the code does
	vars  uint32
	led   uint32 // where frames.led has, by group, the edge that is taken, or see noneMade and manyMade
	known int32  // where frames.knowns has what is known of its parameters, 0 for nothing
	// given is where frames.given has what its parameters point to, as it was entered, and next
	// another frame of the same bucket + 1; 0 for the frame of a node of which nothing is known.
	given uint32
	next  int32
	// callers is the place + 1 in frames.callers of the last frame that asks for its result.
	callers int32
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

// first is the one in all groups' inputs that no variable is, and in those of steps stands for
// results of methods.
const first = changes(1) << 63

func changesOf(position int32) changes { return 1 << min(position, 62) }

// frames are the frames that there are. They are not safe for concurrent use.
type frames struct {
	a *Analysis
	// vars, given and led are what frames have of these, knowns and callers, too.
	vars, given paged[setNo]
	led         paged[made]
	knowns      [][]known
	callers     []caller
	pieces      []*[pieceFrames]frame // of pieceFrames frames each, see at
	frames      int                   // how many there are
	plain       []int32               // by node: the frame of which parameters nothing is known + 1
	other       []int32               // all other frames, by node and parameters: the first of each bucket + 1
	known       int                   // how many of these there are
	count       []int32               // of a node
	queue       []int32
	closed      map[int32]closed // by frame: see closeThrows
	// gaveUp tells that the frames are not all there are: nobody wants them any more.
	gaveUp bool
	most   int
	// takenBy are answers of taken, madeBy what dispatch has made of the same.
	takenBy  [][]taken
	madeBy   map[string]int32 // position in lists
	lists    [][]made         // of groups of which several edges are taken, in the order of edges
	done     []made
	groupKey []byte
	args     []setNo
	values   []known
	calling  calling
	waiting  []int32
}

// caller is a frame that asks for the result of another one, and the one before it that does + 1.
type caller struct{ frame, before int32 }

// pieceFrames is how many frames get memory at once: they stay where they are.
const pieceFrames = 1 << 10

// at is a frame.
func (s *frames) at(f int32) *frame { return &s.pieces[f>>10][f&(pieceFrames-1)] }

// len is how many frames there are.
func (s *frames) len() int { return s.frames }

// nodeOf is the node of a frame.
func (s *frames) nodeOf(x *frame) *node { return s.a.nodes[x.no] }

// varsOf are what a frame's variables point to, by position, the result last; nothing where it is
// not known what the code does.
func (s *frames) varsOf(x *frame) []setNo {
	n := s.nodeOf(x)
	if !n.ok {
		return nil
	}
	return s.vars.list(x.vars, n.code.Count+1)
}

// givenOf is what the parameters pointed to with which a frame was entered of which something is
// known.
func (s *frames) givenOf(x *frame) []setNo {
	n := s.nodeOf(x)
	if !n.ok {
		return nil
	}
	return s.given.list(x.given, n.code.Params)
}

// edgesTaken are the edges that a frame's groups take.
func (s *frames) edgesTaken(x *frame) []made { return s.led.list(x.led, len(s.nodeOf(x).groups)) }

// knownOf is what is known of the values of a frame's parameters.
func (s *frames) knownOf(x *frame) []known { return s.knowns[x.known] }

func newFrames(a *Analysis) *frames {
	n := a.d.NumNodes()
	return &frames{a: a, knowns: make([][]known, 1), plain: make([]int32, n), count: make([]int32, n),
		other: make([]int32, 1<<12), madeBy: map[string]int32{}, most: a.bounds.perNode*n + a.bounds.some}
}

// enter finds the frame of a node for parameters; nil stands for any, and for nothing
// that is known of their values. It keeps nothing of params and values.
func (s *frames) enter(n pointsto.Node, params []setNo, values []known, main bool) int32 {
	all := len(values) == 0
	for _, p := range params {
		all = all && p == whole
	}
	if !all {
		if f, ok := s.find(n, params, values); ok {
			s.use(f, main)
			return f
		}
		if all = s.count[n] >= s.a.bounds.contexts || s.len() > s.most; all {
			s.a.stats.Bounded++
		}
	}
	if all && s.plain[n] != 0 {
		s.use(s.plain[n]-1, main)
		return s.plain[n] - 1
	}
	f := int32(s.len())
	x := s.a.nodeOf(n)
	next := frame{no: n, led: s.led.room(len(x.groups)), main: main, asking: never, climbing: never}
	for i, led := 0, s.edgesTaken(&next); i < len(led); i++ {
		led[i].arc = noneMade
	}
	if x.ok {
		next.vars = s.vars.room(x.code.Count + 1)
		vars := s.varsOf(&next)
		for i, any := range x.any {
			if any || i < x.code.Params {
				vars[i] = whole
			}
		}
	}
	if all {
		s.plain[n] = f + 1
	} else {
		s.count[n]++
		if len(params) > 0 {
			copy(s.varsOf(&next), params)
			next.given = s.given.room(len(params))
			copy(s.givenOf(&next), params)
		}
		if len(values) > 0 {
			next.known = int32(len(s.knowns))
			s.knowns = append(s.knowns, slices.Clone(values))
		}
	}
	if f&(pieceFrames-1) == 0 {
		s.pieces = append(s.pieces, new([pieceFrames]frame))
	}
	*s.at(f) = next
	s.frames++
	if !all {
		s.remember(f)
	}
	s.enqueue(f)
	return f
}

// bucket is where a frame stands in other.
func (s *frames) bucket(n pointsto.Node, params []setNo, values []known) uint64 {
	h := uint64(n) + 1
	for _, p := range params {
		h = mix(h ^ uint64(p)*0x9E3779B97F4A7C15)
	}
	for _, k := range values {
		h = mix(h ^ uint64(k.value)*0x9E3779B97F4A7C15 ^ uint64(k.param)<<48)
	}
	return mix(h) & uint64(len(s.other)-1)
}

// find is the frame of a node for parameters that are not all of which nothing is known.
func (s *frames) find(n pointsto.Node, params []setNo, values []known) (f int32, ok bool) {
	for f := s.other[s.bucket(n, params, values)] - 1; f >= 0; f = s.at(f).next - 1 {
		if x := s.at(f); x.no == n && slices.Equal(s.givenOf(x), params) && slices.Equal(s.knownOf(x), values) {
			return f, true
		}
	}
	return 0, false
}

// remember lets find find a frame.
func (s *frames) remember(f int32) {
	put := func(f int32) {
		x := s.at(f)
		at := s.bucket(x.no, s.givenOf(x), s.knownOf(x))
		x.next, s.other[at] = s.other[at], f+1
	}
	if s.known++; s.known <= len(s.other) {
		put(f)
		return
	}
	old := s.other
	s.other = make([]int32, 2*len(old))
	for _, first := range old {
		for k := first - 1; k >= 0; {
			next := s.at(k).next - 1
			put(k)
			k = next
		}
	}
	put(f)
}

// use notes that a frame may bring exceptions.
func (s *frames) use(f int32, main bool) {
	if x := s.at(f); main && !x.main {
		x.main = true
		s.enqueue(f)
	}
}

func (s *frames) enqueue(f int32) {
	if x := s.at(f); !x.queued {
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
		s.at(f).queued = false
		s.follow(f)
	}
}

// calling is what of a frame's code has been evaluated and called since follow began with it.
type calling struct {
	rounds  []changes // by round: the variables that it changed
	first   int32     // the number of the first round
	main    bool      // exceptions were asked for from the first one on
	calledI []int32   // by group of the node: the number of the last round that called it
}

// begin begins with a frame that has some groups. Numbers of rounds do not come twice.
func (c *calling) begin(groups int, main bool) {
	c.first += int32(len(c.rounds))
	c.rounds, c.main = c.rounds[:0], main
	if groups > len(c.calledI) {
		c.calledI = append(c.calledI, make([]int32, groups-len(c.calledI))...)
	}
}

// mayLearnMore tells whether calling a group may find out more than the last round that called it
// has.
func (c *calling) mayLearnMore(g *group) bool {
	at := c.calledI[g.at] - c.first - 1
	if at < 0 || !c.main {
		return true
	}
	for _, changed := range c.rounds[at:] {
		if changed&g.inputs != 0 {
			return true
		}
	}
	return false
}

// follow evaluates the code of a frame until nothing changes, and makes its
// calls. What none of its inputs has changed of is as it was.
func (s *frames) follow(f int32) {
	me := s.at(f)
	x, vars := s.nodeOf(me), s.varsOf(me)
	before := s.result(f)
	s.calling.begin(len(x.groups), me.main)
	results := first // what others return may be more than before
	for changed := true; changed; results = 0 {
		changed = false
		asking := me.asking
		me.asking = 0
		s.calling.rounds = append(s.calling.rounds, 0)
		for _, i := range x.live {
			st := &x.steps[i]
			old := vars[st.to]
			if old == whole {
				continue
			}
			called := asking == never
			if asking != 0 {
				for _, k := range st.groups {
					if st.asks && asking&x.groups[k].inputs != 0 {
						called = true
						s.calling.calledI[k] = s.calling.first + int32(len(s.calling.rounds))
						s.calls(f, &x.groups[k])
					}
				}
			}
			if !called && (asking|me.asking|results)&st.inputs == 0 {
				continue
			}
			if now := s.a.sets.union(old, s.value(f, st)); now != old {
				// A variable that points to all that it may is whole.
				vars[st.to] = s.a.sets.within(now, x.variable(st.to))
				changed = true
				me.asking |= changesOf(st.to)
				me.climbing |= changesOf(st.to)
				s.calling.rounds[len(s.calling.rounds)-1] |= changesOf(st.to)
			}
		}
	}
	if climbing := me.climbing; me.main && climbing != 0 {
		me.climbing = 0
		for i := range x.groups {
			if g := &x.groups[i]; g.climbs && climbing&g.inputs != 0 && s.calling.mayLearnMore(g) {
				s.calls(f, g)
			}
		}
	}
	if s.result(f) != before {
		s.waiting = s.waiting[:0]
		for c := me.callers; c != 0; c = s.callers[c-1].before {
			s.waiting = append(s.waiting, s.callers[c-1].frame)
		}
		for _, c := range slices.Backward(s.waiting) { // those first that asked first
			s.enqueue(c)
		}
	}
}

// result is what a frame returns.
func (s *frames) result(f int32) setNo {
	if v := s.varsOf(s.at(f)); len(v) > 0 {
		return v[len(v)-1]
	}
	return whole
}

// value is what an operation gives.
func (s *frames) value(f int32, st *step) setNo {
	t, vars, to := s.a.sets, s.varsOf(s.at(f)), s.nodeOf(s.at(f)).variable(st.to)
	from := st.from
	switch st.op {
	case pointsto.CodeMove:
	case pointsto.CodeLoad:
		if from < 0 || vars[from] == whole {
			return st.constant
		}
		return t.within(t.load(vars[from], st.field), to)
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
		return t.within(t.madeFor(st.made, vars[0]), to)
	default:
		return st.constant
	}
	if from < 0 || vars[from] == whole {
		return st.constant
	}
	return t.within(vars[from], to)
}

// returned is what the methods return that a call reaches.
func (s *frames) returned(f int32, st *step) setNo {
	t, out := s.a.sets, none
	x := s.at(f)
	n := s.nodeOf(x)
	for _, g := range st.groups {
		for _, m := range s.takenOf(x, g) {
			a := &n.arcs[n.groups[g].first+m.arc]
			out = t.union(out, t.within(a.given, n.variable(st.to)))
			if !a.returns {
				continue
			}
			r := s.result(m.to)
			if r == whole {
				if v := s.nodeOf(s.at(m.to)).code.Return; v == pointsto.NoVar {
					r = none
				} else {
					r = t.ofVar(v)
				}
			}
			out = t.union(out, t.within(r, n.variable(st.to)))
		}
	}
	return out
}

// receivers are the objects on which a dispatched edge may be taken.
func (s *frames) receivers(f int32, g *group, a *arc) setNo {
	t, vars, n := s.a.sets, s.varsOf(s.at(f)), s.nodeOf(s.at(f))
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
	case g.recv >= 0:
		return meet(vars[g.recv])
	case g.recv == elsewhereMade || !n.ok:
		return a.viaNo
	}
	out := none
	for j := range n.code.Params {
		out = t.union(out, meet(vars[j]))
	}
	return out
}

// params are what a call passes, nil for anything. They are overwritten by the
// next.
func (s *frames) params(f int32, g *group, a *arc, receivers setNo) []setNo {
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
			p = s.argument(f, g.step, j)
		}
		s.args = append(s.args, s.narrowed(callee, j, p))
	}
	return s.args
}

// argument is what a call passes to a parameter.
func (s *frames) argument(f, step int32, j int) setNo {
	x := s.at(f)
	n := s.nodeOf(x)
	p := n.steps[step].args[j]
	switch {
	case p == nullOperand:
		return none
	case p < 0:
		return whole
	}
	if now := s.varsOf(x)[p]; now != whole {
		return now
	}
	return s.a.sets.ofVar(n.variable(p))
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
	x := s.at(f)
	groups := s.nodeOf(x).groups
	for g := range groups {
		if in := &groups[g]; in.climbs {
			for _, m := range s.takenOf(x, int32(g)) {
				yield(in.site, m.to)
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
func (s *frames) graphNode(f int32) callgraph.NodeID { return s.a.d.GraphNode(s.at(f).no) }
