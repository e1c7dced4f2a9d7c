//go:build slow

package known

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Who changes to another branch and comes back, with a restart in between, has
// nothing run again: verdicts of both branches are known, and shown without a run.
func TestBranches(t *testing.T) {
	dir, cache := projectOf(t, "Causes", causeMain, causeTest), scratch.CacheDir(t)
	const here, there = "because of ", "because: "
	first := visit(t, dir, cache, true)
	checkout(t, dir, "Causes", here, there)
	if n := visit(t, dir, cache, true); n == 0 {
		t.Error("nothing was run on the other branch")
	}
	checkout(t, dir, "Causes", there, here)
	if n := visit(t, dir, cache, false); n != 0 {
		t.Errorf("%d runs back on the first branch", n)
	}
	checkout(t, dir, "Causes", here, there)
	if n := visit(t, dir, cache, false); n != 0 {
		t.Errorf("%d runs on the other branch again", n)
	}
	if first == 0 {
		t.Error("nothing was run at first")
	}
}

// checkout changes a word in the class and compiles it, as a build after a change of
// branch does.
func checkout(t *testing.T, dir, class, from, to string) {
	t.Helper()
	path := filepath.Join(dir, "src", "p", class+".java")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatalf("%v: %q is not there", err, from)
	}
	scratch.Write(t, path, strings.Replace(string(text), from, to, 1))
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(dir, "out", "main"), path)
	later := time.Now().Add(2 * time.Second) // class files are never older than their sources
	if err := os.Chtimes(filepath.Join(dir, "out", "main", "p", class+".class"), later, later); err != nil {
		t.Fatal(err)
	}
}

// visit opens a session and runs everything; it returns how many tests and injected
// runs that took. stale: before the run nothing current is known.
func visit(t *testing.T, dir, cache string, stale bool) (ran int) {
	t.Helper()
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	check := func(when string, current bool) {
		v := s.View()
		for _, c := range v.Snap.Catches {
			st := v.Results.ByCatch[c.ID]
			if got := st.Ran && !v.Stale(c) && st.Verdict.SourceCertain; got != current {
				t.Errorf("%s a run: %s current and certain %v, want %v: %+v", when, c.ID, got, current, st.Verdict)
			}
		}
	}
	if !stale { // a second visit
		check("before", true)
	}
	baseline := false
	sum, err := s.Run(context.Background(), session.Scope{}, func(_ int, message string) {
		baseline = baseline || strings.HasPrefix(message, "tests as they are")
	})
	if err != nil {
		t.Fatal(err)
	}
	check("after", true)
	t.Logf("baseline run %v; %+v", baseline, sum)
	if baseline {
		ran = sum.Tests
	}
	return ran + sum.Cells + sum.Confirmed
}
