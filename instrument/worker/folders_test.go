package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestFolders: JVMs that follow each other run in folders in their first state, whichever they get.
func TestFolders(t *testing.T) {
	spec := injectSpec(t, testjdk.JDK(t, 17))
	spec.ModuleDir = t.TempDir()
	file := func(name string) string { return filepath.Join(spec.ModuleDir, name) }
	if err := os.WriteFile(file("data.txt"), []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	spec.Folders = NewFolders(root, 1)
	j, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for n := range 5 {
		used[j.dirs.root] = true
		if r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Inject#test"}}); len(r.Tests) != 1 ||
			r.Tests[0].Outcome != Pass {
			t.Fatalf("JVM %d: %+v", n, r)
		}
		if text, err := os.ReadFile(filepath.Join(j.dirs.work, "data.txt")); err != nil || string(text) != "first" {
			t.Errorf("JVM %d finds %q, %v", n, text, err)
		}
		for _, name := range []string{"data.txt", "more.txt", "../home/x", "../tmp/x", "../beside/x"} {
			// what a test may do
			path := filepath.Join(j.dirs.work, name)
			if _, err := os.Stat(path); err == nil && name != "data.txt" {
				t.Errorf("JVM %d: %s is left over", n, name)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("changed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(j.dirs.root, "beside"), 0o500); err != nil {
			t.Fatal(err)
		}
		ended := j
		if n == 2 { // as where one user of JVMs is followed by another
			err = j.Close()
			spec.Folders.pending.Wait()
			if err == nil {
				j, err = Start(t.Context(), spec)
			}
		} else {
			j, err = j.Restart(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if ended.Alive() {
			t.Errorf("JVM %d lives beside the next one", n)
		}
	}
	if len(used) != 2 {
		t.Errorf("%d JVMs' folders were made, want those of one and of one more to restart on", len(used))
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if len(spec.Folders.living) > 0 {
		t.Errorf("%d JVMs are thought to live", len(spec.Folders.living))
	}
	lost, err := Start(t.Context(), spec) // whoever has it panics
	if err == nil {
		lost, err = lost.Restart(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if lost.Alive() {
			t.Error("a JVM that nobody has ended outlives its folders")
			lost.Close()
		}
	}()
	if err := spec.Folders.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// TestResetFollowsNoLinks: what tests put in the place of folders and files is not written through.
func TestResetFollowsNoLinks(t *testing.T) {
	outside, module := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "data.txt"), []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, own := range []bool{true, false} {
		d, err := newDirs(t.TempDir(), own, Spec{Place: Place{ModuleDir: module}})
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{d.home, d.tmp, d.work} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{d.home, d.work, filepath.Join(d.root, "classpath.args")} {
			if err := os.Symlink(outside, dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.reset(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(d.work, "data.txt")); err != nil || string(text) != "first" {
			t.Errorf("the copy has %q, %v", text, err)
		}
		for _, dir := range []string{d.home, d.tmp, d.work} {
			if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
				t.Errorf("%s: %v, %v", dir, info, err)
			}
		}
		if _, err := os.Lstat(filepath.Join(d.root, "classpath.args")); (err == nil) == own {
			t.Errorf("what else there is in a folder of its own (%v): %v", own, err)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Errorf("written outside: %v, %v", left, err)
		}
	}
}

// TestAgentOption: the archived boot layer is used where modules are those of any program on the
// class path.
func TestAgentOption(t *testing.T) {
	for _, name := range []string{"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"} {
		t.Setenv(name, "")
	}
	for _, c := range []struct {
		spec Spec
		args []string
		want string
	}{
		{Spec{}, []string{"-Xmx64m", "--add-opens", "java.base/java.lang=ALL-UNNAMED"}, "-agentlib:instrument="},
		{Spec{}, []string{"--limit-modules", "java.base"}, "-javaagent:"},
		{Spec{}, []string{"@more.args"}, "-javaagent:"},
		{Spec{}, []string{"-XX:VMOptionsFile=more"}, "-javaagent:"},
		{Spec{Module: &Module{Name: "m"}}, nil, "-javaagent:"},
		{Spec{Environment: map[string]string{"JDK_JAVA_OPTIONS": "--limit-modules=java.base"}}, nil, "-javaagent:"},
	} {
		if got := agentOption(c.spec, c.args); got != c.want {
			t.Errorf("%+v %q: %s, want %s", c.spec, c.args, got, c.want)
		}
	}
}

// A cache folder whose path Java reads as two things is an error that names it and the way out.
func TestAgentInOddFolder(t *testing.T) {
	for _, folder := range []string{"a=b", "a" + string(os.PathListSeparator) + "b"} {
		jar := filepath.Join(folder, "agent.jar")
		_, err := (&JVM{}).arguments(jar)
		if err == nil || !strings.Contains(err.Error(), jar) || !strings.Contains(err.Error(), "--cache") {
			t.Errorf("%s: %v", jar, err)
		}
	}
}
