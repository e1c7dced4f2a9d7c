//go:build slow

package fault_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// BenchmarkDisarmed compares, pair by pair, operations with a point that is not
// armed with the same ones without: the median ratio of processor time, and of the
// differences, in nanoseconds for one operation, in the
// dearest case, where each operation reads one byte. Run it with -benchtime=5x or
// more.
func BenchmarkDisarmed(b *testing.B) {
	home := testjdk.JDK(b, 17)
	with := compileWith(b, home, plan.Library, "testdata/Cost.java")
	without := compileWith(b, home, plan.Throws, "testdata/Cost.java")
	for _, test := range []string{"testBytes", "testChannel"} {
		b.Run(test, func(b *testing.B) {
			var ratios, more []float64
			for b.Loop() {
				x, y := nanosOf(b, with, test), nanosOf(b, without, test)
				ratios, more = append(ratios, x/y), append(more, (x-y)/reads)
			}
			slices.Sort(ratios)
			slices.Sort(more)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(more[len(more)/2], "ns-more")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// reads is how many operations testdata/Cost.java times.
const reads = 400_000

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
