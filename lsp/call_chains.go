package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/chaintext"
	"github.com/catchlens/catchlens/session"
)

// This file shows call chains at methods: in their hovers, lenses and on a page.

// methodAt finds the member of the document whose name is at an offset; nil: there is none.
func (d *document) methodAt(offset int) *javasource.Member {
	for _, t := range d.source.Types {
		for _, member := range t.Members {
			if member.NameSpan.Start <= offset && offset <= member.NameSpan.End {
				return member
			}
		}
	}
	return nil
}

// compiledMethod is the method of the snapshot that a member of the document is: a method or
// constructor with a body.
func (d *document) compiledMethod(p *placement, member *javasource.Member) (m snapshot.MethodRef, ok bool) {
	if member.Kind > javasource.CompactConstructor || member.Body.IsZero() {
		return m, false
	}
	old, ok := d.toSnapshot(p.file, member.NameSpan.Start)
	if !ok {
		return m, false
	}
	refs := p.snap.DeclaredAt(p.file, old)
	if len(refs) != 1 {
		return m, false
	}
	return refs[0], true
}

// chainsHover is the hover of a method's name, or of a call; nil where there is nothing to say.
func (s *Server) chainsHover(v codelens.View, p *placement, d *document, offset int, uri codelens.SourceURI) any {
	at, ses := d.methodAt(offset), s.session()
	if ses == nil || p.file.InTests {
		return nil
	}
	if at == nil {
		return s.callHover(ses, v, p, d, offset, uri)
	}
	m, ok := d.compiledMethod(p, at)
	if !ok {
		return nil
	}
	c, pending := ses.Chains(m.Class)
	switch {
	case c != nil:
		return s.hoverOf(d, at.NameSpan, s.explainedHover(chaintext.Hover(v, c, m, uri, s.action()), chainHovers))
	case pending:
		return s.hoverOf(d, at.NameSpan, chaintext.Pending)
	}
	return nil
}

// callHover is the hover of a call of a method that the workspace has; nil where there is none, or
// the call leaves its component.
func (s *Server) callHover(ses session.API, v codelens.View, p *placement, d *document, offset int,
	uri codelens.SourceURI) any {
	for _, call := range d.callsOf() {
		if !call.NameSpan.Contains(offset) {
			continue
		}
		old, ok := d.toSnapshot(p.file, call.NameSpan.Start)
		if !ok {
			return nil
		}
		sites, _ := p.snap.CallAt(p.file, old)
		if !slices.ContainsFunc(p.snap.TargetsOf(sites), func(m snapshot.MethodRef) bool {
			k := p.snap.Class(m.Class)
			return k != nil && !k.InTests
		}) {
			return nil
		}
		c, pending := ses.Chains(p.snap.CallerOf(sites[0]).Class)
		switch {
		case pending, c != nil && c.Snap != p.snap: // those of this snapshot are being found
			return s.hoverOf(d, call.NameSpan, chaintext.PendingCall)
		case c != nil:
			if text := chaintext.HoverOfCall(v, c, sites, uri, s.action()); text != "" {
				return s.hoverOf(d, call.NameSpan, s.explainedHover(text, chainHovers))
			}
		}
		return nil
	}
	return nil
}

// hoverOf is a hover of a part of a document.
func (s *Server) hoverOf(d *document, at javasource.Span, text string) protocol.Hover {
	r := s.enc.span(d.source, d.text, at.Start, at.End)
	return protocol.Hover{Contents: s.markup(text), Range: &r}
}

// showsChains tells whether there are lenses above methods.
func (s *Server) showsChains() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings.lens() && s.settings.Chains
}

// chainLenses are the lenses above the methods of a document.
func (s *Server) chainLenses(v codelens.View, p *placement, d *document) (out []protocol.CodeLens) {
	ses := s.session()
	if p.file.InTests || ses == nil {
		return nil
	}
	for _, t := range d.source.Types {
		for _, member := range t.Members {
			m, ok := d.compiledMethod(p, member)
			if !ok {
				continue
			}
			c := ses.KnownChains(m.Class)
			if c == nil {
				continue
			}
			if l, ok := chaintext.Lens(v, c, m); ok {
				out = append(out, protocol.CodeLens{
					Range:   s.enc.span(d.source, d.text, member.NameSpan.Start, member.NameSpan.End),
					Command: lensCommand(l)})
			}
		}
	}
	return out
}

// keepChains has the call chains kept of the components of the documents that are open and of the
// tree that is shown, whose file may be closed, and found where lenses show them. An edit in a
// buffer changes no chain: what is compiled counts.
func (s *Server) keepChains() {
	ses := s.session()
	if ses == nil {
		return
	}
	var classes []string
	snap := ses.View().Snap
	for _, d := range s.docs.all() {
		if p := d.placed(snap); p != nil && !p.file.InTests {
			for _, c := range p.file.Classes {
				classes = append(classes, c.Name)
			}
		}
	}
	s.mu.Lock()
	if s.tree != "" {
		classes = append(classes, s.tree)
	}
	s.mu.Unlock()
	slices.Sort(classes)
	ses.KeepChains(classes, s.showsChains())
}

// methodAround finds the method of the snapshot in which a line (0-based) of a document is.
func (s *Server) methodAround(doc, line string) (m snapshot.MethodRef, err error) {
	d, row, err := s.lineOf(doc, line)
	if err != nil {
		return m, err
	}
	if _, p := s.viewOf(d); p != nil && !p.file.InTests {
		var in javasource.Span // of methods of local classes, the innermost
		for _, t := range d.source.Types {
			for _, member := range t.Members {
				r := s.enc.span(d.source, d.text, member.Span.Start, member.Span.End)
				if row < int(r.Start.Line) || row > int(r.End.Line) || !in.IsZero() && member.Span.Start < in.Start {
					continue
				}
				if found, ok := d.compiledMethod(p, member); ok {
					m, in = found, member.Span
				}
			}
		}
		if !in.IsZero() {
			return m, nil
		}
	}
	return m, errors.New("there is no compiled method of the program in this line")
}

// showCallChains shows the chains that lead to a method, given by class (internal name), name and
// descriptor, or by a document's URI and a line of it (0-based).
func (s *Server) showCallChains(ctx context.Context, ses session.API, class, method string) (any, error) {
	v := s.view()
	if v.Snap == nil {
		return nil, errors.New("the first analysis is not done yet")
	}
	if _, err := strconv.Atoi(method); err == nil {
		m, err := s.methodAround(class, method)
		if err != nil {
			return nil, err
		}
		class, method = m.Class, m.Method
	}
	c, _ := ses.Chains(class)
	if c == nil {
		if v.Snap.Class(class) == nil {
			return nil, fmt.Errorf("the class %s is not known any more: save the file and try again", class)
		}
		return nil, errors.New("the call chains are not found yet: try again in a second")
	}
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	text := chaintext.Page(v, c, snapshot.MethodRef{Class: class, Method: method},
		s.sources.Links(v.Snap, linksFrom(dir, v.Snap.Workspace.Root)))
	return s.show(ctx, shownDocument{name: "call-chains.md", data: []byte(text)})
}

// runCallChains runs the tests that have not recorded which chains they take. Asking for it is the
// user's command, as for every run.
func (s *Server) runCallChains(asking context.Context, ses session.API, token protocol.ProgressToken) (any, error) {
	return s.answerInTime(asking, token, func(ctx context.Context) (any, error) {
		return s.runs(ctx, ses, "Recording call chains", token, ses.RunChains)
	})
}
