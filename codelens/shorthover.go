package codelens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens/nonetext"
	"github.com/catchlens/catchlens/codelens/parttext"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file writes the hover that fits beside the code: ten lines, in plain words.

// shownFailures is how many failures a hover shows.
const shownFailures = 3

// Action is a link of a hover that runs a command of the server, where the client can show one.
type Action func(label, command string, args ...string) string

// CatchHover is the hover of a catch in Markdown: what is known in a sentence, what to do about it,
// and the failures that no test has made happen. Nil actions leave the links to more out. In the
// terms of the papers it is longHover.
func CatchHover(v View, c *snapshot.Catch, uri SourceURI, action Action) string {
	if v.inPaper() {
		return longHover(v, c, uri)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", Markdown(Title(v, c)))
	if why := withoutHandler(v, c); why != "" {
		b.WriteString(why + "\n")
		return b.String()
	}
	s := v.state(c)
	if s != nil && len(s.StaleBy) > 0 && v.Stale(c) {
		fmt.Fprintf(&b, "%s\n\n", sentence(s.WhyStale()+" since these results were recorded: run the tests again."))
	}
	fmt.Fprintf(&b, "%s\n", verdictParagraph(v, c, uri))
	list := Failures(v, c)
	if len(list) == 0 {
		b.WriteString(whyNone(v, c))
	}
	unpredictedItems(&b, v, c, shownFailures)
	failureItems(&b, v, list, uri)
	if len(list) > 0 {
		b.WriteString(nonetext.Beside(v.Snap, c))
	}
	actionsLine(&b, c, s, action)
	return b.String()
}

// withoutHandler says in Markdown why nothing is known of a catch; "" where something may be.
func withoutHandler(v View, c *snapshot.Catch) string {
	switch {
	case c.HiddenBy != "":
		return "All modules are analysed together, with one class of each name: the first in the order of modules. " +
			"Open the module's own folder as a workspace to see this one."
	case !c.Compiled:
		return "Build the project, or run something: catchlens then compiles it into its own cache."
	case len(c.Handlers) == 0:
		return "The class file has no handler for this catch: the compiler found that nothing in the try can throw, " +
			"or removed the code."
	}
	return ""
}

// whyNone is a paragraph in Markdown on why no failure of a catch counts; "" where some are listed.
func whyNone(v View, c *snapshot.Catch) string {
	switch {
	case uncalled(v, c):
		return "\n" + nonetext.Uncalled(v.Snap, entryPoints[v.Snap.EntryPoints()][2:]) + "\n"
	case !v.Snap.LeavesOut(c) && len(v.Links(c))+len(v.unpredicted(c)) > 0:
		return ""
	}
	return "\n" + nonetext.Other(v.Snap, c, reached(v, c)) + "\n"
}

// verdictParagraph says in Markdown how a catch copes, with the field's term; and of one that does
// not, which test fails, where, and what to do.
func verdictParagraph(v View, c *snapshot.Catch, uri SourceURI) string {
	s := v.state(c)
	switch {
	case c.InTests:
		return "A catch in tests: no exceptions are thrown in."
	case s == nil || !s.Ran:
		return "No test has been run yet."
	case v.unknownYet(c, s):
		return sentence(notAllRun+" yet"+parttext.OfAny(v.Results, c)) + ". What no test does is not known."
	}
	why := Markdown(sentence(v.verdictWhy(c, s))) + "."
	switch {
	case s.Verdict.SourceIndependence == shortcircuit.Violated:
		return dependsText(v, c, s, uri)
	case s.Verdict.PureResilience == shortcircuit.Holds && s.Verdict.Throws:
		return "The method ends with an exception then, and the tests pass all the same" + v.soFar() +
			" (purely resilient" + seenFresh(s.Verdict.ResilienceCertain) + ")."
	case s.Verdict.PureResilience == shortcircuit.Holds:
		return "The outcome is the same with and without the exception" + v.soFar() + " (purely resilient" +
			seenFresh(s.Verdict.ResilienceCertain) + ")" + parttext.Of(v.Results, c) + "."
	case s.Verdict.SourceIndependence == shortcircuit.Holds && s.Verdict.ByCode:
		return "It copes wherever in the try the exception comes from, by its code (source-independent). " + why
	case s.Verdict.SourceIndependence == shortcircuit.Holds:
		return "It copes wherever in the try the exception comes from" + v.soFar() + " (source-independent" +
			seenFresh(s.Verdict.SourceCertain) + ")" + parttext.Of(v.Results, c) + ". " + restsOn(s)
	}
	if text := codeSentence(v, c, s); text != "" {
		why += " " + Markdown(text)
	}
	for _, m := range v.missing(c, s) {
		return why + " Missing for " + Markdown(m) + "."
	}
	return why
}

// seenFresh tells of an answer that it was confirmed.
func seenFresh(certain bool) string {
	if certain {
		return ", confirmed in a fresh JVM"
	}
	return ", not yet confirmed"
}

// restsOn names a test that an answer that holds rests on.
func restsOn(s *results.State) string {
	tests := map[string]bool{}
	first := ""
	for _, d := range s.Verdict.Deciding {
		if !d.Outcome.Failed() && !tests[d.Test] {
			tests[d.Test] = true
			if first == "" {
				first = codeOfTest(d.Test)
			}
		}
	}
	switch n := len(tests) - 1; {
	case n < 0:
		return ""
	case n == 0:
		return first + " passes with it."
	default:
		return fmt.Sprintf("%s and %d more %s pass with it.", first, n, plural(n, "test"))
	}
}

// dependsText says which test fails, where the user's own code went wrong, and what to do.
func dependsText(v View, c *snapshot.Catch, s *results.State, uri SourceURI) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It does not cope wherever in the try the exception comes from (source-dependent%s).\n\n",
		seenFresh(s.Verdict.SourceCertain))
	if len(s.Verdict.Witnesses) > 0 {
		w := s.Verdict.Witnesses[0]
		fmt.Fprintf(&b, "- %s fails when %s %s: ", codeOfTest(w.Test), Code(shortName(w.Injected)),
			Markdown(thrownWhere(w)))
		if cause := s.Verdict.Cause; cause != nil {
			where := *cause
			where.Exception = "" // said below, with a link
			b.WriteString(Markdown(Plain(where.Text(), false)))
		} else {
			b.WriteString(Markdown(witnessText(w)))
		}
		b.WriteString(wentWrong(v, s, uri))
		b.WriteString(".\n")
	}
	if reason, ok := v.accepted(c, CodeSourceDependent); ok {
		fmt.Fprintf(&b, "- Accepted: %s\n", Markdown(reason))
	} else {
		fmt.Fprintf(&b, "- %s If it is meant to be so, accept this verdict.\n", Markdown(whatToDo(s.Verdict.Cause)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wentWrong says what was thrown in the frame of the user's own code in which the failing run went
// wrong, with a link there; "" where none is known.
func wentWrong(v View, s *results.State, uri SourceURI) string {
	if cause := s.Verdict.Cause; cause != nil && cause.Exception != "" {
		f := snapshot.Frame{Class: cause.Class, Method: cause.Method, Line: cause.Line,
			File: v.Snap.PathOf(cause.Class)}
		return fmt.Sprintf(". That is a %s at %s", Code(shortName(cause.Exception)), frameText(f, uri))
	}
	for _, f := range WorkspaceFrames(v.Snap, s.Verdict.Witnesses[0].Stack, 1) {
		return ". It went wrong at " + frameText(f, uri)
	}
	return ""
}

// whatToDo is advice, by what the clause used unprepared.
func whatToDo(cause *shortcircuit.Cause) string {
	if cause == nil {
		return "Prepare before the try what the clause uses, or ask there whether it is prepared."
	}
	name := Plain(cause.What.Shown(), false)
	switch cause.What.Kind {
	case clause.Object:
		return fmt.Sprintf("Bring %s into its state before the try, or ask in the clause which state it is in.", name)
	case clause.Field, clause.Element:
		return fmt.Sprintf("Set %s before the try, or put it back in the clause.", name)
	}
	return fmt.Sprintf("Set %s before the try, or ask in the clause whether it is there.", name)
}

// failureItems lists failures in Markdown, those that no test has made happen first.
func failureItems(b *strings.Builder, v View, list []Failure, uri SourceURI) {
	list = sortFailures(list)
	if len(list) == 0 {
		return
	}
	tested, all := countFailures(list)
	switch apart := len(list) - all; {
	case all == 0:
		fmt.Fprintf(b, "\nNot counted: %s.\n\n", Count(apart, "failure"))
	case tested == all:
		fmt.Fprintf(b, "\nTested: %s.\n\n", Count(all, "failure"))
	default:
		fmt.Fprintf(b, "\nNot tested: %d of %s.\n\n", all-tested, Count(all, "failure"))
	}
	for i := range list {
		if i == shownFailures {
			fmt.Fprintf(b, "- … and %s\n", restText(list[i:], tested == all))
			break
		}
		fmt.Fprintf(b, "- %s\n", failureText(v, &list[i], uri))
	}
}

// restText says how many failures are not listed: more of what the line above the list counts
// (what is not tested or, where nothing is so, what is), tested ones, what no number counts.
func restText(rest []Failure, allTested bool) string {
	tested, counted := countFailures(rest)
	more := counted - tested
	if allTested {
		more, tested = tested, 0
	}
	var parts []string
	for i, n := range []int{more, tested, len(rest) - counted} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, []string{"more", "tested", "not counted"}[i]))
		}
	}
	if last := len(parts) - 1; last > 0 {
		parts[last] = "and " + parts[last]
	}
	return strings.Join(parts, ", ")
}

// sortFailures puts those first that a test is missing for, then tested ones, then what is counted
// nowhere; of each first those of the workspace's own throws, then in the order of the calls.
func sortFailures(list []Failure) []Failure {
	list = slices.Clone(list)
	rank := func(f *Failure) int {
		switch {
		case !f.Counts():
			return 2
		case f.Outcome == Experienced:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Failure) int {
		own := 0
		if a.Shows.Own != b.Shows.Own {
			own = 1
			if a.Shows.Own {
				own = -1
			}
		}
		return cmp.Or(rank(&a)-rank(&b), own)
	})
	return list
}

// failureText is a failure in a line of Markdown: call, API method, exception and what is known.
func failureText(v View, f *Failure, uri SourceURI) string {
	call := "line unknown"
	if f.Line > 0 {
		var others []string
		for _, n := range f.Lines()[1:] {
			others = append(others, fmt.Sprint(n))
		}
		file := f.Shows.Catch.File.Path
		call = linked(fmt.Sprintf("line %d", f.Line), snapshot.Frame{File: file, Line: f.Line}, uri)
		if len(others) > 0 {
			call += " (or " + strings.Join(others, ", ") + ")"
		}
	}
	method := linked(f.name(), snapshot.Frame{Class: f.Class, Method: f.Method}, uri)
	return fmt.Sprintf("%s, %s: %s, %s", call, method, Code(shortName(f.Exception)), failureMark(v, f))
}

// outcomeWords are what a hover says of a failure that nothing has made happen.
var outcomeWords = map[Outcome]string{
	Outcome(results.Masked): "a layer below coped with it", Outcome(results.Latent): "the exception came elsewhere",
	Outcome(results.IsForced): "came here when forced", Outcome(results.ViaThread): "struck on another thread",
	Outcome(results.NotReached): "no test gets to it", Outcome(results.NoTest): "no test gets to the try",
	Unknown: "not tested",
}

// failureMark says in Markdown what is known of a failure.
func failureMark(v View, f *Failure) string {
	switch {
	case f.Apart == ThrownByTests:
		return "thrown by tests, not counted"
	case f.Outcome == Judged:
		return "marked as impossible: " + Markdown(v.Infeasible[f.Shows.ID])
	case f.Outcome == Experienced:
		return strings.Replace(experiencedText(experienced(v, f.Shows), codeOfTest), "experienced", "tested", 1)
	}
	return outcomeWords[f.Outcome]
}

func codeOfTest(test string) string { return Code(shortTest(test)) }

// actionsLine are the links to more.
func actionsLine(b *strings.Builder, c *snapshot.Catch, s *results.State, action Action) {
	if action == nil {
		return
	}
	var links []string
	if !c.InTests {
		links = append(links, action("Run", CommandRunCatch, c.ID))
	}
	if s != nil && len(s.Matrix) > 0 {
		links = append(links, action("Matrix", CommandShowMatrix, c.ID))
	}
	links = append(links, action("Chains", CommandShowChains, c.ID), action("What is this?", CommandExplain))
	fmt.Fprintf(b, "\n%s\n", strings.Join(links, " · "))
}
