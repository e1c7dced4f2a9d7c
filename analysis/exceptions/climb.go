package exceptions

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/internal/components"
)

// This file computes where the exceptions of a group climb: the part of the
// call graph in which the solver looks for their handlers.

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) unset(i int32)    { b[i>>6] &^= 1 << (i & 63) }

// climb is the call graph as one group of exceptions sees it, with edges from
// callers to callees. Its vertices are nodes that the exceptions leave and
// callee sets that they come out of, each in a layer: vertex i is nodes[i] for
// i < len(nodes), else sets[i-len(nodes)]. Both are ascending.
type climb struct {
	nodes []int32 // node*numLayers + layer
	sets  []int32 // set*numLayers + layer; with bySite, site*numLayers + layer
	start []int32 // the edges of vertex v are to[start[v]:start[v+1]]
	to    []int32
	sites []int32 // by edge of a node: the call graph's site
	// comp is the strongly connected component of each vertex; edges lead from
	// higher to lower or equal ones. order lists the vertices by descending
	// component.
	comp, order []int32
	components  int
	relayed     []int32 // throw sites that relay the group, see relays.go
	bySite      bool    // see localClimb
}

// node returns the vertex of a node in a layer, or -1.
func (c *climb) node(n callgraph.NodeID, l layer) int32 {
	if i, ok := slices.BinarySearch(c.nodes, int32(n)*int32(numLayers)+int32(l)); ok {
		return int32(i)
	}
	return -1
}

// set returns the vertex of a callee set in a layer, or -1.
func (c *climb) set(s callgraph.SetID, l layer) int32 {
	if i, ok := slices.BinarySearch(c.sets, int32(s)*int32(numLayers)+int32(l)); ok {
		return int32(len(c.nodes) + i)
	}
	return -1
}

// entry returns the vertex that the exceptions of a site come out of in a layer,
// or -1.
func (c *climb) entry(g *callgraph.Graph, site int32, l layer) int32 {
	if c.bySite {
		return c.set(callgraph.SetID(site), l)
	}
	return c.set(g.Sites[site].Set, l)
}

// climber makes climbs. It holds scratch memory of the size of the call graph
// and is not safe for concurrent use.
type climber struct {
	s          *solver
	seenNode   bitset
	seenSet    bitset
	nodes      []int32 // found, in the order of discovery; the worklist
	sets       []int32
	edges      []climbEdge
	nodeVertex []int32 // by node and layer, valid for what was found
	setVertex  []int32 // by set and layer, likewise
	group      int32
	relayed    []int32
	direct     bool // relays are left out
	w          walker
	condenser  components.Finder
}

// climbEdge leads from a node to a set, both in layers.
type climbEdge struct{ from, to, site int32 }

func newClimber(s *solver) *climber {
	return &climber{s: s, seenNode: newBitset(s.g.NumNodes() * int(numLayers)),
		seenSet:    newBitset(s.g.NumSets() * int(numLayers)),
		nodeVertex: make([]int32, s.g.NumNodes()*int(numLayers)),
		setVertex:  make([]int32, s.g.NumSets()*int(numLayers))}
}

// run follows the exceptions of a group up from its throw sites: the nodes m
// with RT(m) not empty for the group. A callee set's callers are visited once,
// however many of its members throw.
func (c *climber) run(k int32) *climb {
	gr := &c.s.table.groups[k]
	c.w.treat, c.group, c.relayed = gr.treat, k, nil
	for _, i := range c.s.groupSources(k) {
		src := &c.s.table.sources[i]
		p := &c.s.table.sites[src.site]
		c.arrive(p.node, p.cover, false)
		if c.leaves(p.node, p.cover) {
			c.reach(int32(p.node)*int32(numLayers) + int32(src.layer))
		}
	}
	for i := 0; i < len(c.nodes); i++ {
		n, l := callgraph.NodeID(c.nodes[i]/int32(numLayers)), c.nodes[i]%int32(numLayers)
		for _, set := range c.s.g.SetsWith(n) {
			if x := int32(set)*int32(numLayers) + l; !c.seenSet.has(x) {
				c.seenSet.set(x)
				c.sets = append(c.sets, x)
				c.callers(gr, set, layer(l))
			}
		}
	}
	out := c.freeze()
	for _, x := range c.nodes {
		c.seenNode[x>>6] = 0
	}
	for _, x := range c.sets {
		c.seenSet[x>>6] = 0
	}
	c.nodes, c.sets, c.edges = c.nodes[:0], c.sets[:0], c.edges[:0]
	return out
}

// callers goes on from a set to the methods that call it.
func (c *climber) callers(gr *group, set callgraph.SetID, l layer) {
	for _, i := range c.s.g.SitesOfSet(set) {
		site, n := &c.s.g.Sites[i], c.s.g.NodeOfSite(i)
		passes := gr.pass(site.Kind)
		if wrapped := gr.wrapped(site.Kind); passes || wrapped {
			c.arrive(n, site.Cover, wrapped || site.Kind == callgraph.ReflectionPlain)
		}
		if !passes {
			continue
		}
		to, ok := c.s.declared.step(gr, n, site, l)
		if !ok || !c.leaves(n, site.Cover) {
			continue
		}
		x := int32(n)*int32(numLayers) + int32(to)
		c.reach(x)
		c.edges = append(c.edges, climbEdge{x, int32(set)*int32(numLayers) + int32(l), i})
	}
}

// leaves tells whether an exception of the group that occurs under a cover of a
// node may leave it.
func (c *climber) leaves(n callgraph.NodeID, cover uint16) bool {
	return cover == 0 || c.w.walk(c.s.f.flow(n), cover)
}

func (c *climber) reach(x int32) {
	if !c.seenNode.has(x) {
		c.seenNode.set(x)
		c.nodes = append(c.nodes, x)
	}
}

// freeze makes the climb of what was found.
func (c *climber) freeze() *climb {
	out := &climb{nodes: slices.Clone(c.nodes), sets: slices.Clone(c.sets)}
	slices.Sort(out.nodes)
	slices.Sort(out.sets)
	for i, x := range out.nodes {
		c.nodeVertex[x] = int32(i)
	}
	for i, x := range out.sets {
		c.setVertex[x] = int32(len(out.nodes) + i)
	}
	out.start = make([]int32, 1, len(out.nodes)+len(out.sets)+1)
	out.to, out.sites = make([]int32, 0, 2*len(c.edges)), make([]int32, len(c.edges))
	out.nodeEdges(c)
	for _, x := range out.sets {
		l := x % int32(numLayers)
		for _, n := range c.s.g.Targets(callgraph.SetID(x / int32(numLayers))) {
			if y := int32(n)*int32(numLayers) + l; c.seenNode.has(y) {
				out.to = append(out.to, c.nodeVertex[y])
			}
		}
		out.start = append(out.start, int32(len(out.to)))
	}
	out.condense(&c.condenser)
	out.relayed = c.relayed
	return out
}

// nodeEdges lays out the edges of nodes, by site.
func (out *climb) nodeEdges(c *climber) {
	count := make([]int32, len(out.nodes)+1)
	for _, e := range c.edges {
		count[c.nodeVertex[e.from]+1]++
	}
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	out.start = append(out.start, count[1:]...)
	sorted := make([]climbEdge, len(c.edges))
	for _, e := range c.edges {
		v := c.nodeVertex[e.from]
		sorted[count[v]] = e
		count[v]++
	}
	for v := range out.nodes {
		slices.SortFunc(sorted[out.start[v]:out.start[v+1]], func(a, b climbEdge) int {
			return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.to, b.to))
		})
	}
	for i, e := range sorted {
		out.to = append(out.to, c.setVertex[e.to])
		out.sites[i] = e.site
	}
}

// condense finds the strongly connected components.
func (c *climb) condense(with *components.Finder) {
	c.comp, c.order, c.components = with.Find(c.start, c.to, c.comp, c.order)
}

// reversed are the edges of a climb backwards: those into vertex v come from
// from[start[v]:start[v+1]].
type reversed struct{ start, from []int32 }

// reverse lists the edges backwards.
func (c *climb) reverse() reversed {
	start := make([]int32, len(c.start))
	for _, u := range c.to {
		start[u+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	from, fill := make([]int32, len(c.to)), slices.Clone(start)
	for v := range int32(len(c.start) - 1) {
		for _, u := range c.to[c.start[v]:c.start[v+1]] {
			from[fill[u]] = v
			fill[u]++
		}
	}
	return reversed{start, from}
}
