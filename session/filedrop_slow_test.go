//go:build slow

package session_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// These tests follow a user through a day with examples/filedrop: no trust yet, a
// first run, edits, runs after edits, and a kill.

// filedrop is a copy of the example's sources, without any class files.
func filedrop(t *testing.T) string {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	dir, from := filepath.Join(t.TempDir(), "filedrop"), filepath.Join("..", "examples", "filedrop")
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS(filepath.Join(from, "src"))); err != nil {
		t.Fatal(err)
	}
	pom, err := os.ReadFile(filepath.Join(from, "pom.xml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pom.xml"), pom, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a workspace with links that are not refined.
func open(t *testing.T, dir, cache string, trusted bool) *session.Session {
	t.Helper()
	return openWith(t, dir, session.Options{CacheDir: cache, Trusted: trusted,
		Settings: snapshot.Settings{CallGraph: "rta"}})
}

func openWith(t *testing.T, dir string, opt session.Options) *session.Session {
	t.Helper()
	s, err := session.Open([]string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	reload(t, s)
	return s
}

func reload(t *testing.T, s *session.Session) {
	t.Helper()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, s *session.Session) session.Summary {
	t.Helper()
	sum, err := s.Run(context.Background(), session.Scope{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tests, %d passed, %d injected runs, %d known, %d clean reruns, %d repeated, %.1f s, notes %q",
		sum.Tests, sum.Passed, sum.Cells, sum.Reused, sum.Canaries, sum.Repeated, sum.Elapsed.Seconds(), sum.Notes)
	if sum.Unpredicted != 0 || sum.UnknownSites != 0 || sum.Lost != 0 {
		t.Errorf("%d links not predicted, %d sites unknown, %d events lost", sum.Unpredicted, sum.UnknownSites,
			sum.Lost)
	}
	return sum
}

// staleIn lists the files of stale catches, one entry for each catch.
func staleIn(s *session.Session) []string {
	var files []string
	v := s.View()
	for _, c := range v.Snap.Catches {
		if v.Stale(c) {
			files = append(files, filepath.Base(c.File.Path))
		}
	}
	return files
}

// verdicts are those of all catches, by ID.
func verdicts(s *session.Session) map[string]string {
	m := map[string]string{}
	v := s.View()
	for id, st := range v.Results.ByCatch {
		m[id] = string(st.Verdict.SourceIndependence) + "/" + string(st.Verdict.PureResilience)
	}
	return m
}

func edit(t *testing.T, dir, file, old, new string) {
	t.Helper()
	replaceIn(t, filepath.Join(dir, "src", "main", "java", "filedrop", file), old, new)
}

// replaceIn replaces what stands once in a file.
func replaceIn(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte(old)) != 1 {
		t.Fatalf("%s: %q stands there %d times", path, old, bytes.Count(text, []byte(old)))
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666); err != nil {
		t.Fatal(err)
	}
}

func classFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".class") {
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestUntrusted(t *testing.T) {
	dir, cache := filedrop(t), scratch.CacheDir(t)
	s := open(t, dir, cache, false)
	if _, err := s.Run(context.Background(), session.Scope{}, nil); !errors.Is(err, session.ErrUntrusted) {
		t.Errorf("a run without trust: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the workspace holds %v, %v; it held pom.xml and src", entries, err)
	}
	if made := classFiles(t, filepath.Join(cache, "classes")); len(made) > 0 {
		t.Errorf("compiled without trust: %q", made)
	}
	if v := s.View(); v.Snap == nil || len(v.Snap.Catches) == 0 {
		t.Error("nothing is shown before trust")
	}
}

// TestFiledropOnceRun runs all of filedrop once, which takes a minute, for what is asked of such a
// run.
func TestFiledropOnceRun(t *testing.T) {
	dir, cache := filedrop(t), scratch.CacheDir(t)
	s := open(t, dir, cache, true)
	analysed := s.View().Snap
	run(t, s)
	if s.View().Snap != analysed {
		t.Error("what a first run saw was analysed, and there was nothing to learn")
	}
	t.Run("StaleByMethod", func(t *testing.T) { testStaleByMethod(t, cache, s) })
	t.Run("EachCatchByItself", func(t *testing.T) { testEachCatchByItself(t, dir, s) })
}

func TestDayWithFiledrop(t *testing.T) {
	dir, cache := filedrop(t), scratch.CacheDir(t)
	s := openWith(t, dir, session.Options{CacheDir: cache, Trusted: true})
	if made := classFiles(t, dir); len(made) > 0 {
		t.Errorf("class files in the workspace: %q", made)
	}
	first := run(t, s)
	if first.Tests == 0 || first.Passed != first.Tests || first.Cells == 0 {
		t.Fatalf("the first run: %+v", first)
	}
	if stale := staleIn(s); len(stale) > 0 {
		t.Errorf("stale after a run: %q", stale)
	}
	known := verdicts(s)

	t.Run("again", func(t *testing.T) {
		if sum := run(t, s); sum.Cells != 0 || sum.Reused < first.Cells { // more is known: some records took no run
			t.Errorf("%d of %d injected runs were done again, %d reused", sum.Cells, first.Cells, sum.Reused)
		}
	})
	t.Run("reopened", func(t *testing.T) {
		again := open(t, dir, cache, false)
		sameVerdicts(t, again, known)
	})
	t.Run("line above", func(t *testing.T) {
		edit(t, dir, "FileStore.java", "package filedrop;", "// a line above\npackage filedrop;")
		reload(t, s)
		if stale := staleIn(s); len(stale) > 0 {
			t.Errorf("a comment makes stale: %q", stale)
		}
		sameVerdicts(t, s, known)
		if sum := run(t, s); sum.Cells != 0 {
			t.Errorf("a comment costs %d injected runs", sum.Cells)
		}
	})
	t.Run("inside a try", func(t *testing.T) {
		edit(t, dir, "Settings.java", "duration.toMillis();", "duration.toMillis();\n            duration.isZero();")
		reload(t, s)
		stale := staleIn(s)
		t.Logf("stale: %q", stale)
		if !slices.Contains(stale, "Settings.java") {
			t.Error("a changed statement of its try leaves a catch current")
		}
		for _, f := range []string{"AuditLog.java", "DropClient.java", "FileStore.java", "Index.java", "Request.java",
			"Session.java", "Wire.java"} {
			if slices.Contains(stale, f) {
				t.Errorf("a change in Settings.duration makes a catch of %s stale", f)
			}
		}
		sum := run(t, s)
		if sum.Cells == 0 || sum.Cells >= first.Cells/2 {
			t.Errorf("%d of %d injected runs were done again", sum.Cells, first.Cells)
		}
		if stale := staleIn(s); len(stale) > 0 {
			t.Errorf("stale after a run: %q", stale)
		}
		sameVerdicts(t, s, known)
	})
	if made := classFiles(t, dir); len(made) > 0 {
		t.Errorf("class files in the workspace: %q", made)
	}
}

// sameVerdicts reports the catches whose verdict is not what it was.
func sameVerdicts(t *testing.T, s *session.Session, known map[string]string) {
	t.Helper()
	got := verdicts(s)
	if len(got) != len(known) {
		t.Errorf("%d catches, there were %d", len(got), len(known))
	}
	for id, v := range known {
		if got[id] != v {
			now := s.View().Results.ByCatch[id].Verdict
			t.Errorf("%s: %s, was %s: %s", id, got[id], v, now.Why)
			for _, w := range now.Witnesses {
				t.Logf("%s: %s: %s\n%s", w.Test, w.Outcome, w.Message, w.Stack)
			}
		}
	}
}

// TestKilled kills `catchlens run` in the middle: what was recorded until then is
// there, no process is left, and the next run does the rest.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	dir, cache, tmp := filedrop(t), scratch.CacheDir(t), t.TempDir()
	command := filepath.Join(t.TempDir(), "catchlens")
	build := exec.Command("go", "build", "-o", command, "github.com/catchlens/catchlens/cmd/catchlens")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	child := exec.Command(command, "run", "--cache", cache, dir)
	child.Env = append(os.Environ(), "TMPDIR="+tmp)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Minute); recordedCells(t, cache) < 20; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no injected runs are recorded")
		}
	}
	if err := syscall.Kill(child.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		left := processesOf(tmp)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("processes are left: %q", left)
		}
	}
	s := open(t, dir, cache, true)
	sum := run(t, s)
	if sum.Reused < 20 {
		t.Errorf("%d injected runs were kept, 20 were recorded", sum.Reused)
	}
	if sum.Tests == 0 || sum.Passed != sum.Tests || sum.Cells == 0 {
		t.Errorf("the run after the kill: %+v", sum)
	}
	if stale := staleIn(s); len(stale) > 0 {
		t.Errorf("stale: %q", stale)
	}
}

// recordedCells is how many injected runs are recorded.
func recordedCells(t *testing.T, cache string) int {
	t.Helper()
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if len(folders) == 0 {
		return 0
	}
	store, err := results.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return len(store.Cells())
}

// processesOf lists the processes whose environment or command line names a
// folder.
func processesOf(folder string) (found []string) {
	pids, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range pids {
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		if bytes.Contains(line, []byte(folder)) || bytes.Contains(env, []byte(folder)) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
