package known

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Each program of testdata/known/impossible has links that no run can have, by what is known of the
// JDK's objects, next to some that look alike and can be. A program is a workspace of its own: what
// another one does (a class loader that it makes) must not decide. Expectations name the class and
// method of throw sites of the JDK.
func TestImpossible(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "known", "impossible", "*.java"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d programs: %v", len(files), err)
	}
	cache := scratch.CacheDir(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".java"), func(t *testing.T) { checkImpossible(t, file, cache) })
	}
}

func checkImpossible(t *testing.T, file, cache string) {
	set := expect.Load(t, []string{"includes", "excludes"}, file)
	p := &program{t: t, set: set, sources: map[string]string{filepath.Base(file): set.Files()[0]}}
	none := filepath.Join(t.TempDir(), "impossible", "NoTest.java")
	scratch.Write(t, none, "package impossible;\nclass NoTest { }\n")
	dir := workspaceOf(t, []string{file, none}, compilation{release: 17, jdk: 17})
	for _, graph := range []string{"pta", "obj-dr"} {
		p.snap = ofMains(t, dir, cache, graph)
		for _, kind := range []string{"includes", "excludes"} {
			list, err := set.Active(kind, graph)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				c := p.catch(e)
				if c == nil {
					continue
				}
				sites := sitesOf(c)
				for _, s := range e.Strings() {
					if slices.Contains(sites, s) != (kind == "includes") {
						t.Errorf("%s, %s: want %s, there are %s", e.Position(), graph, e, sites)
					}
				}
			}
		}
	}
}

// ofMains is what an analysis finds that begins at main methods.
func ofMains(t *testing.T, dir, cache, graph string) *snapshot.Snapshot {
	t.Helper()
	s, err := session.Open([]string{dir}, session.Options{CacheDir: cache, Workers: 1,
		Settings: snapshot.Settings{CallGraph: graph, EntryPoints: "mains"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s.View().Snap
}

// sitesOf lists the classes and methods of a catch's throw sites, sorted, each once.
func sitesOf(c *snapshot.Catch) (out []string) {
	for _, l := range c.Links {
		method, _, _ := strings.Cut(l.Site.Method, "(")
		out = append(out, l.Site.Class+"."+method)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
