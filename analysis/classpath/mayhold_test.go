package classpath

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testfiles"
)

// A folder may hold what begins with a name that stands in it; what came later it did not have.
func TestFolderMayHold(t *testing.T) {
	dir := testfiles.Files{"p/q/A.class": "", "Main.class": ""}.In(t, t.TempDir())
	has, none := NewFolder(dir, Options{}).MayHold(), NewFolder(filepath.Join(dir, "nowhere"), Options{}).MayHold()
	testfiles.Files{"late/B.class": ""}.In(t, dir)
	for name, want := range map[string]bool{"p/q/A": true, "p/Other": true, "Main": true, "q/A": false,
		"Mai": false, "late/B": false} {
		if got := has(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if none(name) {
			t.Errorf("%s may be in a folder that is not there", name)
		}
	}
	file := filepath.Join(dir, "Main.class")
	if !NewFolder(file, Options{}).MayHold()("p/A") {
		t.Error("of what cannot be listed nothing is known")
	}
}
