package lsp

import (
	"path/filepath"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/catchlist"
)

// This file lists all catches, for a view of an editor. Neither the request nor the notification
// is the protocol's (docs/reference/commands.md).

const (
	methodCatches        = "catchlens/catches"        // the list
	methodCatchesChanged = "catchlens/catchesChanged" // it may be another one now
)

// catchesJSON answers methodCatches.
type catchesJSON struct {
	Analysed bool        `json:"analysed"` // false: the first analysis is not done yet
	Catches  []catchJSON `json:"catches"`
}

// catchJSON is a catch of the list.
type catchJSON struct {
	ID      string    `json:"id"`
	URI     string    `json:"uri"`
	Version *int32    `json:"version,omitempty"` // of the document that the range is of, if it is open
	Range   rangeJSON `json:"range"`             // of the keyword
	File    string    `json:"file"`              // relative to the workspace

	Method     string   `json:"method"`
	Exceptions []string `json:"exceptions"`

	Kind        string `json:"kind"` // one of catchlist.Kinds
	Group       string `json:"group"`
	Verdict     string `json:"verdict"`
	Title       string `json:"title"`
	Tested      int    `json:"tested"`
	Failures    int    `json:"failures"`
	Unpredicted int    `json:"unpredicted"`
	Look        bool   `json:"look"`
	Stale       bool   `json:"stale"`
	Running     bool   `json:"running"`
	Runnable    bool   `json:"runnable"`
}

// catches answers methodCatches from memory: the catches outside tests, the worst first, each where
// it stands in the editor now. A catch that an edit has taken away is left out. The first answer on
// a snapshot groups the links of all catches, which takes a moment where there are thousands; other
// requests do not wait for it.
func (s *Server) catches() any {
	v := s.view()
	out := catchesJSON{Analysed: v.Snap != nil, Catches: []catchJSON{}}
	if v.Snap == nil {
		return out
	}
	places := map[string]*placement{}
	documents := map[string]*document{}
	v.Edited = map[string]bool{}
	for _, d := range s.docs.all() {
		if _, p := s.placed(v, d); p != nil {
			places[p.file.Path], documents[p.file.Path] = p, d
			for id := range p.edited {
				v.Edited[id] = true
			}
		}
	}
	for _, e := range catchlist.Of(v) {
		c := e.Catch
		j := catchJSON{ID: c.ID, URI: fileOf(v, c.File.Path), File: shownPath(c.File.Path),
			Method: e.Method, Exceptions: e.Exceptions, Kind: e.Kind, Group: e.Group, Verdict: e.Verdict,
			Title: e.Title, Tested: e.Tested, Failures: e.All, Unpredicted: e.Unpredicted, Look: e.Look(),
			Stale: e.Stale, Running: e.Running, Runnable: e.Runnable}
		if p, d := places[c.File.Path], documents[c.File.Path]; p != nil {
			at := p.at[c]
			if at == nil {
				continue
			}
			j.URI, j.Version = d.uri, &d.version
			j.Range = s.rangeJSON(d.source, d.text, at.Keyword.Start, at.Keyword.End)
		} else {
			j.Range = s.rangeJSON(c.File.Source, c.File.Text, c.Source.Keyword.Start, c.Source.Keyword.End)
		}
		out.Catches = append(out.Catches, j)
	}
	return out
}

// shownPath is a path of a snapshot as text.
func shownPath(path string) string { return codelens.Plain(filepath.ToSlash(path), false) }
