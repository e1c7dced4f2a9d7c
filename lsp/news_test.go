package lsp

import (
	"testing"

	"go.lsp.dev/protocol"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/codelens"
	"catchlens/codelens/news"
)

// A client is told where what is new stands, and one that is not answered in time how all stand.
func TestNewPlaces(t *testing.T) {
	f := &snapshot.File{Path: "src/p/C.java"}
	v := codelens.View{Snap: &snapshot.Snapshot{Workspace: &workspace.Workspace{Root: "/ws"}}}
	got := newPlaces(v, &news.News{New: []*snapshot.Catch{{File: f, Line: 4}}})
	if len(got) != 1 || got[0] != (newPlace{URI: "file:///ws/src/p/C.java", Line: 3}) {
		t.Errorf("%+v", got)
	}
	if got := newPlaces(v, nil); len(got) != 0 {
		t.Errorf("with nothing to compare with: %+v", got)
	}
	const want = "1 cope; nothing new since yesterday; 1 test (1 passed, 0 failed), 2 injected runs"
	if got := ranText(protocol.LSPAny(must(ran{Tests: 1, Passed: 1, Injected: 2,
		Outcome: "1 cope; nothing new since yesterday"}))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
