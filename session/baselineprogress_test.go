package session

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
)

// A first baseline is partial from its beginning until it is complete, also for other sessions and
// later ones; a second one is not: what the first showed is known.
func TestPartialBaseline(t *testing.T) {
	s := openJournal(t)
	snap := s.View().Snap
	partial := func() bool {
		s.layNow()
		return s.View().Results.Partial
	}
	if partial() {
		t.Error("partial before a run")
	}
	s.beginBaselines(snap)
	if !partial() || len(s.partial()) != 1 {
		t.Errorf("not partial when a run has begun: %q", s.partial())
	}
	again, err := Open(s.roots, Options{CacheDir: s.cache})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if len(again.partial()) != 1 {
		t.Error("another session does not know")
	}
	m := snap.Workspace.Modules[0].Name
	s.baselineDone(m)
	if partial() {
		t.Error("partial when the baseline is done")
	}
	if err := s.store.PutTestRun(&record.TestRun{Module: m, Test: "app.JournalTest#appends", Class: "app.JournalTest",
		Outcome: record.Pass, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.beginBaselines(snap)
	if partial() {
		t.Error("a second run makes what is known partial")
	}
	// Runs of a part of the tests are complete when they are recorded as that.
	run := record.TestRun{Module: m, Test: "app.JournalTest#appends", Class: "app.JournalTest", Outcome: record.Pass,
		Part: true, At: time.Now()}
	other := run
	other.Part = false
	gone := other
	gone.Outcome = record.Gone
	elsewhere := other
	elsewhere.Module = "elsewhere"
	for want, runs := range map[bool][]*record.TestRun{true: {&gone, &run, &elsewhere}, false: {&run, &other}} {
		if got := chosen(runs, []string{moduleWord(m)}); got != want {
			t.Errorf("of %d runs: chosen %v", len(runs), got)
		}
	}
	if chosen([]*record.TestRun{&gone}, []string{moduleWord(m)}) {
		t.Error("chosen where nothing has run")
	}
	// A run that ended before its baseline did leaves it partial, whatever was recorded.
	s.keepPartial([]string{moduleWord(m), "gone"})
	s.beginBaselines(snap)
	if got := s.partial(); !slices.Equal(got, []string{moduleWord(m)}) {
		t.Errorf("after a run that was ended: %q", got)
	}
	s.baselineDone(m)
	if _, err := os.Stat(s.kept.path(unfinishedBaselines, "")); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}

// Tests that name their framework where they use it, and import nothing, are tests, and that one
// has gone is no run of it.
func TestPartialBaselineOfWhatImportsNothing(t *testing.T) {
	s := openJournalWith(t, strings.NewReplacer("import static org.junit.Assert.*;", "", "import org.junit.Test;", "",
		"@Test", "@org.junit.Test", "assert", "org.junit.Assert.assert").Replace(journalTest))
	snap := s.View().Snap
	m := snap.Workspace.Modules[0].Name
	s.beginBaselines(snap)
	if got := s.partial(); !slices.Equal(got, []string{moduleWord(m)}) {
		t.Errorf("without imports: %q", got)
	}
	s.keepPartial(nil)
	if err := s.store.PutTestRun(&record.TestRun{Module: m, Test: "app.JournalTest#gone", Class: "app.JournalTest",
		Outcome: record.Gone, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.beginBaselines(snap)
	if got := s.partial(); !slices.Equal(got, []string{moduleWord(m)}) {
		t.Errorf("where a test has gone: %q", got)
	}
}

// While a run goes on the view says what it runs.
func TestRunsAreShown(t *testing.T) {
	s := openJournal(t)
	id := s.View().Snap.Catches[0].ID
	stop := s.showRunning([]string{id})
	if r := s.View().Runs; r == nil || !slices.Equal(r.Catches, []string{id}) {
		t.Errorf("runs %+v", r)
	}
	if stop(); s.View().Runs != nil {
		t.Error("a run that has ended is shown")
	}
}

// An analysis of the same code that knows more of what runs observed makes nothing stale.
func TestObservedMakesNothingStale(t *testing.T) {
	s, _, _ := opened(t, true)
	if err := s.Configure(snapshot.Settings{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "links are refined", func() bool { return s.pipe.refiner.refined() != nil })
	m := s.View().Snap.Workspace.Modules[0]
	o := record.Observed{Module: m.Name, ClassPath: record.ClassPathKey(m, nil), Class: "p/C", Method: "m(I)I",
		At: time.Now()}
	if err := s.store.PutObserved(o); err != nil {
		t.Fatal(err)
	}
	before := s.View().Snap.Number
	if err := s.knowObserved(context.Background(), func(int, string) {}); err != nil {
		t.Fatal(err)
	}
	if v := s.View(); v.Snap.Number == before || !v.Snap.Unedited {
		t.Errorf("snapshot %d after %d, unedited: %v", v.Snap.Number, before, v.Snap.Unedited)
	}
	for _, c := range s.View().Snap.Catches {
		if title := codelens.Title(s.View(), c); strings.Contains(title, "stale") {
			t.Errorf("%s: %s", c.ID, title)
		}
	}
}
