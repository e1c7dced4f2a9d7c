package exceptions

import (
	"slices"
	"sync"
)

// This file finds the shortest call chain of a confirmed link on the graph of what
// can run during original calls: each of its edges can be taken where the chain
// takes it. All that comes out of an original call (carry.go) is not needed for it.

// jointWays looks for chains on the graph that confirmed a result.
type jointWays struct {
	r *Result // before it was confirmed
	j *joint

	mu     sync.Mutex
	target int32 // asked for last
	walks  []*jointWalk
	spare  []*jointWalk
}

// mostWalks bounds the walks that are kept for a target.
const mostWalks = 16

// jointWalk is a breadth-first search from a target down to sources of a group, as
// far as was asked. What it finds are states: a vertex and the layer in which
// exceptions leave its method, vertex*numLayers + layer.
type jointWalk struct {
	group  int32
	parent []int32 // by state: the state before + 2, 1 after the target, 0 not found
	via    []int32 // by state: the site that leads there
	queue  []int32
	head   int
}

func newJointWays(r *Result, j *joint) *jointWays { return &jointWays{r: r, j: j, target: -1} }

// shortest lists the sites of the shortest chain from a target down to a source at a
// throw site, the original call first; ok is false if there is none.
func (w *jointWays) shortest(number int32, src *source, p *throwSite) (sites []int32, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.walk(number, src.group)
	goals := w.j.vertices[w.j.nodeStart[p.node]:w.j.nodeStart[p.node+1]]
	for _, v := range goals {
		way := x.way(v*int32(numLayers) + int32(src.layer))
		if way != nil && (!ok || len(way) < len(sites)) {
			sites, ok = way, true
		}
	}
	for !ok && x.head < len(x.queue) {
		from := len(x.queue)
		w.step(x)
		for _, s := range x.queue[from:] {
			if layer(s%int32(numLayers)) == src.layer && slices.Contains(goals, s/int32(numLayers)) {
				sites, ok = x.way(s), true
				break
			}
		}
	}
	return sites, ok
}

// walk is the search from a target for a group.
func (w *jointWays) walk(number, group int32) *jointWalk {
	if number != w.target {
		w.target = number
		w.spare, w.walks = append(w.spare, w.walks...), nil
	}
	for _, x := range w.walks {
		if x.group == group {
			return x
		}
	}
	if len(w.walks) == mostWalks {
		w.spare, w.walks = append(w.spare, w.walks[0]), slices.Delete(w.walks, 0, 1)
	}
	states := len(w.j.in.Nodes) * int(numLayers)
	x := &jointWalk{parent: make([]int32, states), via: make([]int32, states)}
	if n := len(w.spare); n > 0 {
		x, w.spare = w.spare[n-1], w.spare[:n-1]
		clear(x.parent)
		x.queue, x.head = x.queue[:0], 0
	}
	x.group = group
	w.walks = append(w.walks, x)
	for _, site := range w.r.startSites(group, w.r.targets[number]) {
		for _, v := range w.j.roots(site) {
			for l := range int32(numLayers) {
				x.find(v*int32(numLayers)+l, 1, site)
			}
		}
	}
	return x
}

// find enters a state that is new.
func (x *jointWalk) find(state, parent, via int32) {
	if x.parent[state] == 0 {
		x.parent[state], x.via[state] = parent, via
		x.queue = append(x.queue, state)
	}
}

// step goes on from the next state: down the edges along which exceptions of the
// group come up to it.
func (w *jointWays) step(x *jointWalk) {
	s := x.queue[x.head]
	x.head++
	v, up := s/int32(numLayers), layer(s%int32(numLayers))
	in := w.j.in
	for e := in.Start[v]; e < in.Start[v+1]; e++ {
		fromSneaky, fromTyped := w.j.climbsTo(in.Sites[e], x.group, up)
		to := in.To[e] * int32(numLayers)
		if fromSneaky {
			x.find(to+int32(sneaky), s+2, in.Sites[e])
		}
		if fromTyped {
			x.find(to+int32(typed), s+2, in.Sites[e])
		}
	}
}

// climbsTo tells from which layers below exceptions of a group come through a site
// and leave its method in a layer.
func (j *joint) climbsTo(site, group int32, up layer) (fromSneaky, fromTyped bool) {
	at := int(j.number[site])*3*j.words + int(group>>6)
	bit := uint64(1) << (group & 63)
	sneaks, types, turns := j.masks[at]&bit != 0, j.masks[at+j.words]&bit != 0, j.masks[at+2*j.words]&bit != 0
	if up == typed {
		return false, types
	}
	return sneaks, !types && turns
}

// survives tells whether a chain to a source at a throw site, the original call first,
// can be taken on the graph.
func (w *jointWays) survives(sites []int32, src *source, p *throwSite) bool {
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
				fromSneaky, fromTyped := w.j.climbsTo(site, src.group, up)
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
		return layer(s%int32(numLayers)) == src.layer && in.Nodes[s/int32(numLayers)] == p.node
	})
}

// way lists the sites that lead to a state, nil if it has not been found.
func (x *jointWalk) way(state int32) (sites []int32) {
	if x.parent[state] == 0 {
		return nil
	}
	for s := state; ; s = x.parent[s] - 2 {
		sites = append(sites, x.via[s])
		if x.parent[s] == 1 {
			slices.Reverse(sites)
			return sites
		}
	}
}
