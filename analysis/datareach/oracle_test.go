package datareach

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file compares the analysis, on random programs, with what runs of them do,
// which must all be there, and with Figure 6 of paper 000 taken literally, beyond
// which nothing must be.

// wide are bounds that no random program meets.
var wide = bounds{objects: math.MaxInt, contexts: math.MaxInt32, perNode: 1 << 20, some: 1 << 20}

// figureEdge is an edge as the figure's arcs are.
type figureEdge struct {
	from   pointsto.Node
	site   int32
	callee pointsto.Node
}

// figure6 is the algorithm of the figure for one original call in one context of
// its method, with sets that are iterated until nothing changes: the methods that
// can be reached, and the edges that are feasible. ok is false if that takes more
// than maxFigure6 steps.
func figure6(r *pointsto.Result, from pointsto.Node,
	original int32) (methods map[pointsto.Node]bool, edges map[figureEdge]bool, ok bool) {
	steps := 0
	methods, edges = map[pointsto.Node]bool{}, map[figureEdge]bool{}
	u, fieldset, everything := map[pointsto.Object]bool{}, map[pointsto.Field]bool{}, false
	add := func(s pointsto.Set) {
		for o := range s.All() {
			u[o] = true
			steps++
		}
	}
	arcs := func(n pointsto.Node, site int32) {
		if elsewhere(r.Graph.Sites[site].Kind) {
			return
		}
		for _, c := range r.Callees(n, int(site-r.Graph.Nodes[r.GraphNode(n)].First)) {
			feasible := everything || !c.Dispatched
			for o := range c.Via.All() {
				steps++
				feasible = feasible || u[o]
			}
			if feasible {
				methods[c.Node], edges[figureEdge{n, site, c.Node}] = true, true
			}
		}
	}
	k := int(original - r.Graph.Nodes[r.GraphNode(from)].First)
	add(r.Always()) // what any code may have hold of
	add(r.PointsTo(r.Receiver(from, k)))
	args, known := r.Args(from, k)
	everything = !known
	for _, v := range args {
		add(r.PointsTo(v))
	}
	for before := -1; before != len(methods)+len(edges)+len(u)+len(fieldset); {
		before = len(methods) + len(edges) + len(u) + len(fieldset)
		arcs(from, original)
		for n := range methods {
			if steps > maxFigure6 {
				return nil, nil, false
			}
			everything = everything || r.Opaque(n)
			add(r.Created(n))
			for _, v := range r.Globals(n) {
				add(r.PointsTo(v))
			}
			for _, f := range r.FieldLoads(n) {
				fieldset[f] = true
			}
			g := r.Graph.Nodes[r.GraphNode(n)]
			for site := g.First; site < g.End; site++ {
				arcs(n, site)
				if len(r.Callees(n, int(site-g.First))) == 0 { // what does it do?
					add(r.PointsTo(resultOf(r, n, r.Graph.Sites[site])))
				}
			}
		}
		for o := range u {
			if steps > maxFigure6 {
				return nil, nil, false
			}
			r.EachField(o, func(f pointsto.Field, v pointsto.Var) {
				if fieldset[f] {
					add(r.PointsTo(v))
				}
			})
		}
	}
	return methods, edges, true
}

// maxFigure6 bounds the steps of figure6: what is written as in the figure takes
// minutes for one random program in thousands.
const maxFigure6 = 3_000_000

// compared and tooLarge count what figure6 was asked for, and what it did not do.
var compared, tooLarge int

// maxObjects bounds the objects of a program that is analysed without bounds: containers that make
// each other are told apart by the thousand in one random program in a thousand, which takes
// minutes and gigabytes then. The bounds that real programs have cut it short.
const maxObjects = 4096

// programs and manyObjects count the programs, once for each policy, and those with more objects
// than that.
var programs, manyObjects int

// resultOf is the variable of what a call returns.
func resultOf(r *pointsto.Result, n pointsto.Node, s callgraph.Site) pointsto.Var {
	code, _ := r.Code(n)
	for _, x := range code.Steps {
		if s.Origin == callgraph.FromCalls && x.Op == pointsto.CodeCall && x.Call == int(s.Index) {
			return x.To
		}
	}
	return pointsto.NoVar
}

// studied are all exceptions that the program throws.
func studied() exceptions.Studied {
	return exceptions.Studied{Exceptions: exceptions.All, Sites: exceptions.Sites(0).With(exceptions.Explicit),
		Own: func(string) bool { return true }}
}

// TestAgainstRunsAndFigure6 has as many programs as rapid draws by itself, a hundred; a slow test
// has three times as many others.
func TestAgainstRunsAndFigure6(t *testing.T) { checkPrograms(t, 0, 1) }

// checkPrograms checks as many programs as rapid draws, once for each number.
func checkPrograms(t *testing.T, from, to int) {
	for i := from; i < to; i++ {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				for range i { // other programs than with the same seed before
					rapid.Uint64().Draw(t, "other programs")
				}
				checkProgram(t)
			})
		})
	}
	t.Logf("%d original calls compared with figure 6, %d too large for that", compared, tooLarge)
	if tooLarge > compared/10 {
		t.Error("too many are too large to compare")
	}
	t.Logf("%d analyses, %d of programs with many objects", programs, manyObjects)
	if manyObjects > programs/100 {
		t.Error("too many have many objects")
	}
}

func checkProgram(t *rapid.T) {
	p := drawProgram(t)
	seen := p.runs(rapid.Uint64().Draw(t, "seed"), 25)
	narrow := bounds{objects: rapid.IntRange(0, 3).Draw(t, "objects"),
		contexts: int32(rapid.IntRange(0, 2).Draw(t, "contexts")), some: rapid.IntRange(0, 60).Draw(t, "some")}
	early := wide // nodes are read ahead, and those with narrow bounds are not
	early.ahead = rapid.IntRange(1, 9).Draw(t, "ahead")
	if bits := rapid.IntRange(0, 3).Draw(t, "hash"); bits > 0 {
		narrow.hash = func(h uint64) uint64 { return h & (1<<bits - 1) }
	}
	var before *exceptions.Result
	for policy := pointsto.Insensitive; policy <= pointsto.Containers; policy++ {
		entry := features.MethodRef{Class: "K0", Name: "main", Desc: "()V"}
		points := pointsto.Build(hierarchy.New(p),
			callgraph.Config{Workspace: p.names, Entries: []features.MethodRef{entry}}, policy)
		checkDispatches(t, points)
		flow := exceptions.Analyze(points.Graph, p.targets, studied(), nil)
		large := points.NumObjects() > maxObjects
		b := wide
		if large {
			b = standard
		}
		all, some := confirm(points.Graph, points, flow, b, nil, nil),
			confirm(points.Graph, points, flow, narrow, nil, nil)
		for _, a := range []*Analysis{all, some} {
			checkHappened(t, p, a, seen)
			checkWithin(t, a.result, flow)
			checkChains(t, a)
		}
		if programs++; large { // of what bounds cut nothing more is said
			manyObjects++
			return
		}
		checkWithin(t, all.result, some.result)
		checkSame(t, all, confirm(points.Graph, points, flow, early, nil, nil))
		checkFigure6(t, all, points)
		if policy != pointsto.Insensitive { // more contexts, no more links
			checkWithin(t, all.result, before)
		}
		before = all.result
	}
}

// checkDispatches compares the callees of all sites with those that are shared.
func checkDispatches(t *rapid.T, r *pointsto.Result) {
	shared := r.Dispatches()
	for n := range pointsto.Node(r.NumNodes()) {
		g := r.Graph.Nodes[r.GraphNode(n)]
		for k := range int(g.End - g.First) {
			same := func(a, b pointsto.Callee) bool {
				return a.Node == b.Node && a.Dispatched == b.Dispatched && a.Lambda == b.Lambda && equal(a.Via, b.Via)
			}
			if got, want := shared.Callees(n, k), r.Callees(n, k); !slices.EqualFunc(got, want, same) {
				t.Fatalf("site %d of node %d calls %v, want %v", k, n, got, want)
			}
		}
	}
}

// checkSame checks that two analyses have found the same.
func checkSame(t *rapid.T, a, b *Analysis) {
	checkWithin(t, a.result, b.result)
	checkWithin(t, b.result, a.result)
	x, y := a.Stats(), b.Stats()
	x.Seconds, x.Follow, y.Seconds, y.Follow = 0, 0, 0, 0
	if x != y {
		t.Fatalf("%+v with other nodes read ahead, %+v without", y, x)
	}
	if !slices.Equal(a.graph.Sites, b.graph.Sites) || !slices.Equal(a.graph.To, b.graph.To) {
		t.Fatal("the graph is another one where nodes are read ahead")
	}
}

// checkWithin checks that a result has no links that another has not.
func checkWithin(t *rapid.T, precise, coarse *exceptions.Result) {
	for i := range precise.NumTargets() {
		for _, id := range precise.LinksAt(i) {
			if l := precise.Link(id); !coarse.Predicts(l.Site, i) {
				t.Fatalf("%+v is in the more precise result only", l)
			}
		}
	}
}

// checkChains checks that the shortest chain of each link takes edges that survive,
// one after the other.
func checkChains(t *rapid.T, a *Analysis) {
	for i := range a.result.NumTargets() {
		h := a.result.Handler(i)
		for _, id := range a.result.LinksAt(i) {
			way := a.result.ChainOf(id)
			if len(way.Sites) == 0 {
				if way.Node != a.g.Find(h.Class, h.Method) {
					t.Fatalf("%s: no chain for %+v", a.g.Algorithm, a.result.Link(id))
				}
				continue
			}
			at := a.rootsOf(way.Sites[0])
			for _, site := range way.Sites[1:] {
				var next []int32
				for _, v := range at {
					for e := a.graph.Start[v]; e < a.graph.Start[v+1]; e++ {
						if a.graph.Sites[e] == site {
							next = append(next, a.graph.To[e])
						}
					}
				}
				slices.Sort(next)
				at = slices.Compact(next)
			}
			if !slices.ContainsFunc(at, func(v int32) bool { return a.graph.Nodes[v] == way.Node }) {
				t.Fatalf("%s: the chain %v of %+v does not survive", a.g.Algorithm, way, a.result.Link(id))
			}
		}
	}
}

// checkHappened checks that what happened is predicted.
func checkHappened(t *rapid.T, p *drawn, a *Analysis, seen *happened) {
	for x := range seen.arrivals {
		m := &p.classes[x.from.class].Methods[x.from.method]
		site := exceptions.ThrowSite{Class: x.from.class, Method: m.Name + m.Desc, Ordinal: x.from.ordinal,
			Kind: exceptions.Explicit}
		if i := slices.Index(p.targets, x.target); !a.result.Predicts(site, i) {
			t.Fatalf("%s: %+v arrived at %+v; before it is %v", a.g.Algorithm, site, x.target, a.flow.Predicts(site, i))
		}
	}
	for _, stack := range seen.calls {
		sites := make([]int32, len(stack))
		for i := range stack {
			sites[i] = siteOf(t, a.g, &stack[i])
		}
		for i := range stack {
			if a.original[sites[i]] {
				checkPath(t, a, stack[i:], sites[i:])
			}
		}
	}
}

// siteOf is the site of a call that happened.
func siteOf(t *rapid.T, g *callgraph.Graph, c *called) int32 {
	n, callee := g.Find(c.class, c.method), g.Find(c.callee, c.calledMethod)
	if n == callgraph.NoNode || callee == callgraph.NoNode {
		t.Fatalf("%s does not reach %+v", g.Algorithm, c)
	}
	for i := g.Nodes[n].First; i < g.Nodes[n].End; i++ {
		if s := g.Sites[i]; s.Origin == c.origin && int(s.Index) == c.index && s.Set != callgraph.NoSet &&
			slices.Contains(g.Targets(s.Set), callee) {
			return i
		}
	}
	t.Fatalf("%s has no edge for %+v", g.Algorithm, c)
	return 0
}

// checkPath checks that calls in one another, of which the first is an original
// one, are a path, as far as exceptions may come out of them.
func checkPath(t *rapid.T, a *Analysis, stack []called, sites []int32) {
	at := a.rootsOf(sites[0])
	for i := range stack {
		var next []int32
		callee := a.g.Find(stack[i].callee, stack[i].calledMethod)
		switch {
		case i == 0:
			next = slices.DeleteFunc(at, func(v int32) bool { return a.graph.Nodes[v] != callee })
		case !a.flow.Climbs(sites[i], a.groups):
			return
		default:
			for _, v := range at {
				for e := a.graph.Start[v]; e < a.graph.Start[v+1]; e++ {
					if to := a.graph.To[e]; a.graph.Sites[e] == sites[i] && a.graph.Nodes[to] == callee {
						next = append(next, to)
					}
				}
			}
		}
		if at = next; len(at) == 0 {
			t.Fatalf("%s: no path for %+v", a.g.Algorithm, stack[:i+1])
		}
	}
}

// checkFigure6 checks that no edge survives that the figure finds infeasible, and
// no link from a method that it does not reach.
func checkFigure6(t *rapid.T, a *Analysis, r *pointsto.Result) {
	reached := map[int32]map[callgraph.NodeID]bool{} // by original call
	for i, original := range a.original {
		if !original {
			continue
		}
		site := int32(i)
		reached[site] = map[callgraph.NodeID]bool{}
		for _, n := range r.NodesOf(a.g.NodeOfSite(site)) {
			compared++
			methods, edges, ok := figure6(r, n, site)
			if !ok {
				tooLarge++
				return
			}
			for m := range methods {
				reached[site][r.GraphNode(m)] = true
			}
			for e := range a.survivors(n, site) {
				if !edges[e] {
					t.Fatalf("%s: %+v survives below site %d", a.g.Algorithm, e, site)
				}
			}
		}
	}
	for i := range a.result.NumTargets() {
		calls := a.flow.OriginalCalls(i)
		for _, id := range a.result.LinksAt(i) {
			l := a.result.Link(id)
			n := siteNode(a.g, l.Site)
			if h := a.result.Handler(i); n == a.g.Find(h.Class, h.Method) {
				continue
			}
			if !slices.ContainsFunc(calls, func(c exceptions.OriginalCall) bool { return reached[c.Site][n] }) {
				t.Fatalf("%s: %+v stays, but its method is not reached", a.g.Algorithm, l)
			}
		}
	}
}

func siteNode(g *callgraph.Graph, s exceptions.ThrowSite) callgraph.NodeID {
	for n := range g.Nodes {
		if m := g.Method(callgraph.NodeID(n)); m != nil && g.Class(callgraph.NodeID(n)) == s.Class &&
			m.Name+m.Desc == s.Method {
			return callgraph.NodeID(n)
		}
	}
	return callgraph.NoNode
}

// survivors are the edges below an original call in one context of its method.
func (a *Analysis) survivors(n pointsto.Node, original int32) map[figureEdge]bool {
	out, seen := map[figureEdge]bool{}, map[int32]bool{}
	var list []int32
	take := func(f, site, to int32) {
		out[figureEdge{a.frames.at(f).no, site, a.frames.at(to).no}] = true
		if !seen[to] {
			seen[to] = true
			list = append(list, to)
		}
	}
	f := a.frames.plain[n] - 1
	a.frames.edges(f, func(site, to int32) {
		if site == original {
			take(f, site, to)
		}
	})
	for i := 0; i < len(list); i++ {
		a.frames.edges(list[i], func(site, to int32) { take(list[i], site, to) })
	}
	return out
}
