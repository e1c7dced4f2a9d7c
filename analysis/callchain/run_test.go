package callchain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// thread is a stack with its run, for tests.
type thread struct {
	*testing.T
	f       *callchain.Forest
	stack   *callchain.Stack
	run     *callchain.Run
	entries map[callgraph.NodeID]bool
	methods []callgraph.NodeID
}

func newThread(t *testing.T, f *callchain.Forest) *thread {
	run := callchain.NewRun(f)
	entries := callchain.Entries(f.Graph, f.InComponent)
	x := &thread{T: t, f: f, run: run, stack: callchain.NewStack(run, entries),
		entries: map[callgraph.NodeID]bool{}, methods: callchain.Methods(f.Graph, f.InComponent)}
	for _, n := range entries {
		x.entries[n] = true
	}
	return x
}

// outside is a frame of code outside the component, called at a site of it, or from outside.
func outside(site int32) callchain.Frame {
	return callchain.Frame{Label: callchain.Label{Site: site, Receiver: callchain.NoReceiver, Callee: callgraph.NoNode}}
}

// by is the frame of a method that is called from code outside, or by the VM.
func by(n callgraph.NodeID) callchain.Frame {
	return callchain.Frame{Label: callchain.Label{Site: callchain.NoSite, Receiver: callchain.NoReceiver, Callee: n}}
}

// siteOf is the first call site of a method at a line.
func (x *thread) siteOf(in callgraph.NodeID, line int32) int32 {
	x.Helper()
	g := x.f.Graph
	for i := g.Nodes[in].First; i < g.Nodes[in].End; i++ {
		if s := g.Sites[i]; s.Origin == callgraph.FromCalls && g.Position(in, s).Line == line {
			return i
		}
	}
	x.Fatalf("no call in %s at line %d", methodName(g, in), line)
	return 0
}

// calls calls a method, given as "line Class.name", from the method that runs.
func (x *thread) calls(what string) {
	x.Helper()
	var line int32
	var name string
	if _, err := fmt.Sscanf(what, "%d %s", &line, &name); err != nil {
		x.Fatal(err)
	}
	top := x.stack.Frames[len(x.stack.Frames)-1].Callee
	f := outside(x.siteOf(top, line))
	if name != "outside" {
		f.Callee = nodeOf(x, x.f.Graph, name)
		m := x.f.Graph.Method(f.Callee)
		if m.Access&hierarchy.AccStatic == 0 {
			f.Receiver = x.f.Graph.H.Lookup(x.f.Graph.Class(f.Callee))
		}
	}
	x.stack.Call(f)
}

// is checks the state and, in Active, the current chain: its methods without their classes.
func (x *thread) is(want string) {
	x.Helper()
	if got := x.at(x.run.State()); got != want {
		x.Errorf("%s, want %s", got, want)
	}
	if got := x.at(x.f.Locate(x.stack.Frames, x.entries)); got != want {
		x.Errorf("the stack says %s, want %s", got, want)
	}
}

func (x *thread) at(s callchain.State, c callchain.Chain) string {
	if s != callchain.Active {
		return s.String()
	}
	var names []string
	for _, n := range x.f.Path(c.Number) {
		name := methodName(x.f.Graph, x.f.Nodes[n].Method)
		names = append(names, name[strings.IndexByte(name, '.')+1:])
	}
	text := strings.Join(names, " ")
	if c.Level > 0 {
		text += fmt.Sprint(" at level ", c.Level)
	}
	return text
}

// figure4 is the forest of Figure 4: two calls, classes of receivers, and the infeasible chain.
func figure4(t *testing.T) *thread {
	g := known(t, "text", "obj")
	return newThread(t, callchain.Build(g, callchain.Options{Component: inPackage("text"), Length: 2, All: true}))
}

// The example of section 4.2.2.
func TestActive(t *testing.T) {
	x := figure4(t)
	x.is("Start")
	x.stack.Call(outside(callchain.NoSite))
	x.is("Start")
	x.stack.Call(by(nodeOf(t, x.f.Graph, "FormatSymbols.getSeparator")))
	x.is("getSeparator")
	x.calls("13 FormatSymbols.getDefault")
	x.is("getSeparator getDefault")
	x.stack.Return()
	x.is("getSeparator")
	x.stack.Return()
	x.is("Start")
	var counts []int
	for _, n := range x.run.Covered {
		counts = append(counts, n)
	}
	if !slices.Equal(counts, []int{1, 1}) {
		t.Errorf("covered %v", x.run.Covered)
	}
}

// The example of section 4.2.3: getDefault is below n8 and not in the forest. Were it mutually
// recursive with getSeparator, only the last return would lead back.
func TestLimited(t *testing.T) {
	x := figure4(t)
	x.stack.Call(by(nodeOf(t, x.f.Graph, "DecimalFormat.toLocalizedPattern")))
	x.calls("21 DecimalFormat.toPattern(Z)")
	x.calls("29 FormatSymbols.getSeparator")
	x.is("toLocalizedPattern toPattern(Z) getSeparator")
	for range 3 {
		x.calls("13 FormatSymbols.getDefault")
		x.is("Limited")
		back := by(nodeOf(t, x.f.Graph, "FormatSymbols.getSeparator"))
		back.Site = x.siteOf(back.Callee, 13) // any call of the component
		x.stack.Call(back)
		x.is("Limited")
	}
	for range 5 {
		x.stack.Return()
		x.is("Limited")
	}
	x.stack.Return()
	x.is("toLocalizedPattern toPattern(Z) getSeparator")
	x.stack.Throw(2)
	x.is("toLocalizedPattern")
	x.stack.Return()
	x.is("Start")
}

// The example of section 4.2.4, and that of 4.3: code that toLocalizedPattern calls outside the
// component calls toPattern.
func TestReentrance(t *testing.T) {
	x := figure4(t)
	x.stack.Call(by(nodeOf(t, x.f.Graph, "DecimalFormat.toLocalizedPattern")))
	x.calls("21 DecimalFormat.toPattern(Z)")
	x.calls("30 outside")
	x.is("External")
	x.stack.Return()
	x.is("toLocalizedPattern toPattern(Z)")
	x.calls("25 outside")
	again := func() {
		x.stack.Call(by(nodeOf(t, x.f.Graph, "DecimalFormat.toPattern")))
		x.is("toPattern at level 1")
		x.calls("17 DecimalFormat.toPattern(Z)")
		x.is("toPattern toPattern(Z) at level 1")
	}
	again()
	x.stack.Throw(2) // code outside catches it
	x.is("External")
	again()
	x.calls("30 outside")
	x.is("External")
	x.stack.Call(by(nodeOf(t, x.f.Graph, "NumberFormat.setMaxIntDigits(I)")))
	x.is("setMaxIntDigits(I) at level 2")
	x.stack.Throw(5) // toPattern(Z), which is active at level 0, catches it
	x.is("toLocalizedPattern toPattern(Z)")
	x.stack.Throw(2)
	x.is("Start")
	x.stack.Call(by(nodeOf(t, x.f.Graph, "NumberFormat.setMaxIntDigits(I)")))
	x.is("setMaxIntDigits(I)")
}

// Back edges: a stack of them for each target, and an entry method that calls itself ends once.
func TestBackedges(t *testing.T) {
	g := known(t, "chains", "obj")
	x := newThread(t, callchain.Build(g, callchain.Options{Component: inPackage("chains"), Length: 4, Backedges: true}))
	x.stack.Call(by(nodeOf(t, g, "Recursion.even(I)")))
	for range 3 {
		x.calls("10 Recursion.odd(I)")
		x.is("even(I) odd(I)")
		x.calls("14 Recursion.even(I)")
		x.is("even(I)")
	}
	for range 3 {
		x.stack.Return()
		x.is("even(I) odd(I)")
		x.stack.Return()
		x.is("even(I)")
	}
	x.stack.Return()
	x.is("Start")
	x.stack.Call(by(nodeOf(t, g, "Recursion.direct(I)")))
	x.calls("6 Recursion.direct(I)")
	x.is("direct(I)")
	x.calls("6 Recursion.direct(I)")
	x.is("direct(I)")
	x.stack.Return()
	x.is("direct(I)")
	x.stack.Throw(2)
	x.is("Start")
	// The call that comes back to a node need not be the back edge that was followed to it last.
	x.stack.Call(by(nodeOf(t, g, "Recursion.circle(I)")))
	for _, call := range []string{"40 Recursion.inner(I)", "44 Recursion.inner(I)", "45 Recursion.circle(I)",
		"40 Recursion.inner(I)"} {
		x.calls(call)
	}
	for _, want := range []string{"circle(I) inner(I)", "circle(I)", "circle(I) inner(I)", "circle(I) inner(I)",
		"circle(I)", "Start"} {
		x.is(want)
		if want != "Start" {
			x.stack.Return()
		}
	}
}

// A method that begins in the middle of another one and was not announced is called by the VM.
func TestCalledByVM(t *testing.T) {
	g := known(t, "chains", "obj")
	x := newThread(t, callchain.Build(g, callchain.Options{Component: inPackage("chains"), Length: 4}))
	x.stack.Call(by(nodeOf(t, g, "Hidden.initialises")))
	x.stack.Call(by(nodeOf(t, g, "Hidden$Initialised.<clinit>")))
	x.is("<clinit> at level 1")
	x.calls("62 Hidden$Initialised.compute")
	x.is("<clinit> compute at level 1")
	x.stack.Throw(2)
	x.is("initialises")
}

// Whatever happens, the run knows what the whole stack shows: random calls, also such that the
// forest does not have, of code outside and from it, returns and exceptions.
func TestRandomRuns(t *testing.T) {
	for _, folder := range []string{"text", "chains"} {
		g := known(t, folder, "rta")
		seen := map[callchain.State]int{}
		for seed := range uint64(24) {
			opt := callchain.Options{Component: inPackage(folder), Length: int(seed % 6), Backedges: seed&1 != 0,
				Granularity: callchain.Granularity(seed % 3), FromStart: seed >= 18}
			if seed&2 != 0 {
				opt.Entries = callchain.Entries(g, opt.Component)[:4]
			}
			if seed&4 != 0 {
				opt.Skip = func(c callchain.Call) bool { return c.From == c.To }
			}
			x := newThread(t, callchain.Build(g, opt))
			rnd := rand.New(rand.NewPCG(seed, 1))
			for step := range 4000 {
				x.step(rnd)
				ran, c := x.run.State()
				if s, want := x.f.Locate(x.stack.Frames, x.entries); s != ran || want != c {
					t.Fatalf("%s, seed %d, step %d: %s, the stack says %s", folder, seed, step, x.at(ran, c),
						x.at(s, want))
				}
				seen[ran]++
			}
		}
		for s := callchain.Start; s <= callchain.External; s++ {
			if seen[s] < 1000 {
				t.Errorf("%s: %s only %d times", folder, s, seen[s])
			}
		}
	}
}

// step lets something happen on the stack.
func (x *thread) step(rnd *rand.Rand) {
	g, frames := x.f.Graph, x.stack.Frames
	n := len(frames)
	if n > 0 && (n > 14 || rnd.IntN(3) == 0) {
		x.stack.Throw(1 + rnd.IntN(min(n, 4)))
		return
	}
	var entries []callgraph.NodeID
	for e := range x.entries {
		entries = append(entries, e)
	}
	slices.Sort(entries)
	if n == 0 || !x.f.Inside(frames[n-1].Callee) || rnd.IntN(8) == 0 {
		if f := outside(callchain.NoSite); n == 0 || !x.f.Inside(frames[n-1].Callee) && rnd.IntN(3) == 0 {
			x.stack.Call(f)
			return
		}
		// Code outside, or the VM. Some of what the former calls, the analysis has not seen.
		from := entries
		if (n == 0 || !x.f.Inside(frames[n-1].Callee)) && rnd.IntN(6) == 0 {
			from = x.methods
		}
		x.stack.Call(by(from[rnd.IntN(len(from))]))
		return
	}
	top := frames[n-1].Callee
	var calls []int32
	for i := g.Nodes[top].First; i < g.Nodes[top].End; i++ {
		s := g.Sites[i]
		if s.Origin == callgraph.FromCalls && s.Kind == callgraph.Call &&
			g.Method(top).Calls[s.Index].Kind != facts.Dynamic {
			calls = append(calls, i)
		}
	}
	if len(calls) == 0 {
		x.stack.Return()
		return
	}
	site := calls[rnd.IntN(len(calls))]
	f := outside(site)
	for _, t := range g.Targets(g.Sites[site].Set) {
		if g.Method(t) != nil && x.f.Inside(t) && rnd.IntN(2) == 0 {
			f.Callee = t
			if g.Method(t).Access&hierarchy.AccStatic == 0 {
				f.Receiver = g.H.Owner(g.Nodes[t].Method)
			}
		}
	}
	x.stack.Call(f)
}
