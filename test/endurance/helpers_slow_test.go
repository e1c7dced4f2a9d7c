//go:build slow

package endurance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

func TestMain(m *testing.M) {
	sandbox.MaybeRunAsHelper()
	os.Exit(m.Run())
}

// workspaceOf lays out classes of package p, by name, with their class files and test
// settings.
func workspaceOf(t *testing.T, mains, tests map[string]string, settings string) string {
	t.Helper()
	dir := t.TempDir()
	sources := func(folder string, classes map[string]string) (files []string) {
		for name, text := range classes {
			file := filepath.Join(dir, folder, "p", name+".java")
			scratch.Write(t, file, text)
			files = append(files, file)
		}
		return files
	}
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 17, sources("src", mains), sources("test", tests),
		"[test]\nframework = \"junit4\"\n"+settings, testjdk.Javac)
	return dir
}

// tree lists the files of a folder with digests of their content.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			fmt.Fprintf(&b, "%s/\n", rel)
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", rel, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// processesOf lists the processes, other than this one, whose environment or command
// line names a folder: what a run starts has its private folders there.
func processesOf(folder string) (found []process) {
	pids, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range pids {
		var pid int
		fmt.Sscanf(filepath.Base(p), "%d", &pid)
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		if pid != os.Getpid() && len(line) > 0 &&
			(bytes.Contains(line, []byte(folder)) || bytes.Contains(env, []byte(folder))) {
			found = append(found, process{pid, strings.ReplaceAll(string(line), "\x00", " ")})
		}
	}
	return found
}

type process struct {
	pid  int
	line string
}

// awaitNone waits until no process of a folder is left.
func awaitNone(t *testing.T, folder string, most time.Duration) {
	t.Helper()
	for end := time.Now().Add(most); ; time.Sleep(100 * time.Millisecond) {
		left := processesOf(folder)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("processes are left: %v", left)
		}
	}
}
