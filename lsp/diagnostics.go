package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// This file publishes diagnostics, each file's only when they have changed.

// The server's own events: a buffer was opened, edited or closed; settings that choose
// what is shown, or the folders, have changed.
const (
	documentChanged session.Event = 1 << (16 + iota)
	documentOpened                // besides: it was opened or closed
	settingsChanged
	foldersChanged
)

// answerTime is how long the client may take to answer a refresh.
const answerTime = 10 * time.Second

// published remembers what the client was last told of each file.
type published struct {
	order sync.Mutex // held from looking at a state until it is sent: none overtakes a newer one
	mu    sync.Mutex
	last  map[string][]byte // canonical URI -> JSON of the diagnostics

	snap   *snapshot.Snapshot // order; that errors are of
	errors map[string][]diagnosticJSON
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
	if e&(session.SnapshotChanged|documentOpened|settingsChanged|foldersChanged) != 0 {
		s.keepChains()
	}
	if e != session.ChainsChanged { // no diagnostic tells of them
		s.publishAll(ctx)
	}
	if e&(session.SnapshotChanged|session.ResultsChanged|settingsChanged|foldersChanged) != 0 && s.caps.lensRefresh ||
		e&session.ChainsChanged != 0 && s.caps.lensRefresh && s.showsChains() {
		s.askAgain(ctx, "workspace/codeLens/refresh")
	}
	if s.caps.inlayRefresh && (e&settingsChanged != 0 ||
		e&(session.SnapshotChanged|session.ResultsChanged|foldersChanged) != 0 && s.showsInlayHints()) {
		s.askAgain(ctx, "workspace/inlayHint/refresh")
	}
	if s.caps.catches && e&^(session.ActivityChanged|session.CoverageChanged|session.ChainsChanged) != 0 {
		s.notify(ctx, methodCatchesChanged, map[string]any{})
	}
	if s.caps.coverage && e&(session.CoverageChanged|documentChanged|foldersChanged) != 0 {
		s.notify(ctx, methodCoverageChanged, map[string]any{})
	}
	if s.caps.tests && e&(session.SnapshotChanged|session.ResultsChanged|foldersChanged) != 0 {
		s.notify(ctx, methodTestsChanged, map[string]any{})
	}
	if e&(session.SnapshotChanged|session.ChainsChanged|foldersChanged) != 0 {
		s.tellCallChains(ctx)
	}
	if ses := s.session(); ses != nil && s.caps.status {
		if now := shownStatus(ses); s.told != now {
			s.told = now
			s.notify(ctx, "catchlens/status", now)
		}
	}
}

// askAgain has the client ask again for what it shows. Diagnostics must not wait for one that is
// mute.
func (s *Server) askAgain(ctx context.Context, refresh string) {
	ask, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := s.call(ask, refresh, nil, nil); err != nil && ctx.Err() == nil {
		s.log.Debug("refresh", "method", refresh, "error", err)
	}
}

// publishAll publishes every file whose diagnostics are not what they were.
func (s *Server) publishAll(ctx context.Context) {
	s.diags.order.Lock()
	defer s.diags.order.Unlock()
	v, ses := s.present()
	if v.Snap == nil && ses {
		return // what is shown stays until the first analysis is done
	}
	seen := map[string]bool{}
	if v.Snap != nil {
		open := map[*snapshot.File]*document{}
		for _, d := range s.docs.all() {
			if f := d.in(v.Snap); f != nil {
				open[f] = d
			}
		}
		broken := s.notCompiled(v.Snap)
		for _, f := range v.Snap.Files {
			uri := fileOf(v, f.Path)
			if d := open[f]; d != nil {
				uri = d.uri
			}
			key := canonical(uri)
			seen[key] = true
			s.publish(ctx, v, key, uri, open[f], f)
		}
		for key, errors := range broken {
			if !seen[key] { // a source of which nothing is known
				seen[key] = true
				s.send(ctx, key, pathURI(key[len("file:"):]), nil, errors)
			}
		}
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
	s.diags.order.Lock()
	defer s.diags.order.Unlock()
	v, _ := s.present()
	d := s.docs.get(uri)
	if v.Snap == nil || d == nil {
		return
	}
	if f := d.in(v.Snap); f != nil {
		s.publish(ctx, v, canonical(uri), uri, d, f)
	}
}

// publish publishes a file of v's snapshot, open as d or, where that is nil, in no editor. What
// is shown may be another snapshot by now, which knows nothing of this one's catches.
func (s *Server) publish(ctx context.Context, v codelens.View, key, uri string, d *document, f *snapshot.File) {
	v, p := s.placed(v, d)
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
	if d == nil || p == nil || p.same {
		out = append(out, s.notCompiled(v.Snap)[key]...)
	}
	for _, g := range codelens.Diagnostics(v, f, ses.LocateTest) {
		if g.Severity == codelens.SeverityHint && !hints {
			continue
		}
		j := diagnosticJSON{Severity: int(g.Severity), Code: g.Code, Source: "catchlens",
			Message: codelens.Message(g.Message), Data: g.Catch.ID}
		if p == nil {
			j.Range = s.rangeJSON(f.Source, f.Text, g.Start, g.End)
		} else if at := p.at[g.Catch]; at != nil {
			j.Range = s.rangeJSON(d.source, d.text, at.Keyword.Start, at.Keyword.End)
		} else {
			continue
		}
		j.CodeDescription = s.codeDescription(g.Code)
		if s.caps.relatedInformation {
			j.Related = related(v, g)
		}
		out = append(out, j)
	}
	s.send(ctx, key, uri, d, out)
}

// codeNotCompiled is the code of the diagnostic of a source that the compiler does not take.
const codeNotCompiled = "not-compiled"

// notCompiled are the compiler's errors in the sources of a snapshot, by canonical URI: what is
// shown of such a source is of its last classes. s.diags.order is held.
func (s *Server) notCompiled(snap *snapshot.Snapshot) map[string][]diagnosticJSON {
	d := &s.diags
	if d.snap == snap {
		return d.errors
	}
	errors := map[string][]diagnosticJSON{}
	for _, p := range snap.Problems {
		if p.Severity != string(workspace.Error) || !strings.HasSuffix(p.File, ".java") {
			continue
		}
		line := uint32(max(p.Line-1, 0))
		key := canonical(pathURI(p.File))
		errors[key] = append(errors[key],
			diagnosticJSON{Severity: int(codelens.SeverityError), Code: codeNotCompiled, Source: "catchlens",
				CodeDescription: s.codeDescription(codeNotCompiled),
				Range:           rangeJSON{positionJSON{line, 0}, positionJSON{line + 1, 0}},
				Message: codelens.Message("does not compile, so what was compiled before is shown: " +
					p.Message)})
	}
	d.snap, d.errors = snap, errors
	return errors
}

// codeDescription leads to what the documentation says of a code; nil for a client that shows no
// such links.
func (s *Server) codeDescription(code string) *hrefJSON {
	if !s.caps.codeDescription {
		return nil
	}
	link := s.docLink(codelens.DocPage(code))
	if link == "" {
		return nil
	}
	return &hrefJSON{link}
}

func related(v codelens.View, g codelens.Diagnostic) []relatedJSON {
	var out []relatedJSON
	for _, r := range g.Related {
		var j relatedJSON
		j.Location.URI = fileOf(v, r.File)
		line := uint32(max(r.Line-1, 0))
		j.Location.Range = rangeJSON{positionJSON{line, 0}, positionJSON{line, 0}}
		j.Message = codelens.Message(r.Message)
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
	defer s.diags.mu.Unlock()
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
