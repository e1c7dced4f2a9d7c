package exceptions

import (
	"slices"
	"sync"
)

// This file finds the calls of a try from which the exception of a link may come.

// Starts lists the sites of the call graph with which chains of a link start, ascending: calls of
// the try. NoCall is among them where the throw stands in the try itself. That of Calls is one. The
// list is not to be changed.
//
// It searches the call graph once for each call of the try and group of exceptions, for all links
// of a target together: ask for those of one catch after the other.
func (r *Result) Starts(id LinkID) []int32 {
	l, _ := r.locate(id)
	c := &r.chains.starts
	c.Lock()
	defer c.Unlock()
	bySite, ok := c.byTarget[l.target]
	if !ok {
		if c.byTarget == nil || len(c.byTarget) == maxStartTargets {
			c.byTarget = map[int32]map[int32][]int32{}
		}
		bySite = r.startsOf(l.target)
		c.byTarget[l.target] = bySite
	}
	return bySite[l.site]
}

// NoCall is what Starts has for a throw in the try itself.
const NoCall = noSite

// startCache keeps what Starts says of a few targets, by throw site.
type startCache struct {
	sync.Mutex
	byTarget map[int32]map[int32][]int32
}

// maxStartTargets is how many targets a startCache keeps: a catch has a target for each copy that
// the compiler made of its code, and its links are asked for with all of them.
const maxStartTargets = 16

func (r *Result) startsOf(target int32) map[int32][]int32 {
	out := map[int32][]int32{}
	add := func(site, call int32) {
		if i, found := slices.BinarySearch(out[site], call); !found {
			out[site] = slices.Insert(out[site], i, call)
		}
	}
	links, joint := r.links[r.start[target]:r.start[target+1]], map[int32][]int32{} // links, by group
	for i := range links {
		l := &links[i]
		p := &r.table.sites[l.site]
		onJoint := r.joint() && int(target) < r.distinct && !r.isRelayed(l)
		for s := p.sources; s < r.table.sites[l.site+1].sources; s++ {
			src := &r.table.sources[s]
			if r.arrivesLocally(src.group, r.targets[target], p) {
				add(l.site, NoCall)
			}
			if onJoint {
				joint[src.group] = append(joint[src.group], l.site)
			} else if r.leavesFrom(src.group, p) {
				r.startsOnGraph(target, src, p, func(call int32) { add(l.site, call) })
			}
		}
	}
	for k, sites := range joint {
		r.confirmed.ways.starts(k, target, func(site, call int32) {
			if slices.Contains(sites, site) {
				add(site, call)
			}
		})
	}
	return out
}

// startsOnGraph finds the calls from which a source can be reached in the call graph.
func (r *Result) startsOnGraph(target int32, src *source, p *throwSite, found func(call int32)) {
	r.chains.Lock()
	passages := r.passages(src.group, target, p)
	r.chains.Unlock()
	for _, ps := range passages {
		end := ps.c.node(p.node, src.layer)
		if end < 0 {
			continue
		}
		above := r.chains.aboveOf(ps.c, end)
		for _, call := range ps.starts {
			for l := range numLayers {
				if v := ps.c.entry(r.g, call, l); v >= 0 && above.has(v) {
					found(call)
				}
			}
		}
	}
}

// starts finds, of each call of a target, the throw sites of a group whose exceptions come out of
// it.
func (w *jointChains) starts(k, target int32, found func(site, call int32)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, call := range w.r.startSites(k, w.r.targets[target]) {
		for _, site := range w.sourcesFrom(k, w.bothLayers(w.j.roots(call))) {
			found(site, call)
		}
	}
}
