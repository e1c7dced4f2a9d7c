package exceptions

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/handed"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file is about relays: throw sites of the JDK that throw, past the
// compiler's check, what other methods caught before (natives.Row.Relays). To
// take the static type of what they throw, Throwable, would link them with
// almost every catch. Instead a relay throws the exceptions of a group if and
// only if the group's exceptions arrive in a handler of those methods, in the
// sneaky layer. Each group is decided for itself while its climb is made.

// relays says where the exceptions of relays come from.
type relays struct {
	from  map[callgraph.NodeID][]int32 // relays, by node whose handlers feed them
	nodes bitset                       // the keys of from
}

// relay marks the open throw site as a relay, if the table of natives says so.
func (s *siteFinder) relay(n callgraph.NodeID) bool {
	m := s.g.Method(n)
	row, ok := natives.Model(s.g.Class(n), m.Name, m.Desc, m.Access&hierarchy.AccNative != 0)
	if !ok {
		return false
	}
	if row.RelaysAny.Class != "" && len(nodesNamed(s.g, row.RelaysAny)) > 0 {
		s.add(span{t: s.roots.throwable, cone: true}, s.st.Own != nil && s.st.Own(s.g.Class(n)), true)
		return true
	}
	if len(row.Relays) == 0 {
		return false
	}
	s.table.sites[len(s.table.sites)-1].relay = true
	for _, d := range row.Throws {
		s.addNamed(d, s.st.Own != nil && s.st.Own(s.g.Class(n)))
	}
	return true
}

// nodesNamed lists the reached methods that a row of the table names.
func nodesNamed(g *callgraph.Graph, m natives.Method) []callgraph.NodeID {
	t := g.H.Lookup(m.Class)
	if t == hierarchy.NoType || g.H.Facts(t) == nil {
		return nil
	}
	var out []callgraph.NodeID
	for i := range g.H.Facts(t).Methods {
		if m.Name != "" && g.H.Facts(t).Methods[i].Name != m.Name {
			continue
		}
		if n := g.NodeOf(g.H.MethodAt(t, i)); n != callgraph.NoNode {
			out = append(out, n)
		}
	}
	return out
}

// findRelays collects the relays of a table.
func findRelays(g *callgraph.Graph, table *siteTable) *relays {
	r := &relays{from: map[callgraph.NodeID][]int32{}, nodes: newBitset(g.NumNodes())}
	for i := range table.sites[:len(table.sites)-1] {
		p := &table.sites[i]
		if !p.relay {
			continue
		}
		m := g.Method(p.node)
		row, _ := natives.Model(g.Class(p.node), m.Name, m.Desc, m.Access&hierarchy.AccNative != 0)
		if handed.Unasked(g, p.node) {
			continue
		}
		for _, from := range row.Relays {
			for _, n := range nodesNamed(g, from) {
				r.from[n] = append(r.from[n], int32(i))
				r.nodes.set(int32(n))
			}
		}
	}
	return r
}

// arrive is told, while a group's climb is made, that its exceptions occur under
// a cover of a method; taken tells that reflection takes them there, whatever
// the handlers.
func (c *climber) arrive(n callgraph.NodeID, cover uint16, taken bool) {
	if c.direct || !c.s.relays.nodes.has(int32(n)) {
		return
	}
	hit := taken
	if !hit {
		c.w.arrive = func(uint16) { hit = true }
		c.w.walk(c.s.f.flow(n), cover)
		c.w.arrive = nil
	}
	if !hit {
		return
	}
	for _, i := range c.s.relays.from[n] {
		if !slices.Contains(c.relayed, i) && c.s.studies(c.group, &c.s.table.sites[i]) {
			p := &c.s.table.sites[i]
			c.relayed = append(c.relayed, i)
			if c.leaves(p.node, p.cover) {
				c.reach(int32(p.node)*int32(numLayers) + int32(sneaky))
			}
		}
	}
}

// studies tells whether a throw site of the JDK or the workspace counts when it
// throws exceptions of a group.
func (s *solver) studies(k int32, p *throwSite) bool {
	if s.hands(k) { // the workspace threw it
		return true
	}
	src := &s.table.sources[s.groupSources(k)[0]]
	own := s.studied.Own != nil && s.studied.Own(s.g.Class(p.node))
	part, ok := confine(s.studied, s.g.H, &s.roots, src.span, own)
	return ok && part == src.span
}

// relayKey identifies a source of a relay.
type relayKey struct{ site, group int32 }

// gather adds to the sources of relays the groups that they throw, and returns
// the new sources; relayed tells by group which relays throw it.
func (s *solver) gather(relayed [][]int32) map[relayKey]int32 {
	var more []source
	for k := range int32(len(relayed)) {
		for _, site := range relayed[k] {
			more = append(more, source{site: site, group: k, layer: sneaky, span: s.commonSpan(k)})
		}
	}
	old := len(s.table.sources)
	order := make([]int32, old+len(more))
	for i := range order {
		order[i] = int32(i)
	}
	all := append(slices.Clone(s.table.sources), more...)
	slices.SortStableFunc(order, func(a, b int32) int { return int(all[a].site) - int(all[b].site) })
	s.moved = make([]int32, len(all))
	sourceOf := make(map[relayKey]int32, len(more))
	sorted := make([]source, len(all))
	for to, from := range order {
		sorted[to], s.moved[from] = all[from], int32(to)
		if int(from) >= old {
			sourceOf[relayKey{all[from].site, all[from].group}] = int32(to)
		}
	}
	i := 0
	for p := range s.table.sites {
		for i < len(sorted) && int(sorted[i].site) < p {
			i++
		}
		s.table.sites[p].sources = int32(i)
	}
	s.table.sites[len(s.table.sites)-1].sources = int32(len(sorted))
	s.table.sources = sorted
	s.sortSources()
	return sourceOf
}

// commonSpan is what is known of the type of any exception of a group.
func (s *solver) commonSpan(k int32) span {
	list := s.groupSources(k)
	out := s.table.sources[list[0]].span
	for _, i := range list[1:] {
		if sp := s.table.sources[i].span; sp != out {
			out.t, out.cone = s.g.H.CommonSuperclass(out.t, sp.t), true
		}
	}
	return out
}
