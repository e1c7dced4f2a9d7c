package session

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"catchlens/instrument/record"
	"catchlens/instrument/results"
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
