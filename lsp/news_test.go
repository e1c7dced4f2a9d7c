package lsp

import (
	"path/filepath"
	"slices"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/news"
)

// A client is told where what is new stands, and one that is not answered in time how all stand.
func TestNewPlaces(t *testing.T) {
	f := &snapshot.File{Path: "src/p/C.java"}
	v := codelens.View{Snap: &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: "/ws"}}}
	s := New(Options{})
	got := s.newPlaces(v, &news.News{New: []*snapshot.Catch{{File: f, Line: 4}}})
	if len(got) != 1 || got[0] != (newPlace{URI: "file:///ws/src/p/C.java", Line: 3}) {
		t.Errorf("%+v", got)
	}
	if got := s.newPlaces(v, nil); len(got) != 0 {
		t.Errorf("with nothing to compare with: %+v", got)
	}
	const want = "1 copes; nothing new since yesterday; 1 test (1 passed, 0 failed), 2 runs with an injected exception"
	if got := ranText(protocol.LSPAny(must(ran{Tests: 1, Passed: 1, Injected: 2,
		Outcome: "1 copes; nothing new since yesterday"}))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const one = "C.java:4 perfect plan B; 1 test (1 passed, 0 failed), 2 runs with an injected exception"
	if got := ranText(protocol.LSPAny(must(ran{Tests: 1, Passed: 1, Injected: 2, Outcome: "1 copes",
		Verdict: "C.java:4 perfect plan B"}))); got != one {
		t.Errorf("of one catch: got  %s\nwant %s", got, one)
	}
}

// In a document that is edited and not saved, what is new is shown where it stands by now, and what
// the edit has taken away, where it stood.
func TestNewPlacesInEdited(t *testing.T) {
	const clause = "  void m() { try { a(); } catch (RuntimeException e) { } }\n"
	const gone = "  void n() { try { b(); } catch (IllegalStateException e) { } }\n"
	src := javasource.Parse([]byte("class C {\n" + clause + gone + "}\n"))
	f := &snapshot.File{Path: "src/p/C.java", Source: src}
	v := codelens.View{Snap: &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: filepath.FromSlash("/ws")},
		Files: []*snapshot.File{f}, ByPath: map[string]*snapshot.File{f.Path: f}}}
	n := &news.News{}
	for _, at := range src.Catches {
		n.New = append(n.New, &snapshot.Catch{ID: at.ID, File: f, Source: at, Line: src.Line(at.Keyword.Start)})
	}
	f.Catches = n.New
	uri := fileOf(v, f.Path)
	s := New(Options{})
	s.docs.put(newDocument(uri, 2, []byte("// one\n// two\nclass C {\n"+clause+"}\n")))
	if got, want := s.newPlaces(v, n), []newPlace{{uri, 3}, {uri, 2}}; !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
