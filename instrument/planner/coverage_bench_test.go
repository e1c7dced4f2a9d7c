package planner

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/ir"
)

// Coverage of one probe is asked of each plan again and again, as for each test.
func BenchmarkCoverage(b *testing.B) {
	var plans []*Plan
	eachGraph(b, jdk(b), func(class string) bool { return strings.HasPrefix(class, "java/util/") },
		func(_ *ir.Method, g *Graph) {
			p, err := Make(g, MinimumNode, Options{})
			if err != nil {
				b.Fatal(err)
			}
			plans = append(plans, p)
		})
	for b.Loop() {
		for _, p := range plans {
			hits := make([]bool, p.Counters)
			hits[len(hits)-1] = true
			p.Coverage(hits)
		}
	}
	b.ReportMetric(float64(len(plans)), "plans")
}
