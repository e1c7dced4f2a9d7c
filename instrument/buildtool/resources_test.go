package buildtool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/sealed"
)

// A folder that is copied whole and of which a set copies more is copied both ways; of a set's
// folder alone, nothing else is copied.
func TestFolderAndSet(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, map[string]string{"both/a.txt": "x", "set/b.txt": "x", "set/c.xml": "x"})
	both, set := filepath.Join(root, "both"), filepath.Join(root, "set")
	m := &workspace.Module{Name: "m", Dir: root, ResourceFolders: workspace.ResourceFolders{
		Resources: []string{both},
		ResourceSets: []workspace.ResourceSet{{Dir: both, Target: "META-INF/x"},
			{Dir: set, Includes: []string{"*.txt"}}}}}
	c := ModuleCompileOf(&workspace.Workspace{Root: root}, m, Main, nil)
	j := &job{m: c, out: filepath.Join(root, "out"), st: &state{Resources: map[string]fileStamp{},
		Files: map[string]sealed.Sum{}}}
	j.syncResources()
	for rel, want := range map[string]bool{"a.txt": true, "META-INF/x/a.txt": true, "b.txt": true, "c.xml": false} {
		if _, err := os.Stat(filepath.Join(j.out, rel)); (err == nil) != want {
			t.Errorf("%s: %v", rel, err)
		}
	}
}
