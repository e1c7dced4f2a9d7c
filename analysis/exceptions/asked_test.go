package exceptions

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// This file has what only tests ask of a result.

// ReachingThrows is RT(m) of paper 000, section 3.1: the throw sites whose
// exceptions may leave a method, given by class and position in the class file.
func (r *Result) ReachingThrows(class string, method int) []ThrowSite {
	n := r.g.Find(class, method)
	if n == callgraph.NoNode {
		return nil
	}
	seen := map[int32]bool{}
	var sites []int32
	for k := range int32(len(r.table.groups)) {
		c := r.solver.climb(k)
		for l := range numLayers {
			v := c.node(n, l)
			if v < 0 {
				continue
			}
			for _, src := range r.sourcesBelow(k, c, v) {
				if s := r.table.sources[src].site; !seen[s] {
					seen[s] = true
					sites = append(sites, s)
				}
			}
		}
	}
	slices.Sort(sites)
	var out []ThrowSite
	for _, s := range sites {
		for i := range r.table.sites[s].count {
			out = append(out, r.site(s, i))
		}
	}
	return out
}

// Chains calls yield with chains of a link until it returns false or limit
// chains were found; limited tells that there may be more. Below the try, a
// chain visits no method twice in one layer (checkedrule.go); it may visit the try's own
// again, called from inside. Chains differ in at least one call site.
func (r *Result) Chains(id LinkID, limit int, yield func([]Frame) bool) (limited bool) {
	l, k := r.locate(id)
	line := r.table.members[r.table.sites[l.site].members+k].line
	return r.eachChain(id, limit, func(sites []int32, p *throwSite) bool { return yield(r.frames(sites, p, line)) })
}
