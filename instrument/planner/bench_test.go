package planner

import (
	"testing"

	"catchlens/analysis/ir"
)

// BenchmarkPlan plans every method of java.util and below; the probes of each technique are
// counted beside it.
func BenchmarkPlan(b *testing.B) {
	var graphs []*Graph
	eachGraph(b, jdk(b), func(class string) bool { return len(class) > 9 && class[:10] == "java/util/" },
		func(_ *ir.Method, g *Graph) { graphs = append(graphs, g) })
	for _, v := range variants() {
		if v.options.Preseed {
			continue
		}
		name := v.technique.String()
		if v.options.Place == OnEdges {
			name += "/edges"
		}
		b.Run(name, func(b *testing.B) {
			probes, covers := 0, 0
			for b.Loop() {
				probes, covers = 0, 0
				for _, g := range graphs {
					p, err := Make(g, v.technique, v.options)
					if err != nil {
						b.Fatal(err)
					}
					probes += len(p.Probes)
					covers += len(p.Covers)
				}
			}
			b.ReportMetric(float64(probes), "probes")
			b.ReportMetric(float64(covers), "counters")
			b.ReportMetric(float64(len(graphs)), "methods")
		})
	}
}
