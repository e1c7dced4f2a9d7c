package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/ir"
)

// BenchmarkPlan plans every method of java.util and below; the probes of each technique are
// counted beside it.
func BenchmarkPlan(b *testing.B) {
	var graphs []*Graph
	eachGraph(b, jdk(b), func(class string) bool { return strings.HasPrefix(class, "java/util/") },
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

// BenchmarkWithoutExceptions counts the probes that Agrawal's rule needs with and without what
// throws, exits or hangs: what planning on a graph without exceptional edges would save, and take
// for covered without being told.
func BenchmarkWithoutExceptions(b *testing.B) {
	var with, without []*Graph
	eachGraph(b, jdk(b), func(class string) bool { return strings.HasPrefix(class, "java/util/") },
		func(_ *ir.Method, g *Graph) {
			leaves := make([]bool, g.Blocks)
			edges := slices.DeleteFunc(slices.Clone(g.Edges), func(e Edge) bool { return e.Exceptional })
			for block := range leaves {
				leaves[block] = !slices.ContainsFunc(edges, func(e Edge) bool { return e.From == int32(block) })
			}
			entries := []int32{0}
			for block := range g.Blocks { // handlers are entered from nowhere
				if block > 0 && !slices.ContainsFunc(edges, func(e Edge) bool { return e.To == block }) {
					entries = append(entries, block)
				}
			}
			if plain, err := NewGraph(int(g.Blocks), entries, edges, leaves); err == nil {
				with, without = append(with, g), append(without, plain)
			}
		})
	blocks, leaving := 0, 0
	for _, g := range with {
		blocks += len(g.Leaves)
		for _, leaves := range g.Leaves {
			if leaves {
				leaving++
			}
		}
	}
	for _, technique := range []Technique{StaticNode, AgrawalNode, MinimumNode,
		StaticBranch, AgrawalBranch, MinimumBranch} {
		count := func(graphs []*Graph) (n float64) {
			o := Options{}
			if technique.Branch() {
				o.Place = OnEdges
			}
			for _, g := range graphs {
				p, err := Make(g, technique, o)
				if err != nil {
					b.Fatal(err)
				}
				n += float64(len(p.Covers))
			}
			return n
		}
		b.Run(technique.String(), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(count(with), "probes")
				b.ReportMetric(count(without), "without-exceptions")
			}
			b.ReportMetric(float64(len(with)), "methods")
			b.ReportMetric(100*float64(leaving)/float64(blocks), "%leaving")
		})
	}
}
