package session

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// What another process observed is followed by one analysis, which knows it.
func TestObservedByOthers(t *testing.T) {
	s, _, cache := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	before := s.View().Snap
	other, err := results.Open(filepath.Join(cache, "results", workspaceKey(s.roots)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	m := before.Workspace.Modules[0]
	o := record.Observed{Module: m.Name, ClassPath: record.ClassPathKey(m, nil), Class: "p/C", Method: "m(I)I",
		At: time.Now()}
	if err := other.PutObserved(o); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the analysis knows what was observed", func() bool { return s.View().Snap.Number > before.Number })
	if got := s.observed(before.Workspace); len(got.Extra.Edges) != 1 || len(got.Generated) != 0 {
		t.Errorf("observed are %+v", got)
	}
	o.At = time.Now() // seen again: nothing new
	if err := other.PutObserved(o); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Refresh(); err != nil {
		t.Fatal(err)
	}
	s.followObserved()
	if s.changes.pending() || s.View().Snap.Number != before.Number+1 {
		t.Errorf("%d analyses followed", s.View().Snap.Number-before.Number)
	}
}

// A session knows more than its analysis from when something is observed until the analysis that
// knows it is shown, also while that one is under way.
func TestKnowsMore(t *testing.T) {
	s, _, _ := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	snap := s.View().Snap
	if s.knowsMore(snap) {
		t.Fatal("nothing was observed")
	}
	m := snap.Workspace.Modules[0]
	s.pipe.building.Lock() // the analysis that is asked for has not ended
	if err := s.store.PutObserved(record.Observed{Module: m.Name, ClassPath: record.ClassPathKey(m, nil),
		Class: "p/C", Method: "m(I)I", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.following.next.Store(0)
	s.followObserved()
	more := s.knowsMore(snap)
	s.pipe.building.Unlock()
	if !more {
		t.Error("while the analysis is under way, its answers count as known")
	}
	if err := s.knowObserved(context.Background(), func(int, string) {}); err != nil {
		t.Fatal(err)
	}
	if next := s.View().Snap; next == snap || s.knowsMore(next) || !s.knowsMore(snap) {
		t.Errorf("after the analysis: the same snapshot: %t; the new one lacks something: %t", next == snap,
			s.knowsMore(next))
	}
}
