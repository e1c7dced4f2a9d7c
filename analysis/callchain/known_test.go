package callchain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// graphs are call graphs by name: the others are as these as far as chains go.
var graphs = map[string]func(*hierarchy.Hierarchy, callgraph.Config) *callgraph.Graph{
	"cha": cha.Build,
	"rta": rta.Build,
	"obj": func(h *hierarchy.Hierarchy, c callgraph.Config) *callgraph.Graph {
		r := pointsto.Build(h, c, pointsto.Containers)
		points[r.Graph] = r
		return r.Graph
	},
}

// points are the results of points-to analysis that graphs are of.
var points = map[*callgraph.Graph]*pointsto.Result{}

// known compiles a folder of testdata/known/paper004 and builds a call graph whose entry points are
// its public methods, or its main methods where there is code outside the component.
func known(t testing.TB, folder, graph string) *callgraph.Graph {
	t.Helper()
	if g := built[folder+graph]; g != nil {
		return g
	}
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata", "known", "paper004", folder, "*.java"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	home, out := testjdk.JDK(t, 17), t.TempDir()
	testjdk.Javac(t, home, 17, nil, out, files...)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	cfg := callgraph.Config{Workspace: p.Workspace, Entries: features.PublicEntries(p, p.Workspace)}
	if folder == "levels" {
		cfg.Entries = features.MainEntries(p, p.Workspace)
	}
	g := graphs[graph](hierarchy.New(p), cfg)
	built[folder+graph] = g
	return g
}

// built are the graphs of known programs: tests run one after the other.
var built = map[string]*callgraph.Graph{}

// inPackage is a component: a package.
func inPackage(name string) func(string) bool {
	return func(class string) bool { return hierarchy.Package(class) == name }
}

// nodeOf finds a method of the programs by "Class.name", the class without its package.
func nodeOf(t testing.TB, g *callgraph.Graph, name string) callgraph.NodeID {
	t.Helper()
	for n := range g.Nodes {
		if own := hierarchy.Package(g.Class(callgraph.NodeID(n))); (own == "text" || own == "chains" || own == "cut" ||
			own == "patterns") &&
			methodName(g, callgraph.NodeID(n)) == name {
			return callgraph.NodeID(n)
		}
	}
	t.Fatalf("%s is not reached", name)
	return callgraph.NoNode
}

// methodName is "Class.name(descriptor of the parameters)", the parameters left out where there are
// none.
func methodName(g *callgraph.Graph, n callgraph.NodeID) string {
	class := g.Class(n)
	m := g.Method(n)
	name := class[strings.LastIndexByte(class, '/')+1:] + "." + m.Name
	if params := m.Desc[:strings.IndexByte(m.Desc, ')')+1]; params != "()" {
		name += params
	}
	return name
}

// lines writes the trees of some entries, a line for each node: indented by its depth, the line of
// the call and the receiver's class as far as the forest has them, the method, and for a back edge
// how far up it leads.
func lines(f *callchain.Forest, roots ...callgraph.NodeID) []string {
	g := f.Graph
	var out []string
	var walk func(n callchain.NodeID, depth int)
	walk = func(n callchain.NodeID, depth int) {
		edges := slices.Clone(f.Nodes[n].Edges)
		text := func(e callchain.Edge) string {
			s := strings.Repeat("  ", depth)
			if e.Site != callchain.NoSite {
				site := g.Sites[e.Site]
				s += fmt.Sprintf("%d ", g.Position(g.NodeOfSite(e.Site), site).Line)
			}
			switch {
			case e.Receiver == callchain.AnyReceiver:
				s += "? "
			case e.Receiver == callchain.LambdaReceiver:
				s += "lambda "
			case e.Receiver != callchain.NoReceiver:
				name := g.H.Name(e.Receiver)
				s += name[strings.LastIndexAny(name, "/$")+1:] + " "
			}
			s += methodName(g, e.Callee)
			if e.Up >= 0 {
				s += fmt.Sprintf(" ^%d", e.Up)
			}
			return s
		}
		slices.SortFunc(edges, func(a, b callchain.Edge) int { return strings.Compare(text(a), text(b)) })
		for _, e := range edges {
			if out = append(out, text(e)); e.Up < 0 {
				walk(e.To, depth+1)
			}
		}
	}
	list := slices.Clone(f.Roots)
	name := func(r callchain.Root) string { return methodName(g, f.Nodes[r.ID].Method) }
	slices.SortStableFunc(list, func(a, b callchain.Root) int { return strings.Compare(name(a), name(b)) })
	for _, r := range list {
		if slices.Contains(roots, f.Nodes[r.ID].Method) {
			out = append(out, name(r))
			walk(r.ID, 1)
		}
	}
	return out
}

// check compares the trees of some entries with what is expected of them, a line each.
func check(t *testing.T, f *callchain.Forest, entries []string, want string) {
	t.Helper()
	var roots []callgraph.NodeID
	for _, e := range entries {
		roots = append(roots, nodeOf(t, f.Graph, e))
	}
	got := strings.Join(lines(f, roots...), "\n")
	want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t\t\t", "\n"))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// onEach runs a test with each call graph on a folder of programs.
func onEach(t *testing.T, folder string, run func(t *testing.T, build func(callchain.Options) *callchain.Forest)) {
	for _, graph := range slices.Sorted(maps.Keys(graphs)) {
		t.Run(graph, func(t *testing.T) {
			g := known(t, folder, graph)
			run(t, func(opt callchain.Options) *callchain.Forest {
				opt.Component, opt.Points = inPackage(folder), points[g]
				return callchain.Build(g, opt)
			})
		})
	}
}

// Figures 2 and 4 of the paper. The dotted edges to getDefault come with one call more. The chain
// from toPattern() to getSeparator, (n1, n2, n4), is infeasible.
func TestFigure4(t *testing.T) {
	entries := []string{"DecimalFormat.toPattern", "DecimalFormat.toLocalizedPattern", "FormatSymbols.getSeparator"}
	onEach(t, "text", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		var roots []string
		for _, r := range build(callchain.Options{}).Roots {
			f := build(callchain.Options{})
			roots = append(roots, methodName(f.Graph, f.Nodes[r.ID].Method))
		}
		slices.Sort(roots)
		if want := []string{"DecimalFormat.<init>", "DecimalFormat.getSymbols",
			"DecimalFormat.toLocalizedPattern", "DecimalFormat.toPattern", "FormatSymbols.getDefault",
			"FormatSymbols.getSeparator", "FormatSymbols.setSeparator(C)", "NumberFormat.<init>",
			"NumberFormat.getMaxIntDigits", "NumberFormat.setMaxIntDigits(I)"}; !slices.Equal(roots, want) {
			t.Errorf("entry methods %v, want %v", roots, want)
		}
		check(t, build(callchain.Options{Length: 2, Granularity: callchain.BySite, All: true}), entries, `
			DecimalFormat.toLocalizedPattern
			  21 DecimalFormat.toPattern(Z)
			    26 NumberFormat.getMaxIntDigits
			    29 FormatSymbols.getSeparator
			DecimalFormat.toPattern
			  17 DecimalFormat.toPattern(Z)
			    26 NumberFormat.getMaxIntDigits
			    29 FormatSymbols.getSeparator
			FormatSymbols.getSeparator
			  13 FormatSymbols.getDefault`)
		check(t, build(callchain.Options{Length: 3, Granularity: callchain.BySite}), entries, `
			DecimalFormat.toLocalizedPattern
			  21 DecimalFormat.toPattern(Z)
			    26 NumberFormat.getMaxIntDigits
			    29 FormatSymbols.getSeparator
			      13 FormatSymbols.getDefault
			DecimalFormat.toPattern
			  17 DecimalFormat.toPattern(Z)
			    26 NumberFormat.getMaxIntDigits
			FormatSymbols.getSeparator
			  13 FormatSymbols.getDefault`)
	})
}

// Figure 3 with both treatments of recursion. A chain that is as long as it may be has no back
// edge: the stopping criterion comes first.
func TestRecursion(t *testing.T) {
	entries := []string{"Recursion.direct(I)", "Recursion.even(I)"}
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		check(t, build(callchain.Options{Length: 3, Granularity: callchain.ByMethod}), entries, `
			Recursion.direct(I)
			  Recursion.direct(I)
			    Recursion.direct(I)
			      Recursion.direct(I)
			Recursion.even(I)
			  Recursion.odd(I)
			    Recursion.even(I)
			      Recursion.odd(I)`)
		check(t, build(callchain.Options{Length: 3, Granularity: callchain.ByMethod, Backedges: true}), entries, `
			Recursion.direct(I)
			  Recursion.direct(I) ^0
			Recursion.even(I)
			  Recursion.odd(I)
			    Recursion.even(I) ^1`)
		check(t, build(callchain.Options{Length: 1, Granularity: callchain.ByMethod, Backedges: true}), entries, `
			Recursion.direct(I)
			  Recursion.direct(I) ^0
			Recursion.even(I)
			  Recursion.odd(I)`)
	})
}

// The three granularities of section 3.1, and the paper's test: what draw calls on this is of the
// class that the chain called draw on. At a coarser granularity, a node is there if it is there for
// one class.
func TestGranularity(t *testing.T) {
	entries := []string{"Recursion.twice", "Shapes.dotted", "Shapes.any(Z)"}
	want := map[callchain.Granularity]string{
		callchain.ByMethod: `
			Recursion.twice
			  Recursion.once
			Shapes.any(Z)
			  Shapes$Circle.<init>
			    Shapes$Shape.<init>
			  Shapes$Shape.draw
			    Shapes$Circle.outline
			    Shapes$Shape.fill
			    Shapes$Square.fill
			    Shapes$Square.outline
			  Shapes$Square.<init>
			    Shapes$Shape.<init>
			Shapes.dotted
			  Shapes$Dotted.<init>
			    Shapes$Square.<init>
			      Shapes$Shape.<init>
			  Shapes$Dotted.draw
			    Shapes$Shape.draw
			      Shapes$Dotted.outline
			      Shapes$Square.fill`,
		callchain.BySite: `
			Recursion.twice
			  19 Recursion.once
			  20 Recursion.once
			Shapes.any(Z)
			  45 Shapes$Circle.<init>
			    17 Shapes$Shape.<init>
			  45 Shapes$Square.<init>
			    23 Shapes$Shape.<init>
			  46 Shapes$Shape.draw
			    7 Shapes$Circle.outline
			    7 Shapes$Shape.fill
			    7 Shapes$Square.fill
			    7 Shapes$Square.outline
			Shapes.dotted
			  50 Shapes$Dotted.<init>
			    34 Shapes$Square.<init>
			      23 Shapes$Shape.<init>
			  50 Shapes$Dotted.draw
			    36 Shapes$Shape.draw
			      7 Shapes$Dotted.outline
			      7 Shapes$Square.fill`,
		callchain.ByReceiver: `
			Recursion.twice
			  19 Recursion.once
			  20 Recursion.once
			Shapes.any(Z)
			  45 Circle Shapes$Circle.<init>
			    17 Circle Shapes$Shape.<init>
			  45 Square Shapes$Square.<init>
			    23 Square Shapes$Shape.<init>
			  46 Circle Shapes$Shape.draw
			    7 Circle Shapes$Circle.outline
			    7 Circle Shapes$Shape.fill
			  46 Square Shapes$Shape.draw
			    7 Square Shapes$Square.fill
			    7 Square Shapes$Square.outline
			Shapes.dotted
			  50 Dotted Shapes$Dotted.<init>
			    34 Dotted Shapes$Square.<init>
			      23 Dotted Shapes$Shape.<init>
			  50 Dotted Shapes$Dotted.draw
			    36 Dotted Shapes$Shape.draw
			      7 Dotted Shapes$Dotted.outline
			      7 Dotted Shapes$Square.fill`,
	}
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		for granularity, want := range want {
			f, n := build(callchain.Options{Length: 4, Granularity: granularity}), len(entries)
			if f.Graph.Algorithm == "cha" || f.Graph.Algorithm == "rta" {
				// Dotted is a receiver of draw, too.
				before, after, _ := strings.Cut(want, "\n\t\t\tShapes.any")
				n, want = 2, before+after[strings.Index(after, "\n\t\t\tShapes.dotted"):]
			}
			check(t, f, entries[:n], want)
		}
		check(t, build(callchain.Options{Length: 1, Granularity: callchain.ByMethod,
			Skip: func(c callchain.Call) bool {
				return strings.HasSuffix(methodName(build(callchain.Options{}).Graph, c.To), ".<init>")
			}}), []string{"Shapes.dotted"}, `
			Shapes.dotted
			  Shapes$Dotted.draw`)
	})
}

// What the chain passes decides which calls there are: booleans, null, text and numbers, also
// passed on. Parameters that are assigned to decide nothing.
func TestConstants(t *testing.T) {
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		check(t, build(callchain.Options{Length: 3, Granularity: callchain.ByMethod}), []string{"Guards.flags",
			"Guards.absent", "Guards.given", "Guards.numbers", "Guards.assigned", "Guards.looped", "Guards.fast",
			"Guards.either", "Guards.perhaps", "Guards.same", "Guards.early", "Guards.late",
			"Guards.inherited", "Guards.large", "Guards.larger",
			"Guards.alias", "Guards.usual", "Guards.twoStrings", "Guards.twoNulls", "Guards.changes",
			"Guards.others"}, `
			Guards.absent
			  Guards.length(Ljava/lang/String;)
			    Guards.ofNull
			Guards.alias
			  Guards.alias(Lchains/Guards$Mode;)
			    Guards.whenTrue
			Guards.assigned
			  Guards.reassigned(Z)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.changes
			  Guards.changes(Lchains/Guards$Mode;)
			    Guards.whenTrue
			Guards.early
			  Guards.isB(Lchains/Guards$Early;)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.either
			  Guards.mode(Lchains/Guards$Mode;)
			    Guards.otherwise
			    Guards.whenFast
			    Guards.whenSafe
			Guards.fast
			  Guards.mode(Lchains/Guards$Mode;)
			    Guards.otherwise
			    Guards.whenFast
			  Guards.passedOn(Lchains/Guards$Mode;I)
			    Guards.mode(Lchains/Guards$Mode;)
			      Guards.otherwise
			      Guards.whenSafe
			Guards.flags
			  Guards.flag(Z)
			    Guards.whenTrue
			  Guards.onward(Z)
			    Guards.flag(Z)
			      Guards.whenFalse
			Guards.given
			  Guards.length(Ljava/lang/String;)
			    Guards.ofText(Ljava/lang/String;)
			Guards.inherited
			  Guards.isB(Lchains/Guards$Inheriting;)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.large
			  Guards.number(J)
			    Guards.one
			Guards.larger
			  Guards.number(J)
			    Guards.three
			Guards.late
			  Guards.isB(Lchains/Guards$Late;)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.looped
			  Guards.loop(Z)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.numbers
			  Guards.number(I)
			    Guards.three
			Guards.others
			  Guards.others(Ljava/lang/Object;)
			    Guards.whenTrue
			Guards.perhaps
			  Guards.mode(Lchains/Guards$Mode;)
			    Guards.otherwise
			    Guards.whenFast
			Guards.same
			  Guards.compare(Lchains/Guards$Mode;)
			    Guards.whenFalse
			    Guards.whenTrue
			Guards.twoNulls
			  Guards.nullField(Ljava/lang/Object;)
			    Guards.whenTrue
			  Guards.twoNulls(Ljava/lang/Object;)
			    Guards.whenTrue
			Guards.twoStrings
			  Guards.twoStrings(Ljava/lang/String;)
			    Guards.whenTrue
			Guards.usual
			  Guards.usual(Lchains/Guards$Mode;)
			    Guards.whenFalse
			    Guards.whenTrue`)
	})
}

// A call through this goes to what the class selects, which is not always its method of that name.
func TestSelected(t *testing.T) {
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		check(t, build(callchain.Options{Length: 5}), []string{"Selected.hidden", "Selected.defaults",
			"Selected.bridged", "Selected.constructed"}, `
			Selected.bridged
			  58 Number Selected$Number.<init>
			    48 Number Selected$Ordered.<init>
			  58 Number Selected$Number.<init>
			    48 Number Selected$Ordered.<init>
			  58 Number Selected$Ordered.before(Ljava/lang/Object;)
			    44 Number Selected$Number.compareTo(Ljava/lang/Object;)
			      48 Number Selected$Number.compareTo(Lchains/Selected$Number;)
			        50 Number Selected$Number.compared
			Selected.constructed
			  75 Made Selected$Made.<init>
			    69 Made Selected$Made.<init>(Z)
			      64 Made Selected$Base.<init>
			      65 Made Selected$Base.shared
			Selected.defaults
			  39 Sides Selected$Sides.<init>
			  39 Sides Selected$Sides.side
			    34 Sides Selected$Left.side
			Selected.hidden
			  25 Derived Selected$Base.both
			    7 Derived Selected$Base.secret
			    7 Derived Selected$Derived.shared
			      19 Derived Selected$Base.shared
			      19 Derived Selected$Derived.secret
			  25 Derived Selected$Derived.<init>
			    15 Derived Selected$Base.<init>`)
	})
}

// Contexts of points-to analysis tell what a constructor calls from which other constructors calls
// of it call: each has what it was given.
func TestContexts(t *testing.T) {
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		f := build(callchain.Options{Length: 2, Granularity: callchain.ByMethod})
		if f.Graph.Algorithm != "rta" && f.Graph.Algorithm != "cha" {
			check(t, f, []string{"Starter.first", "Starter.second"}, `
			Starter.first
			  Starter$First.<init>
			  Starter.<init>(Lchains/Starter$Started;)
			    Starter$First.go
			Starter.second
			  Starter$Second.<init>
			  Starter.<init>(Lchains/Starter$Started;)
			    Starter$Second.go`)
		}
	})
}

// Lambdas and method references are called where their interface is; this is not one of them where
// it is an object of a class. What code outside, the VM and other threads call is an entry method.
func TestHidden(t *testing.T) {
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		check(t, build(callchain.Options{Length: 4}), []string{"Hidden.lambda", "Hidden.thread",
			"Hidden.initialises", "Hidden.outside(Ljava/util/List;)", "Hidden$Initialised.<clinit>",
			"Hidden.lambda$thread$2", "Hidden.lambda$outside$1(Ljava/lang/String;)"}, `
			Hidden$Initialised.<clinit>
			  62 Hidden$Initialised.compute
			Hidden.initialises
			Hidden.lambda
			  26 Hidden.call(Lchains/Hidden$Task;)
			    38 Plain Hidden$Task.both
			      11 Plain Hidden$Plain.run(Z)
			        17 Hidden.plain
			      11 Plain Hidden$Plain.run(Z)
			        17 Hidden.plain
			    38 lambda Hidden$Task.both
			      11 lambda Hidden.lambda$lambda$0(Z)
			        25 Hidden.inLambda
			      11 lambda Hidden.lambda$lambda$0(Z)
			        25 Hidden.inLambda
			      11 lambda Hidden.run(Z)
			        42 Hidden.inLambda
			        42 Hidden.plain
			      11 lambda Hidden.run(Z)
			        42 Hidden.inLambda
			        42 Hidden.plain
			Hidden.lambda$outside$1(Ljava/lang/String;)
			  49 Hidden.fromOutside(Ljava/lang/String;)
			Hidden.lambda$thread$2
			  56 Hidden.inThread
			Hidden.outside(Ljava/util/List;)
			Hidden.thread`)
	})
}

// A budget ends the forest at the longest length that keeps to it, and what is longer is counted.
// Equal subtrees are one node: that a forest has many chains does not make it large.
func TestBudget(t *testing.T) {
	onEach(t, "chains", func(t *testing.T, build func(callchain.Options) *callchain.Forest) {
		g := build(callchain.Options{}).Graph
		fib := []callgraph.NodeID{nodeOf(t, g, "Recursion.fib(I)")}
		f := build(callchain.Options{Length: 10, Budget: 100, Entries: fib})
		if f.Length != 10 || f.Complete != 5 || f.Chains() != 63 || f.Over != 127 || f.AtLeast {
			t.Errorf("length %d of %d, %d chains, %d more (%v)", f.Complete, f.Length, f.Chains(), f.Over, f.AtLeast)
		}
		if f = build(callchain.Options{Length: 50, Entries: fib}); f.Chains() != 1<<51-1 || len(f.Nodes) != 51 {
			t.Errorf("%d chains in %d nodes", f.Chains(), len(f.Nodes))
		}
		if f = build(callchain.Options{Length: 90, Entries: fib}); f.Chains() != math.MaxUint64 {
			t.Errorf("%d chains", f.Chains())
		}
		// Back edges lead to other ancestors: above odd is even or not.
		check(t, build(callchain.Options{Length: 9, Granularity: callchain.ByMethod, Backedges: true}),
			[]string{"Recursion.parity(I)", "Recursion.even(I)"}, `
			Recursion.even(I)
			  Recursion.odd(I)
			    Recursion.even(I) ^1
			Recursion.parity(I)
			  Recursion.even(I)
			    Recursion.odd(I)
			      Recursion.even(I) ^1
			  Recursion.odd(I)
			    Recursion.even(I)
			      Recursion.odd(I) ^1`)
		f = callchain.BuildWithin(g, callchain.Options{Component: inPackage("chains"), Length: 3, Budget: 20}, 1)
		if f.Complete != 0 || f.Over <= 20 || !f.AtLeast {
			t.Errorf("length %d, then %d chains (%v)", f.Complete, f.Over, f.AtLeast)
		}
		if f = build(callchain.Options{Length: 3, Budget: 1}); f.Complete != 0 || len(f.Roots) < 10 {
			t.Errorf("%d roots are left of a small budget, with length %d", len(f.Roots), f.Complete)
		}
	})
}

// Section 5: chains are counted from main, over code outside the component, and each time that
// control comes back is a level. A chain counts for each of its levels.
func TestFromStart(t *testing.T) {
	for _, graph := range slices.Sorted(maps.Keys(graphs)) {
		g := known(t, "levels", graph)
		want := []string{
			"",
			"0 Component.outer 1, 0 Component.second 1",
			"0 Component.outer 2, 0 Component.second 2",
			"0 Component.outer 2, 0 Component.second 2",
			"0 Component.outer 2, 0 Component.second 2, 1 Component.second 1",
			"0 Component.outer 2, 0 Component.second 2, 1 Component.second 2",
			"0 Component.outer 2, 0 Component.second 2, 1 Component.second 2",
		}
		for length, want := range want {
			f := callchain.Build(g, callchain.Options{Component: inPackage("cut"), Length: length, FromStart: true})
			var got []string
			for _, r := range f.Roots {
				got = append(got, fmt.Sprintf("%d %s %d", r.Level, methodName(g, f.Nodes[r.ID].Method), f.Below(r.ID)))
			}
			slices.Sort(got)
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s, length %d: %s, want %s", graph, length, got, want)
			}
		}
	}
}

// Forests as text, JSON and dot: of a component with two packages, classes have theirs.
func TestWrite(t *testing.T) {
	g := known(t, "chains", "rta")
	entries := []callgraph.NodeID{nodeOf(t, g, "Recursion.even(I)"), nodeOf(t, g, "Hidden.object")}
	f := callchain.Build(g, callchain.Options{Component: inPackage("chains"), Length: 3, Entries: entries,
		Backedges: true})
	var text, graph, data bytes.Buffer
	names := callchain.NewNames(f, strings.ToUpper)
	names.Note = func(n callgraph.NodeID) string {
		if n == entries[1] {
			return "noted"
		}
		return ""
	}
	if err := errors.Join(f.Text(&text, names), f.Dot(&graph, names), f.JSON(&data, names)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"RECURSION.EVEN(INT)\n", "  10: RECURSION.ODD(INT)\n",
		"    14: RECURSION.EVEN(INT), back to its caller\n",
		"HIDDEN.OBJECT() (noted)\n",
		"    38: HIDDEN.TASK.BOTH() on HIDDEN.PLAIN\n", "    38: HIDDEN.TASK.BOTH() on a lambda\n",
		"      11 (1 of 2): lambda in HIDDEN.LAMBDA:25 on a lambda\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var j struct {
		Length, Complete int
		Chains           uint64
		Roots            []struct{ Node int }
		Nodes            []struct {
			Class, Method, Note string
			Calls               []struct {
				Line     int
				Receiver string
				Node, Up *int
				Callee   string
			}
		}
	}
	if err := json.Unmarshal(data.Bytes(), &j); err != nil {
		t.Fatal(err)
	}
	// The JSON leads to the same lines as the text.
	lines, backs := uint64(0), 0
	var walk func(n int)
	walk = func(n int) {
		lines++
		for _, c := range j.Nodes[n].Calls {
			if c.Node != nil {
				walk(*c.Node)
			} else if backs++; *c.Up != 1 || c.Callee != "chains.Recursion.even(I)Z" || c.Line != 14 {
				t.Errorf("back edge %+v", c)
			}
		}
	}
	for _, r := range j.Roots {
		walk(r.Node)
	}
	if root := j.Nodes[j.Roots[1].Node]; root.Note != "noted" {
		t.Errorf("the node of what is noted: %+v", root)
	}
	written := strings.Count(text.String(), "\n")
	if lines != f.Chains() || j.Chains != lines || backs != 1 || written != int(lines)+backs {
		t.Errorf("%d chains in JSON with %d back edges, %d lines of text, %d chains in the forest", lines, backs,
			written, f.Chains())
	}
	if n := strings.Count(graph.String(), "style=dashed"); n != 1 || strings.Count(graph.String(), "style=bold") != 2 {
		t.Errorf("graph\n%s", graph.String())
	}
}
