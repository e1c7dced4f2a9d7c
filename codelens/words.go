package codelens

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file says in plain words what lenses and reports say in those of the papers.

// Words are the values of the setting words, the default first.
var Words = []string{"plain", "paper"}

// inPaper tells whether a view speaks in the terms of the papers.
func (v View) inPaper() bool { return v.Words == Words[1] }

// plainWords are the sentences for verdicts, by the term.
var plainWords = map[string]string{
	"source-dependent":              "fails if it comes earlier",
	"source-dependent (fine-grain)": "fails if it comes from elsewhere in the try",
	acceptedWords:                   "fails if it comes earlier (accepted)",
	"source-independent":            "copes wherever it comes from",
	"purely resilient":              "perfect plan B",
	resilientBeyond:                 "tests pass though it throws",
	"contract unknown":              "not known whether it copes",
	noTestEnters:                    "no test gets here",
	noneEnters:                      "no test gets to the catch",
	faultedEnters:                   "only faults get to the catch",
	noPassingEnters:                 "only failing tests get to the catch",
	sometimesEnters:                 "a test gets to the catch by chance",
	withoutWork:                     "nothing can get here",
	notInjected:                     "not tried",
	notRun:                          "no test has been run",
}

// words are those of a view for a term.
func (v View) words(term string) string {
	bare := strings.TrimSuffix(term, soFar)
	if plain, ok := plainWords[bare]; ok && !v.inPaper() {
		return plain + term[len(bare):]
	}
	return term
}

// failuresTitle counts the failures of a catch.
func failuresTitle(v View, c *snapshot.Catch) string {
	tested, all := FailureCoverage(v, c)
	u := len(v.unpredicted(c))
	switch {
	case u > 0 && all == 0:
		return Count(u, "failure") + " tested, not predicted"
	case u > 0:
		return fmt.Sprintf("%d of %s tested, %d more not predicted", tested, Count(all, "failure"), u)
	case all == 0 && reached(v, c):
		return "failures not counted"
	case all == 0 && len(v.Links(c)) > 0:
		return "no failure to test"
	case all == 0 && uncalled(v, c) && verdictTitle(v, c) == noTestEnters:
		return plainWords[noTestEnters]
	case all == 0 && uncalled(v, c) && v.Snap.UnknownLoad != "":
		return "not seen to be called; " + v.Snap.UnknownLoad + " is not known"
	case all == 0 && uncalled(v, c):
		return "no call from " + entryPoints[v.Snap.EntryPoints()] + " leads here"
	case all == 0 && v.Snap.LeavesOut(c):
		return "no failures that count"
	case all == 0:
		return "no failures found"
	case tested > 0:
		return fmt.Sprintf("%d of %s tested", tested, Count(all, "failure"))
	case all == 1:
		return "1 failure, not tested"
	}
	return fmt.Sprintf("%d failures, none tested", all)
}

// plainTitle is Title of a catch with a handler in plain words, without what is stale.
func plainTitle(v View, c *snapshot.Catch) string {
	title := failuresTitle(v, c)
	switch w := verdictTitle(v, c); {
	case w == "" && v.Runs.Of(c) && !c.InTests:
		title += " · running…"
	case w != "" && !(w == noTestEnters && uncalled(v, c)):
		title += " · " + v.words(w)
	}
	return title
}

// paperTitle is plainTitle in the terms of the papers, with the coverage of faults.
func paperTitle(v View, c *snapshot.Catch) string {
	t := coverageTitle(v, c)
	if w := verdictTitle(v, c); w != "" && !(w == noTestEnters && uncalled(v, c)) {
		t += " · " + w
		if isConfirmed(v, c) {
			t += ", confirmed"
		}
	}
	if f := faultTitle(v, c); f != "" {
		t += " · " + f
	}
	return t
}
