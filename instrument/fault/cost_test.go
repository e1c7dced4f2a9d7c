//go:build slow

package fault_test

import (
	"slices"
	"strconv"
	"testing"

	"catchlens/instrument/plan"
	"catchlens/internal/testjdk"
)

// BenchmarkDisarmed compares, pair by pair, operations with a point that is not
// armed with the same ones without: the median ratio of processor time, in the
// dearest case, where each operation reads one byte. Run it with -benchtime=5x or
// more.
func BenchmarkDisarmed(b *testing.B) {
	home := testjdk.JDK(b, 17)
	with := compileWith(b, home, plan.Library, "testdata/Cost.java")
	without := compileWith(b, home, plan.Throws, "testdata/Cost.java")
	for _, test := range []string{"testBytes", "testChannel"} {
		b.Run(test, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				x := nanosOf(b, with, test) / nanosOf(b, without, test)
				ratios = append(ratios, x)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}

func nanosOf(b *testing.B, p *program, test string) float64 {
	j := p.start(b, nil)
	defer j.Close()
	x, _ := p.run(b, j, "Cost#"+test, nil)
	n, err := strconv.ParseFloat(got(x), 64)
	if err != nil {
		b.Fatalf("%s: %v", test, x)
	}
	return n
}
