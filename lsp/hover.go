package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/markdown"
)

// hover answers textDocument/hover: on a catch its links, on a throw or a call in a try where its
// exceptions are caught, on the name of a method which call chains lead to it, on another call
// those that end with it. Elsewhere it says nothing, so that it does not cover what a Java server
// shows.
func (s *Server) hover(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.HoverParams](req)
	if err != nil {
		return nil, err
	}
	d := s.document(ctx)
	v, p := s.viewOf(d)
	if p == nil {
		return nil, nil
	}
	offset := s.enc.offset(d.source, d.text, q.Position)
	uri := s.sources.Links(v.Snap, codelens.FileURI(v.Snap.Workspace.Root))
	if c, at := p.catchAt(offset); c != nil {
		r := s.enc.span(d.source, d.text, at.Keyword.Start, at.TypesSpan.End)
		text := s.explainedHover(codelens.CatchHover(v, c, uri, s.action()), lensHovers)
		return protocol.Hover{Contents: s.markup(text), Range: &r}, nil
	}
	if span, ok := throwOrCall(d, offset); ok {
		old, ok := d.toSnapshot(p.file, span.Start)
		if !ok {
			return nil, nil
		}
		text := codelens.LandingHover(v, v.Snap.Landings(p.file, old), codelens.Place{File: p.file, Offset: old}, uri)
		if text != "" {
			return s.hoverOf(d, span, s.explainedHover(text, lensHovers)), nil
		}
	}
	return s.chainsHover(v, p, d, offset, uri), nil
}

// catchAt finds the snapshot's catch whose head (keyword to types) covers an
// offset of the document.
func (p *placement) catchAt(offset int) (*snapshot.Catch, *javasource.Catch) {
	for c, at := range p.at {
		if at.Keyword.Start <= offset && offset <= at.TypesSpan.End {
			return c, at
		}
	}
	return nil, nil
}

// throwOrCall finds the throw keyword, or the innermost call name inside a try,
// at an offset.
func throwOrCall(d *document, offset int) (javasource.Span, bool) {
	for _, t := range d.source.Throws {
		if t.Keyword.Start <= offset && offset <= t.Keyword.End {
			return t.Keyword, true
		}
	}
	for _, c := range d.callsOf() {
		if c.NameSpan.Contains(offset) && c.Place.Try != nil {
			return c.NameSpan, true
		}
	}
	return javasource.Span{}, false
}

// markup is text as the client can show it.
func (s *Server) markup(md string) *protocol.MarkupContent {
	if s.caps.markdown {
		return &protocol.MarkupContent{Kind: "markdown", Value: md}
	}
	return &protocol.MarkupContent{Kind: "plaintext", Value: markdown.Text(md)}
}
