package lab

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/worker"
)

// After a JVM has ended in a suite, its other tests are run that are not left out, although the
// patterns of the build name the suite alone.
func TestLeftOfSuite(t *testing.T) {
	m := &workspace.Module{}
	m.Test.Includes = []string{"**/TestAllPackages.java"}
	l := &Lab{Execution: Execution{Module: m}, without: map[string][]string{"p.TestAllPackages": {"out"}}}
	var found []worker.Discovered
	for _, id := range []string{"ran", "next", "out", "last"} {
		found = append(found, worker.Discovered{ID: id, Class: "p.TestOther", Method: id})
	}
	if ok, _ := m.Test.Selects("p.TestOther", "next"); ok {
		t.Fatal("the patterns name the class of the tests, too")
	}
	var got []string
	for _, d := range l.remainingTests("p.TestAllPackages", found, map[string]bool{"ran": true}) {
		got = append(got, d.ID)
	}
	if want := []string{"next", "last"}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
}
