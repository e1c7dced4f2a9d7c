package codelens

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file writes the report as plain text for a terminal.

// TextOptions say how a report for a terminal looks.
type TextOptions struct {
	All   bool // also catches of which nothing is to be done
	Links bool // below each catch, of which all are listed
	Color bool // of verdicts, by escape sequences
	Brief bool // totals, problems and what to do first alone
	// Only lists these catches, all of them; empty: those of the workspace.
	Only []*snapshot.Catch
	News string // ends the line on how many cope
}

// Text writes the catches by what is to be done about them, most urgent first: each with its place,
// its lens, what its verdict rests on and, if they are asked for, its links. Of those that need
// nothing only the number is told. Totals, problems, and how many catches cope come last. The error
// is that of ctx, asked before each link.
func Text(ctx context.Context, w io.Writer, v View, o TextOptions) error {
	nothing := nothingAnalysed(v)
	if !o.Brief && (nothing == "" || o.All || o.Links || len(o.Only) > 0) {
		if err := writeGroups(ctx, w, v, o); err != nil {
			return err
		}
	}
	if nothing != "" {
		fmt.Fprintf(w, "%s\n\n", nothing)
	}
	writeTotals(w, v)
	writeUndecided(w, undecidedGroups(v))
	writeProblems(w, Problems(v))
	if o.Brief {
		writeFirst(w, v, o)
	}
	if sum := Summary(v); sum != "" {
		fmt.Fprintln(w, sum+o.News)
	}
	return nil
}

// writeTotals counts failures and links of all catches outside tests, and faults where runs had
// any.
func writeTotals(w io.Writer, v View) {
	t := Totals(v)
	fmt.Fprintf(w, "%s, %d of %s tested; %d of %s experienced (native %d of %d, explicit %d of %d)",
		Count(t.Catches, "catch"), t.Failures.Tested, Count(t.Failures.All, "failure"),
		t.Experienced, Count(t.Predicted, "e-c link"), t.Native.Experienced,
		t.Native.Predicted, t.Explicit.Experienced, t.Explicit.Predicted)
	if t.Unpredicted > 0 {
		fmt.Fprintf(w, ", %d unpredicted", t.Unpredicted)
	}
	fmt.Fprintln(w)
	if f, ok := FaultCatch(v); ok {
		fmt.Fprintf(w, "fault-catch coverage: average %.0f%%, overall %.0f%%, catches that every fault has come to "+
			"%.0f%%\n", 100*f.Average, 100*f.Overall, 100*f.CoveredCatches)
	}
}

// colors are the escape sequences of the classes of verdicts.
var colors = map[string]string{"bad": "\x1b[31m", "good": "\x1b[32m", "open": "\x1b[33m"}

// paint colours the text of a verdict of a class, where that is asked for.
func (o TextOptions) paint(class, text string) string {
	if color := colors[class]; o.Color && color != "" {
		return color + text + "\x1b[0m"
	}
	return text
}

// urgency is a part of the summary with its catches.
type urgency struct {
	words   string
	settled bool // nothing is to be done about them
	catches []*snapshot.Catch
}

// urgentFirst are those of some catches that are outside tests by part of the summary, those of
// which something is to be done before the others, else in their order; no part is empty.
func urgentFirst(v View, catches []*snapshot.Catch) (out []urgency) {
	parts := make([][]*snapshot.Catch, len(summaryParts))
	for _, c := range catches {
		if !c.InTests {
			i := summaryPart(countedAs(v, c))
			parts[i] = append(parts[i], c)
		}
	}
	for _, settled := range []bool{false, true} {
		for i, list := range parts {
			if len(list) > 0 && summaryParts[i].settled == settled {
				out = append(out, urgency{partWords(i, len(list)), settled, list})
			}
		}
	}
	return out
}

// writeGroups lists the catches outside tests, a block for each part of the summary, those of which
// something is to be done before the others. The error is that of ctx.
func writeGroups(ctx context.Context, w io.Writer, v View, o TextOptions) error {
	folded := false
	of := v.Snap.Catches
	if len(o.Only) > 0 {
		of = o.Only
	}
	for _, g := range urgentFirst(v, of) {
		fmt.Fprintf(w, "%d %s", len(g.catches), g.words)
		if g.settled && !o.All && !o.Links && len(o.Only) == 0 {
			fmt.Fprintln(w, " (--all lists them)")
			folded = true
			continue
		}
		fmt.Fprintln(w, ":")
		if err := writeGroup(ctx, w, v, o, g.catches); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if folded {
		fmt.Fprintln(w)
	}
	return nil
}

// writeGroup lists catches. The error is that of ctx.
func writeGroup(ctx context.Context, w io.Writer, v View, o TextOptions, list []*snapshot.Catch) error {
	for _, c := range list {
		fmt.Fprintf(w, "  %s:%d  catch (%s)  %s\n", Plain(c.File.Path, false), c.Line,
			Plain(strings.Join(classname.InSourceAll(c.Types), " | "), false),
			o.paint(verdictClass(verdictTitle(v, c)), Plain(Title(v, c), false)))
		if needsWork(v, c) {
			writeWhy(w, v, c)
		}
		if !o.Links {
			continue
		}
		if err := textLinks(ctx, w, v, c); err != nil {
			return err
		}
	}
	return nil
}

// needsWork tells whether a catch does not cope, which nobody has accepted.
func needsWork(v View, c *snapshot.Catch) bool {
	term := countedAs(v, c)
	return !c.InTests && term != acceptedWords && verdictClass(term) == "bad"
}

// writeWhy says of a catch that does not cope why it does not.
func writeWhy(w io.Writer, v View, c *snapshot.Catch) {
	for _, line := range whyLines(v, c) {
		fmt.Fprintf(w, "      %s\n", line)
	}
}

// whyLines say of a catch that does not cope which test fails, why, and what to do.
func whyLines(v View, c *snapshot.Catch) (lines []string) {
	s := v.state(c)
	if len(s.Verdict.Witnesses) > 0 {
		x := s.Verdict.Witnesses[0]
		lines = append(lines, fmt.Sprintf("%s fails when %s %s", shortTest(x.Test), shortName(x.Injected),
			thrownWhere(x)))
	}
	if cause := s.Verdict.Cause; cause != nil {
		lines = append(lines, Plain(cause.Text(), false), Plain(whatToDo(cause), false))
	}
	return lines
}

// shownFirst is how many catches a report for a terminal says to look at first: what stands above a
// prompt without scrolling.
const shownFirst = 5

// writeFirst lists the catches that do not cope, and why: what to do first.
func writeFirst(w io.Writer, v View, o TextOptions) {
	var list []*snapshot.Catch
	for _, c := range v.Snap.Catches {
		if needsWork(v, c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\nFirst:\n")
	for i, c := range list {
		if i == shownFirst {
			fmt.Fprintf(w, "  … and %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "  %s:%d  %s\n", Plain(c.File.Path, false), c.Line,
			o.paint("bad", Plain(v.words(verdictTitle(v, c)), false)))
		writeWhy(w, v, c)
	}
	fmt.Fprintln(w)
}

// summaryParts are the parts of Summary in their order, by verdict, with keys for programs, and
// whether there is nothing to be done about a catch of a part.
var summaryParts = []struct {
	key, words string
	settled    bool
	terms      []string
}{
	{"depends", "depend on the source", false, []string{"source-dependent", "source-dependent (fine-grain)"}},
	{"accepted", "accepted", true, []string{acceptedWords}},
	{"copes", "cope", true, []string{"source-independent", "purely resilient", resilientBeyond}},
	{"unknown", notKnownPart, false, []string{"contract unknown", sometimesEnters, noPassingEnters, notInjected}},
	{"faults", "only faults get to", false, []string{faultedEnters}},
	{"untested", "no test gets to", false, []string{noneEnters, noTestEnters}},
	{"no-handler", "without handler", true, []string{withoutWork}},
	{"not-run", "not run", false, []string{notRun, notAllRun, "running…"}},
	{"not-compiled", "not compiled", true, []string{notCompiled}},
	{"not-analysed", "not analysed", true, []string{notAnalysed}},
}

const notKnownPart = "not known whether they cope"

// ofOne has the words of a part say it of one catch.
var ofOne = strings.NewReplacer("depend on", "depends on", "they cope", "it copes", "cope", "copes")

// partWords are the words of a part for n catches.
func partWords(part, n int) string {
	if n == 1 {
		return ofOne.Replace(summaryParts[part].words)
	}
	return summaryParts[part].words
}

// summaryPart is the index of the part that a verdict belongs to: of what no part names nothing is
// known.
func summaryPart(term string) int {
	unknown := 0
	for i, p := range summaryParts {
		if slices.Contains(p.terms, strings.TrimSuffix(term, soFar)) {
			return i
		}
		if p.words == notKnownPart {
			unknown = i
		}
	}
	return unknown
}

// Part is the part of Summary that counts a catch, by key and in words, and the words of a lens for
// the verdict.
func Part(v View, c *snapshot.Catch) (key, part, verdict string) {
	term := countedAs(v, c)
	p := summaryParts[summaryPart(term)]
	return p.key, p.words, v.words(term)
}

// Summary counts every catch outside tests once, by how it copes, in one line; in the terms of the
// papers by verdict.
func Summary(v View) string {
	counts, parts := verdictCounts(v), []string{}
	if v.inPaper() {
		for _, x := range counts {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.words))
		}
		return strings.Join(parts, ", ")
	}
	n := make([]int, len(summaryParts))
	for _, x := range counts {
		n[summaryPart(x.words)] += x.n
	}
	for i := range summaryParts {
		if n[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[i], partWords(i, n[i])))
		}
	}
	return strings.Join(parts, ", ")
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
	notAnalysed     = "not analysed"
	notCompiled     = "not compiled"
	withoutWork     = "without handler"
	notRun          = "not run"
	notInjected     = "not injected"
	acceptedWords   = "source-dependent (accepted)"
	resilientBeyond = "purely resilient, beyond the method" // which ends with an exception
)

// verdictOrder is the order of verdicts in reports: first what asks for something.
var verdictOrder = []string{"source-dependent", "source-dependent (fine-grain)", acceptedWords, "source-independent",
	"purely resilient", resilientBeyond, "contract unknown", sometimesEnters, noPassingEnters, faultedEnters,
	noneEnters, noTestEnters}

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
