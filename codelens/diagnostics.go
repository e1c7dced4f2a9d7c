package codelens

import (
	"fmt"
	"strings"

	"catchlens/analysis/snapshot"
	"catchlens/instrument/campaign"
	"catchlens/instrument/results"
	"catchlens/instrument/shortcircuit"
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

// Codes of diagnostics; each has a section in docs/diagnostics.md.
const (
	CodeSourceDependent = "source-dependent-catch"
	CodeNeverEntered    = "catch-never-entered"
	CodeUnpredicted     = "unpredicted-link"
	CodeNoHandler       = "catch-without-handler"
)

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
func DocPage(code string) string { return "diagnostics.md#" + code }

// TestLocator finds the source of a test (p.CTest#reads): its file relative to
// the workspace root and its line; ok is false if it is not known.
type TestLocator func(test string) (file string, line int, ok bool)

// Diagnostics returns the findings on a file, in source order. Nothing is said
// of a catch that has been edited since: its lens says that it is stale.
func Diagnostics(v View, f *snapshot.File, locate TestLocator) []Diagnostic {
	var out []Diagnostic
	for _, c := range f.Catches {
		if c.InTests || !c.Compiled || v.Edited[c.ID] {
			continue
		}
		span := c.Source.Keyword
		d := Diagnostic{Catch: c, Start: span.Start, End: span.End, Stale: v.Stale(c)}
		if len(c.Handlers) == 0 {
			d.Severity, d.Code = SeverityHint, CodeNoHandler
			d.Message = "The class file has no handler for this catch: nothing in the try can throw what it catches, or the compiler removed the code."
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
		case s.Usage.White == 0:
			d.Severity, d.Code = SeverityHint, CodeNeverEntered
			d.Message = "No test makes this catch run."
			if len(s.Tests) == 0 {
				d.Message = "No passing test enters this try."
			}
			out = append(out, d)
		}
		out = append(out, unpredicted(v, d)...)
	}
	return out
}

func sourceDependent(d Diagnostic, s *results.State, locate TestLocator) Diagnostic {
	d.Severity, d.Code = SeverityWarning, CodeSourceDependent
	w := s.Verdict.Witnesses[0]
	d.Message = fmt.Sprintf("This catch depends on where in the try the exception comes from: %s fails when %s is thrown at the start of the try (%s).",
		Plain(w.Test, false), Plain(w.Injected, false), witnessText(w))
	if d.Stale {
		d.Message += " (stale: the code has changed since)"
	}
	for _, w := range s.Verdict.Witnesses {
		if locate == nil {
			break
		}
		if file, line, ok := locate(w.Test); ok {
			d.Related = append(d.Related, Related{File: file, Line: line,
				Message: fmt.Sprintf("%s: %s", Plain(w.Test, false), witnessText(w))})
		}
		if len(d.Related) == 10 {
			break
		}
	}
	return d
}

// witnessText says how a failing run failed, in one line.
func witnessText(w campaign.Cell) string {
	text := string(w.Outcome)
	if w.Message != "" {
		text += ": " + Plain(strings.TrimSpace(w.Message), false)
	}
	const most = 200
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}

func unpredicted(v View, d Diagnostic) []Diagnostic {
	var out []Diagnostic
	if v.Results == nil {
		return nil
	}
	for _, u := range v.Results.Unpredicted {
		if u.Catch != d.Catch {
			continue
		}
		d.Severity, d.Code = SeverityInformation, CodeUnpredicted
		d.Message = fmt.Sprintf("%s made an exception arrive here that the analysis did not predict: %s from %s. Please report this.",
			Plain(u.Test, false), Plain(sourceName(u.Seen.Exception), false), ShortMethod(sourceName(u.Seen.Site.Class), u.Seen.Site.Method))
		out = append(out, d)
	}
	return out
}

// sourceName turns an internal name into the source form.
func sourceName(internal string) string { return strings.ReplaceAll(internal, "/", ".") }
