package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// This file writes tests for links: a method that is added to a test class, by the editor, and only
// what the compiler takes.

// wroteTest is what the command answers (docs/reference/commands.md).
type wroteTest struct {
	Applied bool   `json:"applied"`
	URI     string `json:"uri"`
	From    string `json:"from"`
}

// writeTest carries out the command.
func (s *Server) writeTest(ctx context.Context, ses session.API, id string) (any, error) {
	v := s.view()
	l := linkOf(v, id)
	if l == nil {
		return nil, fmt.Errorf("the link %s is not known any more: save the file and try again", id)
	}
	tests, err := codelens.LinkTests(v, l)
	if err != nil {
		return nil, fmt.Errorf("no test is written: %w", err)
	}
	test, d, err := s.compiles(ctx, ses, v.Snap, tests)
	if err != nil {
		return nil, fmt.Errorf("no test is written: %w", err)
	}
	edit := textEdit{Range: s.rangeJSON(d.source, d.text, test.Offset, test.Offset), NewText: test.Text}
	var w workspaceEdit
	if version := &d.version; s.caps.documentChanges {
		if d.version < 0 {
			version = nil
		}
		w.DocumentChanges = []documentEdit{{versionedDocument{d.uri, version}, []textEdit{edit}}}
	} else {
		w.Changes = map[string][]textEdit{d.uri: {edit}}
	}
	var answer struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	if err := s.call(ctx, "workspace/applyEdit", map[string]any{"label": "A test for a link", "edit": w},
		&answer); err != nil {
		return nil, fmt.Errorf("the editor did not write the test: %w", err)
	}
	if !answer.Applied && answer.FailureReason != "" {
		return nil, fmt.Errorf("the editor did not write the test: %s", answer.FailureReason)
	}
	if answer.Applied && s.caps.showDocument {
		at := rangeJSON{edit.Range.Start, edit.Range.Start}
		at.Start.Line += 2 // behind the empty line
		at.Start.Character, at.End = 0, at.Start
		if err := s.call(ctx, "window/showDocument", map[string]any{"uri": d.uri, "takeFocus": true, "selection": at},
			nil); err != nil {
			s.log.Warn("the client did not show a document", "uri", d.uri, "error", err)
		}
	}
	return must(wroteTest{answer.Applied, d.uri, test.From}), nil
}

// compiles is the first of the tests that the compiler takes, with the document that it is written
// into; the error is that of the first otherwise.
func (s *Server) compiles(ctx context.Context, ses session.API, snap *snapshot.Snapshot,
	tests []codelens.LinkTest) (codelens.LinkTest, *document, error) {
	var first error
	for _, t := range tests {
		d, err := s.written(snap, t.Path)
		if err == nil {
			err = ses.Compiles(ctx, t.Path, t.Apply(d.text))
		}
		if err == nil {
			return t, d, nil
		}
		if first == nil {
			first = err
		}
		if errors.Is(err, session.ErrUntrusted) || ctx.Err() != nil {
			break
		}
	}
	if !errors.Is(first, session.ErrUntrusted) && strings.Contains(tests[0].Text, "catchlens.fault.") {
		first = fmt.Errorf("%w (a test that arms a fault needs the artifact fault-api on the module's test class path)",
			first)
	}
	return codelens.LinkTest{}, nil, first
}

// written is the document of a source with the text that was analysed; the error says that it has
// changed since.
func (s *Server) written(snap *snapshot.Snapshot, path string) (*document, error) {
	f := snap.ByPath[path]
	if f == nil {
		return nil, fmt.Errorf("%s is not known any more", path)
	}
	for _, d := range s.docs.all() {
		if d.in(snap) == f {
			if !bytes.Equal(d.text, f.Text) {
				return nil, fmt.Errorf("%s has changed since it was analysed: save it and try again",
					filepath.Base(path))
			}
			return d, nil
		}
	}
	file := filepath.Join(snap.Workspace.Root, filepath.FromSlash(path))
	if err := unchanged(file, encodingOf(snap, f), f.Text); err != nil {
		return nil, err
	}
	return newDocument(pathURI(file), -1, f.Text), nil
}

// linkOf finds a link by its ID; nil if there is none.
func linkOf(v codelens.View, id string) *snapshot.Link {
	if v.Snap == nil {
		return nil
	}
	for _, c := range v.Snap.Catches {
		for _, l := range v.Links(c) {
			if l.ID == id {
				return l
			}
		}
	}
	return nil
}
