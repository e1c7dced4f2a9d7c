package chains

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// waysSource is a workspace of two packages. Chains of the workspace begin in app, those of the
// component lib in what app calls.
var waysSource = map[string]string{
	"app/App.java": `package app;
public class App {
    public static void first() { lib.Lib.open(); }
    public static void second() { one(); }
    static void one() { two(); }
    static void two() { three(); }
    static void three() { lib.Lib.deep(); }
    public static void third() { lib.Lib.never(); }
}`,
	"lib/Lib.java": `package lib;
public class Lib {
    public static void open() { middle(); }
    public static void deep() { inner(); middle(); }
    public static void never() { unused(); inner(); }
    static void middle() { inner(); }
    static void unused() { inner(); }
    private static void inner() { }
}`}

// waysMemory has names of methods, by number.
type waysMemory struct {
	record.Memory
	names []record.MethodKey
}

func (m *waysMemory) Method(id record.MethodID) record.MethodKey { return m.names[id] }

// run is a run that took the chains that are given, each by its methods (App.first), the first of
// which code outside the workspace calls; each method makes its call of that one of its calls.
func (m *waysMemory) run(t *testing.T, g *callgraph.Graph, test string, chains ...string) *record.TestRun {
	t.Helper()
	r := &record.TestRun{Test: test}
	r.Chained = true
	for _, text := range chains {
		var c record.CallChain
		var above *facts.Method
		for _, name := range strings.Fields(text) {
			class, method, _ := strings.Cut(name, ".")
			class = strings.ToLower(class) + "/" + class
			id := record.MethodID(len(m.names))
			m.names = append(m.names, record.MethodKey{Class: class, Method: method + "()V"})
			c.Methods, r.Methods = append(c.Methods, id), append(r.Methods, id)
			if above != nil {
				at := slices.IndexFunc(above.Calls, func(x facts.Call) bool { return x.Name == method })
				c.Calls = append(c.Calls, uint16(at))
			}
			for n := range g.Nodes {
				x := g.Method(callgraph.NodeID(n))
				if x != nil && g.Class(callgraph.NodeID(n)) == class && x.Name == method {
					above = x
				}
			}
		}
		r.Chains = append(r.Chains, c)
	}
	return r
}

// waysForest compiles the workspace and finds the chains of lib.
func waysForest(t *testing.T) (g *callgraph.Graph, f *callchain.Forest, above map[callgraph.NodeID]int) {
	t.Helper()
	home, out := testjdk.JDK(t, 17), t.TempDir()
	testjdk.JavacTexts(t, home, 17, nil, t.TempDir(), out, waysSource)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	entries := features.PublicEntries(p, p.Workspace)
	entries = slices.DeleteFunc(entries, func(m features.MethodRef) bool { return !strings.HasPrefix(m.Class, "app/") })
	g = rta.Build(hierarchy.New(p), callgraph.Config{Workspace: p.Workspace, Entries: entries})
	own := func(class string) bool { return strings.HasPrefix(class, "app/") || strings.HasPrefix(class, "lib/") }
	lib := func(class string) bool { return strings.HasPrefix(class, "lib/") }
	f = callchain.Build(g, callchain.Options{Component: lib, Length: 4, Granularity: callchain.BySite})
	return g, f, callchain.CallsAbove(g, own, lib, 5)
}

// waysRuns are tests that take some of the chains.
func waysRuns(t *testing.T, m *waysMemory, g *callgraph.Graph) []*record.TestRun {
	return []*record.TestRun{
		m.run(t, g, "T#b", "App.first Lib.open Lib.middle", "App.first Lib.open", "App.first"),
		m.run(t, g, "T#a", "App.second App.one App.two App.three Lib.deep"),
		m.run(t, g, "T#c", "App.first Lib.open Lib.middle Lib.inner", "App.first Lib.open Lib.middle",
			"App.first Lib.open"),
	}
}

// What is recorded are chains of the workspace, of up to four calls: those of a package are what
// they do there last. What no test can have taken is told from what may have been too deep for
// that. The untested chains come first, the shortest of them at the head.
func TestWays(t *testing.T) {
	g, f, above := waysForest(t)
	if c := NewComponent("lib", nil, OfRuns(&waysMemory{}, f, nil), above, 4); c.Ran() {
		t.Error("tests have run")
	} else if got := waysText(c, "lib/Lib", "inner()V"); !strings.HasPrefix(got, "unknown Lib.") {
		t.Errorf("without runs: %s", got)
	}

	m := &waysMemory{}
	runs := waysRuns(t, m, g)
	c := NewComponent("lib", nil, OfRuns(m, f, runs), above, 4)
	for _, u := range c.Unpredicted {
		t.Errorf("unpredicted: %s", u.Chain)
	}
	for _, want := range []struct{ method, ways string }{
		{"inner()V", `untested Lib.never:5 Lib.inner
untested Lib.never:5 Lib.unused:7 Lib.inner
unrecorded Lib.deep:4 Lib.inner, as far as 1 by T#a
unrecorded Lib.deep:4 Lib.middle:6 Lib.inner, as far as 1 by T#a
taken Lib.open:3 Lib.middle:6 Lib.inner by [T#c]
count {5 1 2}`},
		{"middle()V", `unrecorded Lib.deep:4 Lib.middle, as far as 1 by T#a
taken Lib.open:3 Lib.middle by [T#b T#c]
count {2 1 1}`},
		{"deep()V", `taken Lib.deep by [T#a]
count {1 1 0}`},
		{"never()V", `untested Lib.never
count {1 0 0}`},
	} {
		if got := waysText(c, "lib/Lib", want.method); got != want.ways {
			t.Errorf("%s:\n%s\nwant\n%s", want.method, got, want.ways)
		}
	}
	if to, ok := c.Find("lib/Lib", "inner()V"); !ok || len(c.ChainsTo(to, 3)) != 3 ||
		c.ChainsTo(to, 3)[2].State != Unrecorded {
		t.Error("the first three are not those of the whole list")
	}
	if _, ok := c.Find("app/App", "one()V"); ok {
		t.Error("a method of another package")
	}
	checkThrough(t, c)
}

// checkThrough checks of each call that the chains that end with it are those of all chains that
// do.
func checkThrough(t *testing.T, c *Component) {
	want := map[int32]*Count{}
	c.each(&Show{}, func(path []step) {
		if e := path[len(path)-1].edge; e != nil {
			if want[e.Site] == nil {
				want[e.Site] = &Count{}
			}
			want[e.Site].add(c.state(path))
		}
	})
	g, several := c.Forest.Graph, 0
	for site, n := range want {
		ways, got := c.ChainsThrough([]int32{site}, 100)
		if got != *n || len(ways) != n.All {
			t.Errorf("call %d: %v, and %d chains are listed, want %v", site, got, len(ways), *n)
		}
		if n.All > 1 {
			several++
		}
		for _, w := range ways {
			if last := w.Frames[len(w.Frames)-2]; last.Method != g.NodeOfSite(site) {
				t.Errorf("call %d: %v does not end with it", site, w.Frames)
			}
		}
	}
	if several == 0 {
		t.Error("no call has several chains")
	}
}

// waysText writes all ways to a method, a line for each, and how many there are.
func waysText(c *Component, class, method string) string {
	to, ok := c.Find(class, method)
	if !ok {
		return "no chain"
	}
	var b strings.Builder
	g := c.Forest.Graph
	for _, w := range c.ChainsTo(to, 100) {
		b.WriteString([...]string{"untested", "unrecorded", "taken", "unknown"}[w.State])
		for _, f := range w.Frames {
			fmt.Fprintf(&b, " %s.%s", strings.TrimPrefix(g.Class(f.Method), "lib/"), g.Method(f.Method).Name)
			if f.Line > 0 {
				fmt.Fprintf(&b, ":%d", f.Line)
			}
		}
		switch {
		case len(w.Tests) > 0:
			fmt.Fprintf(&b, " by %v", w.Tests)
		case w.Prefix > 0:
			fmt.Fprintf(&b, ", as far as %d by %s", w.Prefix, w.Nearest)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "count %v", c.Count(to))
	return b.String()
}
