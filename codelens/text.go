package codelens

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// This file writes the report as plain text for a terminal.

// Text writes one block per file: each catch with its lens, and its links below
// when links is set; then the totals and the problems.
func Text(w io.Writer, v View, links bool) {
	for _, f := range v.Snap.Files {
		if f.InTests || len(f.Catches) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\n", Plain(f.Path, false))
		for _, c := range f.Catches {
			fmt.Fprintf(w, "  %5d  catch (%s)  %s\n", c.Line, Plain(strings.Join(shortTypes(c.Types), " | "), false), Plain(Title(v, c), false))
			if !links {
				continue
			}
			for _, u := range v.unpredicted(c) {
				fmt.Fprintf(w, "           %s\n           * %s, not predicted\n", Plain(sourceName(u.Seen.Exception), false), seenAt(u))
			}
			for _, g := range groupLinks(v.Links(c)) {
				fmt.Fprintf(w, "           %s\n", Plain(g.exception, false))
				for _, l := range g.links {
					mark := " "
					if experienced(v, l) != nil {
						mark = "*"
					}
					fmt.Fprintf(w, "           %s %s\n", mark, chainText(l.Chain(), ShortMethod(l.Site.Class, l.Site.Method)))
				}
			}
		}
	}
	t := Totals(v)
	fmt.Fprintf(w, "\n%s, %d of %s experienced (native %d of %d, explicit %d of %d)",
		Count(t.Catches, "catch"), t.Experienced, Count(t.Predicted, "e-c link"), t.Native.Experienced, t.Native.Predicted, t.Explicit.Experienced, t.Explicit.Predicted)
	if t.Unpredicted > 0 {
		fmt.Fprintf(w, ", %d unpredicted", t.Unpredicted)
	}
	fmt.Fprintln(w)
	if f, ok := FaultCatch(v); ok {
		fmt.Fprintf(w, "fault-catch coverage: average %.0f%%, overall %.0f%%, catches that every fault has come to %.0f%%\n", 100*f.Average, 100*f.Overall, 100*f.CoveredCatches)
	}
	if words := verdictCounts(v); words != "" {
		fmt.Fprintln(w, words)
	}
	writeUndecided(w, undecidedGroups(v))
	writeProblems(w, Problems(v))
}

// maxTextProblems bounds the problems of each severity in the text report.
const maxTextProblems = 20

// writeProblems writes problems, a line each, and how many more there are; first those of files as a whole
// and of the workspace, which are the cause of others.
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

func verdictCounts(v View) string {
	counts := map[string]int{}
	for _, c := range v.Snap.Catches {
		if !c.InTests && len(c.Handlers) > 0 {
			if s := v.state(c); s != nil && s.Ran {
				counts[verdictTitle(v, c)]++
			}
		}
	}
	var parts []string
	for _, k := range []string{"source-dependent", "source-dependent (fine-grain)", "source-independent", "purely resilient", "contract unknown", sometimesEnters, noPassingEnters, faultedEnters, noneEnters, noTestEnters} {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	return strings.Join(parts, ", ")
}
