package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// What a thread executes while a window is closed is counted once; where it undoes what others have
// counted, that is lost, and nothing else.
func TestProbeCountsOfThreadThatGoesOn(t *testing.T) {
	home := testjdk.JDK(t, 17)
	jar, err := Builder{JDK: home, Cache: t.TempDir()}.Jar(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, []string{jar}, dir,
		filepath.Join("testdata", "catchlens", "rt", "record", "Counted.java"))
	path := jar + string(os.PathListSeparator) + dir
	out, err := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "java"), "-cp", path,
		"catchlens.rt.record.Counted").Output()
	if want := "100 101 0 51"; err != nil || string(out) != want {
		t.Errorf("counted are %s, %v; want %s", out, err, want)
	}
}
