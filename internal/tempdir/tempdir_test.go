//go:build unix

package tempdir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain makes a folder and waits when another test has started this program for that.
func TestMain(m *testing.M) {
	if os.Getenv("TEMPDIR_TEST_WAIT") != "" {
		d, err := New("killed-")
		if err != nil {
			panic(err)
		}
		fmt.Println(d.Path)
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// What a killed process leaves goes, with folders that nobody may enter; what a living one has, and
// what is not of this package, stays.
func TestSweep(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "TEMPDIR_TEST_WAIT=1")
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1000)
	n, err := out.Read(b)
	left := strings.TrimSpace(string(b[:n]))
	if err != nil || left == "" {
		t.Fatal(left, err)
	}
	own, err := New("own-")
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(tmp, "catchlens-campaign-1")
	link := filepath.Join(tmp, Prefix+"link")
	locked := filepath.Join(left, "locked")
	for _, dir := range []string{foreign, filepath.Join(locked, "deep")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(foreign, link); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	for _, p := range []string{left, own.Path, foreign} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	there := func(p string) bool { _, err := os.Lstat(p); return err == nil }
	if Sweep(); !there(left) || !there(own.Path) || !there(foreign) {
		t.Error("a living process lost its folder")
	}
	c.Process.Kill()
	c.Wait()
	if Sweep(); there(left) || !there(own.Path) || !there(foreign) || !there(link) {
		t.Errorf("left: of the killed one %v, of this one %v, another's %v, a link %v", there(left), there(own.Path),
			there(foreign), there(link))
	}
	if err := own.Remove(); err != nil || there(own.Path) {
		t.Error(err)
	}
}
