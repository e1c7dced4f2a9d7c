//go:build slow

package callchain_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// commonsIO is the call graph of commons-io and its tests, and its packages.
func commonsIO(t testing.TB, graph string) (*callgraph.Graph, []string) {
	t.Helper()
	var paths []string
	for _, a := range []string{"commons-io:commons-io:2.18.0", "commons-io:commons-io:2.18.0:tests",
		"org.junit.jupiter:junit-jupiter-api:5.10.2", "org.junit.jupiter:junit-jupiter-params:5.10.2"} {
		paths = append(paths, testjdk.Artifact(t, a))
	}
	p := programtest.Open(t, testjdk.JDK(t, 17), facts.Options{}, 2, paths...)
	g := graphs[graph](hierarchy.New(p), callgraph.Config{Workspace: p.Workspace, Providers: p.Providers,
		Entries: features.TestEntries(p, p.Workspace)})
	var packages []string
	for _, c := range p.Main {
		packages = append(packages, hierarchy.Package(c))
	}
	slices.Sort(packages)
	return g, slices.Compact(packages)
}

// A length with which there are too many chains is given up, and the forest is what fits.
func TestExplosion(t *testing.T) {
	g, _ := commonsIO(t, "rta")
	opt := callchain.Options{Component: inPackage("org/apache/commons/io/filefilter"), Length: 100,
		Granularity: callchain.ByReceiver, Budget: 5000}
	for _, opt.Backedges = range []bool{false, true} {
		started := time.Now()
		f := callchain.Build(g, opt)
		t.Logf("length %d with %d chains, then %d (%v), %.2f s", f.Complete, f.Chains(), f.Over, f.AtLeast,
			time.Since(started).Seconds())
		if f.Complete < 1 || f.Complete == f.Length || f.Chains() > opt.Budget || f.Over <= opt.Budget {
			t.Errorf("length %d, %d chains, then %d", f.Complete, f.Chains(), f.Over)
		}
	}
	// Back edges make subtrees differ by what is above them: there is no room for all of them, with
	// the chains that what is passed rules out.
	opt.Budget, opt.All = 100_000_000, true
	if f := callchain.Build(g, opt); f.Complete == f.Length {
		t.Errorf("%d chains", f.Chains())
	} else {
		t.Logf("length %d with %d chains in %d nodes, then %d (%v)", f.Complete, f.Chains(), len(f.Nodes), f.Over,
			f.AtLeast)
	}
}

// The contexts of a method lead together where the method leads without them: no call is lost.
func TestContextsLoseNothing(t *testing.T) {
	g, _ := commonsIO(t, "obj")
	r, several := points[g], 0
	for n := range callgraph.NodeID(g.NumNodes()) {
		contexts := r.NodesOf(n)
		if len(contexts) > 1 {
			several++
		}
		for k, s := range g.SitesOf(n) {
			var targets []callgraph.NodeID
			for _, x := range contexts {
				for _, c := range r.Callees(x, k) {
					targets = append(targets, r.GraphNode(c.Node))
				}
			}
			slices.Sort(targets)
			if targets = slices.Compact(targets); !slices.Equal(targets, g.Targets(s.Set)) {
				t.Fatalf("node %d, site %d: %v in contexts, %v without", n, k, targets, g.Targets(s.Set))
			}
		}
	}
	if several < 100 {
		t.Errorf("only %d methods have several contexts", several)
	}
}

// A forest of four calls of each package of commons-io takes less than 2 s and 200 MB, and has a
// node for each way in which a chain can go on.
func TestCommonsIO(t *testing.T) {
	g, packages := commonsIO(t, "obj")
	if len(packages) < 10 {
		t.Fatal(packages)
	}
	for _, p := range packages {
		for _, granularity := range []callchain.Granularity{callchain.ByMethod, callchain.ByReceiver} {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			f := callchain.Build(g, callchain.Options{Component: inPackage(p), Length: 4, Granularity: granularity,
				Points: points[g]})
			took := time.Since(started)
			runtime.ReadMemStats(&after)
			without := callchain.Build(g, callchain.Options{Component: inPackage(p), Length: 4,
				Granularity: granularity})
			all := callchain.Build(g, callchain.Options{Component: inPackage(p), Length: 4, Granularity: granularity,
				All: true})
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%s, granularity %d: %d roots, %d chains (%d without contexts, %d with infeasible ones) in "+
				"%d nodes, %.2f s, %d MB", p, granularity, len(f.Roots), f.Chains(), without.Chains(), all.Chains(),
				len(f.Nodes), took.Seconds(), allocated)
			if took > 2*time.Second || allocated > 200 || f.Chains() > without.Chains() ||
				without.Chains() > all.Chains() || f.Complete != 4 {
				t.Errorf("%s: too slow, too large, or more chains than there can be", p)
			}
		}
	}
}
