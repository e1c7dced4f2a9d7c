package datareach

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file reads nodes of the points-to result ahead, on another processor: nearly all
// that some edge leads to are asked for sooner or later, and reading them is a third of following
// objects. What is read does not depend on when and by whom.

// reader reads nodes.
type reader struct {
	a     *Analysis
	of    []atomic.Pointer[reading] // by node
	room  chan struct{}             // has an element for each node that was read ahead and not asked for
	wake  chan struct{}             // has an element if there may be something to read
	ended chan struct{}
	ahead defect.Group
	own   readRoom // of the thread that asks

	mu     sync.Mutex
	likely []pointsto.Node // where edges lead that no object decides about, or that are the only ones
	other  []pointsto.Node // where other edges lead
}

// reading is what a points-to result has of a node. Sets of objects are not numbered yet.
type reading struct {
	node    node
	callees [][]pointsto.Callee // by group
	ahead   bool                // it was read ahead, and not asked for
}

// begin begins to read the nodes that may run below some sites, and of their methods.
func (r *reader) begin(a *Analysis, sites []int32) {
	r.a, r.of = a, make([]atomic.Pointer[reading], a.d.NumNodes())
	r.room, r.wake, r.ended = make(chan struct{}, a.bounds.ahead), make(chan struct{}, 1), make(chan struct{})
	for _, s := range sites {
		r.likely = append(r.likely, a.d.NodesOf(a.g.NodeOfSite(s))...)
	}
	r.ahead.Go(func() {
		var room readRoom
		for {
			n, ok := r.next()
			if !ok {
				select {
				case <-r.wake:
				case <-r.ended:
					return
				}
				continue
			}
			select {
			case r.room <- struct{}{}:
			case <-r.ended:
				return
			}
			x := a.read(n, &room)
			x.ahead = true
			r.note(x)
			if !r.of[n].CompareAndSwap(nil, x) {
				<-r.room
			}
		}
	})
}

// next is a node that nobody has read yet.
func (r *reader) next() (n pointsto.Node, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, from := range [...]*[]pointsto.Node{&r.likely, &r.other} {
		for len(*from) > 0 {
			n, *from = (*from)[len(*from)-1], (*from)[:len(*from)-1]
			if r.of[n].Load() == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// note notes where the edges of a node lead that has been read.
func (r *reader) note(x *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, callees := range x.callees {
		for k := range callees {
			switch n := callees[k].Node; {
			case r.of[n].Load() != nil:
			case len(callees) == 1 || !callees[k].Dispatched:
				r.likely = append(r.likely, n)
			default:
				r.other = append(r.other, n)
			}
		}
	}
}

// stop ends reading ahead.
func (r *reader) stop() {
	close(r.ended)
	r.ahead.Wait()
}

// read is what there is of a node.
func (r *reader) read(n pointsto.Node) *reading {
	if x := r.of[n].Load(); x != nil {
		return x
	}
	if x := r.a.read(n, &r.own); r.of[n].CompareAndSwap(nil, x) {
		r.note(x)
		select {
		case r.wake <- struct{}{}:
		default:
		}
		return x
	}
	return r.of[n].Load()
}

// take is read where the sites are asked for.
func (r *reader) take(n pointsto.Node) *reading {
	x := r.read(n)
	if x.ahead {
		x.ahead = false
		<-r.room
	}
	return x
}

// readRoom is memory that is used for one node after the other.
type readRoom struct {
	steps  []step
	stepOf []int32 // by call: its step + 1
	groups []group
}

// read reads a node. It may be called for several at the same time, with different memory.
func (a *Analysis) read(n pointsto.Node, room *readRoom) *reading {
	out := &reading{}
	x := &out.node
	a.readSteps(n, x, room)
	stepOf := room.stepOf
	at := &a.g.Nodes[a.d.GraphNode(n)]
	arcs := 0
	room.groups = room.groups[:0]
	for i := at.First; i < at.End; i++ {
		s := &a.g.Sites[i]
		if elsewhere(s.Kind) {
			continue
		}
		in := group{step: -1, recv: elsewhereMade, climbs: a.original[i] || a.flow.Climbs(i, a.groups)}
		if k := int(s.Index); s.Origin == callgraph.FromCalls && k < len(stepOf) {
			in.step = stepOf[k] - 1
		}
		if !in.climbs && (in.step < 0 || x.steps[in.step].to < 0) {
			continue // nothing depends on it
		}
		callees := a.dispatches.Callees(n, int(i-at.First))
		if in.step >= 0 {
			x.steps[in.step].sites++
			if len(callees) == 0 && a.d.FromCallees(n, int(i-at.First)) {
				x.steps[in.step].silent++
			}
		}
		if len(callees) == 0 {
			continue
		}
		if v := a.d.Receiver(n, int(i-at.First)); x.ok && v != pointsto.NoVar {
			in.recv = x.position(v)
			if in.recv < 0 && s.Origin == callgraph.FromModel && x.code.Params > 0 {
				in.recv = someParam
			}
		}
		in.site, in.at, in.first, in.end = i, int32(len(room.groups)), int32(arcs), int32(arcs+len(callees))
		arcs += len(callees)
		room.groups, out.callees = append(room.groups, in), append(out.callees, callees)
	}
	x.groups = slices.Clone(room.groups)
	x.arcs = make([]arc, 0, arcs)
	for i := range x.groups {
		a.arcsOf(x, n, &x.groups[i], out.callees[i])
	}
	return out
}

// readSteps reads the code of a node.
func (a *Analysis) readSteps(n pointsto.Node, x *node, room *readRoom) {
	room.steps, room.stepOf = room.steps[:0], room.stepOf[:0]
	x.code, _ = a.d.Signature(n)
	m := a.g.Method(a.d.GraphNode(n))
	_, x.ok = a.d.EachStep(n, func(s *pointsto.CodeStep) {
		next := step{op: s.Op, field: s.Field, callStep: &noCall, to: x.position(s.To), from: x.operand(s.From)}
		if s.Op == pointsto.CodeCall {
			next.callStep = &callStep{args: make([]int32, 0, len(s.Args)), returns0: requires(&m.Calls[s.Call], s.Args)}
			if s.Call >= len(room.stepOf) {
				room.stepOf = append(room.stepOf, make([]int32, s.Call+8-len(room.stepOf))...)
			}
			room.stepOf[s.Call] = int32(len(room.steps)) + 1
			for _, v := range s.Args {
				next.args = append(next.args, x.operand(v))
			}
		}
		room.steps = append(room.steps, next)
	})
	if x.ok {
		x.steps = slices.Clone(room.steps)
	} else {
		room.stepOf = room.stepOf[:0]
	}
}

// arcsOf makes the edges of a group.
func (a *Analysis) arcsOf(x *node, n pointsto.Node, in *group, callees []pointsto.Callee) {
	var st *step
	var call *facts.Call // if it may be plain
	if in.step >= 0 {
		st = &x.steps[in.step]
		st.groups = append(st.groups, in.at)
		if s := &a.g.Sites[in.site]; s.Kind == callgraph.Call {
			if c := &a.g.Method(a.d.GraphNode(n)).Calls[s.Index]; c.Kind != facts.Dynamic &&
				!model.IsModelled(c.Owner, c.Name) {
				call = c
			}
		}
	}
	for i := range callees {
		c := &callees[i]
		next := arc{callee: c.Node, via: none, viaNo: whole, dispatched: c.Dispatched}
		next.passes = c.Dispatched && !c.Lambda && a.g.Nodes[a.d.GraphNode(c.Node)].Method != hierarchy.NoMethod
		if st != nil {
			next.plain = call != nil && a.plain(&next, call, len(st.args))
			explained := next.plain || call != nil && len(c.Results) > 0
			next.returns = next.plain || explained && slices.Contains(c.Results, a.returnOf(c.Node))
			st.anyResult = st.anyResult || !explained
		}
		x.arcs = append(x.arcs, next)
	}
}
