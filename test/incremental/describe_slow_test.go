//go:build slow

package incremental

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file describes what is in a snapshot by names, as numbers differ.

// names names the nodes and sets of a graph by hashes of what they are.
type names struct {
	g       *callgraph.Graph
	methods []string // by node; empty for those that are no method
	nodes   []uint64
	sets    []uint64
}

// seed is the same for the two graphs of a comparison.
var seed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(seed, s) }

func methodName(g *callgraph.Graph, m hierarchy.MethodID) string {
	if m == hierarchy.NoMethod {
		return "-"
	}
	f := g.H.Method(m)
	return g.H.Name(g.H.Owner(m)) + "." + f.Name + f.Desc
}

func namesOf(g *callgraph.Graph) *names {
	x := &names{g: g, methods: make([]string, g.NumNodes()), nodes: make([]uint64, g.NumNodes()),
		sets: make([]uint64, g.NumSets())}
	for n := range x.nodes {
		if m := g.Nodes[n].Method; m != hierarchy.NoMethod {
			x.methods[n] = methodName(g, m)
			x.nodes[n] = hash(x.methods[n])
		}
	}
	refs := map[hierarchy.MethodID]uint64{}
	for s := range x.sets {
		m := g.Ref(callgraph.SetID(s))
		if _, ok := refs[m]; !ok {
			refs[m] = hash(methodName(g, m))
		}
		x.sets[s] = refs[m]
		for _, t := range g.Targets(callgraph.SetID(s)) {
			x.sets[s] += mix(x.nodes[t])
		}
	}
	again := slices.Clone(x.sets)
	for n := range x.nodes {
		if g.Nodes[n].Method == hierarchy.NoMethod { // between a lambda and what it calls
			x.nodes[n] = x.sites(callgraph.NodeID(n), x.sets)
		}
	}
	for s := range again {
		for _, t := range g.Targets(callgraph.SetID(s)) {
			if g.Nodes[t].Method == hierarchy.NoMethod {
				again[s] += mix(x.nodes[t])
			}
		}
	}
	x.sets = again
	return x
}

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9E3779B97F4A7C15
	return x ^ x>>29
}

// sites are the sites of a node with what they lead to.
func (x *names) sites(n callgraph.NodeID, sets []uint64) (h uint64) {
	for _, s := range x.g.SitesOf(n) {
		to := uint64(0)
		if s.Set != callgraph.NoSet && len(x.g.Targets(s.Set)) > 0 {
			to = sets[s.Set]
		}
		h = mix(h + to + uint64(s.Index)<<24 + uint64(s.Cover)<<8 + uint64(s.Kind)<<4 + uint64(s.Origin) + 1)
	}
	return h
}

// graphOf describes a call graph: each method with its sites.
func graphOf(s *snapshot.Snapshot) map[string]string {
	g := s.CallGraph()
	x := namesOf(g)
	out := make(map[string]string, len(x.nodes))
	synthetic := uint64(0)
	for n := range x.nodes {
		if g.Nodes[n].Method != hierarchy.NoMethod {
			out[x.methods[n]] = strconv.Itoa(len(g.SitesOf(callgraph.NodeID(n)))) + " sites, " +
				strconv.FormatUint(x.sites(callgraph.NodeID(n), x.sets), 16)
		} else {
			synthetic += mix(x.nodes[n])
		}
	}
	var entries, created []string
	for _, n := range g.Entries {
		entries = append(entries, methodName(g, g.Nodes[n].Method))
	}
	for _, t := range g.Created() {
		created = append(created, g.H.Name(t))
	}
	slices.Sort(entries)
	slices.Sort(created)
	out["(entries)"] = strings.Join(entries, "\n")
	out["(created)"] = strings.Join(created, "\n")
	out["(synthetic nodes)"] = fmt.Sprintf("%x", synthetic)
	return out
}

// catchesOf describes catches with their links. Of equally short chains either may
// be the shortest: the lengths are compared.
func catchesOf(s *snapshot.Snapshot) map[string]string {
	out := map[string]string{}
	for i, c := range s.Catches {
		var b strings.Builder
		fmt.Fprintf(&b, "%s:%d:%d %s %v %v, %d discarded\n", c.File.Path, c.Line, c.Column, c.Method, c.Types,
			c.Handlers, c.Discarded)
		for k, l := range c.Links {
			root := ""
			if l.Root != nil {
				root = fmt.Sprint(*l.Root)
			}
			fmt.Fprintf(&b, "  %s %v %s %v %v %v", l.ID, *l.Site, l.Exception, l.Own, root, l.Cause)
			if (i+k)%7 == 0 {
				fmt.Fprintf(&b, " chain of %d", len(l.Chain()))
			}
			b.WriteByte('\n')
		}
		out[fmt.Sprintf("%4d %s", i, c.ID)] = b.String()
	}
	return out
}
