package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// This file runs the catch of a line, which need not be compiled yet.

// runAt runs the catch at a line of a document (0-based), or nearest above it. Where that is not
// compiled yet, the workspace is, first: asking for a run is the user's trust, as in run. The error
// says why there is nothing to run, and the way out.
func (s *Server) runAt(ctx context.Context, ses session.API, uri, line string,
	token protocol.ProgressToken) (any, error) {
	id, in, err := s.compiledAt(uri, line)
	if err != nil {
		return nil, err
	}
	if id == "" {
		if err := s.compileFor(ctx, ses); err != nil {
			return nil, err
		}
		if id, in, err = s.compiledAt(uri, line); err == nil && id == "" {
			err = s.whyNotCompiled(uri)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.run(ctx, ses, "Running a catch", token, session.Scope{Catches: []string{id}, In: in, Again: true})
}

// compiledAt is the ID of the catch of a line, and the snapshot that has it; "" if it is not
// compiled. The error says that there is none.
func (s *Server) compiledAt(uri, line string) (id string, in *snapshot.Snapshot, err error) {
	d, row, err := s.lineOf(uri, line)
	if err != nil {
		return "", nil, err
	}
	v, p := s.viewOf(d)
	switch {
	case v.Snap == nil:
		return "", nil, nil
	case p == nil: // a source that the snapshot does not have
		if len(d.source.Catches) == 0 {
			return "", nil, errNoCatch
		}
		return "", nil, nil
	}
	at := s.nearest(d, p, row, true)
	if at == nil {
		return "", nil, errNoCatch
	}
	if c := p.known(at); c != nil && (c.Compiled || c.HiddenBy != "") {
		return c.ID, p.snap, nil
	}
	return "", nil, nil
}

// compileFor has the workspace compiled and analysed, for a run that somebody asks for.
func (s *Server) compileFor(ctx context.Context, ses session.API) error {
	s.mu.Lock()
	trusted := s.settings.Trusted
	s.mu.Unlock()
	if trusted == nil {
		ses.SetTrusted(true)
	} else if !*trusted {
		return session.ErrUntrusted
	}
	return s.withProgress(ctx, "Compiling", nil, ses.Reload)
}

// whyNotCompiled says why a document has no classes when the compiler has been asked.
func (s *Server) whyNotCompiled(uri string) error {
	const wayOut = "the catch is not compiled, so that it cannot be run"
	v := s.view()
	if v.Snap == nil {
		return fmt.Errorf("%s: nothing could be analysed", wayOut)
	}
	if d := s.docs.get(uri); d != nil {
		if _, p := s.viewOf(d); p != nil && !p.same {
			return fmt.Errorf("%s: save the file first", wayOut)
		}
	}
	problem := -1
	for i, p := range v.Snap.Problems {
		here := pathURI(p.File) == uri
		if p.Severity == string(workspace.Error) && (problem < 0 || here) ||
			problem < 0 && p.Severity == string(workspace.Warning) {
			if problem = i; here {
				break
			}
		}
	}
	if problem < 0 {
		return fmt.Errorf("%s: the file belongs to no module of the workspace; see `catchlens doctor`", wayOut)
	}
	p := v.Snap.Problems[problem]
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Errorf("%s: %s: %s; correct that and run again", wayOut, codelens.Message(place),
		codelens.Message(p.Message))
}
