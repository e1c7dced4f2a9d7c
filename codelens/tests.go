package codelens

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
)

// This file shows the tests that decide no verdict, and why.

// ReportTests counts the tests that runs know, by outcome of their baseline, and
// lists those that decide nothing.
type ReportTests struct {
	Counts    map[string]int        `json:"counts"`
	Undecided []ReportUndecidedTest `json:"undecided"`
}

// ReportUndecidedTest is a test that failed or was flaky in the baseline. Outcomes
// are those of its repetitions, Message is of the first that failed.
type ReportUndecidedTest struct {
	Test     string   `json:"test"`
	Outcome  string   `json:"outcome"`
	Outcomes []string `json:"outcomes"`
	Message  string   `json:"message"`
	Stale    bool     `json:"stale"`
}

// reportTests is nil before the first run.
func reportTests(v View) *ReportTests {
	if v.Results == nil || len(v.Results.Tests) == 0 {
		return nil
	}
	t := &ReportTests{Counts: map[string]int{}, Undecided: []ReportUndecidedTest{}}
	for outcome, n := range v.Results.Tests {
		t.Counts[string(outcome)] = n
	}
	for _, r := range v.Results.Undecided {
		u := ReportUndecidedTest{Test: r.Test, Outcome: string(r.Outcome), Outcomes: []string{}, Message: r.Message,
			Stale: r.Stale}
		for _, o := range r.Outcomes {
			u.Outcomes = append(u.Outcomes, string(o))
		}
		t.Undecided = append(t.Undecided, u)
	}
	return t
}

// testGroup is tests that decide nothing for the same reason: their outcome and the
// first line of what they said.
type testGroup struct {
	Outcome, Message string
	Stale            bool     // the code or the environment has changed since
	Tests            []string // ordered
}

// undecidedGroups groups the tests that decide nothing, the largest group first.
func undecidedGroups(v View) []testGroup {
	if v.Results == nil {
		return nil
	}
	type key struct {
		outcome record.Outcome
		message string
		stale   bool
	}
	at := map[key]int{}
	var groups []testGroup
	for _, r := range v.Results.Undecided {
		line, _, _ := strings.Cut(strings.TrimSpace(r.Message), "\n")
		k := key{r.Outcome, line, r.Stale}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, testGroup{Outcome: string(r.Outcome), Message: Plain(line, false), Stale: r.Stale})
		}
		groups[i].Tests = append(groups[i].Tests, Plain(r.Test, false))
	}
	slices.SortStableFunc(groups, func(a, b testGroup) int { return cmp.Compare(len(b.Tests), len(a.Tests)) })
	return groups
}

// undecidedTitle says how many tests decide nothing; "" if there are none.
func undecidedTitle(groups []testGroup) string {
	flaky, failed := 0, 0
	for _, g := range groups {
		if g.Outcome == string(record.Flaky) {
			flaky += len(g.Tests)
		} else {
			failed += len(g.Tests)
		}
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, Count(failed, "test")+" that "+verb(failed, "does", "do")+
			" not pass without any exception thrown in")
	}
	if flaky > 0 {
		parts = append(parts, Count(flaky, "test")+" that "+verb(flaky, "does", "do")+" not end alike each time")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " " + verb(failed+flaky, "decides", "decide") + " no verdict"
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// maxTestGroups is how many reasons the text report lists.
const maxTestGroups = 8

// writeUndecided writes them for a terminal.
func writeUndecided(w io.Writer, groups []testGroup) {
	title := undecidedTitle(groups)
	if title == "" {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for i, g := range groups {
		if i == maxTestGroups {
			rest := 0
			for _, g := range groups[i:] {
				rest += len(g.Tests)
			}
			fmt.Fprintf(w, "  %d more for other reasons: the HTML and the JSON report list all\n", rest)
			return
		}
		of := g.Tests[0]
		if n := len(g.Tests) - 1; n > 0 {
			of += fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "  %s: %s", g.Outcome, of)
		if g.Message != "" {
			fmt.Fprintf(w, ": %s", shorten(g.Message))
		}
		if g.Stale {
			fmt.Fprint(w, " (stale)")
		}
		fmt.Fprintln(w)
	}
}

// shorten cuts a message to what a terminal's line holds.
func shorten(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + " ..."
	}
	return s
}
