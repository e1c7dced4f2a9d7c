package codelens

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file makes the comparison of analyses (docs/reference/compare.md): Tables 2 and 3 of
// paper 000 for one workspace.

// Comparison is the object that catchlens compare --format json prints.
type Comparison struct {
	Schema      int             `json:"schema"`
	Tool        ReportTool      `json:"tool"`
	Workspace   ReportWorkspace `json:"workspace"`
	Exceptions  string          `json:"exceptions"`
	Sites       []string        `json:"sites"`
	EntryPoints string          `json:"entryPoints"`
	Catches     int             `json:"catches"`
	// Ran tells whether there are results of runs; without them nothing is
	// known to have been experienced.
	Ran      bool            `json:"ran"`
	Rows     []ComparisonRow `json:"rows"`
	Problems []ReportProblem `json:"problems"`

	links map[string]map[string]bool // by call graph: the IDs of its links
}

// ComparisonRow is one configuration.
type ComparisonRow struct {
	CallGraph   string         `json:"callGraph"`
	Predicted   int            `json:"predicted"`
	Experienced int            `json:"experienced"`
	Unpredicted int            `json:"unpredicted"`
	Native      ReportCoverage `json:"native"`
	Explicit    ReportCoverage `json:"explicit"`
	// Coverage is experienced / predicted, null where nothing was run or
	// nothing is predicted.
	Coverage *float64 `json:"coverage"`
	Methods  int      `json:"methods"` // reached
	Edges    int      `json:"edges"`   // of the call graph
	// Seconds is the time of the analysis proper: call graph, points-to and
	// exception-flow. ReadSeconds is what reading sources and classes took,
	// which is more the first time.
	Seconds     float64 `json:"seconds"`
	ReadSeconds float64 `json:"readSeconds"`
}

// NewComparison starts a comparison.
func NewComparison(version string) *Comparison {
	return &Comparison{Schema: 1, Tool: ReportTool{"catchlens", version}, Rows: []ComparisonRow{},
		Problems: []ReportProblem{}, links: map[string]map[string]bool{}}
}

// Add adds the row of a view. Views differ in the call graph only, and come from
// the least precise one on.
func (c *Comparison) Add(v View) {
	st, name := v.Snap.Config.Studied, v.Snap.Config.CallGraph
	if len(c.Rows) == 0 {
		c.Workspace = ReportWorkspace{Root: v.Snap.Workspace.Root, Modules: []string{}, JDK: v.Snap.JDKVersion}
		for _, m := range v.Snap.Workspace.Modules {
			c.Workspace.Modules = append(c.Workspace.Modules, m.Name)
		}
		c.Exceptions, c.Sites, c.EntryPoints = st.Exceptions.String(), st.Sites.Names(), v.Snap.Config.EntryPoints
	}
	for _, p := range Problems(v) {
		c.problem(p)
	}
	t, stats := Totals(v), v.Snap.Stats
	row := ComparisonRow{CallGraph: name, Predicted: t.Predicted, Experienced: t.Experienced,
		Unpredicted: t.Unpredicted, Native: t.Native,
		Explicit: ReportCoverage{Experienced: t.Explicit.Experienced, Predicted: t.Explicit.Predicted},
		Methods:  stats.Methods, Edges: stats.Edges, Seconds: stats.GraphSeconds + stats.FlowSeconds,
		ReadSeconds: stats.ScanSeconds}
	c.Catches = t.Catches
	c.Ran = c.Ran || hasRuns(v)
	if hasRuns(v) && t.Predicted > 0 {
		x := float64(t.Experienced) / float64(t.Predicted)
		row.Coverage = &x
	}
	c.Rows = append(c.Rows, row)
	c.checkOrder(v)
}

// hasRuns tells whether some catch has results.
func hasRuns(v View) bool {
	return slices.ContainsFunc(v.Snap.Catches, func(c *snapshot.Catch) bool {
		s := v.state(c)
		return s != nil && s.Ran
	})
}

func (c *Comparison) problem(p ReportProblem) {
	if !slices.Contains(c.Problems, p) {
		c.Problems = append(c.Problems, p)
	}
}

// checkOrder reports links that a less precise analysis does not predict: there
// should be none.
func (c *Comparison) checkOrder(v View) {
	name := v.Snap.Config.CallGraph
	own := map[string]bool{}
	for _, x := range v.Snap.Catches {
		for _, l := range v.Links(x) {
			own[l.ID] = true
		}
	}
	for _, r := range c.Rows {
		if !snapshot.Refines(name, r.CallGraph) {
			continue
		}
		n := 0
		for id := range own {
			if !c.links[r.CallGraph][id] {
				n++
			}
		}
		if n > 0 {
			c.problem(ReportProblem{Severity: "warning", File: c.Workspace.Root,
				Message: fmt.Sprintf("%s of %s not predicted by %s, which is less precise: please report this",
					Count(n, "link"), name, r.CallGraph)})
		}
	}
	c.links[name] = own
}

// Text writes the comparison as an aligned table.
func (c *Comparison) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s, exceptions %s, sites %s, entry points %s, JDK %s\n\n", Count(c.Catches, "catch"), c.Exceptions,
		strings.Join(c.Sites, ","), c.EntryPoints, Plain(c.Workspace.JDK, false))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "call graph\tlinks\tnative\texplicit\texperienced\tcoverage\tmethods\tedges\tanalysis\t")
	for _, r := range c.Rows {
		experienced, coverage := "-", "-"
		if c.Ran {
			experienced = fmt.Sprint(r.Experienced)
		}
		if r.Coverage != nil {
			coverage = fmt.Sprintf("%.0f%%", 100**r.Coverage)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%d\t%d\t%.2f s\t\n", r.CallGraph, r.Predicted, r.Native.Predicted,
			r.Explicit.Predicted, experienced, coverage, r.Methods, r.Edges, r.Seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if !c.Ran {
		fmt.Fprintln(w, "no test has been run: catchlens run says which links are experienced")
	}
	for _, r := range c.Rows {
		if r.Unpredicted > 0 {
			fmt.Fprintf(w, "%s: %s experienced and not predicted\n", r.CallGraph, Count(r.Unpredicted, "link"))
		}
	}
	for _, p := range c.Problems {
		fmt.Fprintf(w, "%s: %s: %s\n", p.Severity, Plain(p.place(), false), Plain(p.Message, false))
	}
	return nil
}
