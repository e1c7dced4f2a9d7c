package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/chains"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/session"
)

// chainsCmd shows the call chains of a component.
type chainsCmd struct {
	common
	Component   []string `help:"What the component is: packages (org.example, with a star as last part: org.example.*; with two, subpackages too: org.example.**) or classes with what is nested in them (org.example.Parser). Without it, all classes of the workspace but those of tests." placeholder:"PATTERN"`
	From        []string `help:"Only chains from these entry methods, given by the end of their name: parse, Parser.parse or Parser.parse(String)." placeholder:"ENTRY" sep:"none"`
	To          []string `help:"Only chains that lead to these methods of the component, given by the end of their name, private ones too: how each can be reached." placeholder:"METHOD" sep:"none"`
	K           int      `default:"4" help:"How many calls a chain has at most." placeholder:"N"`
	Counted     string   `default:"entry" enum:"entry,start" help:"Where counting calls starts: at the entry method (the default), or where the program starts, over code outside the component. Then entry methods are listed again for each time that the component has been entered and left before." placeholder:"FROM"`
	Granularity string   `default:"site" enum:"method,site,receiver" help:"Which calls are told apart: by called method, by call site too (the default), or by class of the receiver besides." placeholder:"WHICH"`
	Recursion   string   `default:"unroll" enum:"unroll,backedge" help:"unroll recursion up to the length (the default), or end a chain where it comes back to one of its methods (backedge)." placeholder:"HOW"`
	Budget      uint64   `default:"100000" help:"How many chains there may be. If there are more, chains have fewer calls. 0: any number." placeholder:"CHAINS"`
	Infeasible  bool     `help:"Show chains, too, that cannot be because of what they pass or of the class of their receivers."`
	Tests       bool     `name:"run" help:"Run the tests, and show which of them took each chain. What is known and has not changed is not run again. For the workspace without its tests; by call site, or method."`
	Untested    bool     `name:"uncovered" help:"With --run: show only chains that no test has taken, below the longest beginning that one has, with the test that came nearest."`
	Again       bool     `help:"With --run: run all tests."`
	Quiet       bool     `short:"q" help:"Show no progress."`
	Jobs        int      `short:"j" help:"Test JVMs at once; 0 means one per core." placeholder:"N" default:"0"`
	Format      string   `default:"text" enum:"text,json,html,dot" help:"text, json, html or dot (for Graphviz)." placeholder:"FORM"`
	output
}

// maxChainLength bounds the calls of a chain: stacks with more frames come from recursion alone.
const maxChainLength = 100

func (c *chainsCmd) Run(ctx context.Context) error {
	if c.K < 0 || c.K > maxChainLength {
		return fmt.Errorf("--k %d: a chain has 0 to %d calls", c.K, maxChainLength)
	}
	if err := c.checkRun(); err != nil {
		return err
	}
	tuneGC()
	s, err := c.open(version, c.Tests, c.Jobs)
	switch {
	case err == nil && c.Tests:
		err = reloadToRun(ctx, s, progress)
	case err == nil:
		err = reload(ctx, s, "analysing", progress)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	snap := s.View().Snap
	g := snap.CallGraph()
	if g == nil {
		return errors.New("there is no call graph of this workspace: see catchlens doctor")
	}
	opt, err := c.options(snap, g)
	if err != nil {
		return err
	}
	from := opt.Entries
	if c.Tests {
		opt.Entries = nil // chains that ran are looked up among all
	}
	f := callchain.Build(g, opt)
	to, err := c.targets(f)
	if err != nil {
		return err
	}
	if c.Tests {
		return c.showTested(ctx, s, f, chains.Show{From: from, To: to, Untested: c.Untested})
	}
	return c.writeOutput(func(w io.Writer) error { return c.show(w, f, to, s.View()) })
}

// targets are the methods that chains are wanted to, nil for all. The error says what names
// nothing.
func (c *chainsCmd) targets(f *callchain.Forest) (to []callgraph.NodeID, err error) {
	methods := callchain.Methods(f.Graph, f.InComponent)
	for _, name := range c.To {
		found := slices.DeleteFunc(slices.Clone(methods), func(n callgraph.NodeID) bool {
			return !endsSo(f.Graph, n, name)
		})
		if len(found) == 0 {
			return nil, fmt.Errorf("--to %s: the call graph reaches no method of the component whose name ends so",
				name)
		}
		to = append(to, found...)
	}
	return to, nil
}

// options are the parameters of the forest. The error says what names nothing.
func (c *chainsCmd) options(snap *snapshot.Snapshot, g *callgraph.Graph) (callchain.Options, error) {
	opt := callchain.Options{Points: snap.PointsTo(), Length: c.K, FromStart: c.Counted == "start",
		Budget: c.Budget, All: c.Infeasible,
		Granularity: callchain.Granularities[c.Granularity], Backedges: c.Recursion == "backedge",
		Component: func(class string) bool {
			k := snap.Class(class)
			return k != nil && !k.InTests
		}}
	if len(c.Component) > 0 {
		opt.Component = func(class string) bool {
			return slices.ContainsFunc(c.Component, func(p string) bool { return callchain.Matches(p, class) })
		}
	}
	for _, p := range c.Component {
		if len(callchain.Methods(g, func(class string) bool { return callchain.Matches(p, class) })) == 0 {
			hint := ""
			if list := packagesOf(snap); len(list) > 0 {
				hint = "; the workspace's packages are " + cleanName(strings.Join(list, ", "))
			}
			return opt, fmt.Errorf("--component %s: the call graph reaches no method of such a class%s", p, hint)
		}
	}
	if len(c.Component) == 0 && len(callchain.Methods(g, opt.Component)) == 0 {
		return opt, errors.New("the call graph reaches no method of the workspace outside tests: see catchlens " +
			"doctor, or take --entry-points public")
	}
	for _, name := range c.From {
		found, err := findEntries(g, opt.Component, name)
		if err != nil {
			return opt, err
		}
		opt.Entries = append(opt.Entries, found...)
	}
	slices.Sort(opt.Entries)
	opt.Entries = slices.Compact(opt.Entries)
	return opt, nil
}

// packagesOf lists the packages of the workspace's classes.
func packagesOf(snap *snapshot.Snapshot) (out []string) {
	for _, k := range snap.Classes() {
		if !k.InTests {
			out = append(out, strings.ReplaceAll(hierarchy.Package(k.Name), "/", "."))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// endsSo tells whether the name of a method, with or without parameters, ends with another one.
// Both forms of the names of nested classes and of constructors are understood, and that of a
// lambda expression as chains show it.
func endsSo(g *callgraph.Graph, n callgraph.NodeID, name string) bool {
	class := strings.ReplaceAll(g.Class(n), "/", ".") + "."
	full := class + callchain.Signature(g, n)
	bare, _, _ := strings.Cut(full, "(")
	names := []string{full, bare}
	m := g.Method(n)
	if in, ok := callchain.LambdaIn(m.Name); ok {
		names = append(names, fmt.Sprintf("%s%s:%d", class, in, m.FirstLine))
	}
	alike := strings.NewReplacer("lambda in ", "", "#", ".", "$", ".", ".<init>", ".new",
		".<clinit>", ".static {}").Replace
	return slices.ContainsFunc(names, func(own string) bool {
		return strings.HasSuffix(alike("."+own), alike("."+name))
	})
}

// findEntries finds the entry methods of a component whose names end so. The error tells methods
// that are none from names that no method has.
func findEntries(g *callgraph.Graph, in func(string) bool, name string) ([]callgraph.NodeID, error) {
	ends := func(n callgraph.NodeID) bool { return endsSo(g, n, name) }
	entries := callchain.Entries(g, in)
	found := slices.Clone(entries)
	if found = slices.DeleteFunc(found, func(n callgraph.NodeID) bool { return !ends(n) }); len(found) > 0 {
		return found, nil
	}
	methods := callchain.Methods(g, in)
	at := slices.IndexFunc(methods, ends)
	if at < 0 {
		return nil, fmt.Errorf("--from %s: the call graph reaches no method of the component whose name ends so", name)
	}
	var near []string
	f := callchain.Build(g, callchain.Options{Component: in, Length: maxChainLength, Backedges: true,
		Granularity: callchain.ByMethod, Budget: nearBudget})
	names := callchain.NewNames(f, cleanName)
	for _, r := range f.Roots {
		if f.Has(r.ID, methods[at]) {
			near = append(near, names.Method(f.Nodes[r.ID].Method))
		}
	}
	hint := ""
	if slices.Sort(near); len(near) > 0 {
		hint = "; these lead to it: " + strings.Join(near[:min(len(near), 5)], ", ")
	}
	return nil, fmt.Errorf("--from %s: %s is no entry method: only the component itself calls it%s", name,
		names.Method(methods[at]), hint)
}

// nearBudget bounds the chains that are looked at for a hint.
const nearBudget = 100_000

func cleanName(s string) string { return codelens.Plain(s, false) }

// show writes the forest, or what of it leads to some methods; how large it is goes to standard
// error.
func (c *chainsCmd) show(w io.Writer, f *callchain.Forest, to []callgraph.NodeID, v codelens.View) error {
	chains, whither := f.Chains(), ""
	if len(to) > 0 {
		chains, f = f.CountEnding(to...), f.Ending(to...)
		whither = " to " + strings.Join(c.To, ", ")
	}
	b := bufio.NewWriter(w)
	names := callchain.NewNames(f, cleanName)
	names.Note = func(n callgraph.NodeID) string {
		m := f.Graph.Method(n)
		return codelens.NotEnteredText(v, snapshot.MethodRef{Class: f.Graph.Class(n), Method: m.Name + m.Desc})
	}
	write := map[string]func() error{
		"text": func() error { return f.Text(b, names) },
		"json": func() error { return f.JSON(b, names) },
		"dot":  func() error { return f.Dot(b, names) },
		"html": func() error {
			return f.HTML(b, names, &callchain.Page{Title: "Call chains" + cleanName(whither),
				Link: linkTo(f, v.Snap)})
		},
	}[c.Format]
	if err := errors.Join(write(), b.Flush()); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s%s from %s, of at most %s; call graph %s, entry points %s\n",
		codelens.Count(int(min(chains, 1<<62)), "call chain"), cleanName(whither),
		codelens.Count(len(f.Roots), "entry method"), codelens.Count(f.Complete, "call"), v.Snap.Config.CallGraph,
		v.Snap.EntryPoints())
	if len(to) > 0 && chains == 0 {
		fmt.Fprintf(os.Stderr, "note: no longer chain was looked for: --k %d\n", c.K)
	}
	if f.Complete < f.Length {
		least := ""
		if f.AtLeast {
			least = "at least "
		}
		fmt.Fprintf(os.Stderr, "note: of at most %s there are %s%d call chains, more than --budget %d: what is shown "+
			"is complete up to %s\n", codelens.Count(f.Complete+1, "call"), least, f.Over, c.Budget,
			codelens.Count(f.Complete, "call"))
	}
	return nil
}

// checkRun says what does not go together with running tests, or without.
func (c *chainsCmd) checkRun() error {
	switch {
	case !c.Tests && (c.Untested || c.Again):
		return errors.New("--uncovered and --again go with --run")
	case !c.Tests:
		return nil
	case len(c.Component) > 0:
		return errors.New("--run is for the whole workspace without its tests, not for a " +
			"--component: see --from and --to")
	case c.K > worker.ChainCalls:
		return fmt.Errorf("--run: runs record chains of at most %d calls, not --k %d", worker.ChainCalls, c.K)
	case c.Granularity == "receiver" || c.Recursion != "unroll" || c.Counted != "entry" || c.Format == "dot":
		return errors.New("--run: runs record chains from the entry method, by call site, with recursion unrolled; " +
			"they are shown as text, json or html")
	}
	return nil
}

// showTested runs the tests, and writes which of them took the chains that are asked for; how many
// there are goes to standard error.
func (c *chainsCmd) showTested(ctx context.Context, s *session.Session, f *callchain.Forest,
	show chains.Show) error {
	progress := runProgress
	if c.Quiet {
		progress = noProgress
	}
	p, done := progress("running")
	found, sum, err := s.CoverChains(ctx, f, c.Again, p)
	done()
	if err := covered(ctx, sum, err); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, coverageLine(len(found.Tests), sum.Times.Starts, sum.Failed))
	names := callchain.NewNames(f, cleanName)
	err = c.writeOutput(func(w io.Writer) error {
		switch c.Format {
		case "json":
			return found.JSON(w, show)
		case "html":
			return f.HTML(w, names, &callchain.Page{Title: "Call chains that tests take", From: show.From, To: show.To,
				Tested: found.IsTested, Mark: found.Mark, Takers: found.Takers, OnlyUntested: show.Untested,
				Link: linkTo(f, s.View().Snap)})
		}
		return found.Text(w, names, show)
	})
	all, tested := found.Count(&show)
	fmt.Fprintf(os.Stderr, "%d of %s, of at most %s, tested\n", tested, codelens.Count(all, "call chain"),
		codelens.Count(f.Complete, "call"))
	if f.Complete < f.Length {
		fmt.Fprintf(os.Stderr, "note: of at most %s there are more than --budget %d\n",
			codelens.Count(f.Complete+1, "call"), c.Budget)
	}
	if err != nil {
		return err
	}
	return cmp.Or(unpredictedChains(os.Stderr, found), notRun(sum))
}

// linkTo leads to lines of sources of the workspace.
func linkTo(f *callchain.Forest, snap *snapshot.Snapshot) func(callgraph.NodeID, int32) string {
	uri := codelens.FileURI(snap.Workspace.Root)
	return func(n callgraph.NodeID, line int32) string {
		m := f.Graph.Method(n)
		file, name := snap.SourceOf(snapshot.MethodRef{Class: f.Graph.Class(n), Method: m.Name + m.Desc})
		if file == nil {
			return ""
		}
		if line == 0 && !name.IsZero() {
			line = int32(file.Source.Line(name.Start))
		}
		return uri(snapshot.Frame{File: file.Path, Line: int(line)})
	}
}

// unpredictedChains writes the chains that ran and that the analysis did not find. They are a
// defect of catchlens: the command is done, and its exit code says that there are some.
func unpredictedChains(w io.Writer, found *chains.Tested) error {
	for _, u := range found.Unpredicted {
		again := ""
		if u.Level > 0 {
			again = " (entered again)"
		}
		fmt.Fprintf(w, "unpredicted: %s%s, by %s\n", cleanName(u.Chain), again, cleanName(u.Test))
	}
	if n := len(found.Unpredicted); n > 0 {
		return findings{fmt.Sprintf("%d unpredicted", n)}
	}
	return nil
}
