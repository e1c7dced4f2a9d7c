// Package scratch gives tests a cache folder for sessions, workspaces, real
// projects, and their size.
package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Number is what an environment variable that enlarges a test says, or the number without it.
func Number(t testing.TB, variable string, without int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return without
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%s is no number", variable, text)
	}
	return n
}

// CacheDir is a cache folder without results, removed after the test. What
// depends on the JDK and on libraries alone and takes long to make (the compiled
// agent, rewritten JDK classes, facts, the classes of the server that compiles,
// hashes of the JDKs' images) is shared with earlier tests.
func CacheDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	user, err := os.UserCacheDir()
	if err != nil {
		return dir
	}
	for _, name := range []string{"agent", "probed", "facts", filepath.Join("classes", "javac-server")} {
		shared := filepath.Join(user, "catchlens-test", "session", name)
		if err := os.MkdirAll(shared, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(shared, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	shareDigests(t, filepath.Join(user, "catchlens-test", "session", "digests"), filepath.Join(dir, "digests"))
	return dir
}

// shareDigests copies the hashes of the JDKs' images, which have 130 MB each, from a file. One that
// lacks them gets them.
func shareDigests(t testing.TB, shared, file string) {
	t.Helper()
	digests := classpath.LoadDigestCache(shared)
	for _, home := range testjdk.All(t) {
		digests.File(filepath.Join(home, "lib", "modules")) // JDK 8 has none
	}
	if err := digests.Save(shared); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(shared)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
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

// Write writes a file, and the folders that it is in.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Workspace lays out a plain workspace: sources in src and test, which hold main
// and test (files there), class files in out/main and out/test, and a
// catchlens.toml with JUnit 4 on the class path, and settings at its end. compile is
// testjdk.Javac or one like it; release is the class files' level.
func Workspace(t testing.TB, dir, jdkHome string, release int, main, test []string, settings string,
	compile func(t testing.TB, jdkHome string, release int, classPath []string, outDir string, files ...string)) {
	t.Helper()
	libraries := []string{testjdk.Artifact(t, "junit:junit:4.13.2"),
		testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	mainOut, testOut := filepath.Join(dir, "out", "main"), filepath.Join(dir, "out", "test")
	compile(t, jdkHome, release, nil, mainOut, main...)
	compile(t, jdkHome, release, append([]string{mainOut}, libraries...), testOut, test...)
	Write(t, filepath.Join(dir, "catchlens.toml"), fmt.Sprintf(`build = "plain"
jdk = %q
sources = ["src"]
testSources = ["test"]
outputs = ["out/main"]
testOutputs = ["out/test"]
testClassPath = [%q, %q]

%s`, jdkHome, libraries[0], libraries[1], settings))
}
