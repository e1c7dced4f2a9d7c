package codelens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file decides which diagnostics stand on a file.

// Severity of a diagnostic.
type Severity int

// Severities, from the most to the least severe.
const (
	SeverityError Severity = iota + 1
	SeverityWarning
	SeverityInformation
	SeverityHint
)

// Codes of diagnostics. Each has a section in docs/reference/diagnostics.md, which package lsp
// holds to Codes, and a rule for SARIF (rules). What is shown only when asked for is one of
// workspace.MoreHints, too.
const (
	CodeSourceDependent = workspace.SourceDependent
	CodeNeverEntered    = workspace.NeverEntered
	CodeUnpredicted     = "unpredicted-link"
	CodeNoHandler       = workspace.NoHandler
	CodeStretchable     = "stretchable-catch"    // only if asked for
	CodeNotResilient    = "not-purely-resilient" // only if asked for
)

// Codes lists them all.
var Codes = []string{CodeSourceDependent, CodeNeverEntered, CodeUnpredicted, CodeNoHandler, CodeStretchable,
	CodeNotResilient}

// CodeOf maps the words that people write, in --fail-on and beside a catch, to codes.
var CodeOf = map[string]string{
	"source-dependent": CodeSourceDependent,
	"never-entered":    CodeNeverEntered,
	"unpredicted":      CodeUnpredicted,
	"without-handler":  CodeNoHandler,
}

// Diagnostic is one finding on a file.
type Diagnostic struct {
	Catch      *snapshot.Catch
	Start, End int // byte offsets in the file's text as of the snapshot
	Severity   Severity
	Code       string
	Message    string
	Related    []Related
	Stale      bool
}

// Related is a further place that a diagnostic speaks of.
type Related struct {
	File    string // relative to the workspace root
	Line    int    // 1-based
	Message string
}

// DocPage is where a diagnostic's code is explained, relative to docs/.
func DocPage(code string) string { return "reference/diagnostics.md#" + code }

// TestLocator finds the source of a test (p.CTest#reads): its file relative to
// the workspace root and its line; ok is false if it is not known.
type TestLocator func(test string) (file string, line int, ok bool)

// Diagnostics returns the findings on a file, in source order, without those that
// the user has accepted. Nothing is said of a catch that has been edited since: its
// lens says that it is stale.
func Diagnostics(v View, f *snapshot.File, locate TestLocator) []Diagnostic {
	return slices.DeleteFunc(findings(v, f, locate), func(d Diagnostic) bool {
		_, ok := v.accepted(d.Catch, d.Code)
		return ok
	})
}

func findings(v View, f *snapshot.File, locate TestLocator) []Diagnostic {
	var out []Diagnostic
	for _, c := range f.Catches {
		if c.InTests || !c.Compiled || v.Edited[c.ID] {
			continue
		}
		span := c.Source.Keyword
		d := Diagnostic{Catch: c, Start: span.Start, End: span.End, Stale: v.Stale(c)}
		if len(c.Handlers) == 0 {
			d.Code = CodeNoHandler
			d.Message = "The class file has no handler for this catch: nothing in the try can throw what it catches, " +
				"or the compiler removed the code."
			out = append(out, d)
			continue
		}
		s := v.state(c)
		if s == nil || !s.Ran {
			continue
		}
		switch {
		case s.Verdict.SourceIndependence == shortcircuit.Violated:
			out = append(out, sourceDependent(d, s, locate))
		case s.Usage.White == 0 && !v.partial():
			d.Code = CodeNeverEntered
			d.Message = "No test makes this catch run."
			if faulted(s) {
				d.Message = "No test makes this catch run without a fault that catchlens makes happen."
			}
			switch {
			case s.Sometimes:
				d.Message = "No test makes this catch run in every run."
			case len(s.Tests) == 0:
				d.Message = "No passing test enters this try."
			}
			out = append(out, d)
		}
		out = append(out, moreHints(v, d, s)...)
		out = append(out, unpredicted(v, d, locate)...)
	}
	for i := range out {
		rule := slices.IndexFunc(rules, func(r rule) bool { return r.Code == out[i].Code })
		out[i].Severity = rules[rule].Severity
	}
	return out
}

// moreHints are the hints that somebody asked for, in the settings or catchlens.toml.
func moreHints(v View, d Diagnostic, s *results.State) (out []Diagnostic) {
	wanted := func(code string) bool {
		return slices.Contains(v.MoreHints, code) || v.Judged != nil && slices.Contains(v.Judged.MoreHints, code)
	}
	if title := StretchTitle(v, d.Catch); title != "" && wanted(CodeStretchable) {
		d.Code = CodeStretchable
		d.Message = fmt.Sprintf("This catch may take every %s: %s.", shortName(s.Stretch.To),
			Plain(stretchGround(s), false))
		out = append(out, d)
	}
	if s.Verdict.PureResilience == shortcircuit.Violated && s.Verdict.SourceIndependence != shortcircuit.Violated &&
		len(s.Verdict.Witnesses) > 0 && wanted(CodeNotResilient) {
		d.Code = CodeNotResilient
		w := s.Verdict.Witnesses[0]
		how := "replaces the try"
		if w.Point != nil {
			how = thrownWhere(w)
		}
		d.Message = fmt.Sprintf("This catch is no perfect plan B: %s does not pass when %s %s.", shortTest(w.Test),
			shortName(w.Injected), how)
		if d.Stale {
			d.Message += " (stale: " + s.WhyStale() + ")"
		}
		out = append(out, d)
	}
	return out
}

// maxRelated is how many further places one diagnostic names.
const maxRelated = 10

// sourceDependent says the finding in a line or two; how each test failed stands
// at the test.
func sourceDependent(d Diagnostic, s *results.State, locate TestLocator) Diagnostic {
	d.Code = CodeSourceDependent
	w := s.Verdict.Witnesses[0]
	tests := map[string]bool{}
	for _, w := range s.Verdict.Witnesses {
		tests[w.Test] = true
	}
	fails := "fails"
	if n := len(tests) - 1; n > 0 {
		fails = fmt.Sprintf("and %d more %s fail", n, plural(n, "test"))
	}
	d.Message = fmt.Sprintf("This catch depends on where in the try the exception comes from: %s %s when %s %s.",
		shortTest(w.Test), fails, shortName(w.Injected), thrownWhere(w))
	if c := s.Verdict.Cause; c != nil {
		d.Message = strings.TrimSuffix(d.Message, ".") + ": " + Plain(c.Text(), false) + "."
		if c.Set.Line > 0 {
			d.Related = append(d.Related, Related{File: d.Catch.File.Path, Line: c.Set.Line,
				Message: "what the try sets: " + Plain(c.What.Shown(), false)})
		}
	}
	if d.Stale {
		d.Message += " (stale: " + s.WhyStale() + ")"
	}
	for _, w := range s.Verdict.Witnesses {
		if len(d.Related) == maxRelated {
			break
		}
		d.Related = append(d.Related, d.at(locate, w.Test,
			fmt.Sprintf("%s with %s: %s", Plain(w.Test, false), Plain(w.Injected, false), witnessText(w))))
	}
	return d
}

// thrownWhere ends a sentence on an exception that was thrown.
func thrownWhere(w record.Cell) string {
	if w.Point == nil && w.Reading == record.White && !w.All() {
		return "is thrown at its start, where it was caught before"
	}
	if w.Point == nil {
		return "is thrown at its start"
	}
	return "comes " + Plain(shortcircuit.PlaceText(w), false) + ", though not when it comes from the start"
}

// at is a place for what is said of a test: its source, or the catch where that
// is not known.
func (d Diagnostic) at(locate TestLocator, test, message string) Related {
	if locate != nil {
		if file, line, ok := locate(test); ok {
			return Related{File: file, Line: line, Message: message}
		}
	}
	return Related{File: d.Catch.File.Path, Line: d.Catch.Line, Message: message}
}

// shortTest is a test's name for a line of text: class without package, and not too long.
func shortTest(test string) string {
	class, method, ok := strings.Cut(test, "#")
	name := classname.Simple(class)
	if ok {
		name += "#" + method
	}
	return short(name)
}

// shortName is the name of a class for a line of text: without its package, and not too long.
func shortName(class string) string { return short(classname.InSource(class)) }

func short(name string) string {
	const most = 60
	if r := []rune(Plain(name, false)); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return Plain(name, false)
}

// witnessText says how a failing run failed, in one line.
func witnessText(w record.Cell) string {
	text := string(w.Outcome)
	if w.Why != "" {
		text += " (" + Plain(w.Why, false) + ")"
	}
	if alone := aloneText(w); alone != "" && w.Outcome == record.Pass {
		text += ", " + alone
	}
	if w.Message != "" {
		text += ": " + Plain(strings.TrimSpace(w.Message), false)
	}
	const most = 200
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}

// unpredicted are the links of the catch that the present analysis did not predict, with what the
// runs that saw them entered in its call graph.
func unpredicted(v View, d Diagnostic, locate TestLocator) []Diagnostic {
	var out []Diagnostic
	for _, u := range v.unpredicted(d.Catch) {
		if u.Pending || u.Stale {
			continue
		}
		class, exception := sourceName(u.Seen.Site.Class), sourceName(u.Seen.Exception)
		d.Code = CodeUnpredicted
		d.Message = fmt.Sprintf("An exception arrived here that the analysis did not predict: %s from %s. Please "+
			"report this.",
			shortName(exception), short(ShortMethod(class, u.Seen.Site.Method)))
		d.Related = nil
		for _, test := range u.Tests[:min(len(u.Tests), maxRelated)] {
			d.Related = append(d.Related,
				d.at(locate, test, fmt.Sprintf("%s: %s from %s.%s%s", Plain(test, false), Plain(exception, false),
					Plain(class, false), Plain(u.Seen.Site.Method, false), Plain(u.Seen.Site.Desc, false))))
		}
		out = append(out, d)
	}
	return out
}

// sourceName turns an internal name into the source form.
func sourceName(internal string) string { return strings.ReplaceAll(internal, "/", ".") }
