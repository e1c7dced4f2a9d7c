// Package pointsto finds out which objects variables may point to, and with it
// which methods calls may reach.
package pointsto

import (
	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/hierarchy"
)

// Build analyses the program from the entries. It loads classes into h.
//
// So far it knows of no objects: the graph is that of rta, and every node is
// opaque.
func Build(h *hierarchy.Hierarchy, cfg callgraph.Config, p Policy) *Result {
	g := rta.Build(h, cfg)
	r := &Result{Graph: g, Policy: p, solved: &solution{}}
	for n := range g.Nodes {
		r.nodes = append(r.nodes, nodeInfo{graph: callgraph.NodeID(n), site: int32(len(r.sites)), opaque: true})
		r.byGraph = append(r.byGraph, []Node{Node(n)})
		for _, s := range g.SitesOf(callgraph.NodeID(n)) {
			i := siteInfo{unknown: true}
			for _, t := range g.Targets(s.Set) {
				i.callees = append(i.callees, Node(t))
			}
			r.sites = append(r.sites, i)
		}
	}
	r.Stats.Nodes = len(r.nodes)
	return r
}
