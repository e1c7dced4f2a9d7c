package results

import (
	"maps"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/classname"
)

// NotRun lists the test classes, by name, that may enter the try of a catch by the call graph and
// of which no test has run, in the source form. It is not known without a call graph.
func (o *Overlay) NotRun(c *snapshot.Catch) (classes []string, known bool) {
	if o.NotRunOf == nil {
		return nil, false
	}
	return o.NotRunOf(c), true
}

// askOf has the overlay answer what is put together when it is asked for.
func (o *Overlay) askOf(snap *snapshot.Snapshot, runs []*record.TestRun,
	method func(record.MethodID) record.MethodKey) {
	o.entering = &entering{find: func() map[snapshot.MethodRef]Entering { return enteringOf(snap, runs, method) }}
	if snap.HasCallGraph() {
		o.NotRunOf = func(c *snapshot.Catch) []string { return notRunOf(runs, snap.ClassesByAnyWay(c)) }
	}
}

// notRunOf lists those of some test classes, given by internal name, that have not run.
func notRunOf(runs []*record.TestRun, classes []string) (out []string) {
	ran, begun := map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		outer := classname.Outermost(r.Class)
		ran[outer] = true
		if r.Outcome != record.Gone && len(r.Outcomes) == 0 { // the records of the class are cut short
			begun[outer] = true
		}
	}
	maps.DeleteFunc(ran, func(class string, _ bool) bool { return begun[class] })
	for _, name := range classes {
		if outer := classname.Outermost(strings.ReplaceAll(name, "/", ".")); !ran[outer] {
			ran[outer] = true // it is named once
			out = append(out, outer)
		}
	}
	slices.Sort(out)
	return out
}
