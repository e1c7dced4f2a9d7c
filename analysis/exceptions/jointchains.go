package exceptions

import (
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions/layered"
)

// This file finds the shortest call chain of a confirmed link on the graph of what
// can run during original calls: each of its edges can be taken where the chain
// takes it. All that comes out of an original call (carry.go) is not needed for it.

// jointChains looks for chains on the graph that confirmed a result. For each target and group it
// searches once, for all links that there are: a target may have links of more groups than
// searches could be kept of.
type jointChains struct {
	r *Result // before it was confirmed
	j *joint

	mu     sync.Mutex
	target int32 // asked for last
	ways   map[wayKey][]int32
	walk   jointWalk
	groups layered.Walk
	calls  map[int32][]targetCall // by a vertex that they lead to; nil: not asked for
}

// targetCall is a call in a method with targets.
type targetCall struct {
	node callgraph.NodeID
	site int32
}

// wayKey names what chains of a group from the target lead to: a node that exceptions leave in a
// layer, and of one with throws that do not throw the same everywhere, what is thrown.
type wayKey struct {
	group int32
	node  callgraph.NodeID
	up    layer
	src   Thrown // nil: any
}

// key names what chains to a source lead to.
func (w *jointChains) key(src *source, p *throwSite) wayKey {
	k := wayKey{src.group, p.node, src.layer, nil}
	for _, v := range w.j.vertices[w.j.nodeStart[p.node]:w.j.nodeStart[p.node+1]] {
		if !w.j.in.throws(v, src, p) {
			k.src = src
		}
	}
	return k
}

// ends tells whether what a key names is there in a state.
func (w *jointChains) ends(k wayKey, state int32) bool {
	v := state / int32(numLayers)
	return w.j.in.Nodes[v] == k.node && layer(state%int32(numLayers)) == k.up &&
		(k.src == nil || w.j.in.throws(v, k.src, &w.r.table.sites[k.src.site]))
}

// jointWalk is a breadth-first search from a target down to sources of a group.
// What it finds are states: a vertex and the layer in which
// exceptions leave its method, vertex*numLayers + layer.
type jointWalk struct {
	group  int32
	parent []int32 // by state: the state before + 2, 1 after the target, 0 not found
	via    []int32 // by state: the site that leads there
	wanted bitset  // by state: somebody asked for it
	queue  []int32
}

func newJointChains(r *Result, j *joint) *jointChains {
	return &jointChains{r: r, j: j, target: -1, groups: layered.Walk{Graph: j.graph}}
}

// shortest lists the sites of the shortest chain from a target of a result down to a source at a
// throw site, the original call first; ok is false if there is none. Of several, it is the one that
// the search meets first, whatever was asked before.
func (w *jointChains) shortest(r *Result, number int32, src *source, p *throwSite) (sites []int32, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if number != w.target {
		w.target, w.ways = number, map[wayKey][]int32{}
	}
	key := w.key(src, p)
	sites, known := w.ways[key]
	if !known {
		w.search(key, r)
		sites = w.ways[key]
	}
	return sites, sites != nil
}

// search finds the ways from the target to what a key names, and to all that links of a result have
// in its group.
func (w *jointChains) search(key wayKey, r *Result) {
	keys := []wayKey{key}
	w.ways[key] = nil
	for _, l := range r.links[r.start[w.target]:r.start[w.target+1]] {
		p := &r.table.sites[l.site]
		for i := p.sources; i < r.table.sites[l.site+1].sources; i++ {
			src := &r.table.sources[i]
			k := w.key(src, p)
			if _, known := w.ways[k]; known || src.group != key.group {
				continue
			}
			w.ways[k] = nil
			keys = append(keys, k)
		}
	}
	j, x := w.j, &w.walk
	w.start(key.group)
	for _, k := range keys {
		for _, v := range j.vertices[j.nodeStart[k.node]:j.nodeStart[k.node+1]] {
			x.wanted.set(v*int32(numLayers) + int32(k.up))
		}
	}
	left, met := len(keys), 0
	for head := 0; ; head++ {
		for _, s := range x.queue[met:] {
			if !x.wanted.has(s) {
				continue
			}
			for _, k := range keys {
				if w.ways[k] == nil && w.ends(k, s) {
					w.ways[k] = x.sitesTo(s)
					left--
				}
			}
		}
		if met = len(x.queue); left == 0 || head == met {
			return
		}
		w.step(x.queue[head])
	}
}

// start begins the search for a group at the target's calls.
func (w *jointChains) start(group int32) {
	x := &w.walk
	w.clear(group)
	for _, site := range w.r.startSites(group, w.r.targets[w.target]) {
		for _, v := range w.j.roots(site) {
			for l := range int32(numLayers) {
				x.find(v*int32(numLayers)+l, 1, site)
			}
		}
	}
}

// clear begins a search for a group with nothing found.
func (w *jointChains) clear(group int32) {
	x, states := &w.walk, len(w.j.in.Nodes)*int(numLayers)
	if x.parent == nil {
		x.parent, x.via, x.wanted = make([]int32, states), make([]int32, states), newBitset(states)
	}
	clear(x.parent)
	clear(x.wanted)
	x.group, x.queue = group, x.queue[:0]
}

// find enters a state that is new.
func (x *jointWalk) find(state, parent, via int32) {
	if x.parent[state] == 0 {
		x.parent[state], x.via[state] = parent, via
		x.queue = append(x.queue, state)
	}
}

// step goes on from a state: down the edges along which exceptions of the
// group come up to it. Edges of one site stand together, most of them.
func (w *jointChains) step(s int32) {
	x, in := &w.walk, w.j.in
	v, up := s/int32(numLayers), layer(s%int32(numLayers))
	sites, to := in.Sites[in.Start[v]:in.Start[v+1]], in.To[in.Start[v]:in.Start[v+1]]
	for e := 0; e < len(sites); {
		site := sites[e]
		fromSneaky, fromTyped := w.j.graph.ClimbsTo(site, x.group, up)
		for ; e < len(sites) && sites[e] == site; e++ {
			if fromSneaky {
				x.find(to[e]*int32(numLayers)+int32(sneaky), s+2, site)
			}
			if fromTyped {
				x.find(to[e]*int32(numLayers)+int32(typed), s+2, site)
			}
		}
	}
}

// survives tells whether a chain to a source at a throw site, the original call first,
// can be taken on the graph.
func (w *jointChains) survives(sites []int32, src *source, p *throwSite) bool {
	in := w.j.in
	var at, next []int32 // states
	for _, v := range w.j.roots(sites[0]) {
		for l := range int32(numLayers) {
			at = append(at, v*int32(numLayers)+l)
		}
	}
	for _, site := range sites[1:] {
		next = next[:0]
		for _, s := range at {
			v, up := s/int32(numLayers), layer(s%int32(numLayers))
			for e := in.Start[v]; e < in.Start[v+1]; e++ {
				if in.Sites[e] != site {
					continue
				}
				fromSneaky, fromTyped := w.j.graph.ClimbsTo(site, src.group, up)
				if fromSneaky {
					next = append(next, in.To[e]*int32(numLayers)+int32(sneaky))
				}
				if fromTyped {
					next = append(next, in.To[e]*int32(numLayers)+int32(typed))
				}
			}
		}
		slices.Sort(next)
		at, next = slices.Compact(next), at
	}
	return slices.ContainsFunc(at, func(s int32) bool {
		return layer(s%int32(numLayers)) == src.layer && in.Nodes[s/int32(numLayers)] == p.node &&
			in.throws(s/int32(numLayers), src, p)
	})
}

// sitesTo lists the sites that lead to a state that was found.
func (x *jointWalk) sitesTo(state int32) (sites []int32) {
	for s := state; ; s = x.parent[s] - 2 {
		sites = append(sites, x.via[s])
		if x.parent[s] == 1 {
			slices.Reverse(sites)
			return sites
		}
	}
}
