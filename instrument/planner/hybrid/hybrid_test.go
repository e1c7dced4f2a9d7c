package hybrid

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/testspec"
)

// program is a small program with its methods, and the walks through each that its runs take.
type program struct {
	graphs []*planner.Graph
	walks  [][][]int32 // by method
}

// randomProgram makes a program of some methods, each of which is executed up to most times.
func randomProgram(t *testing.T, r *rand.Rand, methods, most int) *program {
	t.Helper()
	p := &program{}
	for len(p.graphs) < methods {
		blocks := 2 + r.IntN(8)
		var edges []planner.Edge
		leaves := make([]bool, blocks)
		for b := range int32(blocks) {
			if int(b) < blocks-1 {
				edges = append(edges, planner.Edge{From: b, To: b + 1})
			}
			if to := int32(r.IntN(blocks)); to != b+1 && r.IntN(2) == 0 {
				edges = append(edges, planner.Edge{From: b, To: to})
				leaves[to] = leaves[to] || to <= b // a loop may turn for ever
			}
			leaves[b] = leaves[b] || int(b) == blocks-1 || r.IntN(4) == 0
		}
		g, err := planner.NewGraph(blocks, []int32{0}, edges, leaves)
		if err != nil {
			t.Fatal(err)
		}
		var walks [][]int32
		for range 1 + r.IntN(most) {
			walk := []int32{0}
			for len(walk) < 60 {
				b := walk[len(walk)-1]
				out := g.Out(b)
				if len(out) == 0 || leaves[b] && r.IntN(4) == 0 {
					break
				}
				walk = append(walk, g.Edges[out[r.IntN(len(out))]].To)
			}
			walks = append(walks, walk)
		}
		p.graphs, p.walks = append(p.graphs, g), append(p.walks, walks)
	}
	return p
}

// methods are those of the program with how often their blocks were executed.
func (p *program) methods() (all []Method) {
	for i, g := range p.graphs {
		m := Method{Class: "p.P", Name: string(rune('a' + i)), Graph: g, Executions: make([]int64, g.Blocks), JVMs: 1}
		for _, walk := range p.walks[i] {
			for _, b := range walk {
				m.Executions[b]++
			}
		}
		all = append(all, m)
	}
	return all
}

// hits is how often probes of a technique are executed when the plan of a method runs.
func (p *program) hits(t *testing.T, method int, technique planner.Technique) int64 {
	t.Helper()
	plan, err := planner.Make(p.graphs[method], technique, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Begin()
	for _, walk := range p.walks[method] {
		a := s.Enter()
		for _, b := range walk {
			a.Visit(b)
		}
	}
	return int64(s.Hits)
}

var someCosts = Costs{Static: 1, Demand: 18.2, Plan: map[planner.Technique]float64{planner.AgrawalNode: 2,
	planner.MinimumNode: 2.01}}

// The counted executions of probes are those of the plans when they run; of all ways to choose the
// one that is chosen is the cheapest, and none with one technique for all is cheaper.
func TestExhaustively(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chosen := map[planner.Technique]int{}
	mixed := 0
	for range 60 {
		p := randomProgram(t, r, 4, []int{1, 4, 40}[r.IntN(3)])
		methods := p.methods()
		cost := make([]map[planner.Technique]float64, len(methods)) // by running the plans
		for i := range methods {
			cost[i] = map[planner.Technique]float64{}
			for _, technique := range Techniques {
				hits := p.hits(t, i, technique)
				if n, err := methods[i].Probes(technique); err != nil || n != hits {
					t.Fatalf("%s: %d probes are executed, and %d predicted (%v)", technique, hits, n, err)
				}
				each := someCosts.Static
				if technique == planner.DemandNode {
					each = someCosts.Demand
				}
				cost[i][technique] = each*float64(hits) + someCosts.Plan[technique]*float64(len(p.graphs[i].Edges))
			}
		}
		least := math.Inf(1)
		for n := range 1 << (2 * len(methods)) { // four techniques
			total := 0.0
			for i := range methods {
				total += cost[i][Techniques[n>>(2*i)&3]]
			}
			least = min(least, total)
		}
		plan, err := Choose(methods, someCosts)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Total(); math.Abs(got-least) > 1e-9 {
			t.Errorf("costs %v, and the cheapest of all %v", got, least)
		}
		for _, technique := range Techniques {
			if u := plan.Uniform(technique); u < plan.Total() {
				t.Errorf("%s for all costs %v, and the plan %v", technique, u, plan.Total())
			}
		}
		several := map[planner.Technique]bool{}
		for i := range plan.Choices {
			chosen[plan.Choices[i].Technique]++
			several[plan.Choices[i].Technique] = true
		}
		if len(several) > 1 {
			mixed++
		}
	}
	if len(chosen) < 3 || mixed < 10 {
		t.Errorf("chosen are %v, in %d plans several: too little is compared", chosen, mixed)
	}
}

// algorithm51 is the planner of the thesis to the letter, with alpha as the reduction.
func algorithm51(static, demand int64, rho, alpha, probe, plan float64) planner.Technique {
	switch {
	case float64(static) > rho*float64(demand):
		return planner.DemandNode
	case alpha*float64(static)*probe > plan:
		return planner.AgrawalNode
	}
	return planner.StaticNode
}

// Of each method the choice costs no more than that of Algorithm 5.1 with the alpha of the method;
// where that takes demand-driven probes, static ones are never chosen, and the other way round.
func TestAlgorithm51(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	same := map[planner.Technique]int{}
	for range 300 {
		m := randomProgram(t, r, 1, []int{1, 10, 60}[r.IntN(3)]).methods()[0]
		n := map[planner.Technique]int64{}
		for _, technique := range Techniques {
			n[technique], _ = m.Probes(technique)
		}
		static := n[planner.StaticNode]
		alpha := float64(static-n[planner.AgrawalNode]) / float64(static)
		costs := someCosts
		// The algorithm does not know the minimum.
		costs.Plan = map[planner.Technique]float64{planner.AgrawalNode: 2, planner.MinimumNode: 1e9}
		want := algorithm51(static, n[planner.DemandNode], costs.Rho(), alpha, costs.Static,
			costs.Plan[planner.AgrawalNode]*float64(len(m.Graph.Edges)))
		plan, err := Choose([]Method{m}, costs)
		if err != nil {
			t.Fatal(err)
		}
		x := plan.Choices[0]
		if x.Cost[x.Technique] > x.Cost[want]+1e-9 {
			t.Errorf("%s costs %v, and what the algorithm takes, %s, %v", x.Technique, x.Cost[x.Technique], want,
				x.Cost[want])
		}
		// The algorithm does not ask whether Agrawal's rule is cheaper still.
		if x.Technique != want && x.Technique != planner.AgrawalNode {
			t.Errorf("%s is chosen where the algorithm takes %s", x.Technique, want)
		}
		if x.Technique == want {
			same[want]++
		}
	}
	if len(same) < 3 {
		t.Errorf("the same is chosen of %v alone", same)
	}
}

// Table 5.9: alpha is by how much Agrawal's rule reduces the executions, and with rho = 18.2 the
// first line of Algorithm 5.1 takes demand-driven probes for compress, jess, db and mpegaudio.
func TestTable59(t *testing.T) {
	var demand []string
	for _, x := range []struct {
		name                    string
		static, demand, agrawal int64
		alpha                   float64 // in percent
	}{
		{"check", 67_310, 60_290, 56_887, 15.5},
		{"compress", 1_034_903_676, 48_482_793, 994_151_120, 3.9},
		{"jess", 253_190_572, 11_435_239, 187_395_337, 26.0},
		{"db", 130_245_027, 5_790_123, 104_241_726, 20.0},
		{"javac", 145_958_252, 21_274_800, 132_249_797, 9.4},
		{"mpegaudio", 687_948_449, 7_903_815, 609_012_496, 11.5},
		{"jack", 31_310_790, 10_178_424, 30_608_518, 2.2},
	} {
		if alpha := 100 * float64(x.static-x.agrawal) / float64(x.static); math.Abs(alpha-x.alpha) > 0.06 {
			t.Errorf("%s: alpha is %.2f%%, in the table %v%%", x.name, alpha, x.alpha)
		}
		if algorithm51(x.static, x.demand, 18.2, 0, 1, 0) == planner.DemandNode {
			demand = append(demand, x.name)
		}
	}
	if want := []string{"compress", "jess", "db", "mpegaudio"}; !slices.Equal(demand, want) {
		t.Errorf("demand-driven are %q", demand)
	}
}

// What is written is read as the plan: each method with its technique, those of one name together,
// and what was not executed with STATIC_NODE.
func TestWriteTo(t *testing.T) {
	line := func(n int) *planner.Graph {
		g, err := planner.NewGraph(2, []int32{0}, []planner.Edge{{From: 0, To: 1}}, []bool{n > 0, true})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	methods := []Method{
		{Class: "p.A$B", Name: "<init>", Graph: line(1), Executions: []int64{1, 1}, JVMs: 1},
		{Class: "p.A", Name: "hot", Graph: line(1), Executions: []int64{1000, 1000}, JVMs: 1},
		{Class: "p.A", Name: "two", Graph: line(1), Executions: []int64{2, 0}, JVMs: 1},
		{Class: "p.A", Name: "two", Graph: line(1), Executions: []int64{900, 100}, JVMs: 3}, // of other parameters
		{Class: "p.A", Name: "never", Graph: line(1), Executions: []int64{0, 0}, JVMs: 1},
		{Class: "p.A", Name: "straight", Graph: line(0), Executions: []int64{15, 15}, JVMs: 1},
	}
	plan, err := Choose(methods, someCosts)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := plan.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	spec, err := testspec.Parse("a.testspec", b.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		class, method string
		want          planner.Technique
	}{
		{"p.A$B", "<init>", planner.StaticNode},
		{"p.A", "hot", planner.DemandNode},
		{"p.A", "two", planner.DemandNode},
		{"p.A", "never", planner.StaticNode},
		{"p.A", "straight", planner.AgrawalNode},
		{"q.Other", "other", planner.StaticNode},
	} {
		if got := spec.RuleOf(x.class, x.method).Technique; got != x.want {
			t.Errorf("%s.%s: %s, want %s", x.class, x.method, got, x.want)
		}
	}
	for _, why := range []string{
		"# 1 ns for a probe that stays, 18 ns for one that goes away: as much as 18 of the others\n",
		"# blocks executed: 2, 2000 times: 36.4 ns; STATIC_NODE 2µs, AGRAWAL_NODE 2.002µs, MINIMUM_NODE 2.002µs\n" +
			"p.A:hot:DEMAND_NODE\n",
		"# What was not executed\n**:=all:STATIC_NODE\n",
	} {
		if !strings.Contains(b.String(), why) {
			t.Errorf("%q is not in\n%s", why, &b)
		}
	}
}

// A plan with names that no rule can have is read all the same, and says which these are.
func TestNamesThatNoRuleHas(t *testing.T) {
	g, err := planner.NewGraph(1, []int32{0}, nil, []bool{true})
	if err != nil {
		t.Fatal(err)
	}
	var methods []Method
	odd := [][2]string{{"p.A", "a*b"}, {"p.A", "(x)"}, {"p.A", "=x"}, {"p.A", "a\nb"}, {"#A", "m"}, {"p.A*", "m"},
		{"p.A", "a:b"}, {"a>b", "m"}, {"p.A", " m"}, {"p.A", "a\x1bb"}}
	for _, x := range append(odd, [2]string{"p.A", "says hello"}) {
		methods = append(methods, Method{Class: x[0], Name: x[1], Graph: g, Executions: []int64{1000}, JVMs: 1})
	}
	plan, err := Choose(methods, someCosts)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := plan.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	spec, err := testspec.Parse("a.testspec", b.String())
	if err != nil || len(spec.Rules) != 2 || spec.Rules[0].Method != "says hello" {
		t.Errorf("%v, of\n%s", err, &b)
	}
	if n := strings.Count(b.String(), "# No rule can name "); n != len(odd) {
		t.Errorf("%d names are told, want %d:\n%s", n, len(odd), &b)
	}
}
