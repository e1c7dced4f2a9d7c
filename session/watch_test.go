package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// A saved file asks for a new analysis if it can change one.
func TestRelevantFiles(t *testing.T) {
	for file, want := range map[string]bool{
		"src/p/C.java": true, "out/p/C.class": true, "lib/a.jar": true, "pom.xml": true, "build.gradle": true,
		"build.gradle.kts":  true,
		"gradle.properties": true, "gradle/libs.versions.toml": true, "gradle/other.versions.toml": true,
		"gradle.lockfile":   true,
		"m/gradle.lockfile": true, ".mvn/maven.config": true, ".mvn/extensions.xml": true, "catchlens.toml": true,
		"m.iml": true, "build.xml": true,
		"README.md": false, "src/p/C.kt": false, "notes.toml": false, "yarn.lockfile": false, "mvn/maven.config": false,
	} {
		if got := relevant(filepath.FromSlash("ws/" + file)); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// A changed version catalog is looked at, both when a client tells of it and when
// the session looks by itself.
func TestChangedCatalogIsLookedAt(t *testing.T) {
	s, file, _ := opened(t, true)
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	first := s.View().Snap
	print := s.fingerprint()
	catalog := filepath.Join(filepath.Dir(file), "..", "..", "gradle", "libs.versions.toml")
	if err := os.MkdirAll(filepath.Dir(catalog), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(catalog, []byte("[versions]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s.fingerprint() == print {
		t.Error("a new version catalog leaves the fingerprint as it was")
	}
	s.FilesChanged([]string{filepath.Join(s.roots[0], "README.md")})
	time.Sleep(2 * changeQuiet)
	if s.View().Snap != first {
		t.Error("a changed README is analysed")
	}
	s.FilesChanged([]string{filepath.Clean(catalog)})
	eventually(t, "the catalog's change is analysed", func() bool { return s.View().Snap != first })
}

// What jdt.ls and Maven do to build anew: class files are removed, and written
// again one after the other. No snapshot is made of half of them.
func TestHalfABuildIsNotAnalysed(t *testing.T) {
	root := t.TempDir()
	sources := map[string]string{
		"C": `package p; public class C { public int m() { try { return D.n(); } catch (IllegalStateException e) { return 1; } } }`,
		"D": `package p; public class D { static int n() { if (System.nanoTime() == 0) throw new IllegalStateException(); return 0; } }`,
	}
	classes, built := filepath.Join(root, "classes"), filepath.Join(t.TempDir(), "built")
	var files []string
	for name, text := range sources {
		file := filepath.Join(root, "src", "p", name+".java")
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, built, files...)
	fill := func(name string) string {
		data, err := os.ReadFile(filepath.Join(built, "p", name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(classes, "p", name)
		os.MkdirAll(filepath.Dir(to), 0o755)
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return to
	}
	fill("C.class")
	fill("D.class")
	s, err := Open([]string{root}, Options{CacheDir: scratch.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	links := func(snap *snapshot.Snapshot) int {
		if len(snap.Catches) != 1 {
			return -1
		}
		return len(snap.Catches[0].Links)
	}
	first := s.View().Snap
	if links(first) != 1 {
		t.Fatalf("%d links, want 1", links(first))
	}
	stop, wrong := make(chan struct{}), make(chan int, 1)
	go func() {
		defer close(wrong)
		for ; ; time.Sleep(time.Millisecond) {
			if n := links(s.View().Snap); n != 1 {
				wrong <- n
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for _, step := range []func() string{
		func() string { os.RemoveAll(classes); return filepath.Join(classes, "p", "D.class") },
		func() string { return fill("C.class") },
		func() string { return fill("D.class") },
	} {
		s.FilesChanged([]string{step()})
		time.Sleep(3 * changeQuiet) // longer than a watcher is waited for
	}
	eventually(t, "the new class files are looked at", func() bool { return !s.changes.pending() })
	s.pipe.building.Lock() // an analysis may be on its way
	close(stop)
	s.pipe.building.Unlock()
	if n, bad := <-wrong; bad {
		t.Errorf("for a moment there were %d links", n)
	}
	// What stays away is gone all the same, a little later.
	os.Remove(filepath.Join(classes, "p", "D.class"))
	s.FilesChanged([]string{filepath.Join(classes, "p", "D.class")})
	eventually(t, "a removed class has no links", func() bool { return links(s.View().Snap) == 0 })
}
