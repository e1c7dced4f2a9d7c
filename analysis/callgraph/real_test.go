package callgraph_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestHiddenCalls builds the graphs of a program whose methods say by their
// names whether they are reached. CHA may reach more.
func TestHiddenCalls(t *testing.T) {
	for _, home := range testjdk.All(t) {
		out := t.TempDir()
		testjdk.Javac(t, home, 17, nil, out, filepath.Join("testdata", "Hidden.java"))
		p := programtest.Open(t, home, facts.Options{}, 1, out)
		cfg := callgraph.Config{Entries: features.MainEntries(p, p.Workspace), Workspace: p.Workspace,
			Providers: p.Providers}
		graphs := map[string]*callgraph.Graph{"cha": cha.Build(hierarchy.New(p), cfg),
			"rta": rta.Build(hierarchy.New(p), cfg)}
		c, ok := p.Class("Hidden")
		if !ok {
			t.Fatal("no class Hidden")
		}
		for name, g := range graphs {
			seen := 0
			for i := range c.Methods {
				m := c.Methods[i].Name
				n := g.Find("Hidden", i)
				switch {
				case strings.HasPrefix(m, "reached"):
					seen++
					if n == callgraph.NoNode {
						t.Errorf("JDK %d, %s: %s is not reached", testjdk.Feature(t, home), name, m)
					}
				case strings.HasPrefix(m, "dead") && name == "rta" && n != callgraph.NoNode:
					t.Errorf("JDK %d, %s: %s is reached", testjdk.Feature(t, home), name, m)
				}
			}
			if seen < 15 {
				t.Errorf("only %d methods to reach", seen)
			}
			if len(g.Problems()) > 0 {
				t.Errorf("problems: %v", g.Problems())
			}
		}
		checkSubgraph(t, graphs["rta"], graphs["cha"])
	}
}

// checkSubgraph checks that every method that the first graph reaches is reached
// by the second.
func checkSubgraph(t *testing.T, small, large *callgraph.Graph) {
	t.Helper()
	missing := 0
	for n := range small.Nodes {
		m := small.Nodes[n].Method
		if m == hierarchy.NoMethod {
			continue
		}
		if large.Find(small.Class(callgraph.NodeID(n)), small.H.Index(m)) == callgraph.NoNode {
			if missing++; missing < 5 {
				t.Errorf("%s reaches %s.%s, %s does not", small.Algorithm, small.Class(callgraph.NodeID(n)),
					small.H.Method(m).Name, large.Algorithm)
			}
		}
	}
}
