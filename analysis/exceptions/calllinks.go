package exceptions

import (
	"maps"
	"math/bits"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file finds the links whose exceptions come through a call, on the graph that confirmed a
// result.

// through adds the links that come through sites of a node, which one call stands for.
func (w *jointChains) through(n callgraph.NodeID, sites []int32, b *landings) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range sites {
		groups := newBitset(w.j.words * 64)
		caught := map[int32][]int32{}
		for k := range int32(len(w.r.table.groups)) {
			if w.r.table.groups[k].pass(w.r.g.Sites[s].Kind) && len(w.r.solver.groupSources(k)) > 0 {
				groups.set(k)
				if targets := w.caughtAt(k, n, s); len(targets) > 0 {
					caught[k] = targets
				}
			}
		}
		w.groups.Begin(w.bothLayers(w.j.roots(s)), w.only(caught))
		w.groups.Down()
		w.land(b, caught)
		w.linkCallers(groups, n, s, b)
	}
}

// only is the mask of the groups that have targets.
func (w *jointChains) only(targets map[int32][]int32) bitset {
	groups := newBitset(w.j.words * 64)
	for k := range targets {
		groups.set(k)
	}
	return groups
}

// land adds the links to targets, by group, from the throw sites that a search down has found.
func (w *jointChains) land(b *landings, targets map[int32][]int32) {
	for k, at := range targets {
		for _, p := range w.sources(k) {
			for _, t := range at {
				b.link(t, p)
			}
		}
	}
}

// linkCallers adds the links to targets of other methods, or of other executions of this one, to
// which exceptions of groups come through a site.
func (w *jointChains) linkCallers(groups []uint64, n callgraph.NodeID, site int32, b *landings) {
	vertices := w.j.vertices[w.j.nodeStart[n]:w.j.nodeStart[n+1]]
	if len(vertices) > 1 { // all at once leave most groups out
		w.groups.Begin(w.bothLayers(vertices), groups)
		w.groups.Up()
		groups = w.only(w.targets())
		w.groups.Begin(nil, nil)
		for _, v := range vertices {
			w.groups.AddBelow(v, site, typed, groups)
			w.groups.AddBelow(v, site, sneaky, groups)
		}
		w.groups.Down()
		for k := range int32(len(w.r.table.groups)) {
			if bitset(groups).has(k) && len(w.sources(k)) == 0 {
				bitset(groups).unset(k)
			}
		}
	}
	for _, v := range vertices {
		for up := range numLayers {
			w.groups.Begin([]int32{v*int32(numLayers) + int32(up)}, groups)
			w.groups.Up()
			if targets := w.targets(); len(targets) > 0 {
				w.groups.BeginBelow(v, site, up, w.only(targets))
				w.groups.Down()
				w.land(b, targets)
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
func (w *jointChains) sourcesFrom(k int32, states []int32) []int32 {
	groups := newBitset(w.j.words * 64)
	groups.set(k)
	w.groups.Begin(states, groups)
	w.groups.Down()
	return w.sources(k)
}

// sources lists the throw sites of a group that a search down has found.
func (w *jointChains) sources(k int32) (sites []int32) {
	for _, i := range w.r.solver.groupSources(k) {
		if !bitset(w.j.leaves).has(i) {
			continue
		}
		src := &w.r.table.sources[i]
		for v := range w.j.throwing(src) {
			row := w.groups.Row(v*int32(numLayers) + int32(src.layer))
			if row != nil && bitset(row).has(k) {
				sites = append(sites, src.site)
				break
			}
		}
	}
	return sites
}

// targets lists the targets, by group, that a search up has found.
func (w *jointChains) targets() map[int32][]int32 {
	if w.calls == nil {
		w.calls = map[int32][]targetCall{}
		for _, n := range w.j.targets.nodes {
			for s := w.r.g.Nodes[n].First; s < w.r.g.Nodes[n].End; s++ {
				if site := &w.r.g.Sites[s]; site.Set == callgraph.NoSet || site.Cover == 0 {
					continue
				}
				for _, v := range w.j.roots(s) {
					w.calls[v] = append(w.calls[v], targetCall{n, s})
				}
			}
		}
	}
	out, seen := map[int32][]int32{}, map[int64]bool{}
	for _, state := range w.groups.States {
		for _, call := range w.calls[state/int32(numLayers)] {
			for at, word := range w.groups.Row(state) {
				for ; word != 0; word &= word - 1 {
					k := int32(at*64 + bits.TrailingZeros64(word))
					if key := int64(k)<<32 | int64(call.site); !seen[key] {
						seen[key] = true
						out[k] = append(out[k], w.caughtAt(k, call.node, call.site)...)
					}
				}
			}
		}
	}
	maps.DeleteFunc(out, func(_ int32, targets []int32) bool { return len(targets) == 0 })
	return out
}
