package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"

	"catchlens/analysis/javasource"
	"catchlens/analysis/snapshot"
	"catchlens/codelens"
	"catchlens/codelens/chaintext"
	"catchlens/instrument/chains"
	"catchlens/session"
)

// This file shows call chains at methods: in their hovers, lenses and on a page.

// chainsAt finds a method of the document whose name is at an offset, and what is known of the
// chains to it. The component is nil where nothing is known, or not yet.
func (s *Server) chainsAt(p *placement, d *document, offset int,
) (at *javasource.Member, c *chains.Component, m snapshot.MethodRef) {
	if p.file.InTests {
		return nil, nil, m
	}
	for _, t := range d.source.Types {
		for _, member := range t.Members {
			if member.NameSpan.Start <= offset && offset <= member.NameSpan.End {
				c, m = s.chainsOf(p, d, member)
				return member, c, m
			}
		}
	}
	return nil, nil, m
}

// chainsOf is what is known of the chains to a member of the document: a method or constructor with
// a body.
func (s *Server) chainsOf(p *placement, d *document, member *javasource.Member,
) (*chains.Component, snapshot.MethodRef) {
	var m snapshot.MethodRef
	ses := s.session()
	if ses == nil || member.Kind > javasource.CompactConstructor || member.Body.IsZero() {
		return nil, m
	}
	old, ok := d.toSnapshot(p.file, member.NameSpan.Start)
	if !ok {
		return nil, m
	}
	refs := p.snap.DeclaredAt(p.file, old)
	if len(refs) != 1 {
		return nil, m
	}
	return ses.Chains(refs[0].Class), refs[0]
}

// chainsHover is the hover of a method's name; nil where there is nothing to say.
func (s *Server) chainsHover(v codelens.View, p *placement, d *document, offset int, uri codelens.SourceURI) any {
	at, c, m := s.chainsAt(p, d, offset)
	if c == nil {
		return nil
	}
	r := s.enc.span(d.source, d.text, at.NameSpan.Start, at.NameSpan.End)
	text := s.explainedHover(chaintext.Hover(v, c, m, uri, s.action()), chainHovers)
	return protocol.Hover{Contents: s.markup(text), Range: &r}
}

// showsChains tells whether there are lenses above methods.
func (s *Server) showsChains() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings.lens() && s.settings.Chains
}

// chainLenses are the lenses above the methods of a document.
func (s *Server) chainLenses(p *placement, d *document) (out []protocol.CodeLens) {
	if p.file.InTests {
		return nil
	}
	for _, t := range d.source.Types {
		for _, member := range t.Members {
			c, m := s.chainsOf(p, d, member)
			if c == nil {
				continue
			}
			if l, ok := chaintext.Lens(c, m); ok {
				out = append(out, protocol.CodeLens{
					Range:   s.enc.span(d.source, d.text, member.NameSpan.Start, member.NameSpan.End),
					Command: lensCommand(l)})
			}
		}
	}
	return out
}

// askForChains has the call chains found of the components of the documents that are open, for the
// first hover to have them.
func (s *Server) askForChains() {
	ses := s.session()
	if ses == nil {
		return
	}
	v := ses.View()
	for _, d := range s.docs.all() {
		if p := d.placed(v.Snap); p != nil && !p.file.InTests && len(p.file.Classes) > 0 {
			ses.Chains(p.file.Classes[0].Name)
		}
	}
}

// showCallChains shows the chains that lead to a method, given by class (internal name), name and
// descriptor.
func (s *Server) showCallChains(ctx context.Context, ses session.API, class, method string) (any, error) {
	v := s.view()
	if v.Snap == nil {
		return nil, errors.New("the first analysis is not done yet")
	}
	c := ses.Chains(class)
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
		linksFrom(dir, v.Snap.Workspace.Root))
	return s.show(ctx, shownDocument{name: "call-chains.md", data: []byte(text)})
}

// runCallChains runs the tests that have not recorded which chains they take. Asking for it is the
// user's command, as for every run.
func (s *Server) runCallChains(asking context.Context, ses session.API, token protocol.ProgressToken) (any, error) {
	return s.answerInTime(asking, token, func(ctx context.Context) (any, error) {
		return s.runs(ctx, ses, "Recording call chains", token, ses.RunChains)
	})
}
