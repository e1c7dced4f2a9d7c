package baseline

import (
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/instrument/record"
)

// ranTwice says which tests ran more than once in one pass, as a suite names a class that runs by
// itself, too: they are one test of one name here, and several in the build's reports. Empty where
// there are none.
func ranTwice(module string, runs []*record.TestRun) (notes []string) {
	first := map[string]*record.TestRun{}
	var twice []string
	for _, run := range runs {
		before := first[run.Test]
		if before == nil {
			first[run.Test] = run
			continue
		}
		if a, b := before.AskedClass(), run.AskedClass(); a != b {
			twice = append(twice, fmt.Sprintf("%s in %s and %s", run.Test, min(a, b), max(a, b)))
		}
	}
	if len(twice) == 0 {
		return nil
	}
	slices.Sort(twice)
	if len(twice) == 1 {
		return []string{module + ": a test runs in more than one class, and counts once here: " + twice[0]}
	}
	return []string{fmt.Sprintf("%s: %d times a test ran again in another class, such as a suite; each test counts "+
		"once here; the first: %s", module, len(twice), twice[0])}
}
