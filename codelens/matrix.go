package codelens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/markdown"
)

// This file shows one row of the short-circuit matrix (paper 001, figure 1): each
// test that enters a try, and how it ended with an exception thrown at its start.

// Limits of the matrix's page.
const (
	maxStacks = 5  // failures whose stack is shown
	maxStack  = 16 // lines shown of one
)

// matrixRow is one line of the table: one test with one injected type; Cell is nil
// where that has not been run.
type matrixRow struct {
	Test  string
	Usage record.Usage // in the baseline
	Cell  *record.Cell
}

// matrixRows lists what is known of a catch's matrix: the tests that make the catch
// run, which decide source independence, stand first; of these and of the others the
// failing ones.
func matrixRows(s *results.State) []matrixRow {
	var rows []matrixRow
	seen := map[string]bool{}
	for i := range s.Matrix {
		c := &s.Matrix[i]
		seen[c.Test] = true
		rows = append(rows, matrixRow{c.Test, s.Usages[c.Test], c})
	}
	for _, t := range s.Tests {
		if !seen[t] {
			rows = append(rows, matrixRow{Test: t, Usage: s.Usages[t]})
		}
	}
	slices.SortStableFunc(rows, func(a, b matrixRow) int { return a.rank() - b.rank() })
	return rows
}

func (r matrixRow) rank() (n int) {
	if r.Usage.White == 0 {
		n = 4
	}
	switch {
	case r.Cell == nil:
		return n + 3
	case r.Cell.Outcome.Failed():
		return n
	case r.Cell.Outcome == record.Pass:
		return n + 1
	}
	return n + 2
}

// seenIn says where a run was made, which tells how far its outcome can be trusted.
func seenIn(c *record.Cell) string {
	switch {
	case c.Certain:
		return "a fresh JVM"
	case c.Confirmed:
		return "a shared JVM, twice"
	}
	return "a shared JVM"
}

// MatrixPage is a page in Markdown with the matrix of one catch as a table, and how
// the runs failed that decide a verdict. locate finds the tests' sources; nil: they
// are not linked.
func MatrixPage(v View, c *snapshot.Catch, uri SourceURI, locate TestLocator) string {
	var b strings.Builder
	pageHead(&b, "Matrix of catch", v, c, uri)
	s := v.state(c)
	if s == nil {
		return b.String()
	}
	rows := matrixRows(s)
	if len(rows) == 0 {
		if s.Ran && !v.unknownYet(c, s) {
			b.WriteString("\nThe matrix is empty: no passing test enters this try.\n")
		}
		return b.String()
	}
	b.WriteString("\nEach row is one test, run with the exception thrown at the start of every execution of the try, " +
		"or of those where it was caught " +
		"in the run before, by number. These and rows of tests in which every execution was white decide source " +
		"independence; the others decide pure resilience.\n\n")
	b.WriteString("| test | in the baseline | injected | thrown | outcome | seen in |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", testLink(r.Test, uri, locate), usageText(r.Usage))
		if r.Cell == nil {
			b.WriteString(" | | not run yet | |\n")
			continue
		}
		fmt.Fprintf(&b, " %s | %s | %s | %s |\n", Markdown(shortName(r.Cell.Injected)), struckText(*r.Cell),
			Markdown(qualified.ReplaceAllString(witnessText(*r.Cell), "$1")), seenIn(r.Cell))
	}
	failures(&b, rows)
	return b.String()
}

// testLink is a test's short name, linked to its source where that is known.
func testLink(test string, uri SourceURI, locate TestLocator) string {
	if uri == nil || locate == nil {
		return Markdown(shortTest(test))
	}
	file, line, ok := locate(test)
	if !ok {
		return Markdown(shortTest(test))
	}
	return "[" + Markdown(shortTest(test)) + "](" + uri(snapshot.Frame{File: file, Line: line}) + ")"
}

// failures shows the stacks of the first failing runs.
func failures(b *strings.Builder, rows []matrixRow) {
	n := 0
	for _, r := range rows {
		if r.Cell == nil || !r.Cell.Outcome.Failed() || r.Cell.Stack == "" {
			continue
		}
		if n++; n > maxStacks {
			return
		}
		fmt.Fprintf(b, "\n## How %s failed\n\nThrown: %s\n\n%s", Markdown(shortTest(r.Test)),
			Markdown(r.Cell.Constructed), markdown.Block(Plain(r.Cell.Stack, true), maxStack))
	}
}
