package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"catchlens/analysis/snapshot"
	"catchlens/codelens"
)

// This file shows the exception's way as a call hierarchy: its root is a catch,
// outgoing calls lead down the shortest chains to the throw sites, incoming
// calls lead back up.

// hierarchyData identifies a node: a catch and the way down to a frame.
type hierarchyData struct {
	Catch string           `json:"catch"`
	Path  []snapshot.Frame `json:"path"` // empty: the catch itself
}

func (s *Server) prepareCallHierarchy(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.CallHierarchyPrepareParams](req)
	if err != nil {
		return nil, err
	}
	d := s.document(ctx)
	v, p := s.viewOf(d)
	if p == nil {
		return nil, nil
	}
	c, at := p.catchAt(s.enc.offset(d.source, d.text, q.Position))
	if c == nil || len(v.Links(c)) == 0 {
		return nil, nil
	}
	item := s.catchItem(v, c)
	item.URI = uri.URI(d.uri)
	item.Range = s.enc.span(d.source, d.text, at.Keyword.Start, at.TypesSpan.End)
	item.SelectionRange = item.Range
	return []protocol.CallHierarchyItem{item}, nil
}

func (s *Server) catchItem(v codelens.View, c *snapshot.Catch) protocol.CallHierarchyItem {
	r := s.enc.span(c.File.Source, c.File.Text, c.Source.Keyword.Start, c.Source.TypesSpan.End)
	return protocol.CallHierarchyItem{
		Name: "catch in " + codelens.ShortMethod(c.Class, c.Method), Kind: 24, Detail: ptr(codelens.Title(v, c)),
		URI: uri.URI(fileOf(v, c.File.Path)), Range: r, SelectionRange: r,
		Data: protocol.LSPAny(must(hierarchyData{Catch: c.ID})),
	}
}

func fileOf(v codelens.View, path string) string {
	if filepath.IsAbs(path) {
		return pathURI(path)
	}
	return pathURI(filepath.Join(v.Snap.Workspace.Root, filepath.FromSlash(path)))
}

// frameItem is a node for the last frame of a path. A frame without source
// stands at the catch.
func (s *Server) frameItem(v codelens.View, c *snapshot.Catch, path []snapshot.Frame) protocol.CallHierarchyItem {
	f := path[len(path)-1]
	item := s.catchItem(v, c)
	item.Name, item.Kind, item.Detail = codelens.ShortMethod(f.Class, f.Method), 6, ptr(codelens.Plain(f.Class, false))
	if f.File != "" {
		item.URI = uri.URI(fileOf(v, f.File))
		p := protocol.Position{Line: uint32(max(f.Line-1, 0))}
		item.Range = protocol.Range{Start: p, End: p}
		item.SelectionRange = item.Range
	} else if f.Line > 0 {
		item.Detail = ptr(fmt.Sprintf("%s, line %d", codelens.Plain(f.Class, false), f.Line))
	}
	item.Data = protocol.LSPAny(must(hierarchyData{c.ID, path}))
	return item
}

func (s *Server) hierarchyNode(data protocol.LSPAny) (codelens.View, *snapshot.Catch, hierarchyData, error) {
	var h hierarchyData
	v := s.view()
	if err := json.Unmarshal(data, &h); err != nil || v.Snap == nil {
		return v, nil, h, fmt.Errorf("%w: not an item of this server", jsonrpc2.ErrInvalidParams)
	}
	return v, v.Snap.ByID[h.Catch], h, nil
}

func (s *Server) outgoingCalls(req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.CallHierarchyOutgoingCallsParams](req)
	if err != nil {
		return nil, err
	}
	v, c, h, err := s.hierarchyNode(q.Item.Data)
	if err != nil || c == nil {
		return nil, err
	}
	out := []protocol.CallHierarchyOutgoingCall{}
	seen := map[snapshot.Frame]bool{}
	for _, l := range v.Links(c) {
		chain := l.Chain()
		if len(chain) <= len(h.Path) || !prefix(chain, h.Path) {
			continue
		}
		next := chain[len(h.Path)]
		if seen[next] {
			continue
		}
		seen[next] = true
		path := append(append([]snapshot.Frame(nil), h.Path...), next)
		out = append(out, protocol.CallHierarchyOutgoingCall{To: s.frameItem(v, c, path), FromRanges: []protocol.Range{q.Item.SelectionRange}})
	}
	return out, nil
}

func (s *Server) incomingCalls(req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.CallHierarchyIncomingCallsParams](req)
	if err != nil {
		return nil, err
	}
	v, c, h, err := s.hierarchyNode(q.Item.Data)
	if err != nil || c == nil || len(h.Path) == 0 {
		return nil, err
	}
	from := s.catchItem(v, c)
	if n := len(h.Path); n > 1 {
		from = s.frameItem(v, c, h.Path[:n-1])
	}
	return []protocol.CallHierarchyIncomingCall{{From: from, FromRanges: []protocol.Range{from.SelectionRange}}}, nil
}

func prefix(chain, path []snapshot.Frame) bool {
	for i, f := range path {
		if chain[i] != f {
			return false
		}
	}
	return true
}
