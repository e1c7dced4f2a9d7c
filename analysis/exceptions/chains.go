package exceptions

import (
	"slices"
	"sync"

	"catchlens/analysis/callgraph"
)

// This file finds the call chains of a link (paper 000, section 3.1: the
// propagation path of the exception, read from the try down to the throw).

// Frame is one method on a call chain and the line in it at which the chain
// goes on: the line of a call, in the last frame that of the throw site.
type Frame struct {
	Class  string // internal name
	Method string // name and descriptor
	Line   int    // 0 if unknown
}

// tree holds the shortest ways from a target down to the nodes that throw
// exceptions of one group.
type tree struct {
	nodes  []callgraph.NodeID
	parent []int32 // position in nodes; -1 for what a call of the try reaches
	via    []int32 // site that leads there
	at     map[callgraph.NodeID]int32
}

// chainCache keeps the trees of the target asked for last: reports go through
// the links target by target.
type chainCache struct {
	sync.Mutex
	target int32
	trees  map[int32]*tree
	mark   []int32 // by node: epoch
	setAt  []int32
	epoch  int32
}

// Chain returns the shortest call chain of a link: its first frame is the
// method with the try and the line of the call in it, its last one the throw
// site's method and line. A throw inside the try itself gives one frame.
// Lambdas count as called by whoever calls their interface.
func (r *Result) Chain(id LinkID) []Frame {
	l := r.links[id]
	t, p := r.targets[l.target], &r.table.sites[l.site]
	r.chains.Lock()
	defer r.chains.Unlock()
	var best []int32
	found := false
	for i := p.sources; i < r.table.sites[l.site+1].sources; i++ {
		k := r.table.sources[i].group
		if r.arrivesLocally(k, t, p) {
			best, found = nil, true
			break
		}
		if !r.leavesFrom(k, p) {
			continue
		}
		if way, ok := r.tree(l.target, k).way(p.node); ok && (!found || len(way) < len(best)) {
			best, found = way, true
		}
	}
	return r.frames(best, p)
}

// frames turns sites, first to last, into frames, and adds the throw site's.
func (r *Result) frames(sites []int32, p *throwSite) []Frame {
	var out []Frame
	for _, s := range sites {
		if n := r.g.NodeOfSite(s); r.g.Method(n) != nil {
			out = append(out, Frame{r.g.Class(n), r.methodName(n), int(r.g.Position(n, r.g.Sites[s]).Line)})
		}
	}
	return append(out, Frame{r.g.Class(p.node), r.methodName(p.node), int(p.line)})
}

// arrivesLocally tells whether a throw site in the target's own method reaches
// it without leaving the method.
func (r *Result) arrivesLocally(k int32, t target, p *throwSite) bool {
	return t.node == p.node && t.handler != noHandler && r.arrives(k, t, p.cover)
}

// arrives tells whether exceptions of a group that occur under a cover of the
// target's method arrive at the target.
func (r *Result) arrives(k int32, t target, cover uint16) bool {
	hit := false
	w := walker{treat: r.table.groups[k].treat, arrive: func(h uint16) { hit = hit || int32(h) == t.handler }}
	w.walk(r.f.flow(t.node), cover)
	return hit
}

// leavesFrom tells whether exceptions of a group leave the method of their
// throw site.
func (r *Result) leavesFrom(k int32, p *throwSite) bool {
	w := walker{treat: r.table.groups[k].treat}
	return w.walk(r.f.flow(p.node), p.cover)
}

// startSites lists the sites of the target's method whose exceptions of a group
// it catches.
func (r *Result) startSites(k int32, t target) []int32 {
	var out []int32
	if t.node == callgraph.NoNode {
		return nil
	}
	gr, c := &r.table.groups[k], &r.solver.climbs[k]
	for i := r.g.Nodes[t.node].First; i < r.g.Nodes[t.node].End; i++ {
		s := &r.g.Sites[i]
		if s.Set == callgraph.NoSet || !c.sets.has(int32(s.Set)) {
			continue
		}
		if t.handler == noHandler {
			if i == t.site && gr.wrapped(s.Kind) {
				out = append(out, i)
			}
		} else if s.Cover != 0 && gr.pass(s.Kind) && r.arrives(k, t, s.Cover) {
			out = append(out, i)
		}
	}
	return out
}

// tree returns the shortest ways from a target for a group. Called with the
// cache locked.
func (r *Result) tree(target, k int32) *tree {
	c := &r.chains
	if c.trees == nil || c.target != target {
		c.trees, c.target = map[int32]*tree{}, target
	}
	if c.mark == nil {
		c.mark, c.setAt = make([]int32, r.g.NumNodes()), make([]int32, r.g.NumSets())
	}
	if c.trees[k] == nil {
		c.trees[k] = r.search(r.targets[target], k)
	}
	return c.trees[k]
}

// search goes down from a target breadth first, only where exceptions of the
// group come up.
func (r *Result) search(from target, k int32) *tree {
	c := &r.chains
	c.epoch++
	t := &tree{at: map[callgraph.NodeID]int32{}}
	gr, up := &r.table.groups[k], &r.solver.climbs[k]
	wanted := map[callgraph.NodeID]bool{}
	for _, i := range r.solver.groupSources(int(k)) {
		wanted[r.table.sites[r.table.sources[i].site].node] = true
	}
	w := walker{treat: gr.treat}
	expand := func(site, parent int32) {
		set := r.g.Sites[site].Set
		if c.setAt[set] == c.epoch {
			return
		}
		c.setAt[set] = c.epoch
		for _, n := range r.g.Targets(set) {
			if c.mark[n] != c.epoch && up.nodes.has(int32(n)) {
				c.mark[n] = c.epoch
				if wanted[n] {
					t.at[n] = int32(len(t.nodes))
				}
				t.nodes, t.parent, t.via = append(t.nodes, n), append(t.parent, parent), append(t.via, site)
			}
		}
	}
	for _, s := range r.startSites(k, from) {
		expand(s, -1)
	}
	for i := 0; i < len(t.nodes) && len(t.at) < len(wanted); i++ {
		n := t.nodes[i]
		for s := r.g.Nodes[n].First; s < r.g.Nodes[n].End; s++ {
			site := &r.g.Sites[s]
			if site.Set != callgraph.NoSet && up.sets.has(int32(site.Set)) && gr.pass(site.Kind) && w.walk(r.f.flow(n), site.Cover) {
				expand(s, int32(i))
			}
		}
	}
	return t
}

// way lists the sites from the target to a node.
func (t *tree) way(n callgraph.NodeID) ([]int32, bool) {
	i, ok := t.at[n]
	if !ok {
		return nil, false
	}
	var out []int32
	for ; i >= 0; i = t.parent[i] {
		out = append(out, t.via[i])
	}
	slices.Reverse(out)
	return out, true
}

// stepsPerChain bounds the search of Chains: so many steps per chain asked for,
// because a way without repetition may lead nowhere.
const stepsPerChain = 1000

// CountChains counts the chains of a link up to a limit; limited tells that
// there may be more.
func (r *Result) CountChains(id LinkID, limit int) (n int, limited bool) {
	limited = r.Chains(id, limit, func([]Frame) bool { n++; return true })
	return n, limited
}

// Chains calls yield with chains of a link until it returns false or limit
// chains were found; limited tells that there may be more. A chain visits no
// method twice. Chains differ in at least one call site.
func (r *Result) Chains(id LinkID, limit int, yield func([]Frame) bool) (limited bool) {
	l := r.links[id]
	e := &enumerator{r: r, t: r.targets[l.target], p: &r.table.sites[l.site], limit: limit, yield: yield,
		steps: stepsPerChain * (limit + 100), onPath: map[callgraph.NodeID]bool{}}
	for i := e.p.sources; i < r.table.sites[l.site+1].sources; i++ {
		e.groups = append(e.groups, r.table.sources[i].group)
	}
	e.run()
	return e.limited
}

// enumerator lists simple paths. alive sets say, by bit, for which of the
// throw site's groups the path so far is one.
type enumerator struct {
	r       *Result
	t       target
	p       *throwSite
	groups  []int32
	above   []map[callgraph.NodeID]bool // by group: the nodes to which p's exceptions climb
	leaves  uint64                      // groups that leave p's method
	onPath  map[callgraph.NodeID]bool
	path    []int32
	limit   int
	count   int
	steps   int
	limited bool
	stop    bool
	yield   func([]Frame) bool
}

func (e *enumerator) run() {
	local := false
	for i, k := range e.groups {
		local = local || e.r.arrivesLocally(k, e.t, e.p)
		if e.r.leavesFrom(k, e.p) {
			e.leaves |= 1 << i
		}
		e.above = append(e.above, e.r.climbOf(k, e.p))
	}
	if local {
		e.found()
	}
	e.onPath[e.t.node] = e.t.node != e.p.node
	start := map[int32]uint64{}
	var order []int32
	for i, k := range e.groups {
		for _, s := range e.r.startSites(k, e.t) {
			if start[s] == 0 {
				order = append(order, s)
			}
			start[s] |= 1 << i
		}
	}
	slices.Sort(order)
	for _, s := range order {
		e.down(s, start[s])
	}
}

// found reports the path, and stops when there are enough.
func (e *enumerator) found() {
	if e.count == e.limit {
		e.limited, e.stop = true, true
		return
	}
	e.count++
	if !e.yield(e.r.frames(e.path, e.p)) {
		e.stop = true
	}
}

// down goes on through a site.
func (e *enumerator) down(site int32, alive uint64) {
	set := e.r.g.Sites[site].Set
	e.path = append(e.path, site)
	defer func() { e.path = e.path[:len(e.path)-1] }()
	for _, n := range e.r.g.Targets(set) {
		if e.steps--; e.steps < 0 {
			e.limited, e.stop = true, true
		}
		if e.stop {
			return
		}
		var here uint64
		for i := range e.groups {
			if alive>>i&1 != 0 && e.above[i][n] {
				here |= 1 << i
			}
		}
		if here != 0 && !e.onPath[n] {
			e.visit(n, here)
		}
	}
}

// visit reports a node that holds the throw site, and goes on from it.
func (e *enumerator) visit(n callgraph.NodeID, alive uint64) {
	if n == e.p.node {
		if alive&e.leaves != 0 {
			e.found()
		}
	}
	e.onPath[n] = true
	defer delete(e.onPath, n)
	for s := e.r.g.Nodes[n].First; s < e.r.g.Nodes[n].End && !e.stop; s++ {
		site := &e.r.g.Sites[s]
		if site.Set == callgraph.NoSet {
			continue
		}
		var on uint64
		for i, k := range e.groups {
			gr := &e.r.table.groups[k]
			if alive>>i&1 == 0 || !gr.pass(site.Kind) || !e.r.solver.climbs[k].sets.has(int32(site.Set)) {
				continue
			}
			w := walker{treat: gr.treat}
			if w.walk(e.r.f.flow(n), site.Cover) {
				on |= 1 << i
			}
		}
		if on != 0 {
			e.down(s, on)
		}
	}
}

// climbOf lists the nodes that exceptions of one throw site leave.
func (r *Result) climbOf(k int32, p *throwSite) map[callgraph.NodeID]bool {
	out := map[callgraph.NodeID]bool{}
	if !r.leavesFrom(k, p) {
		return out
	}
	out[p.node] = true
	r.ascend(k, []callgraph.NodeID{p.node}, func(n callgraph.NodeID, site int32, leaves bool) bool {
		if leaves && !out[n] {
			out[n] = true
			return true
		}
		return false
	})
	return out
}

// ascend goes up from nodes that exceptions of a group leave. visit is told of
// each call whose callee they leave, and whether they leave the caller too; it
// answers whether to go on from the caller.
func (r *Result) ascend(k int32, from []callgraph.NodeID, visit func(n callgraph.NodeID, site int32, leaves bool) bool) {
	gr := &r.table.groups[k]
	w := walker{treat: gr.treat}
	seen := map[callgraph.SetID]bool{}
	work := slices.Clone(from)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, set := range r.g.SetsWith(n) {
			if seen[set] {
				continue
			}
			seen[set] = true
			for _, s := range r.g.SitesOfSet(set) {
				site := &r.g.Sites[s]
				if !gr.pass(site.Kind) {
					continue
				}
				caller := r.g.NodeOfSite(s)
				if visit(caller, s, w.walk(r.f.flow(caller), site.Cover)) {
					work = append(work, caller)
				}
			}
		}
	}
}
