package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// This file shows the calls of the call graph as a call hierarchy: from a method, or what a call
// may run, down to what is called and up to what calls, through lambdas, interfaces and libraries.

// maxLibraryRows is how many methods of libraries a level lists: a call of toString leads to some
// hundred of them, and nobody reads more than a screen of classes that are not theirs.
const maxLibraryRows = 40

// methodItems are the roots at an offset of a document: methods of the snapshot.
func (s *Server) methodItems(v codelens.View, f *snapshot.File, d *document, offset int,
) []protocol.CallHierarchyItem {
	old, ok := d.toSnapshot(f, offset)
	if !ok {
		return nil
	}
	at := place{uri: uri.URI(d.uri), span: s.enc.span(d.source, d.text, offset, offset)}
	var items []protocol.CallHierarchyItem
	for _, m := range v.Snap.MethodsAt(f, old) {
		items = append(items, s.methodItem(v, m, at, ""))
	}
	return items
}

// place is where an editor goes to.
type place struct {
	uri  uri.URI
	span protocol.Range
}

// methodNode is the method of an item, nil if it is one of another kind.
func (s *Server) methodNode(data protocol.LSPAny) (codelens.View, *snapshot.MethodRef) {
	var h hierarchyData
	v := s.view()
	if json.Unmarshal(data, &h) != nil || v.Snap == nil {
		return v, nil
	}
	return v, h.Method
}

// methodItem is a row for a method. One without source stands at the other place; how tells how it
// is called, if not by a plain call.
func (s *Server) methodItem(v codelens.View, m snapshot.MethodRef, other place, how string,
) protocol.CallHierarchyItem {
	class := snapshot.Dotted(m.Class)
	item := protocol.CallHierarchyItem{Name: methodName(m), Kind: protocol.SymbolKindMethod, URI: other.uri,
		Range: other.span, SelectionRange: other.span,
		Data: protocol.LSPAny(must(hierarchyData{Method: &m}))}
	if strings.HasPrefix(m.Method, "<init>") {
		item.Kind = protocol.SymbolKindConstructor
	}
	if f, name := v.Snap.SourceOf(m); f != nil && !name.IsZero() {
		item.URI = uri.URI(fileOf(v, f.Path))
		item.Range = s.enc.span(f.Source, f.Text, name.Start, name.End)
		item.SelectionRange = item.Range
		if bytes.HasPrefix(f.Text[name.Start:], []byte("->")) {
			item.Kind, item.Name = protocol.SymbolKindFunction, lambdaName(m, f, name.Start)
		}
	}
	var detail []string
	if i := strings.LastIndexByte(class, '.'); i >= 0 {
		detail = append(detail, codelens.Plain(class[:i], false))
	}
	for _, text := range []string{how, codelens.EnteringText(v, m)} {
		if text != "" {
			detail = append(detail, text)
		}
	}
	item.Detail = ptr(strings.Join(detail, " · "))
	return item
}

// methodName is the name of a method with the types of its parameters.
func methodName(m snapshot.MethodRef) string {
	name := codelens.ShortMethod(snapshot.Dotted(m.Class), m.Method)
	if strings.HasPrefix(m.Method, "<clinit>") {
		return name
	}
	return name + codelens.ParameterTypes(m.Method)
}

// lambdaName tells of a lambda expression by where it stands: the method that its compiler made has
// a number in its name that nobody knows.
func lambdaName(m snapshot.MethodRef, f *snapshot.File, arrow int) string {
	line := f.Source.Line(arrow)
	for _, t := range f.Source.Types {
		for _, member := range t.Members {
			if slices.ContainsFunc(member.Lambdas, func(l *javasource.Lambda) bool { return l.Arrow == arrow }) {
				name := strings.ReplaceAll(member.Name, javasource.BlockName, javasource.InitName)
				return fmt.Sprintf("lambda in %s:%d", codelens.ShortMethod(snapshot.Dotted(m.Class), name), line)
			}
		}
	}
	return methodName(m)
}

// tellApart numbers rows that look alike, such as two lambda expressions of a line.
func tellApart(items []*protocol.CallHierarchyItem) {
	looks := map[string][]*protocol.CallHierarchyItem{}
	for _, item := range items {
		look := item.Name + "\n" + *item.Detail
		looks[look] = append(looks[look], item)
	}
	for _, alike := range looks {
		for i, item := range alike {
			if i > 0 {
				item.Name += fmt.Sprintf(" (%d)", i+1)
			}
		}
	}
}

// kindTexts say how control gets to a method, where it is not called.
var kindTexts = map[callgraph.EdgeKind]string{
	callgraph.ClassInit: "initialises the class", callgraph.ThreadStart: "in another thread",
	callgraph.Finalizer: "as finalizer", callgraph.Upcall: "by native code", callgraph.Reflection: "by reflection",
	callgraph.ReflectionPlain: "by reflection", callgraph.Privileged: "as privileged action",
	callgraph.ServiceLoader: "as service", callgraph.Bootstrap: "as bootstrap method",
}

// callees are the rows below an item: what its method may call.
func (s *Server) callees(v codelens.View, item protocol.CallHierarchyItem, m snapshot.MethodRef,
) []protocol.CallHierarchyOutgoingCall {
	var rows []callRow
	lines := s.linesOf(v, m)
	list, left := shown(v, v.Snap.CalleesOf(m))
	for _, n := range list {
		ranges := lines.ranges(n.Sites, n.Method, item.SelectionRange)
		to := s.methodItem(v, n.MethodRef, place{item.URI, ranges[0]}, kindTexts[n.Sites[0].Kind])
		rows = append(rows, callRow{to, ranges})
	}
	out := []protocol.CallHierarchyOutgoingCall{}
	for _, r := range complete(rows, item, left) {
		out = append(out, protocol.CallHierarchyOutgoingCall{To: r.item, FromRanges: r.ranges})
	}
	return out
}

// callers are the rows above an item: what may call its method.
func (s *Server) callers(v codelens.View, item protocol.CallHierarchyItem, m snapshot.MethodRef,
) []protocol.CallHierarchyIncomingCall {
	var rows []callRow
	list, left := shown(v, v.Snap.CallersOf(m))
	for _, n := range list {
		from := s.methodItem(v, n.MethodRef, place{item.URI, item.SelectionRange}, kindTexts[n.Sites[0].Kind])
		ranges := s.linesOf(v, n.MethodRef).ranges(n.Sites, m.Method, from.SelectionRange)
		rows = append(rows, callRow{from, ranges})
	}
	out := []protocol.CallHierarchyIncomingCall{}
	for _, r := range complete(rows, item, left) {
		out = append(out, protocol.CallHierarchyIncomingCall{From: r.item, FromRanges: r.ranges})
	}
	return out
}

// callRow is a row beside an item, with the places of the calls.
type callRow struct {
	item   protocol.CallHierarchyItem
	ranges []protocol.Range
}

// complete tells rows apart that look alike, and adds one for those that are left out.
func complete(rows []callRow, of protocol.CallHierarchyItem, left int) []callRow {
	items := make([]*protocol.CallHierarchyItem, len(rows))
	for i := range rows {
		items[i] = &rows[i].item
	}
	tellApart(items)
	if left > 0 {
		rows = append(rows, callRow{moreItem(of, left), []protocol.Range{of.SelectionRange}})
	}
	return rows
}

// moreItem is a row in place of those that are left out, with nothing below it.
func moreItem(of protocol.CallHierarchyItem, left int) protocol.CallHierarchyItem {
	return protocol.CallHierarchyItem{Name: "and " + codelens.Count(left, "more method") + " of libraries",
		Kind: protocol.SymbolKindMethod, Detail: ptr(""), URI: of.URI, Range: of.Range,
		SelectionRange: of.SelectionRange, Data: protocol.LSPAny(must(hierarchyData{}))}
}

// shown is the list without those methods of libraries, which come last, that are too many to be
// read; left is how many.
func shown(v codelens.View, list []snapshot.Neighbour) (_ []snapshot.Neighbour, left int) {
	libraries := 0
	for i, n := range list {
		if v.Snap.Class(n.Class) != nil {
			continue
		}
		if libraries++; libraries > maxLibraryRows {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}

// callLines are the calls of a source, to find those of a method on a line.
type callLines struct {
	enc   encoding
	file  *snapshot.File
	calls []*javasource.Call
}

// linesOf are the calls of the source that a method stands in; none where it has no source.
func (s *Server) linesOf(v codelens.View, m snapshot.MethodRef) callLines {
	f, _ := v.Snap.SourceOf(m)
	if f == nil {
		return callLines{}
	}
	return callLines{s.enc, f, javasource.ParseCalls(f.Text).Calls}
}

// ranges are where calls of a method, given by name and descriptor, stand: the names in the source;
// the line where none is found, as for a lambda expression; other where no line is known. There is
// at least one.
func (l callLines) ranges(sites []snapshot.CallSite, method string, other protocol.Range) (out []protocol.Range) {
	name, _, _ := strings.Cut(method, "(")
	for _, site := range sites {
		if l.file == nil || site.Line <= 0 {
			continue
		}
		found := false
		for _, c := range l.calls {
			if c.Name == name && l.file.Source.Line(c.NameSpan.Start) == int(site.Line) {
				out = append(out, l.enc.span(l.file.Source, l.file.Text, c.NameSpan.Start, c.NameSpan.End))
				found = true
			}
		}
		if !found {
			p := protocol.Position{Line: uint32(site.Line - 1)}
			out = append(out, protocol.Range{Start: p, End: p})
		}
	}
	if len(out) == 0 {
		out = append(out, other)
	}
	return out
}
