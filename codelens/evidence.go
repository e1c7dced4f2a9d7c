package codelens

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file shows what a verdict rests on: tests, usages, exceptions, failures.

const (
	maxWitnesses     = 3 // shown in a hover
	maxNamed         = 3 // tests named behind an answer that holds
	maxFailureFrames = 4 // of a failure's stack
)

// evidenceParagraph lists the runs that decided: those that fail with what failed
// and where, those that pass by name; and what is missing to decide the rest.
func evidenceParagraph(b *strings.Builder, v View, c *snapshot.Catch, s *results.State, uri SourceURI) {
	failing := 0
	for _, w := range s.Verdict.Deciding {
		if !w.Outcome.Failed() {
			continue
		}
		if failing++; failing > maxWitnesses {
			continue
		}
		fmt.Fprintf(b, "\n- %s (%s): %s, thrown %s %s: %s", codeOfTest(w.Test), usageText(s.Usages[w.Test]),
			Code(constructedText(w)),
			timesText(w.Fired), Markdown(shortcircuit.PlaceText(w)), Markdown(witnessText(w)))
		var frames []string
		for _, f := range WorkspaceFrames(v.Snap, w.Stack, maxFailureFrames) {
			frames = append(frames, frameText(f, uri))
		}
		if len(frames) > 0 {
			fmt.Fprintf(b, "\\\n  %s", strings.Join(frames, " ← "))
		}
	}
	if n := failing - maxWitnesses; n > 0 {
		fmt.Fprintf(b, "\n- … and %d more", n)
	}
	if failing > 0 {
		b.WriteString("\n")
	}
	passingText(b, s)
	unexplainedText(b, v, s, uri)
	for _, m := range v.missing(c, s) {
		fmt.Fprintf(b, "\nMissing for %s.\n", Markdown(m))
	}
}

// unexplainedText lists the failing runs that say nothing about the clause: why, what failed, and
// the first frames in the workspace.
func unexplainedText(b *strings.Builder, v View, s *results.State, uri SourceURI) {
	for n, u := range s.Verdict.Unexplained {
		if n == maxWitnesses {
			fmt.Fprintf(b, "\n- … and %d more that decide nothing", len(s.Verdict.Unexplained)-n)
			break
		}
		fmt.Fprintf(b, "\n- %s (%s) decides nothing, as %s: %s", codeOfTest(u.Cell.Test),
			usageText(s.Usages[u.Cell.Test]),
			Markdown(u.Why), Markdown(witnessText(u.Cell)))
		var frames []string
		for _, f := range WorkspaceFrames(v.Snap, u.Cell.Stack, maxFailureFrames) {
			frames = append(frames, frameText(f, uri))
		}
		if len(frames) > 0 {
			fmt.Fprintf(b, "\\\n  %s", strings.Join(frames, " ← "))
		}
	}
	if len(s.Verdict.Unexplained) > 0 {
		b.WriteString("\n")
	}
}

// passingText names the tests that an answer that holds rests on.
func passingText(b *strings.Builder, s *results.State) {
	var names []string
	seen := map[string]bool{}
	for _, d := range s.Verdict.Deciding {
		if d.Outcome == record.Pass && !seen[d.Test] {
			seen[d.Test] = true
			names = append(names, fmt.Sprintf("%s (%s)", codeOfTest(d.Test), usageText(s.Usages[d.Test])))
		}
	}
	if len(names) == 0 {
		return
	}
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(b, "\nIt rests on %s%s.\n", strings.Join(names, ", "), more)
}

// usageText says what a test's executions of the try did, without what did not occur.
func usageText(u record.Usage) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{u.White, "white"}, {u.Pink, "pink"}, {u.Blue, "blue"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// constructedText is how the exception of a run was made.
func constructedText(c record.Cell) string {
	if c.Constructed != "" {
		return c.Constructed
	}
	return c.Injected
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// stackFrame is a line of a stack trace: class, method, file and line.
var stackFrame = regexp.MustCompile(`^\s*at (\S+)\.([^.(\s]+)\(([^:)]*)(?::(\d+))?\)`)

// WorkspaceFrames are the first frames of a failure's stack, at most that many, that
// stand in the workspace's own code.
func WorkspaceFrames(snap *snapshot.Snapshot, stack string, most int) (frames []snapshot.Frame) {
	for _, line := range strings.Split(stack, "\n") {
		if strings.HasPrefix(line, "Caused by: ") && len(frames) > 0 {
			break
		}
		m := stackFrame.FindStringSubmatch(line)
		if m == nil || len(frames) == most {
			continue
		}
		c := snap.Class(strings.ReplaceAll(m[1], ".", "/"))
		if c == nil || c.File == nil {
			continue
		}
		n, _ := strconv.Atoi(m[4])
		frames = append(frames, snapshot.Frame{Class: m[1], Method: m[2], Line: n, File: c.File.Path})
	}
	return frames
}

// reportWitness is a failing run in the JSON report.
func reportWitness(v View, s *results.State, w record.Cell) ReportWitness {
	out := ReportWitness{Test: w.Test, Injected: w.Injected, Fired: w.Fired, Outcome: string(w.Outcome),
		Message: w.Message, Confirmed: w.Certain,
		Constructed: w.Constructed, ReportStruck: reportStruck(w), Usage: reportUsage(s.Usages[w.Test]),
		Stack: []ReportFrame{}}
	if w.Point != nil {
		out.Place = shortcircuit.PlaceText(w)
	}
	for _, f := range WorkspaceFrames(v.Snap, w.Stack, maxChain) {
		out.Stack = append(out.Stack, ReportFrame{f.Class, f.Method, f.Line})
	}
	return out
}

// reportDeciding lists the runs that a verdict rests on.
func reportDeciding(s *results.State, v shortcircuit.Verdict) []ReportDeciding {
	out := []ReportDeciding{}
	for _, d := range v.Deciding {
		out = append(out, ReportDeciding{d.Test, d.Type, string(d.Outcome), d.Fired, d.Certain,
			reportUsage(s.Usages[d.Test])})
	}
	return out
}

func reportUsage(u record.Usage) ReportUsages { return ReportUsages{u.Pink, u.White, u.Blue} }
