package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

const aCatch = `package p;
public class C {
    public int m(int n) {
        try { if (n < 0) throw new IllegalStateException(); } catch (IllegalStateException e) { return 1; }
        return 0;
    }
}
`

// opened is a session of a workspace with one source, compiled or not.
func opened(t *testing.T, compile bool) (*Session, string, string) {
	t.Helper()
	root, cache := t.TempDir(), scratch.CacheDir(t)
	file := filepath.Join(root, "src", "p", "C.java")
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := os.WriteFile(file, []byte(aCatch), 0o644); err != nil {
		t.Fatal(err)
	}
	if compile {
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	}
	s, err := Open([]string{root}, Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: "rta"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, file, cache
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(90 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// A link that is judged while an analysis runs stays judged when that is done.
func TestJudgedDuringReload(t *testing.T) {
	s, file, _ := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	link := s.View().Snap.Catches[0].Links[0].ID
	judge := func(reason string) {
		if err := s.Judge(link, false, reason); err != nil {
			t.Error(err)
		}
	}
	for _, reason := range []string{"n is never negative", ""} { // judged, and taken back
		// A snapshot is not made anew if nothing changed.
		if err := os.WriteFile(file, []byte("// "+reason+"\n"+aCatch), 0o644); err != nil {
			t.Fatal(err)
		}
		judged := false
		if err := s.Reload(context.Background(), func(int, string) {
			if !judged {
				judged = true
				judge(reason)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if !judged {
			t.Fatal("the analysis reports no progress")
		}
		if got := s.View().Infeasible[link]; got != reason {
			t.Errorf("judged %q during an analysis, and %q after it", reason, got)
		}
	}
}

// What another process records is shown without being asked for.
func TestResultsOfOtherProcesses(t *testing.T) {
	s, _, cache := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	other, err := results.Open(filepath.Join(cache, "results", workspaceKey(s.roots)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.PutTestRun(&record.TestRun{Module: "m", Test: "p.CTest#m", Outcome: record.Pass,
		At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other's test counts", func() bool { return s.Status().Tests == 1 })
}

// A change during the first analysis, or after one that could not be done, is
// looked at.
func TestChangesBeforeTheFirstSnapshot(t *testing.T) {
	s, file, _ := opened(t, true)
	s.pipe.building.Lock() // the first analysis is under way and has read the file
	s.FilesChanged([]string{file})
	time.Sleep(2 * changeQuiet)
	s.pipe.building.Unlock()
	eventually(t, "the change is analysed", func() bool { return s.View().Snap != nil })
}

// A cancelled analysis leaves the changes that it was to look at to the next.
func TestCancelledReloadKeepsChanges(t *testing.T) {
	s, file, _ := opened(t, true)
	s.changes.mu.Lock()
	s.changes.paths, s.changes.due = []string{file}, true // without waking the follower
	s.changes.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Reload(ctx, nil); err == nil {
		t.Fatal("a cancelled analysis has no error")
	}
	eventually(t, "the change is analysed", func() bool { return s.View().Snap != nil })
}

// Whoever closes a session waits for an analysis, and after that nothing starts.
func TestCloseDuringReload(t *testing.T) {
	s, _, _ := opened(t, true)
	done := make(chan error, 1)
	started := make(chan struct{}, 100)
	go func() {
		done <- s.Reload(context.Background(), func(int, string) {
			select {
			case started <- struct{}{}:
			default:
			}
		})
	}()
	<-started
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Error("the analysis goes on after Close")
	}
	s.SetTrusted(true)
	if _, err := s.Run(context.Background(), Scope{}, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close: %v", err)
	}
	if err := s.Reload(context.Background(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Reload after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}

// What is recorded while an overlay is made is in the next one: the overlay does
// not claim to have it.
func TestOverlayVersion(t *testing.T) {
	s, _, _ := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	snap := s.View().Snap
	usages := map[string]record.Usage{snap.Catches[0].ID: {Pink: 1}}
	put := func(test string) {
		if err := s.store.PutTestRun(&record.TestRun{Module: "m", Test: test, Outcome: record.Pass, Usages: usages,
			At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	put("p.CTest#a")
	o := results.Lay(snap, s.store, func(string) string {
		put("p.CTest#b")
		return ""
	})
	if o.Tests[record.Pass] == 1 && o.Version == s.store.Version() {
		t.Error("the overlay of one run says that it is up to date with two")
	}
}

// A run that is asked for while another one is under way waits for it, and says so; one that is
// cancelled while it waits ends, and so does one whose session closes.
func TestRunsQueue(t *testing.T) {
	s, _, _ := opened(t, true)
	s.SetTrusted(true)
	first := s.running
	if err := first.take(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context) (ended chan error) {
		told, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			_, err := s.Run(ctx, Scope{}, func(_ int, message string) {
				select {
				case told <- message:
				default:
				}
			})
			ended <- err
		}()
		select {
		case message := <-told:
			if !strings.Contains(message, "waiting for the run before it") {
				t.Errorf("a run that waits says %q", message)
			}
		case err := <-ended:
			first.giveBack() // or Close waits for it
			t.Fatalf("a second run ends with %v while the first one is under way", err)
		}
		return ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := ask(ctx)
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was cancelled while it waited: %v", err)
	}
	second := ask(t.Context())
	if st := s.Status(); st.Activity == "running tests" {
		t.Error("a run that waits is shown as one that runs")
	}
	first.giveBack()
	if err := <-second; err != nil {
		t.Errorf("a run whose turn it was: %v", err)
	}
	if err := first.take(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	third, closed := ask(t.Context()), make(chan error, 1)
	go func() { closed <- s.Close() }()
	if err := <-third; !errors.Is(err, ErrClosed) {
		t.Errorf("a run that waits while its session closes: %v", err)
	}
	first.giveBack()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
