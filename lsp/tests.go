package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/session"
)

// This file lists the tests of the workspace with how they ended, and runs them for coverage. The
// request and the notification are none of the protocol's (docs/reference/commands.md).

const (
	methodTests        = "catchlens/tests"        // the tests
	methodTestsChanged = "catchlens/testsChanged" // they, or how they ended, may be others now
)

// testsJSON answers methodTests.
type testsJSON struct {
	Analysed bool       `json:"analysed"` // false: the first analysis is not done yet
	Tests    []testJSON `json:"tests"`
}

// testJSON is a test, or a test class of which no test is known yet.
type testJSON struct {
	Test   string `json:"test"`   // display form; of a class its name
	Class  string `json:"class"`  // that is run for it, as commandCover takes it
	Module string `json:"module"` // its name
	URI    string `json:"uri,omitempty"`
	Line   int    `json:"line"`          // where it is declared, from 0
	Run    *ran1  `json:"run,omitempty"` // absent: it has not been run
	Stale  bool   `json:"stale"`         // something has changed that it ran
}

// ran1 is the last run of a test.
type ran1 struct {
	Outcome    string  `json:"outcome"` // pass, fail, hang, exit, crash, flaky or skipped
	Message    string  `json:"message,omitempty"`
	Stack      string  `json:"stack,omitempty"`
	DurationMs float64 `json:"durationMs"`
	At         int64   `json:"at"` // milliseconds since 1970
	// where the stack of a failure first comes to the workspace's tests, or else to its other code
	URI  string `json:"uri,omitempty"`
	Line int    `json:"line"` // from 0
}

// tests answers methodTests from memory.
func (s *Server) tests() any {
	out := testsJSON{Tests: []testJSON{}}
	ses := s.session()
	if ses == nil {
		return out
	}
	v := ses.View()
	if v.Snap == nil {
		return out
	}
	out.Analysed = true
	for _, t := range ses.Tests() {
		j := testJSON{Test: codelens.Plain(t.Test, false), Class: t.Class, Module: t.Module, Stale: t.Stale}
		if file, line, ok := ses.LocateTest(t.Test); ok {
			j.URI, j.Line = fileOf(v, file), max(line-1, 0)
		}
		if t.Run != nil {
			j.Run = ranOnce(v, t.Run)
		}
		out.Tests = append(out.Tests, j)
	}
	return out
}

// ranOnce is what a client is told of a run.
func ranOnce(v codelens.View, run *record.TestRun) *ran1 {
	r := &ran1{Outcome: string(run.Outcome), DurationMs: float64(run.Duration.Microseconds()) / 1000,
		At: run.At.UnixMilli(), Message: codelens.Plain(run.Message, true), Stack: codelens.Plain(run.Stack, true)}
	for _, f := range codelens.WorkspaceFrames(v.Snap, run.Stack, len(run.Stack)) {
		in := v.Snap.ByPath[f.File]
		if r.URI == "" || in != nil && in.InTests {
			r.URI, r.Line = fileOf(v, f.File), max(f.Line-1, 0)
		}
		if in != nil && in.InTests {
			break
		}
	}
	return r
}

// cover runs tests for coverage with progress, and returns its summary. The arguments are "again"
// or "", and test classes, or tests as they are listed, none for all.
func (s *Server) cover(asking context.Context, ses session.API, token protocol.ProgressToken,
	args []string) (any, error) {
	scope := session.CoverScope{}
	if len(args) > 0 {
		scope.Again = args[0] == "again"
		scope.Classes, scope.Tests = chosenTests(ses, args[1:])
	}
	return s.answerInTime(asking, token, func(ctx context.Context) (any, error) {
		return s.runs(ctx, ses, "Running tests", token, func(ctx context.Context,
			p session.Progress) (session.Summary, error) {
			ses.Coverage() // is asked for afterwards
			_, sum, err := ses.Cover(ctx, scope, p)
			return sum, err
		})
	})
}

// chosenTests separates the names of classes from those of tests, which clients have as text.
func chosenTests(ses session.API, names []string) (classes, tests []string) {
	asked := map[string]bool{}
	for _, name := range names {
		if strings.Contains(name, "#") {
			asked[name] = true
		} else {
			classes = append(classes, name)
		}
	}
	if len(asked) == 0 {
		return classes, nil
	}
	for _, t := range ses.Tests() {
		if text := codelens.Plain(t.Test, false); asked[text] {
			tests = append(tests, t.Test)
			delete(asked, text)
		}
	}
	return classes, slices.AppendSeq(tests, maps.Keys(asked)) // of these the session says that there are none
}
