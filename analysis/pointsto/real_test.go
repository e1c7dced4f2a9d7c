package pointsto_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs the analysis on real programs and compares it with rta.

// compileAll compiles the Java files below testdata/known that a pattern names.
func compileAll(t testing.TB, patterns ...string) *programtest.Program {
	t.Helper()
	var files []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", filepath.FromSlash(p)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file %s: %v", p, err)
		}
		files = append(files, found...)
	}
	home := testjdk.JDK(t, 17)
	out := t.TempDir()
	testjdk.Javac(t, home, 17, nil, out, files...)
	return programtest.Open(t, home, facts.Options{}, 1, out)
}

func config(p *programtest.Program) callgraph.Config {
	return callgraph.Config{Workspace: p.Workspace, Providers: p.Providers,
		Entries: features.MainEntries(p, p.Workspace)}
}

// within checks that what one graph calls another calls too, chains of
// synthetic nodes taken together.
func within(t *testing.T, g, in *callgraph.Graph) {
	t.Helper()
	bad := 0
	for n := range g.Nodes {
		id := g.Nodes[n].Method
		if id == hierarchy.NoMethod {
			continue
		}
		name := g.H.Name(g.H.Owner(id)) + "." + g.H.Method(id).Name + g.H.Method(id).Desc
		other := in.Find(g.H.Name(g.H.Owner(id)), g.H.Index(id))
		if other == callgraph.NoNode {
			if bad++; bad < 20 {
				t.Errorf("%s is not reached in %s", name, in.Algorithm)
			}
			continue
		}
		want := callees(in, other)
		for _, c := range callees(g, callgraph.NodeID(n)) {
			if _, ok := slices.BinarySearch(want, c); !ok {
				if bad++; bad < 20 {
					t.Errorf("%s calls %s, not in %s", name, c, in.Algorithm)
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d calls in all", bad)
	}
}

// callees lists what a node calls by site and method, sorted.
func callees(g *callgraph.Graph, n callgraph.NodeID) []string {
	var out []string
	for _, s := range g.SitesOf(n) {
		where := g.Position(n, s)
		prefix := s.Kind.String() + " " + strings.Repeat("+", int(where.Ordinal)) + " "
		out = append(out, expand(g, prefix, s.Set, map[callgraph.NodeID]bool{})...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func expand(g *callgraph.Graph, prefix string, s callgraph.SetID, seen map[callgraph.NodeID]bool) (out []string) {
	for _, to := range g.Targets(s) {
		if seen[to] {
			continue
		}
		seen[to] = true
		if id := g.Nodes[to].Method; id != hierarchy.NoMethod {
			out = append(out, prefix+g.H.Name(g.H.Owner(id))+"."+g.H.Method(id).Name+g.H.Method(id).Desc)
			continue
		}
		for _, x := range g.SitesOf(to) {
			out = append(out, expand(g, prefix, x.Set, seen)...)
		}
	}
	return out
}

var policies = []pointsto.Policy{pointsto.Insensitive, pointsto.Constructors, pointsto.Containers}

// Each policy refines the one before, the first of them rta.
func TestPoliciesRefineEachOther(t *testing.T) {
	p := compileAll(t, "pointsto/Containers.java", "pointsto/Broken.java", "pointsto/Failure.java",
		"pointsto/Thrower.java")
	before := rta.Build(hierarchy.New(p), config(p))
	for _, policy := range policies {
		r := pointsto.Build(hierarchy.New(p), config(p), policy)
		t.Logf("%s: %+v", r.Graph.Algorithm, r.Stats)
		within(t, r.Graph, before)
		consistent(t, r)
		if policy == pointsto.Containers { // which makes most kinds of nodes
			sameGraph(t, pointsto.GraphFrom(hierarchy.New(p), config(p), policy, nil), r.Graph)
			nodesOfMaps(t, r)
		}
		before = r.Graph
	}
}

// sameGraph checks that two call graphs have the same nodes and sites, in the same order, with the
// same callees.
func sameGraph(t *testing.T, got, want *callgraph.Graph) {
	t.Helper()
	if !slices.Equal(got.Nodes, want.Nodes) || !slices.Equal(got.Sites, want.Sites) ||
		!slices.Equal(got.Entries, want.Entries) {
		t.Fatalf("%d nodes, %d sites, %d entries, others than the %d, %d, %d of the result", len(got.Nodes),
			len(got.Sites), len(got.Entries),
			len(want.Nodes), len(want.Sites), len(want.Entries))
	}
	for set := range callgraph.SetID(max(got.NumSets(), want.NumSets())) {
		if !slices.Equal(got.Targets(set), want.Targets(set)) || got.Ref(set) != want.Ref(set) {
			t.Fatalf("callee set %d: %v, in the result %v", set, got.Targets(set), want.Targets(set))
		}
	}
}

// nodesOfMaps checks that the nodes of the tree of one map are one object.
func nodesOfMaps(t *testing.T, r *pointsto.Result) {
	t.Helper()
	const node = "java/util/HashMap$TreeNode"
	of, seen := map[pointsto.Object]int{}, map[pointsto.Object]bool{}
	for _, n := range r.NodesOf(r.Graph.Find(node, 0)) {
		c, _ := r.Code(n)
		for o := range r.PointsTo(c.First).All() {
			if m, ok := r.MadeBy(o); ok && !seen[o] && r.TypeName(o) == node {
				of[m]++
			}
			seen[o] = true
		}
	}
	for m, n := range of {
		if n != 1 {
			t.Errorf("%d tree nodes of %s %d", n, r.TypeName(m), m)
		}
	}
	if len(of) < 20 {
		t.Errorf("tree nodes of %d maps", len(of))
	}
}

// Calls and elements that are grouped by sets of objects have the result of those that
// are not. With Containers it depends on the order of objects which of them are told apart.
func TestGroupsChangeNothing(t *testing.T) {
	p := compileAll(t, "pointsto/Containers.java", "pointsto/Broken.java", "pointsto/Failure.java",
		"pointsto/Thrower.java")
	for _, policy := range policies {
		joint := pointsto.BuildGrouped(hierarchy.New(p), config(p), policy, 2, 1)
		consistent(t, joint)
		if joint.Groups() < 500 {
			t.Errorf("%s: %d groups", joint.Graph.Algorithm, joint.Groups())
		}
		if policy == pointsto.Containers {
			continue
		}
		apart := pointsto.BuildGrouped(hierarchy.New(p), config(p), policy, 1<<30, 1<<30)
		if n := apart.Groups(); n != 0 {
			t.Errorf("%s: %d groups", apart.Graph.Algorithm, n)
		}
		within(t, apart.Graph, joint.Graph)
		within(t, joint.Graph, apart.Graph)
		for _, n := range []callgraph.NodeID{0, 100, 1000} { // variables of parameters, by method
			m := apart.Graph.Nodes[n].Method
			if m == hierarchy.NoMethod || len(apart.NodesOf(n)) != 1 {
				continue
			}
			h := apart.Graph.H
			other := joint.Graph.Find(h.Name(h.Owner(m)), h.Index(m))
			a, _ := apart.Code(apart.NodesOf(n)[0])
			b, _ := joint.Code(joint.NodesOf(other)[0])
			for k := range pointsto.Var(a.Count) {
				if x, y := apart.PointsTo(a.First+k).Len(), joint.PointsTo(b.First+k).Len(); x != y {
					t.Errorf("%s: variable %d of %s points to %d and %d objects", joint.Graph.Algorithm, k,
						h.Method(m).Name, x, y)
				}
			}
		}
	}
}

// consistent checks that the two views of the call graph say the same, and what
// is said of dispatched calls.
func consistent(t *testing.T, r *pointsto.Result) {
	t.Helper()
	g, dispatched := r.Graph, 0
	for n := range g.Nodes {
		nodes := r.NodesOf(callgraph.NodeID(n))
		if len(nodes) == 0 {
			t.Fatalf("node %d has no context", n)
		}
		for k, s := range g.SitesOf(callgraph.NodeID(n)) {
			var got []callgraph.NodeID
			for _, x := range nodes {
				for _, c := range r.Callees(x, k) {
					got = append(got, r.GraphNode(c.Node))
					if c.Dispatched {
						dispatched++
						if c.Via.Len() == 0 {
							t.Errorf("a call of %s is made on no object", g.Class(r.GraphNode(c.Node)))
						}
					}
				}
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, g.Targets(s.Set)) {
				t.Errorf("site %d of %s: contexts call %v, the graph %v", k, g.Class(callgraph.NodeID(n)), got,
					g.Targets(s.Set))
			}
		}
	}
	if dispatched < 10000 {
		t.Errorf("%d dispatched edges", dispatched)
	}
}

// BenchmarkBuild analyses figure 4 of paper 000 with what the VM runs by itself.
func BenchmarkBuild(b *testing.B) {
	p := compileAll(b, "paper000/fig4/*/*.java")
	for _, policy := range policies {
		r := pointsto.Build(hierarchy.New(p), config(p), policy)
		b.Run(r.Graph.Algorithm, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pointsto.Build(hierarchy.New(p), config(p), policy)
			}
			b.ReportMetric(float64(r.Stats.Nodes), "nodes")
		})
	}
}
