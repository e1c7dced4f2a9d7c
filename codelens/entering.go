package codelens

import "catchlens/analysis/snapshot"

// EnteringText says which tests enter a method of the workspace; "" where nothing is known of it:
// of methods of tests and libraries, and before all tests have run.
func EnteringText(v View, m snapshot.MethodRef) string {
	c := v.Snap.Class(m.Class)
	if c == nil || c.InTests {
		return ""
	}
	if !v.Snap.Reaches(m) {
		return "the call graph does not lead here"
	}
	if v.Results == nil || len(v.Results.Tests) == 0 {
		return ""
	}
	e := v.Results.Entering(m)
	switch {
	case len(e.Tests) == 0 && v.Results.Partial:
		return ""
	case len(e.Tests) == 0:
		return "no test enters it"
	case e.Stale:
		return "entered by tests before it was edited"
	case len(e.Tests) == 1:
		return "entered by " + Plain(e.Tests[0], false)
	}
	return "entered by " + Count(len(e.Tests), "test")
}
