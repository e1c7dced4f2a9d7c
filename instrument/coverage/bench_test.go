package coverage

import (
	"errors"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/internal/cputime"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// baseClasses are the classes of java.base of JDK 17.
func baseClasses(t testing.TB) (all []*classfile.Class) {
	r, err := jimage.Open(jimage.PathIn(testjdk.JDK(t, 17)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = r.Each(func(l jimage.Location, err error) error {
		if err != nil || l.Module != "java.base" || l.Ext != "class" || l.Base == "module-info" {
			return err
		}
		data, err := r.Read(l)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err == nil {
			all = append(all, c)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// BenchmarkPlanJavaBase plans all methods of java.base: anew, and with the plans that another
// process has saved, which are read each time; graphs is what both have to do before that, and form
// what the second does to look a plan up.
func BenchmarkPlanJavaBase(b *testing.B) {
	classes, dir := baseClasses(b), b.TempDir()
	open := func() *plancache.Cache { return plancache.Open(dir, func(problem string) { b.Fatal(problem) }) }
	saved := open()
	methods, shapes := planAll(classes, saved.Make), saved.Counts()
	if err := saved.Flush(); err != nil {
		b.Fatal(err)
	}
	size := plancache.Inspect(dir)[0]
	notPlanned := errors.New("not planned")
	for name, by := range map[string]func() Maker{
		"graphs": func() Maker {
			return func(*planner.Graph, planner.Technique, planner.Options) (*planner.Plan, error) {
				return nil, notPlanned
			}
		},
		"form": func() Maker {
			return func(g *planner.Graph, _ planner.Technique, _ planner.Options) (*planner.Plan, error) {
				if g.Blocks > 1 {
					planner.ShapeOf(g)
				}
				return nil, notPlanned
			}
		},
		"anew":  func() Maker { return planner.Make },
		"saved": func() Maker { return open().Make },
	} {
		b.Run(name, func(b *testing.B) {
			before := cputime.Used()
			for b.Loop() {
				planAll(classes, by())
			}
			b.ReportMetric(float64((cputime.Used()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(len(classes)), "classes")
			b.ReportMetric(float64(methods), "methods")
			b.ReportMetric(float64(shapes.Made), "planned-when-empty")
			b.ReportMetric(float64(shapes.Found), "found-when-empty")
			b.ReportMetric(float64(size.Plans), "shapes")
			b.ReportMetric(float64(size.Bytes), "bytes")
		})
	}
}

// planAll plans all methods of classes, and counts those that have a plan.
func planAll(classes []*classfile.Class, by Maker) (methods int) {
	for _, c := range classes {
		for _, m := range PlanClass(c, Technique, by, nil).Methods {
			if m != nil {
				methods++
			}
		}
	}
	return methods
}
