package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// maxJudgements is how many links of one catch are offered for a judgement; the
// chains page has the IDs of all.
const maxJudgements = 8

// maxTests is for how many links of one catch a test is offered: for the first that
// nothing has experienced.
const maxTests = 4

// maxLooked is how many links of a catch are looked at for that, as each asks for who calls whom:
// actions are asked for with every move of the cursor.
const maxLooked = 40

// actionKind is the kind of actions that change nothing. It is none of the
// protocol's own: editors leave source actions out of what they offer at the cursor.
const actionKind = "catchlens"

// codeAction answers textDocument/codeAction for the catches that a range
// touches: run, show chains, stretch, write a test, judge a link infeasible, accept a
// finding.
func (s *Server) codeAction(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.CodeActionParams](req)
	if err != nil {
		return nil, err
	}
	out := []protocol.CommandOrCodeAction{}
	d := s.document(ctx)
	v, p := s.viewOf(d)
	if p == nil {
		return out, nil
	}
	start, end := s.enc.offset(d.source, d.text, q.Range.Start), s.enc.offset(d.source, d.text, q.Range.End)
	for _, c := range p.file.Catches {
		at := p.at[c]
		if at == nil || c.InTests || end < at.Keyword.Start || start > at.TypesSpan.End+1 {
			continue
		}
		for _, a := range append(s.catchActions(v, c), s.acceptActions(d, v, c, at)...) {
			if wanted(q.Context.Only, a) {
				out = append(out, a)
			}
		}
	}
	return out, nil
}

// wanted tells whether a client that asks for some kinds only asks for an
// action. Clients that fix on save apply what they get: they must not be handed
// something that runs tests.
func wanted(only []protocol.CodeActionKind, a protocol.CommandOrCodeAction) bool {
	action, ok := a.(*protocol.CodeAction)
	if len(only) == 0 || !ok || action.Kind == nil {
		return len(only) == 0
	}
	for _, k := range only {
		if k == "" || *action.Kind == k || strings.HasPrefix(string(*action.Kind), string(k)+".") {
			return true
		}
	}
	return false
}

// acceptActions write comments that accept the findings on a catch.
func (s *Server) acceptActions(d *document, v codelens.View, c *snapshot.Catch,
	at *javasource.Catch) (out []protocol.CommandOrCodeAction) {
	for _, a := range codelens.Acceptances(v, c, d.text, at) {
		edit := protocol.TextEdit{Range: s.enc.span(d.source, d.text, a.Offset, a.Offset), NewText: a.Text}
		out = append(out, &protocol.CodeAction{
			Title: a.Title, Kind: ptr(protocol.CodeActionKind("quickfix")),
			Edit: &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{uri.URI(d.uri): {edit}}},
		})
	}
	return out
}

func (s *Server) catchActions(v codelens.View, c *snapshot.Catch) []protocol.CommandOrCodeAction {
	var out []protocol.CommandOrCodeAction
	add := func(kind, title, command string, args ...string) {
		out = append(out, &protocol.CodeAction{
			Title: title, Kind: ptr(protocol.CodeActionKind(kind)),
			Command: lensCommand(codelens.Lens{Title: title, Command: command, Args: args}),
		})
	}
	if len(c.Handlers) > 0 {
		add(actionKind, "Run this catch", codelens.CommandRunCatch, c.ID)
	}
	add(actionKind, "Run all catches", codelens.CommandRunAll)
	links := v.Links(c)
	if len(links) > 0 {
		add(actionKind, "Show all chains of this catch", codelens.CommandShowChains, c.ID)
	}
	if v.Results != nil && v.Results.ByCatch[c.ID] != nil && len(v.Results.ByCatch[c.ID].Matrix) > 0 {
		add(actionKind, "Show the matrix of this catch", codelens.CommandShowMatrix, c.ID)
	}
	if title := codelens.StretchTitle(v, c); title != "" {
		add(stretchKind, title, codelens.CommandStretch, c.ID)
	}
	for n, l := 0, 0; l < min(len(links), maxLooked) && n < maxTests; l++ {
		if title := codelens.LinkTestTitle(v, links[l]); title != "" {
			add(actionKind, title, codelens.CommandWriteTest, links[l].ID)
			n++
		}
	}
	for _, j := range codelens.Judgements(v, c, maxJudgements) {
		switch {
		case j.TakeBack:
			add(actionKind, j.Title, codelens.CommandInfeasible, j.Link, "")
		case j.Failure: // the name is for editors that ask for a reason
			add(actionKind, j.Title, codelens.CommandInfeasible, failurePrefix+j.Link, noReason, j.Name())
		default:
			add(actionKind, j.Title, codelens.CommandInfeasible, j.Link, noReason, j.Name())
		}
	}
	return out
}
