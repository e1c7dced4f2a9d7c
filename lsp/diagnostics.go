package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"sync"

	"catchlens/analysis/javasource"
	"catchlens/analysis/snapshot"
	"catchlens/codelens"
	"catchlens/session"
)

// This file publishes diagnostics, each file's only when they have changed.

// documentChanged is the server's own event: a buffer was edited or closed.
const documentChanged session.Event = 1 << 16

// published remembers what the client was last told of each file.
type published struct {
	mu   sync.Mutex
	last map[string][]byte // canonical URI -> JSON of the diagnostics
}

type diagnosticJSON struct {
	Range           rangeJSON     `json:"range"`
	Severity        int           `json:"severity"`
	Code            string        `json:"code"`
	CodeDescription *hrefJSON     `json:"codeDescription,omitempty"`
	Source          string        `json:"source"`
	Message         string        `json:"message"`
	Related         []relatedJSON `json:"relatedInformation,omitempty"`
	Data            string        `json:"data"` // catch ID
}

type hrefJSON struct {
	Href string `json:"href"`
}

type relatedJSON struct {
	Location struct {
		URI   string    `json:"uri"`
		Range rangeJSON `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

type positionJSON struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

type rangeJSON struct {
	Start positionJSON `json:"start"`
	End   positionJSON `json:"end"`
}

func (s *Server) rangeJSON(src *javasource.File, text []byte, start, end int) rangeJSON {
	r := s.enc.span(src, text, start, end)
	return rangeJSON{positionJSON{r.Start.Line, r.Start.Character}, positionJSON{r.End.Line, r.End.Character}}
}

// announce tells the client what changed.
func (s *Server) announce(e session.Event) {
	ctx := s.life
	s.publishAll(ctx)
	if e&(session.SnapshotChanged|session.ResultsChanged) != 0 && s.caps.lensRefresh {
		if err := s.call(ctx, "workspace/codeLens/refresh", nil, nil); err != nil && ctx.Err() == nil {
			s.log.Debug("lens refresh", "error", err)
		}
	}
	if ses := s.session(); ses != nil {
		if now := ses.Status(); s.told != now {
			s.told = now
			s.notify(ctx, "catchlens/status", now)
		}
	}
}

// publishAll publishes every file whose diagnostics are not what they were.
func (s *Server) publishAll(ctx context.Context) {
	v := s.view()
	if v.Snap == nil {
		return
	}
	open := map[string]*document{}
	for _, d := range s.docs.all() {
		open[canonical(d.uri)] = d
	}
	seen := map[string]bool{}
	for _, f := range v.Snap.Files {
		uri := pathURI(filepath.Join(v.Snap.Workspace.Root, filepath.FromSlash(f.Path)))
		key := canonical(uri)
		seen[key] = true
		s.publish(ctx, key, uri, open[key], f)
	}
	s.diags.mu.Lock()
	var gone []string
	for key, last := range s.diags.last {
		if !seen[key] && len(last) > len("[]") {
			gone = append(gone, key)
		}
	}
	s.diags.mu.Unlock()
	for _, key := range gone {
		s.send(ctx, key, pathURI(key[len("file:"):]), nil, []diagnosticJSON{})
	}
}

// publishOne publishes the file of one document.
func (s *Server) publishOne(ctx context.Context, uri string) {
	v := s.view()
	d := s.docs.get(uri)
	if v.Snap == nil || d == nil {
		return
	}
	if f := v.Snap.ByPath[relative(v.Snap.Workspace.Root, d.path)]; f != nil {
		s.publish(ctx, canonical(uri), uri, d, f)
	}
}

func (s *Server) publish(ctx context.Context, key, uri string, d *document, f *snapshot.File) {
	v, p := s.viewOf(d)
	if d != nil {
		uri = d.uri
	}
	s.mu.Lock()
	hints := s.settings.hints()
	s.mu.Unlock()
	ses := s.session()
	if ses == nil {
		return
	}
	out := []diagnosticJSON{}
	for _, g := range codelens.Diagnostics(v, f, ses.LocateTest) {
		if g.Severity == codelens.SeverityHint && !hints {
			continue
		}
		j := diagnosticJSON{Severity: int(g.Severity), Code: g.Code, Source: "catchlens", Message: g.Message, Data: g.Catch.ID}
		if p == nil {
			j.Range = s.rangeJSON(f.Source, f.Text, g.Start, g.End)
		} else if at := p.at[g.Catch]; at != nil {
			j.Range = s.rangeJSON(d.source, d.text, at.Keyword.Start, at.Keyword.End)
		} else {
			continue
		}
		if s.docsURL != "" {
			j.CodeDescription = &hrefJSON{s.docsURL + codelens.DocPage(g.Code)}
		}
		if s.caps.relatedInformation {
			j.Related = related(v, g)
		}
		out = append(out, j)
	}
	s.send(ctx, key, uri, d, out)
}

func related(v codelens.View, g codelens.Diagnostic) []relatedJSON {
	var out []relatedJSON
	for _, r := range g.Related {
		var j relatedJSON
		j.Location.URI = pathURI(filepath.Join(v.Snap.Workspace.Root, filepath.FromSlash(r.File)))
		line := uint32(max(r.Line-1, 0))
		j.Location.Range = rangeJSON{positionJSON{line, 0}, positionJSON{line, 0}}
		j.Message = r.Message
		out = append(out, j)
	}
	return out
}

func (s *Server) send(ctx context.Context, key, uri string, d *document, out []diagnosticJSON) {
	data, err := json.Marshal(out)
	if err != nil {
		s.log.Error("diagnostics", "error", err)
		return
	}
	s.diags.mu.Lock()
	defer s.diags.mu.Unlock() // in order: an older state must not overtake a newer one
	if s.diags.last == nil {
		s.diags.last = map[string][]byte{}
	}
	last, known := s.diags.last[key]
	if known && bytes.Equal(last, data) || !known && len(out) == 0 {
		return
	}
	s.diags.last[key] = data
	msg := map[string]any{"uri": uri, "diagnostics": json.RawMessage(data)}
	if d != nil {
		msg["version"] = d.version
	}
	s.notify(ctx, "textDocument/publishDiagnostics", msg)
}
