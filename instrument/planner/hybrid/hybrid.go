// Package hybrid chooses a technique for each method by what it costs: Hybrid Structural Testing
// (Misurda 2011, 5.3).
//
// Input is how often the blocks of methods were executed in an earlier run of the same code
// ([Method]), and what probes and plans cost where they are used ([Costs]). Output is a
// testspec with the reason for each of its rules ([Plan.WriteTo]).
//
// The cost of a method with a technique is that of table 5.7,
//
//	C_test = C_probe × N_probes + C_plan
//
// and the technique of the least cost is chosen, the plainer one of two that cost the same.
// N_probes is counted and not estimated: of each technique whose probes stay it is the executions
// of the blocks that have one; of the demand-driven one it is the blocks that were executed at all,
// in each JVM, since a probe there is gone once it was hit. So the alpha of the thesis, by how much
// Agrawal's rule reduces the executions (12.6% on average, 2.2 to 26%), is that of the method
// itself. It is a reduction in 5.1 and 5.8, as here (Costs.Of adds what is left); table 5.7
// multiplies by it as if it were what is left.
//
// What was never executed has no rule of its own, and the last rule is STATIC_NODE for it, as in
// 5.3.3. A rule of testspec names a method without its parameters: methods of one name are chosen
// for together.
//
// Known gap. Costs are those of totals. Where coverage is told test by test, a probe that has gone
// has to come back for each test, which nothing here counts.
package hybrid

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/testspec"
)

// Costs are the parameters of the model (table 5.8), in nanoseconds of processor time.
type Costs struct {
	Static float64 // one execution of a probe that stays
	Demand float64 // one execution of a probe that goes away with it
	// Plan is what a plan costs for each edge of the method, by technique. It is of the graphs that
	// it was measured with, and not kept.
	Plan map[planner.Technique]float64 `json:"-"`
}

// Rho is how many executions of a static probe cost as much as one of a demand-driven probe.
func (c *Costs) Rho() float64 { return c.Demand / c.Static }

// Techniques are those that are chosen from, the plainest first. All are node techniques: ways out
// of branches are blocks of the graphs that JVMs get (instrument/coverage).
var Techniques = []planner.Technique{planner.StaticNode, planner.AgrawalNode, planner.MinimumNode, planner.DemandNode}

// Method is what is known of one method.
type Method struct {
	Class, Name string // as testspec names them
	Graph       *planner.Graph
	Executions  []int64 // by block
	JVMs        int     // that executed them together, at least 1
}

// executed is how many blocks were executed, and how often.
func (m *Method) executed() (blocks int, times int64) {
	for _, n := range m.Executions {
		times += n
		if n > 0 {
			blocks++
		}
	}
	return blocks, times
}

// Probes is how often probes of a technique are executed when the method is executed as it was. The
// error is that of the planner.
func (m *Method) Probes(t planner.Technique) (int64, error) {
	blocks, times := m.executed()
	switch t {
	case planner.StaticNode:
		return times, nil
	case planner.DemandNode:
		return min(times, int64(blocks)*int64(m.JVMs)), nil
	}
	plan, err := planner.Make(m.Graph, t, planner.Options{})
	if err != nil {
		return 0, err
	}
	times = 0
	for _, b := range plan.Covers {
		times += m.Executions[b]
	}
	return times, nil
}

// Of is what a method costs with a technique. The error is that of the planner.
func (c *Costs) Of(m *Method, t planner.Technique) (float64, error) {
	probes, err := m.Probes(t)
	each := c.Static
	if t == planner.DemandNode {
		each = c.Demand
	}
	return each*float64(probes) + c.Plan[t]*float64(len(m.Graph.Edges)), err
}

// Choice is what was chosen for all methods of one name of a class.
type Choice struct {
	Class, Name string
	Technique   planner.Technique
	Cost        map[planner.Technique]float64 // with each technique
	Executions  int64                         // of blocks
	Blocks      int                           // that were executed
}

// Plan is a choice for each method that was executed, by class and name.
type Plan struct {
	Choices []Choice
	Costs   Costs
}

// Choose chooses for methods, of which those count that were executed. The error is that of the
// planner.
func Choose(methods []Method, c Costs) (*Plan, error) {
	choices := map[[2]string]*Choice{}
	for i := range methods {
		m := &methods[i]
		blocks, times := m.executed()
		if times == 0 {
			continue
		}
		key := [2]string{m.Class, m.Name}
		x := choices[key]
		if x == nil {
			x = &Choice{Class: m.Class, Name: m.Name, Cost: map[planner.Technique]float64{}}
			choices[key] = x
		}
		x.Executions += times
		x.Blocks += blocks
		for _, t := range Techniques {
			cost, err := c.Of(m, t)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", m.Class, m.Name, err)
			}
			x.Cost[t] += cost
		}
	}
	p := &Plan{Costs: c}
	for _, x := range choices {
		x.Technique = slices.MinFunc(Techniques,
			func(a, b planner.Technique) int { return cmp.Compare(x.Cost[a], x.Cost[b]) })
		p.Choices = append(p.Choices, *x)
	}
	slices.SortFunc(p.Choices, func(a, b Choice) int {
		return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Name, b.Name))
	})
	return p, nil
}

// Total is what all methods cost as they were chosen.
func (p *Plan) Total() (cost float64) {
	for i := range p.Choices {
		cost += p.Choices[i].Cost[p.Choices[i].Technique]
	}
	return cost
}

// Uniform is what all methods cost with one technique.
func (p *Plan) Uniform(t planner.Technique) (cost float64) {
	for i := range p.Choices {
		cost += p.Choices[i].Cost[t]
	}
	return cost
}

// unseen is the rule for what was not executed.
var unseen = testspec.Rule{Class: "**", Method: testspec.AllMethods, Technique: planner.StaticNode}

func (x *Choice) rule() testspec.Rule {
	return testspec.Rule{Class: x.Class, Method: x.Name, Technique: x.Technique}
}

// named tells whether a rule is read as it is written. Languages other than Java, and tools that
// rename, have names in which a rule ends, or is a pattern or none, and some that a terminal obeys.
func named(rule testspec.Rule) bool {
	text := rule.String()
	spec, err := testspec.Parse("", text)
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if err != nil || len(spec.Rules) != 1 || strings.ContainsFunc(text, hidden) {
		return false
	}
	rule.Line = spec.Rules[0].Line
	return spec.Rules[0] == rule
}

// why says what the choice rests on: executions, and what each technique that was not chosen would
// cost.
func (x *Choice) why() string {
	var costs []string
	for _, t := range Techniques {
		if t != x.Technique {
			costs = append(costs, fmt.Sprintf("%s %s", t, nanos(x.Cost[t])))
		}
	}
	return fmt.Sprintf("blocks executed: %d, %d times: %s; %s", x.Blocks, x.Executions, nanos(x.Cost[x.Technique]),
		strings.Join(costs, ", "))
}

func nanos(n float64) string {
	if n < 1000 {
		return fmt.Sprintf("%.1f ns", n)
	}
	return time.Duration(n).Round(max(time.Duration(n)/1000, 1)).String()
}

// WriteTo writes the plan as a test specification, with the costs that it rests on and above each
// rule why, in comments. A method that no rule can name has a comment alone.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %.3g ns for a probe that stays, %.0f ns for one that goes away: as much as %.0f of the others\n",
		p.Costs.Static, p.Costs.Demand, p.Costs.Rho())
	fmt.Fprintf(&b, "# All methods by this plan: %s", nanos(p.Total()))
	for _, t := range Techniques {
		fmt.Fprintf(&b, "; %s %s", t, nanos(p.Uniform(t)))
	}
	b.WriteString("\n")
	for i := range p.Choices {
		x := &p.Choices[i]
		if rule := x.rule(); named(rule) {
			fmt.Fprintf(&b, "# %s\n%s\n", x.why(), rule)
		} else {
			fmt.Fprintf(&b, "# No rule can name %q, which gets the last one; %s\n", x.Class+"."+x.Name, x.why())
		}
	}
	fmt.Fprintf(&b, "# What was not executed\n%s\n", unseen)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
