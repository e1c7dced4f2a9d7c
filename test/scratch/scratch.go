// Package scratch gives tests a cache folder for sessions, and real projects.
package scratch

import (
	"os"
	"path/filepath"
	"testing"

	"catchlens/bench/projects"
	"catchlens/internal/testjdk"
)

// CacheDir is a cache folder without results, removed after the test. What
// depends on the JDK and on libraries alone and takes long to make (the compiled
// agent, rewritten JDK classes, facts) is shared with earlier tests.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	user, err := os.UserCacheDir()
	if err != nil {
		return dir
	}
	for _, name := range []string{"agent", "probed", "facts"} {
		shared := filepath.Join(user, "catchlens-test", "session", name)
		if err := os.MkdirAll(shared, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(shared, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Project is the folder of a real project. A test that finds none fails in CI and is
// skipped elsewhere.
func Project(t testing.TB, name string) string {
	t.Helper()
	root, err := projects.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, name)
	if !projects.Complete(dir) {
		testjdk.Missing(t, "the project %s (bench/projects/fetch.sh lays it out)", dir)
	}
	return dir
}
