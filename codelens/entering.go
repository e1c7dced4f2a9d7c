package codelens

import "github.com/catchlens/catchlens/analysis/snapshot"

// notEntered is said of a method that no test enters.
const notEntered = "no test enters it"

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
		return notEntered
	case e.Stale:
		return "entered by tests before it was edited"
	case len(e.Tests) == 1:
		return "entered by " + Plain(e.Tests[0], false)
	}
	return "entered by " + Count(len(e.Tests), "test")
}

// NotEnteredText is what EnteringText says where that is that no test enters the method, else "".
func NotEnteredText(v View, m snapshot.MethodRef) string {
	if text := EnteringText(v, m); text == notEntered {
		return text
	}
	return ""
}
