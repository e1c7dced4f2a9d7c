package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/codelens"
)

// codeLens answers textDocument/codeLens. Lenses are sent resolved, so that a
// client never shows one empty.
func (s *Server) codeLens(ctx context.Context) (any, error) {
	out := []protocol.CodeLens{}
	d := s.document(ctx)
	s.mu.Lock()
	set := s.settings
	s.mu.Unlock()
	v, p := s.viewOf(d)
	if p == nil || !set.lens() {
		return out, nil
	}
	for _, c := range p.file.Catches {
		at := p.at[c]
		if at == nil || c.InTests && !set.LensInTests {
			continue
		}
		r := s.enc.span(d.source, d.text, at.Keyword.Start, at.Keyword.End)
		for _, l := range codelens.Lenses(v, c) {
			out = append(out, protocol.CodeLens{Range: r, Command: lensCommand(l)})
		}
	}
	if set.Chains {
		out = append(out, s.chainLenses(v, p, d)...)
	}
	if p.file.InTests && !set.LensInTests {
		return out, nil
	}
	for _, c := range p.fresh {
		out = append(out, protocol.CodeLens{
			Range:   s.enc.span(d.source, d.text, c.Keyword.Start, c.Keyword.End),
			Command: protocol.Command{Title: "not compiled yet", Command: commandReload},
		})
	}
	return out, nil
}

func lensCommand(l codelens.Lens) protocol.Command {
	c := protocol.Command{Title: l.Title, Command: l.Command}
	for _, a := range l.Args {
		data, _ := json.Marshal(a)
		c.Arguments = append(c.Arguments, protocol.LSPAny(data))
	}
	return c
}
