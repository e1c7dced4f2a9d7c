package exceptions

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
)

// This file compares confirmEach with the equations of oracle_test.go, iterated over
// the edges that survive below each original call, on random programs of which
// random edges survive.

// survivors decides at random, but always the same, which edges survive below
// an original call, how many contexts methods have there, and which throws control does not reach.
type survivors struct {
	g         *callgraph.Graph
	seed      uint64
	kept      uint64 // of ten edges survive so many
	closed    uint64 // of ten throws control does not reach so many
	byContext bool   // which ones, differs by context
}

// closes tells whether control does not reach a throw of a method below an original call.
func (s *survivors) closes(original int32, n callgraph.NodeID, context int32, throw int) bool {
	if !s.byContext {
		context = 0
	}
	return s.hash(original, int32(n), context, int32(throw), 11)%10 < s.closed
}

func (s *survivors) hash(values ...int32) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, values)
	return h.Sum64() >> 7
}

func (s *survivors) survives(original, site int32, callee callgraph.NodeID) bool {
	return s.hash(original, site, int32(callee))%10 < s.kept
}

// reached unrolls what runs below an original call: each method in one of two
// contexts, at random by edge.
func (s *survivors) reached(original int32) *Reached {
	out := &Reached{}
	if s.closed > 0 {
		out.Closed = map[int32][]int32{}
	}
	vertex := map[[2]int32]int32{}
	enter := func(site, from int32, n callgraph.NodeID) int32 {
		key := [2]int32{int32(n), int32(s.hash(site, from, int32(n), 7) % 2)}
		if _, ok := vertex[key]; !ok {
			v := int32(len(out.Nodes))
			vertex[key] = v
			out.Nodes = append(out.Nodes, n)
			if m := s.g.Method(n); m != nil {
				for k := range m.Throws() {
					if s.closes(original, n, key[1], k) {
						out.Closed[v] = append(out.Closed[v], int32(k))
					}
				}
			}
		}
		return vertex[key]
	}
	for _, n := range s.g.Targets(s.g.Sites[original].Set) {
		if s.survives(original, original, n) {
			out.Roots = append(out.Roots, enter(original, -1, n))
		}
	}
	for v := 0; v < len(out.Nodes); v++ {
		out.Start = append(out.Start, int32(len(out.To)))
		n := s.g.Nodes[out.Nodes[v]]
		for i := n.First; i < n.End; i++ {
			for _, callee := range s.g.Targets(s.g.Sites[i].Set) {
				if s.survives(original, i, callee) {
					out.Sites = append(out.Sites, i)
					out.To = append(out.To, enter(i, int32(v), callee))
				}
			}
		}
	}
	out.Start = append(out.Start, int32(len(out.To)))
	return out
}

// through is what arrives at handlers of the site's method out of one original
// call, by the equations.
func through(base *oracle, original int32, survives func(site int32, callee callgraph.NodeID) bool,
	closes func(n callgraph.NodeID, throw int) bool) map[arrival]bool {
	g := base.g
	o := &oracle{g: g, st: base.st, rt: make([]map[thrown]bool, g.NumNodes()), caught: map[arrival]bool{},
		survives: survives, closes: closes}
	for i := range o.rt {
		o.rt[i] = map[thrown]bool{}
	}
	for changed := true; changed; {
		changed = false
		for n := range g.Nodes {
			changed = o.update(callgraph.NodeID(n)) || changed
		}
	}
	o.caught = map[arrival]bool{}
	n := g.NodeOfSite(original)
	m, s := g.Method(n), g.Sites[original]
	for _, callee := range g.Targets(s.Set) {
		if !survives(original, callee) {
			continue
		}
		for t := range o.rt[callee] {
			if s.Kind != callgraph.ClassInit || o.mayBe(t.span, "java/lang/Error") {
				o.pass(n, m, t, m.Covers()[s.Cover], map[int]bool{})
			}
		}
	}
	return o.caught
}

// local is what arrives at handlers from throws of their own methods.
func local(base *oracle) map[arrival]bool {
	o := &oracle{g: base.g, st: base.st, caught: map[arrival]bool{}}
	for n := range base.g.Nodes {
		m := base.g.Method(callgraph.NodeID(n))
		for _, t := range o.gen(callgraph.NodeID(n), m) {
			if t.kind == Explicit {
				o.pass(callgraph.NodeID(n), m, t, m.Covers()[m.Throws()[t.ordinal].Cover], map[int]bool{})
			}
		}
	}
	return o.caught
}

func TestConfirmAgainstEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProgram(t)
		st := Studied{Exceptions: ExceptionSet(rapid.IntRange(0, 3).Draw(t, "studied")),
			Sites: Sites(0).With(Native).With(Explicit),
			Own:   func(c string) bool { return c == "C0" }}
		g := cha.Build(loaded(p), callgraph.Config{Workspace: p.names(), Entries: entriesOf(p)})
		s := &survivors{g: g, seed: rapid.Uint64().Draw(t, "seed"),
			kept:   uint64(rapid.SampledFrom([]int{0, 3, 6, 9, 10}).Draw(t, "survive")),
			closed: uint64(rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "closed"))}
		unknown := rapid.IntRange(0, 9).Draw(t, "unknown")
		checkConfirm(t, g, handlersOf(p), st, s, unknown)
	})
}

// checkConfirm compares the links of a confirmed result. Of ten original calls,
// unknown are not understood, if that is one or two.
func checkConfirm(t *rapid.T, g *callgraph.Graph, targets []HandlerRef, st Studied, s *survivors, unknown int) {
	base := newOracle(g, st)
	want := local(base)
	known := func(site int32) bool { return unknown == 0 || unknown > 2 || s.hash(site)%10 >= uint64(unknown) }
	for i := range g.Sites {
		site := int32(i)
		survives := func(x int32, callee callgraph.NodeID) bool { return !known(site) || s.survives(site, x, callee) }
		closes := func(n callgraph.NodeID, throw int) bool { return known(site) && s.closes(site, n, 0, throw) }
		for a := range through(base, site, survives, closes) {
			want[a] = true
		}
	}
	all := Analyze(g, targets, st, nil)
	carry := func(site int32, groups Groups) *Carried {
		for i := range g.Sites {
			all.Climbs(int32(i), groups)
		}
		if !known(site) {
			return nil
		}
		return all.NewCarrier().Carry(s.reached(site))
	}
	r := all.confirmEach(carry)
	if r.Base() != all || all.Base() != nil {
		t.Fatal("Base is wrong")
	}
	for i, target := range targets {
		n := g.Find(target.Class, target.Method)
		seen := map[arrival]bool{}
		for _, id := range r.LinksAt(i) {
			l := r.Link(id)
			at, _ := r.locate(id)
			a := arrival{n, target.Handler, base.siteOf(l.Site, r.table.sites[at.site].node)}
			seen[a] = true
			if !want[a] {
				t.Fatalf("%+v is not carried by surviving edges", l)
			}
			checkLink(t, r, id, l)
			checkSurvivingChain(t, r, id, s, known)
		}
		for a := range want {
			if a.node == n && a.handler == target.Handler && !seen[a] {
				t.Fatalf("%s.%d handler %d: missing link from %s.%s %d", target.Class, target.Method, target.Handler,
					g.Class(a.site.node), g.Method(a.site.node).Name, a.site.ordinal)
			}
		}
		if len(r.LinksAt(i))+len(r.Dropped(i)) != len(all.LinksAt(i)) {
			t.Fatalf("target %d: %d links, %d dropped, %d before", i, len(r.LinksAt(i)), len(r.Dropped(i)),
				len(all.LinksAt(i)))
		}
		for _, id := range r.Dropped(i) {
			if r.Predicts(all.Link(id).Site, i) {
				t.Fatalf("%+v is dropped and predicted", all.Link(id))
			}
		}
	}
}

// joined puts what is reached from all original calls into one graph.
func (s *survivors) joined() (in *Reached, roots func(site int32) []int32) {
	in = &Reached{Closed: map[int32][]int32{}}
	from := map[int32][]int32{}
	for i := range s.g.Sites {
		if s.g.Sites[i].Set == callgraph.NoSet {
			continue
		}
		one, first := s.reached(int32(i)), int32(len(in.Nodes))
		in.Nodes = append(in.Nodes, one.Nodes...)
		for v, throws := range one.Closed {
			in.Closed[first+v] = throws
		}
		for _, v := range one.Roots {
			from[int32(i)] = append(from[int32(i)], first+v)
		}
		for _, e := range one.Start[:len(one.Nodes)] {
			in.Start = append(in.Start, int32(len(in.To))+e)
		}
		in.Sites = append(in.Sites, one.Sites...)
		for _, v := range one.To {
			in.To = append(in.To, first+v)
		}
	}
	in.Start = append(in.Start, int32(len(in.To)))
	return in, func(site int32) []int32 { return from[site] }
}

// What one graph for all original calls confirms is what graphs of their own do.
func TestConfirmJoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProgram(t)
		st := Studied{Exceptions: ExceptionSet(rapid.IntRange(0, 3).Draw(t, "studied")),
			Sites: Sites(0).With(Native).With(Explicit),
			Own:   func(c string) bool { return c == "C0" }}
		g := cha.Build(loaded(p), callgraph.Config{Workspace: p.names(), Entries: entriesOf(p)})
		s := &survivors{g: g, seed: rapid.Uint64().Draw(t, "seed"),
			kept:   uint64(rapid.SampledFrom([]int{0, 3, 6, 9, 10}).Draw(t, "survive")),
			closed: uint64(rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "closed")), byContext: true}
		targets := handlersOf(p)
		all := Analyze(g, targets, st, nil)
		carry := func(site int32, groups Groups) *Carried { return all.NewCarrier().Carry(s.reached(site)) }
		want := all.confirmEach(carry)
		in, roots := s.joined()
		got := all.ConfirmJoint(in, roots, carry)
		for i := range targets {
			if !slices.Equal(got.Dropped(i), want.Dropped(i)) || len(got.LinksAt(i)) != len(want.LinksAt(i)) {
				t.Fatalf("target %d: %d links, dropped %v; one by one %d, %v", i, len(got.LinksAt(i)), got.Dropped(i),
					len(want.LinksAt(i)), want.Dropped(i))
			}
		}
		checkWays(t, got)
		checkAskedOnce(t, got)
		checkCalls(t, got)
		checkCalls(t, all)
		var each []int32
		groups := all.allMasks().empty()
		for i := range targets {
			for _, c := range all.OriginalCalls(i) {
				each = append(each, c.Site)
				union(groups, c.Groups)
			}
		}
		slices.Sort(each)
		each = slices.Compact(each)
		for _, kept := range []string{"all climbs", "every other climb", "no climb"} {
			for k := range all.solver.climbs {
				if kept == "no climb" || kept == "every other climb" && k%2 == 0 {
					all.solver.climbs[k] = nil
				}
			}
			if calls, of := all.AllOriginalCalls(); !slices.Equal(calls, each) || !slices.Equal(of, groups) {
				t.Fatalf("with %s kept: original calls %v of groups %x, one by one %v of %x", kept, calls, of, each,
					groups)
			}
		}
	})
}

// checkAskedOnce checks that the calls of a target are looked for once, however many of its links
// ask: for the others there is no call graph to ask.
func checkAskedOnce(t *rapid.T, r *Result) {
	base := r.confirmed.base
	defer func() { r.confirmed.base = base }()
	for number := range int32(r.distinct) {
		r.confirmed.base = base
		r.originalsOf(number)
		r.confirmed.base = nil
		for _, id := range r.ids(number) {
			if n, _ := r.CountChains(id, 1); n == 0 {
				t.Fatalf("no chain of link %d to target %d", id, number)
			}
		}
	}
}

// checkCalls compares links with those that come through calls: each comes through every call of
// its shortest chain, and those of a try's calls, of its own throws and of initialisers are all
// that its handler has.
func checkCalls(t *rapid.T, r *Result) {
	known := map[[2]int]Landings{}
	at := func(n callgraph.NodeID, call int) []LinkID {
		key := [2]int{int(n), call}
		if _, ok := known[key]; !ok {
			known[key] = r.CaughtAtCall(r.g.Class(n), r.g.H.Index(r.g.Nodes[n].Method), call)
		}
		return known[key].Links
	}
	for i := range r.asked {
		number := r.inner(i)
		target, union := r.targets[number], []LinkID(nil)
		if target.node == callgraph.NoNode {
			continue
		}
		for s := r.g.Nodes[target.node].First; s < r.g.Nodes[target.node].End; s++ {
			if site := &r.g.Sites[s]; site.Origin == callgraph.FromCalls {
				union = append(union, at(target.node, int(site.Index))...)
			} else {
				b := landings{r: r}
				b.call(target.node, s)
				if r.confirmed != nil {
					r.confirmed.ways.through(target.node, []int32{s}, &b)
				}
				union = append(union, b.sorted().Links...)
			}
		}
		for _, id := range r.LinksAt(i) {
			l, _ := r.locate(id)
			if !slices.Contains(union, id) && !r.local(target, l.site) {
				t.Fatalf("no call of the method of target %d has its link %+v", i, r.Link(id))
			}
			for _, s := range r.ChainOf(id).Sites {
				site, n := &r.g.Sites[s], r.g.NodeOfSite(s)
				if site.Origin == callgraph.FromCalls && r.g.Method(n) != nil &&
					!slices.Contains(at(n, int(site.Index)), id) {
					t.Fatalf("call %d of %s.%s does not have %+v, whose chain leads through it", site.Index,
						r.g.Class(n), r.g.Method(n).Name, r.Link(id))
				}
			}
		}
	}
}

// checkWays compares the shortest chain of each link, which is found together with those of others,
// with what a search for it alone finds first, and the calls that their chains start with.
func checkWays(t *rapid.T, r *Result) {
	w := r.confirmed.ways
	for number := range int32(r.distinct) {
		for _, l := range r.links[r.start[number]:r.start[number+1]] {
			p := &r.table.sites[l.site]
			for i := p.sources; i < r.table.sites[l.site+1].sources; i++ {
				src := &r.table.sources[i]
				got, ok := w.shortest(r, number, src, p)
				if want := wayAlone(w, number, src, p); ok != (want != nil) || !slices.Equal(got, want) {
					t.Fatalf("target %d, site %d, group %d: %v (%t), alone %v", number, l.site, src.group, got, ok,
						want)
				}
			}
		}
		for id := r.base[r.start[number]]; id < r.base[r.start[number+1]]; id++ {
			checkStarts(t, r, LinkID(id))
		}
	}
}

// wayAlone lists the sites from a target to the first state at the throw site that a search breadth
// first finds, nil if there is none.
func wayAlone(w *jointChains, number int32, src *source, p *throwSite) []int32 {
	type state struct {
		v  int32
		up layer
	}
	in := w.j.in
	ways := map[state][]int32{}
	var queue []state
	var found []int32
	meet := func(s state, way []int32) {
		if ways[s] != nil {
			return
		}
		ways[s] = way
		queue = append(queue, s)
		if found == nil && in.Nodes[s.v] == p.node && s.up == src.layer && in.throws(s.v, src, p) {
			found = way
		}
	}
	for _, site := range w.r.startSites(src.group, w.r.targets[number]) {
		for _, v := range w.j.roots(site) {
			for up := range numLayers {
				meet(state{v, up}, []int32{site})
			}
		}
	}
	for ; found == nil && len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for e := in.Start[s.v]; e < in.Start[s.v+1]; e++ {
			way := append(slices.Clone(ways[s]), in.Sites[e])
			fromSneaky, fromTyped := w.j.graph.ClimbsTo(in.Sites[e], src.group, s.up)
			if fromSneaky {
				meet(state{in.To[e], sneaky}, way)
			}
			if fromTyped {
				meet(state{in.To[e], typed}, way)
			}
		}
	}
	return found
}

// checkSurvivingChain checks that the chains of a confirmed link take edges that
// survive below their first call.
func checkSurvivingChain(t *rapid.T, r *Result, id LinkID, s *survivors, known func(int32) bool) {
	r.eachChain(id, 3, func(sites []int32, p *throwSite) bool {
		if len(sites) == 0 || !known(sites[0]) {
			return true
		}
		at := []callgraph.NodeID{r.g.NodeOfSite(sites[0])}
		for _, site := range sites {
			var next []callgraph.NodeID
			if !slices.Contains(at, r.g.NodeOfSite(site)) {
				t.Fatalf("chain %v: site %d is not reached", sites, site)
			}
			for _, callee := range r.g.Targets(r.g.Sites[site].Set) {
				if s.survives(sites[0], site, callee) {
					next = append(next, callee)
				}
			}
			at = next
		}
		if !slices.Contains(at, p.node) {
			t.Fatalf("chain %v does not end at the throw site", sites)
		}
		if p.kind == Explicit && s.closes(sites[0], p.node, 0, int(p.index)) {
			t.Fatalf("chain %v ends at a throw that control does not reach", sites)
		}
		return true
	})
}

// confirmEach gives the result in which a link to a target that was asked for stays
// only if its exceptions come out of one of the original calls: the calls of the
// target's method, class initialisations included, whose exceptions the target
// catches. carried says what of some groups comes out of a site of the call graph,
// nil where that is not known; it is asked again when chains of the result are asked for.
// Links from throw sites of the try itself stay, and so do links from relays
// (relays.go) and those to the places where causes arrive.
func (r *Result) confirmEach(carried func(site int32, groups Groups) *Carried) *Result {
	keep := make([]bool, len(r.links))
	r.allMasks()
	c := &eachConfirmer{newConfirmer(r), carried, keep}
	for t := range int32(r.distinct) {
		c.target(t)
	}
	for i := r.start[r.distinct]; int(i) < len(r.links); i++ {
		keep[i] = true
	}
	return r.with(keep, carried)
}

// target confirms the links of one target.
func (c *eachConfirmer) target(number int32) {
	r, t := c.r, c.r.targets[number]
	var open []int32
	for i := r.start[number]; i < r.start[number+1]; i++ {
		if r.isRelayed(&r.links[i]) || r.local(t, r.links[i].site) {
			c.keep[i] = true
		} else {
			open = append(open, i)
		}
	}
	if len(open) == 0 || t.node == callgraph.NoNode {
		return
	}
	c.want(open)
	climbs := map[int32]*climb{}
	for i := r.g.Nodes[t.node].First; i < r.g.Nodes[t.node].End && len(open) > 0; i++ {
		if r.g.Sites[i].Set == callgraph.NoSet || !c.mayBring(t, i, climbs) {
			continue
		}
		cd := c.carried(i, slices.Clone(c.arrived))
		if cd == nil {
			cd = c.below(r.g.Sites[i].Set)
		}
		open = slices.DeleteFunc(open, func(l int32) bool {
			c.keep[l] = c.brings(cd, r.links[l].site)
			return c.keep[l]
		})
	}
}

// below is what comes out of a call of a set when nothing is known about it: what
// the call graph says.
func (c *eachConfirmer) below(set callgraph.SetID) *Carried {
	out := &Carried{sources: newBitset(len(c.r.table.sources))}
	for k := range int32(len(c.r.table.groups)) {
		if c.arrived[k>>6]>>(k&63)&1 == 0 {
			continue
		}
		cl := c.r.solver.climb(k)
		for l := range numLayers {
			if v := cl.set(set, l); v >= 0 {
				for _, i := range c.r.sourcesBelow(k, cl, v) {
					out.sources.set(i)
				}
			}
		}
	}
	return out
}

// brings tells whether exceptions of a throw site come out of a call in a group
// that arrives.
func (c *eachConfirmer) brings(cd *Carried, site int32) bool {
	for i := c.r.table.sites[site].sources; i < c.r.table.sites[site+1].sources; i++ {
		k := c.r.table.sources[i].group
		if c.arrived[k>>6]>>(k&63)&1 != 0 && cd.sources.has(i) {
			return true
		}
	}
	return false
}

// eachConfirmer confirms links, target by target.
type eachConfirmer struct {
	*confirmer
	carried func(site int32, groups Groups) *Carried
	keep    []bool // by link
}
