// Package parttext says of a catch which tests have not run that may say something else of it.
package parttext

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/classname"
)

// shown is how many classes are named: a hover has ten lines.
const shown = 3

// soFar is what is said while tests have not run, in place of what holds where all have.
var soFar = strings.NewReplacer(
	shortcircuit.NoneMakesItRun, "no test that has run makes this catch run",
	shortcircuit.NotRunStretched, shortcircuit.NotRunStretched+", which is done once all tests have run",
)

// SoFar is why a verdict is what it is, or why it is not known whether a catch is stretchable,
// which speaks only of tests that have run.
func SoFar(o *results.Overlay, why string) string {
	if !o.Partial {
		return why
	}
	return soFar.Replace(why)
}

// Of says which test classes that may enter the try of a catch have not run, as the end of a
// sentence on what is known of it; "" where all tests have run, where exceptions have not been
// thrown into the try, and where no other test changes what is said: one has failed with one, or
// the code alone decides, and it is not said besides that the try can be left out.
func Of(o *results.Overlay, c *snapshot.Catch) string {
	if o == nil || o.ByCatch[c.ID] == nil || len(o.ByCatch[c.ID].Matrix) == 0 ||
		isFinal(&o.ByCatch[c.ID].Verdict) {
		return ""
	}
	return OfAny(o, c)
}

// isFinal tells whether no test that has not run changes what a title says of a verdict.
func isFinal(v *shortcircuit.Verdict) bool {
	return v.SourceIndependence == shortcircuit.Violated || v.ByCode && v.PureResilience != shortcircuit.Holds
}

// OfAny is Of of a catch of which nothing need be known. Who lists catches does not ask it of each:
// it follows the call graph.
func OfAny(o *results.Overlay, c *snapshot.Catch) string {
	if o == nil || !o.Partial {
		return ""
	}
	classes, known := o.NotRun(c)
	switch {
	case !known:
		return ""
	case len(classes) == 0:
		return "; all test classes that may enter it by the call graph have run"
	}
	has := "have"
	if len(classes) == 1 {
		has = "has"
	}
	return "; " + namesOf(classes) + " may enter it by the call graph and " + has + " not run"
}

// NoneLeft tells of a catch into whose try exceptions have been thrown that all test classes have
// run which may enter it.
func NoneLeft(o *results.Overlay, c *snapshot.Catch) bool {
	return o != nil && o.ByCatch[c.ID] != nil && len(o.ByCatch[c.ID].Matrix) > 0 && o.NoneLeft(c)
}

// namesOf names the first ones of some classes, and says how many more there are.
func namesOf(classes []string) string {
	var names []string
	for _, class := range classes[:min(shown, len(classes))] {
		names = append(names, classname.Simple(class))
	}
	text := strings.Join(names, ", ")
	if more := len(classes) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
