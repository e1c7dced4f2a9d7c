package known

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// handlersOf names the handlers, by what is behind their class's name, that each catch of
// testdata/known/observed/Handlers.java may catch from; with rta, and with points-to sets.
var handlersOf = []struct{ catch, rta, points string }{
	{"made", "Made", "Made"},
	{"itself", "Itself", "Itself"},
	{"field", "Kept KeptBelow", "KeptBelow"},
	{"parameter", "Made", "Made"}, // inherited
	{"either", "Kept KeptBelow Made", "Kept Made"},
	{"result", "Itself", "Itself"},
	{"cast", "Itself", "Itself"},
	{"any", "Itself Kept KeptBelow Made OfWhatIsPassed", "Kept"},
	{"passed", "OfWhatIsPassed", "OfWhatIsPassed"},
}

// A proxy runs what its maker passes, before a run and after one that saw the classes of proxies:
// these are given only to a maker that does not name all its interfaces, with the handlers of that.
func TestProxyHandlers(t *testing.T) {
	files := filepath.Join("..", "..", "testdata", "known", "observed")
	dir := workspaceOf(t, []string{filepath.Join(files, "Handlers.java"), filepath.Join(files, "HandlersTest.java")},
		compilation{release: 17, jdk: 17})
	cache := scratch.CacheDir(t)
	open := func(graph string) *session.Session { return openGraph(t, dir, cache, graph) }
	check := func(when string, snap *snapshot.Snapshot, points, observed bool) {
		t.Helper()
		got := predicted(snap)
		for _, h := range handlersOf {
			want := h.rta
			if points {
				want = h.points
			}
			if observed && !strings.Contains(want, "OfWhatIsPassed") && !points {
				want += " OfWhatIsPassed" // by types alone: its maker may make any proxy that was seen
			}
			have := strings.ReplaceAll(strings.ReplaceAll(got[h.catch], "observed.Handlers$", ""), ".invoke", "")
			if have != want {
				t.Errorf("%s: %s catches from %q, want %q", when, h.catch, have, want)
			}
		}
	}
	s := open("rta")
	check("before a run, rta", s.View().Snap, false, false)
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.View()
	check("after it, rta", v.Snap, false, true)
	if sum.Passed != 1 || sum.Unpredicted != 0 || len(v.Results.Unpredicted) != 0 {
		t.Errorf("%d tests pass, %d links not predicted: %+v", sum.Passed, sum.Unpredicted, v.Results.Unpredicted)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for graph, points := range map[string]bool{"cha": false, "pta": true, "obj-dr": true} {
		s := open(graph)
		check("in the next session, "+graph, s.View().Snap, points, true)
		if n := len(s.View().Results.Unpredicted); n > 0 {
			t.Errorf("%s: %d links are not predicted", graph, n)
		}
		s.Close()
	}
}
