package lsp

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// turning is a session that shows another snapshot each time that it is asked, once both are set.
type turning struct {
	session.API
	first, second atomic.Pointer[codelens.View]
	asked         atomic.Int64
}

func (s *turning) View() codelens.View {
	a, b := s.first.Load(), s.second.Load()
	if a == nil || b == nil {
		return s.API.View()
	}
	if s.asked.Add(1)%2 == 1 {
		return *a
	}
	return *b
}

// A snapshot that takes another one's place while diagnostics are published takes none of them
// away for a moment.
func TestDiagnosticsStayWhileSnapshotsChange(t *testing.T) {
	root, file := compiled(t, fixture)
	s := &turning{}
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		inner, err := session.Open(f, o)
		s.API = &judged{API: inner}
		return s, err
	}, plainCaps, map[string]any{"hints": true}, root)
	uri := c.open(file, fixture)
	c.until(uri, some)
	published := func() (of []string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range c.told["textDocument/publishDiagnostics"] {
			of = append(of, string(p))
		}
		return of
	}
	for end := time.Now().Add(patience); len(published()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there are no diagnostics")
		}
	}
	before := s.API.View()
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	after := s.API.View()
	if before.Snap == after.Snap {
		t.Fatal("there is no second snapshot")
	}
	s.first.Store(&before)
	s.second.Store(&after)
	for version := 2; version < 6; version++ { // each is looked at
		asked := s.asked.Load()
		c.notify("textDocument/didChange",
			map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
				"contentChanges": []any{map[string]any{"text": fixture}}})
		for end := time.Now().Add(patience); s.asked.Load() == asked; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nobody looks at an edit")
			}
		}
	}
	c.lenses(uri)
	c.quit()
	if all := published(); slices.ContainsFunc(all,
		func(p string) bool { return strings.Contains(p, `"diagnostics":[]`) }) {
		t.Errorf("diagnostics went away: %q", all)
	}
}

// opened is a session that opens when it is let, and notes its settings.
type opened struct {
	session.API
	mu      sync.Mutex
	set     snapshot.Settings
	trusted bool
}

func (s *opened) Configure(set snapshot.Settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = set
	return s.API.Configure(set)
}

func (s *opened) SetTrusted(t bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trusted = t
	s.API.SetTrusted(t)
}

// Settings that come while the session of other folders is opened are that session's.
func TestSettingsWhileASessionOpens(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	opening, let := make(chan struct{}, 2), make(chan struct{}, 2)
	sessions := make(chan *opened, 2)
	c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
		opening <- struct{}{}
		<-let
		s, err := session.Open(f, o)
		w := &opened{API: s, set: o.Settings, trusted: o.Trusted}
		sessions <- w
		return w, err
	}, plainCaps, map[string]any{"trusted": true}, first)
	let <- struct{}{}
	<-opening
	<-sessions
	c.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{map[string]any{"uri": pathURI(second), "name": "second"}}, "removed": []any{}}})
	<-opening
	c.notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"catchlens": map[string]any{"callGraph": "rta", "trusted": false}}})
	c.lenses(pathURI(second)) // answered after what came before
	let <- struct{}{}
	s := <-sessions
	got := func() (string, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.set.CallGraph, s.trusted
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		graph, trusted := got()
		if graph == "rta" && !trusted {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the session has the call graph %q, trusted %v", graph, trusted)
		}
	}
	c.quit()
}
