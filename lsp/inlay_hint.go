package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/inlayhints"
)

// showsInlayHints tells whether a user wants them.
func (s *Server) showsInlayHints() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings.InlayHints
}

// inlayHint answers textDocument/inlayHint, where the setting inlayHints wants that: at the end of
// lines in tries, the exceptions that may come from them. Lines whose member is edited have none
// until the edit is analysed.
func (s *Server) inlayHint(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.InlayHintParams](req)
	if err != nil {
		return nil, err
	}
	out := []protocol.InlayHint{}
	d := s.document(ctx)
	s.mu.Lock()
	inTests := s.settings.LensInTests
	s.mu.Unlock()
	v, p := s.viewOf(d)
	if p == nil || !s.showsInlayHints() {
		return out, nil
	}
	var catches []*snapshot.Catch
	for _, c := range p.file.Catches {
		if p.at[c] != nil && (!c.InTests || inTests) {
			catches = append(catches, c)
		}
	}
	now := lineText{d.text, d.source}
	moved := moveLines(lineText{p.file.Text, p.file.Source}, now)
	for _, h := range inlayhints.Of(v, catches) {
		to := moved.to(h.Line)
		row := uint32(to.line - 1)
		if to.line == 0 || to.changed || row < q.Range.Start.Line || row > q.Range.End.Line {
			continue
		}
		end := start0(now, to.line) + len(strings.TrimRight(now.line(to.line), "\r\n"))
		out = append(out, protocol.InlayHint{Position: s.enc.position(d.source, d.text, end),
			Label: protocol.String(codelens.Message(h.Label)), Tooltip: protocol.String(h.Tooltip),
			PaddingLeft: ptr(true)})
	}
	return out, nil
}
