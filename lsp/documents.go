package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file keeps the open documents and places what a snapshot knows in them.

// document is one version of an open document. It is immutable: an edit makes
// the next.
type document struct {
	uri     string // as the client spelled it
	path    string // absolute, "" for a URI that is no file
	version int32
	text    []byte
	source  *javasource.File

	mu    sync.Mutex
	place *placement         // of the newest snapshot asked for
	read  bool               // calls are
	calls []*javasource.Call // see callsOf
}

// callsOf are the calls in the text, read when somebody asks for the first time.
func (d *document) callsOf() []*javasource.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.read {
		d.calls, d.read = javasource.ParseCalls(d.text).Calls, true
	}
	return d.calls
}

func newDocument(uri string, version int32, text []byte) *document {
	parsed := text
	if len(text) > bounded.Source { // nor is it read where it lies
		parsed = nil
	}
	return &document{uri: strings.Clone(uri), path: uriPath(uri), version: version, text: text,
		source: javasource.Parse(parsed)}
}

// placement says where the catches of a snapshot's file stand in a document.
type placement struct {
	snap *snapshot.Snapshot
	file *snapshot.File
	// at maps a snapshot's catch to the document's clause.
	at map[*snapshot.Catch]*javasource.Catch
	// edited holds the IDs of catches whose try or clause differs.
	edited map[string]bool
	// fresh are clauses that the snapshot does not know.
	fresh []*javasource.Catch
	same  bool // the text is the snapshot's
}

// placed finds the snapshot's catches in the document. It is computed once for
// a pair of document and snapshot; nil if the snapshot does not have the file.
func (d *document) placed(snap *snapshot.Snapshot) *placement {
	if snap == nil || d.path == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.place != nil && d.place.snap == snap {
		return d.place
	}
	f := d.in(snap)
	if f == nil {
		return nil
	}
	p := &placement{snap: snap, file: f, at: map[*snapshot.Catch]*javasource.Catch{}, edited: map[string]bool{},
		same: bytes.Equal(f.Text, d.text)}
	known := map[*javasource.Catch]bool{}
	carried := javasource.Carry(f.Source, d.source)
	for _, c := range f.Catches {
		now := carried[c.Source]
		if now == nil {
			continue
		}
		p.at[c] = now
		known[now] = true
		if now.Digest != c.Source.Digest {
			p.edited[c.ID] = true
		}
	}
	for _, c := range d.source.Catches {
		if !known[c] {
			p.fresh = append(p.fresh, c)
		}
	}
	d.place = p
	return p
}

// in finds the document's file in a snapshot, also where client and workspace
// name it by different ways through symbolic links; nil if it is not there.
func (d *document) in(snap *snapshot.Snapshot) *snapshot.File {
	root := snap.Workspace.Root
	if d.path == "" {
		return nil
	}
	if f := snap.ByPath[relative(root, d.path)]; f != nil || filepath.Ext(d.path) != ".java" {
		return f
	}
	real, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		return nil
	}
	for _, r := range append([]string{root}, snap.Workspace.Roots...) {
		realRoot, err := filepath.EvalSymlinks(r)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(realRoot, real); err == nil && filepath.IsLocal(rel) {
			if f := snap.ByPath[relative(root, filepath.Join(r, rel))]; f != nil {
				return f
			}
		}
	}
	return nil
}

// toSnapshot maps an offset of the document to the snapshot's text: what stands
// before the first difference and after the last has moved as a whole. ok is
// false in between.
func (d *document) toSnapshot(f *snapshot.File, offset int) (int, bool) {
	old, now := f.Text, d.text
	if bytes.Equal(old, now) {
		return offset, true
	}
	prefix := 0
	for prefix < len(old) && prefix < len(now) && old[prefix] == now[prefix] {
		prefix++
	}
	if offset < prefix {
		return offset, true
	}
	suffix := 0
	for suffix < len(old)-prefix && suffix < len(now)-prefix && old[len(old)-1-suffix] == now[len(now)-1-suffix] {
		suffix++
	}
	if offset >= len(now)-suffix {
		return offset + len(old) - len(now), true
	}
	return 0, false
}

// documents are the open documents, by canonical URI. Values are immutable.
type documents struct {
	mu sync.RWMutex
	m  map[string]*document
}

func (ds *documents) get(uri string) *document {
	ds.mu.RLock()
	defer ds.mu.RUnlock()
	return ds.m[canonical(uri)]
}

func (ds *documents) put(d *document) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.m[canonical(d.uri)] = d
}

func (ds *documents) remove(uri string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.m, canonical(uri))
}

func (ds *documents) all() []*document {
	ds.mu.RLock()
	defer ds.mu.RUnlock()
	out := make([]*document, 0, len(ds.m))
	for _, d := range ds.m {
		out = append(out, d)
	}
	return out
}

// canonical is the form of a URI by which documents are found: clients spell
// the same file with and without escapes, and with either case of a drive.
func canonical(uri string) string {
	if p := uriPath(uri); p != "" {
		return "file:" + p
	}
	return strings.Clone(uri)
}

// uriPath is the clean path of a file URI, "" for any other.
func uriPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	p := u.Path
	if u.Host != "" && u.Host != "localhost" {
		p = "//" + u.Host + p
	}
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
		if len(p) > 1 && p[1] == ':' {
			p = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return filepath.Clean(filepath.FromSlash(p))
}

// pathURI is the file URI of an absolute path.
func pathURI(path string) string { return codelens.FileURI("")(snapshot.Frame{File: path}) }

// relative is a path below root with '/' separators, or the path itself.
func relative(root, path string) string {
	r, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(r) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(r)
}

// encoding is the unit that columns count (LSP 3.17, positionEncoding).
type encoding bool

const (
	utf16Units encoding = false
	utf8Units  encoding = true
)

// position converts a byte offset of a text into the client's coordinates.
func (e encoding) position(src *javasource.File, text []byte, offset int) protocol.Position {
	if e == utf8Units {
		line, col := src.LineCol(offset)
		return protocol.Position{Line: uint32(line - 1), Character: uint32(col - 1)}
	}
	line, char := src.UTF16(text, offset)
	return protocol.Position{Line: uint32(line), Character: uint32(char)}
}

// offset is the inverse of position; positions outside the text count as its
// nearest end, and a column past a line's end as the line's end.
func (e encoding) offset(src *javasource.File, text []byte, p protocol.Position) int {
	if e == utf16Units {
		return src.OffsetUTF16(text, int(p.Line), int(p.Character))
	}
	if int(p.Line) >= len(src.LineStarts) {
		return len(text)
	}
	end := src.OffsetUTF16(text, int(p.Line), 1<<30)
	o := min(int(src.LineStarts[p.Line])+int(p.Character), end)
	for o > 0 && o < len(text) && !utf8.RuneStart(text[o]) {
		o--
	}
	return o
}

func (e encoding) span(src *javasource.File, text []byte, start, end int) protocol.Range {
	return protocol.Range{Start: e.position(src, text, start), End: e.position(src, text, end)}
}

// edit applies one content change.
func (e encoding) edit(d *document, text []byte, src *javasource.File, r *protocol.Range, with string) []byte {
	if r == nil {
		return []byte(with)
	}
	start, end := e.offset(src, text, r.Start), e.offset(src, text, r.End)
	if end < start {
		start, end = end, start
	}
	out := make([]byte, 0, len(text)-(end-start)+len(with))
	out = append(out, text[:start]...)
	out = append(out, with...)
	return append(out, text[end:]...)
}
