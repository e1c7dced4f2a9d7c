package planner

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// graph makes a graph from edges such as "0>1 1>2", entered at the first block that is named. The
// blocks without successors leave, and those in leaves.
func graph(t testing.TB, edges string, leaves ...int32) *Graph {
	t.Helper()
	var list []Edge
	blocks := int32(0)
	for _, word := range strings.Fields(edges) {
		var e Edge
		if _, err := fmt.Sscanf(word, "%d>%d", &e.From, &e.To); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		list = append(list, e)
		blocks = max(blocks, e.From+1, e.To+1)
	}
	leave := make([]bool, blocks)
	for b := range leave {
		leave[b] = slices.Contains(leaves, int32(b)) ||
			!slices.ContainsFunc(list, func(e Edge) bool { return e.From == int32(b) })
	}
	g, err := NewGraph(int(blocks), []int32{list[0].From}, list, leave)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func makePlan(t testing.TB, g *Graph, technique Technique, o Options) *Plan {
	t.Helper()
	p, err := Make(g, technique, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a plan over walks and returns what it says of each edge or block.
func run(p *Plan, walks ...[]int32) []bool {
	s := p.Begin()
	for _, walk := range walks {
		a := s.Enter()
		for _, b := range walk {
			a.Visit(b)
		}
	}
	return s.Coverage()
}

// happened returns what walks covered: what a plan has to say.
func happened(p *Plan, walks ...[]int32) []bool {
	g := p.Graph
	covered := make([]bool, len(p.counterAt))
	for _, walk := range walks {
		for i, b := range walk {
			switch {
			case !p.Technique.Branch():
				covered[b] = true
			case i > 0:
				covered[g.EdgeBetween(walk[i-1], b)] = true
			case p.Place == OnEdges:
				covered[len(g.Edges)+slices.Index(g.Entries, b)] = true
			}
		}
	}
	return covered
}

// edgesOf lists the edges that are covered.
func edgesOf(g *Graph, covered []bool) string {
	var list []string
	for e, is := range covered[:len(g.Edges)] {
		if is {
			list = append(list, fmt.Sprintf("%d>%d", g.Edges[e].From, g.Edges[e].To))
		}
	}
	return strings.Join(list, " ")
}

func kindsOf(p *Plan) string {
	var list []string
	for i := range p.Probes {
		if kind := p.Probes[i].Kind; kind != Regular {
			name := [...]string{"", "singleton", "stranded", "ifthen"}[kind]
			list = append(list, fmt.Sprintf("%d:%s", p.Probes[i].Location, name))
		}
	}
	return strings.Join(list, " ")
}

// anchorsOf lists which probes a block places as anchors.
func anchorsOf(p *Plan, b int32) []int32 {
	var list []int32
	for _, a := range p.At(b).Actions {
		if a.Anchor {
			list = append(list, a.Location)
		}
	}
	slices.Sort(list)
	return list
}

// The graphs of Misurda 2011, figures 4.1 to 4.3. Block 0 stands for what comes before them.
const (
	figure41 = "0>1 1>2 1>3 2>4 2>5 3>5 4>6 5>6"
	figure42 = "0>1 1>2 1>3 2>3"
	figure43 = "0>1 1>2 1>3 2>4 3>4"
)

// The blocks that the figures shade are of the kind that the text says.
func TestFigures(t *testing.T) {
	for _, test := range []struct{ name, edges, kinds string }{
		{"4.1", figure41, "1:singleton 2:singleton 3:singleton 4:singleton 5:stranded"},
		{"4.2", figure42, "1:singleton 2:singleton 3:ifthen"},
		{"4.3", figure43, "1:singleton 2:singleton 3:singleton"},
	} {
		for _, literal := range []bool{false, true} {
			p := makePlan(t, graph(t, test.edges), DemandBranch, Options{Literal: literal})
			if got := kindsOf(p); got != test.kinds {
				t.Errorf("figure %s, literal %t: %s, not %s", test.name, literal, got, test.kinds)
			}
		}
	}
}

// Section 4.1.3.1: after 1 2 4 6 and 1 3 5 6 something has to be left that sees 2 to 5.
func TestStrandedBlock(t *testing.T) {
	p := makePlan(t, graph(t, figure41), DemandBranch, Options{})
	for block, want := range map[int32][]int32{5: {2, 3}, 4: {2}, 2: {4}, 3: nil, 6: nil} {
		if diff := cmp.Diff(want, anchorsOf(p, block)); diff != "" {
			t.Errorf("anchors of block %d: %s", block, diff)
		}
	}
	walks := [][]int32{{0, 1, 2, 4, 6}, {0, 1, 3, 5, 6}, {0, 1, 2, 5, 6}}
	if got := edgesOf(p.Graph, run(p, walks...)); got != figure41 {
		t.Errorf("covered: %s", got)
	}
	without := *p
	without.Probes = nil
	for _, probe := range p.Probes {
		probe.Actions = slices.DeleteFunc(slices.Clone(probe.Actions), func(a Action) bool { return a.Anchor })
		without.Probes = append(without.Probes, probe)
	}
	if got := edgesOf(p.Graph, run(&without, walks...)); got != strings.Replace(figure41, " 2>5", "", 1) {
		t.Errorf("without anchors covered: %s", got)
	}
}

// Section 4.1.3.2: either order of the two ways past an if.
func TestIfThenStrandedBlock(t *testing.T) {
	p := makePlan(t, graph(t, figure42), DemandBranch, Options{})
	for _, walks := range [][][]int32{{{0, 1, 2, 3}, {0, 1, 3}}, {{0, 1, 3}, {0, 1, 2, 3}}} {
		if got := edgesOf(p.Graph, run(p, walks...)); got != figure42 {
			t.Errorf("%v: covered %s", walks, got)
		}
	}
	s := p.Begin()
	for range 3 {
		a := s.Enter()
		for _, b := range []int32{0, 1, 3} {
			a.Visit(b)
		}
	}
	if s.probes[1] || s.probes[3] {
		t.Error("once 1>3 is covered, the probes of 1 and 3 are not put back")
	}
}

// Section 4.2.1.2 and figure 4.7: a block that is its own successor loses its probe after it put
// it there, so that the edge is never seen. Removing it first keeps it.
func TestReflexiveBlock(t *testing.T) {
	const edges = "0>1 1>1 1>2"
	walk := []int32{0, 1, 1, 2}
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Literal: true}, "0>1 1>2"},
		{Options{Literal: true, Preseed: true}, "0>1 1>2"},
		{Options{}, edges},
		{Options{Preseed: true}, edges},
		{Options{Place: OnEdges}, edges},
	} {
		p := makePlan(t, graph(t, edges, 1), DemandBranch, test.o)
		if got := edgesOf(p.Graph, run(p, walk, walk)); got != test.want {
			t.Errorf("%+v: %s, not %s", test.o, got, test.want)
		}
	}
	p := makePlan(t, graph(t, edges, 1), DemandNode, Options{Literal: true})
	if got := run(p, walk); slices.Contains(got, false) {
		t.Errorf("nodes do not depend on it: %v", got)
	}
}

// Each departure from the algorithms is needed: by the letter, an edge is lost, or reported that
// nobody took.
func TestLiteralIsWrong(t *testing.T) {
	for _, test := range []struct {
		name, edges string
		leaves      []int32
		walks       [][]int32
		wrong       string
	}{
		// if (a && b) x(); else y(); z();
		{"the body of an if has two ways out", "0>1 1>2 1>3 2>3 2>4 3>5 4>5", nil,
			[][]int32{{0, 1, 3, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 5}}, "-2>3"},
		{"the entry is the head of a loop", "0>1 0>2 1>0 1>2", nil, [][]int32{{0, 2}}, "+1>0"},
		{"an exception leaves before the join", "0>1 0>2 1>3 2>3", []int32{1},
			[][]int32{{0, 1}, {0, 2, 3}, {0, 1, 3}}, "-1>3"},
	} {
		g := graph(t, test.edges, test.leaves...)
		plan := makePlan(t, g, DemandBranch, Options{Preseed: true})
		want := happened(plan, test.walks...)
		if diff := cmp.Diff(want, run(plan, test.walks...)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		literal := makePlan(t, g, DemandBranch, Options{Preseed: true, Literal: true})
		var wrong []string
		for e, is := range run(literal, test.walks...) {
			if is != want[e] {
				sign := map[bool]string{true: "+", false: "-"}[is]
				wrong = append(wrong, fmt.Sprintf("%s%d>%d", sign, g.Edges[e].From, g.Edges[e].To))
			}
		}
		if got := strings.Join(wrong, " "); got != test.wrong {
			t.Errorf("%s: by the letter, %q is wrong, not %q", test.name, got, test.wrong)
		}
	}
	loop := graph(t, "0>1 1>0 1>2")
	if got := makePlan(t, loop, DemandNode, Options{Literal: true}).Seeds(); len(got) != 0 {
		t.Errorf("by the letter, a loop at the start has seeds %v", got)
	}
	if got := makePlan(t, loop, DemandNode, Options{}).Seeds(); !slices.Equal(got, []int32{0}) {
		t.Errorf("a loop at the start has seeds %v", got)
	}
}

// figureA2 reads testdata/figureA2.txt: the graph, its anchors and which edges were covered.
func figureA2(t *testing.T) (g *Graph, anchors map[string]int, covered map[string]bool) {
	t.Helper()
	f, err := os.Open("testdata/figureA2.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	anchors, covered = map[string]int{}, map[string]bool{}
	var edges []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, w := range words[1:] {
			kind, rest := w[0], w[1:]
			to, value, _ := strings.Cut(rest, "=")
			switch kind {
			case '>':
				edges = append(edges, words[0]+">"+to)
				covered[words[0]+">"+to] = value == "1"
			case '@':
				anchors[words[0]+"@"+rest]++
			}
		}
	}
	// Block 20 is where control enters.
	slices.SortStableFunc(edges, func(a, b string) int {
		if strings.HasPrefix(a, "20>") {
			return -1
		}
		return 0
	})
	return graph(t, strings.Join(edges, " ")), anchors, covered
}

// The plan of compress, row by row (Misurda 2011, figure A2): 21 rows, 31 edges, 28 of them
// covered, three stranded blocks and one behind an if, and every anchor on the counter that the
// figure has.
func TestFigureA2(t *testing.T) {
	g, anchors, covered := figureA2(t)
	for _, literal := range []bool{true, false} {
		p := makePlan(t, g, DemandBranch, Options{Literal: literal, Preseed: true})
		if len(p.Probes) != 21 || len(p.Covers) != 31 || p.Counters != 34 || len(p.Seeds()) != 21 {
			t.Errorf("%d rows, %d edges, %d counters, %d seeds",
				len(p.Probes), len(p.Covers), p.Counters, len(p.Seeds()))
		}
		var stranded []string
		for _, word := range strings.Fields(kindsOf(p)) {
			if !strings.HasSuffix(word, ":singleton") {
				stranded = append(stranded, word)
			}
		}
		if got := strings.Join(stranded, " "); got != "0:stranded 1:stranded 5:stranded 17:ifthen" {
			t.Errorf("stranded: %s", got)
		}
		names := map[int32]string{}
		for _, probe := range p.Probes {
			for _, a := range probe.Actions {
				if a.Do == Settle {
					names[a.Counter] = fmt.Sprintf("stranded%d", probe.Location)
				}
			}
		}
		for e, edge := range g.Edges {
			names[int32(e)] = fmt.Sprintf("%d>%d", edge.From, edge.To)
		}
		got, places := map[string]int{}, 0
		for _, probe := range p.Probes {
			for _, a := range probe.Actions {
				if a.Do == PutProbe && a.Anchor {
					got[fmt.Sprintf("%d@%d=%s", probe.Location, a.Location, names[a.Counter])]++
				} else if a.Do == PutProbe {
					places++
				}
			}
		}
		if diff := cmp.Diff(anchors, got); diff != "" {
			t.Errorf("literal %t: anchors: %s", literal, diff)
		}
		if places != 31 {
			t.Errorf("%d probes are placed for edges", places)
		}
	}
	count := 0
	for _, is := range covered {
		if is {
			count++
		}
	}
	if len(covered) != 31 || count != 28 {
		t.Errorf("the figure covers %d of %d edges", count, len(covered))
	}
}

// With Agrawal, 15 of these 31 edges are recorded and 16 inferred (Misurda 2011, 6.2.1).
func TestAgrawalOfCompress(t *testing.T) {
	g, _, _ := figureA2(t)
	for _, place := range []Place{InBlocks, OnEdges} {
		p := makePlan(t, g, AgrawalBranch, Options{Place: place})
		if len(p.Covers) != 15 {
			t.Errorf("%d edges are recorded", len(p.Covers))
		}
	}
	if p := makePlan(t, g, AgrawalBranch, Options{}); len(p.Probes) > 21 {
		t.Errorf("%d probes", len(p.Probes))
	}
}
