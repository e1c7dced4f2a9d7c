package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/chaintext"
	"github.com/catchlens/catchlens/instrument/chains"
)

// This file answers with trees of call chains, for a view of an editor. Neither the request nor the
// notification is the protocol's (docs/reference/commands.md).

const (
	methodCallChains        = "catchlens/callChains"        // a tree
	methodCallChainsChanged = "catchlens/callChainsChanged" // what it answers may be something else now
)

// treeRows is how many rows an answer has at most, beside those at its top: drawing more takes an
// editor a moment that one notices. What is below them is asked for when it is opened.
const treeRows = 2000

// filterWords is how many words of a filter are looked for.
const filterWords = 64

// callChainsParams are the parameters of methodCallChains.
type callChainsParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Line   *int     `json:"line"` // from 0, of a method of the document
	Class  string   `json:"class"`
	Method string   `json:"method"` // with descriptor
	Whole  bool     `json:"whole"`  // all chains of the component, not those to the method
	Calls  *int     `json:"calls"`
	Only   string   `json:"only"`
	Filter string   `json:"filter"`
	Below  []string `json:"below"`
}

// callChainsJSON answers methodCallChains.
type callChainsJSON struct {
	Pending bool           `json:"pending"` // the chains are being found
	Class   string         `json:"class"`
	Method  string         `json:"method"`
	Title   string         `json:"title"`
	Notes   []string       `json:"notes"`
	Length  int            `json:"length"` // how many calls a chain has at most
	Ran     bool           `json:"ran"`    // tests have recorded which chains they take
	All     int            `json:"all"`    // chains that are asked for, and how many of them are tested
	Tested  int            `json:"tested"`
	Rows    []chainRowJSON `json:"rows"`
}

// chainRowJSON is a row of the tree.
type chainRowJSON struct {
	Key    string         `json:"key"`
	Name   string         `json:"name"`
	Detail string         `json:"detail"`
	State  string         `json:"state"`
	Tests  []string       `json:"tests"`
	Call   *chainPlace    `json:"call,omitempty"`
	Method *chainPlace    `json:"method,omitempty"`
	Rows   []chainRowJSON `json:"rows"`
	Left   bool           `json:"left"` // there are rows below, which are to be asked for
}

// chainPlace is a line of a source.
type chainPlace struct {
	URI  string `json:"uri"`
	Line int    `json:"line"` // from 0
}

// callChains answers methodCallChains from memory; the first question about a component has its
// chains found.
func (s *Server) callChains(req *jsonrpc2.Request) (any, error) {
	var p callChainsParams
	if err := json.Unmarshal(req.Params(), &p); err != nil {
		return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrInvalidParams, err)
	}
	v, ses := s.view(), s.session()
	if v.Snap == nil || ses == nil {
		return protocol.LSPAny(must(callChainsJSON{Pending: true, Notes: []string{}, Rows: []chainRowJSON{}})), nil
	}
	m := snapshot.MethodRef{Class: p.Class, Method: p.Method}
	if p.Line != nil {
		var err error
		if m, err = s.methodAround(p.TextDocument.URI, fmt.Sprint(*p.Line)); err != nil {
			return nil, err
		}
	}
	if v.Snap.Class(m.Class) == nil {
		return nil, fmt.Errorf("the class %s is not known any more: save the file and try again", m.Class)
	}
	if p.Whole {
		m.Method = ""
	}
	if s.caps.callChains {
		s.mu.Lock()
		s.tree = m.Class
		s.mu.Unlock()
	}
	c, pending := ses.Chains(m.Class)
	if c == nil && !pending {
		return nil, errors.New("there are no call chains of this class: it is a test, or there is no call graph")
	}
	if c == nil {
		return protocol.LSPAny(must(callChainsJSON{Pending: true, Class: m.Class, Method: m.Method,
			Title: chaintext.Pending, Notes: []string{}, Rows: []chainRowJSON{}})), nil
	}
	return protocol.LSPAny(must(treeOf(v, c, m, &p))), nil
}

// treeOf is the tree of a component that a reader has chosen.
func treeOf(v codelens.View, c *chains.Component, m snapshot.MethodRef, p *callChainsParams) callChainsJSON {
	out := callChainsJSON{Class: m.Class, Method: m.Method, Title: chaintext.TreeTitle(c, m),
		Notes: append([]string{}, chaintext.TreeNotes(v, c, m)...), Length: c.Forest.Complete, Ran: c.Ran(),
		Rows: []chainRowJSON{}}
	words := strings.Fields(strings.ToLower(p.Filter))
	choice := &chains.Choice{To: callgraph.NoNode, Calls: c.Forest.Complete,
		Words: words[:min(len(words), filterWords)],
		Name:  func(n callgraph.NodeID) string { return chaintext.FindName(c, n) }}
	if p.Calls != nil {
		choice.Calls = min(choice.Calls, *p.Calls)
	}
	switch p.Only {
	case "untested":
		choice.State = func(st chains.State) bool { return st == chains.Untested || st == chains.Unrecorded }
	case "tested":
		choice.State = func(st chains.State) bool { return st == chains.Taken }
	}
	if m.Method != "" {
		var ok bool
		if choice.To, ok = c.Find(m.Class, m.Method); !ok {
			return out
		}
	}
	rows := c.Tree(choice, p.Below, treeRows)
	for _, r := range rows {
		out.All, out.Tested = out.All+r.All, out.Tested+r.Taken
	}
	out.Rows = rowsJSON(v, c, rows)
	return out
}

// rowsJSON are rows as they are sent.
func rowsJSON(v codelens.View, c *chains.Component, rows []*chains.Row) []chainRowJSON {
	out := []chainRowJSON{}
	for _, r := range rows {
		text := chaintext.RowOf(v, c, r)
		tests := []string{}
		for _, t := range r.Tests {
			tests = append(tests, codelens.Plain(t, false))
		}
		out = append(out, chainRowJSON{Key: r.Key, Name: text.Name, Detail: text.Detail, State: text.State,
			Tests: tests, Call: placeJSON(v, text.Call), Method: placeJSON(v, text.Method),
			Rows: rowsJSON(v, c, r.Rows), Left: r.Left})
	}
	return out
}

// placeJSON is a place as it is sent, nil where there is no source.
func placeJSON(v codelens.View, at snapshot.Frame) *chainPlace {
	if at.File == "" {
		return nil
	}
	return &chainPlace{URI: fileOf(v, at.File), Line: max(at.Line-1, 0)}
}

// tellCallChains tells the client that a tree may be another one now.
func (s *Server) tellCallChains(ctx context.Context) {
	if s.caps.callChains {
		s.notify(ctx, methodCallChainsChanged, map[string]any{})
	}
}
