//go:build slow

package pointsto_test

import (
	"slices"
	"testing"

	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
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
