package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// edited is aCatch with a second catch, in a method of its own.
var edited = strings.Replace(aCatch, "public class C {", `public class C {
    public int more(String s) {
        try { if (s.isEmpty()) throw new IllegalArgumentException(); return 0; } catch (IllegalArgumentException e) { return m(1); }
    }`, 1)

// save writes a source that is newer than every class file, and says so.
func save(t *testing.T, s *Session, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(2 * time.Second) // file systems keep times more or less exactly
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	s.FilesChanged([]string{file})
}

// classesBelow maps the class files below a folder to their content.
func classesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".class") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m[path] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Sources that are newer than their classes are compiled once the workspace is
// trusted, which may happen while it is open; while one does not compile, its last
// good results stand, marked stale; without trust nothing is compiled.
func TestSourcesNewerThanClasses(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	s, file, cache := opened(t, true)
	own := classesBelow(t, s.roots[0])
	if len(own) != 1 {
		t.Fatalf("class files of the workspace: %d", len(own))
	}
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	// state describes the catches: how many have handlers and links, and whether
	// the file is stale.
	state := func() (snap *snapshot.Snapshot, linked int, stale bool) {
		snap = s.View().Snap
		for _, c := range snap.Catches {
			if len(c.Handlers) > 0 && len(c.Links) > 0 {
				linked++
			}
			stale = stale || s.View().Stale(c)
		}
		return snap, linked, stale
	}
	await := func(what string, linked int, stale bool) *snapshot.Snapshot {
		t.Helper()
		eventually(t, what, func() bool {
			_, l, st := state()
			return l == linked && st == stale
		})
		return s.View().Snap
	}
	await("the first state", 1, false)

	save(t, s, file, edited)
	await("without trust the edited file is stale", 1, true)
	if made := classesBelow(t, cache); len(made) > 0 {
		t.Errorf("compiled without trust: %d class files", len(made))
	}
	if _, err := s.Run(context.Background(), Scope{}, nil); !errors.Is(err, ErrUntrusted) {
		t.Errorf("a run without trust: %v", err)
	}

	s.SetTrusted(true)
	if !s.Status().Trusted {
		t.Error("the status does not say that the session is trusted now")
	}
	await("with trust the new catch has its links", 2, false)
	if made := classesBelow(t, cache); len(made) == 0 {
		t.Error("no class file in the cache")
	}

	broken := strings.Replace(edited, "return m(1)", "return m(", 1)
	save(t, s, file, broken)
	snap := await("while the file does not compile its last results stand", 2, true)
	reported := false
	for _, p := range snap.Problems {
		reported = reported || p.Severity == "error" && strings.HasSuffix(p.File, "C.java")
	}
	if !reported {
		t.Errorf("no problem names the file: %+v", snap.Problems)
	}
	save(t, s, file, edited+"// as it was\n")
	snap = await("it compiles again", 2, false)
	for _, p := range snap.Problems {
		if p.Severity == "error" {
			t.Errorf("a problem stays: %+v", p)
		}
	}

	s.SetTrusted(false)
	made := classesBelow(t, cache)
	save(t, s, file, strings.Replace(edited, "return 0; }", "return 8; }", 1))
	eventually(t, "trust is taken away", func() bool { _, _, stale := state(); return stale })
	if now := classesBelow(t, cache); len(now) != len(made) {
		t.Error("compiled after trust was taken away")
	} else {
		for f := range now {
			if now[f] != made[f] {
				t.Errorf("%s was compiled after trust was taken away", f)
			}
		}
	}
	for f, data := range classesBelow(t, s.roots[0]) {
		if own[f] != data {
			t.Errorf("the workspace's own %s was written", f)
		}
	}
}

// What a command shows is analysed once, with the classes that it has had compiled.
func TestOnceCompilesFirst(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	other, file, cache := opened(t, false)
	other.Close()
	s, err := Open([]string{strings.TrimSuffix(file, "/src/p/C.java")},
		Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: "rta"}, Trusted: true, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if n := s.pipe.numbers.Load(); n != 1 {
		t.Errorf("%d snapshots", n)
	}
	if c := s.View().Snap.Catches; len(c) != 1 || len(c[0].Links) == 0 {
		t.Errorf("catches: %+v", c)
	}
}

// What an earlier session compiled is shown at once by the next one, which needs
// no trust for it and starts no compiler; what changed meanwhile is stale.
func TestCompiledByAnEarlierSession(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	s, file, cache := opened(t, false)
	s.SetTrusted(true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	made := classesBelow(t, cache)
	if len(made) == 0 {
		t.Fatal("no class file in the cache")
	}
	look := func(what string, stale bool, trusted bool) {
		t.Helper()
		next, err := Open(s.roots, Options{CacheDir: cache, Trusted: trusted})
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close()
		var shown atomic.Int32
		next.Subscribe(func(e Event) {
			if v := next.View(); v.Snap != nil {
				shown.CompareAndSwap(0, int32(len(v.Snap.Catches[0].Links)))
			}
		})
		if err := next.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		v := next.View()
		c := v.Snap.Catches[0]
		if !c.Compiled || len(c.Links) != 1 || v.Stale(c) != stale {
			t.Errorf("%s: compiled %v, %d links, stale %v", what, c.Compiled, len(c.Links), v.Stale(c))
		}
		eventually(t, what+": the first look has the links", func() bool { return shown.Load() == 1 })
	}
	look("closed and opened", false, false)
	look("opened with trust", false, true)

	if err := os.WriteFile(file, []byte("// edited\n"+aCatch), 0o644); err != nil {
		t.Fatal(err)
	}
	look("edited while closed", true, false)
	for f, data := range classesBelow(t, cache) {
		if made[f] != data {
			t.Errorf("%s was compiled without trust", f)
		}
	}
}
