package exceptions

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
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

// chainCache keeps the searches of the target asked for last: reports go
// through the links target by target.
type chainCache struct {
	sync.Mutex
	target   int32 // asked for last
	searches map[searchKey]*search
	above    map[aboveKey]bitset // see aboveOf
	reversed map[*climb]reversed
	local    *climb // the last one of a call (localClimb) that was reversed
	back     reversed
	shared   sharedCalls
	starts   startCache // see Starts

	originals  map[int32]Groups // of the target asked for last, by site: see originalsOf
	originalTo int32
}

// sharedCalls are the shortest chains to the target asked for last, by throw site: members of one,
// such as the dereferences under one cover of a method, share theirs.
type sharedCalls struct {
	sync.Mutex
	target int32
	bySite map[int32][]int32
}

// aboveKey names the vertices of a climb from which one can be reached.
type aboveKey struct {
	c   *climb
	end int32
}

// What a chainCache keeps of climbs: megabytes, whatever the program.
const (
	maxAbove    = 256
	maxReversed = 4
)

// searchKey tells searches apart: by group, and in a confirmed result by
// original call; noSite stands for the whole call graph, someSites for it below
// the calls of which nothing is known.
type searchKey struct{ group, site int32 }

const (
	noSite    = -1
	someSites = -2
)

// passage is a part of the call graph in which the chains of a target run, and
// the calls in the target's method at which they start.
type passage struct {
	site   int32 // the original call, or noSite or someSites
	c      *climb
	starts []int32
}

// passages lists where chains from a target to a throw site run for a group.
func (r *Result) passages(k, number int32, p *throwSite) []passage {
	starts := r.startSites(k, r.targets[number])
	if r.confirmed == nil || int(number) >= r.distinct || p.relay && !r.solver.hands(k) {
		return []passage{{noSite, r.climbFor(k, noSite), starts}}
	}
	var out []passage
	var unknown []int32
	groups := r.originalsOf(number)
	for _, s := range starts {
		g := groups[s]
		if g == nil || g[k>>6]>>(k&63)&1 == 0 {
			continue // only throws in the try itself need the group
		}
		cd := r.confirmed.carried(s, g)
		if cd == nil {
			unknown = append(unknown, s)
			continue
		}
		if !r.bringsOut(cd, k, p) {
			continue // others of the group come this way
		}
		if searched := r.chains.searches[searchKey{k, s}]; searched != nil && searched.target == number {
			out = append(out, passage{s, searched.c, []int32{s}})
			continue
		}
		out = append(out, passage{s, r.localClimb(k, s, cd), []int32{s}})
	}
	if len(unknown) > 0 {
		out = append(out, passage{someSites, r.climbFor(k, someSites), unknown})
	}
	return out
}

// originalsOf lists the groups of the original calls of a target. Finding them can take climbs of
// all its groups, more than the solver keeps, and every link of the target asks. Called with the
// cache locked.
func (r *Result) originalsOf(number int32) map[int32]Groups {
	c := &r.chains
	if c.originals == nil || c.originalTo != number {
		c.originals, c.originalTo = map[int32]Groups{}, number
		r.confirmed.base.originalCalls(number, func(s int32, g Groups) { c.originals[s] = slices.Clone(g) })
	}
	return c.originals
}

// bringsOut tells whether exceptions of a group from a throw site come out of a call.
func (r *Result) bringsOut(cd *Carried, k int32, p *throwSite) bool {
	all := r.table.sources
	for i := p.sources; int(i) < len(all) && all[i].site == all[p.sources].site; i++ {
		if all[i].group == k && cd.sources.has(i) {
			return true
		}
	}
	return false
}

// climbFor is the climb of a group, that of the search in it if there is one: the
// solver keeps few, and making one takes longer than a search. Called with the cache
// locked.
func (r *Result) climbFor(k, site int32) *climb {
	if s := r.chains.searches[searchKey{k, site}]; s != nil {
		return s.c
	}
	return r.solver.climb(k)
}

// search looks for the shortest ways from a target down to the vertices of a
// climb, breadth first and only as far as was asked.
type search struct {
	c      *climb
	target int32
	epoch  int32
	mark   []int32 // by vertex: epoch when found
	parent []int32 // by vertex: the vertex before, -1 after the target
	via    []int32 // by set vertex: the site that leads there
	queue  []int32
	head   int
}

// Chain returns the shortest call chain of a link: its first frame is the
// method with the try and the line of the call in it, its last one the throw
// site's method and line. A throw inside the try itself gives one frame.
// Lambdas count as called by whoever calls their interface.
func (r *Result) Chain(id LinkID) []Frame {
	l, k := r.locate(id)
	p := &r.table.sites[l.site]
	return r.frames(r.calls(l), p, r.table.members[p.members+k].line)
}

// Calls lists the sites of the call graph that stand for the frames of Chain before the last one,
// see CallFrame. It is not to be changed: other links of the target have the same.
func (r *Result) Calls(id LinkID) []int32 {
	l, _ := r.locate(id)
	return r.calls(l)
}

// calls is Calls of all links of a throw site.
func (r *Result) calls(l *link) []int32 {
	c := &r.chains.shared
	c.Lock()
	defer c.Unlock()
	if c.bySite == nil || c.target != l.target {
		c.target, c.bySite = l.target, map[int32][]int32{}
	}
	sites, ok := c.bySite[l.site]
	if !ok {
		bare := func(s int32) bool { return r.g.Method(r.g.NodeOfSite(s)) == nil }
		if sites = r.shortest(l); slices.ContainsFunc(sites, bare) {
			sites = slices.DeleteFunc(slices.Clone(sites), bare)
		}
		c.bySite[l.site] = sites
	}
	return sites
}

// LinkChain is the shortest call chain of a link in numbers of the call graph.
type LinkChain struct {
	Sites []int32          // from the original call down; none for a throw inside the try itself
	Node  callgraph.NodeID // of the throw site
}

// ChainOf returns the call chain that Chain describes.
func (r *Result) ChainOf(id LinkID) LinkChain {
	l, _ := r.locate(id)
	return LinkChain{r.shortest(l), r.table.sites[l.site].node}
}

// shortest lists the sites of the shortest chain.
func (r *Result) shortest(l *link) []int32 {
	t, p := r.targets[l.target], &r.table.sites[l.site]
	var best []int32
	found := false
	if r.joint() && int(l.target) < r.distinct && !r.isRelayed(l) {
		if best, found = r.shortestConfirmed(l, p); found {
			return best
		}
	}
	r.chains.Lock()
	defer r.chains.Unlock()
	for i := p.sources; i < r.table.sites[l.site+1].sources; i++ {
		src := &r.table.sources[i]
		if r.arrivesLocally(src.group, t, p) {
			return nil
		}
		if !r.leavesFrom(src.group, p) {
			continue
		}
		for _, ps := range r.passages(src.group, l.target, p) {
			s := r.search(l.target, src.group, &ps)
			if way, ok := s.sitesFrom(s.c.node(p.node, src.layer)); ok && (!found || len(way) < len(best)) {
				best, found = way, true
			}
		}
	}
	return best
}

// shortestConfirmed is shortest on the graph that confirmed the result.
func (r *Result) shortestConfirmed(l *link, p *throwSite) (best []int32, found bool) {
	for i := p.sources; i < r.table.sites[l.site+1].sources; i++ {
		src := &r.table.sources[i]
		if r.arrivesLocally(src.group, r.targets[l.target], p) {
			return nil, true
		}
		if !r.leavesFrom(src.group, p) {
			continue
		}
		way, ok := r.shortestAnyhow(l.target, src, p)
		if ok = ok && r.confirmed.ways.survives(way, src, p); !ok {
			way, ok = r.confirmed.ways.shortest(r, l.target, src, p)
		}
		if ok && (!found || len(way) < len(best)) {
			best, found = way, true
		}
	}
	return best, found
}

// shortestAnyhow lists the sites of the shortest chain in the call graph, which is
// found much sooner: where it survives, none that does is shorter.
func (r *Result) shortestAnyhow(target int32, src *source, p *throwSite) ([]int32, bool) {
	r.chains.Lock()
	defer r.chains.Unlock()
	ps := passage{noSite, r.climbFor(src.group, noSite), r.startSites(src.group, r.targets[target])}
	s := r.search(target, src.group, &ps)
	return s.sitesFrom(s.c.node(p.node, src.layer))
}

// frames turns sites, first to last, into frames, and adds the throw site's.
func (r *Result) frames(sites []int32, p *throwSite, line int32) []Frame {
	out := make([]Frame, 0, len(sites)+1)
	for _, s := range sites {
		if r.g.Method(r.g.NodeOfSite(s)) != nil {
			out = append(out, r.CallFrame(s))
		}
	}
	return append(out, Frame{r.g.Class(p.node), r.methodName(p.node), int(line)})
}

// Callee is the method that a call of Calls names in the code: class (internal name), and name and
// descriptor. ok is false where no instruction names one.
func (r *Result) Callee(site int32) (class, method string, ok bool) {
	s, m := &r.g.Sites[site], r.g.Method(r.g.NodeOfSite(site))
	if m == nil || s.Origin != callgraph.FromCalls || m.Calls[s.Index].Owner == "" {
		return "", "", false
	}
	ref := m.Calls[s.Index].MemberRef
	return ref.Owner, ref.Name + ref.Desc, true
}

// CallFrame is the frame of a call of Calls.
func (r *Result) CallFrame(site int32) Frame {
	n := r.g.NodeOfSite(site)
	return Frame{r.g.Class(n), r.methodName(n), int(r.g.Position(n, r.g.Sites[site]).Line)}
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
	gr := &r.table.groups[k]
	for i := r.g.Nodes[t.node].First; i < r.g.Nodes[t.node].End; i++ {
		s := &r.g.Sites[i]
		if s.Set == callgraph.NoSet {
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

// search returns the search from a target for a group. Called with the cache
// locked.
func (r *Result) search(target, k int32, ps *passage) *search {
	c := &r.chains
	if c.searches == nil {
		c.searches = map[searchKey]*search{}
	}
	if c.target != target {
		c.target = target
		for key := range c.searches {
			if key.site >= 0 {
				delete(c.searches, key)
			}
		}
	}
	key := searchKey{k, ps.site}
	s := c.searches[key]
	if s == nil {
		n := len(ps.c.start) - 1
		s = &search{c: ps.c, target: -1, mark: make([]int32, n), parent: make([]int32, n), via: make([]int32, n)}
		c.searches[key] = s
	}
	if s.target != target {
		s.epoch++
		s.target, s.queue, s.head = target, s.queue[:0], 0
		for _, site := range ps.starts {
			for l := range numLayers {
				if v := s.c.entry(r.g, site, l); v >= 0 {
					s.find(v, -1, site)
				}
			}
		}
	}
	return s
}

// find enters a vertex that is new.
func (s *search) find(v, parent, via int32) {
	if s.mark[v] != s.epoch {
		s.mark[v], s.parent[v], s.via[v] = s.epoch, parent, via
		s.queue = append(s.queue, v)
	}
}

// sitesFrom lists the sites from the target to a node's vertex.
func (s *search) sitesFrom(to int32) ([]int32, bool) {
	if to < 0 {
		return nil, false
	}
	for s.mark[to] != s.epoch && s.head < len(s.queue) {
		v := s.queue[s.head]
		s.head++
		for e := s.c.start[v]; e < s.c.start[v+1]; e++ {
			via := int32(-1)
			if int(v) < len(s.c.nodes) {
				via = s.c.sites[e]
			}
			s.find(s.c.to[e], v, via)
		}
	}
	if s.mark[to] != s.epoch {
		return nil, false
	}
	var out []int32
	for v := to; v >= 0; v = s.parent[v] {
		if int(v) >= len(s.c.nodes) {
			out = append(out, s.via[v])
		}
	}
	slices.Reverse(out)
	return out, true
}

// stepsPerChain bounds the search of eachChain: so many steps per chain asked for,
// because a way without repetition may lead nowhere.
const stepsPerChain = 1000

// CountChains counts the chains of a link up to a limit; limited tells that
// there may be more.
func (r *Result) CountChains(id LinkID, limit int) (n int, limited bool) {
	limited = r.eachChain(id, limit, func([]int32, *throwSite) bool { n++; return true })
	return n, limited
}

// eachChain calls yield with the sites of chains of a link until it returns false or limit
// chains were found; limited tells that there may be more. Below the try, a
// chain visits no method twice in one layer (checkedrule.go); it may visit the try's own
// again, called from inside. Chains differ in at least one call site.
func (r *Result) eachChain(id LinkID, limit int, yield func([]int32, *throwSite) bool) (limited bool) {
	l, _ := r.locate(id)
	p := &r.table.sites[l.site]
	e := &enumerator{r: r, t: r.targets[l.target], number: l.target, p: p, limit: limit, yield: yield,
		steps: stepsPerChain * (limit + 100)}
	sources := r.table.sources[p.sources:r.table.sites[l.site+1].sources]
	if len(sources) > 1 {
		e.seen = map[string]bool{}
	}
	for i := range sources {
		if e.stop {
			break
		}
		e.run(&sources[i])
	}
	return e.limited
}

// enumerator lists simple paths in a climb from a target to a throw site.
type enumerator struct {
	r       *Result
	t       target
	number  int32 // of the target
	p       *throwSite
	c       *climb
	end     int32           // the throw site's vertex
	above   bitset          // vertices from which end can be reached
	onPath  bitset          // vertices
	path    []int32         // sites
	seen    map[string]bool // paths found, when several sources may have the same
	limit   int
	count   int
	steps   int
	limited bool
	stop    bool
	yield   func([]int32, *throwSite) bool
}

// run lists the chains of one source.
func (e *enumerator) run(src *source) {
	if e.r.arrivesLocally(src.group, e.t, e.p) {
		e.found()
	}
	if !e.r.leavesFrom(src.group, e.p) {
		return
	}
	e.r.chains.Lock()
	passages := e.r.passages(src.group, e.number, e.p)
	e.r.chains.Unlock()
	for _, ps := range passages {
		e.c = ps.c
		if e.end = e.c.node(e.p.node, src.layer); e.end < 0 || e.stop {
			continue
		}
		e.above = e.r.chains.aboveOf(e.c, e.end)
		e.onPath = newBitset(len(e.c.start) - 1)
		for _, s := range ps.starts {
			for l := range numLayers {
				if v := e.c.entry(e.r.g, s, l); v >= 0 {
					e.down(s, v)
				}
			}
		}
	}
}

// aboveOf marks the vertices of a climb from which one of them can be reached. Links
// to other targets ask for the same ones: they are kept as long as there are few.
func (cc *chainCache) aboveOf(c *climb, end int32) bitset {
	cc.Lock()
	defer cc.Unlock()
	if c.bySite { // other targets do not ask for it
		if cc.local != c {
			cc.local, cc.back = c, c.reverse()
		}
		return cc.back.reach(end)
	}
	key := aboveKey{c, end}
	if b := cc.above[key]; b != nil {
		return b
	}
	back, ok := cc.reversed[c]
	if !ok {
		if len(cc.reversed) == maxReversed || cc.reversed == nil {
			cc.reversed = map[*climb]reversed{}
		}
		back = c.reverse()
		cc.reversed[c] = back
	}
	if len(cc.above) == maxAbove || cc.above == nil {
		cc.above = map[aboveKey]bitset{}
	}
	b := back.reach(end)
	cc.above[key] = b
	return b
}

// reach marks the vertices from which v can be reached.
func (r *reversed) reach(v int32) bitset {
	out := newBitset(len(r.start) - 1)
	out.set(v)
	work := []int32{v}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range r.from[r.start[v]:r.start[v+1]] {
			if !out.has(u) {
				out.set(u)
				work = append(work, u)
			}
		}
	}
	return out
}

// found reports the path, and stops when there are enough.
func (e *enumerator) found() {
	if e.seen != nil {
		var key []byte
		for _, s := range e.path {
			key = binary.AppendVarint(key, int64(s))
		}
		if e.seen[string(key)] {
			return
		}
		e.seen[string(key)] = true
	}
	if e.count == e.limit {
		e.limited, e.stop = true, true
		return
	}
	e.count++
	if !e.yield(e.path, e.p) {
		e.stop = true
	}
}

// down goes on through a site to the members of its set.
func (e *enumerator) down(site, set int32) {
	if !e.above.has(set) {
		return
	}
	e.path = append(e.path, site)
	for i := e.c.start[set]; i < e.c.start[set+1] && !e.stop; i++ {
		if e.steps--; e.steps < 0 {
			e.limited, e.stop = true, true
			break
		}
		if v := e.c.to[i]; e.above.has(v) && !e.onPath.has(v) {
			e.visit(v)
		}
	}
	e.path = e.path[:len(e.path)-1]
}

// visit reports the throw site, and goes on from a node.
func (e *enumerator) visit(v int32) {
	if v == e.end {
		e.found()
	}
	e.onPath.set(v)
	for i := e.c.start[v]; i < e.c.start[v+1] && !e.stop; i++ {
		e.down(e.c.sites[i], e.c.to[i])
	}
	e.onPath.unset(v)
}
