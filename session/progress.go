package session

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/instrument/campaign"
)

// asBaseline is the phase of a campaign in which the tests run as they are; which of its passes it
// is stands behind it.
const asBaseline = "baseline "

// phaseWords are what a user reads for the phases of a campaign whose names are terms of ours, no
// two alike: each phase counts from zero. They stand behind "running: ", or below "Running this
// catch".
var phaseWords = map[string]string{
	"injections":                           "tests with exceptions thrown",
	"confirmation":                         "verdicts checked in fresh JVMs",
	"fine-grain injections":                "tests with exceptions thrown inside tries",
	"fine-grain confirmation":              "verdicts inside tries checked in fresh JVMs",
	"looking for operations":               "what tests do that faults can make fail",
	"looking for operations that run once": "what tests do once that faults can make fail",
	"looking for guards":                   "the conditions of throw statements",
	"faults":                               "tests with faults",
	"faults in what runs once":             "tests with faults in what runs once",
	"forced throws":                        "tests with throw statements made to throw",
	"owners of tries that run once":        "which test comes first to what runs once",
	"tests of tries that run once":         "tests run twice for what runs once",
	"tries that run once":                  "tests run alone for what runs once",
	"what tests depend on":                 "tests that depend on others before them",
	"tests that waver":                     "tests that pass in one run and fail in the next",
	"stretching":                           "tests with catches that take more",
	"stretching together":                  "tests with all catches that take more",
}

// tell puts how far a campaign is into words: its phase, how much of how much is done where that
// is known, and what is being done. round is 1 for what was asked for, and higher for what follows
// from what earlier rounds taught.
func tell(q campaign.Progress, round int) string {
	var b strings.Builder
	if pass, ok := strings.CutPrefix(q.Phase, asBaseline); ok {
		fmt.Fprintf(&b, "tests as they are (%s)", pass)
	} else if words, ok := phaseWords[q.Phase]; ok {
		b.WriteString(words)
	} else {
		b.WriteString(q.Phase)
	}
	if q.More {
		b.WriteString(" (more)")
	}
	if round > 1 {
		fmt.Fprintf(&b, " in round %d", round)
	}
	if q.Total > 0 {
		fmt.Fprintf(&b, ", %d of %d", q.Done, q.Total)
	}
	if q.Text != "" {
		b.WriteString(": " + q.Text)
	}
	return b.String()
}
