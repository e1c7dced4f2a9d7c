//go:build slow

package pointsto_test

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// The same program gives the same result.
func TestDeterministic(t *testing.T) {
	p := compileAll(t, "paper000/fig4/*/*.java")
	a := pointsto.Build(hierarchy.New(p), config(p), pointsto.Containers)
	b := pointsto.Build(hierarchy.New(p), config(p), pointsto.Containers)
	a.Stats.Seconds, b.Stats.Seconds = 0, 0
	if a.Stats != b.Stats || !slices.Equal(a.Graph.Sites, b.Graph.Sites) {
		t.Errorf("%+v, then %+v", a.Stats, b.Stats)
	}
}

// The graph that is made alone is that of the whole result, with each policy; and nothing is
// grouped that need not be.
func TestGraphsOfAllPolicies(t *testing.T) {
	p := compileAll(t, "pointsto/Containers.java", "pointsto/Broken.java", "pointsto/Failure.java",
		"pointsto/Thrower.java")
	for _, policy := range policies {
		apart := pointsto.BuildGrouped(hierarchy.New(p), config(p), policy, 1<<30, 1<<30)
		if n := apart.Groups(); n != 0 {
			t.Errorf("%s: %d groups", apart.Graph.Algorithm, n)
		}
		r := pointsto.Build(hierarchy.New(p), config(p), policy)
		sameGraph(t, pointsto.GraphFrom(hierarchy.New(p), config(p), policy, nil), r.Graph)
	}
}
