package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/session"
)

// This file says what tests cover of a document, and of all files. The requests and the
// notification are none of the protocol's (docs/reference/commands.md).

const (
	methodCoverage        = "catchlens/coverage"        // of a document
	methodCoverageFiles   = "catchlens/coverageFiles"   // totals of all files
	methodCoverageChanged = "catchlens/coverageChanged" // what they answer may be something else now
)

// coverageParams ask for the coverage of a document: by all tests or by one, of a module if that is
// named, and, with a line (from 0), for the tests that come to it.
type coverageParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Test   string `json:"test"`
	Module string `json:"module"`
	Line   *int   `json:"line"`
}

// coverageJSON answers methodCoverage.
type coverageJSON struct {
	Known   bool           `json:"known"`             // false: no coverage is recorded, or the first is not added up
	Version *int32         `json:"version,omitempty"` // of the document that the lines are of, if it is open
	Lines   []lineJSON     `json:"lines"`
	Tests   []coveringJSON `json:"tests"` // that come to the line, or else to the file
}

// coveringJSON is a test that covers something.
type coveringJSON struct {
	Test   string `json:"test"`
	Module string `json:"module"` // two modules may have tests of one name
	Stale  bool   `json:"stale"`  // something has changed that it ran
}

// States of a line. Stale: its method has changed since tests ran it, or only tests of older code
// came to what else would be missed of it.
const (
	lineCovered = "covered"
	linePartly  = "partly" // ways of its branches were not taken
	lineMissed  = "missed"
	lineStale   = "stale"
)

// lineJSON is a line with code.
type lineJSON struct {
	Line     int          `json:"line"` // from 0
	State    string       `json:"state"`
	Tests    int          `json:"tests"`          // that come to it
	Left     int          `json:"left,omitempty"` // of these, how many left it in the middle, at least
	Branches []branchJSON `json:"branches,omitempty"`
}

// branchJSON is an if, a loop's condition or a switch of a line.
type branchJSON struct {
	Range rangeJSON `json:"range"` // of the condition, or of the line
	Ways  []wayJSON `json:"ways"`
}

type wayJSON struct {
	Label string `json:"label"`
	Taken bool   `json:"taken"`
}

// coverage answers methodCoverage from memory.
func (s *Server) coverage(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p, err := params[coverageParams](req)
	if err != nil {
		return nil, err
	}
	out := coverageJSON{Lines: []lineJSON{}, Tests: []coveringJSON{}}
	ses := s.session()
	if ses == nil {
		return protocol.LSPAny(must(out)), nil
	}
	c := ses.Coverage()
	if c == nil || !c.Any {
		return protocol.LSPAny(must(out)), nil
	}
	out.Known = true
	a := coverageAnswer{s: s, c: c, out: &out}
	if d := s.document(ctx); d != nil {
		out.Version = &d.version
		if f := d.in(c.Snap); f != nil {
			a.now, a.path = lineText{d.text, d.source}, f.Path
		}
	} else if f := c.Snap.ByPath[relative(c.Snap.Workspace.Root, uriPath(p.TextDocument.URI))]; f != nil {
		a.now, a.path = lineText{f.Text, f.Source}, f.Path
	}
	if a.path != "" {
		a.fill(p)
	}
	return protocol.LSPAny(must(out)), nil
}

// coverageAnswer is an answer that is made.
type coverageAnswer struct {
	s    *Server
	c    *session.Coverage
	path string
	now  lineText // what the client sees
	out  *coverageJSON
}

// fill lists the lines of the file and the tests, of all tests or of one.
func (a *coverageAnswer) fill(p coverageParams) {
	test, line := p.Test, p.Line
	file, text := a.c.File(a.path), a.c.Text(a.path)
	if file == nil || text == nil {
		return
	}
	moved := moveLines(lineText{text.Text, text.Source}, a.now)
	lines, byLine := file.Lines, a.c.TestsByLine(file)
	if test != "" {
		n := a.number(test, p.Module)
		if n < 0 {
			return
		}
		lines = a.c.OfTest(file, n)
	}
	for i := range lines {
		l := &lines[i]
		to := moved.to(l.Number)
		if to.line == 0 {
			continue
		}
		out := lineJSON{Line: to.line - 1, State: stateOf(l), Tests: len(byLine[l.Number]), Left: l.Left}
		if to.changed {
			out.State = lineStale
		}
		if test == "" || l.Covered > 0 {
			a.branches(file, l, moved, &out)
		}
		a.out.Lines = append(a.out.Lines, out)
		if line != nil && *line == out.Line {
			a.tests(byLine[l.Number])
		}
	}
	if line == nil {
		a.tests(a.c.TestsOfFile(file))
	}
}

// number is the index of a test, of a module if that is not ""; -1: there is none of this name.
func (a *coverageAnswer) number(test, module string) int {
	for i := range a.c.Tests {
		if t := coveringOf(&a.c.Tests[i]); t.Test == test && (module == "" || t.Module == module) {
			return i
		}
	}
	return -1
}

func coveringOf(t *coverage.TestCoverage) coveringJSON {
	c := coveringJSON{Test: codelens.Plain(t.Test, false), Stale: t.Stale}
	if run := t.Run(); run != nil {
		c.Module = run.Module
	}
	return c
}

func (a *coverageAnswer) tests(numbers []int) {
	for _, n := range numbers {
		a.out.Tests = append(a.out.Tests, coveringOf(&a.c.Tests[n]))
	}
}

// stateOf is the state of a line that no edit has touched.
func stateOf(l *coverage.Line) string {
	partly := slices.ContainsFunc(l.Branches, func(b coverage.Branch) bool { return b.Taken() < len(b) })
	switch {
	case l.Covered > 0 && !partly:
		return lineCovered
	case l.Stale:
		return lineStale
	case l.Covered > 0:
		return linePartly
	}
	return lineMissed
}

// branches lists those of a line.
func (a *coverageAnswer) branches(file *coverage.FileCoverage, l *coverage.Line, moved *movedLines, out *lineJSON) {
	ways := file.OutcomesOf(l)
	out.Branches = make([]branchJSON, len(l.Branches))
	start, end := a.now.span(out.Line + 1)
	for i := range ways {
		w := &ways[i]
		b := &out.Branches[w.Branch]
		from, to := start, end
		if at := start0(a.now, out.Line+1); w.Condition != "" && at+w.End <= end &&
			string(a.now.text[at+w.Start:at+w.End]) == w.Condition {
			from, to = at+w.Start, at+w.End
		}
		b.Range = a.s.rangeJSON(a.now.source, a.now.text, from, to)
		b.Ways = append(b.Ways, wayJSON{codelens.Plain(w.Label(out.Line+1, moved.to(w.To).line), false), w.Taken})
	}
}

// coverageFilesJSON answers methodCoverageFiles.
type coverageFilesJSON struct {
	Known bool               `json:"known"`
	Files []coverageFileJSON `json:"files"`
	Tests []coveringJSON     `json:"tests"`
}

// coverageFileJSON is what tests cover of a file.
type coverageFileJSON struct {
	URI      string    `json:"uri"`
	Lines    countJSON `json:"lines"`
	Branches countJSON `json:"branches"` // ways out of them
	Methods  countJSON `json:"methods"`
	Tests    []int     `json:"tests"` // that run code of it, by their place in the list of tests
}

type countJSON struct {
	Covered int `json:"covered"`
	Total   int `json:"total"`
}

// coverageFiles answers methodCoverageFiles from memory: files with sources.
func (s *Server) coverageFiles() any {
	out := coverageFilesJSON{Files: []coverageFileJSON{}, Tests: []coveringJSON{}}
	ses := s.session()
	if ses == nil {
		return out
	}
	c := ses.Coverage()
	if c == nil || !c.Any {
		return out
	}
	out.Known = true
	v := codelens.View{Snap: c.Snap}
	for _, f := range c.Files {
		if c.Snap.ByPath[f.Path] == nil {
			continue
		}
		n := f.Counts
		tests := c.TestsOfFile(f)
		if tests == nil {
			tests = []int{}
		}
		out.Files = append(out.Files, coverageFileJSON{URI: fileOf(v, f.Path),
			Lines: countJSON{n.LinesCovered, n.Lines}, Branches: countJSON{n.BranchesCovered, n.Branches},
			Methods: countJSON{n.MethodsCovered, n.Methods}, Tests: tests})
	}
	for i := range c.Tests {
		out.Tests = append(out.Tests, coveringOf(&c.Tests[i]))
	}
	return out
}

// lineText is a text with its structure.
type lineText struct {
	text   []byte
	source *javasource.File
}

// start0 is where a line (from 1) begins.
func start0(t lineText, line int) int { return int(t.source.LineStarts[line-1]) }

// line is a line (from 1), with its end.
func (t lineText) line(line int) string {
	end := len(t.text)
	if line < len(t.source.LineStarts) {
		end = int(t.source.LineStarts[line])
	}
	return string(t.text[start0(t, line):end])
}

// span is where a line (from 1) has something.
func (t lineText) span(line int) (start, end int) {
	text := t.line(line)
	start = start0(t, line) + len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	return start, max(start0(t, line)+len(strings.TrimRight(text, " \t\r\n")), start)
}
