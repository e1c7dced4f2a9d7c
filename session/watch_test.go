package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A saved file asks for a new analysis if it can change one.
func TestRelevantFiles(t *testing.T) {
	for file, want := range map[string]bool{
		"src/p/C.java": true, "out/p/C.class": true, "lib/a.jar": true, "pom.xml": true, "build.gradle": true, "build.gradle.kts": true,
		"gradle.properties": true, "gradle/libs.versions.toml": true, "gradle/other.versions.toml": true, "gradle.lockfile": true,
		"m/gradle.lockfile": true, ".mvn/maven.config": true, ".mvn/extensions.xml": true, "catchlens.toml": true, "m.iml": true,
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
