package coverage

import (
	"testing"

	"catchlens/analysis/classfile"
	"catchlens/analysis/jimage"
	"catchlens/internal/testjdk"
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

// BenchmarkPlanJavaBase plans all methods of java.base.
func BenchmarkPlanJavaBase(b *testing.B) {
	classes := baseClasses(b)
	methods := 0
	b.ReportAllocs()
	for b.Loop() {
		methods = 0
		for _, c := range classes {
			for _, m := range PlanClass(c, Technique).Methods {
				if m != nil {
					methods++
				}
			}
		}
	}
	b.ReportMetric(float64(methods), "methods")
}
