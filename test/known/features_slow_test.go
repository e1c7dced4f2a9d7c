//go:build slow

package known

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// TestFeaturesOfAllGraphs is TestFeatures with the call graphs that it leaves out.
func TestFeaturesOfAllGraphs(t *testing.T) {
	others := slices.DeleteFunc(slices.Clone(snapshot.CallGraphs),
		func(graph string) bool { return graph == "rta" || slices.Contains(snapshot.Refined, graph) })
	checkFeatures(t, compilation{release: 17, jdk: 17}, others...)
}

// TestFeaturesJDK25 is TestFeatures with JDK 25, whose reflection and handles work in other ways,
// and all call graphs.
func TestFeaturesJDK25(t *testing.T) {
	checkFeatures(t, compilation{release: 25, jdk: 25}, snapshot.CallGraphs...)
}
