package exceptions

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file finds the links whose exceptions come through a call, on the graph that confirmed a
// result.

// through adds the links that come through sites of a node, which one call stands for.
func (w *jointChains) through(n callgraph.NodeID, sites []int32, b *landings) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k := range int32(len(w.r.table.groups)) {
		if len(w.r.solver.groupSources(k)) == 0 {
			continue
		}
		for _, s := range sites {
			if !w.r.table.groups[k].pass(w.r.g.Sites[s].Kind) {
				continue
			}
			if caught := w.caughtAt(k, n, s); len(caught) > 0 {
				w.land(b, caught, w.sourcesFrom(k, w.bothLayers(w.j.roots(s))))
			}
			w.linkCallers(k, n, s, b)
		}
	}
}

// land adds the links from throw sites to targets.
func (w *jointChains) land(b *landings, targets, sites []int32) {
	for _, t := range targets {
		for _, p := range sites {
			b.link(t, p)
		}
	}
}

// linkCallers adds the links to targets of other methods, or of other executions of this one, to
// which exceptions of a group come through a site.
func (w *jointChains) linkCallers(k int32, n callgraph.NodeID, site int32, b *landings) {
	in := w.j.in
	for _, v := range w.j.vertices[w.j.nodeStart[n]:w.j.nodeStart[n+1]] {
		for up := range numLayers {
			var below []int32
			for e := in.Start[v]; e < in.Start[v+1]; e++ {
				if in.Sites[e] != site {
					continue
				}
				fromSneaky, fromTyped := w.j.climbsTo(site, k, up)
				if fromSneaky {
					below = append(below, in.To[e]*int32(numLayers)+int32(sneaky))
				}
				if fromTyped {
					below = append(below, in.To[e]*int32(numLayers)+int32(typed))
				}
			}
			if len(below) == 0 {
				continue
			}
			if sites := w.sourcesFrom(k, below); len(sites) > 0 {
				w.land(b, w.targetsAbove(k, v*int32(numLayers)+int32(up)), sites)
			}
		}
	}
}

func (w *jointChains) bothLayers(vertices []int32) (states []int32) {
	for _, v := range vertices {
		states = append(states, v*int32(numLayers)+int32(typed), v*int32(numLayers)+int32(sneaky))
	}
	return states
}

// caughtAt lists the targets of a node that catch exceptions of a group which come out of a site
// there.
func (w *jointChains) caughtAt(k int32, n callgraph.NodeID, site int32) (out []int32) {
	s := &w.r.g.Sites[site]
	if s.Cover == 0 || !w.r.table.groups[k].pass(s.Kind) {
		return nil
	}
	for _, t := range w.j.targets.at[n] {
		if t >= 0 && w.r.arrives(k, w.r.targets[t], s.Cover) {
			out = append(out, t)
		}
	}
	return out
}

// sourcesFrom lists the throw sites of a group whose exceptions come up to one of some states.
func (w *jointChains) sourcesFrom(k int32, states []int32) (sites []int32) {
	x := &w.walk
	w.clear(k)
	for _, s := range states {
		x.find(s, 1, noSite)
	}
	for head := 0; head < len(x.queue); head++ {
		w.step(x.queue[head])
	}
	for _, i := range w.r.solver.groupSources(k) {
		if !bitset(w.j.leaves).has(i) {
			continue
		}
		src := &w.r.table.sources[i]
		for v := range w.j.throwing(src) {
			if x.parent[v*int32(numLayers)+int32(src.layer)] != 0 {
				sites = append(sites, src.site)
				break
			}
		}
	}
	return sites
}

// targetsAbove lists the targets to which exceptions of a group come that leave a method in a
// state.
func (w *jointChains) targetsAbove(k, state int32) (out []int32) {
	x, j := &w.walk, w.j
	w.clear(k)
	x.find(state, 1, noSite)
	for head := 0; head < len(x.queue); head++ {
		v, l := x.queue[head]/int32(numLayers), layer(x.queue[head]%int32(numLayers))
		for _, e := range j.inEdges[j.inStart[v]:j.inStart[v+1]] {
			if up, ok := j.climbsFrom(e.site, k, l); ok {
				x.find(e.from*int32(numLayers)+int32(up), 1, noSite)
			}
		}
	}
	for _, n := range j.targets.nodes {
		for s := w.r.g.Nodes[n].First; s < w.r.g.Nodes[n].End; s++ {
			if w.r.g.Sites[s].Set == callgraph.NoSet {
				continue
			}
			if caught := w.caughtAt(k, n, s); len(caught) > 0 &&
				slices.ContainsFunc(w.bothLayers(j.roots(s)), func(state int32) bool { return x.parent[state] != 0 }) {
				out = append(out, caught...)
			}
		}
	}
	return out
}
