package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"catchlens/analysis/snapshot"
	"catchlens/codelens"
	"catchlens/session"
)

// This file writes tests for links: a new file, made by the editor, and only what the
// compiler takes.

// createFile is the protocol's CreateFile. Without options it is to fail where the file
// exists.
type createFile struct {
	Kind string `json:"kind"`
	URI  string `json:"uri"`
}

// wroteTest is what the command answers (docs/commands.md).
type wroteTest struct {
	Applied bool   `json:"applied"`
	URI     string `json:"uri"`
	Calls   string `json:"calls"`
}

// canCreate tells whether the editor makes new files for servers.
func (s *Server) canCreate() bool { return s.caps.createFiles && s.caps.documentChanges }

// writeTest carries out the command.
func (s *Server) writeTest(ctx context.Context, ses session.API, id string) (any, error) {
	v := s.view()
	l := linkOf(v, id)
	if l == nil {
		return nil, fmt.Errorf("the link %s is not known any more: save the file and try again", id)
	}
	if !s.canCreate() {
		return nil, errors.New("this editor cannot create files for a server")
	}
	taken := func(path string) bool { return s.taken(absolute(v.Snap, path)) }
	tests, err := codelens.LinkTests(v, l, taken)
	if err != nil {
		return nil, fmt.Errorf("no test is written: %w", err)
	}
	test, err := compiles(ctx, ses, tests)
	if err != nil {
		return nil, fmt.Errorf("no test is written: %w", err)
	}
	if taken(test.Path) { // while it was compiled; some editors empty a file that they are to create
		return nil, fmt.Errorf("no test is written: there is a file %s now", test.Path)
	}
	uri := pathURI(absolute(v.Snap, test.Path))
	edit := map[string]any{"documentChanges": []any{
		createFile{"create", uri},
		documentEdit{versionedDocument{uri, nil}, []textEdit{{NewText: string(test.Text)}}},
	}}
	var answer struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	if err := s.call(ctx, "workspace/applyEdit", map[string]any{"label": "A test for a link", "edit": edit}, &answer); err != nil {
		return nil, fmt.Errorf("the editor did not make the file: %w", err)
	}
	if !answer.Applied && answer.FailureReason != "" {
		return nil, fmt.Errorf("the editor did not make the file: %s", answer.FailureReason)
	}
	if answer.Applied && s.caps.showDocument {
		if err := s.call(ctx, "window/showDocument", map[string]any{"uri": uri, "takeFocus": true}, nil); err != nil {
			s.log.Warn("the client did not show a document", "uri", uri, "error", err)
		}
	}
	return must(wroteTest{answer.Applied, uri, test.Entry}), nil
}

// absolute is the path of a file whose path is relative to the workspace's root.
func absolute(snap *snapshot.Snapshot, path string) string {
	return filepath.Join(snap.Workspace.Root, filepath.FromSlash(path))
}

// taken tells whether there is something at a path, be it only in the editor.
func (s *Server) taken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || s.docs.get(pathURI(path)) != nil
}

// compiles is the first of the tests that the compiler takes; the error is that of the
// first otherwise.
func compiles(ctx context.Context, ses session.API, tests []codelens.LinkTest) (codelens.LinkTest, error) {
	var first error
	for _, t := range tests {
		err := ses.Compiles(ctx, t.Path, t.Text)
		if err == nil {
			return t, nil
		}
		if first == nil {
			first = err
		}
		if errors.Is(err, session.ErrUntrusted) || ctx.Err() != nil {
			break
		}
	}
	if !errors.Is(first, session.ErrUntrusted) && bytes.Contains(tests[0].Text, []byte("import catchlens.fault.")) {
		first = fmt.Errorf("%w (a test that arms a fault needs the artifact fault-api on the module's test class path)", first)
	}
	return codelens.LinkTest{}, first
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
