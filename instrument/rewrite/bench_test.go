package rewrite

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// BenchmarkRewrite rewrites java.base of JDK 17 class by class, the plans being
// there already. It reports classes a second, and how much larger they become.
func BenchmarkRewrite(b *testing.B) {
	for _, k := range []struct {
		name  string
		kinds plan.Kinds
	}{{"throws", plan.Throws}, {"full", plan.Full}} {
		b.Run(k.name, func(b *testing.B) {
			r, err := jimage.Open(jimage.PathIn(testjdk.JDK(b, 17)))
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			var classes [][]byte
			var plans []*plan.Class
			err = r.Each(func(l jimage.Location, err error) error {
				if err != nil || l.Module != "java.base" || l.Ext != "class" || l.Base == "module-info" {
					return err
				}
				data, err := r.Read(l)
				if err == nil {
					p, _ := planFor(b, data, k.kinds)
					classes, plans = append(classes, data), append(plans, p)
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			before, after := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				before, after = 0, 0
				for i, data := range classes {
					res, err := Rewrite(data, plans[i])
					if err != nil {
						b.Fatal(err)
					}
					before, after = before+len(data), after+len(res.Bytes)
				}
			}
			b.ReportMetric(float64(len(classes)*b.N)/b.Elapsed().Seconds(), "classes/s")
			b.ReportMetric(100*float64(after-before)/float64(before), "%larger")
		})
	}
}
