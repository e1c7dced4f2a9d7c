package results

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/testshape"
	"github.com/catchlens/catchlens/internal/classname"
	"github.com/catchlens/catchlens/internal/defect"
)

// NotRun lists the test classes, by name, that may enter the try of a catch by the call graph and
// of which no test has run, in the source form. It is not known without a call graph.
func (o *Overlay) NotRun(c *snapshot.Catch) (classes []string, known bool) {
	if o.NotRunOf == nil {
		return nil, false
	}
	return o.NotRunOf(c), true
}

// NoneLeft tells that all test classes have run which may enter the try of a catch by the call
// graph, as NotRun lists none; false where that is not known. Who lists catches may ask it of each.
func (o *Overlay) NoneLeft(c *snapshot.Catch) bool { return o.MayEnter != nil && !o.MayEnter(c) }

// askOf has the overlay answer what is put together when it is asked for.
func (o *Overlay) askOf(snap *snapshot.Snapshot, runs []*record.TestRun,
	method func(record.MethodID) record.MethodKey) {
	o.entering = &entering{find: func() map[snapshot.MethodRef]Entering { return enteringOf(snap, runs, method) }}
	if snap.HasCallGraph() {
		shape := testshape.New(snap).Of
		o.NotRunOf = func(c *snapshot.Catch) []string {
			return hasRun(runs, shape).without(snap.ClassesByAnyWay(c))
		}
		var once defect.Once
		var entered map[*snapshot.Catch]bool
		o.MayEnter = func(c *snapshot.Catch) bool {
			once.Do(func() {
				ran := hasRun(runs, shape)
				entered = snap.EnteredBy(func(class string) bool { return !ran[outermost(class)] })
			})
			return entered[c]
		}
	}
}

// ranClasses are the outermost classes of tests, in the source form, that have run.
type ranClasses map[string]bool

// hasRun finds the test classes that have run with the tests that they have. shape is that of a
// class, in the source form.
func hasRun(runs []*record.TestRun, shape func(class string) string) ranClasses {
	ran, begun := ranClasses{}, map[string]bool{}
	former, present := map[string]bool{}, map[string]bool{} // classes that ran with these shapes
	for _, r := range runs {
		outer := classname.Outermost(r.Class)
		ran[outer] = true
		if r.Outcome != record.Gone && len(r.Outcomes) == 0 { // the records of the class are cut short
			begun[outer] = true
		}
		if r.Shape != "" && r.Shape != shape(r.Class) { // a test may have come
			former[r.Class] = true
		} else if !r.Alone {
			present[r.Class] = true
		}
	}
	for class := range former {
		if !present[class] { // else the records are of tests that are gone
			begun[classname.Outermost(class)] = true
		}
	}
	maps.DeleteFunc(ran, func(class string, _ bool) bool { return begun[class] })
	return ran
}

// outermost is the class around a class given by internal name, in the source form.
func outermost(class string) string { return classname.Outermost(strings.ReplaceAll(class, "/", ".")) }

// without lists those of some classes, given by internal name, that have not run.
func (ran ranClasses) without(classes []string) (out []string) {
	for _, name := range classes {
		if outer := outermost(name); !ran[outer] {
			out = append(out, outer)
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // it is named once
}
