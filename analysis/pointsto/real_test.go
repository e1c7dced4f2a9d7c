package pointsto_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/programtest"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
	"catchlens/internal/testjdk"
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
	return callgraph.Config{Workspace: p.Workspace, Providers: p.Providers, Entries: callgraph.MainEntries(p, p.Workspace)}
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

func TestFigure4(t *testing.T) {
	p := compileAll(t, "paper000/fig4/*/*.java")
	r := pointsto.Build(hierarchy.New(p), config(p), pointsto.Insensitive)
	t.Logf("%+v", r.Stats)
	within(t, r.Graph, rta.Build(hierarchy.New(p), config(p)))
}
