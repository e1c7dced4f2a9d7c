package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A catch that a run is asked for is followed through the edits that come before its turn: another
// one that takes its ID over does not get the run, and one that is gone is said to be.
func TestAskedCatchIsFollowed(t *testing.T) {
	s, file, _ := opened(t, true)
	edit := func(text string) { editTo(t, s, file, text) }
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	asked := s.View().Snap
	id := asked.Catches[0].ID
	s.SetTrusted(true)
	if err := s.running.take(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	waits, ended := make(chan bool, 9), make(chan error, 1)
	go func() {
		_, err := s.Run(t.Context(), Scope{Catches: []string{id}}, func(int, string) { waits <- true })
		ended <- err
	}()
	<-waits

	above := "\t\ttry { if (n > 9) throw new IllegalArgumentException(); } " +
		"catch (IllegalArgumentException x) { return 2; }\n"
	edit(strings.Replace(aCatch, "        try", above+"        try", 1))
	now := s.View().Snap
	if other := now.ByID[id]; other == nil || other.Types[0] == asked.Catches[0].Types[0] {
		t.Fatalf("no other catch has taken %s over", id) // else this tests nothing
	}
	got, err := followed([]string{id}, asked, now)
	if err != nil || now.ByID[got[0]].Types[0] != "java.lang.IllegalStateException" {
		t.Errorf("followed to %s: %v", got, err)
	}
	if shown := s.followToShown([]string{id}, asked); !slices.Equal(shown, got) {
		t.Errorf("edited while it ran, it is %s, want %s", shown, got)
	}

	edit(noCatch)
	if shown := s.followToShown([]string{id}, asked); shown == nil || len(shown) > 0 {
		t.Errorf("gone while it ran, it is %#v, want an empty list", shown)
	}
	s.running.giveBack()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "line 4 of src/p/C.java is gone") {
		t.Errorf("a run of a catch that is gone ends with %v", err)
	}
}

const noCatch = "package p;\npublic class C {\n    public int m(int n) {\n        return 0;\n    }\n}\n"

// editTo writes a file of a session of opened, compiles it and reloads.
func editTo(t *testing.T, s *Session, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	classes := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(file))), "classes")
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, classes, file)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

// A run is of the snapshot that its catches were followed to, also if another one is shown while
// the run begins: it says what has become of a catch, and not that there never was one.
func TestAskedCatchIsFollowedToWhatRuns(t *testing.T) {
	s, file, _ := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	editTo(t, s, file, noCatch)
	later := s.View().Snap
	editTo(t, s, file, aCatch)
	asked := s.View().Snap
	s.SetTrusted(true)
	if err := s.upToDate(t.Context(), func(int, string) {}); err != nil {
		t.Fatal(err)
	}
	s.pipe.refiner.mu.Lock() // the run comes no further than to hold it
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(t.Context(), Scope{Catches: []string{asked.Catches[0].ID}, In: asked}, func(int, string) {})
		ended <- err
	}()
	time.Sleep(200 * time.Millisecond) // if it is slower than that, this shows less
	s.replaceView(func(v *codelens.View) { v.Snap = later })
	s.pipe.refiner.mu.Unlock()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "line 4 of src/p/C.java is gone") {
		t.Errorf("the run ends with %v", err)
	}
}
