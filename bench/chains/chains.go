// Package chains makes Table 2 of Rountev, Kagan and Gibas (2004): how many call chains components
// of the JDK have, how many of them the tests of the Mauve suite take, and how many nothing takes.
//
//	go run ./bench chains [-only NAME,...] [-steps 1000000] [-list]
//
// fetch.sh lays out the tests, components.tsv says what a component is. Per component:
//
//  1. An artificial main method calls what the tests call (section 5; java/MakeMain.java).
//  2. Its call graph gives the forests: chains of at most k calls from main, by call site (a) and
//     by method (b), each on the levels on which it can be reached.
//  3. The component's classes are rewritten to tell when a method begins (java/Rewrite.java), and
//     what stands on the stack then is what ran (java/recorded/Stacks.java): with the tests, with
//     the main method, which calls at random, with further tests (java/Enhanced.java), and with
//     conditions that come out by chance (section 6).
//
// Chains that ran are feasible, if perhaps farther from main: a run does not count the calls
// outside the component. The rest is not known to be infeasible: the table counts what was not
// seen, and how much of that ran where conditions came out by chance: no analysis that does not
// look at values can leave those out.
package chains

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/session"
)

var (
	flags  = flag.NewFlagSet("chains", flag.ExitOnError)
	only   = flags.String("only", "", "names of components, separated by commas; default: all")
	graphs = flags.String("graphs", "rta,pta,obj-dr", "call graphs, separated by commas")
	steps  = flags.Int("steps", 1_000_000, "how many steps the main method makes, each time")
	list   = flags.Bool("list", false, "list the chains of the last call graph that were not taken")
	jdk    = flags.String("jdk", "", "home of a JDK 17; default: that of the javac on the path")
	work   = flags.String("dir", "", "folder for what is made, where nothing runs again; default: one that is removed")
)

// maxCalls is the longest chain of the table.
const maxCalls = 4

// Run makes the table.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx := context.Background()
	all, err := readComponents("bench/chains/components.tsv")
	if err != nil {
		return err
	}
	dir := *work
	if dir == "" {
		if dir, err = os.MkdirTemp("", "catchlens-chains-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	t, err := newTools(ctx, dir)
	if err != nil {
		return err
	}
	wanted := strings.Split(*only, ",")
	fmt.Print(heading)
	var sums []*row
	for _, c := range all {
		if *only != "" && !slices.Contains(wanted, c.name) {
			continue
		}
		rows, err := c.measure(ctx, t, filepath.Join(dir, c.name))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		sums = append(sums, rows...)
	}
	writeSums(os.Stdout, sums)
	return nil
}

// component is a row of components.tsv.
type component struct {
	name           string
	tests, classes []string // packages of tests below gnu.testlet; classes of the component
	made           string   // a class whose constructors main calls besides; "": none
}

func readComponents(path string) (out []*component, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		x := strings.Split(line, "\t")
		if len(x) != 4 {
			return nil, fmt.Errorf("%s: %q has %d columns", path, line, len(x))
		}
		out = append(out, &component{x[0], strings.Split(x[1], ","), strings.Split(x[2], ","), x[3]})
	}
	return out, nil
}

// has tells whether a class, by internal name, belongs to the component.
func (c *component) has(class string) bool {
	return slices.ContainsFunc(c.classes, func(p string) bool { return callchain.Matches(p, class) })
}

// row is a line of the table: a component with a call graph at a granularity.
type row struct {
	component, graph string
	granularity      callchain.Granularity
	counts           [maxCalls]count // by length, from 1
}

// count is what is known of the chains of one length.
type count struct {
	static  int // the forest has
	tests   int // of these the tests took
	taken   int // the tests or the main method did
	worst   int // nothing did but with abstracted conditions
	prefix  int // were not taken as what they begin with was not
	without int // the forest has without leaving out infeasible ones
}

var granularities = []callchain.Granularity{callchain.BySite, callchain.ByMethod}

func letter(g callchain.Granularity) string {
	if g == callchain.ByMethod {
		return "b"
	}
	return "a"
}

// measure makes and prints the rows of a component.
func (c *component) measure(ctx context.Context, t *tools, dir string) (rows []*row, err error) {
	ran, err := t.run(ctx, c, dir)
	if err != nil {
		return nil, err
	}
	for _, graph := range strings.Split(*graphs, ",") {
		s, err := session.Open([]string{dir}, session.Options{CacheDir: filepath.Join(t.dir, "cache"),
			Settings: snapshot.Settings{CallGraph: graph, EntryPoints: "mains"}})
		if err != nil {
			return nil, err
		}
		err = s.Reload(ctx, nil)
		snap := s.View().Snap
		s.Close()
		if err != nil || snap == nil || snap.CallGraph() == nil {
			return nil, errors.Join(err, errors.New("there is no call graph"))
		}
		if snap.Config.CallGraph != graph {
			return nil, fmt.Errorf("call graph %s: there is %s", graph, snap.Config.CallGraph)
		}
		m, err := newMatcher(snap.CallGraph(), c, dir)
		if err != nil {
			return nil, err
		}
		m.points = snap.PointsTo()
		for _, g := range granularities {
			r := m.row(graph, g, ran)
			r.write(os.Stdout)
			rows = append(rows, r)
		}
		m.report(os.Stderr, ran)
		if *list {
			m.list(os.Stderr, ran)
		}
	}
	return rows, nil
}

const heading = "| component | | graph | k | chains | without rules | Mauve | taken | not taken | worst-case | " +
	"new, with a prefix not taken |\n|---|---|---|---|---|---|---|---|---|---|---|\n"

func (r *row) write(w io.Writer) {
	for i, n := range r.counts {
		fmt.Fprintf(w, "| %s | (%s) | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", r.component,
			letter(r.granularity), r.graph, i+1, n.static, n.without, n.tests, n.taken, n.static-n.taken, n.worst,
			n.prefix)
	}
}

// writeSums prints how much of the longest chains was not taken, over all components.
func writeSums(w io.Writer, rows []*row) {
	fmt.Fprint(w, "\n| graph | | chains of at most 4 calls | not taken | neither taken nor worst-case |\n"+
		"|---|---|---|---|---|\n")
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.granularity, b.granularity))
	})
	for _, graph := range strings.Split(*graphs, ",") {
		for _, g := range granularities {
			var n count
			for _, r := range rows {
				if r.graph == graph && r.granularity == g {
					x := r.counts[maxCalls-1]
					n.static, n.taken, n.worst = n.static+x.static, n.taken+x.taken, n.worst+x.worst
				}
			}
			open := n.static - n.taken
			fmt.Fprintf(w, "| %s | (%s) | %d | %d (%s) | %d (%s) |\n", graph, letter(g), n.static, open,
				percent(open, n.static), open-n.worst, percent(open-n.worst, n.static))
		}
	}
}

func percent(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }

// forest is the forest of the table of some length.
func (m *matcher) forest(g callchain.Granularity, length int, all bool) *callchain.Forest {
	return callchain.Build(m.g, callchain.Options{Component: m.c.has, Length: length, FromStart: true, Granularity: g,
		Points: m.points, All: all})
}

// row counts the chains of one granularity.
func (m *matcher) row(graph string, g callchain.Granularity, ran *runs) *row {
	r := &row{component: m.c.name, graph: graph, granularity: g}
	for i := range r.counts {
		f, n := m.forest(g, i+1, false), &r.counts[i]
		n.static, n.without = int(f.Chains()), int(m.forest(g, i+1, true).Chains())
		tests := m.found(f, ran.tests)
		taken := m.found(f, ran.tests, ran.main)
		abstracted := m.found(f, ran.abstracted)
		n.tests, n.taken = len(tests), len(taken)
		var before *callchain.Forest
		if i > 0 {
			before = m.forest(g, i, false)
		}
		m.each(f, func(x *chain) {
			if taken[x.number] {
				return
			}
			if abstracted[x.number] {
				n.worst++
			}
			if before != nil && x.length == x.most && x.up != nil && !taken[x.up.number] {
				n.prefix++
			}
		})
	}
	return r
}

// chain is a chain of a forest while that is walked.
type chain struct {
	number       uint64
	up           *chain // without its last call
	edge         *callchain.Edge
	method       callgraph.NodeID
	level        int
	length, most int // calls from the entry method, and how many of them there may be
}

// each calls f for each chain of a forest.
func (m *matcher) each(f *callchain.Forest, do func(x *chain)) {
	next := uint64(0)
	var walk func(x *chain, n callchain.NodeID)
	walk = func(x *chain, n callchain.NodeID) {
		x.number = next
		next++
		do(x)
		for i := range f.Nodes[n].Edges {
			e := &f.Nodes[n].Edges[i]
			walk(&chain{up: x, edge: e, method: e.Callee, level: x.level, length: x.length + 1, most: x.most}, e.To)
		}
	}
	for _, r := range f.Roots {
		walk(&chain{method: f.Nodes[r.ID].Method, level: r.Level, most: r.Length}, r.ID)
	}
}

// text is a chain as the methods that it goes through.
func (x *chain) text(names *callchain.Names) string {
	if x.up == nil {
		return fmt.Sprintf("%d: %s", x.level, names.Method(x.method))
	}
	return x.up.text(names) + " > " + names.Call(x.edge)
}

// list writes the chains that were not taken, + for those taken with abstracted conditions.
func (m *matcher) list(w io.Writer, ran *runs) {
	f := m.forest(callchain.BySite, maxCalls, false)
	taken, abstracted := m.found(f, ran.tests, ran.main), m.found(f, ran.abstracted)
	names := callchain.NewNames(f, nil)
	m.each(f, func(x *chain) {
		if mark := map[bool]string{true: "+", false: "-"}[abstracted[x.number]]; !taken[x.number] {
			fmt.Fprintln(w, mark, x.text(names))
		}
	})
}

// runTool runs a program and returns its standard output.
func runTool(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, errs.String())
	}
	os.Stderr.WriteString(errs.String())
	return string(out), nil
}
