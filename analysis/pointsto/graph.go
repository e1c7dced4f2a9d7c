package pointsto

// This file makes the call graph of a solver whose work is done.

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto/model"
)

// graph makes the call graph; callees lists those of a site of a node, in memory that is valid
// until the next call.
func (s *solver) graph(v *callgraph.Values,
	callees func(n callgraph.NodeID, k int) []callgraph.NodeID) *callgraph.Graph {
	first := s.sitesOfNodes()
	all, refs := make([]callgraph.Site, first[len(s.nodes)]), make([]hierarchy.MethodID, first[len(s.nodes)])
	for i := range s.gsites {
		g := &s.gsites[i]
		at := first[g.node] + g.k
		all[at], refs[at] = g.site, g.ref
	}
	sites := make([][]callgraph.Site, len(s.nodes))
	for n := range sites {
		sites[n] = all[first[n]:first[n+1]]
	}
	return callgraph.Assemble(callgraph.Parts{
		H: s.H, Algorithm: algorithms[s.policy], Methods: s.nodes, Sites: sites, Targets: callees,
		Refs:    func(n callgraph.NodeID, k int) hierarchy.MethodID { return refs[int(first[n])+k] },
		Entries: s.entries, Created: s.NewTypes(), Problems: s.problems, Values: v, Workspace: s.Config.Workspace,
		Tokens: s.Names.Found(),
	})
}

// sitesOfNodes numbers the sites of the call graph's nodes: those of node n begin with the n-th
// number and end before the next.
func (s *solver) sitesOfNodes() []int32 {
	first := make([]int32, len(s.nodes)+1)
	for n, i := range s.firstInst {
		first[n+1] = first[n] + s.insts[i].nsites
	}
	return first
}

// calleesOfNodes says what solver.graph asks for.
func (r *Result) calleesOfNodes() func(n callgraph.NodeID, k int) []callgraph.NodeID {
	var targets []callgraph.NodeID
	return func(n callgraph.NodeID, k int) []callgraph.NodeID {
		targets = targets[:0]
		for _, x := range r.byGraph[n] {
			if k < int(r.nodes[x].nsites) {
				for _, c := range r.site(x, k).callees {
					targets = append(targets, r.nodes[c].graph)
				}
			}
		}
		return targets
	}
}

// calleesOfNodes says what solver.graph asks for, without a Result.
func (s *solver) calleesOfNodes() func(n callgraph.NodeID, k int) []callgraph.NodeID {
	first := s.sitesOfNodes()
	place := make([]int32, len(s.isites)) // in the numbers of first, -1 where the node has no such site
	for i := range s.isites {
		is := &s.isites[i]
		n := s.insts[is.inst].node
		if place[i] = first[n] + is.k; place[i] >= first[n+1] {
			place[i] = -1
		}
	}
	ends := make([]int32, first[len(s.nodes)]+1) // of the callees of each site, when they are listed
	for _, e := range s.edgesOf {
		if at := place[e.site]; at >= 0 {
			ends[at+1]++
		}
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	list := make([]callgraph.NodeID, ends[len(ends)-1])
	for _, e := range s.edgesOf {
		if at := place[e.site]; at >= 0 {
			list[ends[at]] = s.insts[e.inst].node
			ends[at]++
		}
	}
	more := s.sharedCallees(place)
	var both []callgraph.NodeID
	return func(n callgraph.NodeID, k int) []callgraph.NodeID {
		at, from := first[n]+int32(k), int32(0)
		if at > 0 {
			from = ends[at-1]
		}
		own := list[from:ends[at]]
		switch shared := more[at]; {
		case len(shared) == 0:
			return own
		case len(shared) == 1 && len(own) == 0:
			return shared[0]
		default:
			both = append(both[:0], own...)
			for _, x := range shared {
				both = append(both, x...)
			}
			return both
		}
	}
}

// sharedCallees are the lists of callees that sites have with others, of groups and of pools, by
// the place of the site.
func (s *solver) sharedCallees(place []int32) map[int32][][]callgraph.NodeID {
	out := map[int32][][]callgraph.NodeID{}
	lists := make([][]callgraph.NodeID, s.NumGroups())
	for i := range s.calls {
		k, at := s.calls[i].group, place[s.calls[i].site]
		if k == 0 || at < 0 {
			continue
		}
		if lists[k] == nil {
			s.calleesOf(k, func(inst int32) { lists[k] = append(lists[k], s.insts[inst].node) })
			slices.Sort(lists[k])
			lists[k] = slices.Compact(lists[k])
		}
		out[at] = append(out[at], lists[k])
	}
	var pools [model.NumPools][]callgraph.NodeID
	for i := range pools {
		for _, m := range s.Pool(int8(i)).Members {
			pools[i] = append(pools[i], s.insts[m].node)
		}
	}
	for i := range s.isites {
		if p := s.isites[i].pool; p >= 0 && place[i] >= 0 {
			out[place[i]] = append(out[place[i]], pools[p])
		}
	}
	return out
}
