//go:build slow

package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// The example's calls have what its lenses count.
func TestLandingsOfExample(t *testing.T) {
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		root, err := testjdk.RepositoryRoot()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(p.dir, "src"),
			os.DirFS(filepath.Join(root, "examples", "filedrop", "src", "main", "java"))); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(p.dir, "src", "filedrop", "*.java"))
		if err != nil {
			t.Fatal(err)
		}
		testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(p.dir, "out"), files...)
		s, err := Snapshot(t.Context(), p.ws, p.cfg, Options{Cache: p.cache}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Wait()
		if n := checkLandings(t, s); n < 50 {
			t.Errorf("%s: only %d links", graph, n)
		}
	}
}
