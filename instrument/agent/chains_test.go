package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// Tables of call chains do not grow with classes that are gone: of 4,000, and 16,000 edges of their
// objects, they have room for those that are there.
func TestChainsOfUnloadedClasses(t *testing.T) {
	home := testjdk.JDK(t, 17)
	jar, err := Builder{JDK: home, Cache: t.TempDir()}.Jar(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, []string{jar}, dir,
		filepath.Join("testdata", "catchlens", "rt", "record", "UnloadedClasses.java"))
	out, err := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "java"), "-XX:+UseSerialGC", "-cp",
		jar+string(os.PathListSeparator)+dir, "catchlens.rt.record.UnloadedClasses").Output()
	var classes, edges int
	if _, e := fmt.Sscan(string(out), &classes, &edges); err != nil || e != nil {
		t.Fatal(string(out), err, e)
	}
	if classes > 1024 || edges > 8192 {
		t.Errorf("the tables have %d places for classes, and %d for edges", classes, edges)
	}
}
