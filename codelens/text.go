package codelens

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"catchlens/analysis/snapshot"
)

// This file writes the report as plain text for a terminal.

// Text writes one block per file: each catch with its lens, and its links below when links is set;
// then the totals and the problems. The error is that of ctx, asked before each link.
func Text(ctx context.Context, w io.Writer, v View, links bool) error {
	for _, f := range v.Snap.Files {
		if f.InTests || len(f.Catches) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\n", Plain(f.Path, false))
		for _, c := range f.Catches {
			fmt.Fprintf(w, "  %5d  catch (%s)  %s\n", c.Line, Plain(strings.Join(shortTypes(c.Types), " | "), false),
				Plain(Title(v, c), false))
			if !links {
				continue
			}
			if err := textLinks(ctx, w, v, c); err != nil {
				return err
			}
		}
	}
	if nothing := nothingAnalysed(v); nothing != "" {
		fmt.Fprintf(w, "\n%s\n", nothing)
	}
	t := Totals(v)
	fmt.Fprintf(w, "\n%s, %d of %s experienced (native %d of %d, explicit %d of %d)",
		Count(t.Catches, "catch"), t.Experienced, Count(t.Predicted, "e-c link"), t.Native.Experienced,
		t.Native.Predicted, t.Explicit.Experienced, t.Explicit.Predicted)
	if t.Unpredicted > 0 {
		fmt.Fprintf(w, ", %d unpredicted", t.Unpredicted)
	}
	fmt.Fprintln(w)
	if f, ok := FaultCatch(v); ok {
		fmt.Fprintf(w, "fault-catch coverage: average %.0f%%, overall %.0f%%, catches that every fault has come to "+
			"%.0f%%\n", 100*f.Average, 100*f.Overall, 100*f.CoveredCatches)
	}
	var parts []string
	for _, x := range verdictCounts(v) {
		parts = append(parts, fmt.Sprintf("%d %s", x.n, v.words(x.words)))
	}
	if len(parts) > 0 {
		fmt.Fprintln(w, strings.Join(parts, ", "))
	}
	writeUndecided(w, undecidedGroups(v))
	writeProblems(w, Problems(v))
	return nil
}

// textLinks writes the links of a catch.
func textLinks(ctx context.Context, w io.Writer, v View, c *snapshot.Catch) error {
	for _, u := range v.unpredicted(c) {
		fmt.Fprintf(w, "           %s\n           * %s, not predicted\n", Plain(sourceName(u.Seen.Exception), false),
			seenAt(u))
	}
	if err := findChains(ctx, v.Links(c)); err != nil {
		return err
	}
	for _, g := range groupLinks(v.Links(c)) {
		fmt.Fprintf(w, "           %s\n", Plain(g.exception, false))
		for _, l := range g.links {
			if err := ctx.Err(); err != nil {
				return err
			}
			mark := " "
			if experienced(v, l) != nil {
				mark = "*"
			} else if v.misuse(l) != "" {
				mark = "-"
			}
			fmt.Fprintf(w, "           %s %s\n", mark, chainText(l.Chain(), ShortMethod(l.Site.Class, l.Site.Method)))
		}
	}
	return nil
}

// findChains finds the shortest chains of links, which takes seconds for as many as there are with
// implicit throw sites: groupLinks orders links by them. The error is that of ctx, which may end
// meanwhile.
func findChains(ctx context.Context, links []*snapshot.Link) error {
	for _, l := range links {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.ChainLength()
	}
	return nil
}

// maxTextProblems bounds the problems of each severity in the text report.
const maxTextProblems = 20

// writeProblems writes problems, a line each, and how many more there are; first those of files as
// a whole and of the workspace, which are the cause of others.
func writeProblems(w io.Writer, problems []ReportProblem) {
	count := map[string]int{}
	problems = slices.Clone(problems)
	slices.SortStableFunc(problems, func(a, b ReportProblem) int { return min(a.Line, 1) - min(b.Line, 1) })
	for _, p := range problems {
		if count[p.Severity]++; count[p.Severity] <= maxTextProblems {
			place := p.place()
			if place != "" {
				place = Plain(place, false) + ": "
			}
			fmt.Fprintf(w, "%s: %s%s\n", p.Severity, place, Plain(p.Message, false))
		}
	}
	for _, severity := range []string{"error", "warning", "info"} {
		if more := count[severity] - maxTextProblems; more > 0 {
			fmt.Fprintf(w, "%s: and %d more (--format json lists all)\n", severity, more)
		}
	}
}

// verdictCount is how many catches outside tests have a verdict, in the words of lenses.
type verdictCount struct {
	words string
	n     int
}

// What is said of catches that have no verdict.
const (
	notAnalysed   = "not analysed"
	notCompiled   = "not compiled"
	withoutWork   = "without handler"
	notRun        = "not run"
	notInjected   = "not injected"
	acceptedWords = "source-dependent (accepted)"
)

// verdictOrder is the order of verdicts in reports: first what asks for something.
var verdictOrder = []string{"source-dependent", "source-dependent (fine-grain)", acceptedWords, "source-independent",
	"purely resilient",
	"contract unknown", sometimesEnters, noPassingEnters, faultedEnters, noneEnters, noTestEnters}

// verdictCounts counts every catch outside tests once.
func verdictCounts(v View) (list []verdictCount) {
	counts := map[string]int{}
	for _, c := range v.Snap.Catches {
		if !c.InTests {
			counts[countedAs(v, c)]++
		}
	}
	rank := func(words string) int {
		if i := slices.Index(verdictOrder, words); i >= 0 {
			return i
		}
		return len(verdictOrder)
	}
	for words, n := range counts {
		list = append(list, verdictCount{words, n})
	}
	slices.SortFunc(list, func(a, b verdictCount) int {
		return cmp.Or(cmp.Compare(rank(a.words), rank(b.words)), cmp.Compare(a.words, b.words))
	})
	return list
}

// countedAs is what a catch is counted as in reports.
func countedAs(v View, c *snapshot.Catch) string {
	s := v.state(c)
	switch {
	case c.HiddenBy != "":
		return notAnalysed
	case !c.Compiled:
		return notCompiled
	case len(c.Handlers) == 0:
		return withoutWork
	case s == nil || !s.Ran:
		return notRun
	}
	if words := verdictTitle(v, c); words != "" {
		return words
	}
	return notInjected
}

// nothingAnalysed says that none of the catches is compiled; "" where one is, or there are none.
func nothingAnalysed(v View) string {
	n := 0
	for _, x := range verdictCounts(v) {
		if x.words != notCompiled && x.words != notAnalysed {
			return ""
		}
		n += x.n
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("nothing has been analysed: of %s none is compiled", Count(n, "catch"))
}
