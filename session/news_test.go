package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// What is new is told across processes, in each clone against its own runs, and in one without any
// against those of the others; nothing is told where what was kept is damaged.
func TestNews(t *testing.T) {
	s, _, _ := opened(t, true)
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	at := func(s *Session, day int, answer shortcircuit.Answer) string {
		s.replaceView(func(v *codelens.View) {
			v.Results = &results.Overlay{ByCatch: map[string]*results.State{v.Snap.Catches[0].ID: {
				Ran: true, Tests: []string{"p.CTest#m"}, Usage: record.Usage{White: 1},
				Verdict: shortcircuit.Verdict{SourceIndependence: answer}}}}
		})
		return s.newsOf(time.Date(2026, 11, day, 9, 0, 0, 0, time.Local)).Text()
	}
	other := func(roots ...string) *Session { // of another process, or of a clone
		o := &Session{roots: roots, kept: s.kept}
		o.view.Store(s.view.Load())
		return o
	}
	clone := other(filepath.Join(t.TempDir(), "clone"))
	const isNew, isNot, nothing = "1 new since yesterday: C.java:4", "nothing new since yesterday", ""
	for _, x := range []struct {
		what   string
		s      *Session
		day    int
		answer shortcircuit.Answer
		want   string
	}{
		{"the first run", s, 10, shortcircuit.Holds, nothing},
		{"another process", other(s.roots...), 11, shortcircuit.Violated, isNew},
		{"a clone that has none", clone, 12, shortcircuit.Violated, isNot},
		{"the other clone meanwhile", s, 12, shortcircuit.Holds, isNot},
		{"the clone's own", clone, 13, shortcircuit.Violated, isNot},
		{"that of the first", s, 13, shortcircuit.Violated, isNew},
	} {
		if got := at(x.s, x.day, x.answer); got != x.want {
			t.Errorf("%s: %q, want %q", x.what, got, x.want)
		}
	}
	file := s.kept.path(standings, keyOf(s.roots))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-3] ^= 1
	os.WriteFile(file, content, 0o600)
	os.RemoveAll(s.kept.path(standings, keyOf(clone.roots)))
	if got := at(s, 14, shortcircuit.Holds); got != nothing {
		t.Errorf("with a damaged file: %q", got)
	}
	if got := at(s, 15, shortcircuit.Violated); got != isNew {
		t.Errorf("after a damaged file: %q", got)
	}
}
