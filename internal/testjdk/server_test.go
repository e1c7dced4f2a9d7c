package testjdk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One JVM compiles again and again, says what is wrong as javac does, and ends with who holds its
// input.
func TestServers(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	home, dir := JDK(t, 17), t.TempDir()
	compile := func(text string) (string, error) {
		t.Helper()
		src := filepath.Join(dir, "A.java")
		if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		said, err := javacKept(t, home, []string{"-Xlint:all", "-d", dir, src})
		return string(said), err
	}
	for _, s := range idle[home] { // of tests before
		s.in.Close()
		s.process.Wait()
	}
	delete(idle, home)
	if said, err := compile("class A { }"); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if len(idle[home]) != 1 {
		t.Fatalf("%d servers are kept", len(idle[home]))
	}
	first := idle[home][0]
	said, err := compile("class A { B b; }")
	if err == nil || !strings.Contains(said, "A.java:1: error: cannot find symbol") {
		t.Errorf("%v: %s", err, said)
	}
	os.Remove(filepath.Join(dir, "A.class"))
	if said, err := compile("class A { int i = (int) 1; }"); err != nil || !strings.Contains(said, "redundant cast") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "A.class")); err != nil {
		t.Error(err)
	}
	if len(idle[home]) != 1 || idle[home][0] != first {
		t.Errorf("after three compilations %d servers are kept; want the first one", len(idle[home]))
	}
	first.in.Close()
	if err := first.process.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if said, err := compile("class A { }"); err == nil || len(idle[home]) != 0 {
		t.Errorf("a server that has ended compiles, or is kept: %s", said)
	}
}
