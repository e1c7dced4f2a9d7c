package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// This file shows call hierarchies. That of a method is in method_hierarchy.go; the other one is
// the exception's way: its root is a catch, and both directions lead down the shortest chains to
// the throw sites. That is where the calls in the try go, and where what comes in is from:
// whichever side an editor opens has rows. The way back is the tree that the editor shows.

// hierarchyData identifies a node: a method, or a catch and the way down to a frame.
type hierarchyData struct {
	Catch  string              `json:"catch,omitempty"`
	Path   []snapshot.Frame    `json:"path,omitempty"` // empty: the catch itself
	Method *snapshot.MethodRef `json:"method,omitempty"`
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
	offset := s.enc.offset(d.source, d.text, q.Position)
	c, at := p.catchAt(offset)
	if c == nil {
		return s.methodItems(v, p.file, d, offset), nil
	}
	if len(v.Links(c)) == 0 {
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

// frameItem is a node for the last frame of a path, with its line; thrown lists the exceptions that
// are thrown there. A frame without source stands at the catch.
func (s *Server) frameItem(v codelens.View, c *snapshot.Catch, path []snapshot.Frame,
	thrown []string) protocol.CallHierarchyItem {
	f := path[len(path)-1]
	item := s.catchItem(v, c)
	item.Name, item.Kind, item.Detail = codelens.FrameName(f), 6, ptr(codelens.Plain(f.Class, false))
	if len(thrown) > 0 {
		item.Kind = 24
		item.Detail = ptr("throws " + codelens.Plain(strings.Join(thrown, ", "), false) + " · " +
			codelens.Plain(f.Class, false))
	}
	if f.File != "" {
		item.URI = uri.URI(fileOf(v, f.File))
		p := protocol.Position{Line: uint32(max(f.Line-1, 0))}
		item.Range = protocol.Range{Start: p, End: p}
		item.SelectionRange = item.Range
	}
	item.Data = protocol.LSPAny(must(hierarchyData{Catch: c.ID, Path: path}))
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
	if v, m := s.methodNode(q.Item.Data); m != nil {
		return s.callees(v, q.Item, *m), nil
	}
	items, err := s.below(q.Item.Data)
	out := make([]protocol.CallHierarchyOutgoingCall, 0, len(items))
	for _, item := range items {
		out = append(out, protocol.CallHierarchyOutgoingCall{To: item,
			FromRanges: []protocol.Range{q.Item.SelectionRange}})
	}
	return out, err
}

func (s *Server) incomingCalls(req *jsonrpc2.Request) (any, error) {
	q, err := params[protocol.CallHierarchyIncomingCallsParams](req)
	if err != nil {
		return nil, err
	}
	if v, m := s.methodNode(q.Item.Data); m != nil {
		return s.callers(v, q.Item, *m), nil
	}
	items, err := s.below(q.Item.Data)
	out := make([]protocol.CallHierarchyIncomingCall, 0, len(items))
	for _, item := range items {
		out = append(out, protocol.CallHierarchyIncomingCall{From: item,
			FromRanges: []protocol.Range{item.SelectionRange}})
	}
	return out, err
}

// below lists the nodes one step further down from one, no two of which look alike.
func (s *Server) below(data protocol.LSPAny) (items []protocol.CallHierarchyItem, err error) {
	v, c, h, err := s.hierarchyNode(data)
	if err != nil || c == nil {
		return nil, err
	}
	var frames []snapshot.Frame
	thrown := map[snapshot.Frame][]string{}
	for _, l := range v.Links(c) {
		chain := l.Chain()
		if len(chain) <= len(h.Path) || !prefix(chain, h.Path) {
			continue
		}
		next := chain[len(h.Path)]
		if !slices.Contains(frames, next) {
			frames = append(frames, next)
		}
		if len(chain) == len(h.Path)+1 && !slices.Contains(thrown[next], l.Exception) {
			thrown[next] = append(thrown[next], l.Exception)
		}
	}
	looks := map[string]int{}
	for _, f := range frames {
		item := s.frameItem(v, c, append(slices.Clone(h.Path), f), thrown[f])
		items = append(items, item)
		looks[item.Name+"\n"+*item.Detail]++
	}
	for i, f := range frames {
		if looks[items[i].Name+"\n"+*items[i].Detail] > 1 {
			items[i].Name += codelens.ParameterTypes(f.Method)
		}
	}
	return items, nil
}

func prefix(chain, path []snapshot.Frame) bool {
	for i, f := range path {
		if chain[i] != f {
			return false
		}
	}
	return true
}
